"""Judges each slot by the position it leads to: one small network for all slots of all turns.

A plain network must learn anew for every slot what a good board is. Here one small network looks at the
position after each slot, so that what it learns from one slot serves all others. It sees the 490 numbers, the
counts that follow from them, and what the rows amount to (`row_values`). Its first layer is linear in
the observation: the sum for the position is computed once, and a slot adds only the columns of the cards that
it moves and what the own rows amount to after it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks.row_table import KEY_LIMIT, card_keys, row_index
from agents.networks.row_values import row_bits, row_values, top_offset
from ofc_env import OBSERVATION_SIZE
from ofc_env.afterstates import DESTINATIONS, TURN_CHANGES
from ofc_env.layout import (
    BOTTOM_SLOTS,
    CARD_NUMBERS,
    CARDS,
    FIRST_JOKER,
    IN_HAND,
    MOST_IN_HAND,
    MY_BOTTOM,
    MY_DISCARDS,
    MY_MIDDLE,
    MY_TOP,
    PLACES,
    RANKS,
    ROW_SIZES,
    ROWS,
    SUITS,
    TOP_SLOTS,
    TURN,
    TURN_SLOTS,
    USED_SLOTS,
)

_ROWS = len(ROWS)
_TARGETS = (MY_TOP, MY_MIDDLE, MY_BOTTOM, MY_DISCARDS)  # where a card in hand can go
STAY = USED_SLOTS  # beside the slots: nothing is in hand, and the position is judged as it is
# Slots of turns 1 to 4, of the first and second step of an opening, and none.
_PHASES = (
    (TURN_SLOTS, BOTTOM_SLOTS),
    (BOTTOM_SLOTS, TOP_SLOTS),
    (TOP_SLOTS, USED_SLOTS),
    (STAY, STAY + 1),
)
_SUIT_STEPS = (2, 3, 4, 5)  # cards of one suit in a row, at least
_NEIGHBOURS = ((0, 1), (1, 2))  # the upper of two rows must not be the stronger
_CATEGORY = float(1 << 20)  # between the values of two categories
_NEIGHBOUR_NUMBERS, _LINE_NUMBERS = 6, 2


def legal_slots(observations: Tensor) -> Tensor:
    """Which slots are legal, (N, 92), from observations (N, 490) alone; the last is `STAY`."""
    cards = observations[:, :CARD_NUMBERS].reshape(-1, CARDS, PLACES)
    held = cards[:, :, IN_HAND].sum(dim=1)
    free = torch.tensor(ROW_SIZES) - cards[:, :, :_ROWS].sum(dim=1)  # (N, 3)
    in_hand = (torch.arange(MOST_IN_HAND) < held[:, None]).to(observations.dtype)  # (N, 5)
    destinations = torch.from_numpy(DESTINATIONS)
    needed = [in_hand @ (destinations == row).to(observations.dtype).T for row in range(_ROWS)]
    fits = torch.stack([needed[row] <= free[:, row, None] for row in range(_ROWS)]).all(dim=0)
    slot, turn = torch.arange(USED_SLOTS), observations[:, TURN, None]
    phase = torch.where(turn >= 0.25, 0, torch.where(turn == 0, 1, 2))
    fits = fits & (phase == (slot >= _PHASES[1][0]).long() + (slot >= _PHASES[2][0]).long())
    bits = torch.where(slot >= _PHASES[2][0], slot - _PHASES[2][0], 0)
    fits = fits & (bits < 2.0 ** held[:, None]) & (held[:, None] > 0)
    return torch.cat([fits, held[:, None] == 0], dim=1)


class SlotJudge(nn.Module):
    """Observations (N, 490) and what is legal (N, 92) to some numbers for each slot, (N, 92, heads).

    Only legal slots are judged; the others are 0.

    Args:
        counts: the fixed maps of `count_matrix`, weight (K, 490) and bias (K,), or None for no counts.
        hidden: units of each hidden layer.
        dropout: share of units left out in training.
        heads: how many numbers a slot gets; the first is the preference for it.
    """

    def __init__(
        self, counts: tuple[Tensor, Tensor] | None, hidden: tuple[int, ...], dropout: float, heads: int
    ) -> None:
        super().__init__()
        weight, bias = counts or (torch.zeros(0, OBSERVATION_SIZE), torch.zeros(0))
        self.register_buffer("count_weight", weight, persistent=False)
        self.register_buffer("count_bias", bias, persistent=False)
        self._add_tables()
        self.heads = heads
        board = _ROWS * (self.get_buffer("row_bits").shape[1] + SUITS * len(_SUIT_STEPS))
        board += len(_NEIGHBOURS) * _NEIGHBOUR_NUMBERS
        self.first = nn.Linear(OBSERVATION_SIZE + len(bias), hidden[0])
        self.own_rows = nn.Linear(board + _ROWS * _LINE_NUMBERS, hidden[0], bias=False)
        self.opponent_rows = nn.Linear(board, hidden[0], bias=False)
        layers: list[nn.Module] = []
        for units, following in pairwise((*hidden, heads)):
            layers += [nn.ReLU(), nn.Dropout(dropout), nn.Linear(units, following)]
        self.rest = nn.Sequential(*layers)
        # Players that see no difference between slots often take the first: a habit of the slot's own.
        self.habit = nn.Parameter(torch.zeros(USED_SLOTS + 1))
        self.every_slot = False  # judge all slots of all rows, for an export that cannot branch on masks

    def _add_tables(self) -> None:
        """Fixed look-ups, none of them saved: they follow from the game."""
        destinations = np.concatenate([DESTINATIONS, np.full((1, MOST_IN_HAND), IN_HAND)])
        suits = np.zeros((CARDS, SUITS))
        suits[np.arange(FIRST_JOKER), np.arange(FIRST_JOKER) // RANKS] = 1.0
        values = row_values()
        tables = {
            # (92, 5 * 4) which card in hand a slot moves to which target; (92, 3, 5) the same by row.
            "moves": (destinations[:, :, None] == _TARGETS).reshape(USED_SLOTS + 1, -1),
            "row_moves": np.stack([destinations == row for row in range(_ROWS)], axis=1),
            "turn_changes": np.append(TURN_CHANGES, 0.0),
            "card_numbers": np.concatenate([card_keys()[:, None], suits], axis=1),  # (54, 5) key and suit
            "values": np.stack([values.least, values.most, values.lowest], axis=1),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table.astype(np.float32)), persistent=False)
        self.register_buffer("row_bits", torch.from_numpy(row_bits()), persistent=False)
        self.register_buffer("row_index", torch.from_numpy(row_index()), persistent=False)

    def forward(self, observations: Tensor, legal: Tensor) -> Tensor:
        sums, card_moves, turn_column = self._first_sums(observations)
        cards = observations[:, :CARD_NUMBERS].reshape(-1, CARDS, PLACES)
        rows = cards[:, :, : 2 * _ROWS].transpose(1, 2) @ self.get_buffer("card_numbers")  # (N, 6, 5)
        opponent, opponent_values = self._board(rows[:, _ROWS:])
        sums = sums + self.opponent_rows(opponent)
        in_hand = self._in_order(cards[:, :, IN_HAND]) @ self.get_buffer("card_numbers")  # (N, 5, 5)

        def judge(picked: Tensor | slice, wanted: Tensor | None, start: int, end: int) -> Tensor:
            """The slots from `start` to `end` of some rows; those wanted (P, heads), or all."""

            def pick(numbers: Tensor) -> Tensor:
                return numbers.flatten(0, 1) if wanted is None else numbers[wanted]

            moves, row_moves = self.get_buffer("moves")[start:end], self.get_buffer("row_moves")[start:end]
            turn = self.get_buffer("turn_changes")[start:end, None] * turn_column
            after = sums[picked][:, None] + turn + moves @ card_moves[picked]  # (n, S, H)
            # (n, S, 3, 5): what the cards in hand add to each row
            gains = (row_moves.flatten(0, 1) @ in_hand[picked]).unflatten(1, (end - start, _ROWS))
            own, own_values = self._board(pick(rows[picked][:, None, :_ROWS] + gains))
            theirs = pick(opponent_values[picked][:, None].expand(-1, end - start, -1, -1))
            features = torch.cat([own, _lines(own_values, theirs)], dim=1)
            judged: Tensor = self.rest(pick(after) + self.own_rows(features))
            return judged

        if self.every_slot:
            every = judge(slice(None), None, 0, USED_SLOTS + 1)
            return self._with_habit(every.unflatten(0, (-1, USED_SLOTS + 1)))
        judged = observations.new_zeros(len(observations), USED_SLOTS + 1, self.heads)
        for start, end in _PHASES:
            wanted = legal[:, start:end]
            picked = torch.nonzero(wanted.any(dim=1))[:, 0]
            if len(picked):
                numbers, slots = torch.nonzero(wanted[picked], as_tuple=True)
                answers = judge(picked, wanted[picked], start, end)
                judged = judged.index_put((picked[numbers], slots + start), answers)
        return self._with_habit(judged)

    def _with_habit(self, judged: Tensor) -> Tensor:
        return torch.cat([judged[:, :, :1] + self.habit[:, None], judged[:, :, 1:]], dim=2)

    def _in_order(self, in_hand: Tensor) -> Tensor:
        """The cards in hand (N, 54) one by one, (N, 5, 54)."""
        order = torch.cumsum(in_hand, dim=1) * in_hand  # 1 for the first card in hand, 2 for the second, ...
        numbers = torch.arange(1, MOST_IN_HAND + 1, device=in_hand.device)
        return (order[:, None] == numbers[:, None]).to(in_hand.dtype)

    def _first_sums(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """First-layer sums: of the position (N, H), of each card move (N, 5 * 4, H), of the turn (H,)."""
        counts = self.first.weight[:, OBSERVATION_SIZE:]
        weight = self.first.weight[:, :OBSERVATION_SIZE] + counts @ self.get_buffer("count_weight")
        bias = self.first.bias + counts @ self.get_buffer("count_bias")
        by_place = weight[:, :CARD_NUMBERS].reshape(-1, CARDS, PLACES)
        gains = by_place[:, :, list(_TARGETS)] - by_place[:, :, IN_HAND, None]  # (H, 54, 4)
        chosen = self._in_order(observations[:, IN_HAND:CARD_NUMBERS:PLACES])
        card_moves = chosen @ gains.permute(1, 2, 0).reshape(CARDS, -1)  # (N, 5, 4 * H)
        units = len(bias)
        card_moves = card_moves.reshape(-1, MOST_IN_HAND * len(_TARGETS), units)
        return nn.functional.linear(observations, weight, bias), card_moves, weight[:, TURN]

    def _look_up(self, table: str, numbers: Tensor) -> Tensor:
        """The entries of a table with these numbers; many times faster than indexing with them."""
        found = self.get_buffer(table).index_select(0, numbers.flatten())
        return found.unflatten(0, numbers.shape)

    def _board(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """What rows with these keys and suits (P, 3, 5) amount to: features (P, K) and values (P, 3, 3)."""
        keys = rows[:, :, 0].clamp(max=KEY_LIMIT - 1).long()  # overfull rows of illegal slots have no number
        numbers = self._look_up("row_index", keys).long()
        suits = rows[:, :, 1:]
        one_suit = ((suits > 0).sum(dim=2) <= 1).long() * (top_offset() // 2)
        top = torch.tensor([1, 0, 0])
        numbers = torch.where(
            top > 0,
            numbers.clamp(max=self.get_buffer("values").shape[0] - top_offset() - 1) + top_offset(),
            numbers + one_suit,
        )
        values = self._look_up("values", numbers)
        steps = (suits[..., None] >= torch.tensor(_SUIT_STEPS)).to(rows.dtype)
        bits = self._look_up("row_bits", numbers).to(rows.dtype)
        return torch.cat([bits.flatten(1), steps.flatten(1), *_order(values)], dim=1), values


def _order(values: Tensor) -> list[Tensor]:
    """How neighbouring rows compare, (P, 6) for each pair, from least, most and lowest (P, 3, 3)."""
    found = []
    for upper, lower in _NEIGHBOURS:
        ahead = values[:, lower, 0] - values[:, upper, 0]
        numbers = [
            (ahead < 0).to(values.dtype),
            (ahead == 0).to(values.dtype),
            (values[:, upper, 2] > values[:, lower, 1]).to(values.dtype),  # a foul, whatever comes
            (values[:, upper, 1] <= values[:, lower, 0]).to(values.dtype),  # in order, whatever comes
            (ahead / _CATEGORY).clamp(-3, 3) / 3,
            (ahead * 8 / _CATEGORY).clamp(-1, 1),
        ]
        found.append(torch.stack(numbers, dim=1))
    return found


def _lines(own: Tensor, theirs: Tensor) -> Tensor:
    """Which own rows are ahead of the opponent's and which are level, (P, 6), from values (P, 3, 3)."""
    ahead = own[:, :, 0] - theirs[:, :, 0]
    return torch.cat([(ahead > 0).to(own.dtype), (ahead == 0).to(own.dtype)], dim=1)
