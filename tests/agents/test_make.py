"""Agents are built by name, and the random one is even, repeatable and legal."""

from itertools import combinations

import numpy as np
import pytest

import agents
import ofc_env
from agents.base import Observation
from agents.players.random import RandomAgent
from agents.randomness import choose_evenly, observation_keys
from agents.turns import play_turn, seat_to_act


def positions(count, seed=0):
    """Observations (count, 490) and masks (count, 150) from random play."""
    batch = ofc_env.BatchEnv(count, seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(5):
        batch.step(choose_evenly(batch.action_masks, generator.integers(2**63, size=count, dtype=np.uint64)))
    return batch.observations.copy(), batch.action_masks.copy()


def test_names_are_made():
    assert "random" in agents.names()
    assert agents.names() == sorted(agents.names())


def test_name_is_kept():
    agent = agents.make("random:seed=4")
    assert isinstance(agent, RandomAgent)
    assert (agent.seed, agent.name) == (4, "random:seed=4")
    agent = agents.make("random:seed=4", seed=5)
    assert isinstance(agent, RandomAgent)
    assert agent.seed == 5


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("random", "random", {}),
        ("pimc:rollouts=200,belief=off", "pimc", {"rollouts": 200, "belief": False}),
        (
            "a: x = 0.5 , y=On, z=none, file=some/path.txt",
            "a",
            {"x": 0.5, "y": True, "z": None, "file": "some/path.txt"},
        ),
        ("a:min-visits=1e3,", "a", {"min_visits": 1000.0}),
    ],
)
def test_names_are_read(text, name, options):
    assert agents.parse_name(text) == (name, options)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody", "no agent is named 'nobody': use one of"),
        ("", "no agent is named ''"),
        ("random:speed=3", "'random' has no option 'speed': its options are seed"),
        ("random:seed", "cannot read 'seed' in 'random:seed'"),
        ("random:=3", "cannot read '=3'"),
        ("random:seed=1,seed=2", "the option 'seed' stands twice"),
        ("random:seed=x", "cannot make 'random' with seed='x': seed is a whole number"),
        ("pimc:rollouts=abc", "cannot make 'pimc' with rollouts='abc': rollouts is a whole number"),
        ("pimc:rollouts=1e3", "rollouts=1000.0: rollouts is a whole number"),
        ("pimc:rollouts=on", "rollouts=True: rollouts is a whole number"),
        ("pimc:risk=much", "risk='much': risk is a number"),
        ("pimc:belief=maybe", "belief='maybe': belief is on or off"),
        ("pimc:leaf=3", "leaf=3: leaf is a word"),
        ("pimc:reward=3", "cannot make 'pimc' with reward=3: a value has the wrong type"),
    ],
)
def test_bad_names_get_a_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        agents.make(text)


def test_register(monkeypatch):
    monkeypatch.setattr(agents, "_BUILDERS", dict(agents._BUILDERS))
    agents.register("lowest", "tests.players:FirstSlot")
    assert "lowest" in agents.names()
    observations, masks = positions(1)
    observation = {"observation": observations[0], "action_mask": masks[0]}
    assert agents.make("lowest").act(observation) == np.flatnonzero(masks[0])[0]
    for name, builder in (("a:b", "x:y"), ("", "x:y"), ("ok", "nowhere"), ("random", "other:Agent")):
        with pytest.raises(ValueError, match=r"cannot be an agent's name|is not a builder|exists already"):
            agents.register(name, builder)


def test_random_is_legal_and_the_same_one_by_one():
    observations, masks = positions(300)
    agent = agents.make("random")
    slots = agent.act_batch(observations, masks)
    assert slots.shape == (300,)
    assert masks[np.arange(300), slots].all()
    single = [
        agent.act({"observation": row, "action_mask": mask})
        for row, mask in zip(observations, masks, strict=True)
    ]
    assert slots.tolist() == single
    assert all(type(slot) is int for slot in single)


def test_equal_agents_answer_equally_and_seeds_matter():
    observations, masks = positions(300)
    first = agents.make("random").act_batch(observations, masks)
    assert (first == agents.make("random").act_batch(observations, masks)).all()
    assert (first != agents.make("random:seed=1").act_batch(observations, masks)).mean() > 0.5


def test_keys_choose_evenly():
    """Many observations with one mask: each slot about as often as any other."""
    observations, _ = positions(6000, seed=3)
    masks = np.zeros((6000, 150), dtype=np.int8)
    masks[:, [2, 30, 61, 90, 149]] = 1
    counts = np.bincount(choose_evenly(masks, observation_keys(observations, 0)), minlength=150)
    assert counts.sum() == counts[[2, 30, 61, 90, 149]].sum()
    assert abs(counts[[2, 30, 61, 90, 149]] - 1200).max() < 150  # five standard deviations


def test_random_is_even():
    """Openings have one mask: each of its slots about as often as any other."""
    batch = ofc_env.BatchEnv(6000, seed=3)
    legal = np.flatnonzero(batch.action_masks[0])
    assert (batch.action_masks == batch.action_masks[0]).all()
    slots = agents.make("random").act_batch(batch.observations, batch.action_masks)
    counts = np.bincount(slots, minlength=150)
    wanted = 6000 / len(legal)
    assert counts.sum() == counts[legal].sum()
    assert abs(counts[legal] - wanted).max() < 5 * np.sqrt(wanted)  # five standard deviations


def test_every_number_of_the_observation_counts():
    """Two cards that change places, another button, other chips: each gives another key."""
    numbers = positions(1)[0][0]
    places = numbers[:486].reshape(54, 9).argmax(axis=1)
    changes = []
    for one, other in combinations(range(54), 2):
        if places[one] != places[other]:
            changed = numbers.copy()
            cards = changed[:486].reshape(54, 9)
            cards[[one, other]] = cards[[other, one]]
            changes.append(changed)
    against = ofc_env.Hand(seed=1, fantasyland=(14, 0))
    against.set_fantasyland()
    facing = against.observation(1)
    changes.append(facing)
    fields = [(numbers, 488, 0.5), (numbers, 489, 0.5), (numbers, 488, 1.005)]
    for base, field, value in [*fields, (facing, 487, 0.4)]:
        changed = base.copy()
        changed[field] = value
        changes.append(changed)
    keys = observation_keys(np.stack([numbers, *changes]), 0)
    assert len(set(keys.tolist())) == len(keys) > 500
    # The boards and the rules tell who has the button, so only other rules let another have it.
    first = ofc_env.Hand(seed=1).observation(0)
    swapped = first.copy()
    swapped[487] = 1.0 - first[487]
    with pytest.raises(ValueError, match="no seat can be in this position"):
        observation_keys(swapped[None], 0)
    last = ofc_env.Rules(button_acts="last")
    assert observation_keys(swapped[None], 0, last)[0] != observation_keys(first[None], 0)[0]


def test_no_legal_slot_gets_a_sentence():
    observations, masks = positions(3)
    masks[1] = 0
    with pytest.raises(ValueError, match="row 1 of the masks allows no slot"):
        choose_evenly(masks, observation_keys(observations, 0))
    hand = ofc_env.Hand(seed=1)
    observations[1] = hand.observation(1)
    with pytest.raises(ValueError, match="no slot is legal in this position"):
        agents.make("random").act_batch(observations, masks)


def test_default_batch_asks_one_by_one():
    from tests.players import LastSlot

    observations, masks = positions(20)
    slots = LastSlot().act_batch(observations, masks)
    assert slots.dtype == np.int64
    assert slots.tolist() == [int(np.flatnonzero(mask)[-1]) for mask in masks]


def test_agents_are_made_for_the_rules_they_play_by():
    """A fortune for a pair in the middle, and nothing for the bottom, changes where trips of deuces go."""
    hand = ofc_env.Hand(
        deck=[*ofc_env.parse_cards("2h 2d 2c 3h 7s"), *(c for c in range(54) if c not in (0, 13, 26, 1, 44))]
    )
    assert ofc_env.card_names(hand.dealt) == ["2h", "3h", "2d", "2c", "7s"]
    seen: Observation = {"observation": hand.observation(0), "action_mask": hand.action_mask()}
    variant = ofc_env.Rules(bottom=[0] * 10, middle=[0, 90, *[0] * 8])
    names = ("heuristic", "pimc:rollouts=200")
    values = (8.3, 14.3, 20.7, 27.1)
    usual = [agents.make(name).act(seen) for name in names]
    told = [agents.make_valued(name, variant, values).act(seen) for name in names]
    as_text = [agents.make(name, rules=str(variant), fantasyland_values=values).act(seen) for name in names]
    assert told != usual
    assert as_text == told


STANDARD = ofc_env.Rules.preset("standard")


def made_by_the_standard_rules(name, folder):
    """An agent with small networks of its own, where it needs one; its name, and its options."""
    short_name, options = agents.parse_name(name)
    if short_name == "bc":
        from agents.networks import afterstate

        clone = afterstate.AfterstateNetwork(64, rules=STANDARD)
        afterstate.save_network(clone, folder / "clone.safetensors")
        options["folder"] = str(folder)
    elif short_name == "ppo":
        from agents.networks.placement import PlacementConfig, PlacementNetwork
        from agents.players.ppo import save_policy

        save_policy(PlacementNetwork(PlacementConfig(units=8), STANDARD), folder / "ppo.safetensors")
        options["weights"] = str(folder / "ppo.safetensors")
    elif short_name == "alphazero":
        from agents.networks import afterstate

        network = afterstate.AfterstateNetwork(64, rules=STANDARD)
        afterstate.save_network(network, folder / "az.safetensors")
        options["checkpoint"] = str(folder / "az.safetensors")
    if short_name != "random":
        options["fantasyland_values"] = "8/14/20/27"
    return short_name, options


@pytest.mark.parametrize(
    "name",
    [
        "random",
        "heuristic:exact=on",
        "pimc:rollouts=20",
        "ismcts:simulations=20",
        "mcts-open:simulations=20",
        "bc",
        "ppo:exact=on",
        "alphazero:sims=4",
    ],
)
def test_every_agent_plays_by_the_standard_rules(name, tmp_path):
    """52 cards and the button last; a network is one for these rules, and refuses others."""
    short_name, options = made_by_the_standard_rules(name, tmp_path)
    agent = agents.make(short_name, rules="standard", **options)
    assert agent.rules == STANDARD
    for seed in range(2):
        hand = ofc_env.Hand(seed=seed, button=seed, rules=STANDARD)
        assert hand.player == 1 - seed
        agent.reset()
        while not hand.finished:
            hand.place(play_turn(agent, hand))
        assert max(hand.deck) == 51
    if options.keys() & {"folder", "weights", "checkpoint"}:
        assert agents.make(short_name, **options).rules == STANDARD
        with pytest.raises(ValueError, match="trained by the rules 'standard' and cannot play by 'house'"):
            agents.make(short_name, rules="house", **options)


def test_without_a_champion_for_the_rules_the_command_is_named():
    with pytest.raises(ValueError, match=r"no champion .* 'standard scoop=6': train one with .*alphazero.py"):
        agents.make("alphazero", rules="standard scoop=6")
    assert agents.make("alphazero:sims=0", rules="house chips=500").rules.chips == 500


def test_rules_that_nobody_measured_want_values():
    odd = "standard scoop=6"
    for name in ("heuristic", "pimc", "ismcts"):
        with pytest.raises(ValueError, match=r"nobody has measured .* 'standard scoop=6': run python"):
            agents.make(name, rules=odd)
    assert agents.make("heuristic", rules="no_fantasyland").rules.widths == []  # nothing to measure
    assert agents.make("heuristic:reward=points", rules=odd).rules == ofc_env.Rules.parse(odd)
    for wrong in ("8/14/20", "8/14/20/many", 14):
        with pytest.raises(ValueError, match="cannot be what fantasyland is worth"):
            agents.make("heuristic", rules=odd, fantasyland_values=wrong)
    with pytest.raises(ValueError, match="'random' has no option 'fantasyland_values'"):
        agents.make("random:fantasyland_values=8/14/20/27", rules=odd)


def test_values_in_a_name_and_beside_it_mean_the_same():
    odd, values = ofc_env.Rules.parse("standard scoop=6"), (8, 14, 20, 27)
    hands = [ofc_env.Hand(seed=seed, rules=odd) for seed in range(40)]
    known = [hand.information(seat_to_act(hand)) for hand in hands]

    def openings(agent):
        return agent.choose_batch(known).tolist()

    named = agents.make("heuristic:fantasyland_values=8/14/20/27", rules=odd)
    assert openings(named) == openings(agents.make_valued("heuristic", odd, values))
    assert openings(named) != openings(agents.make_valued("heuristic", odd, (0, 0, 0, 0)))
    # What a name says wins, and who does not care is left alone.
    assert openings(agents.make_valued(named.name, odd, (0, 0, 0, 0))) == openings(named)
    assert agents.make_valued("random", odd, values).rules == odd
    assert agents.wants_values("pimc")
    assert not agents.wants_values("pimc:reward=points")
    assert not agents.wants_values("random")


def test_agents_trained_for_the_house_rules_refuse_others():
    longer = ofc_env.Rules(chips=500, stop_gap=90, turn_seconds=5)
    assert agents.make("ppo", rules=longer).name == "ppo"  # a hand is worth the same
    assert agents.make("random", rules=ofc_env.Rules(scoop=9)).name == "random"
    for name in ("alphazero:sims=0", "bc", "ppo"):
        with pytest.raises(ValueError, match=r"(no champion|trained by) .*'house scoop=9 chips=300'"):
            agents.make(name, rules=ofc_env.Rules(scoop=9, chips=300))


def test_every_agent_takes_boards_to_set_fantasyland_against():
    for name in agents.names():
        if name in ("bc", "ppo"):
            continue
        assert agents.make(name).fantasyland_boards == 0
        assert agents.make(name, fantasyland_boards=3).fantasyland_boards == 3
    agent = agents.make("heuristic:exact=off,fantasyland_boards=16")
    assert agents.fantasyland_boards(agent.name) == agent.fantasyland_boards == 16
    assert agents.fantasyland_boards("") == agents.fantasyland_boards("alphazero:sims=0") == 0
    hand = next(
        hand
        for hand in (ofc_env.Hand(seed=seed, fantasyland=(14, 0)) for seed in range(50))
        if play_turn(agent, hand) != play_turn(agents.make("heuristic"), hand)
    )
    boards = ofc_env.sample_boards(hand.information(0), 16)
    assert play_turn(agent, hand) == ofc_env.solve_fantasyland(hand.dealt, opponent=boards).placement


@pytest.mark.parametrize("boards", ["-1", "4097", "on", "many", "1.5", "none"])
def test_boards_that_cannot_be_are_refused(boards):
    with pytest.raises(ValueError, match=r"cannot make 'random' with fantasyland_boards=.*from 0 to 4096"):
        agents.make(f"random:fantasyland_boards={boards}")
