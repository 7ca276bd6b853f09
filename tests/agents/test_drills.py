"""Drills: the same question by the same seed, legal positions, and answers judged as the review judges."""

from __future__ import annotations

import pytest

from agents.drills import BANDS, KINDS, Drill, judge_foul, judge_placement, make_drill, mistake
from agents.review.judge import Effort, Judge
from agents.review.positions import analysed, judged
from ofc_env import Hand, InformationSet, Placement, Rules, card_names, solve_fantasyland

SHORT = Effort(simulations=50, worlds=40, played_on=60, boards=20)


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(effort=SHORT)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", ["house", "standard"])
def test_a_seed_is_a_question_that_play_can_reach(kind: str, rules: str) -> None:
    seen = set()
    for seed in range(12):
        drill = make_drill(kind, seed, rules)
        assert drill == make_drill(kind, seed, rules)
        seen.add(drill.information)
        known = drill.position
        assert known.to_act
        assert known.rules.same_hand(Rules.parse(rules))
        assert InformationSet.parse(str(known)) == known
        if drill.placement is not None:
            Hand.from_observation(known, 0).place(Placement.parse(drill.placement))  # legal
    assert len(seen) == 12


def test_what_the_kinds_ask() -> None:
    openings = [make_drill("opening", seed).position for seed in range(40)]
    assert {len(known.hand) for known in openings} == {5}
    assert {
        len([*known.opponent_top, *known.opponent_middle, *known.opponent_bottom]) for known in openings
    } == {
        0,
        5,
    }
    settings = [make_drill("fantasyland", seed) for seed in range(40)]
    assert {len(drill.position.hand) for drill in settings} == {14, 15, 16, 17}
    assert {drill.seconds for drill in settings} == {90.0}
    assert {make_drill("foul", seed).position.turn for seed in range(40)} == {1, 2, 3}


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of opening, fantasyland, foul"):
        make_drill("bluff", 1)
    with pytest.raises(ValueError, match="0 or more"):
        make_drill("opening", -1)
    with pytest.raises(ValueError, match="no fantasyland"):
        make_drill("fantasyland", 1, "no_fantasyland")


def test_a_placement_is_judged_as_in_a_review(judge: Judge) -> None:
    drill = make_drill("opening", 3)
    bad = next(each for each in drill.position.placements() if len(each.top) == 3 and len(each.middle) == 2)
    answer = judge_placement(drill, bad, judge)
    assert answer.decision.cost == judged(drill.position, bad, judge).cost
    assert not answer.right
    assert answer.cost == answer.decision.cost > 0
    best = judge_placement(drill, Placement.parse(answer.decision.best), judge)
    assert (best.right, best.cost, best.decision.grade) == (True, 0.0, "best")
    assert all(option.chances is not None for option in answer.decision.options)
    nothing = judge_placement(drill, None, judge)
    assert (nothing.right, nothing.cost) == (False, None)
    assert nothing.decision.best == answer.decision.best


def test_fantasyland_is_judged_by_the_solver(judge: Judge) -> None:
    drill = make_drill("fantasyland", 3)
    cards = drill.position.hand
    solution = solve_fantasyland(cards).placement
    assert judge_placement(drill, solution, judge).right
    dealt = judge_placement(drill, Placement(cards[:3], cards[3:8], cards[8:13], cards[13:]), judge)
    assert not dealt.right
    assert dealt.cost is not None
    assert dealt.cost > 3
    assert Placement.parse(dealt.decision.best) == solution


def test_a_certain_foul_is_told_from_a_likely_one(judge: Judge) -> None:
    last = InformationSet.parse(
        "top=Ah,Ac middle=2d,3h,4c,9s bottom=5d,5h,7c,8d,Ts hand=Kd,Qc,Jh discards=6c,6d,6h "
        "opponent_top=Kh,Ks opponent_middle=2h,2c,8h,8c opponent_bottom=Jd,Jc,Js,4d,4h turn=4"
    )
    placement = Placement("Kd", "Qc", "", "Jh")
    drill = Drill("foul", str(last), str(placement))
    assert last.is_lost(placement)
    certain = judge_foul(drill, len(BANDS) - 1, judge)
    assert (certain.right, certain.off, certain.chance, certain.certain) == (True, 0.0, 1.0, True)
    likely = judge_foul(drill, len(BANDS) - 2, judge)
    assert not likely.right  # likely is not certain
    assert likely.bands == (len(BANDS) - 1,)


def test_a_chance_lies_in_its_bands(judge: Judge) -> None:
    found: set[int] = set()
    for seed in range(14):
        drill = make_drill("foul", seed)
        answers = [judge_foul(drill, band, judge) for band in range(len(BANDS))]
        nothing = judge_foul(drill, None, judge)
        assert nothing.off is None
        assert not nothing.right
        assert nothing.low <= nothing.chance <= nothing.high
        for band, answer in enumerate(answers):
            assert answer.right == (band in nothing.bands)
            start, end = BANDS[band]
            assert answer.off == pytest.approx(
                0.0 if answer.right else max(start - answer.chance, answer.chance - end, 0.0), abs=1e-4
            )
            if start <= answer.chance < end:
                assert answer.right
        found.update(nothing.bands)
    assert len(found) >= 3  # the questions are not all of one kind


def test_answers_of_the_wrong_kind_are_refused(judge: Judge) -> None:
    opening, foul = make_drill("opening", 1), make_drill("foul", 1)
    with pytest.raises(ValueError, match="asks for a placement"):
        judge_foul(opening, 1, judge)
    with pytest.raises(ValueError, match="asks for a chance"):
        judge_placement(foul, None, judge)
    for band in (-1, len(BANDS)):
        with pytest.raises(ValueError, match="there is no band"):
            judge_foul(foul, band, judge)
    with pytest.raises(ValueError, match="not in hand"):
        judge_placement(opening, Placement(["X1", "X2", *card_names(opening.position.hand)[:1]]), judge)


def test_a_mistake_is_the_position_as_the_seat_knew_it() -> None:
    hand = Hand(seed=9)
    hand.place(hand.placements()[3])
    known = hand.information(1 - hand.button)
    assert mistake(known).position == known
    with pytest.raises(ValueError, match="holds no cards"):
        analysed(hand.information(hand.button))
