"""`python -m server`: live play in the browser, on this machine or in a network."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import os
import sys
from pathlib import Path

from agents import levels
from ofc_env import Rules
from server.settings import Settings

# What the extra `server` installs, and what those packages need.
EXTRA = {"fastapi", "starlette", "pydantic", "uvicorn", "h11", "websockets"}
OPERATOR_KEY = "OFC_OPERATOR_KEY"
SHORTEST_KEY = 16
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
EPILOG = """
examples:
  python -m server                          play at http://127.0.0.1:8000, games are kept in ofc.db
  python -m server --level expert           a stronger AI by default
  python -m server --agent pimc:rollouts=300    the same agent at every level
  python -m server --rules standard         52 cards and the button last, unless a table chooses otherwise
  python -m server --host 0.0.0.0 --allow-host play.example.org     in a network (put TLS in front of it)
  python -m server --port 0                 any free port; the address is printed

Stopping the server loses nothing, not even by kill -9: started again with the same --database, every
session goes on.
Protocol, deployment and security: docs/server.md.
"""


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        "python -m server",
        description="Rooms for OFC Pineapple with a web page: person against person, or against the AI.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    standard = Settings()
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (default %(default)s: this machine only)")
    add("--port", type=int, default=8000, help="port to listen on, 0 for any free one (default %(default)s)")
    add(
        "--database",
        default=standard.database,
        metavar="FILE",
        help="SQLite log of all games (default %(default)s)",
    )
    add(
        "--openings",
        default=standard.openings,
        metavar="FILE",
        help="table of openings to show, built by experiments/openings.py (default %(default)s, if there)",
    )
    add("--agent", help="agent of every AI seat, such as heuristic or pimc:rollouts=300 (default: by level)")
    add(
        "--level",
        default=standard.level,
        type=levels.renamed,
        choices=list(levels.LEVELS),
        help="level of AI rooms that name none (default %(default)s)",
    )
    add(
        "--rules",
        default=standard.rules.name,
        metavar="TEXT",
        help=f"rules of tables that choose none: a preset ({', '.join(Rules.presets())}), fields, "
        'or "standard scoop=6" (default %(default)s)',
    )
    add("--turn-seconds", type=float, metavar="S", help="time for a turn (default: the rules' 20)")
    add(
        "--fantasyland-seconds",
        type=float,
        metavar="S",
        help="time for a fantasyland hand (default: the rules' 90)",
    )
    add(
        "--hand-pause",
        type=float,
        default=standard.hand_pause,
        metavar="S",
        help="longest pause between hands (default %(default)s)",
    )
    add(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="also let pages of this origin connect, such as https://example.org; may be repeated",
    )
    add(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="host name to answer to; may be repeated (default: any, on loopback only loopback names)",
    )
    add(
        "--max-rooms",
        type=int,
        default=standard.max_rooms,
        metavar="N",
        help="rooms at once (default %(default)s)",
    )
    add(
        "--max-connections",
        type=int,
        default=standard.max_connections,
        metavar="N",
        help="connections at once (default %(default)s)",
    )
    add(
        "--max-rooms-per-address",
        type=int,
        default=standard.max_rooms_per_address,
        metavar="N",
        help="rooms that one address may have open (default %(default)s)",
    )
    add(
        "--max-connections-per-address",
        type=int,
        default=standard.max_connections_per_address,
        metavar="N",
        help="connections of one address (default %(default)s)",
    )
    add(
        "--trusted-proxy",
        metavar="ADDRESS",
        help="reverse proxy whose X-Forwarded-For says whose the limits for an address are (default: none)",
    )
    add(
        "--thinking-threads",
        type=int,
        default=standard.thinking_threads,
        metavar="N",
        help="AI searches that share the processor (default %(default)s)",
    )
    add(
        "--operator-key-file",
        metavar="FILE",
        help="file with the key that opens every finished hand to who sends it (default: the environment's "
        f"{OPERATOR_KEY}; without either nobody reads the hands of others)",
    )
    add("--allow-seeds", action="store_true", help="let rooms name the seed of their cards: for tests only")
    add("--verbose", action="store_true", help="log every request")
    return parser.parse_args(arguments)


def settings_of(options: argparse.Namespace) -> Settings:
    """Settings from the command line; ValueError with a sentence for what cannot be."""
    for name in ("turn_seconds", "fantasyland_seconds"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            raise ValueError(f"--{name.replace('_', '-')} {value:g} leaves no time to play: give more than 0")
    if options.hand_pause < 0:
        raise ValueError(f"--hand-pause {options.hand_pause:g} is not a time: give 0 or more")
    if options.agent is not None and not levels.is_playable(options.agent):
        raise ValueError(f"there is no agent {options.agent!r}: use one of {', '.join(levels.playable())}")
    hosts = options.allow_host
    if _is_loopback(options.host):
        hosts = [*hosts, *LOOPBACK_NAMES, options.host]
    return Settings(
        database=options.database,
        openings=options.openings,
        agent=options.agent,
        level=options.level,
        rules=Rules.parse(options.rules),
        turn_seconds=options.turn_seconds,
        fantasyland_seconds=options.fantasyland_seconds,
        hand_pause=options.hand_pause,
        allow_seeds=options.allow_seeds,
        operator_key=operator_key(options.operator_key_file),
        allow_origins=tuple(options.allow_origin),
        allow_hosts=tuple(hosts),
        max_rooms=options.max_rooms,
        max_connections=options.max_connections,
        max_rooms_per_address=options.max_rooms_per_address,
        max_connections_per_address=options.max_connections_per_address,
        trusted_proxy=options.trusted_proxy,
        thinking_threads=options.thinking_threads,
    )


def operator_key(file: str | None) -> str | None:
    """The operator's key: what stands in a file, or else in the environment. Not on the command line, which
    every user of a machine can read."""
    if file is not None:
        try:
            key, where = Path(file).read_text(encoding="ascii").strip(), f"the key in {file}"
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not plain text"
            raise ValueError(f"cannot read --operator-key-file {file} ({why}): give another file") from None
    else:
        key, where = os.environ.get(OPERATOR_KEY, "").strip(), f"the key in {OPERATOR_KEY}"
        if not key:
            return None
    if len(key) < SHORTEST_KEY or not key.isascii() or not key.isprintable():
        raise ValueError(
            f"{where} has {len(key)} characters: give {SHORTEST_KEY} or more, plain and random, such as "
            "python -c 'import secrets; print(secrets.token_urlsafe(24))' prints"
        )
    return key


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def main(arguments: list[str] | None = None) -> int:
    """Run the server until it is stopped."""
    options = parse_arguments(arguments)
    try:
        from server.web.serving import listen, serve, uvicorn_config
    except ModuleNotFoundError as missing:
        if missing.name not in EXTRA:
            raise
        return _refuse(f"{missing.name} is not installed: pip install 'ofc-env[server]'")
    # Without the names of loggers: one of uvicorn's is called error, whatever it says.
    logging.basicConfig(
        level=logging.INFO if options.verbose else logging.WARNING, format="%(levelname)s: %(message)s"
    )
    try:
        settings = settings_of(options)
        config = uvicorn_config(settings, options.verbose)
    except (ValueError, OSError) as refusal:
        return _refuse(refusal)
    try:
        listener = listen(options.host, options.port)
    except (OSError, OverflowError) as error:
        where, why = f"{options.host} port {options.port}", getattr(error, "strerror", None) or error
        return _refuse(f"cannot listen on {where} ({why}): try --port 0")
    host = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{host}:{listener.getsockname()[1]}"
    where = f"OFC Pineapple at {address} (games are kept in {settings.database}; Ctrl-C stops)"
    try:
        serve(config, listener, opened=lambda: print(where, flush=True))
    except ValueError as refusal:
        return _refuse(refusal)
    except KeyboardInterrupt:  # uvicorn passes Ctrl-C on when everything is closed: the server's usual end
        print("\nstopped", flush=True)
    return 0


def _refuse(sentence: object) -> int:
    print(f"python -m server: {sentence}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
