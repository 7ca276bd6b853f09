"""Hostile values for everything that Python can reach in the core, tried in child processes.

    python -m tests.hostile FIRST COUNT      # so many cases; the number of each is written before it is tried

A case is a function of the core or an agent made with an option, and arguments drawn from a pool of things
that nobody should pass: numbers beyond every type, not-a-numbers, wrong shapes, texts of strange letters, and
valid objects in the wrong places. What a case may do is answer or raise an Exception. A case that takes
longer than a second is interrupted as Ctrl-C would: native loops must let that through.
"""

from __future__ import annotations

import inspect
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
SECONDS = 1.0  # before a case is interrupted
PATIENCE = 20.0  # before a child that does not come back is given up


class Evil:
    """Whatever it is asked, it raises."""

    def __index__(self) -> int:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[int]:
        raise RuntimeError("no")

    def __float__(self) -> float:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


@cache
def instances() -> dict[str, Any]:
    """A valid object of every class of the core."""
    from agents.networks.native import load_native
    from agents.players.alphazero import CHAMPION
    from ofc_env import Board, Hand, Placement, RewardConfig, Rules, Session, _core, score_boards

    hand = Hand(seed=3)
    rows = ("2h 3d 4d", "5c 6c 7d 8d Td", "Th Jh Kh Ah 9h")
    other = ("2c 3s 4s", "5s 6s 7s 8s 8c", "9s 9c 9d Ts Tc")
    network = load_native(CHAMPION)
    referee = _core.Referee(network, worlds=4, block=2, fresh=2)
    classes = _core.OpeningClasses.of(0)
    records = np.zeros((len(classes), 18), dtype=np.uint8)
    return {
        "BatchEnv": _core.BatchEnv(2),
        "Belief": _core.Belief(hand.information(0)),
        "Board": Board(*rows),
        "Candidate": _core.Candidate(Placement(top="Ah"), mean=1.0),
        "Effort": _core.Effort(),
        "FantasylandSolution": _core.solve_fantasyland(range(14)),
        "Hand": hand,
        "HandResult": score_boards(Board(*rows), Board(*other)),
        "Heuristic": _core.Heuristic(),
        "InformationSet": hand.information(0),
        "Ismcts": _core.Ismcts(simulations=4),
        "Judge": _core.Judge(network, effort=_core.Effort(simulations=4, worlds=2, played_on=2, openings=2)),
        "Judgement": referee.judge(hand.information(0)),
        "LuckJudge": _core.LuckJudge(network, redeals=2),
        "Network": network,
        "NetworkSearch": _core.NetworkSearch(network, sims=4),
        "OpeningClasses": classes,
        "OpeningFall": classes.fall(7),
        "OpeningTable": _core.OpeningTable(0, records),
        "Pimc": _core.Pimc(rollouts=4),
        "Placement": Placement(top="Ah"),
        "Referee": referee,
        "RewardConfig": RewardConfig(),
        "Rules": Rules(),
        "SeatRollout": _core.SeatRollout(_core.BatchEnv(2)),
        "Session": Session(seed=1),
    }


def _same(value: Any) -> Any:
    return value


@cache
def pool() -> list[Callable[[], Any]]:
    """Makers of values; made anew each time, so that no case meets what another has changed."""
    from ofc_env import Hand

    numbers = [
        0,
        1,
        -1,
        2,
        5,
        13,
        27,
        54,
        255,
        2**31 - 1,
        2**31,
        -(2**31),
        2**63 - 1,
        2**63,
        2**64 - 1,
        2**80,
        -(2**80),
    ]
    floats = [0.0, -0.0, 0.5, 1e308, -1e308, float("nan"), float("inf"), -float("inf")]
    words = [
        "",
        "x",
        "Ah",
        "Ah Kd X1",
        "Ah Ah",
        "equity",
        "\0",
        "\ud800",
        "a" * 5000,
        "chips=1e9",
        "points=nan",
        "top=Ah",
    ]
    values: list[Any] = [
        *numbers,
        *floats,
        *words,
        None,
        True,
        False,
        b"x",
        [],
        (),
        {},
        [0],
        [1.5],
        [None] * 3,
    ]
    makers: list[Callable[[], Any]] = [partial(_same, value) for value in values]
    makers += [lambda: list(range(54)), lambda: [0] * 54, lambda: list(range(14)), lambda: [2**40] * 5]
    shapes = [
        (0,),
        (1,),
        (8,),
        (490,),
        (1, 8),
        (4, 8),
        (2, 490),
        (150,),
        (2,),
        (0, 490),
        (3, 3),
        (2, 5),
        (2, 2, 2),
    ]
    kinds = [np.float32, np.float64, np.int8, np.int64, np.int32, np.uint64, np.uint8, np.bool_, np.complex64]
    makers += [partial(np.zeros, shape, kind) for shape in shapes for kind in kinds]
    makers += [
        lambda: np.full((4, 8), 2**64 - 1, np.uint64),
        lambda: np.arange(64, dtype=np.uint64).reshape(8, 8),
        lambda: np.full((2, 490), np.nan, np.float32),
        lambda: np.ones((2, 490), np.float32),
        lambda: np.asfortranarray(np.ones((3, 490), np.float32)),
        lambda: np.full(2, -(2**62), np.int64),
        lambda: np.full((3, 5), 255, np.uint8),
        lambda: np.zeros((2, 490), np.float32)[:, ::-1],
        Evil,
        object,
        lambda: iter([1, 2, 3]),
        lambda: [Evil()],
    ]
    makers += [partial(_same, value) for name, value in instances().items() if name != "Network"]
    setting = Hand(seed=2, fantasyland=(14, 15))
    makers += [lambda: setting.information(setting.player or 0)]
    makers += [lambda: instances()["Hand"].observation(0), lambda: instances()["Hand"].observation(1)[None]]
    return makers


def _functions() -> list[tuple[str, Callable[..., Any], list[str]]]:
    """Every function of the core with the names of its arguments; methods are bound to a valid object."""
    from ofc_env import _core

    found: list[tuple[str, Callable[..., Any], list[str]]] = []
    for name, member in sorted(vars(_core).items()):
        if inspect.isclass(member):
            found.append((name, member, _arguments(member.__init__)))
            for part in sorted(vars(member)):
                if part.startswith("__") and part not in (
                    "__setstate__",
                    "__eq__",
                    "__hash__",
                    "__deepcopy__",
                ):
                    continue
                if not callable(getattr(member, part, None)):
                    continue
                owner = member if part == "__setstate__" else instances()[name]
                bound = getattr(owner, part)
                if part == "__setstate__":
                    bound = _state_setter(member)
                found.append((f"{name}.{part}", bound, _arguments(getattr(member, part))))
        elif callable(member) and not name.startswith("__"):
            found.append((name, member, _arguments(member)))
    return found


def _state_setter(kind: Any) -> Callable[..., Any]:
    """Unpickling of a state that somebody made up."""
    return lambda *state: kind.__new__(kind).__setstate__(*state)


def _arguments(function: Any) -> list[str]:
    signature = (function.__doc__ or "").split("\n")[0].partition("(")[2].rpartition(")")[0]
    depth, names, word = 0, [], ""
    for letter in signature + ",":
        depth += (letter in "[(" and 1) or (letter in "])" and -1) or 0
        if letter == "," and depth == 0:
            names.append(word.partition(":")[0].strip())
            word = ""
        else:
            word += letter
    return [name for name in names if name.isidentifier() and name != "self"]


def _options() -> list[tuple[str, str]]:
    """Every option of every agent."""
    import agents

    quick = {
        "pimc": "rollouts=4",
        "ismcts": "simulations=4",
        "mcts-open": "simulations=4",
        "alphazero": "sims=4",
    }
    found = []
    for name in agents.names():
        if name in ("bc", "ppo"):
            continue  # torch's own border
        for option in [*inspect.signature(agents._builder(name)).parameters, "fantasyland_boards"]:
            found.append((f"{name}:{quick[name]}" if name in quick else name, option))
    return found


@cache
def targets() -> list[tuple[str, Any]]:
    """Everything that is tried."""
    return [(name, (call, names)) for name, call, names in _functions()] + [
        (f"{agent} {option}", (agent, option)) for agent, option in _options()
    ]


def run_case(number: int) -> None:
    """One case: arguments that follow from its number."""
    what = targets()[number % len(targets())][1]
    rng = random.Random(number)
    if isinstance(what[0], str):
        _try_agent(what[0], what[1], rng.choice(pool())())
        return
    call, names = what
    given: dict[str, Any] = {}
    positional = [rng.choice(pool())() for _ in range(rng.randint(0, len(names)))]
    for keyword in names[len(positional) :]:
        if rng.random() < 0.5:
            given[keyword] = rng.choice(pool())()
    call(*positional, **given)


def _try_agent(agent: str, option: str, value: Any) -> None:
    import agents
    from agents.turns import play_turn
    from ofc_env import Hand

    made = agents.make(agent, **{option: value})
    for hand in (Hand(seed=1), Hand(seed=2, fantasyland=(14, 0))):
        if hand.in_fantasyland:
            hand.place(play_turn(made, hand))
        while not hand.finished and hand.turn < 2:
            seat = hand.player or 0
            if made.needs_true_hand:
                slot = made.act_open(hand)  # type: ignore[attr-defined]
            else:
                slot = made.act({"observation": hand.observation(seat), "action_mask": hand.action_mask()})
            hand.step(slot)


class Interrupted(Exception):
    """The case took too long."""


def _interrupt(signal_number: int, frame: FrameType | None) -> None:
    raise Interrupted


def main(first: int, count: int) -> None:
    """Try cases; every number is written before its case is tried."""
    signal.signal(signal.SIGALRM, _interrupt)
    targets()
    for number in range(first, first + count):
        print(number, flush=True)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            run_case(number)
        except (Exception, Interrupted):
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    print("done", flush=True)


def crashes(first: int, count: int) -> list[str]:
    """Cases that ended or held up their process, each with its name and how it ended."""
    found: list[str] = []
    end = first + count
    while first < end and len(found) < 10:
        command = [sys.executable, "-m", "tests.hostile", str(first), str(end - first)]
        child = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        last = _follow(child)
        if last is None:
            return found
        name = targets()[last % len(targets())][0]
        found.append(f"case {last} ({name}) ended its process with {child.returncode}")
        first = last + 1
    return found


def _follow(child: subprocess.Popen[str]) -> int | None:
    """The last case that a child began, or None if it came to its end."""
    import selectors

    last = -1
    watch = selectors.DefaultSelector()
    if child.stdout is None:
        raise ValueError("the child has no output")
    watch.register(child.stdout, selectors.EVENT_READ)
    patience = 60.0  # the first line comes after the imports
    while watch.select(patience):
        line = child.stdout.readline()
        patience = PATIENCE
        if line.strip() == "done":
            child.wait()
            return None
        if not line:
            break
        last = int(line)
    child.kill()
    child.wait()
    return last


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
