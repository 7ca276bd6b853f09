"""Self-play decisions as states (N, 490), policies (N, 150) and values (N,), and back.

A file of self-play keeps what a seat saw **after** each placement that was searched; a position before it has
cards in hand. It is found again from the seat's decision before in the same hand, whose board is known; of a
hand that began in the middle, from the placements themselves, where they differ in all cards of the hand.
Positions of which neither tells are left out and counted.

An opening is two slots. So its decision becomes a row for the first step, and one for the second after every
first slot that was searched. Nothing is lost by that: the chance of a placement is the product of both.

The values of the placements follow from policies and values where the policy was the softmax of the search's
values at a temperature T: v_i = V + T (log p_i - sum p log p), with V the mean by the policy. That is how the
way back finds them, to rounding; a placement so bad that its chance rounds to 0 is gone. Of policies that
were visits they cannot be found. Who has the button against a fantasyland opponent is not in the 490 numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, InformationSet, Placement, Rules
from ofc_env.afterstates import afterstates
from ofc_env.layout import ALL_TO_BOTTOM, BOTTOM_SLOTS, ROWS

MOST_CANDIDATES = 8  # of a decision in a file
MINE, OPPONENT, UNSEEN, TABLE = slice(0, 3), slice(3, 6), 6, 7  # of the 8 numbers of a packed state

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class _State:
    """A packed state, unpacked; cards are bit sets."""

    mine: tuple[int, int, int]
    opponent: tuple[int, int, int]
    unseen: int
    turn: int
    button: bool
    opponent_fantasyland: int
    chips: tuple[int, int]
    discards: int  # one's own

    @staticmethod
    def of(packed: NDArray[np.uint64], rules: Rules) -> _State:
        """From the 8 numbers."""
        numbers = [int(number) for number in packed]
        mine, opponent, table = tuple(numbers[MINE]), tuple(numbers[OPPONENT]), numbers[TABLE]
        seen = sum(mine) | sum(opponent) | numbers[UNSEEN]
        return _State(
            (mine[0], mine[1], mine[2]),
            (opponent[0], opponent[1], opponent[2]),
            numbers[UNSEEN],
            table & 0xFF,
            bool(table >> 8 & 0xFF),
            table >> 16 & 0xFFFF,
            (table >> 32 & 0xFFFF, table >> 48 & 0xFFFF),
            ((1 << rules.num_cards) - 1) & ~seen,
        )

    def follows(self, before: _State) -> bool:
        """Whether this is the same seat of the same hand, one turn later."""
        grown = all(not old & ~new for old, new in zip(before.mine, self.mine, strict=True))
        theirs = all(not old & ~new for old, new in zip(before.opponent, self.opponent, strict=True))
        return (
            (self.turn, self.button, self.opponent_fantasyland, self.chips)
            == (before.turn + 1, before.button, before.opponent_fantasyland, before.chips)
            and grown
            and theirs
            and not before.discards & ~self.discards
            and not self.unseen & ~before.unseen
        )


def _cards(bits: int) -> list[int]:
    return [card for card in range(bits.bit_length()) if bits >> card & 1]


def _before(found: list[_State], earlier: list[_State]) -> tuple[tuple[int, int, int], int, int] | None:
    """Rows, discards and hand before a decision whose candidates led to `found`; None if nobody can say."""
    first = found[0]
    own = sum(first.mine) | first.discards
    if first.turn == 0:
        return (0, 0, 0), 0, own
    for state in reversed(earlier):
        if first.follows(state):
            return state.mine, state.discards, own & ~(sum(state.mine) | state.discards)
    rows = [~0, ~0, ~0]
    thrown = ~0
    for state in found:
        rows = [common & row for common, row in zip(rows, state.mine, strict=True)]
        thrown &= state.discards
    hand = own & ~(rows[0] | rows[1] | rows[2] | thrown)
    return ((rows[0], rows[1], rows[2]), thrown, hand) if hand.bit_count() == 3 else None


def to_slots(decisions: Arrays, rules: Rules) -> tuple[Arrays, int]:
    """Rows of states, policies and values, and how many decisions had to be left out.

    Args:
        decisions: of `_core.self_play`, in the order of play.

    Returns:
        states (N, 490), policies (N, 150), values (N,): the search's value of the position, points; and what
        the way back needs: actions (N,), the slot played, -1 after a first slot that was not played; outcomes
        (N, 4): equity, foul, fantasyland, royalties of the hand; decisions (N,): of the file, ascending.
    """
    rows: dict[str, list[Any]] = {
        name: [] for name in ("states", "policies", "values", "actions", "outcomes", "decisions")
    }

    def add(
        number: int, state: NDArray[np.float32], chances: dict[int, float], value: float, slot: int
    ) -> None:
        policy = np.zeros(NUM_ACTIONS, dtype=np.float32)
        policy[list(chances)] = list(chances.values())
        added = (state, policy, value, slot, decisions["outcomes"][number], number)
        for name, each in zip(rows, added, strict=True):
            rows[name].append(each)

    earlier: list[_State] = []  # what the last decisions led to, of both seats
    left_out = 0
    for number, count in enumerate(decisions["counts"].tolist()):
        found = [_State.of(packed, rules) for packed in decisions["states"][number, :count]]
        chosen = int(decisions["chosen"][number])
        before = _before(found, earlier)
        earlier = [*earlier[-3:], found[chosen]]
        if before is None:
            left_out += 1
            continue
        information = _position(found[0], before, rules)
        slots = [information.actions_of(_placement(state, before)) for state in found]
        chances = decisions["policy"][number, :count].astype(np.float64)
        values = decisions["values"][number, :count].astype(np.float64)
        state = information.observation()
        firsts = dict.fromkeys(each[0] for each in slots)
        shares = {slot: sum(chances[i] for i, each in enumerate(slots) if each[0] == slot) for slot in firsts}
        add(number, state, shares, float(chances @ values), slots[chosen][0])
        for slot in firsts if found[0].turn == 0 else ():
            if slot == ALL_TO_BOTTOM or not shares[slot]:
                continue  # the second step is forced, or has no chance to tell of
            some = [i for i, each in enumerate(slots) if each[0] == slot]
            second = {slots[i][1]: chances[i] / shares[slot] for i in some}
            value = sum(chances[i] * values[i] for i in some) / shares[slot]
            played = slots[chosen][1] if slots[chosen][0] == slot else -1
            add(number, afterstates(state, [slot])[0], second, value, played)
    return {
        "states": np.array(rows["states"], np.float32).reshape(-1, OBSERVATION_SIZE),
        "policies": np.array(rows["policies"], np.float32).reshape(-1, NUM_ACTIONS),
        "values": np.array(rows["values"], np.float32),
        "actions": np.array(rows["actions"], np.int64),
        "outcomes": np.array(rows["outcomes"], np.float32).reshape(-1, 4),
        "decisions": np.array(rows["decisions"], np.int64),
    }, left_out


def _position(after: _State, before: tuple[tuple[int, int, int], int, int], rules: Rules) -> InformationSet:
    (top, middle, bottom), discards, hand = before
    return InformationSet(
        top=_cards(top),
        middle=_cards(middle),
        bottom=_cards(bottom),
        opponent_top=_cards(after.opponent[0]),
        opponent_middle=_cards(after.opponent[1]),
        opponent_bottom=_cards(after.opponent[2]),
        hand=_cards(hand),
        discards=_cards(discards),
        turn=after.turn,
        opening_step=0,
        button=after.button,
        opponent_fantasyland=after.opponent_fantasyland,
        chips=after.chips[0],
        opponent_chips=after.chips[1],
        rules=rules,
    )


def _placement(after: _State, before: tuple[tuple[int, int, int], int, int]) -> Placement:
    rows, discards, _ = before
    placed = [_cards(new & ~old) for old, new in zip(rows, after.mine, strict=True)]
    return Placement(placed[0], placed[1], placed[2], _cards(after.discards & ~discards))


# ---------------------------------------------------------------- and back


def from_slots(rows: Arrays, rules: Rules, temperature: float = 1.0) -> tuple[Arrays, int]:
    """Decisions of self-play from rows as `to_slots` makes them, and how many placements had no room.

    Args:
        temperature: points, of the softmax that made policies of values (`--target-temperature`).
    """
    found: dict[str, list[Any]] = {
        name: [] for name in ("states", "values", "policy", "chosen", "counts", "outcomes")
    }
    positions = [InformationSet.from_observation(state, rules) for state in rows["states"]]
    starts = [row for row, position in enumerate(positions) if not position.opening_step]
    if starts[:1] != [0] and len(positions):
        raise ValueError("the first row is the second step of an opening: give the first one before it")
    dropped = 0
    for row, end in zip(starts, [*starts[1:], len(positions)], strict=True):
        chances, played = _joint(rows, row, end)
        order = sorted(chances, key=lambda slots: -chances[slots])
        kept = order[:MOST_CANDIDATES]
        if played not in kept:
            kept = [*kept[: MOST_CANDIDATES - 1], played]
        dropped += len(chances) - len(kept)
        policy = np.array([chances[slots] for slots in kept], dtype=np.float64)
        policy /= policy.sum()
        logs = np.log(policy)
        values = float(rows["values"][row]) + temperature * (logs - float(policy @ logs))
        placements = {tuple(positions[row].actions_of(each)): each for each in positions[row].placements()}
        states = [_after(positions[row], placements[slots], rules) for slots in kept]
        for name, numbers, kind in (
            ("states", states, np.uint64),
            ("values", values, np.float32),
            ("policy", policy, np.float32),
        ):
            column = np.array(numbers, dtype=kind)
            room = [(0, MOST_CANDIDATES - len(kept))] + [(0, 0)] * (column.ndim - 1)
            found[name].append(np.pad(column, room))
        found["chosen"].append(kept.index(played))
        found["counts"].append(len(kept))
        found["outcomes"].append(rows["outcomes"][row])
    kinds = {"chosen": np.int64, "counts": np.int64}
    return {name: np.array(column, kinds.get(name)) for name, column in found.items()}, dropped


def _joint(rows: Arrays, row: int, end: int) -> tuple[dict[tuple[int, ...], float], tuple[int, ...]]:
    """The chances of whole placements, by their slots, and the one that was played."""
    policies, actions, states = rows["policies"], rows["actions"], rows["states"]
    first = {slot: float(policies[row, slot]) for slot in np.flatnonzero(policies[row]).tolist()}
    chosen = int(actions[row])
    chances: dict[tuple[int, ...], float] = {}
    opening = all(slot >= BOTTOM_SLOTS for slot in first)
    played: tuple[int, ...] = (chosen,)
    for slot, share in first.items():
        if not opening or slot == ALL_TO_BOTTOM:
            chances[(slot,)] = share
            continue
        after = afterstates(states[row], [slot])[0]
        second = next((number for number in range(row + 1, end) if (states[number] == after).all()), None)
        if second is None:
            raise ValueError(
                f"row {row} is an opening whose slot {slot} has no row for its second step: add it behind"
            )
        for other in np.flatnonzero(policies[second]).tolist():
            chances[slot, other] = share * float(policies[second, other])
        if slot == chosen:
            played = (slot, int(actions[second]))
    if played not in chances:
        raise ValueError(f"row {row} plays slot {played[-1]}, which its policy gives no chance: give it one")
    return chances, played


def _after(position: InformationSet, placement: Placement, rules: Rules) -> list[int]:
    """The 8 numbers of what the seat sees after a placement."""

    def bits(cards: Sequence[int]) -> int:
        return sum(1 << card for card in cards)

    mine = [bits(getattr(position, row)) | bits(getattr(placement, row)) for row in ROWS]
    theirs = [bits(getattr(position, f"opponent_{row}")) for row in ROWS]
    known = sum(mine) | sum(theirs) | bits(position.discards) | bits(placement.discards)
    table = (
        position.turn
        | bool(position.button) << 8  # against fantasyland nobody knows it, and it means nothing
        | position.opponent_fantasyland << 16
        | position.chips << 32
        | position.opponent_chips << 48
    )
    return [*mine, *theirs, ((1 << rules.num_cards) - 1) & ~known, table]
