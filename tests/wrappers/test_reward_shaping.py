"""Potential shaping moves rewards in time and never changes what an episode is worth."""

import numpy as np
import pytest

import ofc_env
from agents.randomness import choose_evenly
from ofc_env.layout import card_places
from tests.players import FirstSlot
from wrappers import OFCPineappleEnv, OFCPineappleVectorEnv
from wrappers.reward_shaping import PotentialShaping, RoyaltyPotential, VectorPotentialShaping


def cards_sum(observations):
    """A potential that moves at every step: how many cards the learner has on its board."""
    return observations[:, : 54 * 9].reshape(-1, 54, 9)[:, :, :3].sum(axis=(1, 2))


@pytest.mark.parametrize("potential", [None, cards_sum])
def test_returns_differ_by_the_first_potential_only(potential):
    plain, shaped = OFCPineappleEnv(seat=0), PotentialShaping(OFCPineappleEnv(seat=0), potential)
    for seed in range(30):
        _, info = plain.reset(seed=seed)
        first, _ = shaped.reset(seed=seed)
        start = float(shaped.potential(first[None])[0])
        expected = earned = under = 0.0
        over = False
        while not over:
            action = np.int64(FirstSlot().act({"action_mask": info["action_mask"]}))
            _, reward, over, _, info = plain.step(action)
            _, shaped_reward, _, _, shaped_info = shaped.step(action)
            expected, earned = expected + reward, earned + shaped_reward
            under += shaped_info["unshaped_reward"]
        assert under == expected
        assert earned == pytest.approx(expected - start)


def test_masks_pass_through():
    shaped = PotentialShaping(OFCPineappleEnv())
    _, info = shaped.reset(seed=1)
    assert (shaped.get_wrapper_attr("action_masks")() == info["action_mask"].astype(bool)).all()


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_vector_shaping_equals_the_formula(discount):
    environment = VectorPotentialShaping(OFCPineappleVectorEnv(num_envs=6), cards_sum, discount)
    generator = np.random.default_rng(1)
    observations, infos = environment.reset(seed=2)
    for _ in range(40):
        before = cards_sum(observations)
        actions = choose_evenly(infos["action_mask"], generator.integers(2**63, size=6, dtype=np.uint64))
        observations, rewards, terminations, _, infos = environment.step(actions)
        after = np.where(terminations, 0, cards_sum(observations))
        assert rewards == pytest.approx(infos["unshaped_reward"] + discount * after - before)


def potential_by_loop(observations, rules):
    """The royalties of finished rows, mine less theirs, row by row and table by table."""
    places = card_places(observations)
    potentials = np.zeros(len(observations), dtype=np.float32)
    for table in range(len(observations)):
        for row, (name, size) in enumerate([("top", 3), ("middle", 5), ("bottom", 5)] * 2):
            cards = np.flatnonzero(places[table, :, row]).tolist()
            if len(cards) == size:
                points = rules.royalty(name, ofc_env.row_value(cards))
                potentials[table] += points if row < 3 else -points
    return potentials


RICH = ofc_env.Rules(middle=range(0, 100, 10), top_pairs=range(13), bottom=range(10))


@pytest.mark.parametrize("rules", [ofc_env.Rules(), RICH])
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_royalty_potential_of_a_batch_is_that_of_the_loop(rules, weight):
    """To the bit, jokers and fouled boards among them, in any layout of the array."""
    batch = ofc_env.BatchEnv(64, seed=3, terminal_observations=True)
    seen = []
    for _ in range(40):
        batch.step(batch.random_actions())
        seen += [batch.observations.copy(), batch.terminal_observations[batch.dones].reshape(-1, 490)]
    observations = np.concatenate(seen)
    expected = weight * potential_by_loop(observations, rules)
    potential = RoyaltyPotential(weight, rules)
    assert len(np.unique(expected)) > 10
    found = potential(observations)
    assert found.dtype == expected.dtype == np.float32
    assert (found == expected).all()
    assert (potential(observations[::-2]) == expected[::-2]).all()
    assert (potential(observations.astype(np.float64)) == expected).all()
    assert potential(observations[:0]).shape == (0,)


def test_royalty_potential_counts_finished_rows():
    """At the end of hands without jokers or fouls it is the difference of the royalties."""
    potential = RoyaltyPotential(weight=2.0)
    generator = np.random.default_rng(5)
    checked = 0
    for seed in range(400):
        hand = ofc_env.Hand(seed=seed)
        assert potential(hand.observation(0)[None])[0] == 0
        while not hand.finished:
            hand.step(int(generator.choice(hand.legal_actions())))
        result = hand.result()
        boards = [hand.board(seat) for seat in (0, 1)]
        cards = [card for board in boards for card in [*board.top, *board.middle, *board.bottom]]
        if any(result.busted) or max(cards) >= 52:
            continue
        checked += 1
        difference = result.royalties[0].total - result.royalties[1].total
        assert potential(hand.observation(0)[None])[0] == 2 * difference
        assert potential(hand.observation(1)[None])[0] == -2 * difference
    assert checked > 3


@pytest.mark.parametrize(
    ("row", "cards", "points"),
    [
        (0, "6s 6h 2c", 1),
        (0, "As Ah X1", 22),
        (0, "5s 5h 2c", 0),
        (1, "Th Jh Qh Kh Ah", 50),
        (2, "Th Jh Qh Kh Ah", 25),
        (1, "9h Jh Qh Kh Th", 30),
        (1, "2s 2h 2d 7c 9c", 2),
        (2, "2s 2h 2d 7c 9c", 0),
        (2, "2s 3h 4d 5c Ac", 2),
    ],
)
def test_royalty_potential_reads_the_tables(row, cards, points):
    observation = np.zeros((1, 490), dtype=np.float32)
    observation[0, np.array(ofc_env.parse_cards(cards)) * 9 + row] = 1
    assert RoyaltyPotential()(observation)[0] == points
    observation = np.zeros((1, 490), dtype=np.float32)
    observation[0, np.array(ofc_env.parse_cards(cards)) * 9 + row + 3] = 1
    assert RoyaltyPotential()(observation)[0] == -points
