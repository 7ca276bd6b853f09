"""Puts the static site together: page, core, networks, and what makes an app of them."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from agents import levels
from agents.networks.files import describe
from agents.players.alphazero import CHAMPION, WEIGHTS, learned_reward
from agents.review.calibration import calibration_of
from agents.review.judge import digest_of
from agents.review.rating import LEVEL_LOSS
from agents.review.report import VERSION
from ofc_env import Rules
from ofc_env.records.drills import MOST_MISTAKES
from server.play.seats import LONGEST_NAME
from server.settings import CLOCKS, Settings
from server.site.core import ROOT, compile_core
from server.thinking.reviews import MOST_RATED
from server.thinking.thinker import SEARCH_SECONDS

PAGE = ROOT / "server" / "web" / "static"
OWN = Path(__file__).parent / "page"
ENGINE = "static/js/engine"
WORKER = "service_worker.js"
OPENINGS = ROOT / "data" / "openings.bin"
HEAD = """  <link rel="manifest" href="./manifest.webmanifest">
  <link rel="stylesheet" href="./static/css/site.css">
  <script src="./static/js/hindrance.js"></script>
  <script type="module" src="./static/js/site.js"></script>
</head>"""


def build_site(folder: Path, settings: Settings | None = None) -> None:
    """Write the site into a folder, in place of what was there.

    Args:
        folder: it is made.
        settings: of a server whose pauses its tables make; the usual ones if None.
    """
    wasm = compile_core()
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(PAGE, folder / "static", ignore=shutil.ignore_patterns("*.html"))
    for page in PAGE.glob("*.html"):
        html = _anywhere(page.read_text(encoding="utf-8")).replace("</head>", HEAD, 1)
        (folder / page.name).write_text(html, encoding="utf-8")
    for module in (folder / "static" / "js").glob("*.js"):
        module.write_text(_anywhere(module.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copytree(OWN, folder, dirs_exist_ok=True)
    shutil.copyfile(wasm, folder / ENGINE / "core.wasm")
    networks = _networks(folder / ENGINE)
    shutil.copyfile(OPENINGS, folder / ENGINE / OPENINGS.name)
    description = json.dumps(
        {
            **_levels(),
            "networks": networks,
            "most_mistakes": MOST_MISTAKES,
            "pauses": _pauses(settings or Settings()),
            "clocks": dict(CLOCKS),
            "search_seconds": SEARCH_SECONDS,
            "longest_name": LONGEST_NAME,
        }
    )
    (folder / ENGINE / "engine.json").write_text(description, encoding="utf-8")
    later = [OPENINGS.name, *(each["file"] for each in networks[1:])]
    _list_files(folder, kept_out={f"{ENGINE}/{name}" for name in later})


def _anywhere(text: str) -> str:
    """A page or module that works in any folder of a host; the server's lie at the root."""
    return re.sub(r"""(["`])/(?=static/|[a-z]+\.html|\?)|(?<=href=")/(?=")""", r"\1./", text)


def _levels() -> dict[str, Any]:
    """Who plays each level: the agents of `LEVELS` before `random`, as the server offers them."""
    table = {level: list(agents[: agents.index("random")]) for level, agents in levels.LEVELS.items()}
    return {
        "levels": table,
        "level": levels.DEFAULT_LEVEL,
        "rules": Rules().name,
        "level_loss": LEVEL_LOSS,
        "review_version": VERSION,
        "most_rated": MOST_RATED,
    }


def _pauses(settings: Settings) -> dict[str, float]:
    """Seconds."""
    return {"hand": settings.hand_pause, "rematch": settings.rematch_pause, "watch": settings.watch_pause}


def _networks(folder: Path) -> list[dict[str, Any]]:
    """Copy the shipped champions; the one of the house rules, which every visit fetches, first."""
    listed = []
    for path in (CHAMPION, *sorted(WEIGHTS.glob("alphazero-*.safetensors"))):
        shutil.copy(path, folder / path.name)
        listed.append(network_body(path))
    return listed


def network_body(path: Path) -> dict[str, Any]:
    """What the core is told of a network beside its numbers, as core.js takes it."""
    digest = digest_of(path)
    found = calibration_of(digest)
    measured = [] if found is None else [found.start, *(slope for pair in found.slopes for slope in pair)]
    return {
        "file": path.name,
        "rules": describe(path).rules.name,
        "reward": learned_reward(path),
        "digest": digest,
        "calibration": measured,
    }


def _list_files(folder: Path, kept_out: set[str]) -> None:
    """Tell the service worker what to keep; its version follows from the content of every file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    names = [path.relative_to(folder).as_posix() for path in files]
    kept = ["./", *(name for name in names if name not in kept_out | {"index.html", WORKER})]
    worker = (folder / WORKER).read_text(encoding="utf-8")
    for name, empty, value in (("VERSION", '""', digest.hexdigest()[:16]), ("FILES", "[]", kept)):
        worker = worker.replace(f"const {name} = {empty};", f"const {name} = {json.dumps(value)};", 1)
    (folder / WORKER).write_text(worker, encoding="utf-8")


def first_visit(folder: Path) -> dict[str, int]:
    """Bytes of every file that a first visit fetches, each as gzip packs it."""
    listed = re.search(r"^const FILES = (.*);$", (folder / WORKER).read_text(encoding="utf-8"), re.MULTILINE)
    names = json.loads(listed[1]) if listed else []
    paths = ["index.html" if name == "./" else name for name in (*names, WORKER)]
    return {name: len(gzip.compress((folder / name).read_bytes(), 9)) for name in paths}
