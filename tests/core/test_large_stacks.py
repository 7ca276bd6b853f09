"""Chips are the rules' chips everywhere, up to the largest stack that a session can bring."""

import pickle
import random

from ofc_env import Hand, Rules, Session, _core
from tests.players import random_slot
from tests.trained_networks import random_network


def test_a_session_of_large_stacks_is_played_and_kept() -> None:
    rules = Rules(chips=30000, stop_gap=1000, scoop=300)
    session, rng = Session(seed=3, rules=rules), random.Random(3)
    largest = 0
    while not session.finished:
        session.step(random_slot(session.hand.action_mask(), rng))
        largest = max(largest, *session.hand.chips)
        assert sum(session.chips) == 60000
    assert largest > 30000
    assert pickle.loads(pickle.dumps(session)) == session
    information = Hand(seed=1, chips=(50000, 10000), rules=rules).information(0)
    assert (information.chips, information.opponent_chips) == (50000, 10000)
    assert Hand.from_observation(information.observation(), seed=2, rules=rules).chips == [50000, 10000]


def test_self_play_begins_with_the_rules_chips() -> None:
    played = _core.self_play(None, 4, 1, by_rollouts=True, simulations=4, rules=Rules(chips=321))
    tables = played["states"][:, 0, 7]
    assert set((tables >> 32 & 0xFFFF).tolist()) == {321}
    assert set((tables >> 48).tolist()) == {321}
    network = random_network().native()
    assert len(_core.self_play(network, 1, 1, simulations=4)["chosen"])
