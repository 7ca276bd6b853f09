"""The steps of `experiments/champion.py`, in order: what each runs, and what it hands to those that follow.

`STEPS` at the end is the recipe, and the one place to change it. A step is a command of this repository with
options for three lengths; what goes from step to step (network, labels, fantasyland values) is added here.
"""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from agents.levels import LEVELS
from agents.networks.files import read_weights
from experiments.recipe.verdict import Played, matches_of
from experiments.selfplay.config import RUNS
from ofc_env import Rules

LENGTHS = ("whole", "minutes", "seconds")
ROUNDING = 0.05  # points: values of fantasyland stand with one digit in the core's table


@dataclass(frozen=True)
class Made:
    """What a run has made so far."""

    name: str
    folder: Path
    rules: str
    seed: int
    before: Path | None  # the champion before; None where no network was shipped for the rules
    network: str | None  # the newest: the one of --init at first
    began: str | None = None  # what the newest self-play began with; None from nothing
    played: str = ""  # the folder of its decisions
    labels: tuple[str, ...] = ()
    values: tuple[float, ...] | None = None  # of fantasyland, where they are not those of the core's table
    matches: tuple[Played, ...] = ()

    @property
    def rival(self) -> str:
        """Whom the new champion must beat, without its simulations."""
        return "heuristic" if self.before is None else f"alphazero:checkpoint={self.before}"

    def values_words(self) -> list[str]:
        """The option of most scripts, where there are such values."""
        return [] if self.values is None else ["--fantasyland-values", *map(str, self.values)]


@dataclass(frozen=True)
class Step:
    """A command; the options are those of its script, as one would type them."""

    name: str  # of its folder
    whole: str  # options of the real run
    minutes: str  # of a rehearsal of ten minutes
    seconds: str  # of the smallest that runs

    script: ClassVar[str]
    on_ray: ClassVar[bool] = False  # whether it can use Ray's workers
    alone: ClassVar[bool] = False  # whether it has no use for several processes

    def folder(self, made: Made) -> Path:
        """Where its results are."""
        return made.folder / self.name

    def left_out(self, made: Made) -> str:
        """Why there is nothing to do; empty if there is."""
        return ""

    def words(self, made: Made, seed: int, length: str) -> list[str]:
        """Its options, but for the number of processes."""
        rules = ["--rules", made.rules] if made.rules else []
        options = shlex.split(getattr(self, length))
        return [*self.wiring(made), *rules, "--seed", str(seed), *options]

    def wiring(self, made: Made) -> list[str]:
        """The options that hang on what was made before."""
        raise NotImplementedError

    def resuming(self, made: Made, words: list[str]) -> list[str]:
        """The options that go on with it after a stop."""
        return [*words, "--resume"]

    def ended(self, made: Made) -> tuple[Made, str]:
        """What there is now, read from the step's files, and its result in a sentence."""
        raise NotImplementedError


@dataclass(frozen=True)
class SelfPlay(Step):
    """Self-play that goes on from the newest network, with the labels and values that there are."""

    only_for_values: bool = False  # left out unless fantasyland is worth something else now
    continued: str = ""  # options of the real run where there is a network to begin with

    script = "alphazero"
    on_ray = True

    def words(self, made: Made, seed: int, length: str) -> list[str]:
        """A network that knows the game wants fewer rounds, and none without it."""
        if self.continued and made.network and length == "whole":
            return replace(self, whole=self.continued, continued="").words(made, seed, length)
        return super().words(made, seed, length)

    def _run(self, made: Made) -> str:
        return f"{made.name}-{self.name}"

    def folder(self, made: Made) -> Path:
        """A run of alphazero.py, among the others."""
        return RUNS / self._run(made)

    def left_out(self, made: Made) -> str:
        """Self-play for new values is, where they are the old ones."""
        if self.only_for_values and made.values is None:
            return "fantasyland is worth what the core's table says"
        return ""

    def wiring(self, made: Made) -> list[str]:
        """Network, labels and reward."""
        words = ["--name", self._run(made)]
        if made.network:
            words += ["--init", made.network]
        if made.labels:
            words += ["--labels", *made.labels]
        if made.values:
            words += ["--reward", f"equity fantasyland_values={','.join(map(str, made.values))}"]
        return words

    def resuming(self, made: Made, words: list[str]) -> list[str]:
        """By its name; a run that was stopped before it wrote its settings begins again."""
        folder = self.folder(made)
        if (folder / "config.json").is_file():
            return ["--resume", self._run(made)]
        shutil.rmtree(folder, ignore_errors=True)
        return words

    def ended(self, made: Made) -> tuple[Made, str]:
        """Its champion is the newest network."""
        curve = json.loads((self.folder(made) / "curve.json").read_text())
        champion = self.folder(made) / "champion.safetensors"
        match = curve["matches"][-1]
        result = (
            f"{curve['hands']:,} hands, {len(curve['curve'])} rounds; {' v '.join(match['agents'])}: "
            f"{match['equity']:+.2f} ± {match['margin']:.2f}"
        )
        played = str(self.folder(made) / "replay")
        return replace(made, network=str(champion), began=made.network, played=played), result


@dataclass(frozen=True)
class Learning(Step):
    """What the newest self-play began with learns all its decisions, and the labels, at a rate that falls."""

    script = "alphazero"
    alone = True

    def _file(self, made: Made) -> Path:
        return self.folder(made) / "network.safetensors"

    def words(self, made: Made, seed: int, length: str) -> list[str]:
        """A command of the script of self-play."""
        return ["train", *super().words(made, seed, length)]

    def wiring(self, made: Made) -> list[str]:
        """From nothing there is only the run's own champion to begin with."""
        first = made.began or str(made.network)
        labels = ["--labels", *made.labels] if made.labels else []
        return ["--data", made.played, "--init", first, *labels, "--out", str(self._file(made))]

    def resuming(self, made: Made, words: list[str]) -> list[str]:
        """The same once more: it takes minutes."""
        return words

    def ended(self, made: Made) -> tuple[Made, str]:
        """Its network is the newest."""
        notes = read_weights(self._file(made)).notes
        return replace(made, network=str(self._file(made))), f"{notes['steps']} steps"


@dataclass(frozen=True)
class Labels(Step):
    """The referee judges every placement of fresh positions that the newest network has played to."""

    script = "regret"

    def wiring(self, made: Made) -> list[str]:
        """The network plays the positions, decides, and plays placements on."""
        network = f"alphazero:checkpoint={made.network}"
        agent = f"alphazero:sims=0,checkpoint={made.network}"
        out = ["--out", str(self.folder(made))]
        return ["--agent", agent, "--judge", network, *made.values_words(), *out]

    def ended(self, made: Made) -> tuple[Made, str]:
        """More labels."""
        report = json.loads((self.folder(made) / "regret.json").read_text())
        hand = [line for line in report["losses"] if line["name"] == "a hand"]
        result = f"{report['config']['decisions']} decisions"
        if hand:
            low, high = hand[0]["at_least"], hand[0]["at_most"]
            result += f"; the network loses {_text(low)} to {_text(high)} a hand"
        return replace(made, labels=(*made.labels, str(self.folder(made) / "decisions.jsonl"))), result


@dataclass(frozen=True)
class FantasylandValues(Step):
    """What fantasyland is worth against the newest network."""

    script = "fantasyland_value"

    def left_out(self, made: Made) -> str:
        """There may be no fantasyland."""
        return "" if Rules.parse(made.rules).widths else "nobody wins a fantasyland by these rules"

    def _file(self, made: Made) -> Path:
        return self.folder(made) / "fantasyland_value.json"

    def wiring(self, made: Made) -> list[str]:
        """The normal player is the network alone."""
        return ["--agent", f"alphazero:sims=0,checkpoint={made.network}", "--out", str(self._file(made))]

    def ended(self, made: Made) -> tuple[Made, str]:
        """New values where one is beyond its interval; labels were judged by the old ones and end here."""
        lines = json.loads(self._file(made).read_text())["widths"]
        found = {line["cards"]: (line["value"], line["margin"]) for line in lines}
        table = Rules.parse(made.rules).fantasyland_values or (0.0,) * 4
        text = ", ".join(
            f"{cards} cards {value:.2f} ± {margin:.2f}" for cards, (value, margin) in found.items()
        )
        known = dict(zip((14, 15, 16, 17), table, strict=True))
        if all(abs(value - known[cards]) <= margin + ROUNDING for cards, (value, margin) in found.items()):
            return made, f"{text}: as the core's table says"
        values = tuple(round(found[cards][0], 1) if cards in found else 0.0 for cards in known)
        return replace(made, values=values, labels=()), f"{text}: not as the core's table says"


@dataclass(frozen=True)
class Match(Step):
    """The newest network against the champion before and others, with the luck taken out."""

    sims: int = 0
    others: tuple[str, ...] = ()  # who plays in the same league

    script = "benchmark"

    def wiring(self, made: Made) -> list[str]:
        """The champion before judges luck: another judge leaves more noise, the same mean."""
        challenger = f"alphazero:sims={self.sims},checkpoint={made.network}"
        rival = made.rival.replace("alphazero:", f"alphazero:sims={self.sims},")
        names = dict.fromkeys((challenger, rival, *self.others))
        judge = ["--judge", str(made.before or made.network)]
        return ["--agents", *names, *judge, *made.values_words(), "--out", str(self.folder(made))]

    def ended(self, made: Made) -> tuple[Made, str]:
        """A league of everybody; its first match decides."""
        matches = matches_of(json.loads((self.folder(made) / "benchmark.json").read_text()), made.network)
        return replace(made, matches=(*made.matches, *matches)), "; ".join(each.text() for each in matches)


@dataclass(frozen=True)
class Levels(Step):
    """The levels of live play, with the newest network where a champion plays."""

    script = "calibrate_levels"

    def wiring(self, made: Made) -> list[str]:
        """A level whose best agent is alphazero is measured with the new network."""
        ladder = [
            f"{best[0]},checkpoint={made.network}" if best[0].startswith("alphazero:") else level
            for level, best in LEVELS.items()
        ]
        return ["--ladder", *ladder, "--out", str(self.folder(made))]

    def words(self, made: Made, seed: int, length: str) -> list[str]:
        """Luck is judged by the champion that is shipped, if one is."""
        plain = ["--adjust", "0"] if made.before is None else []
        return [*super().words(made, seed, length), *plain]

    def ended(self, made: Made) -> tuple[Made, str]:
        """What the script complains of."""
        report = json.loads((self.folder(made) / "levels.json").read_text())
        wrong = [text.replace(f",checkpoint={made.network}", "") for text in report["complaints"]]
        return made, "; ".join(wrong) or "every step is wide enough"


def _text(estimate: dict[str, Any]) -> str:
    return "-" if estimate["mean"] is None else f"{estimate['mean']:+.2f}"


# ---------------------------------------------------------------- the recipe

_TINY_TRAINING = (
    "--iterations 2 --hands 20 --chunk 10 --warmup 0 --hidden 64 --candidates 2 --simulations 4 --batch 64 "
    "--least-steps 2 --passes 1 --gate-deals 2 --evaluate-every 2 --evaluation-deals 2 --opponents heuristic "
    "--final-deals 2 --final-sims 4 --final-opponents heuristic"
)
_CONTINUED = "--preset champion --bootstrap 0 --warmup 0 --learning-rate 1e-3"
_SHORT_ENDING = (
    "--gate-deals 100 --evaluation-deals 50 --opponents heuristic --final-deals 100 --final-sims 50 "
    "--final-opponents heuristic"
)

STEPS: tuple[Step, ...] = (
    SelfPlay(
        "selfplay",
        whole="--preset champion",
        continued=f"--iterations 40 {_CONTINUED}",
        minutes=f"--minutes 4 --hands 1000 {_SHORT_ENDING}",
        seconds=_TINY_TRAINING,
    ),
    Learning(
        "learned",
        whole="--steps 2500 --learning-rate 1e-3",
        minutes="--steps 100 --learning-rate 1e-3",
        seconds="--steps 30",
    ),
    # A position of this network has a joker in hand as often as possible, where the rules have jokers.
    Labels(
        "labels",
        whole="--decisions 3000 --jokers 0.4 --worlds 512 --fresh 256",
        minutes="--decisions 64 --jokers 0.4 --worlds 512 --fresh 256",
        seconds="--decisions 8 --worlds 4 --block 2 --fresh 2",
    ),
    # Heavier labels are learned by heart: docs/campaign.md, "What was tried".
    Learning(
        "labelled",
        whole="--steps 2500 --learning-rate 1e-3 --label-weight 0.02",
        minutes="--steps 100 --learning-rate 1e-3 --label-weight 0.02",
        seconds="--steps 30 --label-weight 0.02",
    ),
    FantasylandValues(
        "values",
        whole="--hands 5000 --both 2000",
        minutes="--hands 200 --both 200 --boards 8",
        seconds="--hands 50 --both 50 --boards 1",
    ),
    SelfPlay(
        "valued",
        whole=f"--iterations 20 {_CONTINUED}",
        minutes=f"--minutes 1 --hands 1000 {_SHORT_ENDING}",
        seconds=_TINY_TRAINING,
        only_for_values=True,
    ),
    Match(
        "networks",
        whole="--deals 3000 --adjust 24",
        minutes="--deals 200 --adjust 24",
        seconds="--deals 2 --adjust 2",
        sims=0,
        others=("heuristic",),
    ),
    Match(
        "search",
        whole="--deals 3000 --adjust 24",
        minutes="--deals 100 --adjust 24",
        seconds="--deals 2 --adjust 2",
        sims=200,
    ),
    Levels(
        "levels",
        whole="",
        minutes="--deals 100 --search-deals 8 --plain-deals 500",
        seconds="--deals 2 --search-deals 2 --plain-deals 2 --adjust 2",
    ),
)
