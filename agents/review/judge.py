"""The judge of a review: a search names the best placement, worlds that it never met say what it is worth.

All that was weighed is looked ahead from in the same worlds, so the luck of a world cancels between two
placements. The best one and the one played are then played on to the end of the hand, again in common worlds:
that explains the difference. On the last turn everything is solved.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.arena.estimates import NORMAL_QUANTILE
from agents.networks.native import load_native
from agents.players.alphazero import shipped_champion
from agents.randomness import seed_of
from agents.review.calibration import Calibration, calibration_of
from agents.review.endings import Endings, difference, error_of
from agents.review.grades import SAME, grade_of, is_obvious, kind_of
from agents.review.hands import Played
from agents.review.report import Decision, Option, rounded
from agents.rewards import equity
from agents.turns import set_fantasyland
from ofc_env import Board, Candidate, InformationSet, Placement, RewardConfig, Rules, _core, sample_boards

LAST_TURN = 4
FANTASYLAND_BATCHES = 10  # samples of an opponent's hidden boards, each for a share of the worlds
_COMPARING, _PLAYING = 1, 2  # streams of chance


def digest_of(path: Path) -> str:
    """A short name that other weights do not have."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Effort:
    """How long a judge thinks; ten times as much of everything narrows its intervals to a third."""

    simulations: int = 500  # of the search that names the best placement
    worlds: int = 300  # in which placements are compared
    played_on: int = 400  # worlds that are played to their end to explain a difference
    shown: int = 4  # best placements that are compared, beside the one played
    boards: int = 100  # of an opponent, against which fantasyland settings are compared
    redeals: int = 192  # deals that each deal is compared with
    openings: int = 4000  # of both seats, whose mean is the worth of a seat before any deal

    def times(self, factor: int) -> Effort:
        """So many times the simulations and worlds."""
        return Effort(
            self.simulations * factor,
            self.worlds * factor,
            self.played_on * factor,
            self.shown,
            self.boards * factor,
            self.redeals,
            self.openings,
        )


USUAL = Effort()


class Judge:
    """Judges decisions by some rules; one object may be asked by several threads.

    Args:
        rules: of the hands. Where they have no champion, heuristic playouts judge, and there is no luck.
        effort: how long it thinks.
        checkpoint: a network file instead of the champion.
        reward: what a hand is worth; points and the value of fantasyland if None.
        seed: fixes all chance, with the position.
        calibration: what to make of the network's opinions; as measured for it if None and the reward is the
            usual one.
    """

    def __init__(
        self,
        rules: Rules | str | None = None,
        effort: Effort = USUAL,
        checkpoint: Path | None = None,
        reward: RewardConfig | None = None,
        seed: int = 0,
        calibration: Calibration | None = None,
    ) -> None:
        self.rules = Rules.of(rules)
        self.effort = effort
        self.seed = seed
        self.reward = reward or equity(self.rules)
        path = checkpoint or shipped_champion(self.rules)
        network = load_native(path) if path else None
        self.referee = _core.Referee(network, reward=self.reward, rules=self.rules)
        self.search: _core.NetworkSearch | _core.Pimc
        self.luck: _core.LuckJudge | None = None
        self.calibration = calibration or Calibration()
        if network is not None and path is not None:
            self.search = _core.NetworkSearch(network, reward=self.reward, sims=effort.simulations)
            self.luck = _core.LuckJudge(network, reward=self.reward, redeals=effort.redeals)
            self.network_alone = _core.NetworkSearch(network, reward=self.reward, sims=0)
            digest = digest_of(path)
            self.name = f"alphazero:sims={effort.simulations} {digest}"
            measured = calibration_of(digest)
            if measured is not None and calibration is None and self.reward == equity(self.rules):
                self.calibration = measured
                self.name += " calibrated"
        else:
            rollouts = 10 * effort.simulations  # of the heuristic, which is that much faster
            self.search = _core.Pimc(reward=self.reward, rules=self.rules, rollouts=rollouts)
            self.name = f"pimc:rollouts={rollouts}"
        self.starts: dict[tuple[int, int], float] = {}  # agents.review.luck.start_value, by widths
        self.lock = threading.Lock()

    def judge(self, played: Played) -> Decision:
        """What a decision cost, and why."""
        if played.information.turn == 0 and len(played.information.hand) > 5:
            return self._setting(played)
        return self._turn(played)

    # ------------------------------------------------------------ a turn

    def weigh(self, played: Played) -> tuple[list[Placement], NDArray[np.float64]]:
        """The best placements of a turn and the one played, the best first, and their values.

        The values are (placements, worlds), in worlds that are the same for all, as the calibration corrects
        them; on the last turn (placements, 1) and exact.
        """
        information = played.information
        ranked: list[Candidate] = self.search.search(information, self.seed)
        weighed = [each.placement for each in ranked[: self.effort.shown] if each.mean == each.mean]
        if played.placement not in weighed:
            weighed.append(played.placement)
        if information.turn == LAST_TURN and not information.opponent_fantasyland:
            known = {each.placement: each.mean for each in ranked}
            return weighed, np.array([[known[placement]] for placement in weighed])
        values = self._values(information, weighed)
        if not information.opponent_fantasyland:
            for number, behind in enumerate(values[0] - values[1:], start=1):
                values[number] = values[0] - behind * self.calibration.factor(information.turn, behind.mean())
        return weighed, values

    def _turn(self, played: Played) -> Decision:
        information = played.information
        weighed, values = self.weigh(played)
        is_best = is_same(values[weighed.index(played.placement)], values[0])
        asked = [weighed[0]] if is_best else [weighed[0], played.placement]
        seed = seed_of(self.seed, _PLAYING, information.key())
        ended = self.referee.play(information, asked, self.effort.played_on, seed)
        endings = [Endings.of(each) for each in ended]
        level_error = None
        if information.opponent_fantasyland:
            # What the network does not know of a board that lies face down is the same for all placements.
            values += endings[0].value.mean() - values[0].mean()
            level_error = error_of(endings[0].value)
        return self._decision(played, weighed, values, endings, is_best, level_error)

    def _values(self, information: InformationSet, placements: Sequence[Placement]) -> NDArray[np.float64]:
        """What placements are worth in samples of common worlds, (placements, samples)."""
        worlds = self.effort.worlds
        seed = seed_of(self.seed, _COMPARING)
        if not isinstance(self.search, _core.NetworkSearch):
            seed = seed_of(seed, information.key())
            return self.referee.play(information, placements, worlds, seed)[:, :, 0].astype(np.float64)
        if not information.opponent_fantasyland or information.turn < LAST_TURN - 1:
            return self.search.compare(information, placements, worlds, seed).astype(np.float64)
        # The opponent's hidden boards are the same in all worlds: only other samples tell how sure they are.
        share = -(-worlds // FANTASYLAND_BATCHES)
        batches = [
            self.search.compare(information, placements, share, seed_of(seed, number)).mean(axis=1)
            for number in range(FANTASYLAND_BATCHES)
        ]
        return np.stack(batches, axis=1).astype(np.float64)

    # ------------------------------------------------------------ a fantasyland setting

    def _setting(self, played: Played) -> Decision:
        """Beside the solver's own setting, against boards that the opponent may end with."""
        information = played.information
        best = set_fantasyland(information.hand, self.rules)
        boards = sample_boards(information, self.effort.boards, self.seed)
        widths = (len(information.hand), information.opponent_fantasyland)
        weighed = [best] if played.placement == best else [best, played.placement]
        endings = [
            Endings.against(
                Board(each.top, each.middle, each.bottom, rules=self.rules),
                boards,
                widths,
                self.reward,
                self.rules,
            )
            for each in weighed
        ]
        values = np.array([each.value for each in endings])
        is_best = is_same(values[-1], values[0])
        return self._decision(played, weighed, values, endings, is_best)

    # ------------------------------------------------------------ both

    def _decision(
        self,
        played: Played,
        weighed: Sequence[Placement],
        values: NDArray[np.float64],
        endings: Sequence[Endings],
        is_best: bool,
        level_error: float | None = None,
    ) -> Decision:
        """From the values of placements in common worlds, (placements, worlds), the best one first.

        Where the level of all of them was found in other worlds, `level_error` is the standard error of that.
        """
        mine = weighed.index(played.placement)
        lost = values - values[mine]
        gaps, errors = lost.mean(axis=1), np.array([error_of(row) for row in lost])
        cost, error = (0.0, 0.0) if is_best else (float(gaps[0]), float(errors[0]))
        low = max(0.0, cost - NORMAL_QUANTILE * error)
        high = max(0.0, float((gaps + NORMAL_QUANTILE * errors).max()))
        shown = {0: endings[0].chances(), mine: endings[-1].chances()}
        behind = values[0] - values
        behind_errors = [error_of(row) for row in behind]
        own_errors = [
            error_of(row) if level_error is None else math.hypot(level_error, apart)
            for row, apart in zip(values, behind_errors, strict=True)
        ]
        options = [
            Option(
                str(placement),
                rounded(row.mean()),
                rounded(own_errors[number]),
                rounded(behind[number].mean()),
                rounded(behind_errors[number]),
                shown.get(number),
            )
            for number, (placement, row) in enumerate(zip(weighed, values, strict=True))
        ]
        changed = None if is_best else difference(endings[1], endings[0], self.reward)
        kind = None
        if changed is not None:
            kind = "setting"
            if len(played.information.hand) <= 5:
                kind = kind_of(
                    played.information.turn,
                    _sure(changed.by_foul, changed.by_foul_error),
                    _sure(changed.by_fantasyland, changed.by_fantasyland_error),
                    weighed[0].discards == played.placement.discards,
                )
        return Decision(
            seat=played.seat,
            turn=played.information.turn,
            information=str(played.information),
            played=str(played.placement),
            best=str(played.placement if is_best else weighed[0]),
            options=(options[0], *sorted(options[1:], key=lambda each: each.behind)),
            cost=rounded(cost),
            error=rounded(error),
            low=rounded(low),
            high=rounded(high),
            grade=grade_of(cost, cost - NORMAL_QUANTILE * error, is_best),
            kind=kind,
            obvious=is_obvious(behind.mean(axis=1)[1:].tolist(), is_best),
            timed_out=played.timed_out,
            difference=changed,
        )


def is_same(values: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether two placements are worth the same in every world: one placement in other suits."""
    return bool(np.all(np.abs(values - others) <= SAME))


def _sure(number: float, error: float) -> float:
    """The number, or 0 where its 95 % interval holds that."""
    return number if abs(number) > NORMAL_QUANTILE * error else 0.0


@lru_cache(maxsize=4)
def judge_for(rules: Rules, effort: Effort = USUAL) -> Judge:
    """The judge of some rules, kept for the next hand."""
    return Judge(rules, effort)
