"""Row of `make bench` for credit by seat: `SeatRollout` against the same bookkeeping in plain Python."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ofc_env
from experiments.benches.table import Bench, row

Arrays = dict[str, NDArray[Any]]


class PlainRollout:
    """`SeatRollout`, slow and obvious: a dictionary a decision. The suite compares the two."""

    def __init__(self, env: ofc_env.BatchEnv) -> None:
        self.env = env
        self.decisions: list[dict[str, Any]] = []
        self.open: list[dict[int, dict[str, Any]]] = [{} for _ in range(env.num_envs)]  # by table and seat

    def step(self, actions: NDArray[Any], values: NDArray[Any], log_probs: NDArray[Any]) -> None:
        """Note the decisions, step the tables, pay both seats."""
        env = self.env
        for table, action in enumerate(actions):
            if action == -1:
                continue
            seat = int(env.players[table])
            decision = {
                "observations": env.observations[table].copy(),
                "action_masks": env.action_masks[table].copy(),
                "actions": action,
                "tables": table,
                "players": seat,
                "log_probs": log_probs[table],
                "values": values[table],
                "rewards": 0.0,
                "dones": False,
                "next": None,
            }
            if seat in self.open[table]:
                self.open[table][seat]["next"] = decision
            self.open[table][seat] = decision
            self.decisions.append(decision)
        env.step(actions)
        for table, action in enumerate(actions):
            if action == -1:
                continue
            for seat, decision in self.open[table].items():
                decision["rewards"] += float(env.rewards[table, seat])
                decision["dones"] = bool(env.dones[table])
            if env.dones[table]:
                self.open[table].clear()

    def finish(self, gamma: float = 1.0, gae_lambda: float = 0.95) -> Arrays:
        """The complete decisions with their advantages; the others stay."""
        complete = [each for each in self.decisions if each["dones"] or each["next"] is not None]
        self.decisions = [each for each in self.decisions if not each["dones"] and each["next"] is None]
        for each in self.decisions:
            each["advantages"] = 0.0
        for each in reversed(complete):
            ahead = each["next"]
            each["next_values"] = 0.0 if each["dones"] else float(ahead["values"])
            each["advantages"] = each["rewards"] + gamma * each["next_values"] - float(each["values"])
            if not each["dones"]:
                each["advantages"] += gamma * gae_lambda * ahead["advantages"]
            each["returns"] = each["advantages"] + float(each["values"])
        names = [name for name in complete[0] if name != "next"] if complete else []
        return {name: np.array([each[name] for each in complete]) for name in names}


@row("credit", "self-play with credit by seat, SeatRollout against plain Python", 10, "times")
def bench_credit(bench: Bench) -> float:
    """256 tables, 48 steps of recorded random play and the advantages, in alternating slices of one run."""
    batch = ofc_env.BatchEnv(256, seed=1)
    slots = np.empty((48, 256), dtype=np.int64)
    for step in slots:
        step[:] = batch.random_actions()
        batch.step(step)
    values = np.zeros(256, dtype=np.float32)

    def work(rollout: Any) -> int:
        for step in slots:
            rollout.step(step, values, values)
        rollout.finish()
        return slots.size

    kept = ofc_env.SeatRollout(batch)  # one for many rollouts, as a learner has it

    def native() -> int:
        batch.reset(seed=1)
        kept.clear()
        return work(kept)

    def plain() -> int:
        batch.reset(seed=1)
        return work(PlainRollout(batch))

    own_rate, plain_rate = bench.rates_in_turn(native, plain, time.process_time)
    bench.note = f"{own_rate:,.0f} against {plain_rate:,.0f} decisions/s, processor time"
    return own_rate / plain_rate
