"""What an agent thinks of every placement of a turn: its own ranking, or one made by letting it play on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from agents.base import Agent, Observation
from agents.turns import seat_to_act
from ofc_env import (
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    Hand,
    HandResult,
    Placement,
    RewardConfig,
    Rules,
    decode_observation,
)

MOST_HANDS_AT_ONCE = 8192  # 21 MB of observations and masks


@dataclass(frozen=True)
class Candidate:
    """A whole-turn placement and what an agent expects of it; NaN where the agent does not know.

    Chances and royalties are those of the mover's own board at the end of the hand.
    """

    actions: tuple[int, ...]  # the slots that play it from here: one, or two for an opening
    placement: Placement
    mean: float  # value in points, fantasyland included where the agent's reward includes it
    error: float  # standard error of the mean, 0 where it is exact
    rollouts: int  # hands played out for it; 0 where none was needed
    foul: float  # chance, 0 to 1
    fantasyland: float  # chance to win fantasyland, 0 to 1
    royalties: float  # mean of the own royalties, points


@runtime_checkable
class Ranks(Protocol):
    """An agent that can explain itself."""

    def rank(self, observation: Observation) -> Sequence[Candidate]:
        """Every placement it weighed, best first."""


def rank(
    agent: Agent, observation: Observation, worlds: int = 32, seed: int = 0, rules: Rules = Rules()
) -> list[Candidate]:
    """Every placement of the turn, best first: the agent's own ranking, or `rank_by_playouts` if it has none.

    Args:
        observation: of a seat that is to act.
        worlds: deals for each placement where playouts are needed.
    """
    if isinstance(agent, Ranks):
        return list(agent.rank(observation))
    return rank_by_playouts(agent, observation, worlds, seed, rules)


def rank_by_playouts(
    agent: Agent,
    observation: Observation,
    worlds: int = 32,
    seed: int = 0,
    rules: Rules = Rules(),
    reward: RewardConfig | None = None,
) -> list[Candidate]:
    """Value placements by playing the hand on with the agent in both seats.

    Every placement meets the same worlds, so that luck of the deal does not decide between them.

    Args:
        worlds: how often the unseen cards are dealt.
        reward: what a hand is worth; points and fantasyland values (`equity`) if None.
    """
    if worlds < 1:
        raise ValueError(f"{worlds} worlds cannot rank anything: use 1 or more")
    reward = reward or RewardConfig.preset("equity")
    numbers = np.ascontiguousarray(observation["observation"], dtype=np.float32)
    if not decode_observation(numbers).to_act:
        raise ValueError("the seat of this observation holds no cards: rank a position in which it is to act")
    deals = [Hand.from_observation(numbers, seed + index, rules) for index in range(worlds)]
    mover = seat_to_act(deals[0])
    choices = [(placement, tuple(deals[0].actions_of(placement))) for placement in deals[0].placements()]

    candidates = []
    played = play_placements(agent, deals, [placement for placement, _ in choices])
    for (placement, actions), results in zip(choices, played, strict=True):
        values = np.array([reward.hand_rewards(result)[mover] for result in results])
        candidates.append(
            Candidate(
                actions=actions,
                placement=placement,
                mean=float(values.mean()),
                error=float(values.std(ddof=1) / math.sqrt(worlds)) if worlds > 1 else math.nan,
                rollouts=worlds,
                foul=float(np.mean([result.busted[mover] for result in results])),
                fantasyland=float(np.mean([result.fl_card_count[mover] > 0 for result in results])),
                royalties=float(np.mean([result.royalties[mover].total for result in results])),
            )
        )
    return sorted(candidates, key=lambda candidate: -candidate.mean)


def play_placements(
    agent: Agent, deals: Sequence[Hand], placements: Sequence[Placement]
) -> Iterator[list[HandResult]]:
    """How each placement turns out in each of the deals, the agent playing on in both seats."""
    together = max(1, MOST_HANDS_AT_ONCE // len(deals))
    for start in range(0, len(placements), together):
        part = placements[start : start + together]
        hands = [deal.clone() for _ in part for deal in deals]
        for index, hand in enumerate(hands):
            hand.place(part[index // len(deals)])
        play_out(agent, hands)
        for begin in range(0, len(hands), len(deals)):
            yield [hand.result() for hand in hands[begin : begin + len(deals)]]


def play_out(agent: Agent, hands: Sequence[Hand]) -> None:
    """Play hands to their end with the agent in both seats, one decision of each hand at a time."""
    observations = np.zeros((len(hands), OBSERVATION_SIZE), dtype=np.float32)
    masks = np.zeros((len(hands), NUM_ACTIONS), dtype=np.int8)
    while running := [hand for hand in hands if not hand.finished]:
        for index, hand in enumerate(running):
            hand.write_observation(seat_to_act(hand), observations[index])
            hand.write_action_mask(masks[index])
        actions = agent.act_batch(observations[: len(running)], masks[: len(running)])
        for hand, action in zip(running, actions.tolist(), strict=True):
            hand.step(action)


def ranking_table(candidates: Sequence[Candidate], limit: int | None = 10) -> str:
    """The ranking as text, best first, at most `limit` lines (None: all)."""
    shown = candidates if limit is None else candidates[:limit]
    width = max([len(str(candidate.placement)) for candidate in shown] + [len("placement")])
    lines = [
        f"{'':>3}  {'placement':<{width}}  {'value':>7}  {'error':>6}  {'behind':>7}  {'foul':>6}  "
        f"{'fantasyland':>11}  {'royalties':>9}  {'rollouts':>8}"
    ]
    best = candidates[0].mean if candidates else math.nan
    for place, candidate in enumerate(shown, start=1):
        lines.append(
            f"{place:>3}  {candidate.placement!s:<{width}}  {_number(candidate.mean, '+.2f'):>7}  "
            f"{_number(candidate.error, '.2f'):>6}  {_number(best - candidate.mean, '.2f'):>7}  "
            f"{_number(candidate.foul, '.1%'):>6}  {_number(candidate.fantasyland, '.1%'):>11}  "
            f"{_number(candidate.royalties, '.2f'):>9}  {candidate.rollouts:>8}"
        )
    if len(shown) < len(candidates):
        lines.append(f"     … and {len(candidates) - len(shown)} more")
    return "\n".join(lines)


def _number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value + 0.0, form)


def candidate_dict(candidate: Candidate) -> dict[str, Any]:
    """A candidate JSON-ready: the placement as text, None where a number is not known."""
    numbers = {
        name: getattr(candidate, name) for name in ("mean", "error", "foul", "fantasyland", "royalties")
    }
    return {
        "placement": str(candidate.placement),
        "actions": list(candidate.actions),
        "rollouts": candidate.rollouts,
        **{name: None if math.isnan(value) else float(value) for name, value in numbers.items()},
    }
