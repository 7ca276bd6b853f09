"""Golden results: what seeds gave before a change, to be compared with what they give after it.

    python -m tests.goldens write [PART ...]     # write tests/golden/PART.json
    python -m tests.goldens check [PART ...]     # compare; exit code 1 and the difference if one differs

A part is `hands` (1,000 hands of every agent), `match` (match tables), `game` (environments and solvers) or
`training` (a training run of three rounds). Only public names are used, so that the same file runs before and
after any change of the house. Numbers with fractions may differ in their last digits on another kind of
processor, which `training` would show; the other parts hold choices, which hardly ever hang on a last digit.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import agents
import ofc_env
from agents.arena import MatchSettings, play_match, play_sessions

FOLDER = Path(__file__).parent / "golden"
ROOT = Path(__file__).parent.parent
HANDS = 1000
BLOCK = 20  # hands behind one digest
AGENTS = (
    "random:seed=5",
    "heuristic",
    "heuristic:exact=on",
    "pimc:rollouts=60",
    "pimc:rollouts=60,belief=on,leaf=random",
    "ismcts:simulations=60,exploration=0.05",
    "mcts-open:simulations=60,exploration=0.05",
    "alphazero:sims=0",
    "alphazero:sims=32",
    "alphazero:sims=32,belief=on,risk=0.1",
    "alphazero:sims=32,root=tree",
    "bc",
    "ppo",
)


def digest(values: Any) -> str:
    """A short fingerprint of plain values or of an array."""
    data = values.tobytes() if isinstance(values, np.ndarray) else json.dumps(values).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def slots_of_hand(agent: agents.Agent, number: int) -> list[int]:
    """The slots that an agent plays in both seats of a hand."""
    width = 14 + number % 4 if number % 10 == 9 else 0
    hand = ofc_env.Hand(seed=number, button=number % 2, fantasyland=(width, 0))
    if width:
        hand.set_fantasyland()
    agent.reset()
    slots = []
    while not hand.finished:
        seat = hand.player
        assert seat is not None
        if agent.needs_true_hand:
            slot = agent.act_open(hand.clone())  # type: ignore[attr-defined]
        else:
            slot = agent.act({"observation": hand.observation(seat), "action_mask": hand.action_mask()})
        slots.append(int(slot))
        hand.step(slots[-1])
    return slots


def agent_hands(name: str, hands: int = HANDS) -> list[str]:
    """A digest for every block of hands that an agent played against itself."""
    agent = agents.make(name)
    played = [slots_of_hand(agent, number) for number in range(hands)]
    return [digest(played[first : first + BLOCK]) for first in range(0, hands, BLOCK)]


def hands() -> dict[str, Any]:
    """1,000 hands of every agent by seed."""
    found = {}
    for name in AGENTS:
        print(f"  {name}", file=sys.stderr, flush=True)
        found[name] = agent_hands(name)
    return found


def match() -> dict[str, Any]:
    """Match tables, without the time that they took."""
    settings = MatchSettings(seed=3, progress=False)

    def timeless(result: Any) -> dict[str, Any]:
        content: dict[str, Any] = result.to_dict()
        for side in content["sides"]:
            side.pop("seconds_per_decision")
        return content

    return {
        "hands": timeless(play_match("alphazero:sims=8", "heuristic", 60, settings)),
        "odd rules": timeless(
            play_match(
                "pimc:rollouts=30",
                "heuristic",
                20,
                MatchSettings(
                    seed=4,
                    progress=False,
                    rules=ofc_env.Rules.parse("scoop=6 stay_cards=0"),
                    fantasyland_values=(8.3, 14.3, 20.7, 27.1),
                ),
            )
        ),
        "sessions": timeless(play_sessions("heuristic", "random", 15, settings)),
    }


def game() -> dict[str, Any]:
    """What the environments and solvers give."""
    found: dict[str, Any] = {"playouts": ofc_env.random_playouts(50_000, seed=1)}
    for episode, reward in (("hand", "equity"), ("session", "mixed"), ("hand", "shaped")):
        batch = ofc_env.BatchEnv(64, seed=2, episode=episode, reward=reward)
        parts = []
        for _ in range(150):
            batch.step(batch.random_actions())
            parts += [digest(batch.observations), digest(batch.rewards), digest(batch.action_masks)]
        found[f"batch {episode} {reward}"] = digest(parts)
    generator = np.random.default_rng(3)
    solved = []
    for number in range(60):
        cards = generator.permutation(54)[: 14 + number % 4].tolist()
        solution = ofc_env.solve_fantasyland(cards)
        solved.append([str(solution.placement), solution.value])
    found["fantasyland"] = digest(solved)
    last = []
    for number in range(30):
        hand = ofc_env.Hand(seed=number)
        while hand.turn < 4:
            legal = hand.legal_actions()
            hand.step(legal[int(generator.integers(len(legal)))])
        last.append({str(slot): value for slot, value in ofc_env.solve_last_turn(hand).items()})
    found["last turn"] = digest(last)
    return found


def training() -> dict[str, Any]:
    """A run of three rounds: the numbers of its champion, and its curve."""
    from safetensors.numpy import load_file

    words = (
        "--name golden --iterations 3 --processes 2 --hidden 64 --hands 120 --chunk 20 --warmup 1 "
        "--simulations 12 --opening-width 24 --passes 6 --least-steps 20 --batch 128 --gate-deals 6 "
        "--evaluate-every 2 --opponents random --evaluation-deals 4 --final-opponents random "
        "--final-deals 4 --final-sims 8"
    )
    with tempfile.TemporaryDirectory() as folder:
        script = ROOT / "experiments" / "alphazero.py"
        subprocess.run([sys.executable, script, *words.split()], cwd=folder, check=True, capture_output=True)
        run = Path(folder) / "runs" / "alphazero" / "golden"
        tensors = load_file(run / "champion.safetensors")
        curve = json.loads((run / "curve.json").read_text())
    for entry in curve["curve"]:
        entry.pop("seconds")
    numbers = {name: digest(tensors[name]) for name in sorted(tensors)}
    return {"champion": numbers, "curve": curve["curve"], "matches": curve["matches"]}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "game": game,
    "match": match,
    "training": training,
    "hands": hands,
}


def read(part: str) -> dict[str, Any]:
    """What was written down."""
    found: dict[str, Any] = json.loads((FOLDER / f"{part}.json").read_text())
    return found


def main(words: list[str]) -> int:
    """Write or check."""
    command, names = words[0], words[1:] or list(PARTS)
    for name in names:
        print(name, file=sys.stderr, flush=True)
        found = json.loads(json.dumps(PARTS[name]()))
        if command == "write":
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
            continue
        wanted = read(name)
        for key in sorted(wanted.keys() | found.keys()):
            if wanted.get(key) != found.get(key):
                print(f"{name}: {key} differs:\n  was {wanted.get(key)}\n  is  {found.get(key)}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
