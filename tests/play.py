"""What several tests share: hands played in the core and in plain Python side by side, and compared."""

from __future__ import annotations

import random

import numpy as np

from ofc_env import Board, Hand, HandResult, InformationSet, Placement, Rules, decode_observation
from tests import oracle
from tests.oracle_play import IN_HAND, UNSEEN, NaiveHand, Setting, setting_of
from tests.rule_sets import oracle_rules

# Fantasyland widths by seat; normal hands more often than the others.
WIDTHS = ((0, 0), (0, 0), (0, 0), (14, 0), (0, 15), (16, 0), (0, 17), (15, 16), (14, 14))


def board_of(rows: oracle.Rows, rules: Rules | None = None) -> Board:
    if rules is None:
        return Board(top=list(rows[0]), middle=list(rows[1]), bottom=list(rows[2]))
    return Board(top=list(rows[0]), middle=list(rows[1]), bottom=list(rows[2]), rules=rules)


def shuffled_deck(rng: random.Random, rules: oracle.OracleRules = oracle.RULES) -> list[int]:
    return rng.sample(rules.deck, len(rules.deck))


def placement_of(setting: Setting) -> Placement:
    top, middle, bottom, discards = (list(pile) for pile in setting)
    return Placement(top=top, middle=middle, bottom=bottom, discards=discards)


def setting_from(placement: Placement) -> Setting:
    piles = (placement.top, placement.middle, placement.bottom, placement.discards)
    top, middle, bottom, discards = (tuple(sorted(pile)) for pile in piles)
    return (top, middle, bottom, discards)


def random_fantasyland_setting(rng: random.Random, dealt: list[int]) -> Setting:
    mixed = rng.sample(dealt, len(dealt))
    places = [0] * 3 + [1] * 5 + [2] * 5 + [3] * (len(dealt) - 13)
    return setting_of(mixed, tuple(places))


def rows_of(board: Board) -> oracle.Rows:
    return (list(board.top), list(board.middle), list(board.bottom))


def seat_to_act(hand: Hand | NaiveHand) -> int:
    assert hand.player is not None
    return hand.player


def cards_of(board: Board) -> list[int]:
    return [*board.top, *board.middle, *board.bottom]


def random_position(
    rng: random.Random, decisions: int, widths: tuple[int, int] = (0, 0), rules: Rules | None = None
) -> tuple[Hand, NaiveHand]:
    """The same hand in the core and in plain Python after some random decisions (or at its end)."""
    plain = oracle_rules(rules or Rules())
    deck, button, chips = shuffled_deck(rng, plain), rng.randrange(2), rng.randint(1, 399)
    stacks = (chips, 400 - chips)
    hand = Hand(deck=deck, button=button, chips=stacks, fantasyland=widths, rules=rules)
    naive = NaiveHand(deck, button, stacks, widths, plain)
    for _ in range(decisions):
        if naive.finished:
            break
        play_randomly(rng, hand, naive)
    return hand, naive


def play_randomly(rng: random.Random, hand: Hand, naive: NaiveHand) -> None:
    """One random decision in both."""
    assert naive.player is not None
    if naive.fantasyland[naive.player]:
        setting = random_fantasyland_setting(rng, naive.in_hand)
        hand.place(placement_of(setting))
        naive.play(setting)
        return
    slot = rng.choice(naive.legal_slots())
    hand.step(slot)
    naive.play_slot(slot)


def check_hand(hand: Hand, naive: NaiveHand) -> None:
    """All that can be asked of a hand, in both."""
    assert hand.finished == naive.finished
    assert hand.player == naive.player
    assert hand.turn == naive.turn
    assert hand.button == naive.button
    assert tuple(hand.chips) == naive.chips
    assert tuple(hand.fantasyland) == naive.fantasyland
    assert list(hand.dealt) == naive.in_hand
    assert hand.opening_step == naive.step
    assert list(hand.deck) == naive.deck
    legal = naive.legal_slots()
    assert list(hand.legal_actions()) == legal
    mask = hand.action_mask()
    assert mask.dtype == np.int8
    assert mask.shape == (150,)
    assert np.flatnonzero(mask).tolist() == legal
    assert set(mask.tolist()) <= {0, 1}
    for seat in (0, 1):
        assert rows_of(hand.board(seat)) == naive.board(seat)
        assert sorted(hand.discards(seat)) == sorted(naive.discarded[seat])


def cards_at(naive: NaiveHand, seat: int, place: int) -> list[int]:
    return [card for card, where in enumerate(naive.places_seen(seat)) if where == place]


def check_observation(hand: Hand, naive: NaiveHand, seat: int) -> None:
    """The 490 numbers equal the oracle's, and decode to what the seat knows and to nothing more."""
    observation = hand.observation(seat)
    assert observation.dtype == np.float32
    assert observation.shape == (490,)
    wanted = naive.observation(seat)
    np.testing.assert_array_equal(observation, wanted)
    buffer = np.full(490, -1, dtype=np.float32)
    hand.write_observation(seat, buffer)
    np.testing.assert_array_equal(buffer, wanted)

    known = decode_observation(observation, rules=hand.rules)
    assert known == hand.information(seat)
    assert InformationSet.parse(str(known)) == known
    assert known.rules == hand.rules
    assert known.nowhere == []
    opponent = 1 - seat
    hidden = naive.fantasyland[opponent] > 0 and not naive.finished
    assert [known.top, known.middle, known.bottom] == list(naive.board(seat))
    shown = [[], [], []] if hidden else list(naive.board(opponent))
    assert [known.opponent_top, known.opponent_middle, known.opponent_bottom] == shown
    assert known.hand == cards_at(naive, seat, IN_HAND)
    assert known.discards == sorted(naive.discarded[seat])
    assert known.unseen == cards_at(naive, seat, UNSEEN)
    assert (known.chips, known.opponent_chips) == (naive.chips[seat], naive.chips[opponent])
    assert known.opponent_fantasyland == naive.fantasyland[opponent]
    assert known.button == (None if naive.fantasyland[opponent] else naive.button == seat)
    assert known.to_act == (naive.player == seat)
    if naive.player == seat:
        assert known.turn == naive.turn
        assert known.opening_step == naive.step


def check_board(board: Board, rows: oracle.Rows, reading: oracle.Reading) -> None:
    """Every property of a complete board against the oracle's reading of it."""
    assert [list(board.top), list(board.middle), list(board.bottom)] == [sorted(row) for row in rows]
    assert board.complete
    assert board.fouled == reading.fouled
    assert tuple(board.royalties) == (*reading.royalties, reading.total)
    assert board.fantasyland_cards == reading.entry_cards
    assert board.stays == reading.stays
    wanted = [None if value is None else oracle.encode(value) for value in reading.values]
    assert list(board.row_values) == wanted


def check_result(result: HandResult, score: oracle.Score) -> None:
    """Every field of a result against the oracle's score."""
    first, second = score.readings
    assert list(result.busted) == [first.fouled, second.fouled]
    assert [tuple(each) for each in result.royalties] == [(*r.royalties, r.total) for r in score.readings]
    assert [tuple(each) for each in result.line_results] == list(score.line_results)
    assert result.scoop == score.scoop
    assert tuple(result.raw_score) == score.raw_score
    assert tuple(result.actual_score) == score.actual_score
    assert tuple(result.chips) == score.chips
    assert tuple(result.fl_entry) == score.entry
    assert tuple(result.fl_stay) == score.stay
    assert tuple(result.fl_card_count) == score.next_cards
