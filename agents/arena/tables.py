"""Many hands or sessions in flight between two agents, one decision of each table at a time.

Each deal is played twice: in game 0 agent 0 has the button of the first hand, in game 1 agent 1 has it, with
the same cards: a deal's seed follows from the match's and its number, whoever plays it and however the match
is cut up. All tables move in step, in the order of their deals; an agent that meets itself therefore
sees equal batches from both sides and scores exactly 0, even if its arithmetic depends on the place in a
batch.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.luck import TURNS, LuckMeter
from agents.base import Agent
from agents.randomness import seed_of
from agents.turns import choose_slots, needs_true_hand, play_turn, seat_to_act
from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, Hand, HandResult, Placement, RewardConfig, Rules, Session

Arrays = dict[str, NDArray[Any]]
GAMES = 2  # each deal is played from both sides


class HandTable:
    """One hand of a deal."""

    def __init__(self, seed: int, deal: int, game: int, rules: Rules) -> None:
        self.deal, self.game = deal, game
        self.slots: list[int] = []  # as they were played
        button = deal % 2  # both seats of the table have the button in turn
        chips = (rules.chips, rules.chips)
        self.hand = Hand(seed=seed_of(seed, deal), button=button, chips=chips, rules=rules)
        self.agents = (game, 1 - game) if button == 0 else (1 - game, game)  # by seat
        self.hand_number = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is left to play."""
        return self.hand.finished

    @property
    def progress(self) -> float:
        """How much of it is played, 0 to 1."""
        return 1.0 if self.hand.finished else self.hand.turn / 5

    def step(self, action: int) -> None:
        """Play one slot."""
        self.hand.step(action)
        self.slots.append(action)


class SessionTable:
    """One session of a deal; the solver sets fantasyland hands, when the table is asked to."""

    def __init__(self, seed: int, deal: int, game: int, rules: Rules) -> None:
        self.deal, self.game = deal, game
        self.slots: list[int] = []  # as they were played
        self.settings: list[Placement] = []  # of fantasyland hands, as they were set
        self.session = Session(seed=seed_of(seed, deal), rules=rules, auto_fantasyland=False)
        self.hand = self.session.hand
        self.agents = (game, 1 - game) if self.session.button == 0 else (1 - game, game)  # by seat
        self.hand_number = 0

    @property
    def finished(self) -> bool:
        """Whether the session is over."""
        return self.session.finished

    @property
    def progress(self) -> float:
        """1 when it is over; nobody knows how long a session lasts."""
        return float(self.session.finished)

    def step(self, action: int) -> None:
        """Play one slot; a hand that ends is settled and the next one dealt."""
        self.session.step(action)
        self.slots.append(action)
        self._follow()

    def set_fantasyland(self, players: tuple[Agent, Agent]) -> None:
        """Place the cards of a seat in fantasyland, as is done for the agent that sits there."""
        setting = play_turn(players[self.agents[seat_to_act(self.hand)]], self.hand)
        self.session.place(setting)
        self.settings.append(setting)
        self._follow()

    def _follow(self) -> None:
        self.hand = self.session.hand
        self.hand_number = self.session.hands_played


Table = HandTable | SessionTable


@dataclass
class Clock:
    """What two agents spent on choosing."""

    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    decisions: list[int] = field(default_factory=lambda: [0, 0])


def asked_one_by_one(agent: Agent) -> bool:
    """Whether an agent is asked table by table, both steps of an opening in a row, rather than in batches."""
    return remembers(agent) or needs_true_hand(agent) or type(agent).act_batch is Agent.act_batch


def remembers(agent: Agent) -> bool:
    """Whether an agent keeps something from turn to turn, so that it must play one hand at a time."""
    return bool(getattr(agent, "remembers", False))


def play_tables(
    tables: Sequence[Table],
    players: tuple[Agent, Agent],
    report: Callable[[float], None] | None = None,
    meter: LuckMeter | None = None,
) -> Clock:
    """Play all tables to their end.

    Args:
        tables: in the order of their deals.
        players: agents 0 and 1, two objects.
        report: told the share that is played, 0 to 1, after every round.
        meter: notes the luck of every deal.
    """
    clock = Clock()
    if any(remembers(player) for player in players):
        for done, table in enumerate(tables, start=1):
            _play_in_step([table], players, clock, None, meter)
            if report:
                report(done / len(tables))
    else:
        _play_in_step(tables, players, clock, report, meter)
    return clock


def _play_in_step(
    tables: Sequence[Table],
    players: tuple[Agent, Agent],
    clock: Clock,
    report: Callable[[float], None] | None,
    meter: LuckMeter | None,
) -> None:
    observations = np.zeros((len(tables), OBSERVATION_SIZE), dtype=np.float32)
    masks = np.zeros((len(tables), NUM_ACTIONS), dtype=np.int8)
    hand_number = -1
    while True:
        _set_fantasylands(tables, players, meter)
        if meter:
            meter.note(tables)
        waiting: tuple[list[Table], list[Table]] = ([], [])
        for table in tables:
            if not table.finished:
                waiting[table.agents[seat_to_act(table.hand)]].append(table)
        if not any(waiting):
            return
        if tables[0].hand_number != hand_number:  # exact for one table, which is when an agent remembers
            hand_number = tables[0].hand_number
            for player in players:
                player.reset()
        for index, (player, group) in enumerate(zip(players, waiting, strict=True)):
            if group and asked_one_by_one(player):
                _play_one_by_one(player, group, index, clock)
            elif group:
                _play_batch(player, group, index, clock, observations, masks)
        if report:
            report(sum(table.progress for table in tables) / len(tables))


def _set_fantasylands(tables: Sequence[Table], players: tuple[Agent, Agent], meter: LuckMeter | None) -> None:
    """Set the fantasyland hands of all tables, one after the other where a table has several in a row."""
    while waiting := [table for table in tables if not table.finished and table.hand.in_fantasyland]:
        if meter:
            meter.note(waiting)
        for table in waiting:
            if isinstance(table, SessionTable):
                table.set_fantasyland(players)


def _play_batch(
    player: Agent,
    tables: list[Table],
    index: int,
    clock: Clock,
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
) -> None:
    """One decision at each table, chosen together."""
    count = len(tables)
    for row, table in enumerate(tables):
        table.hand.write_observation(seat_to_act(table.hand), observations[row])
        table.hand.write_action_mask(masks[row])
    start = time.process_time()
    actions = player.act_batch(observations[:count], masks[:count])
    clock.seconds[index] += time.process_time() - start
    clock.decisions[index] += count
    if len(actions) != count:
        raise ValueError(
            f"{player!r} answered {len(actions)} slots to {count} positions: it must answer each"
        )
    for table, action in zip(tables, actions.tolist(), strict=True):
        try:
            table.step(action)
        except ValueError as refusal:
            raise ValueError(f"{player!r} chose an illegal slot: {refusal}") from refusal


def _play_one_by_one(player: Agent, tables: list[Table], index: int, clock: Clock) -> None:
    """One turn at each table in its turn; the two steps of an opening follow each other."""
    for table in tables:
        start = time.process_time()
        slots = choose_slots(player, table.hand)
        clock.seconds[index] += time.process_time() - start
        clock.decisions[index] += len(slots)
        for slot in slots:
            table.step(slot)


# ---------------------------------------------------------------- what is written down


def play_hands(
    players: tuple[Agent, Agent],
    seed: int,
    first: int,
    count: int,
    rules: Rules,
    reward: RewardConfig,
    report: Callable[[float], None] | None = None,
    keep: Callable[[Sequence[Table]], None] | None = None,
    meter: LuckMeter | None = None,
) -> Arrays:
    """Deals `first` to `first + count - 1`, each played twice.

    Args:
        keep: given the tables when all are finished.
        meter: notes luck; without it there is no array of it.

    Returns:
        points (count, 2 games): of agent 0. value, foul, fantasyland (cards won, 0 none), royalties
        (count, 2 games, 2 agents). luck (count, 2 games, 2 agents, 5 turns): of an agent's deals, in points.
        seconds, decisions (2 agents,).
    """
    tables = [HandTable(seed, deal, game, rules) for deal, game in _games(first, count)]
    clock = play_tables(tables, players, report, meter)
    if keep:
        keep(tables)
    arrays: Arrays = {
        "points": np.zeros((count, GAMES), dtype=np.int64),
        "value": np.zeros((count, GAMES, 2)),
        "foul": np.zeros((count, GAMES, 2), dtype=np.int64),
        "fantasyland": np.zeros((count, GAMES, 2), dtype=np.int64),
        "royalties": np.zeros((count, GAMES, 2), dtype=np.int64),
    }
    for index, table in enumerate(tables):
        place = divmod(index, GAMES)
        result = table.hand.result()
        values = reward.hand_rewards(result)
        for seat, agent in enumerate(table.agents):
            if agent == 0:
                arrays["points"][place] = result.raw_score[seat]
            arrays["value"][(*place, agent)] = values[seat]
            arrays["foul"][(*place, agent)] = result.busted[seat]
            arrays["fantasyland"][(*place, agent)] = result.fl_card_count[seat]
            arrays["royalties"][(*place, agent)] = result.royalties[seat].total
    return {**arrays, **_luck_arrays(tables, count, meter), **_clock_arrays(clock)}


def play_sessions(
    players: tuple[Agent, Agent],
    seed: int,
    first: int,
    count: int,
    rules: Rules,
    reward: RewardConfig | None = None,
    report: Callable[[float], None] | None = None,
    keep: Callable[[Sequence[Table]], None] | None = None,
    meter: LuckMeter | None = None,
) -> Arrays:
    """Sessions `first` to `first + count - 1`, each played twice from the same seed.

    Args:
        reward: that sessions are paid by; without it there is no array of it.
        keep: given the tables when all are finished.
        meter: notes luck; without it there is no array of it.

    Returns:
        chips (count, 2 games): of agent 0 at the end. hands (count, 2 games). Over the hands that an agent
        played normally, (count, 2 games, 2 agents): normal_hands, and the sums of foul, fantasyland (entries)
        and royalties. value (count, 2 games, 2 agents): the reward. luck as in `play_hands`, over all hands.
        seconds, decisions (2 agents,).
    """
    tables = [SessionTable(seed, deal, game, rules) for deal, game in _games(first, count)]
    clock = play_tables(tables, players, report, meter)
    if keep:
        keep(tables)
    arrays: Arrays = {
        "chips": np.zeros((count, GAMES), np.int64),
        "hands": np.zeros((count, GAMES), np.int64),
    }
    for name in ("normal_hands", "foul", "fantasyland", "royalties"):
        arrays[name] = np.zeros((count, GAMES, 2), dtype=np.int64)
    if reward is not None:
        arrays["value"] = np.zeros((count, GAMES, 2))
    for index, table in enumerate(tables):
        place = divmod(index, GAMES)
        session = table.session
        arrays["hands"][place] = session.hands_played
        history: list[HandResult] = session.history
        paid = _session_rewards(session, reward) if reward is not None else None
        for seat, agent in enumerate(table.agents):
            if agent == 0:
                arrays["chips"][place] = session.chips[seat]
            if paid is not None:
                arrays["value"][(*place, agent)] = paid[seat]
            normal = [result for result in history if not result.fantasyland[seat]]
            arrays["normal_hands"][(*place, agent)] = len(normal)
            arrays["foul"][(*place, agent)] = sum(result.busted[seat] for result in normal)
            arrays["fantasyland"][(*place, agent)] = sum(result.fl_entry[seat] for result in normal)
            arrays["royalties"][(*place, agent)] = sum(result.royalties[seat].total for result in normal)
    return {**arrays, **_luck_arrays(tables, count, meter), **_clock_arrays(clock)}


def _session_rewards(session: Session, reward: RewardConfig) -> NDArray[np.float64]:
    """What both seats are paid for all hands of a session and for its end, (2,)."""
    paid = np.array(reward.session_rewards(session.chips, session.rules))
    for result in session.history:
        paid += reward.hand_rewards(result, True)
    return paid


def _games(first: int, count: int) -> Iterator[tuple[int, int]]:
    """The games (deal, 0 or 1) of the deals from `first` on, in their order."""
    return itertools.product(range(first, first + count), range(GAMES))


def _luck_arrays(tables: Sequence[Table], count: int, meter: LuckMeter | None) -> Arrays:
    if meter is None:
        return {}
    return {"luck": np.array([meter.of(table) for table in tables]).reshape(count, GAMES, 2, TURNS)}


def _clock_arrays(clock: Clock) -> Arrays:
    return {"seconds": np.array(clock.seconds), "decisions": np.array(clock.decisions, dtype=np.int64)}
