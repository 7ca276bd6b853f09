"""Feedback on a log: what a player's decisions cost, worst first; of a named player a whole profile.

    python experiments/analyze_log.py games.db --out runs/ann --player ann
    python experiments/analyze_log.py games.db --more week2.jsonl.gz --out runs/ann --player ann
    python experiments/analyze_log.py games.db --out runs/all --agent pimc:rollouts=500

Every decision is ranked by the agent as `agents.positions.ranking.rank` does it; by default that is the one
which reviews live games. The report (`report.md`, `report.png`, `decisions.jsonl` with every figure) lists
the decisions and the hands that cost most, and what they cost by turn.

With --player it is a profile (also `profile.png` and `profile.json`): results plain and with luck taken out,
fouls, fantasyland, royalties, costs by turn, seat, situation and kind of decision, strengths and weaknesses,
lost hands, change over time, and what the opponents found hard in these games. Values are the agent's own:
points, with fantasyland if it counts that. Every hand is judged by its own rules, with an agent made for
them; one that was trained for others is refused.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from experiments.common.command_line import picture, run, write_json
from experiments.common.options import SAMPLE, option, read, values_option
from experiments.logs.lines import LineError
from experiments.logs.sources import count_lines, logged_hands
from experiments.people.decisions import Judges, Review, review_hands
from experiments.people.profile import Profile, make_profile
from experiments.people.report import decision_dict, plot, plot_profile, report_text
from ofc_env.files import new_folder


def review(
    log: Path,
    agent: str | None = None,
    *,
    more: tuple[Path, ...] = (),
    player: str | None = None,
    hands: int | None = None,
    worlds: int = 32,
    fantasyland_values: tuple[float, ...] | None = None,
    progress: bool = True,
) -> Review:
    """Rank every decision of the player.

    Args:
        log: a database or its JSONL export.
        agent: the judge by name, made for each of the rules that the log holds; None: who reviews live games.
        more: further logs.
        player: whose decisions; everybody's if None.
        hands: at most so many hands; all if None.
        worlds: deals for each placement, if the agent has to play on to know what it is worth.
        fantasyland_values: of 14 to 17 cards, for rules under which nobody has measured them.
    """
    logs, result = (log, *more), Review(player, agent or "")
    turns = None if hands is not None else count_lines(logs)

    def refuse(_: Path, number: int, error: LineError) -> None:
        result.refused.append(f"line {number}: {error}")

    review_hands(
        logged_hands(logs, refuse),
        Judges(agent, fantasyland_values),
        lambda turn: player in (None, turn.player),
        result,
        most=hands,
        worlds=worlds,
        total=hands if turns is None else turns // 10,
        progress=progress,
    )
    return result


@dataclass(frozen=True)
class Config:
    """What is reviewed, and by whom."""

    log: Path = option(
        SAMPLE,
        "a log database, or JSONL of experiments/export_logs.py, plain or .gz",
        positional=True,
        shown="the shipped sample, some 3,000 hands of alphazero",
    )
    out: Path = option(
        Path("runs/review"),
        "folder for the report; replaced if it is there",
        metavar="FOLDER",
        old=("--output",),
        old_position=True,
    )
    more: tuple[Path, ...] = option(
        (), "further logs; a hand that stands in several counts once", metavar="FILE"
    )
    player: str | None = option(
        None, "whose profile; nobody's: decisions alone", metavar="NAME", shown="decisions of everybody"
    )
    agent: str | None = option(
        None,
        "the judge, an agent by name; a stronger one finds more, and takes longer",
        metavar="NAME",
        shown="who reviews live games, alphazero:sims=500 if it is there",
    )
    hands: int | None = option(
        None, "look at so many hands at most, of a player the last", shown="all of them", low=1
    )
    worst: int = option(20, "decisions and hands shown in the report", low=0)
    worlds: int = option(
        32, "deals a placement, if the agent does not rank by itself; more make costs surer", low=1
    )
    fantasyland_values: tuple[float, ...] | None = values_option()


def write_review(config: Config) -> None:
    """Review, write the report and say where it is."""
    profile: Profile | None = None
    if config.player is None:
        result = review(
            config.log,
            config.agent,
            more=config.more,
            hands=config.hands,
            worlds=config.worlds,
            fantasyland_values=config.fantasyland_values,
        )
    else:
        profile = make_profile(
            (config.log, *config.more),
            config.player,
            agent=config.agent,
            hands=config.hands,
            worlds=config.worlds,
            fantasyland_values=config.fantasyland_values,
        )
        result = profile.review
    if not result.differences:
        whose = f"of {config.player!r} " if config.player else ""
        why = "check the player's name" if config.player else "give one with finished hands"
        if result.refused:
            why = f"lines or hands were left out ({len(result.refused)}), the first: {result.refused[0]}"
        raise ValueError(f"there are no decisions {whose}in {config.log}: {why}")
    with new_folder(config.out, overwrite=True) as folder:
        drawn = write_report(result, profile, folder, config.out, config.worst)
    total = sum(each.cost for each in result.differences)
    print(
        f"{config.out / 'report.md'}: {len(result.differences)} decisions, {total:.1f} points lost; {drawn}"
    )
    if result.refused:
        print(f"lines or hands left out: {len(result.refused)}; the report says why")


def write_report(result: Review, profile: Profile | None, folder: Path, shown: Path, worst: int) -> str:
    """All files of a report; `shown` is the folder's later name. Where the picture is."""
    (folder / "report.md").write_text(report_text(result, worst, profile))
    entries = [json.dumps(decision_dict(each)) for each in result.differences]
    (folder / "decisions.jsonl").write_text("\n".join(entries) + "\n")
    if profile is not None:
        write_json(folder / "profile.json", profile.to_dict())
        picture(lambda: plot_profile(profile, folder / "profile.png"), shown / "profile.png")
    return picture(lambda: plot(result, folder / "report.png"), shown / "report.png")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: write_review(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
