"""Hands of any agent against itself as decisions to learn from: how training begins from a cloned player.

Only the placement that was played is known, and how its hand ended. So a network learns what the teacher's
positions are worth; choosing the best of them by that value is already better play than the teacher's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.randomness import seed_of
from agents.turns import seat_to_act
from ofc_env import Hand, RewardConfig, Rules, _core
from ofc_env.afterstates import afterstates
from ofc_env.layout import has_second_step

TABLES = 64  # hands in flight


def teacher_decisions(
    teacher: str,
    hands: int,
    seed: int,
    reward: RewardConfig | str = "equity",
    rules: Rules | None = None,
) -> dict[str, NDArray[Any]]:
    """Play hands and return their decisions, in the form of `_core.self_play` with one candidate each.

    Args:
        teacher: an agent by name; it plays both seats.
        hands: how many, with the button in turn.
        reward: what the outcomes are.
        rules: that are played by; the house rules if None.
    """
    rules = Rules.of(rules)
    config = (RewardConfig.parse(reward, rules) if isinstance(reward, str) else reward).by_hand(rules)
    given = config.fantasyland_values if any(config.fantasyland_values) else None
    player = agents.make_valued(teacher, rules, None if rules.fantasyland_values else given)
    states: list[NDArray[np.uint64]] = []
    outcomes: list[tuple[float, float, float, float]] = []
    for first in range(0, hands, TABLES):
        numbers = range(first, min(hands, first + TABLES))
        tables = [Hand(seed=seed_of(seed, number), button=number % 2, rules=rules) for number in numbers]
        found = _play(player, tables, rules)
        for hand, visited in zip(tables, found, strict=True):
            result = hand.result()
            rewards = config.hand_rewards(result)
            for seat, state in visited:
                states.append(state)
                royalties = float(result.royalties[seat].total)
                ending = (float(result.busted[seat]), float(result.fl_card_count[seat] > 0), royalties)
                outcomes.append((rewards[seat], *ending))
    return _arrays(np.array(states), np.array(outcomes, dtype=np.float32))


def _play(
    player: agents.Agent, tables: list[Hand], rules: Rules
) -> list[list[tuple[int, NDArray[np.uint64]]]]:
    """Play hands to their end; for each hand the seats and packed states after their placements, in order."""
    found: list[list[tuple[int, NDArray[np.uint64]]]] = [[] for _ in tables]
    while waiting := [index for index, hand in enumerate(tables) if not hand.finished]:
        seats = [seat_to_act(tables[index]) for index in waiting]
        observations = np.stack([tables[index].observation(seat) for index, seat in zip(waiting, seats)])
        masks = np.stack([tables[index].action_mask() for index in waiting])
        slots = player.act_batch(observations, masks)
        packed = _core.pack_observations(afterstates(observations, slots), rules)
        for row, index in enumerate(waiting):
            tables[index].step(int(slots[row]))
            if not has_second_step(slots[row]) and not tables[index].finished:
                found[index].append((seats[row], packed[row]))
    return found


def _arrays(states: NDArray[np.uint64], outcomes: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    count, most = len(states), _core.MOST_CANDIDATES
    padded = np.zeros((count, most, states.shape[1]), dtype=np.uint64)
    values, policy = np.zeros((2, count, most), dtype=np.float32)
    padded[:, 0], values[:, 0], policy[:, 0] = states, outcomes[:, 0], 1.0
    return {
        "states": padded,
        "values": values,
        "policy": policy,
        "chosen": np.zeros(count, dtype=np.int64),
        "counts": np.ones(count, dtype=np.int64),
        "outcomes": outcomes,
    }
