"""The referee against what can be enumerated, and what its race and its fresh worlds promise."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
from ofc_env import Hand, InformationSet, Placement, RewardConfig, Rules, _core, solve_last_turn
from tests.core.test_short_decks import EQUITY, HOUSE, STANDARD, VALUES, against_fantasyland
from tests.enumeration import ROWS, boards_of, last_turn_values, short_position
from tests.oracle_play import equity
from tests.self_play import decisions

WHOLE = {"z": 1000.0, "block": 1_000_000}  # a race that nobody leaves


@cache
def network() -> _core.Network:
    return load_native(CHAMPION)


def referee(**settings: Any) -> _core.Referee:
    return _core.Referee(network(), reward=EQUITY, **settings)


def last_turns(count: int, seed: int) -> list[tuple[InformationSet, dict[Placement, float]]]:
    """Last turns before the opponent's that are worth thought, with what each placement is worth."""
    rng = random.Random(seed)
    found: list[tuple[InformationSet, dict[Placement, float]]] = []
    while len(found) < count:
        info = short_position(rng, 4, True, rng.randint(4, 7), HOUSE)
        by_slot = solve_last_turn(info, reward=EQUITY)
        values = {placement: by_slot[info.actions_of(placement)[0]] for placement in info.placements()}
        if len(values) > 1 and max(values.values()) - min(values.values()) > 1e-6:
            found.append((info, values))
    return found


def positions(hands: int, seed: int, width: int = 0) -> list[InformationSet]:
    """Decisions of whole hands, each at the start of a seat's turn."""
    found = [decision.information for decision in decisions(hands, seed=seed, width=width)]
    return [info for info in found if not info.opening_step]


def table(judgement: _core.Judgement, wanted: dict[Placement, float]) -> np.ndarray:
    """The true values in the referee's order."""
    return np.array([wanted[placement] for placement in judgement.placements])


# --- values --------------------------------------------------------------------------------


def scores(values: np.ndarray, wanted: np.ndarray) -> list[float]:
    """How many standard errors the means of some rows are off, where a row varies at all."""
    errors = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    exact = errors < 1e-9
    assert np.allclose(values[exact].mean(axis=1), wanted[exact], atol=1e-4)
    return ((values.mean(axis=1) - wanted)[~exact] / errors[~exact]).tolist()


def test_last_turns_are_worth_what_enumeration_says() -> None:
    judge, off = referee(worlds=600, fresh=0, **WHOLE), []
    for number, (info, wanted) in enumerate(last_turns(25, seed=1)):
        judgement = judge.judge(info, number)
        by_slot = last_turn_values(info, partial(equity, fantasyland_values=VALUES))
        assert wanted == {each: pytest.approx(by_slot[info.actions_of(each)[0]]) for each in wanted}
        assert set(judgement.placements) == set(wanted)
        off += scores(judgement.race.astype(np.float64), table(judgement, wanted))
    assert len(off) > 50
    assert max(map(abs, off)) < 4.5
    assert 0.7 < np.sqrt(np.mean(np.square(off))) < 1.3  # errors are as large as they say


def value_of_playing_on(info: InformationSet, placement: Placement) -> float:
    """By trying every deal: what a placement on turn 3, second to act, is worth when the network plays on."""
    first_choice = _core.NetworkSearch(network(), reward=EQUITY, sims=0, exact=False)
    mine, theirs = boards_of(info)
    placed: dict[str, Any] = {
        name: [*row, *getattr(placement, name)] for name, row in zip(ROWS, mine, strict=True)
    }
    seen: dict[str, Any] = {f"opponent_{name}": cards for name, cards in placed.items()}
    seen |= dict(zip(ROWS, theirs, strict=True))
    shared: dict[str, Any] = {"nowhere": info.nowhere, "turn": 4, "rules": info.rules}
    values = []
    for discards in combinations(info.unseen, 3):
        left = [card for card in info.unseen if card not in discards]
        for draw in combinations(left, 3):
            opponent = InformationSet(**seen, hand=draw, discards=discards, **shared)
            answer = first_choice.search(opponent)[0].placement
            shown: dict[str, Any] = {
                f"opponent_{name}": [*row, *getattr(answer, name)]
                for name, row in zip(ROWS, theirs, strict=True)
            }
            last = InformationSet(
                **placed,
                **shown,
                hand=[card for card in left if card not in draw],
                discards=[*info.discards, *placement.discards],
                **shared,
            )
            values.append(max(solve_last_turn(last, reward=EQUITY).values()))
    return float(np.mean(values))


def test_two_turns_before_the_end() -> None:
    """The opponent's answer is the network's, by what its seat sees; the last placement is the best."""
    off: list[float] = []
    for number in range(3):
        info = short_position(random.Random(40 + number), 3, False, 6, HOUSE)
        judgement = referee(worlds=1500, fresh=0, **WHOLE).judge(info, number)
        for index in (0, len(judgement.placements) - 1):
            wanted = np.array([value_of_playing_on(info, judgement.placements[index])])
            off += scores(judgement.race[index : index + 1].astype(np.float64), wanted)
    assert len(off) > 2
    assert max(map(abs, off)) < 4


def test_a_fantasyland_board_that_is_known_by_what_is_left() -> None:
    reward = RewardConfig.preset("equity")
    judge = _core.Referee(network(), worlds=6, block=6, fresh=4)
    for width in (14, 17):
        info = against_fantasyland(random.Random(width), 4, width, HOUSE)
        wanted = solve_last_turn(info, reward=reward, samples=2)
        judgement = judge.judge(info)
        for placement, values in zip(judgement.placements, judgement.race, strict=True):
            assert values == pytest.approx(wanted[info.actions_of(placement)[0]], abs=1e-4)
        assert judgement.leader in judgement.left


def test_boards_of_a_fantasyland_opponent_are_dealt_anew() -> None:
    """Two sets of fresh worlds differ as their errors say; if boards were shared, they would by more."""
    off = []
    judge = referee(worlds=32, block=32, z=1.0, fresh=160)
    for number, info in enumerate(positions(12, seed=8, width=15)):
        if info.turn < 3:
            continue
        asked = info.placements()[:1]
        first, second = (
            judgement.fresh[judgement.placements.index(asked[0])].astype(np.float64)
            for judgement in (judge.judge(info, seed, asked) for seed in (number, 1000 + number))
        )
        error = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / len(first))
        off.append((first.mean() - second.mean()) / error)
    assert len(off) > 15
    assert 0.5 < np.sqrt(np.mean(np.square(off))) < 1.5


# --- the race -----------------------------------------------------------------------------


def test_the_race_keeps_the_best() -> None:
    judge = referee(worlds=512, block=32, fresh=0)
    lost = dropped = 0
    for number, (info, wanted) in enumerate(last_turns(60, seed=2)):
        judgement = judge.judge(info, number)
        values = table(judgement, wanted)
        lost += values[judgement.left].max() < values.max() - 1e-6
        dropped += len(values) - len(judgement.left)
        best_left = max(judgement.left, key=lambda index: judgement.race[index].mean())
        assert judgement.leader == best_left
        assert np.isnan(judgement.race).any(axis=1).sum() <= len(values) - len(judgement.left)
    assert lost <= 1
    assert dropped > 100  # most of the others are gone


def test_all_play_in_the_same_worlds_until_they_drop() -> None:
    info = positions(1, seed=3)[4]
    raced, whole = (
        referee(worlds=192, block=32).judge(info, 7),
        referee(worlds=192, fresh=0, **WHOLE).judge(info, 7),
    )
    assert raced.placements == whole.placements
    assert len(raced.left) < len(raced.placements) == len(whole.left)
    for index, values in enumerate(raced.race):
        played = np.count_nonzero(~np.isnan(values))
        assert played == 192 or index not in raced.left or len(raced.left) == 1
        assert played % 32 == 0
        assert np.array_equal(values[:played], whole.race[index][:played])
    assert raced.rollouts == np.count_nonzero(~np.isnan(raced.race)) + np.count_nonzero(
        ~np.isnan(raced.fresh)
    )


def gains(judgement: _core.Judgement) -> tuple[float, float]:
    """What the leader gains over the network's first choice, by the race and by the fresh worlds."""
    means = [np.mean(each[judgement.leader] - each[0]) for each in (judgement.race, judgement.fresh)]
    return float(means[0]), float(means[1])


def error(values: list[float]) -> float:
    return float(np.std(values, ddof=1)) / len(values) ** 0.5


def test_fresh_worlds_do_not_flatter_the_leader() -> None:
    """They are right on average about whomever a short race has named, ..."""
    judge = referee(worlds=4, block=4, z=1000.0, fresh=100)
    off = []
    for number, (info, wanted) in enumerate(last_turns(200, seed=3)):
        judgement = judge.judge(info, number, info.placements())
        true = table(judgement, wanted)
        off.append(gains(judgement)[1] - (true[judgement.leader] - true[0]))
    assert error(off) < 0.05
    assert abs(np.mean(off)) < 3 * error(off)


def test_the_race_does_flatter_its_leader() -> None:
    """... who was in part the luckiest: the reason for fresh worlds."""
    judge = referee(worlds=8, block=8, z=1000.0, fresh=32)
    pairs = [
        gains(judge.judge(info, number)) for number, info in enumerate(positions(5, seed=4)) if info.turn
    ]
    flattery = [race - fresh for race, fresh in pairs]
    assert np.mean(flattery) > 3 * error(flattery)


# --- answers -------------------------------------------------------------------------------


def same(a: _core.Judgement, b: _core.Judgement) -> bool:
    arrays = ("race", "fresh", "states", "priors")
    equal = all(
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name != "states") for name in arrays
    )
    return equal and (a.placements, a.left, a.leader, a.rollouts) == (
        b.placements,
        b.left,
        b.leader,
        b.rollouts,
    )


def test_position_and_seed_fix_the_answer() -> None:
    judge = referee(worlds=64, block=16, fresh=16)
    for info in positions(1, seed=6)[2:6]:
        one = judge.judge(info, 3)
        assert same(one, judge.judge(info, 3))
        assert same(one, judge.judge(info.observation(), 3))
        assert not np.array_equal(one.race, judge.judge(info, 4).race, equal_nan=True)
        with ThreadPoolExecutor(4) as pool:
            assert all(same(one, each) for each in pool.map(judge.judge, [info] * 8, [3] * 8))


def test_those_asked_about_are_judged_and_change_nothing_else() -> None:
    info = positions(1, seed=3)[4]
    judge = referee(worlds=128, block=32, fresh=32)
    plain = judge.judge(info, 1)
    assert sorted(plain.left) == np.flatnonzero(~np.isnan(plain.fresh[:, 0])).tolist()
    out = next(index for index in range(len(plain.placements)) if index not in plain.left)
    asked = judge.judge(info, 1, [plain.placements[out], plain.placements[plain.leader]])
    assert np.array_equal(plain.race, asked.race, equal_nan=True)
    assert np.array_equal(plain.fresh[plain.left], asked.fresh[plain.left])
    judged = np.flatnonzero(~np.isnan(asked.fresh[:, 0])).tolist()
    assert judged == sorted({*plain.left, out})
    with pytest.raises(ValueError, match="is not a placement of this position: "):
        judge.judge(info, 1, [Placement(top="Ah")])


def test_every_placement_is_there_with_its_state() -> None:
    hand = Hand(seed=9)
    for turn in range(2):
        for _ in range(2):
            seat = hand.player
            assert seat is not None
            info = hand.information(seat)
            judgement = referee(worlds=2, block=2, fresh=0).judge(info)
            assert len(judgement.placements) == len(info.placements())
            assert len(judgement.placements) == 232 or turn == 1
            assert set(judgement.placements) == set(info.placements())
            assert (np.diff(judgement.priors) <= 0).all()
            assert judgement.fresh.shape == (len(judgement.placements), 0)
            for index in (0, 3, len(judgement.placements) - 1):
                after = hand.clone()
                after.place(judgement.placements[index])
                packed = _core.pack_observations(after.observation(seat)[None])
                assert np.array_equal(packed[0], judgement.states[index])
                if index == 0:
                    value = network().evaluate(packed)[0, 0]
                    assert value == pytest.approx(judgement.priors[0], abs=1e-3)
            hand.place(judgement.placements[0])


def test_a_heuristic_judges_where_there_is_no_network() -> None:
    rules = Rules.parse("standard scoop=6")
    info = Hand(seed=1, rules=rules, button=1).information(0)
    judge = _core.Referee(None, reward=EQUITY, rules=rules, worlds=8, block=8, fresh=4)
    judgement = judge.judge(info)
    ranked = _core.Heuristic(reward=EQUITY, rules=rules).rank(info)
    assert judgement.placements[0] == ranked[0].placement
    assert judgement.priors[0] == pytest.approx(ranked[0].mean, abs=1e-4)
    with pytest.raises(ValueError, match="the position is played by the rules"):
        judge.judge(Hand(seed=1, button=0).information(0))
    with pytest.raises(ValueError, match="trained for the rules 'house', not for 'standard'"):
        _core.Referee(network(), rules=STANDARD)


def test_a_seat_that_waits_and_a_fantasyland_hand_are_refused() -> None:
    judge = referee(worlds=2, block=2, fresh=0)
    with pytest.raises(ValueError):
        judge.judge(Hand(seed=1, button=0).information(1))
    with pytest.raises(ValueError):
        judge.judge(Hand(seed=1, fantasyland=(14, 0)).information(0))
