"""The game and its states as OpenSpiel knows them; all that they say is asked of the core."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, InformationSet, RewardConfig, Rules, card_name, card_names
from ofc_env.layout import CARDS, ROWS
from wrappers.openspiel.start import SHORT_START
from wrappers.openspiel.table import Change, Table, dealt_from_the_deck, replied, set_up

SEATS = 2
PLAYED, SOLVED = "played", "solved"  # the last placement of a short game


def game_type(short_name: str, long_name: str, parameters: Mapping[str, Any]) -> pyspiel.GameType:
    """A registered kind of game with its parameters and their defaults."""
    return pyspiel.GameType(
        short_name=short_name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=SEATS,
        min_num_players=SEATS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(parameters),
    )


def written(value: Any) -> Any:
    """A text of the core as OpenSpiel's game strings can hold it: those keep `=` and `,` for themselves."""
    return value.replace("=", ":").replace(",", "/") if isinstance(value, str) else value


def read(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with the core's own texts, however they are written."""
    return {
        name: value.replace(":", "=").replace("/", ",") if isinstance(value, str) else value
        for name, value in values.items()
    }


def zero_sum_reward(text: str, rules: Rules) -> RewardConfig:
    """What a hand pays, if one seat's gain is the other's loss."""
    reward = RewardConfig.parse(text, rules)
    if reward.of_sessions or reward.fantasyland_entry or reward.foul:
        raise ValueError(f"the reward {text!r} is not zero-sum over one hand: use points or equity")
    return reward


def most_paid(reward: RewardConfig, rules: Rules) -> float:
    """A bound of what a hand can pay."""
    royalties = max(*rules.top_pairs, *rules.top_trips) + max(rules.middle) + max(rules.bottom)
    rows = len(ROWS) + rules.scoop + max(rules.foul, 0)
    return abs(reward.points) * (royalties + rows) + max(map(abs, reward.fantasyland_values))


def course(table: Table) -> tuple[int, int]:
    """Decisions of the seat that has most of them, and cards that are dealt, when a hand takes its time."""
    decisions, dealt = [0] * SEATS, 0
    while (player := table.player) is not None or table.awaited:
        if player is None:
            table, dealt = table.deal(table.outcomes()[0][0]), dealt + 1
        else:
            table = table.step(table.hand.legal_actions()[0])  # of an opening: the one that leaves most cards
            decisions[player] += 1
    return max(decisions), dealt


@dataclass(frozen=True)
class Design:
    """What the parameters of a game say."""

    first: Table  # before the first card
    reward: RewardConfig
    solved: bool = False  # whether the last placement of all is not played, but paid for as a best one


class Game(pyspiel.Game):
    """One hand that both play normally.

    Args:
        kind: the game as it is registered.
        given: its parameters; the others have their defaults.
    """

    def __init__(self, kind: pyspiel.GameType, given: Mapping[str, Any] | None) -> None:
        texts = read({**kind.parameter_specification, **(given or {})})
        self.design = self.designed(texts)
        most = most_paid(self.design.reward, self.rules)
        decisions, _ = course(self.design.first)
        information = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=CARDS,
            num_players=SEATS,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=SEATS * decisions,
        )
        super().__init__(kind, information, {name: written(value) for name, value in texts.items()})

    def __getattr__(self, name: str) -> Any:
        """The design of a game that OpenSpiel made anew, as from a pickle: parameters are all it has."""
        if name != "design":
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        self.design = self.designed(read(self.get_parameters()))
        return self.design

    def designed(self, texts: Mapping[str, Any]) -> Design:
        """What all its parameters say, with the core's own texts."""
        raise NotImplementedError

    @property
    def rules(self) -> Rules:
        """That it is played by."""
        return self.design.first.hand.rules

    def new_initial_state(self) -> State:
        """Before the first card."""
        return State(self)

    def max_chance_nodes_in_history(self) -> int:
        """Cards of a whole hand."""
        return course(self.design.first)[1]

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Any = None
    ) -> Observer:
        """What one seat sees, or all that it has seen at its decisions."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise ValueError(f"observations have no parameters, and {params} were given")
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise ValueError("an observation is all that one seat sees: there is none of a part of it")
        return Observer(course(self.design.first)[0] if kind.perfect_recall else None)


WHOLE = game_type(
    "ofc_pineapple", "OFC Pineapple, one hand", {"rules": "house", "reward": "points", "button": 0}
)
SHORT = game_type(
    "ofc_pineapple_short",
    "OFC Pineapple, the end of a hand with a short deck",
    {"start": written(SHORT_START), "reward": "points", "last_reply": PLAYED},
)


class WholeGame(Game):
    """A hand from its first card.

    Parameters: `rules`, `reward` (`points` or `equity`) and `button`, the seat that has it.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        super().__init__(WHOLE, params)

    def designed(self, texts: Mapping[str, Any]) -> Design:
        """Of `rules`, `button` and `reward`."""
        rules = Rules.parse(texts["rules"])
        return Design(dealt_from_the_deck(rules, texts["button"]), zero_sum_reward(texts["reward"], rules))


class ShortGame(Game):
    """The end of a hand, with a deck so short that exact algorithms can look at every card.

    Parameters: `start`, the text of what the seat knows that has just placed; `reward`; and `last_reply`.
    Where that is `solved`, the hand ends before the last deal and pays what a best placement of it is worth
    on average, which changes no value of the game: whoever places last sees all that matters.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        super().__init__(SHORT, params)

    def designed(self, texts: Mapping[str, Any]) -> Design:
        """Of `start`, `reward` and `last_reply`."""
        if texts["last_reply"] not in (PLAYED, SOLVED):
            raise ValueError(f"last_reply is {PLAYED} or {SOLVED}, not {texts['last_reply']!r}")
        first, solved = set_up(InformationSet.parse(texts["start"])), texts["last_reply"] == SOLVED
        if solved and first.reply_left:
            raise ValueError("only the last reply is left to play: start earlier, or have it played")
        return Design(first, zero_sum_reward(texts["reward"], first.hand.rules), solved)


class State(pyspiel.State):
    """A moment of a hand. `table` is the moment itself, with the core's hand."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.table: Table = game.design.first
        self.paid: list[float] | None = None  # at the end

    def current_player(self) -> int:
        """The seat to act, chance while cards are dealt, or the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.table.awaited else self.table.dealt_to

    def _legal_actions(self, player: int) -> list[int]:
        return self.table.hand.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The cards that may come next, with their chances."""
        return self.table.outcomes()

    def _apply_action(self, action: int) -> None:
        before, design = self.table, self.get_game().design
        self.table = before.deal(action) if before.awaited else before.step(action)
        if self.table.hand.finished:
            self.paid = design.reward.hand_rewards(self.table.hand.result())
        elif design.solved and self.table.reply_left:
            value = replied(before, design.reward)[action]
            self.paid = [value if seat == before.dealt_to else -value for seat in range(SEATS)]

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {card_name(action)}"
        return described(self.table.change(action))

    def is_terminal(self) -> bool:
        """Whether the hand is over, or solved to its end."""
        return self.paid is not None

    def returns(self) -> list[float]:
        """What the hand pays both seats, 0 while it goes on."""
        return self.paid or [0.0, 0.0]

    def __str__(self) -> str:
        """The whole table, hidden cards and all."""
        lines = str(self.table.hand).strip().splitlines()
        if self.table.awaited:
            lines = [line for line in lines if not line.startswith("in hand")]
            come = " ".join([*card_names(self.table.drawn), *["--"] * self.table.awaited])
            lines.append(f"dealing   {come}")
        return "\n".join(line.rstrip() for line in lines)

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> State:
        """A state that this seat cannot tell from this one: all that it does not see is dealt anew.

        Args:
            player: the seat.
            rng: gives numbers from 0 to 1.
        """
        known = self.table.known(player)
        if self.table.awaited or known is None:
            raise ValueError("nothing is resampled while cards are dealt: ask at a decision or at the end")
        hidden = known.unseen
        shuffled = random.Random(int(rng() * 2**53)).sample(hidden, len(hidden))
        names = dict(zip(hidden, shuffled, strict=True))
        other = self.get_game().new_initial_state()
        table: Table = other.table  # walks through this state's own history
        for action in self.history():
            if table.awaited:
                if table.awaited == 1:
                    for card in sorted(names.get(card, card) for card in (*table.drawn, action)):
                        other.apply_action(card)
                table = table.deal(action)
            else:
                other.apply_action(slot_of(other.table, action, renamed(table.change(action), names)))
                table = table.step(action)
        return other


def renamed(change: Change, names: Mapping[int, int]) -> Change:
    """The same placement of cards that are called otherwise."""
    return tuple(tuple(sorted(names.get(card, card) for card in pile)) for pile in change)


def slot_of(table: Table, likely: int, change: Change) -> int:
    """The slot that does this with the cards in hand; mostly the likely one."""
    legal = table.hand.legal_actions()
    for slot in [likely] * (likely in legal) + legal:
        if table.change(slot) == change:
            return slot
    raise ValueError(f"no slot does this: {described(change)}")


def described(change: Change) -> str:
    """A step in words: what goes to each row, and what is thrown away."""
    named = zip((*ROWS, "discard"), change, strict=True)
    return (
        ", ".join(f"{name} {' '.join(card_names(pile))}" for name, pile in named if pile)
        or "nothing at the bottom"
    )


class Observer:
    """What a seat sees now, (490,), or all that it saw: a row for each decision, the last for the present.

    Args:
        decisions: that a seat has at most; None for what it sees now alone.
    """

    def __init__(self, decisions: int | None) -> None:
        self.perfect_recall = decisions is not None
        shape = (OBSERVATION_SIZE,) if decisions is None else (decisions + 1, OBSERVATION_SIZE)
        numbers: NDArray[np.float32] = np.zeros(shape, np.float32)
        self.tensor = numbers.reshape(-1)
        self.dict = {"decisions" if self.perfect_recall else "observation": numbers}

    def set_from(self, state: State, player: int) -> None:
        """Write what a seat sees of a state."""
        self.tensor.fill(0)
        known = state.table.known(player)
        if known is None:
            return
        if not self.perfect_recall:
            self.tensor[:] = known.observation()
            return
        rows, before = self.dict["decisions"], state.table.last_decision(player)
        for row, decision in zip(rows, [*before.history, before] if before else [], strict=False):
            row[:] = decision.observation()
        rows[-1] = known.observation()

    def string_from(self, state: State, player: int) -> str:
        """The same as text."""
        known = state.table.known(player)
        if known is None:
            return "nothing is dealt"
        before = state.table.last_decision(player) if self.perfect_recall else None
        return f"{before} ; {known}" if before else str(known)
