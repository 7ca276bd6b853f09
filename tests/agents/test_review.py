"""The review of finished hands: sums that are exact, costs, explanations, fouls and luck."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
from agents.review import (
    Effort,
    HandReview,
    Judge,
    PlayedHand,
    logged_hand,
    replayed,
    review_hand,
    review_hands,
)
from agents.review.grades import grade_of, is_obvious, kind_of
from agents.review.hands import Played
from agents.review.report import Balance, Difference, read
from agents.review.review import deal_luck
from agents.rewards import equity
from ofc_env import (
    Board,
    Hand,
    InformationSet,
    Placement,
    RewardConfig,
    Rules,
    _core,
    board_outlook,
    card_names,
    solve_fantasyland,
)
from ofc_env.records.lines import action_of_placement
from tests.reviewed import played_hand

QUICK = Effort(simulations=60, worlds=24, played_on=24, shown=3, boards=12, redeals=8, openings=32)
LEVELS = ("heuristic:careless=0.4,temperature=0.6", "heuristic")


@cache
def judge() -> Judge:
    return Judge(effort=QUICK)


def worth_of(reward: RewardConfig, width: int) -> float:
    """What winning a fantasyland of so many cards is worth, points."""
    return float(reward.fantasyland_values[width - 14])


def turned(balance: Balance) -> Balance:
    """The same from the other side."""
    return Balance(
        -balance.start,
        balance.opponent_luck,
        balance.luck,
        balance.opponent_cost,
        balance.cost,
        -balance.unexplained,
        -balance.result,
    )


@cache
def hands() -> tuple[PlayedHand, ...]:
    widths = ((0, 0), (0, 0), (0, 14), (15, 0), (16, 14))
    return tuple(
        played_hand(LEVELS, seed=number, button=number % 2, widths=width)
        for number, width in enumerate(widths)
    )


@cache
def reviews() -> tuple[HandReview, ...]:
    return tuple(review_hands(hands(), [0] * len(hands()), judge()))


def test_parts_add_up_to_the_result() -> None:
    for hand, review in zip(hands(), reviews(), strict=True):
        balance = review.balance
        assert balance is not None
        assert hand.outcome is not None
        explained = (
            balance.start
            + balance.luck
            - balance.opponent_luck
            - balance.cost
            + balance.opponent_cost
            + balance.unexplained
        )
        assert explained == pytest.approx(balance.result, abs=1e-9)
        future = [
            worth_of(judge().reward, width) if width else 0.0 for width in hand.outcome.next_fantasyland
        ]
        assert balance.result == pytest.approx(hand.outcome.points[0] + future[0] - future[1], abs=1e-4)
        assert balance.cost == pytest.approx(sum(each.cost for each in review.own()), abs=1e-9)
        assert review.steps[0].expected == balance.start
        assert review.steps[-1].expected == balance.result


def test_the_other_side_is_the_negative() -> None:
    for hand, review in zip(hands(), reviews(), strict=True):
        other = review_hand(hand, 1, judge())
        assert review.balance is not None
        assert other.balance is not None
        for mine, theirs in zip(
            vars(other.balance).values(), vars(turned(review.balance)).values(), strict=True
        ):
            assert mine == pytest.approx(theirs, abs=1e-9)
        assert [step.expected for step in other.steps] == [-step.expected for step in review.steps]
        assert other.decisions == review.decisions


def test_threads_and_company_change_nothing() -> None:
    alone = [review_hand(hand, 0, Judge(effort=QUICK)) for hand in hands()[:2]]
    assert alone == list(reviews()[:2])
    told: list[tuple[int, int]] = []
    together = review_hands(
        hands()[:2], [0, 0], judge(), threads=1, progress=lambda done, of: told.append((done, of))
    )
    assert together == alone
    assert told == [(number, 20) for number in range(1, 21)]


def test_a_review_is_kept_as_json() -> None:
    for review in reviews():
        kept = json.loads(json.dumps(review.to_dict(), allow_nan=False))
        assert HandReview.from_dict(kept) == review
    old = {**reviews()[0].to_dict(), "version": 0}
    with pytest.raises(ValueError, match="version 0, not 1"):
        HandReview.from_dict(old)
    broken = {name: value for name, value in reviews()[0].to_dict().items() if name != "steps"}
    with pytest.raises(ValueError, match="steps"):
        HandReview.from_dict(broken)


def test_costs_and_intervals() -> None:
    seen = set()
    for review in reviews():
        for decision in review.decisions:
            seen.add(decision.grade)
            options = {option.placement: option for option in decision.options}
            assert decision.options[0].behind == 0.0
            played = options[decision.played]
            assert played.chances is not None
            assert decision.options[0].chances is not None
            assert 0.0 <= decision.low <= decision.high
            assert decision.low - 1e-4 <= max(0.0, decision.cost) <= decision.high + 1e-4
            if decision.grade == "best":
                assert decision.cost == decision.error == 0.0
                assert decision.difference is None
                continue
            assert decision.cost == pytest.approx(played.behind, abs=1e-4)
            assert decision.error == pytest.approx(played.behind_error, abs=1e-4)
            gain = decision.difference
            assert gain is not None
            assert decision.kind is not None
            parts = gain.by_foul + gain.by_fantasyland + gain.by_royalties + gain.by_rows + gain.by_opponent
            assert parts == pytest.approx(gain.value, abs=1e-9)
            best = decision.options[0].chances
            assert gain.foul == pytest.approx(played.chances.foul - best.foul, abs=2e-4)
            assert gain.royalties == pytest.approx(played.chances.royalties - best.royalties, abs=2e-4)
            assert gain.any_fantasyland == pytest.approx(
                sum(played.chances.fantasyland) - sum(best.fantasyland), abs=1e-3
            )
    assert {"best", "mistake"} <= seen


def test_the_last_turn_is_exact() -> None:
    for hand, review in zip(hands(), reviews(), strict=True):
        for played, decision in zip(hand.decisions, review.decisions, strict=True):
            if decision.turn != 4 or played.information.opponent_fantasyland:
                continue
            values = {
                played.information.actions_of(placement)[0]: placement
                for placement in played.information.placements()
            }
            solved = _core.solve_last_turn(played.information)
            worth = {str(placement): solved[slot] for slot, placement in values.items()}
            assert decision.error == 0.0
            assert decision.low == decision.high
            assert decision.cost == pytest.approx(max(worth.values()) - worth[decision.played], abs=1e-4)


def test_a_fantasyland_setting_is_judged_beside_the_solvers() -> None:
    hand = hands()[3]  # seat 0 has 15 cards
    first = hand.decisions[0]
    assert len(first.information.hand) == 15
    assert judge().judge(first).grade == "best"
    solved = solve_fantasyland(first.information.hand).placement
    rows = [list(solved.top), list(solved.middle), list(solved.bottom)]
    worse = Placement(rows[0], rows[2], rows[1], solved.discards)  # bottom and middle exchanged: a foul
    decision = judge().judge(Played(0, first.information, worse, first.hand))
    assert decision.kind == "setting"
    assert decision.cost > 3
    assert decision.difference is not None
    assert decision.difference.foul == 1.0


def test_difference_in_parts() -> None:
    """Three worlds: one is lost by a foul, one by a fantasyland, one by royalties and a row."""

    def endings(
        value: list[float], foul: list[float], width: list[float], royalties: list[float]
    ) -> NDArray[np.float64]:
        rows = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 0]], dtype=np.float64)
        mine = np.array([value, foul, width, royalties], dtype=np.float64)
        return np.ascontiguousarray(np.concatenate([mine.T, np.zeros((3, 3)), rows], axis=1))

    reward = equity(Rules())
    queens = worth_of(reward, 14)
    best = endings([9.0, 5.0 + queens, 6.0], [0, 0, 0], [0, 14, 0], [3, 7, 4])
    played = endings([-6.0, 5.0, 1.0], [1, 0, 0], [0, 0, 0], [0, 7, 0])
    found = read(Difference, json.loads(_core.ending_difference(played, best, reward)))
    assert found.by_foul == pytest.approx(-15 / 3, abs=1e-4)
    assert found.by_fantasyland == pytest.approx(-queens / 3, abs=1e-4)
    assert found.by_royalties == pytest.approx(-4 / 3, abs=1e-4)
    assert found.by_rows == pytest.approx(-1 / 3, abs=1e-3)
    assert found.fantasyland == (-0.3333, 0.0, 0.0, 0.0)
    assert found.foul == 0.3333


def test_grades_kinds_and_what_is_obvious() -> None:
    assert grade_of(0.0, 0.0, is_best=True) == "best"
    assert grade_of(2.0, -0.1, is_best=False) == "close"
    assert [grade_of(cost, 0.01, False) for cost in (0.1, 0.5, 2.0, 5.0)] == [
        "fine",
        "inaccuracy",
        "mistake",
        "blunder",
    ]
    assert is_obvious([], True)
    assert is_obvious([0.0, 0.0], True)
    assert is_obvious([5.0, 3.0], True)
    assert not is_obvious([5.0, 3.0], False)
    assert not is_obvious([0.5, 3.0], True)
    assert kind_of(0, -5.0, 0.0, False) == "opening"
    assert kind_of(2, -2.0, 1.0, False) == "foul_risked"
    assert kind_of(2, 2.0, 1.0, False) == "foul_feared"
    assert kind_of(2, -0.5, 1.0, False) == "fantasyland_chased"
    assert kind_of(2, 0.0, -1.0, True) == "fantasyland_missed"
    assert kind_of(2, 0.0, 0.0, True) == "row"
    assert kind_of(2, 0.0, 0.0, False) == "discard"


# --- logs ---------------------------------------------------------------------------------


def entry_of(hand: PlayedHand, seats: tuple[int, ...] = (0, 1)) -> dict[str, Any]:
    """What a log has of a hand, of one player's side or both."""
    turns, settings = [], []
    for played in hand.decisions:
        known, true_hand = played.information, played.hand
        assert true_hand is not None
        if played.seat not in seats:
            continue
        placement = played.placement
        if len(known.hand) > 5:
            board = {row: card_names(getattr(placement, row)) for row in ("top", "middle", "bottom")}
            dealt = card_names(known.hand)
            thrown = card_names(placement.discards)
            settings.append({"seat": played.seat, "dealt_cards": dealt, "board": board, "discards": thrown})
            continue
        other: dict[str, Any] = {
            row: card_names(getattr(known, f"opponent_{row}")) for row in ("top", "middle", "bottom")
        }
        if known.opponent_fantasyland:
            other["fantasyland"] = known.opponent_fantasyland
        turns.append(
            {
                "turn": known.turn,
                "btn": hand.button,
                "is_btn": played.seat == hand.button,
                "chips": list(true_hand.chips),
                "board_self": {row: card_names(getattr(known, row)) for row in ("top", "middle", "bottom")},
                "board_opponent": other,
                "dealt_cards": card_names(known.hand),
                "known_discards_self": card_names(known.discards),
                "action": action_of_placement(placement),
                "think_time_ms": 900,
                "rules": hand.rules.name,
            }
        )
    first = hand.decisions[0].hand
    assert first is not None
    return {
        "btn": hand.button,
        "chips": list(first.chips),
        "fantasyland": list(hand.fantasyland),
        "turns": turns,
        "fantasyland_settings": settings,
    }


def test_a_logged_hand_is_reviewed_as_it_was_played() -> None:
    for hand, review in zip(hands(), reviews(), strict=True):
        assert review_hand(logged_hand(entry_of(hand)), 0, judge()) == review


def test_luck_is_not_told_where_cards_are_not_known() -> None:
    hand = hands()[0]
    own = logged_hand({**entry_of(hand, seats=(0,)), "result": None})
    assert not own.whole
    assert all(each.seat == 0 for each in own.decisions)
    review = review_hand(own, 0, judge())
    assert review.balance is None
    assert review.points is None
    assert all(step.luck is None for step in review.steps)
    assert review.decisions == reviews()[0].own()
    last = hand.decisions[-1]
    assert last.hand is not None
    ended = last.hand.clone()
    ended.place(last.placement)
    with_result = logged_hand({**entry_of(hand, seats=(0,)), "result": ended.result().to_dict()})
    told = review_hand(with_result, 0, judge())
    assert told.balance is None
    assert told.steps[-1] == reviews()[0].steps[-1]
    assert (told.points, told.fouled, told.royalties) == (
        reviews()[0].points,
        reviews()[0].fouled,
        reviews()[0].royalties,
    )


def test_what_one_seat_is_shown() -> None:
    shown = reviews()[0].without_opponent()
    assert shown.decisions == reviews()[0].own()
    assert shown.balance == reviews()[0].balance


def test_an_unfinished_hand_is_refused() -> None:
    start = Hand(seed=1)
    with pytest.raises(ValueError, match="not finished after 1 turns"):
        replayed(start, [start.placements()[0]])


def test_the_clocks_turns_are_marked() -> None:
    entry = entry_of(hands()[0])
    entry["turns"][3]["think_time_ms"] = -1
    marked = [played.timed_out for played in logged_hand(entry).decisions]
    assert marked == [number == 3 for number in range(10)]


# --- luck ---------------------------------------------------------------------------------


def test_a_seat_is_worth_the_negative_of_the_other() -> None:
    for widths in ((0, 0), (14, 0), (15, 15), (16, 14)):
        for button in (0, 1):
            hand = Hand(seed=5, button=button, fantasyland=widths)
            assert judge().start_value(hand, 0) == -judge().start_value(hand, 1)
    assert judge().start_value(Hand(seed=5, button=1), 1) == judge().start_value(Hand(seed=6), 0)
    queens = worth_of(judge().reward, 14)
    assert judge().start_value(Hand(seed=5, fantasyland=(14, 0)), 0) == queens
    assert judge().start_value(Hand(seed=5, button=1, fantasyland=(0, 14)), 0) == -queens
    assert judge().start_value(Hand(seed=5, fantasyland=(15, 15)), 0) == 0.0
    assert 2 < judge().start_value(Hand(seed=5, fantasyland=(17, 14)), 0) < 40


def test_no_two_hands_are_compared_with_the_same_deals() -> None:
    """What a few deals err by must average out over the hands of a player."""
    means = set()
    meter = _core.LuckJudge(load_native(CHAMPION), redeals=QUICK.redeals)
    for seed in range(20):
        hand = Hand(seed=seed)
        opened = Played(0, hand.information(0), hand.placements()[0], hand)
        found = deal_luck(judge(), PlayedHand(hand.rules, 0, (0, 0), (opened,), None))
        assert found is not None
        actual, _ = meter.judge(hand, 0)
        means.add(round(actual - found[0], 6))
    assert len(means) == 20


def test_both_seats_begin_nearly_even() -> None:
    """The network thinks too well of its best opening, in either seat: that must not stay in the worth."""
    found = Judge(effort=QUICK.replace(openings=1000)).start_value(Hand(seed=1), 0)
    assert abs(found) < 0.6  # -0.16 ± 0.31 by 24,000 hands played out


def test_rules_without_a_champion() -> None:
    rules = Rules.parse("standard scoop=6")
    values = equity(rules, (8.0, 14.0, 20.0, 27.0))
    plain = Judge(rules, effort=QUICK.replace(worlds=300), reward=values)
    start = Hand(seed=2, rules=rules)
    hand, placements = start.clone(), []
    while not hand.finished:
        placements.append(hand.placements()[0])
        hand.place(placements[-1])
    review = review_hand(replayed(start, placements), 1, plain)
    assert review.balance is None
    assert review.judge.startswith("pimc")
    assert len(review.own()) == 5
    assert all(step.luck is None for step in review.steps)
    assert sum(each.cost for each in review.own()) > 3


# --- fouls --------------------------------------------------------------------------------


def two_fouls() -> list[HandReview]:
    found = []
    for seed in range(40, 80):
        hand = played_hand(LEVELS, seed=seed)
        assert hand.outcome is not None
        if hand.outcome.fouled[0]:
            found.append(review_hand(hand, 0, judge()))
            mine = [each for each in hand.decisions if each.seat == 0]
            foul = next(each for each in found[-1].fouls if each.seat == 0)
            check_foul(mine, foul.certain_turn, foul.certain_by)
        if len(found) == 3:
            break
    return found


def check_foul(mine: list[Played], turn: int, by: str) -> None:
    """Certain from then on, and not before."""
    for played in mine:
        some = any(not played.information.is_lost(each) for each in played.information.placements())
        lost = played.information.is_lost(played.placement)
        if played.information.turn < turn:
            assert some
            assert not lost
        elif played.information.turn == turn:
            assert (some, lost) == ((True, True) if by == "placement" else (False, True))
        else:
            assert lost


def test_when_a_foul_became_certain() -> None:
    found = two_fouls()
    assert len(found) == 3
    for review in found:
        foul = next(each for each in review.fouls if each.seat == 0)
        assert foul.lost_turn is None or foul.lost_turn <= foul.certain_turn
        assert foul.certain_by != "placement" or foul.lost_turn == foul.certain_turn
    assert all(not review.fouls for review in reviews() if not review.fouled and not _other_fouled(review))


def _other_fouled(review: HandReview) -> bool:
    return any(each.seat != review.seat for each in review.fouls)


def test_cards_that_save_a_board_are_found_and_missed() -> None:
    """Queens stand on top of a pair: a second pair in the middle must come, under kings and nines."""

    def known(top: str, middle: str, bottom: str) -> InformationSet:
        return InformationSet(
            top="Qs Qh",
            middle="2c 2d 5h 6s",
            bottom="Kd Kh 9c",
            opponent_top=top,
            opponent_middle=middle,
            opponent_bottom=bottom,
            hand="9h 4h 8d",
            discards="3c 4c",
            turn=3,
            button=False,
        )

    alive = known("3h 3d", "7h 7d 8c 9d", "Ah Ac Th Td Jd")
    dead = known("X1 X2", "5d 5c 6h 6d", "5s 6c Th Td Ah")  # every card that would pair them
    two_pair, kings = Placement(bottom="9h 4h", discards="8d"), Placement(bottom="4h 8d", discards="9h")
    assert not alive.is_lost(two_pair)
    assert dead.is_lost(two_pair)
    assert alive.is_lost(kings)  # the middle would have to lie between queens and kings
    after = Board(dead.top, dead.middle, [*dead.bottom, *two_pair.bottom])
    assert not board_outlook(after).fouled  # the board alone does not tell


# --- the core ------------------------------------------------------------------------------


def test_comparing_is_searching_without_the_race() -> None:
    network = load_native(CHAMPION)
    search = _core.NetworkSearch(network, sims=64)
    known = Hand(seed=3).information(0)
    best = [each.placement for each in search.search(known)[:3]]
    values = search.compare(known, best, 50, 7)
    assert values.shape == (3, 50)
    assert np.array_equal(values, search.compare(known, best, 50, 7))
    assert np.array_equal(values[:, :20], search.compare(known, best, 20, 7))
    assert np.array_equal(values[1:2], search.compare(known, best[1:2], 50, 7))  # worlds know no placement
    spread = _core.NetworkSearch(network, sims=64, threads=2)
    assert np.array_equal(values, spread.compare(known, best, 50, 7))
    long = _core.NetworkSearch(network, sims=6000, candidates=3, prior_weight=0)
    ranked = {each.placement: each for each in long.search(known)}
    many = search.compare(known, best, 1500, 7)
    for placement, row in zip(best, many, strict=True):
        assert row.mean() == pytest.approx(ranked[placement].mean, abs=1.0)  # 4 standard errors of both
    with pytest.raises(ValueError, match="is not a placement of this position"):
        search.compare(known, [Placement(top="2h")], 5)
    with pytest.raises(ValueError, match="0 worlds compare nothing"):
        search.compare(known, best, 0)
    with pytest.raises(ValueError, match="3 placements in 1000000 worlds are too many to keep"):
        search.compare(known, best, 10**6)


def test_played_on_as_the_referee_does() -> None:
    network = load_native(CHAMPION)
    referee = _core.Referee(network, worlds=2, block=2, fresh=40)
    for seed in range(4):
        hand = Hand(seed=seed)
        for _ in range(2 * seed):
            hand.place(hand.placements()[0])
        assert hand.player is not None
        known = hand.information(hand.player)
        asked = known.placements()[:2]
        judged = referee.judge(known, 9, asked)
        rows = [judged.placements.index(each) for each in asked]
        number = ~9 & (2**64 - 1)  # the stream of the fresh worlds
        played = referee.play(known, asked, 40, number)
        assert np.array_equal(played[:, :, 0], judged.fresh[rows])


def test_endings_are_whole_hands() -> None:
    referee = _core.Referee(load_native(CHAMPION))
    known = Hand(seed=8).information(0)
    ended = referee.play(known, known.placements()[:2], 60, 1)
    assert ended.shape == (2, 60, 10)
    reward = equity(Rules())
    worth = {0: 0.0, **{width: worth_of(reward, width) for width in (14, 15, 16, 17)}}
    for value, foul, width, royalties, their_foul, their_width, theirs, *lines in ended.reshape(
        -1, 10
    ).tolist():
        if foul or their_foul:
            assert lines == [their_foul - foul] * 3
        assert not (foul and (royalties or width))
        assert not (their_foul and (theirs or their_width))
        rows = sum(lines) + (3 if sum(lines) == 3 else -3 if sum(lines) == -3 else 0)
        future = worth[int(width)] - worth[int(their_width)]
        assert value == pytest.approx(rows + royalties - theirs + future, abs=1e-4)
    with pytest.raises(ValueError, match="is not a placement of this position"):
        referee.play(known, [Placement(top="2h")], 5)
    with pytest.raises(ValueError, match="0 worlds compare nothing"):
        referee.play(known, known.placements()[:1], 0)
