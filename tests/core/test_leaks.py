"""Nothing of the core is left behind when a process ends, where no torch keeps frames alive."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import copy, pickle
import numpy as np
import agents, ofc_env
from agents.arena import MatchSettings, play_match
from ofc_env import _core

def everything():
    env = ofc_env.env(episode="session", reward="mixed")
    env.reset(seed=1)
    for agent in env.agent_iter(60):
        observation, _, over, cut, _ = env.last()
        env.step(None if over or cut else int(np.flatnonzero(observation["action_mask"])[0]))
    play_match("alphazero:sims=4", "pimc:rollouts=8", 2, MatchSettings(progress=False))
    for name in ("random", "heuristic", "ismcts:simulations=20", "alphazero:sims=8,belief=on"):
        hand, agent = ofc_env.Hand(seed=2), agents.make(name)
        while not hand.finished:
            seat = hand.player
            slot = agent.act({"observation": hand.observation(seat), "action_mask": hand.action_mask()})
            hand.step(slot)
        pickle.loads(pickle.dumps((hand, hand.result(), hand.information(0), copy.deepcopy(hand))))
    batch = ofc_env.BatchEnv(4)
    batch.step(batch.random_actions())
    rollout = ofc_env.SeatRollout(batch)
    rollout.step(batch.random_actions(), np.zeros(4, np.float32))
    rollout.finish()
    for wrong in (lambda: ofc_env.Hand(deck=[1]), lambda: batch.step(np.zeros(3)), lambda: hand.step(1)):
        try:
            wrong()
        except (ValueError, TypeError):
            pass

everything()
"""


def test_no_object_of_the_core_leaks() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env={**os.environ, "OFC_LEAK_WARNINGS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "leaked" not in run.stderr, run.stderr
