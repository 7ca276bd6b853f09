"""What holds for every agent by name: legal, repeatable, blind to hidden cards, and the same in a batch."""

from typing import Any

import numpy as np
import pytest

import agents
import ofc_env
from agents.arena.tables import remembers
from agents.positions.ranking import rank
from agents.turns import needs_true_hand, seat_to_act

# Small budgets for the searches; an agent that is not listed is tested as it is.
SMALL = {
    "pimc": "pimc:rollouts=60",
    "ismcts": "ismcts:simulations=60",
}
VARIANTS = [
    "heuristic:exact=on",
    "heuristic:careless=0.5,temperature=1,seed=3",
    "alphazero:sims=0,temperature=2",
    "alphazero:sims=8,temperature=1,seed=3",
    "pimc:rollouts=60,leaf=random",
    "pimc:rollouts=60,leaf=beam,race=off",
    "pimc:rollouts=60,belief=on",
    "ismcts:simulations=60,widen=off,exact=off",
    "ismcts:simulations=60,belief=on",
]


def honest_agents():
    """Every agent that plays by what its seat sees, and some variants."""
    known = agents.names()
    names = [SMALL.get(name, name) for name in known if name != "mcts-open"]
    return names + [name for name in VARIANTS if agents.parse_name(name)[0] in known]


def positions(count):
    """Hands at decisions from opening to last turn, both seats, some against fantasyland."""
    generator = np.random.default_rng(7)
    found: list[ofc_env.Hand] = []
    seed = 0
    while len(found) < count:
        seed += 1
        width = (0, int(generator.integers(14, 18)) if seed % 5 == 0 else 0)
        hand = ofc_env.Hand(seed=seed, button=seed % 2, fantasyland=width)
        stop = int(generator.integers(12))
        while not hand.finished:
            if hand.in_fantasyland:
                hand.set_fantasyland()
                continue
            if stop == 0:
                found.append(hand)
                break
            stop -= 1
            hand.step(int(generator.choice(hand.legal_actions())))
    return found


def observation_of_hand(hand):
    return {"observation": hand.observation(seat_to_act(hand)), "action_mask": hand.action_mask()}


@pytest.fixture(scope="module")
def hands():
    return positions(120)


@pytest.mark.parametrize("name", honest_agents())
def test_hidden_cards_change_nothing(name, hands):
    agent, other = agents.make(name), agents.make(name)
    for number, hand in enumerate(hands):
        seat = seat_to_act(hand)
        world = hand.determinize(seat, 1000 + number)
        assert (world.observation(seat) == hand.observation(seat)).all()
        for player in (agent, other):
            player.reset()
        chosen = agent.act(observation_of_hand(hand))
        assert chosen in hand.legal_actions()
        assert other.act(observation_of_hand(world)) == chosen, f"position {number}: {hand}"


@pytest.mark.parametrize("name", [name for name in honest_agents() if not remembers(agents.make(name))])
def test_a_batch_is_the_same_as_one_by_one(name, hands):
    agent = agents.make(name)
    singles = []
    for hand in hands[:60]:
        agent.reset()
        singles.append(agent.act(observation_of_hand(hand)))
    observations = np.stack([hand.observation(seat_to_act(hand)) for hand in hands[:60]])
    masks = np.stack([hand.action_mask() for hand in hands[:60]])
    batch = agents.make(name).act_batch(observations, masks)
    assert batch.tolist() == singles
    order = np.random.default_rng(0).permutation(60)
    assert agent.act_batch(observations[order], masks[order]).tolist() == [singles[index] for index in order]


@pytest.mark.parametrize("name", honest_agents())
def test_rankings_are_of_legal_placements(name, hands):
    agent = agents.make(name)
    for hand in hands[:12]:
        agent.reset()
        ranking = rank(agent, observation_of_hand(hand), worlds=2)
        legal = {str(placement) for placement in hand.placements()}
        ranked = [str(candidate.placement) for candidate in ranking]
        assert set(ranked) <= legal
        assert len(set(ranked)) == len(ranked) > 0
        for candidate in ranking[:3]:
            assert hand.placement_of(list(candidate.actions)) == candidate.placement


def test_open_search_is_marked():
    if "mcts-open" not in agents.names():
        pytest.skip("there is no open search")
    agent: Any = agents.make("mcts-open", simulations=50)
    assert needs_true_hand(agent)
    hand = ofc_env.Hand(seed=1)
    assert agent.act_open(hand) in hand.legal_actions()
    with pytest.raises(ValueError, match="mcts-open needs the real hand"):
        agent.act(observation_of_hand(hand))
