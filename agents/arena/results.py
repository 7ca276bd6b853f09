"""What a match says: who won by how much, how sure that is, and how both played."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.estimates import Estimate, estimate, known, ratio
from agents.arena.tables import Arrays


@dataclass(frozen=True)
class Rates:
    """How often an agent fouled and won fantasyland, and its royalties, in hands that it played normally."""

    hands: int
    points: Estimate | None  # a hand; None where hands are not scored one by one
    foul: Estimate  # share of hands, 0 to 1
    fantasyland: Estimate  # share of hands that won fantasyland, 0 to 1
    royalties: Estimate  # points a hand

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return _plain(self)


@dataclass(frozen=True)
class Side:
    """One agent's part in a match."""

    name: str
    overall: Rates
    button: Rates | None  # hands with the button; None in sessions, where the button moves
    second: Rates | None  # hands without it
    decisions: int
    seconds_per_decision: float  # NaN if it decided nothing

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return _plain(self)


@dataclass(frozen=True)
class MatchResult:
    """A match over duplicate deals; both games of a deal are one sample. Points and equity are agent 0's."""

    agents: tuple[str, str]
    deals: int
    seed: int
    points: Estimate  # points a hand
    equity: Estimate  # points a hand with the worth of the fantasyland that each side won
    adjusted: Estimate | None  # equity with the luck of all deals taken out; None where it was not judged
    luck: tuple[tuple[Estimate, ...], ...] | None  # mean of a deal's: the button's, the other's, by turn
    button: Estimate  # points a hand of whoever has the button, both agents taken together
    button_equity: Estimate  # the same in equity
    sides: tuple[Side, Side]
    open_cards: bool  # an agent saw the true deck: a comparison, no ranking
    points_samples: NDArray[np.float64] = field(repr=False)  # (deals,)
    equity_samples: NDArray[np.float64] = field(repr=False)  # (deals,)
    adjusted_samples: NDArray[np.float64] | None = field(repr=False)  # (deals,)

    @staticmethod
    def from_arrays(
        agents: tuple[str, str], seed: int, arrays: Arrays, open_cards: bool = False
    ) -> MatchResult:
        """Sum up the arrays of `tables.play_hands`."""
        points = arrays["points"].astype(np.float64)  # (deals, 2 games)
        points_samples = points.mean(axis=1)
        equity = _own_value(arrays)
        equity_samples = equity.mean(axis=1)
        adjusted = _adjusted(equity_samples, arrays)
        sides = []
        for agent in (0, 1):
            own_points = points if agent == 0 else -points
            overall, button, second = (
                _hand_rates(arrays, own_points, agent, games) for games in ([0, 1], [agent], [1 - agent])
            )
            sides.append(_side(agents[agent], arrays, agent, overall, button, second))
        return MatchResult(
            agents=agents,
            deals=len(points),
            seed=seed,
            points=estimate(points_samples),
            equity=estimate(equity_samples),
            adjusted=None if adjusted is None else estimate(adjusted),
            luck=_luck_by_seat(arrays),
            button=estimate((points[:, 0] - points[:, 1]) / 2),
            button_equity=estimate((equity[:, 0] - equity[:, 1]) / 2),
            sides=(sides[0], sides[1]),
            open_cards=open_cards,
            points_samples=points_samples,
            equity_samples=equity_samples,
            adjusted_samples=adjusted,
        )

    @property
    def worth(self) -> Estimate:
        """Equity a hand by the quietest measure there is."""
        return self.adjusted or self.equity

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, without the samples; `adjusted` and `luck` are there where luck was judged."""
        return _judged_or_not(_plain(self))

    def text(self) -> str:
        """A small table for people."""
        mark = "  (an agent saw the true deck: not a ranking)" if self.open_cards else ""
        lines = [
            f"{' v '.join(self.agents)}, {self.deals} duplicate deals, seed {self.seed}{mark}",
            f"  equity a hand {self.equity.text()}   points a hand {self.points.text()}   "
            f"(95 % intervals, from {self.agents[0]}'s side)",
            *_adjusted_lines("equity a hand", self.adjusted, self.equity),
            f"  whoever has the button: {self.button.text()} points a hand",
            *side_lines(self.sides),
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class SessionResult:
    """A match over duplicate sessions, each played twice from the same seed. Chips and wins are agent 0's."""

    agents: tuple[str, str]
    sessions: int  # seeds; twice as many sessions were played
    seed: int
    chips: Estimate  # gained a session
    adjusted: Estimate | None  # the same with the luck of all deals taken out; None where it was not judged
    luck: tuple[tuple[Estimate, ...], ...] | None  # sum of a session's: agent 0's, the other's, by turn
    paid: Estimate | None  # reward a session; None where there is none but chips
    wins: Estimate  # share of sessions won, 0 to 1
    hands: Estimate  # hands a session
    sides: tuple[Side, Side]
    open_cards: bool
    chips_samples: NDArray[np.float64] = field(repr=False)  # (sessions,)
    adjusted_samples: NDArray[np.float64] | None = field(repr=False)  # (sessions,)

    @staticmethod
    def from_arrays(
        agents: tuple[str, str], seed: int, arrays: Arrays, start_chips: int, open_cards: bool = False
    ) -> SessionResult:
        """Sum up the arrays of `tables.play_sessions`."""
        chips = arrays["chips"].astype(np.float64)  # (sessions, 2 games)
        chips_samples = chips.mean(axis=1) - start_chips
        adjusted = _adjusted(chips_samples, arrays)
        sides = tuple(
            _side(agents[agent], arrays, agent, _session_rates(arrays, agent), None, None) for agent in (0, 1)
        )
        return SessionResult(
            agents=agents,
            sessions=len(chips),
            seed=seed,
            chips=estimate(chips_samples),
            adjusted=None if adjusted is None else estimate(adjusted),
            luck=_luck_by_agent(arrays),
            paid=estimate(_own_value(arrays).mean(axis=1)) if "value" in arrays else None,
            wins=_win_rate((chips > start_chips).mean(axis=1)),
            hands=estimate(arrays["hands"].mean(axis=1)),
            sides=(sides[0], sides[1]),
            open_cards=open_cards,
            chips_samples=chips_samples,
            adjusted_samples=adjusted,
        )

    @property
    def worth(self) -> Estimate:
        """Chips a session by the quietest measure there is."""
        return self.adjusted or self.chips

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, without the samples; `adjusted` and `luck` are there if luck was judged, `paid` with a
        reward.
        """
        return _judged_or_not(_plain(self))

    def text(self) -> str:
        """A small table for people."""
        mark = "  (an agent saw the true deck: not a ranking)" if self.open_cards else ""
        lines = [
            f"{' v '.join(self.agents)}, {self.sessions} duplicate sessions, seed {self.seed}{mark}",
            f"  sessions won {self.wins.scaled(100).text(1, sign=False)} %   "
            f"chips a session {self.chips.text(1)}   {self.hands.text(1, sign=False)} hands a session   "
            f"(95 % intervals, from {self.agents[0]}'s side)",
            *([] if self.paid is None else [f"  reward a session {self.paid.text(3)}"]),
            *_adjusted_lines("chips a session", self.adjusted, self.chips),
            *side_lines(self.sides),
        ]
        return "\n".join(lines)


def _own_value(arrays: Arrays) -> NDArray[np.float64]:
    """What agent 0 was paid beyond the other, halved: (deals, 2 games)."""
    value: NDArray[np.float64] = (arrays["value"][..., 0] - arrays["value"][..., 1]) / 2
    return value


def _adjusted(samples: NDArray[np.float64], arrays: Arrays) -> NDArray[np.float64] | None:
    """Samples of agent 0 (deals,) without the luck of its deals and of the other's; None if not judged."""
    if "luck" not in arrays:
        return None
    luck = arrays["luck"].sum(axis=3)  # (deals, 2 games, 2 agents)
    adjusted: NDArray[np.float64] = samples - (luck[..., 0] - luck[..., 1]).mean(axis=1)
    return adjusted


def _luck_by_seat(arrays: Arrays) -> tuple[tuple[Estimate, ...], ...] | None:
    """Mean luck of the button's deals and of the other seat's, each by turn: 0 within its interval."""
    if "luck" not in arrays:
        return None
    luck = arrays["luck"]  # agent g has the button in game g
    button = (luck[:, 0, 0] + luck[:, 1, 1]) / 2
    other = (luck[:, 0, 1] + luck[:, 1, 0]) / 2
    return tuple(tuple(estimate(turn) for turn in seat.T) for seat in (button, other))


def _luck_by_agent(arrays: Arrays) -> tuple[tuple[Estimate, ...], ...] | None:
    """Mean luck of the agents' deals in a session, where the button moves, by turn: 0 within its interval."""
    if "luck" not in arrays:
        return None
    luck = arrays["luck"].mean(axis=1)  # (sessions, 2 agents, turns)
    return tuple(tuple(estimate(turn) for turn in luck[:, agent].T) for agent in (0, 1))


def _adjusted_lines(what: str, adjusted: Estimate | None, plain: Estimate) -> list[str]:
    """A line for the result without luck, and what it is worth in deals."""
    if adjusted is None:
        return []
    gain = f", as good as {(plain.error / adjusted.error) ** 2:.1f} times the deals" if adjusted.error else ""
    return [f"  with luck taken out: {what} {adjusted.text()}{gain}"]


def side_lines(sides: tuple[Side, Side]) -> list[str]:
    """A table of foul, fantasyland and royalty rates, in all and by seat, and the time of a decision."""
    width = max(len("agent"), *(len(side.name) for side in sides))
    lines = [
        f"  {'agent':<{width}}  {'seat':<8}  {'foul':>6}  {'FL entry':>8}  {'royalties':>9}  "
        f"{'decisions':>9}  {'ms each':>8}"
    ]
    for side in sides:
        for seat, rates in (("both", side.overall), ("button", side.button), ("other", side.second)):
            if rates is None:
                continue
            line = (
                f"  {side.name if seat == 'both' else '':<{width}}  {seat:<8}  {rates.foul.mean:>6.1%}  "
                f"{rates.fantasyland.mean:>8.1%}  {rates.royalties.mean:>9.2f}"
            )
            if seat == "both":
                line += f"  {side.decisions:>9}  {1000 * side.seconds_per_decision:>8.3f}"
            lines.append(line)
    return lines


def _side(
    name: str, arrays: Arrays, agent: int, overall: Rates, button: Rates | None, second: Rates | None
) -> Side:
    decisions = int(arrays["decisions"][agent])
    seconds = float(arrays["seconds"][agent])
    return Side(name, overall, button, second, decisions, seconds / decisions if decisions else float("nan"))


def _hand_rates(arrays: Arrays, points: NDArray[np.float64], agent: int, games: list[int]) -> Rates:
    """Rates over some of the two games of each deal; the deal is the sample."""

    def mean(name: str) -> NDArray[np.float64]:
        return arrays[name][:, games, agent].astype(np.float64).mean(axis=1)

    return Rates(
        hands=len(points) * len(games),
        points=estimate(points[:, games].mean(axis=1)),
        foul=estimate(mean("foul")),
        fantasyland=estimate((arrays["fantasyland"][:, games, agent] > 0).mean(axis=1)),
        royalties=estimate(mean("royalties")),
    )


def _session_rates(arrays: Arrays, agent: int) -> Rates:
    """Rates over the hands that were played normally; the pair of sessions is the sample."""
    sums = {
        name: arrays[name][..., agent].sum(axis=1)
        for name in ("normal_hands", "foul", "fantasyland", "royalties")
    }
    hands = sums["normal_hands"]
    return Rates(
        hands=int(hands.sum()),
        points=None,
        foul=ratio(sums["foul"], hands),
        fantasyland=ratio(sums["fantasyland"], hands),
        royalties=ratio(sums["royalties"], hands),
    )


def _win_rate(wins: NDArray[np.float64]) -> Estimate:
    """The share of sessions won, from the shares (sessions,) of each pair.

    A pair won and a pair lost are added to the spread, so that a clean sweep is not called certain.
    """
    spread = estimate(np.concatenate([wins, [0.0, 1.0]]))
    return Estimate(float(wins.mean()), spread.error, len(wins))


def _judged_or_not(content: dict[str, Any]) -> dict[str, Any]:
    return {
        name: part
        for name, part in content.items()
        if part is not None or name not in ("adjusted", "luck", "adjusted_samples", "paid")
    }


def _plain(value: Any) -> Any:
    """Dataclasses as JSON-ready dicts; sample arrays are left out, numbers that are not known become None."""
    if isinstance(value, Estimate):
        return value.to_dict()
    if hasattr(value, "__dataclass_fields__"):
        content = {item.name: getattr(value, item.name) for item in fields(value)}
        return {name: _plain(part) for name, part in content.items() if not isinstance(part, np.ndarray)}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return known(value)
    return value
