"""A script's command line from one dataclass: a line per field, one manner of help and of refusal.

    @dataclass(frozen=True)
    class Config:
        deals: int = option(600, "decks a match; more narrow the intervals", low=1)

    config = read(Config, words, __doc__)        # --deals 2000

Types are int, float, str, bool (`--flag`, `--no-flag`), Path, tuples of them, and any of these or None.
"""

from __future__ import annotations

import argparse
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from experiments.common.packages import script_name
from ofc_env import Rules

SAMPLE = Path(__file__).parent.parent / "sample" / "alphazero_sims100.jsonl.gz"  # a log that is shipped
OUT = "--out"  # what a bare --resume stands for: the run in the folder of --out


class UsageError(ValueError):
    """A command line that cannot be read."""


@dataclass(frozen=True)
class Option:
    """What the command line knows of a field besides its name, type and default."""

    help: str  # what it is, and what more of it does
    low: float | None = None  # the least that is accepted
    high: float | None = None
    above: float | None = None  # more than this is accepted
    choices: tuple[str, ...] = ()
    shown: str | None = None  # the default in words, where its value says little
    metavar: str | None = None
    count: int | None = None  # how many values, where that is fixed
    const: str | None = None  # what the option means without a value, if it may stand so
    bare: str | None = None  # the same, as an old spelling that the help does not show
    joined: bool = False  # several words that make one text
    positional: bool = False  # without its name: a file to read, or a list of things
    old: tuple[str, ...] = ()  # earlier spellings, not in the help
    old_position: bool = False  # earlier without its name, behind the positional ones
    group: str = ""  # the heading that begins here in the help


def option(default: Any, help: str, **more: Any) -> Any:
    """A field of a script's configuration, with its help; `more` are fields of Option."""
    return field(default=default, metadata={"option": Option(help, **more)})


# ---------------------------------------------------------------- options that several scripts have

RULES_HELP = f'rules to play by: a preset ({", ".join(Rules.presets())}), fields, or "standard scoop=6"'
VALUES_HELP = (
    "what 14, 15, 16 and 17 cards of fantasyland are worth; rules under which nobody measured it need them"
)
RESUME_HELP = "go on with an interrupted run, or make it longer; {} or its folder"
PROCESSES_HELP = "processes at work side by side; results do not depend on it, more than cores gain nothing"


def rules_option(shown: str = "house") -> Any:
    """The rules to play by, as text for `ofc_env.Rules.parse`."""
    return option("", RULES_HELP, metavar="TEXT", shown=shown)


def values_option() -> Any:
    """What fantasyland is worth, for `agents.rewards.equity`."""
    return option(None, VALUES_HELP, metavar="V", count=4, shown="as measured under the rules")


def resume_option(names: str, **more: Any) -> Any:
    """A run to go on with; `names` says what a bare name is looked up as."""
    return option("", RESUME_HELP.format(names), metavar="NAME_OR_FOLDER", shown="begin a new run", **more)


def config_option() -> Any:
    """The file of `experiments.common.stored.stored_settings`."""
    return option(
        None, "settings of another run, its config.json; options win over them", metavar="FILE", shown="none"
    )


def device_option() -> Any:
    """A device of torch, by name."""
    return option(
        "cpu", "where the network learns: cpu, or cuda (untested), cuda:1 for the second card", metavar="NAME"
    )


def seed_option(help: str = "fixes every deal; another one gives an independent measurement") -> Any:
    """The seed of everything random."""
    return option(0, help, low=0)


def processes_option(default: int, low: int = 1, help: str = PROCESSES_HELP) -> Any:
    """How many processes."""
    return option(default, help, low=low)


# ---------------------------------------------------------------- reading

Settings = TypeVar("Settings")
Presets = Mapping[str, Mapping[str, Any]]


def read(config: type[Settings], words: Sequence[str] | None, page: str | None, name: str = "") -> Settings:
    """The configuration that a command line describes.

    Args:
        config: a dataclass whose fields are options.
        words: the command line; None for the script's own.
        page: begins the help, as a rule the script's docstring.
        name: of a command of the script, for the help.
    """
    settings = config(**given((config,), words, page, name)[0])
    verify(settings)
    return settings


def given(
    configs: Sequence[type],
    words: Sequence[str] | None,
    page: str | None,
    name: str = "",
    presets: Presets | None = None,
) -> list[dict[str, Any]]:
    """What the command line says, for each of some dataclasses: only the fields that stand there.

    `presets` are settings by name, of which the field `preset` chooses; the help shows them.
    """
    parser = make_parser(configs, page, name, presets)
    words = sys.argv[1:] if words is None else words
    read_words = vars(parser.parse_intermixed_args(_with_bare_options(configs, words)))
    found = []
    for config in configs:
        mine = {}
        for item in fields(config):
            if item.name in read_words:
                mine[item.name] = _value(item, read_words[item.name])
        found.append(mine)
    return found


def verify(settings: Any) -> None:
    """Refuse values outside the limits of their fields."""
    for item in fields(settings):
        about: Option | None = item.metadata.get("option")
        value = getattr(settings, item.name)
        if about is None or value is None:
            continue
        for each in value if isinstance(value, tuple) else (value,):
            _verify_value(item.name, about, each)


def _verify_value(name: str, about: Option, value: Any) -> None:
    if about.choices and value not in about.choices:
        raise ValueError(
            f"there is no {name} {value!r}: choose from {', '.join(filter(None, about.choices))}"
        )
    limits = []
    if about.low is not None and not value >= about.low:
        limits.append(f"{about.low:g} or more")
    if about.above is not None and not value > about.above:
        limits.append(f"more than {about.above:g}")
    if about.high is not None and not value <= about.high:
        limits.append(f"{about.high:g} or less")
    if limits:
        raise ValueError(f"{_flag(name)} is {value}: it must be {' and '.join(limits)}")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the pages that it stands below."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32, width=110)


class _Parser(argparse.ArgumentParser):
    """Refuses with an exception, in a sentence."""

    def error(self, message: str) -> Any:
        message = message.removeprefix("argument ").replace("unrecognized arguments:", "there is no option")
        raise UsageError(f"{message}: see --help")


def make_parser(
    configs: Sequence[type], page: str | None, name: str = "", presets: Presets | None = None
) -> argparse.ArgumentParser:
    """The parser of a command line; defaults stand in the help alone, so that one knows what was given."""
    usage = [f"python experiments/{script_name()}", name]
    parser = _Parser(prog=script_name(), description=page, formatter_class=_Formatter)
    place: argparse._ActionsContainer = parser
    hidden: list[str] = []
    usual: Mapping[str, Any] = {}  # what the default preset sets
    if presets:
        usual = presets[configs[0].preset]  # type: ignore[attr-defined]
        parser.epilog = "presets:\n" + "\n".join(
            f"  {title:<10} {' '.join(f'{_flag(key)} {_words(value)}' for key, value in chosen.items())}"
            for title, chosen in presets.items()
        )
    for config in configs:
        hints = get_type_hints(config)
        for item in fields(config):
            about: Option = item.metadata["option"]
            kind, many = field_kind(hints[item.name])
            if about.group:
                place = parser.add_argument_group(about.group)
            if about.positional:
                usage.append(f"[{about.metavar or item.name.upper()}{' ...' if many else ''}]")
            elif about.old_position:
                hidden.append(item.name)
            _add(parser, place, item, kind, many, usual.get(item.name, item.default))
    for field_name in hidden:
        parser.add_argument(
            field_name, nargs="?", type=str, default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    parser.usage = " ".join(filter(None, [*usage, "[OPTIONS]"]))
    return parser


def _add(
    parser: argparse.ArgumentParser,
    place: argparse._ActionsContainer,
    item: Field[Any],
    kind: type,
    many: bool,
    default: Any,
) -> None:
    """One field, and its old spellings."""
    about: Option = item.metadata["option"]
    shared: dict[str, Any] = {"default": argparse.SUPPRESS}
    if kind is bool:
        shared["action"] = argparse.BooleanOptionalAction
    else:
        shared["type"] = _reader(kind)
        names = {int: "N", float: "X", Path: "PATH"}
        usual = item.name.upper() if about.positional else names.get(kind, "TEXT")
        shared["metavar"] = about.metavar or "|".join(about.choices) or usual
        if about.count:
            shared["nargs"] = about.count
        elif many or about.joined:
            shared["nargs"] = "*" if about.positional else "+"
            if not about.positional:
                shared["action"] = "extend"  # `--log A --log B` and `--log A B` are the same
        elif about.const is not None:
            shared |= {"nargs": "?", "const": about.const}
    if default is MISSING:
        raise TypeError(f"{item.name} has no default: every option has one")
    shown = shown_default(about, default) if default == item.default else _words(default)
    text = f"{about.help} (default: {shown})".replace("%", "%%")
    if about.positional:
        if not many:
            shared |= {"nargs": "?", "type": str}  # argparse reads the missing one's default by its type, too
        place.add_argument(item.name, help=text, **shared)
    else:
        place.add_argument(_flag(item.name), help=text, **shared)
    for spelling in about.old:
        parser.add_argument(spelling, dest=item.name, help=argparse.SUPPRESS, **shared)


def shown_default(about: Option, default: Any) -> str:
    """The default of a field in words."""
    return about.shown if about.shown is not None else _words(default)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def field_kind(hint: Any) -> tuple[type, bool]:
    """The plain type of a field, and whether it holds several."""
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is tuple:
        return get_args(hint)[0], True
    return hint, False


def _reader(kind: type) -> Any:
    """Reads one value, with a refusal that names what is wanted."""
    wanted = {int: "a whole number", float: "a number"}

    def convert(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted.get(kind, kind.__name__)}") from None

    return convert


def _value(item: Field[Any], value: Any) -> Any:
    """What argparse read, as the field holds it."""
    about: Option = item.metadata["option"]
    if about.joined:
        return " ".join(value)
    if isinstance(value, list):
        return tuple(value)
    if isinstance(item.default, Path) and isinstance(value, str):  # without its name
        return Path(value)
    return value


def _words(value: Any) -> str:
    """A value as one would type it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple) and value:
        return " ".join(map(str, value))
    return str(value) if value not in (None, "", ()) else "none"


def _with_bare_options(configs: Sequence[type], words: Sequence[str]) -> list[str]:
    """The words, with a value for options that once were flags."""
    bare = {_flag(item.name): item.metadata["option"].bare for config in configs for item in fields(config)}
    found = []
    for number, word in enumerate(words):
        alone = number + 1 == len(words) or words[number + 1].startswith("-")
        found.append(f"{word}={bare[word]}" if alone and bare.get(word) is not None else word)
    return found
