"""Logits that judge each slot by the position it leads to.

A plain network must learn anew for every slot what a good board is. Here one small network looks at the
position after each slot, so that what it learns from one slot serves all others. Its first layer is linear
in the observation: the sum for the position is computed once, and a slot adds only the columns of the cards
that it moves.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from agents.afterstates import DESTINATIONS, TURN_CHANGES
from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE

_CARDS, _PLACES, _IN_HAND, _TURN = 54, 9, 6, 486
_TARGETS = (0, 1, 2, 7)  # where a card in hand can go: the own rows, the own discards
_MOST_IN_HAND = 5
_PHASES = ((0, 27), (27, 59), (59, 91))  # slots of turns 1 to 4, of the first and second step of an opening


class SlotLogits(nn.Module):
    """Observations (N, 490) and masks (N, 150) to logits (N, 150).

    Only slots of a row's own phase are judged; the others are 0, and illegal whatever they are.

    Args:
        counts: the fixed maps of `count_matrix`, weight (K, 490) and bias (K,), or None for no counts.
        hidden: units of each hidden layer.
        dropout: share of units left out in training.
    """

    def __init__(self, counts: tuple[Tensor, Tensor] | None, hidden: tuple[int, ...], dropout: float) -> None:
        super().__init__()
        weight, bias = counts or (torch.zeros(0, OBSERVATION_SIZE), torch.zeros(0))
        self.register_buffer("count_weight", weight, persistent=False)
        self.register_buffer("count_bias", bias, persistent=False)
        self.first = nn.Linear(OBSERVATION_SIZE + len(bias), hidden[0])
        layers: list[nn.Module] = []
        for units, following in pairwise((*hidden, 1)):
            layers += [nn.ReLU(), nn.Dropout(dropout), nn.Linear(units, following)]
        self.rest = nn.Sequential(*layers)
        # Players that see no difference between slots often take the first: a habit of the slot's own.
        self.habit = nn.Parameter(torch.zeros(_PHASES[-1][1]))
        # (91, 5 * 4): which card in hand a slot moves to which target.
        moved = torch.tensor(DESTINATIONS)[:, :, None] == torch.tensor(_TARGETS)
        self.register_buffer("moves", moved.flatten(1).float(), persistent=False)
        self.register_buffer("turn_changes", torch.tensor(TURN_CHANGES), persistent=False)
        self.every_phase = False  # judge all slots of all rows, for an export that cannot branch on masks

    def forward(self, observations: Tensor, masks: Tensor) -> Tensor:
        position, card_moves, turn_column = self._first_sums(observations)
        logits = observations.new_zeros(observations.shape[0], NUM_ACTIONS)
        if self.every_phase:
            judged = [self._judge(position, card_moves, turn_column, *phase) for phase in _PHASES]
            unused = logits[:, _PHASES[-1][1] :]
            return torch.cat([*judged, unused], dim=1)
        for start, end in _PHASES:
            rows = torch.nonzero(masks[:, start:end].any(dim=1))[:, 0]
            if len(rows):
                judged_rows = self._judge(position[rows], card_moves[rows], turn_column, start, end)
                logits[rows, start:end] = judged_rows
        return logits

    def _first_sums(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """First-layer sums: of the position (N, H), of each card move (N, 5 * 4, H), of the turn (H,)."""
        counts = self.first.weight[:, OBSERVATION_SIZE:]
        weight = self.first.weight[:, :OBSERVATION_SIZE] + counts @ self.get_buffer("count_weight")
        bias = self.first.bias + counts @ self.get_buffer("count_bias")
        by_place = weight[:, : _CARDS * _PLACES].reshape(-1, _CARDS, _PLACES)
        gains = by_place[:, :, list(_TARGETS)] - by_place[:, :, _IN_HAND, None]  # (H, 54, 4)
        in_hand = observations[:, _IN_HAND : _CARDS * _PLACES : _PLACES]
        order = torch.cumsum(in_hand, dim=1) * in_hand  # 1 for the first card in hand, 2 for the second, ...
        numbers = torch.arange(1, _MOST_IN_HAND + 1, device=observations.device)
        chosen = (order[:, None] == numbers[:, None]).to(observations.dtype)  # (N, 5, 54)
        card_moves = chosen @ gains.permute(1, 2, 0).reshape(_CARDS, -1)  # (N, 5, 4 * H)
        units = len(bias)
        card_moves = card_moves.reshape(-1, _MOST_IN_HAND * len(_TARGETS), units)
        return nn.functional.linear(observations, weight, bias), card_moves, weight[:, _TURN]

    def _judge(
        self, position: Tensor, card_moves: Tensor, turn_column: Tensor, start: int, end: int
    ) -> Tensor:
        """Logits of the slots from `start` to `end`, (n, end - start)."""
        turn = self.get_buffer("turn_changes")[start:end, None] * turn_column
        sums = position[:, None] + turn + self.get_buffer("moves")[start:end] @ card_moves
        logits: Tensor = self.rest(sums)[:, :, 0] + self.habit[start:end]
        return logits
