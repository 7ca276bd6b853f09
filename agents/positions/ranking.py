"""What an agent thinks of every placement of a turn: its own ranking, or one made by letting it play on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from agents.base import Agent, Observation, information_of
from agents.rewards import equity
from agents.turns import seat_to_act
from ofc_env import (
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    Candidate,
    Hand,
    HandResult,
    InformationSet,
    Placement,
    RewardConfig,
    Rules,
)

MOST_HANDS_AT_ONCE = 8192  # 21 MB of observations and masks


@runtime_checkable
class Ranks(Protocol):
    """An agent that can explain itself."""

    def rank(self, information: InformationSet) -> Sequence[Candidate]:
        """Every placement it weighed, best first."""


def rank(
    agent: Agent,
    position: InformationSet | Observation,
    worlds: int = 32,
    seed: int = 0,
    reward: RewardConfig | None = None,
) -> list[Candidate]:
    """Every placement of the turn, best first: the agent's own ranking, or `rank_by_playouts` if it has none.

    Args:
        position: what a seat that is to act knows, or its observation in an environment.
        worlds: deals for each placement where playouts are needed.
        reward: what a hand is worth there; `equity` if None.
    """
    if isinstance(agent, Ranks):
        return list(agent.rank(informed(position, agent.rules)))
    return rank_by_playouts(agent, position, worlds, seed, reward)


def informed(position: InformationSet | Observation, rules: Rules) -> InformationSet:
    """What a seat knows, from itself or from the observation of an environment that plays by these rules."""
    return position if isinstance(position, InformationSet) else information_of(position, rules)


def rank_by_playouts(
    agent: Agent,
    position: InformationSet | Observation,
    worlds: int = 32,
    seed: int = 0,
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
    information = informed(position, agent.rules)
    reward = reward or equity(information.rules)
    if not information.to_act:
        raise ValueError("the seat of this observation holds no cards: rank a position in which it is to act")
    deals = [Hand.from_observation(information, seed + index) for index in range(worlds)]
    mover = seat_to_act(deals[0])
    placements = information.placements()

    candidates = []
    played = play_placements(agent, deals, placements)
    for placement, results in zip(placements, played, strict=True):
        values = np.array([reward.hand_rewards(result)[mover] for result in results])
        candidates.append(
            Candidate(
                placement,
                information.actions_of(placement),
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
    known = ("mean", "error", "foul", "fantasyland", "royalties")
    numbers: dict[str, float] = {name: getattr(candidate, name) for name in known}
    return {
        "placement": str(candidate.placement),
        "actions": list(candidate.actions),
        "rollouts": candidate.rollouts,
        **{name: None if math.isnan(value) else float(value) for name, value in numbers.items()},
    }
