"""A policy and a value that look at the board after each legal placement.

A slot's logit comes from the three own rows as that slot would leave them, so that one small network judges
every slot, where a plain policy over 150 slots has to learn anew for each slot what it does to which card.
The first layer adds up parts that are looked up (what each row amounts to) or shared by all slots (the counts
of the whole table); only two small layers are computed for each slot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks import row_table
from agents.networks.modules import RuledModule
from agents.networks.observation import CountLayer
from ofc_env import NUM_ACTIONS, Rules
from ofc_env.afterstates import DESTINATIONS
from ofc_env.layout import (
    BOTTOM_SLOTS,
    CARD_NUMBERS,
    CARDS,
    FIRST_JOKER,
    IN_HAND,
    MOST_IN_HAND,
    PLACES,
    RANKS,
    ROW_SIZES,
    ROWS,
    SUITS,
    TOP_SLOTS,
    TURN,
    UNSEEN,
    USED_SLOTS,
)

ILLEGAL_LOGIT = -1e8  # finite, so that a masked slot times its probability 0 is 0
_ROWS = len(ROWS)
_SUIT_CLASSES = 7  # no natural card, one suit with 1 to 5 cards, several suits
_SUIT_CODES = 8**SUITS
_MOST_UNITS = 4096
VALUE_SCALE = 20.0  # points; the value head works in units of this


@dataclass(frozen=True)
class PlacementConfig:
    """Sizes of a placement network."""

    units: int = 128  # width of the first layer, which policy and value share
    policy: tuple[int, ...] = (32,)  # hidden layers of the policy, for each legal slot
    value: tuple[int, ...] = (32,)  # hidden layers of the value, for each legal slot

    def __post_init__(self) -> None:
        sizes = (self.units, *self.policy, *self.value)
        if not self.policy or not self.value or not all(1 <= size <= _MOST_UNITS for size in sizes):
            raise ValueError(
                f"layers of {self.units}, {self.policy} and {self.value} units are not possible: "
                f"give one or more sizes each, from 1 to {_MOST_UNITS}"
            )


class Afterstates(NamedTuple):
    """The legal slots of a batch of N positions, one after the other, P in all."""

    positions: Tensor  # (P,) which position
    slots: Tensor  # (P,)
    rows: Tensor  # (P, 3) what each own row becomes: numbers of `row_table.rows`
    details: Tensor  # (P, 48) flush draws with the cards left for them, and the cards left that pair up a row


class PlacementNetwork(RuledModule):
    """490 numbers and a mask to the logits of 150 slots and a value in points.

    Args:
        config: its sizes.
        rules: that it is trained by.
    """

    kind = "placements"

    def __init__(self, config: PlacementConfig | None = None, rules: Rules = Rules()) -> None:
        super().__init__(rules)
        self.config = config or PlacementConfig()
        self._add_tables()
        units = self.config.units
        self.counts = CountLayer()
        features = self.get_buffer("row_features").shape[1]
        # What all slots of a position share: counts of the whole table, what the opponent's rows amount to.
        self.table = nn.Linear(self.counts.width + _ROWS * features, units)
        self.row_weights = nn.Parameter(torch.randn(_ROWS, features, units) * 0.15)
        self.detail_weights = nn.Parameter(torch.randn(2 * _ROWS * (_SUIT_CLASSES + 1), units) * 0.1)
        self.policy = _head(units, self.config.policy)
        self.value = _head(units, self.config.value)
        self._row_units: tuple[int, Tensor] | None = None
        self.exported = False  # in a form that ONNX knows: every slot is judged, whatever the masks say

    def _add_tables(self) -> None:
        """Fixed look-ups, none of them saved: they follow from the game."""
        naturals, jokers = row_table.rows()
        self._short = short = int((naturals.sum(axis=1) + jokers <= ROW_SIZES[0]).sum())
        codes = np.arange(_SUIT_CODES)
        counts = np.stack([codes >> 3 * suit & 7 for suit in range(SUITS)], axis=1)
        longest, cards = counts.max(axis=1), counts.sum(axis=1)
        one_suit = np.where(longest == cards, np.minimum(longest, MOST_IN_HAND), _SUIT_CLASSES - 1)
        suit_keys = [8.0 ** (card // RANKS) if card < FIRST_JOKER else 0.0 for card in range(CARDS)]
        tables = {
            "row_features": row_table.row_features(),
            "row_index": row_table.row_index(),
            # Rows of up to three cards come first, so the top row needs only the beginning of its table.
            "row_offsets": np.array([0, short, short + len(naturals)]),
            "singles": (naturals == 1).astype(np.float32),
            "pairs": (naturals == 2).astype(np.float32),
            "card_numbers": np.arange(CARDS, dtype=np.float32),
            "card_keys": np.append(row_table.card_keys(), 0).astype(np.float32),  # the last: no card
            "suit_keys": np.array([*suit_keys, 0.0], dtype=np.float32),
            "suit_class": np.eye(_SUIT_CLASSES, dtype=np.float32)[one_suit],
            "suit_of": counts.argmax(axis=1),
            "moves": np.stack([row == DESTINATIONS for row in range(_ROWS)], axis=1).astype(np.float32),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, 150), very low where a slot is illegal, and values (N,) in points.

        Args:
            observations: (N, 490) float32.
            masks: (N, 150), 0 where a slot is illegal; at least one slot of each row is legal.
        """
        after = self.afterstates(observations, *masks.nonzero(as_tuple=True))
        hidden = self._hidden(observations, after)
        logits = self._logits(len(observations), after, hidden)
        chances = torch.softmax(logits.detach(), dim=1)[after.positions, after.slots]
        after_values = self.value(hidden)[:, 0]
        # What a position is worth is the mean of what its slots lead to, as the policy plays them.
        values = torch.zeros(len(observations)).index_add(0, after.positions, chances * after_values)
        return logits, VALUE_SCALE * values

    def logits(self, observations: Tensor, masks: Tensor) -> Tensor:
        """The logits of `forward` alone."""
        if self.exported:
            return self._every_logit(observations, masks)
        after = self.afterstates(observations, *masks.nonzero(as_tuple=True))
        return self._logits(len(observations), after, self._hidden(observations, after))

    def _every_logit(self, observations: Tensor, masks: Tensor) -> Tensor:
        """The same without choosing what to compute by the masks."""
        count = observations.shape[0]
        positions = torch.arange(count).repeat_interleave(USED_SLOTS)
        slots = torch.arange(USED_SLOTS).repeat(count)
        hidden = self._hidden(observations, self.afterstates(observations, positions, slots))
        logits = self.policy(hidden).reshape(count, USED_SLOTS)
        logits = nn.functional.pad(logits, (0, NUM_ACTIONS - USED_SLOTS))
        return logits.masked_fill(masks == 0, ILLEGAL_LOGIT)

    def _logits(self, count: int, after: Afterstates, hidden: Tensor) -> Tensor:
        logits = hidden.new_full((count, NUM_ACTIONS), ILLEGAL_LOGIT)
        return logits.index_put((after.positions, after.slots), self.policy(hidden)[:, 0])

    @torch.no_grad()
    def afterstates(self, observations: Tensor, positions: Tensor, slots: Tensor) -> Afterstates:
        """What slots (P,) of some positions (P,) among the observations (N, 490) lead to."""
        cards = observations[:, :CARD_NUMBERS].view(-1, CARDS, PLACES)
        hand = _sorted_hand(cards[:, :, IN_HAND], self.get_buffer("card_numbers"))
        own_rows = cards[:, :, :_ROWS].transpose(1, 2)  # (N, 3, 54)
        moves = self.get_buffer("moves")[slots]  # (P, 3, 5)

        def after(keys: Tensor) -> Tensor:
            """The sums of the cards' keys in each own row after the slot, (P, 3); exact below 2**24."""
            held = (own_rows * keys[:CARDS]).sum(dim=2)[positions]
            return (held + (moves * keys[hand][positions, None]).sum(dim=2)).long()

        # Rows that an illegal slot would overfill have no number: any other's will do.
        keys = after(self.get_buffer("card_keys")).clamp(max=row_table.KEY_LIMIT - 1)
        rows = self.get_buffer("row_index")[keys].long()
        suits = after(self.get_buffer("suit_keys"))
        unseen = cards[:, :FIRST_JOKER, UNSEEN].view(-1, SUITS, RANKS) / 8
        suit_left = unseen.sum(dim=2)[positions].gather(1, self.get_buffer("suit_of")[suits])
        rank_left = unseen.sum(dim=1)[positions, None]  # (P, 1, 13)
        flush = self.get_buffer("suit_class")[suits]  # (P, 3, 7)
        details = [
            flush.flatten(1),
            (flush * suit_left[:, :, None]).flatten(1),
            (self.get_buffer("singles")[rows] * rank_left).sum(dim=2),
            (self.get_buffer("pairs")[rows] * rank_left).sum(dim=2),
        ]
        return Afterstates(positions, slots, rows, torch.cat(details, dim=1))

    def _hidden(self, observations: Tensor, after: Afterstates) -> Tensor:
        """The first layer after every legal slot, (P, units)."""
        shared = self.table(torch.cat([self.counts(observations), self._opponent_rows(observations)], dim=1))
        own_rows = self._own_rows(after.rows + self.get_buffer("row_offsets"), self._row_table())
        return torch.relu(torch.addmm(own_rows, after.details, self.detail_weights) + shared[after.positions])

    def _own_rows(self, numbers: Tensor, table: Tensor) -> Tensor:
        """The sums (P, units) of what the three rows (P, 3) add to the first layer."""
        if self.exported:
            return table[numbers].sum(dim=1)
        return nn.functional.embedding_bag(numbers, table, mode="sum")

    @torch.no_grad()
    def _opponent_rows(self, observations: Tensor) -> Tensor:
        """What the opponent's rows amount to, (N, 3 * 61)."""
        cards = observations[:, :CARD_NUMBERS].view(-1, CARDS, PLACES)
        # Not a matrix product: ONNX Runtime computes this one wrongly.
        keys = (cards[:, :, _ROWS : 2 * _ROWS] * self.get_buffer("card_keys")[:CARDS, None]).sum(dim=1)
        return self.get_buffer("row_features")[self.get_buffer("row_index")[keys.long()].long()].flatten(1)

    def _row_table(self) -> Tensor:
        """What every row adds to the first layer, top, middle and bottom one after the other."""
        version = self.row_weights._version  # grows with every change of the weights
        if torch.is_grad_enabled():
            return self._computed_row_table()
        if self._row_units is None or self._row_units[0] != version:
            self._row_units = version, self._computed_row_table()
        return self._row_units[1]

    def _computed_row_table(self) -> Tensor:
        features, top, middle, bottom = self.get_buffer("row_features"), *self.row_weights
        short = features[: self._short]
        return torch.cat([short @ top, features @ middle, features @ bottom])


def legal_slots(observations: Tensor) -> Tensor:
    """The masks (N, 150) of seats that are to act, from their observations (N, 490) alone."""
    cards = observations[:, :CARD_NUMBERS].reshape(-1, CARDS, PLACES)
    held = cards[:, :, IN_HAND].sum(dim=1)
    free = torch.tensor(ROW_SIZES) - cards[:, :, :_ROWS].sum(dim=1)  # (N, 3)
    in_hand = (torch.arange(MOST_IN_HAND) < held[:, None]).to(observations.dtype)  # (N, 5)
    destinations = torch.from_numpy(DESTINATIONS)
    needed = [in_hand @ (destinations == row).to(observations.dtype).T for row in range(_ROWS)]
    fits = torch.stack([needed[row] <= free[:, row, None] for row in range(_ROWS)]).all(dim=0)
    slot, turn = torch.arange(USED_SLOTS), observations[:, TURN, None]
    # Slots of turns 1 to 4, of the first and of the second step of an opening.
    kind = torch.where(turn >= 0.25, 0, torch.where(turn == 0, 1, 2))
    fits = fits & (kind == (slot >= BOTTOM_SLOTS).long() + (slot >= TOP_SLOTS).long())
    bits = torch.where(slot >= TOP_SLOTS, slot - TOP_SLOTS, 0)
    fits = fits & (bits < 2.0 ** held[:, None]) & (held[:, None] > 0)
    return nn.functional.pad(fits, (0, NUM_ACTIONS - USED_SLOTS))


def _sorted_hand(in_hand: Tensor, numbers: Tensor) -> Tensor:
    """The cards in hand in their order, (N, 5), from (N, 54); 54 stands for no card."""
    keys = torch.where(in_hand > 0, numbers, float(CARDS))
    return torch.topk(keys, MOST_IN_HAND, dim=1, largest=False, sorted=True)[0].long()


def _head(units: int, hidden: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [nn.Linear(units, width), nn.ReLU()]
        units = width
    return nn.Sequential(*layers, nn.Linear(units, 1))
