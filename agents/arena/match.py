"""Matches between any two agents: duplicate deals, paired samples, 95 % intervals.

    result = play_match("pimc", "heuristic", deals=500, processes=2)
    print(result.text())

Every deal is played twice with the agents swapped, and the pair is one sample. The deals follow from the
seed alone, so the result does not depend on the number of processes, on interruptions or on the order of
finishing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from agents.arena import tables
from agents.arena.estimates import Estimate
from agents.arena.log import MatchLog
from agents.arena.luck import Adjusting, LuckMeter
from agents.arena.price import Price, measure
from agents.arena.progress import Progress
from agents.arena.results import MatchResult, SessionResult
from agents.arena.store import MatchStore, begun_match
from agents.arena.tables import Arrays
from agents.arena.workers import AgentSource, Players, play_chunks
from agents.base import Agent
from agents.players.alphazero import shipped_champion
from agents.randomness import seed_of
from agents.rewards import equity
from agents.turns import needs_true_hand
from ofc_env import RewardConfig, Rules

_SAMPLE_STREAM = 16  # seeds of deals that are played to see what a match costs

__all__ = ["Adjusting", "MatchResult", "MatchSettings", "SessionResult", "play_match", "play_sessions"]


@dataclass(frozen=True)
class MatchSettings:
    """How matches are played; who plays and how long is said at the call."""

    seed: int = 0  # fixes every deal
    processes: int = 1  # 1 plays in this process
    chunk: int | None = None  # deals in flight at once in each process; None: 32, fewer in short matches
    rules: Rules = Rules()  # of the hands, and of agents that are made by name
    fantasyland_values: tuple[float, ...] | None = None  # for rules under which nobody has measured them
    # What equity is; None: points and fantasyland values. Of sessions: what they are paid by, beside chips.
    reward: RewardConfig | None = None
    adjust: Adjusting | None = None  # take luck out, beside the plain result; None: plain alone
    # Play on until the 95 % interval of equity, or chips of sessions, is ± so much, less luck where that is
    # judged; the deals asked for are the fewest, and tell how many it takes. None: those deals, no more.
    width: float | None = None
    allow_open: bool = False  # let agents play that look at the true deck; the result is marked
    progress: bool = True  # say how far it is, from two seconds on
    log: Path | str | None = None  # a log database that keeps every game of the match


def play_match(
    first: str | Agent,
    second: str | Agent,
    deals: int = 1000,
    settings: MatchSettings | None = None,
    store: Path | str | None = None,
    resume: bool = False,
) -> MatchResult:
    """Play single hands, each deck twice with the agents swapped.

    Args:
        first: agent 0, by name or as an object; results are from its side.
        second: agent 1.
        deals: number of decks; twice as many hands are played. The fewest with `settings.width`.
        settings: seed, processes and so on; the defaults if None.
        store: a file for the results of finished deals.
        resume: go on with the match in `store`, if there is one; also to play more deals of it.
    """
    settings = decided(settings or MatchSettings(), "hands", [(first, second)], [store] if resume else [])
    reward = settings.reward or equity(settings.rules, settings.fantasyland_values)
    play = partial(_play_hands, settings=settings, reward=reward)
    names, open_cards, arrays = _play(
        (first, second), "hands", deals, settings, play, {"reward": str(reward)}, store, resume, _hands_worth
    )
    return MatchResult.from_arrays(names, settings.seed, arrays, open_cards)


def _hands_worth(arrays: Arrays) -> Estimate:
    """What the width of a match of hands is about."""
    return MatchResult.from_arrays(("", ""), 0, arrays).worth


def play_sessions(
    first: str | Agent,
    second: str | Agent,
    sessions: int = 100,
    settings: MatchSettings | None = None,
    store: Path | str | None = None,
    resume: bool = False,
) -> SessionResult:
    """Play whole sessions with chips and fantasyland, each seed twice with the agents swapped.

    Fantasyland hands are set by the solver for both agents: for themselves alone, or against likely boards
    for one that is named with `fantasyland_boards=N`. Arguments as in `play_match`.
    """
    settings = decided(settings or MatchSettings(), "sessions", [(first, second)], [store] if resume else [])
    # Luck is judged in points, which is what chips are counted in.
    luck_reward = equity(settings.rules, settings.fantasyland_values) if settings.adjust else None
    play = partial(_play_sessions, settings=settings, luck_reward=luck_reward)
    paid_by = {} if settings.reward is None else {"reward": str(settings.reward)}
    worth = partial(_sessions_worth, start_chips=settings.rules.chips)
    names, open_cards, arrays = _play(
        (first, second), "sessions", sessions, settings, play, paid_by, store, resume, worth
    )
    return SessionResult.from_arrays(names, settings.seed, arrays, settings.rules.chips, open_cards)


def _sessions_worth(arrays: Arrays, start_chips: int) -> Estimate:
    """What the width of a match of sessions is about."""
    return SessionResult.from_arrays(("", ""), 0, arrays, start_chips).worth


def decided(
    settings: MatchSettings,
    kind: str,
    pairs: Sequence[tuple[str | Agent, str | Agent]],
    stores: Sequence[Path | str | None] = (),
) -> MatchSettings:
    """The settings with luck to be judged or not, where that is left to the arena (`Adjusting.always`).

    A match in `stores` that was begun stays as it is. Else some deals of each pair tell what is cheaper,
    deals of their own, so that the choice knows nothing of the results. It hangs on the machine, so it is the
    same for all pairs, is said, and stands in the matches' files.
    """
    adjust = settings.adjust
    if adjust is None or adjust.always:
        return settings
    begun = [match for match in map(begun_match, stores) if match is not None]
    if begun:
        judged = "adjust" in begun[0]
    else:
        judged, sentence = _worth_judging(adjust, settings, kind, pairs)
        if settings.progress:
            print(sentence, file=sys.stderr, flush=True)
    return replace(settings, adjust=replace(adjust, always=True) if judged else None)


def _worth_judging(
    adjust: Adjusting,
    settings: MatchSettings,
    kind: str,
    pairs: Sequence[tuple[str | Agent, str | Agent]],
) -> tuple[bool, str]:
    """Whether judging luck is cheaper than more deals, and a sentence that says why."""
    if adjust.judge is None and shipped_champion(settings.rules) is None:
        return False, f"luck is not judged: no network is shipped for the rules {settings.rules.name!r}"
    reward = settings.reward or equity(settings.rules, settings.fantasyland_values)
    seed = seed_of(settings.seed, _SAMPLE_STREAM)
    prices = []
    for pair in pairs:
        sources = AgentSource.of_two(*pair, settings.rules, settings.fantasyland_values)
        players = (sources[0].build(), sources[1].build())
        if any(needs_true_hand(player) for player in players):
            return False, "luck is not judged: an agent sees the deck and plays by it"
        prices.append(measure(adjust, kind, players, seed, settings.rules, reward))
    price = Price.together(prices)
    return price.pays, price.sentence()


def _play_hands(
    players: Players,
    first: int,
    count: int,
    report: Callable[[float], None],
    settings: MatchSettings,
    reward: RewardConfig,
    log: MatchLog | None,
) -> Arrays:
    keep, meter = log.write if log else None, _meter(settings, reward)
    seed, rules = settings.seed, settings.rules
    return tables.play_hands(players, seed, first, count, rules, reward, report, keep, meter)


def _play_sessions(
    players: Players,
    first: int,
    count: int,
    report: Callable[[float], None],
    settings: MatchSettings,
    luck_reward: RewardConfig | None,
    log: MatchLog | None,
) -> Arrays:
    keep, meter = log.write if log else None, _meter(settings, luck_reward)
    seed, rules, reward = settings.seed, settings.rules, settings.reward
    return tables.play_sessions(players, seed, first, count, rules, reward, report, keep, meter)


def _meter(settings: MatchSettings, reward: RewardConfig | None) -> LuckMeter | None:
    if settings.adjust is None or reward is None:
        return None
    return settings.adjust.meter(settings.seed, settings.rules, reward)


def _play(
    contestants: tuple[str | Agent, str | Agent],
    kind: str,
    deals: int,
    settings: MatchSettings,
    play: Callable[..., Arrays],
    identity: dict[str, Any],
    store: Path | str | None,
    resume: bool,
    worth: Callable[[Arrays], Estimate],
) -> tuple[tuple[str, str], bool, Arrays]:
    """Play what is not in the store yet; the names, whether an agent saw the deck, and all arrays."""
    if deals < 1:
        raise ValueError(f"a match of {deals} {kind} has no result: play 1 or more")
    verify_width(settings.width, deals)
    if settings.chunk is not None and settings.chunk < 1:
        raise ValueError(f"a chunk of {settings.chunk} deals cannot be played: use 1 or more")
    if settings.seed < 0:
        raise ValueError(f"{settings.seed} cannot be a seed: use 0 or more")
    sources = AgentSource.of_two(*contestants, settings.rules, settings.fantasyland_values)
    names = (sources[0].name, sources[1].name)
    players = (sources[0].build(), sources[1].build())
    open_cards = verify_rankable(players, names, settings.allow_open)
    identity = {
        "kind": kind,
        "agents": list(names),
        "seed": settings.seed,
        "rules": str(settings.rules),
        "open_cards": open_cards,
        **identity,
    }
    if settings.adjust is not None:
        if open_cards:
            raise ValueError(
                "luck is not taken out of a match in which an agent sees the deck: it plays by it"
            )
        identity["adjust"] = settings.adjust.identity(settings.rules)
    if settings.fantasyland_values is not None:
        identity["fantasyland_values"] = list(settings.fantasyland_values)
    log = None
    if settings.log is not None:
        log = MatchLog(Path(settings.log), names, kind, settings.seed, settings.rules, resume)
        log.verify_new()
    results = MatchStore(identity, Path(store) if store is not None else None, resume)
    try:
        while True:
            chunk = settings.chunk or min(32, math.ceil(deals / 16))
            chunks = results.missing(deals, chunk)
            done = deals - sum(count for _, count in chunks)
            title = f"{names[0]} v {names[1]}"
            with Progress(title, deals, done, "deals", settings.progress) as bar:
                play_chunks(
                    partial(play, log=log),
                    sources,
                    chunks,
                    settings.processes,
                    results.add,
                    bar.advance,
                    players,
                )
            arrays = results.arrays(deals)
            wanted = deals if settings.width is None else worth(arrays).samples_for(settings.width)
            if wanted <= deals:
                return names, open_cards, arrays
            deals = wanted
    finally:
        results.close()


def verify_width(width: float | None, deals: int) -> None:
    """Refuse a width that no number of deals has, or too few deals to tell how many have it."""
    if width is None:
        return
    if not width > 0:
        raise ValueError(f"no match has an interval of ± {width}: give a width above 0")
    if deals < 2:
        raise ValueError(f"the spread of {deals} deals is not known: begin with 2 or more for a width")


def verify_rankable(players: Players, names: tuple[str, str], allow_open: bool) -> bool:
    """Refuse agents that look at the true deck, unless that is allowed; whether one of them does."""
    for player, name in zip(players, names, strict=True):
        if not needs_true_hand(player):
            continue
        if not allow_open:
            raise ValueError(
                f"{name} looks at the true deck and cannot be ranked: "
                "leave it out, or allow it (allow_open) for a comparison that is marked as such"
            )
        if not hasattr(player, "act_open"):
            raise ValueError(f"{name} needs the true hand but has no act_open(hand): give it one")
    return any(needs_true_hand(player) for player in players)
