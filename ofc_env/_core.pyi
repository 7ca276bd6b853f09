"""
The rules of OFC Pineapple, natively: cards, boards, hands, sessions, solvers and batched environments.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final

import numpy
import numpy.typing
from numpy.typing import NDArray

import ofc_env.results


def parse_cards(cards: str | Iterable[str | int]) -> list[int]:
    """Card numbers of "Ah Kd X1" or of an iterable of names and numbers."""

def card_name(card: int) -> str:
    """Name of a card number 0 to 53, like "Ah"."""

def card_names(cards: str | Iterable[str | int]) -> list[str]:
    """Names of several cards."""

def row_value(cards: str | Iterable[str | int], limit: int | None = None) -> int | None:
    """
    Best reading of 3 or 5 cards not above `limit`, as one comparable number; None if there is none.
    """

def row_readings(cards: str | Iterable[str | int]) -> list[int]:
    """Every distinct value a row can be read as, ascending."""

def row_values_batch(cards: Annotated[NDArray, dict(writable=False)]) -> NDArray[numpy.uint32]:
    """Best values of many rows: uint8 (N, 3) or (N, 5) -> uint32 (N,)."""

def row_value_name(value: int) -> str:
    """A row value in words, like "full house, kings over deuces"."""

def table_bytes() -> int:
    """Size of the evaluator's lookup tables in bytes."""

class Rules:
    """
    What tables differ in. Frozen; the default is the house game, preset("house").
    """

    def __init__(self, *, jokers: int = 2, button_acts: str = 'first', top_pairs: Sequence[int] = ..., top_trips: Sequence[int] = ..., middle: Sequence[int] = ..., bottom: Sequence[int] = ..., scoop: int = 3, foul: int = -1, fantasyland_pairs: Sequence[int] = ..., fantasyland_trips: int = 17, stay_top: str = 'trips', stay_middle: str = 'none', stay_bottom: str = 'quads', stay_cards: int = 14, chips: int = 200, stop_gap: int = 40, turn_seconds: int = 20, fantasyland_seconds: int = 90) -> None: ...

    @staticmethod
    def parse(text: str) -> Rules:
        """
        Rules from a preset's name, from fields as name=value, or from both: "standard scoop=6".
        """

    @staticmethod
    def of(rules: Rules | str | None) -> Rules:
        """
        Rules that are given as a value, as text, or not at all: those of the house.
        """

    @staticmethod
    def presets() -> list[str]:
        """The names that preset() knows."""

    @staticmethod
    def preset(name: str) -> Rules:
        """The rules of a name in presets()."""

    @property
    def name(self) -> str:
        """The shortest text that parse() reads as these rules."""

    @property
    def num_cards(self) -> int:
        """Cards in the deck, jokers and all."""

    @property
    def deck(self) -> list[int]:
        """Those cards, sorted."""

    def first_to_act(self, button: int) -> int:
        """
        The seat that is dealt to and acts first on every turn, given the one with the button.
        """

    @property
    def widths(self) -> list[int]:
        """Cards of every fantasyland that can be won or kept, ascending."""

    @property
    def fantasyland_values(self) -> list[float] | None:
        """
        What winning 14, 15, 16, 17 cards is worth under them, in points; None where nobody has measured it.
        """

    def win_chance(self, stacks: Sequence[int], fantasyland: Sequence[int] = (0, 0)) -> float:
        """
        The chance of seat 0 to win the session with these chips and, in the next hand, these fantasylands, by the measured table; 0 or 1 where it is over.
        """

    def of_a_hand(self) -> Rules:
        """
        The same without what makes no difference to a hand: stacks, the stopping rule and clocks.
        """

    def same_hand(self, other: Rules) -> bool:
        """
        Whether a hand is the same game under both: all but stacks, the stopping rule and clocks is equal.
        """

    def royalty(self, row: str, value: int) -> int:
        """Royalties of a row ("top", "middle" or "bottom") of this value."""

    @property
    def jokers(self) -> int:
        """jokers in the deck beside the 52 cards; a single one is X1"""

    @property
    def button_acts(self) -> str:
        """whether the button is dealt to and acts first or last on every turn"""

    @property
    def top_pairs(self) -> list[int]:
        """royalties of a pair on top, deuces to aces"""

    @property
    def top_trips(self) -> list[int]:
        """royalties of trips on top, deuces to aces"""

    @property
    def middle(self) -> list[int]:
        """
        royalties of the middle by category, high card to straight flush, then royal
        """

    @property
    def bottom(self) -> list[int]:
        """
        royalties of the bottom by category, high card to straight flush, then royal
        """

    @property
    def scoop(self) -> int:
        """extra points for winning all three rows"""

    @property
    def foul(self) -> int:
        """
        points that a foul costs beside royalties, 0 if both foul; -1: all rows and the scoop
        """

    @property
    def fantasyland_pairs(self) -> list[int]:
        """cards of the fantasyland won by a pair on top, deuces to aces; 0 none"""

    @property
    def fantasyland_trips(self) -> int:
        """cards of the fantasyland won by trips on top; 0 none"""

    @property
    def stay_top(self) -> str:
        """least category on top that keeps a player in fantasyland"""

    @property
    def stay_middle(self) -> str:
        """least category in the middle that does"""

    @property
    def stay_bottom(self) -> str:
        """least category in the bottom that does"""

    @property
    def stay_cards(self) -> int:
        """cards of a fantasyland that is kept; 0: as many as before"""

    @property
    def chips(self) -> int:
        """chips of each player at the start of a session"""

    @property
    def stop_gap(self) -> int:
        """chip difference that ends a session before a normal hand"""

    @property
    def turn_seconds(self) -> int:
        """time for a turn in live play"""

    @property
    def fantasyland_seconds(self) -> int:
        """time to set a fantasyland hand in live play"""

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

    def replace(self, **changes: Any) -> Rules:
        """A copy with some fields changed."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class Board:
    """
    Three rows of cards, complete or not. Order inside a row means nothing.
    """

    def __init__(self, top: str | Iterable[str | int] = (), middle: str | Iterable[str | int] = (), bottom: str | Iterable[str | int] = (), rules: Rules | None = None) -> None: ...

    @property
    def top(self) -> list[int]: ...

    @property
    def middle(self) -> list[int]: ...

    @property
    def bottom(self) -> list[int]: ...

    @property
    def rules(self) -> Rules: ...

    @property
    def complete(self) -> bool:
        """Whether all 13 cards are placed."""

    @property
    def fouled(self) -> bool:
        """
        Whether no reading keeps top <= middle <= bottom; complete boards only.
        """

    @property
    def royalties(self) -> ofc_env.results.Royalties:
        """Royalties (top, middle, bottom, total); complete boards only."""

    @property
    def row_names(self) -> list[str]:
        """What each complete row is read as, in words; "" for the others."""

    @property
    def row_values(self) -> list[int | None]:
        """
        The readings of top, middle, bottom as numbers; None from the row on that fouls.
        """

    @property
    def fantasyland_cards(self) -> int:
        """
        Cards of the fantasyland this board wins when played normally, 0 if none.
        """

    @property
    def stays(self) -> bool:
        """Whether this board, set in fantasyland, keeps its player there."""

    def to_dict(self) -> dict[str, list[str]]:
        """Card names by row."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> tuple[list[int], str]: ...

    def __setstate__(self, arg: tuple[Sequence[int], str], /) -> None: ...

class Placement:
    """Where the cards of one turn go."""

    def __init__(self, top: str | Iterable[str | int] = (), middle: str | Iterable[str | int] = (), bottom: str | Iterable[str | int] = (), discards: str | Iterable[str | int] = ()) -> None: ...

    @property
    def top(self) -> list[int]: ...

    @property
    def middle(self) -> list[int]: ...

    @property
    def bottom(self) -> list[int]: ...

    @property
    def discards(self) -> list[int]: ...

    @staticmethod
    def parse(text: str) -> Placement:
        """
        Placement from "Ah>t Kd>b 2c>x": t, m, b for the rows, x for a discard.
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class HandResult:
    """The outcome of a hand; pairs are by seat."""

    @property
    def boards(self) -> list[Board]: ...

    @property
    def busted(self) -> list[bool]: ...

    @property
    def royalties(self) -> list[ofc_env.results.Royalties]: ...

    @property
    def line_results(self) -> list[list[int]]:
        """Top, middle, bottom from each seat's side: 1 won, 0 equal, -1 lost."""

    @property
    def scoop(self) -> int | None:
        """The seat that won all three rows, or None."""

    @property
    def raw_score(self) -> list[int]:
        """Points of the hand."""

    @property
    def actual_score(self) -> list[int]:
        """Points capped by the loser's chips."""

    @property
    def chips(self) -> list[int]:
        """Chips after the hand."""

    @property
    def fl_entry(self) -> list[bool]:
        """Fantasyland won from normal play."""

    @property
    def fl_stay(self) -> list[bool]:
        """Fantasyland kept."""

    @property
    def fl_card_count(self) -> list[int]:
        """Cards of the next hand's fantasyland, 0 for none."""

    @property
    def fantasyland(self) -> list[int]:
        """Cards of this hand's fantasyland, 0 for normal play."""

    def to_dict(self) -> dict[str, Any]:
        """The body of a hand_end message: plain lists, dicts and card names."""

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int], str], /) -> None: ...

    __hash__: None = None

def score_boards(a: Board, b: Board, chips: Sequence[int] = (200, 200), fantasyland: Sequence[int] = (0, 0), rules: Rules | None = None) -> HandResult:
    """
    Score of two complete boards, a in seat 0; `fantasyland` gives the widths of boards set in it, for the stay rule.
    """

class Outlook:
    """How a board stands, full or not."""

    @property
    def row_values(self) -> list[int | None]:
        """
        Top, middle, bottom as numbers: the best reading so far, the least for a row that fouls, None if empty.
        """

    @property
    def royalties(self) -> ofc_env.results.Royalties:
        """What the rows as they stand would earn; nothing on a foul."""

    @property
    def fouled(self) -> bool:
        """Whether no cards to come can save the board."""

    @property
    def at_risk(self) -> bool:
        """
        Whether a row stands above the one below it, on a board that can still be saved.
        """

    @property
    def stands_above(self) -> list[bool]:
        """
        Top over middle, middle over bottom: a pair or more that beats the lower row so far.
        """

    @property
    def fantasyland_cards(self) -> int:
        """
        Cards of the fantasyland that these rows would win when played normally, 0 if none.
        """

    @property
    def stays(self) -> bool:
        """Whether these rows, set in fantasyland, would keep their player there."""

def board_outlook(board: Board) -> Outlook:
    """How a board of 0 to 13 cards stands, by its own rules."""

class RewardConfig:
    """What a seat is paid for a hand and for a session. Frozen."""

    def __init__(self, *, points: float = 1.0, fantasyland_values: Sequence[float] = ..., fantasyland_entry: float = 0.0, foul: float = 0.0, capped: bool = False, session: float = 0.0, win: float = 0.0) -> None: ...

    @staticmethod
    def preset(name: str, rules: Rules | str | None = None) -> RewardConfig:
        """One of points, equity, shaped, session, mixed, win, for these rules."""

    @staticmethod
    def parse(text: str, rules: Rules | str | None = None) -> RewardConfig:
        """A preset's name, fields as name=value, or both: "equity foul=10"."""

    def hand_rewards(self, result: HandResult, in_session: bool = False) -> list[float]:
        """Rewards of both seats for a finished hand."""

    def session_rewards(self, final_chips: Sequence[int], rules: Rules | None = None) -> list[float]:
        """Rewards of both seats for a finished session."""

    @property
    def of_sessions(self) -> bool:
        """
        Whether it pays for more than hands, so that whole sessions are to be played.
        """

    def by_hand(self, rules: Rules | None = None) -> RewardConfig:
        """
        What a hand is worth in points while its session goes on; of a reward for hands the reward itself.
        """

    @property
    def points(self) -> float:
        """weight of the hand's points"""

    @property
    def fantasyland_values(self) -> list[float]:
        """worth of winning 14, 15, 16, 17 cards for the next hand, zero-sum"""

    @property
    def fantasyland_entry(self) -> float:
        """bonus for entering fantasyland, own seat only"""

    @property
    def foul(self) -> float:
        """penalty for an own foul"""

    @property
    def capped(self) -> bool:
        """points capped by chips also in one-hand episodes"""

    @property
    def session(self) -> float:
        """weight of (final chips - start) / start"""

    @property
    def win(self) -> float:
        """
        weight of winning the session, 1 or -1: a hand pays what it changes in 2 * chance - 1, by the measured table
        """

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

    def replace(self, **changes: Any) -> RewardConfig:
        """A copy with some fields changed."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class InformationSet:
    """
    All that a seat may know: what agents and searches speak. A value, with the seat's earlier decisions of the hand in `history`.
    """

    def __init__(self, *, top: str | Iterable[str | int] = (), middle: str | Iterable[str | int] = (), bottom: str | Iterable[str | int] = (), opponent_top: str | Iterable[str | int] = (), opponent_middle: str | Iterable[str | int] = (), opponent_bottom: str | Iterable[str | int] = (), hand: str | Iterable[str | int] = (), discards: str | Iterable[str | int] = (), turn: int = 0, opening_step: int = 0, button: bool | None = None, opponent_fantasyland: int = 0, chips: int = 200, opponent_chips: int = 200, nowhere: str | Iterable[str | int] = (), rules: Rules | str | None = None) -> None: ...

    @property
    def top(self) -> list[int]: ...

    @property
    def middle(self) -> list[int]: ...

    @property
    def bottom(self) -> list[int]: ...

    @property
    def opponent_top(self) -> list[int]: ...

    @property
    def opponent_middle(self) -> list[int]: ...

    @property
    def opponent_bottom(self) -> list[int]: ...

    @property
    def hand(self) -> list[int]:
        """Cards to place, sorted."""

    @property
    def discards(self) -> list[int]:
        """One's own."""

    @property
    def unseen(self) -> list[int]: ...

    @property
    def nowhere(self) -> list[int]:
        """Cards of the rules' deck that are in no place: a short deck's."""

    @property
    def rules(self) -> Rules: ...

    @property
    def turn(self) -> int: ...

    @property
    def opening_step(self) -> int:
        """1 between the two steps of an opening."""

    @property
    def button(self) -> bool | None:
        """
        Whether the seat has the button; None against fantasyland, where order means nothing.
        """

    @property
    def opponent_fantasyland(self) -> int:
        """Cards of the opponent's fantasyland, 0 for normal play."""

    @property
    def chips(self) -> int: ...

    @property
    def opponent_chips(self) -> int: ...

    @property
    def to_act(self) -> bool:
        """Whether the seat holds cards to place."""

    @property
    def in_fantasyland(self) -> bool:
        """Whether the seat sets a fantasyland hand, or has set one."""

    @property
    def history(self) -> list[InformationSet]:
        """The seat's earlier decisions of this hand, oldest first."""

    def follows(self, before: InformationSet) -> bool:
        """
        Whether this can be a later decision of the same seat in the same hand.
        """

    def following(self, before: InformationSet) -> InformationSet:
        """
        The same position, with an earlier decision of the hand and what came before it as its history.
        """

    def observation(self) -> NDArray[numpy.float32]:
        """The 490 numbers of the RL environments: float32 (490,)."""

    def key(self, seed: int = 0) -> int:
        """
        A 64-bit number, evenly spread, that follows from the seed and all 490 numbers.
        """

    def action_mask(self) -> NDArray[numpy.int8]:
        """
        int8 (150,): 1 where a slot is legal; all zero for a seat that is not to act.
        """

    def legal_actions(self) -> list[int]:
        """Legal slots, ascending."""

    def placements(self) -> list[Placement]:
        """Every legal placement of the turn."""

    def actions_of(self, placement: Placement) -> tuple[int, ...]:
        """The slots that play a placement: one, or two for an opening."""

    def is_lost(self, placement: Placement) -> bool:
        """
        Whether the board is fouled after a placement of the turn, whatever cards come. Before the last turn every pair of unseen cards is tried; earlier any card is taken for possible.
        """

    def makes_foul_certain(self, placement: Placement) -> bool:
        """
        Whether a placement loses the board in that sense, and another one of the turn does not.
        """

    @staticmethod
    def from_observation(observation: numpy.typing.NDArray[numpy.float32], rules: Rules | str | None = None, short_deck: bool = False) -> InformationSet:
        """
        The information set behind 490 float32 numbers, of a seat that plays by these rules. Cards that are nowhere are refused unless the deck may be short.
        """

    @staticmethod
    def parse(text: str) -> InformationSet:
        """The information set that str() wrote."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

def decode_observation(observation: numpy.typing.NDArray[numpy.float32], rules: Rules | str | None = None, short_deck: bool = False) -> InformationSet:
    """InformationSet.from_observation."""

def decode_observations(observations: numpy.typing.NDArray[numpy.float32], rules: Rules | str | None = None) -> list[InformationSet]:
    """The information sets behind float32 (N, 490) observations."""

def observation_keys(positions: Sequence[InformationSet] | numpy.typing.NDArray[numpy.float32], seed: int = 0, rules: Rules | str | None = None) -> numpy.typing.NDArray[numpy.uint64]:
    """InformationSet.key() of many: uint64 (N,)."""

OBSERVATION_SIZE: int = 490

NUM_ACTIONS: int = 150

NUM_CARDS: int = 54

NUM_PLACES: int = 9

CHIP_UNIT: int = 200

FIRST_BOTTOM_SLOT: int = 27

FIRST_TOP_SLOT: int = 59

class Hand:
    """
    One hand between seats 0 and 1. A value: clone() and == compare all of it, hidden cards too.
    """

    def __init__(self, seed: int | None = None, button: int = 0, chips: Sequence[int] | None = None, fantasyland: Sequence[int] = (0, 0), deck: str | Iterable[str | int] | None = None, rules: Rules | str | None = None) -> None: ...

    @property
    def turn(self) -> int:
        """Turn of the cards in hand, 0 to 4."""

    @property
    def player(self) -> int | None:
        """Seat to act, None when finished."""

    @property
    def button(self) -> int: ...

    @property
    def chips(self) -> list[int]:
        """Chips before the hand, by seat."""

    @property
    def fantasyland(self) -> list[int]:
        """Fantasyland width by seat, 0 for normal play."""

    @property
    def rules(self) -> Rules: ...

    @property
    def dealt(self) -> list[int]:
        """Cards in the hand of the seat to act, sorted."""

    @property
    def dealt_in_order(self) -> list[int]:
        """The same in the order in which they were dealt."""

    @property
    def opening_step(self) -> int:
        """1 between the two steps of an opening."""

    @property
    def deck(self) -> list[int]:
        """The true order of all cards: for logs and tests, not for players."""

    @property
    def finished(self) -> bool: ...

    @property
    def in_fantasyland(self) -> bool:
        """
        Whether the seat to act sets a fantasyland hand, by place() or set_fantasyland().
        """

    def board(self, seat: int) -> Board: ...

    def discards(self, seat: int) -> list[int]: ...

    def result(self) -> HandResult:
        """The outcome of a finished hand."""

    def placements(self) -> list[Placement]:
        """Every legal placement of this turn."""

    def place(self, placement: Placement) -> None:
        """Play a whole turn, or a fantasyland setting."""

    def legal_actions(self) -> list[int]:
        """Legal slots of the seat to act, ascending."""

    def action_mask(self) -> NDArray[numpy.int8]:
        """int8 (150,): 1 where a slot is legal for the seat to act."""

    def step(self, action: int) -> None:
        """Play one slot."""

    def actions_of(self, placement: Placement) -> list[int]:
        """The slots that play a placement: one, or two for an opening."""

    def placement_of(self, actions: Sequence[int]) -> Placement:
        """The placement that these slots of one turn play."""

    def observation(self, seat: int) -> numpy.typing.NDArray[numpy.float32]:
        """What a seat sees: float32 (490,)."""

    def information(self, seat: int) -> InformationSet:
        """What a seat knows."""

    def write_observation(self, seat: int, out: numpy.typing.NDArray[numpy.float32]) -> None:
        """observation() into a float32 (490,) array that is there already."""

    def write_action_mask(self, out: numpy.typing.NDArray[numpy.int8]) -> None:
        """action_mask() into an int8 (150,) array that is there already."""

    def set_fantasyland(self) -> None:
        """Let the solver set the fantasyland hand of the seat to act."""

    def clone(self) -> Hand: ...

    def determinize(self, seat: int, seed: int | None) -> Hand:
        """A copy in which all that `seat` cannot see is dealt anew."""

    def renamed(self, cards: str | Iterable[str | int], names: str | Iterable[str | int]) -> Hand:
        """
        A copy in which each of `cards` is the card in its place of `names`, wherever it lies: in the deck, on boards, in hand, thrown away. The names are the same cards in another order.
        """

    @staticmethod
    def from_observation(observation: numpy.typing.NDArray[numpy.float32] | InformationSet, seed: int | None = None, rules: Rules | str | None = None) -> Hand:
        """
        A hand that fits what a seat sees, given as an observation or an InformationSet, which has rules of its own; the observer is seat 0 in it.
        """

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Hand: ...

    def __deepcopy__(self, memo: object) -> Hand: ...

    def __getstate__(self) -> tuple[str, list[int], list[list[int]], list[int], int, list[int], list[int], int, int, int, int]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int], Sequence[Sequence[int]], Sequence[int], int, Sequence[int], Sequence[int], int, int, int, int], /) -> None: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def first_free_slots(cards: str | Iterable[str | int], board: Board) -> Placement:
    """
    A legal turn that needs no player: the cards as dealt into the first free slots, the rest discarded.

    Args:
        cards: of the turn in the order dealt: 5, 3, or 14 to 17 in fantasyland.
        board: the seat's own before it.
    """

def random_playouts(count: int, seed: int | None = 0, rules: Rules | None = None) -> dict[str, int]:
    """
    Play whole hands at random and sum up: fouls, royalties and entries over both seats, points of seat 0.
    """

class Session:
    """
    A whole session: hands in a row with chips, button, fantasyland and the stop rules.
    """

    def __init__(self, seed: int | None = None, rules: Rules | str | None = None, auto_fantasyland: bool = True) -> None: ...

    @property
    def hand(self) -> Hand:
        """
        A copy of the hand being played; the last one once the session is over.
        """

    @property
    def chips(self) -> list[int]: ...

    @property
    def button(self) -> int: ...

    @property
    def fantasyland(self) -> list[int]:
        """Widths of the hand being played, 0 for normal play."""

    @property
    def hands_played(self) -> int: ...

    @property
    def history(self) -> list[HandResult]:
        """The HandResult of every finished hand."""

    @property
    def finished(self) -> bool: ...

    @property
    def winner(self) -> int | None:
        """Seat with more chips at the end; None before, and if they are equal."""

    @property
    def reason(self) -> str | None:
        """Why it ended: "no_chips" or "chip_gap"; None before."""

    @property
    def rules(self) -> Rules: ...

    @property
    def seed(self) -> int: ...

    @property
    def auto_fantasyland(self) -> bool:
        """Whether the solver sets fantasyland hands without a step."""

    def step(self, action: int) -> None:
        """Play one slot; a hand that ends is settled and the next one dealt."""

    def place(self, placement: Placement) -> None:
        """Play a whole turn, or set a fantasyland hand."""

    def clone(self) -> Session: ...

    def __copy__(self) -> Session: ...

    def __deepcopy__(self, memo: object) -> Session: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def to_json(self) -> str:
        """All of the session as text; from_json() goes on from there."""

    @staticmethod
    def from_json(text: str) -> Session:
        """A session from to_json(), checked to be one that play can reach."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[tuple[str, int, bool, tuple[str, Sequence[int], Sequence[Sequence[int]], Sequence[int], int, Sequence[int], Sequence[int], int, int, int, int], Sequence[int], Sequence[int], int, int, int], list], /) -> None: ...

    def __repr__(self) -> str: ...

    __hash__: None = None

class BatchEnv:
    """
    Many environments stepped at once, natively, over numpy buffers that are refreshed in place.

    An episode that ends starts anew at once.
    """

    def __init__(self, num_envs: int, seed: int | None = 0, episode: str = 'hand', reward: RewardConfig | str | None = None, rules: Rules | None = None, terminal_observations: bool = False) -> None: ...

    @property
    def num_envs(self) -> int: ...

    @property
    def observations(self) -> NDArray[numpy.float32]:
        """float32 (N, 490) of the seats to act."""

    @property
    def action_masks(self) -> NDArray[numpy.int8]:
        """int8 (N, 150) of the seats to act."""

    @property
    def players(self) -> NDArray[numpy.int8]:
        """int8 (N,): seat to act."""

    @property
    def buttons(self) -> NDArray[numpy.int8]:
        """int8 (N,): seat of the button."""

    @property
    def rewards(self) -> NDArray[numpy.float32]:
        """float32 (N, 2): rewards of the last step, by seat."""

    @property
    def dones(self) -> NDArray[numpy.bool_]:
        """bool (N,): whether an episode ended in the last step."""

    @property
    def hand_ends(self) -> NDArray[numpy.bool_]:
        """bool (N,): whether a hand ended in the last step."""

    @property
    def fouls(self) -> NDArray[numpy.bool_]:
        """bool (N, 2): fouls of the hand that ended last."""

    @property
    def royalties(self) -> NDArray[numpy.float32]:
        """float32 (N, 2): royalties of the hand that ended last."""

    @property
    def fantasyland(self) -> NDArray[numpy.int8]:
        """int8 (N, 2): fantasyland widths won by the hand that ended last."""

    @property
    def terminal_observations(self) -> NDArray[numpy.float32]:
        """
        float32 (N, 2, 490): what each seat saw at the end of the episode that ended last.
        """

    def step(self, actions: numpy.typing.NDArray[Any]) -> None:
        """
        One action an environment (int64 or int32, (N,)); -1 leaves that environment alone.
        """

    def random_actions(self) -> NDArray[numpy.int64]:
        """A uniformly random legal action for every environment: int64 (N,)."""

    def reset(self, seed: int | None = None, envs: Sequence[int] | None = None, buttons: Sequence[int | None] | None = None, chips: Sequence[Sequence[int] | None] | None = None, decks: Sequence[Iterable[str | int] | None] | None = None) -> None:
        """
        Start every environment anew, or those of the numbers `envs`: these with a button, a pair of chips and a deck each, where one is given.
        """

    def skip(self, envs: Sequence[int]) -> None:
        """
        Leave the episodes in play at these environments for their next ones; nothing is paid.
        """

    def hand(self, env: int) -> Hand:
        """A copy of the hand being played in one environment."""

def row_royalties(observations: numpy.typing.NDArray[Any], rules: Rules | str | None = None) -> numpy.typing.NDArray[numpy.int32]:
    """
    int32 (N, 6): royalties of the finished rows of float32 (N, 490), each read by itself: the observer's top to bottom, then the opponent's; 0 for a row that is not full.
    """

class SeatRollout:
    """
    Self-play with credit by seat: steps a BatchEnv, notes who saw and chose what, pays every decision what its own seat earned until its next one, and estimates advantages along the decisions of a seat.

    A decision is complete when its seat decides again or its episode ends. `finish` returns each complete decision once; the last of a seat that is still playing is held over, and its value stands for what is to come.
    """

    def __init__(self, env: BatchEnv) -> None: ...

    def __len__(self) -> int:
        """Decisions noted, complete or not."""

    def step(self, actions: numpy.typing.NDArray[Any], values: numpy.typing.NDArray[Any], log_probs: numpy.typing.NDArray[Any] | None = None) -> None:
        """
        Step the tables with one action each (int64 or int32, (N,); -1 leaves a table alone). `values` float32 (N,) are what the seats to act expect; `log_probs` float32 (N,) of their actions, 0 if not given.
        """

    def finish(self, gamma: float = 1.0, gae_lambda: float = 0.95) -> dict[str, numpy.typing.NDArray[Any]]:
        """
        The M complete decisions in the order in which they were made, and forget them. Arrays by name: observations float32 (M, 490), action_masks int8 (M, 150), actions int64, tables int32, players int8, log_probs, values, rewards float32, dones bool, next_values, advantages, returns float32, all (M,). Discounts are by decision of the seat.
        """

    def clear(self) -> None:
        """Forget every decision; the way to go on after a reset of the tables."""

class FantasylandSolution:
    """The best setting of a fantasyland hand."""

    @property
    def placement(self) -> Placement: ...

    @property
    def board(self) -> Board: ...

    @property
    def royalties(self) -> int:
        """Total royalties."""

    @property
    def stays(self) -> bool: ...

    @property
    def value(self) -> float:
        """What was maximised."""

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __getstate__(self) -> tuple[str, float, str]: ...

    def __setstate__(self, arg: tuple[str, float, str], /) -> None: ...

    def __repr__(self) -> str: ...

    __hash__: None = None

def solve_fantasyland(cards: str | Iterable[str | int], stay_value: float | None = None, opponent: Board | Sequence[Board] | None = None, rules: Rules | None = None) -> FantasylandSolution:
    """
    The exact best setting of 14 to 17 cards: highest royalties + stay_value if it stays; against an opponent's board, or a list of boards it may have,
    highest mean points + stay_value. Ties go to the stronger bottom, then middle, then top. The default stay_value is that of the equity reward.
    """

def brute_force_fantasyland(cards: str | Iterable[str | int], stay_value: float | None = None, opponent: Board | Sequence[Board] | None = None, rules: Rules | None = None) -> FantasylandSolution:
    """solve_fantasyland by trying every setting; for proofs."""

MOST_LIKELY_BOARDS: int = 4096

def sample_boards(position: InformationSet | numpy.typing.NDArray[numpy.float32], boards: int = 64, seed: int | None = 0) -> list[Board]:
    """
    Boards that the opponent of a seat about to set a fantasyland hand may end with, as solve_fantasyland() takes them.

    Each is dealt from what the seat has not seen: played by the heuristic, or set by the solver if the opponent is in
    fantasyland too. The seed and the position fix all chance.
    """

def solve_last_turn(position: Hand | InformationSet | numpy.typing.NDArray[numpy.float32], reward: RewardConfig | str | None = None, rules: Rules | str | None = None, samples: int = 64, seed: int | None = 0) -> dict[int, float]:
    """
    What the seat to act is paid for every legal action on turn 4, for a Hand, an InformationSet or an observation (by the equity reward by default).

    Exact for the second to act; for the first, the exact mean over every draw of the opponent, which answers with its best placement;
    against fantasyland, the mean over `samples` boards dealt from the unseen cards.
    """

def complete_with_hindsight(board: Board, deals: Sequence[str | Iterable[str | int]], *, fantasyland_values: Sequence[float] | None = None, foul: float | None = None) -> tuple[Board, float]:
    """
    The best finished board that two cards of each deal to come make of a board, and what it is worth.

    Worth are its royalties and the fantasyland that it wins, by `fantasyland_values` of 14 to 17 cards (those of the board's rules by default), or minus `foul` (what the rules take): a board fouls only where every other does. The deals are of three cards each, as many as the board has pairs of free places.
    """

def completions(position: InformationSet | numpy.typing.NDArray[numpy.float32], placements: Sequence[Placement], worlds: int = 400, seed: int | None = 0, *, fantasyland_values: Sequence[float] | None = None, foul: float | None = None) -> numpy.typing.NDArray[numpy.float32]:
    """
    What placements are worth to a seat that plays by itself and will see its draws: float32 (placements, worlds), points.

    In each world the deals to come are drawn from the unseen cards, the same for all placements, and the board is completed with hindsight.
    """

class Candidate:
    """
    A placement of a whole turn and what a player expects of it; NaN where it does not know. Chances and royalties are those of its own board at the end of the hand.
    """

    def __init__(self, placement: Placement, actions: Sequence[int] = (), *, mean: float = ..., error: float = ..., rollouts: int = 0, foul: float = ..., fantasyland: float = ..., royalties: float = ..., prior: float = ...) -> None: ...

    @property
    def placement(self) -> Placement: ...

    @property
    def actions(self) -> tuple[int, ...]:
        """The slots that play it: one, or two for an opening."""

    @property
    def mean(self) -> float:
        """value in points for the seat to act"""

    @property
    def error(self) -> float:
        """standard error of the mean, 0 where it is exact"""

    @property
    def rollouts(self) -> int:
        """simulations or playouts behind it; 0 where none was needed"""

    @property
    def foul(self) -> float:
        """chance that its own board ends fouled"""

    @property
    def fantasyland(self) -> float:
        """chance that its own board wins fantasyland"""

    @property
    def royalties(self) -> float:
        """mean royalties of its own board, points"""

    @property
    def prior(self) -> float:
        """what it was worth before any simulation, points"""

    @property
    def too_close(self) -> bool:
        """
        left the race early with a higher mean than the one that is played: too close to call
        """

    @staticmethod
    def parse(text: str) -> Candidate:
        """The candidate that str() wrote."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class Heuristic:
    """Hand-written placement sense, natively and in batches."""

    def __init__(self, reward: RewardConfig | str | None = None, rules: Rules | str | None = None, weights: Sequence[float] | None = None, *, temperature: float = 0.0, careless: float = 0.0) -> None: ...

    @staticmethod
    def handicap_fields() -> list[ofc_env.results.Setting]:
        """What makes it weaker than it could be."""

    default_weights: Final[list[float]] = ...
    """The weights in the order of fields()."""

    def actions(self, positions: Sequence[InformationSet] | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> numpy.typing.NDArray[numpy.int64]:
        """The actions that it plays in many positions: int64 (N,)."""

    def rank(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> list[Candidate]:
        """
        Every placement with its value: the one that it plays first, then the best.
        """

    def play_out(self, hand: Hand, count: int, seed: int | None = 0, random: bool = False) -> float:
        """Mean value for seat 0 of a hand played out in `count` worlds."""

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

class Belief:
    """
    How likely each unseen card is among the opponent's discards, from what it placed.
    """

    def __init__(self, position: InformationSet, temperature: float = 1.5, floor: float = 0.02, smallest_share: float = 0.1, reward: RewardConfig | str | None = None, rules: Rules | str | None = None) -> None: ...

    @property
    def turns(self) -> int:
        """Turns with a discard so far."""

    def weights(self, turn: int) -> list[float]:
        """
        Weight of each of the 54 cards as the discard of a turn; all zero where nothing is known.
        """

    def log_likelihood(self, unseen: str | Iterable[str | int], discards: str | Iterable[str | int]) -> tuple[float, float]:
        """
        Log-likelihood of the discards by turn: (by this belief, drawn uniformly).
        """

class Pimc:
    """
    Perfect-information Monte Carlo over worlds dealt from the unseen cards.
    """

    def __init__(self, *, reward: RewardConfig | str | None = None, rules: Rules | str | None = None, rollouts: int = 2000, leaf: str = 'heuristic', race: bool = True, exact: bool = True, belief: bool = False, opening_width: int = 32, risk: float = 0.0, seconds: float = 0.0) -> None: ...

    def search(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> list[Candidate]:
        """
        The placements of a position, best first. The seed and the position fix all chance.
        """

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

class Ismcts:
    """Information-set Monte Carlo tree search with playouts."""

    def __init__(self, *, reward: RewardConfig | str | None = None, rules: Rules | str | None = None, simulations: int = 2000, leaf: str = 'heuristic', exploration: float = 0.2, widen: bool = True, widening: float = 1.5, widening_power: float = 0.4, exact: bool = True, belief: bool = False, max_nodes: int = 65536) -> None: ...

    def choose(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> int:
        """
        The most visited slot. The second step of an opening goes on in the tree of its first.
        """

    def search(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> list[Candidate]:
        """
        The placements that the tree has visited: the one that is played first, then by mean.
        """

    def choose_open(self, hand: Hand, seed: int | None = 0) -> int:
        """choose() on the true hand, hidden cards and all: for comparison only."""

    def search_open(self, hand: Hand, seed: int | None = 0) -> list[Candidate]:
        """search() on the true hand, hidden cards and all: for comparison only."""

    def visits(self, position: object) -> int:
        """Visits of an information set in the tree of the last search."""

    @property
    def nodes(self) -> int:
        """Nodes of the last search's tree."""

    @property
    def simulations(self) -> int:
        """Simulations of the last search."""

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

def network_stages(states: numpy.typing.NDArray[numpy.uint64]) -> numpy.typing.NDArray[numpy.int64]:
    """
    The stage of the hand of packed states: int64 (N,), twice the turn placed, and one more against fantasyland.
    """

def pack_observations(observations: numpy.typing.NDArray[numpy.float32], rules: Rules | str | None = None) -> numpy.typing.NDArray[numpy.uint64]:
    """
    Observations (N, 490) as packed states: uint64 (N, 8); cards in hand count as neither placed nor unseen.
    """

def network_features(states: numpy.typing.NDArray[numpy.uint64], seed: int | None = None, rules: Rules | None = None) -> numpy.typing.NDArray[numpy.float32]:
    """
    Inputs of the network for packed states (N, 8): float32 (N, NETWORK_FEATURES). With a seed, suits and jokers of each state are renamed at random.
    """

def network_inputs(states: numpy.typing.NDArray[numpy.uint64], starts: numpy.typing.NDArray[numpy.int64] | None = None, seed: int | None = None, rules: Rules | None = None) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
    """
    The inputs that are on for packed states (N, 8), by number: int32 (K,), and where those of each state start: int64 (N + 1,). With a seed, suits and jokers are renamed at random: of each state, or where `starts` says which states belong together, alike for all of a decision.
    """

def inputs_gradient(gradient: numpy.typing.NDArray[numpy.float32], inputs: numpy.typing.NDArray[numpy.int32], starts: numpy.typing.NDArray[numpy.int64]) -> numpy.typing.NDArray[numpy.float32]:
    """
    What each input's weights get of a gradient of the first layer's sums (N, units): float32 (NETWORK_FEATURES, units); `inputs` and `starts` as network_inputs() gave them.
    """

def pack_turns(observations: numpy.typing.NDArray[numpy.float32], actions: numpy.typing.NDArray[numpy.int64], rules: Rules | str | None = None) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
    """
    Logged decisions (N, 490) with the slots played (N,) as whole turns: packed positions, uint64 (M, 9); which of their placements was played, in the order of placement_states(), int64 (M,); and in which row each turn began, int64 (M,). The two steps of an opening are one turn.
    """

def placement_states(positions: numpy.typing.NDArray[numpy.uint64]) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int64]]:
    """
    The states after every placement of packed positions (M, 9), 232 after an opening: uint64 (K, 8), and where those of each position start: int64 (M + 1,).
    """

NETWORK_FEATURES: int = 1663

NETWORK_INPUTS: dict = ...

NETWORK_CHIP_FEATURES: int = 24

NETWORK_HEADS: int = 5

NETWORK_STAGES: int = 10

def vector_path() -> str:
    """
    The vectors that networks are summed up with: the first of vector_paths(), or what OFC_VECTORS names.
    """

def vector_paths() -> list[str]:
    """
    The kinds of vectors that this build and this processor have, widest first.
    """

class Network:
    """The value network after a placement, evaluated natively."""

    def __init__(self, first: numpy.typing.NDArray[numpy.float32], first_bias: numpy.typing.NDArray[numpy.float32], second: numpy.typing.NDArray[numpy.float32], second_bias: numpy.typing.NDArray[numpy.float32], heads: numpy.typing.NDArray[numpy.float32], heads_bias: numpy.typing.NDArray[numpy.float32], rules: Rules | None = None) -> None: ...

    @property
    def hidden(self) -> int: ...

    @property
    def rules(self) -> Rules:
        """That it was trained by."""

    def evaluate(self, states: numpy.typing.NDArray[numpy.uint64]) -> numpy.typing.NDArray[numpy.float32]:
        """
        Outputs of packed states (N, 8): float32 (N, 5): value, foul, fantasyland, royalties, preference.
        """

    def preferred(self, positions: Sequence[InformationSet] | numpy.typing.NDArray[numpy.float32], temperature: float = 0.0, seed: int | None = 0) -> numpy.typing.NDArray[numpy.int64]:
        """
        The first slots of the placements that the policy (the preference) likes best in many positions, or, at a temperature, of placements drawn from it: int64 (N,). Seed and position fix the draw.
        """

    def placements_per_second(self, observations: numpy.typing.NDArray[numpy.float32], repeats: int = 1) -> int:
        """
        Judge all placements of the observations, again and again, and return how many were judged: for benchmarks.
        """

class NetworkSearch:
    """Information-set tree search guided by the network."""

    def __init__(self, network: Network, *, reward: RewardConfig | str | None = None, opponent: Network | str | Callable[[InformationSet], int] | None = None, sims: int = 200, root: str = 'halving', prior_weight: float = 16.0, candidates: int = 12, depth: int = 1, draws: int = 3, c_puct: float = 60.0, prior_temperature: float = 2.0, widening: float = 1.0, widening_power: float = 0.75, noise: float = 0.0, noise_alpha: float = 0.3, visit_temperature: float = 0.0, max_nodes: int = 16384, shares: int = 4, opponent_temperature: float = 0.0, risk: float = 0.0, exact: bool = True, belief: bool = False, opening_width: int = 232, threads: int = 1, seconds: float = 0.0, temperature: float = 0.0) -> None:
        """
        The opponent answers in the worlds of a search: this network, another one, 'heuristic', 'random', or a function from what a seat sees to its slot.
        """

    def search(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> list[Candidate]:
        """
        The placements of a position, best first. The seed and the position fix all chance.
        """

    def actions(self, positions: Sequence[InformationSet] | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> numpy.typing.NDArray[numpy.int64]:
        """Best actions of many positions, without a belief: int64 (N,)."""

    def compare(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], placements: Sequence[Placement], worlds: int = 400, seed: int | None = 0) -> numpy.typing.NDArray[numpy.float32]:
        """
        What placements are worth in the same worlds, looked ahead as a search does, without its race and in worlds that it does not meet: points, float32 (placements, worlds).
        """

    def statistics(self) -> dict[str, float]:
        """
        Of the last search: simulations, nodes (decisions of the tree, beside the root), depth (own decisions in a row), visits (of a node, on average), seconds.
        """

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

MOST_CANDIDATES: int = 8

def self_play_fields() -> list[ofc_env.results.Setting]:
    """The settings of self_play()."""

def self_play(network: Network | None, hands: int, seed: int | None, *, starts: Sequence[Hand] = (), reward: RewardConfig | str | None = None, rules: Rules | str | None = None, candidates: int = 4, simulations: int = 32, last_simulations: int = 0, root: str = 'halving', draws: int = 1, prior_weight: float = 0.0, noise: float = 0.0, noise_alpha: float = 0.3, visit_temperature: float = 1.0, policy_target: str = 'values', exploring_share: float = 0.75, temperatures: Sequence[float] = ..., full_turns: int = 3, target_temperature: float = 1.0, opening_width: int = 232, fantasyland_share: float = 0.08, random_openings: float = 0.03, start_share: float = 0.25, by_rollouts: bool = False) -> dict[str, numpy.typing.NDArray[Any]]:
    """
    Play hands against itself and return their decisions as arrays: states uint64 (N, 8, 8), values and policy float32 (N, 8), chosen and counts int64 (N,),
    outcomes float32 (N, 4): equity, foul, fantasyland, royalties. The last index of states is a packed state; only the first `counts` of the 8 candidates are filled. A reward with a share for the session has whole sessions played, until there are at least so many hands.
    """

class LuckJudge:
    """
    What cards that a seat was dealt are worth above those that it might have been dealt: luck, of mean 0.
    """

    def __init__(self, network: Network, *, reward: RewardConfig | str | None = None, redeals: int = 24, opening_width: int = 32) -> None: ...

    def luck(self, hands: Sequence[Hand], seeds: Sequence[int]) -> numpy.typing.NDArray[numpy.float64]:
        """
        The luck in the cards that the seat to act has just been dealt, of many hands, in points for that seat: float64 (N,). Hands and seeds fix it.
        """

    def redeals(self, hand: Hand, seed: int) -> list[list[int]]:
        """The deals that the one which came is compared with, as sorted cards."""

    def judge(self, hand: Hand, seed: int) -> tuple[float, numpy.typing.NDArray[numpy.float64]]:
        """
        What the deal is worth to the seat to act, and what each of the deals is worth that it is compared with.
        """

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

class Judgement:
    """
    What a referee found about every legal placement, best by the network first.
    """

    @property
    def placements(self) -> list[Placement]: ...

    @property
    def states(self) -> numpy.typing.NDArray[numpy.uint64]:
        """Packed states after them: uint64 (N, 8)."""

    @property
    def priors(self) -> numpy.typing.NDArray[numpy.float64]:
        """The network's own values, points: float64 (N,)."""

    @property
    def race(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        Points of the seat to act in each world of the race: float32 (N, worlds), NaN once a placement has dropped out.
        """

    @property
    def fresh(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        The same in the fresh worlds: float32 (N, worlds), NaN for a placement that they did not judge.
        """

    @property
    def left(self) -> list[int]:
        """Those in the race at its end, by their places in the lists."""

    @property
    def leader(self) -> int:
        """The best of them by the race."""

    @property
    def rollouts(self) -> int:
        """Hands played on."""

class Referee:
    """
    Judges every legal placement of a decision by playing it on: a race in common worlds names the best, fresh worlds say what it is worth.
    """

    def __init__(self, network: Network | None, *, reward: RewardConfig | str | None = None, rules: Rules | str | None = None, worlds: int = 2048, block: int = 64, z: float = 3.0, fresh: int = 1024) -> None:
        """Without a network (None) the heuristic judges and plays on."""

    def judge(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], seed: int | None = 0, asked: Sequence[Placement] = ()) -> Judgement:
        """
        Every legal placement of a position; those asked about are judged by the fresh worlds too. The seed and the position fix the answer.
        """

    def play(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], placements: Sequence[Placement], worlds: int = 400, seed: int | None = 0) -> numpy.typing.NDArray[numpy.float32]:
        """
        How placements end, each played on in the same worlds: float32 (placements, worlds, 10). The numbers are the value in points; foul, next fantasyland's cards and royalties of one's own board, then of the opponent's; and top, middle and bottom won (1), shared (0) or lost (-1).
        """

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

class Effort:
    """
    How long a judge thinks; ten times as much of everything narrows its intervals to a third.
    """

    def __init__(self, *, simulations: int = 500, worlds: int = 300, played_on: int = 400, shown: int = 4, boards: int = 100, redeals: int = 192, openings: int = 4000) -> None: ...

    @staticmethod
    def parse(text: str) -> Effort:
        """Fields as name=value; those left out keep their default."""

    @property
    def simulations(self) -> int:
        """of the search that names the best placement"""

    @property
    def worlds(self) -> int:
        """in which placements are compared"""

    @property
    def played_on(self) -> int:
        """worlds that are played to their end to explain a difference"""

    @property
    def shown(self) -> int:
        """best placements that are compared, beside the one played"""

    @property
    def boards(self) -> int:
        """of an opponent, against which fantasyland settings are compared"""

    @property
    def redeals(self) -> int:
        """deals that each deal is compared with"""

    @property
    def openings(self) -> int:
        """of both seats, whose mean is the worth of a seat before any deal"""

    @staticmethod
    def fields() -> list[ofc_env.results.Setting]:
        """
        Its settings: name, type, default, bounds, choices and meaning of each.
        """

    def replace(self, **changes: Any) -> Effort:
        """A copy with some fields changed."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object | None, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class Judge:
    """
    Judges decisions: what a placement cost beside the best one, and why. What it says is JSON text, which agents.review.report reads.
    """

    def __init__(self, network: Network | None, *, reward: RewardConfig | str | None = None, rules: Rules | str | None = None, effort: Effort | None = None, seed: int | None = 0, digest: str = '', start: float | None = None, slopes: Sequence[Sequence[float]] = ...) -> None:
        """
        Without a network (None) heuristic playouts judge, and there is no luck. The digest of the weights goes into the judge's name; `start` and `slopes` are its calibration.
        """

    @property
    def name(self) -> str: ...

    def judge(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], played: Placement, seat: int = 0, timed_out: bool = False) -> str:
        """A decision: agents.review.report.Decision."""

    def weigh(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], played: Placement) -> tuple[list[Placement], numpy.typing.NDArray[numpy.float64]]:
        """
        The best placements of a turn and the one played, the best first, and their values in worlds that are the same for all, as the calibration corrects them: float64 (placements, worlds); on the last turn (placements, 1) and exact.
        """

    def play(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], placements: Sequence[Placement], worlds: int = 400, seed: int | None = 0) -> numpy.typing.NDArray[numpy.float32]:
        """
        How placements end, as Referee.play() tells it; fantasyland settings against boards that the opponent may end with.
        """

    def analyse(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], placement: Placement | None = None, every_chance: bool = True) -> str:
        """
        A position judged as a decision; of the best placement if none is given. With the chances of every placement that was weighed, or of two alone.
        """

    def chances(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], placement: Placement | None = None, worlds: int = 1000, seed: int | None = 0) -> str:
        """
        How the hand will end for a seat that is to act: agents.review.report.Chances.
        """

    def hint(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], shown: int = 3, worlds: int = 1000, seed: int | None = 0) -> str:
        """
        The placements that are worth most: a list of agents.review.report.Option.
        """

    def best_choice(self, position: InformationSet | numpy.typing.NDArray[numpy.float32]) -> Placement:
        """
        What the search holds for best; of a fantasyland hand the solver's setting.
        """

    def first_choice(self, position: InformationSet | numpy.typing.NDArray[numpy.float32]) -> Placement:
        """The same without a search, where there is a network."""

    def luck(self, hand: Hand) -> float | None:
        """
        The luck of the cards that the seat to act has just been dealt, for that seat; None where nobody can judge it.
        """

    def start_value(self, widths: Sequence[int]) -> float:
        """
        What a hand is worth to the seat that acts first before any deal; its own width first.
        """

    def told(self, hand: str, seat: int, decisions: Sequence[str]) -> str:
        """
        The review of a hand from its judged decisions: agents.review.report.HandReview.
        """

REVIEW_VERSION: int = 1

REVIEW_DIGITS: int = 4

GRADES: tuple = ...

KINDS: tuple = ...

SAME_POINTS: float = 1e-06

NORMAL_QUANTILE: float = 1.959963984540054

RATING_BLOCK: int = 20

ANALYSED_SHOWN: int = 6

ASKED_WORLDS: int = 1000

HINT_SHOWN: int = 3

CALIBRATION_KNEE: float = 1.0

def seed_of(*numbers: int) -> int:
    """
    A seed of 64 bits that follows from whole numbers of 0 or more; numpy's SeedSequence makes the same.
    """

def student_quantile(freedom: int) -> float:
    """
    The 97.5 % point of Student's t with that many degrees of freedom, to 1 % from 3 degrees on.
    """

def rounded(number: float) -> float:
    """A number as reviews keep it."""

def grade_of(cost: float, low: float, is_best: bool) -> str:
    """
    What a decision is called that lost so many points, `low` or more of them for sure; is_best where the best placement was played, or one that is the same in every world.
    """

def is_obvious(leads: Sequence[float], is_best: bool) -> bool:
    """
    Whether a decision says nothing about who made it; leads are the points by which the best placement beats each of the others.
    """

def kind_of(turn: int, foul: float, fantasyland: float, same_discards: bool) -> str:
    """
    What a decision was about where something else than the best was played: points that fouls and fantasyland made of the difference, 0 where that is not sure; whether both throw the same cards away.
    """

def calibration_factor(slopes: Sequence[Sequence[float]], turn: int, behind: float) -> float:
    """What so many points behind the best placement are multiplied by."""

def ending_chances(endings: numpy.typing.NDArray[numpy.float64]) -> str:
    """
    Means of one placement's endings, float64 (worlds, 10) as Judge.play() tells them, as JSON.
    """

def ending_difference(played: numpy.typing.NDArray[numpy.float64], best: numpy.typing.NDArray[numpy.float64], reward: RewardConfig) -> str:
    """What one placement changed beside another in the same worlds, as JSON."""

def review_from_side(review: str, seat: int, outcome: str) -> str:
    """A review as the seat sees it; the outcome is that of its hand."""

def review_session(reviews: Sequence[str]) -> str:
    """Hands that followed each other, from one seat's side, as one account."""

def review_rating(reviews: Sequence[str], levels: dict[str, float]) -> str:
    """
    How much the player loses from whose side hands were reviewed, oldest first.
    """

def review_statistics(reviews: Sequence[str]) -> str:
    """Habits, results and costs of that player."""

def nearest_level(lost: float, levels: dict[str, float]) -> str:
    """The level whose own loss is nearest."""

LONGEST_POSITION_TEXT: int = 8000

def spelled_cards(cards: str | Iterable[str | int]) -> str:
    """
    Cards as the core names them, however a person spelled them: `10c ahKD` is `Tc Ah Kd`.
    """

def position_cards(**position: Any) -> dict[str, list[int]]:
    """
    The cards of each place of a position, given by its fields, each card once.
    """

def position_information(**position: Any) -> InformationSet:
    """
    What the seat of a position knows, given by its fields; ValueError for one that play cannot reach.
    """

def read_position(text: str, rules: Rules | str | None = None) -> tuple[dict[str, Any], Placement | None]:
    """
    The fields of a position that somebody wrote, and what was played or None.
    """

def read_position_line(line: str) -> tuple[dict[str, Any], Placement | None]:
    """The same from a turn of a game log, one object of its JSONL form."""

OPENING_ORDERS: list = ['ranks', 'best', 'worst', 'close']

class OpeningFall:
    """One way in which the suits of five cards fall."""

    @property
    def suits(self) -> list[list[int]]:
        """Of each rank in turn, highest first; of a joker none."""

    @property
    def deals(self) -> int:
        """Openings that fall like this."""

    @property
    def shape(self) -> list[int]:
        """Cards of each suit, most first; jokers have none."""

    @property
    def orders(self) -> list[list[int]]:
        """Of the five cards, under which they are the same five again."""

class OpeningClasses:
    """
    Opening fives of a deck with 0, 1 or 2 jokers, up to the names of suits and jokers.
    """

    @staticmethod
    def of(jokers: int) -> OpeningClasses:
        """Those of a deck with 0, 1 or 2 jokers; made once."""

    def __len__(self) -> int: ...

    @property
    def jokers(self) -> int: ...

    def ranks(self, number: int) -> tuple[int, ...]:
        """The ranks of a class, highest first; a joker's is 13."""

    def fall(self, number: int) -> OpeningFall:
        """How the suits of a class fall."""

    def cards(self, number: int) -> list[int]:
        """The five cards that stand for a class, highest rank first."""

    def find(self, cards: Sequence[int]) -> tuple[int, list[int]]:
        """The class of five cards, and these in the order of the class's own."""

    @property
    def deals(self) -> NDArray[numpy.int64]:
        """Of every class, how many openings are in it: int64 (classes,)."""

    @property
    def rank_counts(self) -> NDArray[numpy.int8]:
        """
        Of every class, its cards of each rank, jokers last: int8 (classes, 14).
        """

    @property
    def shape_of(self) -> NDArray[numpy.int8]:
        """Of every class, the number of its shape: int8 (classes,)."""

    @property
    def shapes(self) -> list[list[int]]:
        """How suits can fall: cards of each suit, most first."""

def code_of_rows(rows: Sequence[int], orders: Sequence[Sequence[int]]) -> int:
    """
    The rows of five cards as a number, the same for placements that differ by suits alone.
    """

def rows_of_code(code: int) -> list[int]:
    """The rows of five cards from their number."""

def opening_pattern(text: str) -> tuple[bool, list[int]]:
    """
    What somebody types: whether it names cards, and these, or the ranks, highest first.
    """

class OpeningTable:
    """A view of a table's records: the openings of a pattern."""

    def __init__(self, jokers: int, records: numpy.typing.NDArray[numpy.uint8]) -> None:
        """Records uint8 (classes, 18), which are not copied."""

    def opening(self, number: int, cards: Sequence[int] = ()) -> dict[str, Any]:
        """
        A class by its own cards, or by others of it in its order: fields of agents.openings.Opening.
        """

    def find(self, text: str, shape: str, order: str, first: int, count: int) -> dict[str, Any]:
        """A page of the openings of a pattern: fields of agents.openings.Found."""

DRILL_KINDS: list = ['opening', 'fantasyland', 'foul']

def make_drill(kind: str, seed: int, rules: Rules | str | None = None) -> tuple[InformationSet, Placement | None, int | None]:
    """
    The question of a kind that belongs to a seed: what the seat knows, what was placed, seconds to answer.
    """

FOUL_BANDS: list = ...

def judge_answer(judge: Judge, information: InformationSet, asked: Placement | None, placement: Placement | None = None, band: int | None = None) -> str:
    """
    What an answer to a drill is worth, as JSON text: `asked` is the placement whose chance of a foul is asked for, or None; the answer a placement, a band, or neither.
    """

def rest_after_answer(box: int, is_right: bool) -> tuple[int, int]:
    """The box that a mistake moves to, and minutes until it is due again."""
