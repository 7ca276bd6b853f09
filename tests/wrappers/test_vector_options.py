"""What batched environments share with the single one: reset options and illegal slots, table by table."""

import itertools

import numpy as np
import pytest

import ofc_env
from agents.randomness import choose_evenly
from tests.players import FirstSlot
from wrappers import OFCPineappleEnv, OFCPineappleVectorEnv
from wrappers.learner_batch import LearnerBatch

DECK = list(range(54))
COUNT = 4


def hands_of(environment):
    """The hand in play at every table of a vector."""
    batch = environment._learners.batch
    return [batch.hand(table) for table in range(environment.num_envs)]


def vector(**arguments):
    return OFCPineappleVectorEnv(num_envs=COUNT, opponent=FirstSlot(), **arguments)


def random_actions(masks, generator):
    return choose_evenly(masks, generator.integers(2**63, size=len(masks), dtype=np.uint64))


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("button", [0, 1])
@pytest.mark.parametrize("chips", [None, (120, 280)])
def test_one_value_for_all_is_that_of_the_single_environment(seat, button, chips):
    """Every table begins as the single environment does with the same options."""
    options = {"seat": seat, "button": button, "chips": chips, "deck": DECK[::-1], "unknown": "left alone"}
    single = OFCPineappleEnv(opponent=FirstSlot())
    observation, info = single.reset(seed=1, options=options)
    environment = vector()
    observations, infos = environment.reset(seed=1, options=options)
    assert hands_of(environment) == [single.hand] * COUNT
    assert (observations == observation).all()
    assert (infos["action_mask"] == info["action_mask"]).all()


def test_values_for_each_table():
    decks = [DECK, None, ofc_env.card_names(DECK[::-1]), " ".join(ofc_env.card_names(DECK))]
    options = {
        "button": np.array([0, 1, 1, 0]),
        "seat": [1, 0, 1, None],
        "chips": [(100, 300), None, (0, 400), np.array([7, 8])],
        "deck": decks,
    }
    environment = vector(seat=1)
    environment.reset(seed=2, options=options)
    hands = hands_of(environment)
    assert [hand.button for hand in hands] == [0, 1, 1, 0]
    assert [hand.chips for hand in hands] == [[100, 300], [200, 200], [0, 400], [7, 8]]
    assert [hand.player for hand in hands] == [1, 0, 1, 1]
    assert [hand.deck for hand in hands[:1] + hands[2:]] == [DECK, DECK[::-1], DECK]


def test_options_last_for_one_episode():
    """The next episode has the rules' chips, the learner's own seat and the other button."""
    environment = vector(seat=0)
    _, infos = environment.reset(options={"seat": 1, "chips": (10, 390), "button": 1, "deck": DECK})
    generator = np.random.default_rng(0)
    over = np.zeros(COUNT, dtype=bool)
    while not over.all():
        before = hands_of(environment)
        assert [hand.player for hand in before] == np.where(over, 0, 1).tolist()
        _, _, terminations, _, infos = environment.step(random_actions(infos["action_mask"], generator))
        for table in np.flatnonzero(terminations & ~over):
            hand = hands_of(environment)[table]
            assert (hand.player, hand.button, hand.chips) == (0, 0, [200, 200])
            assert hand.deck != DECK
            final = ofc_env.decode_observation(infos["final_obs"][table])
            assert (final.chips, final.opponent_chips) == (390, 10)
        over |= terminations


def test_a_button_leaves_the_decks_of_a_seed():
    plain, asked = vector(), vector()
    plain.reset(seed=3)
    asked.reset(seed=3, options={"button": 1})
    assert [hand.deck for hand in hands_of(plain)] == [hand.deck for hand in hands_of(asked)]
    assert {hand.button for hand in hands_of(asked)} == {1}


def test_sessions_take_a_button():
    environment = vector(episode="session")
    environment.reset(seed=1, options={"button": [0, 1, 1, 0]})
    assert [hand.button for hand in hands_of(environment)] == [0, 1, 1, 0]
    with pytest.raises(ValueError, match="a session takes no deck or chips"):
        environment.reset(options={"chips": (100, 300)})


# ---------------------------------------------------------------- partial resets


@pytest.mark.parametrize("seed", [None, 8])
@pytest.mark.parametrize("episode", ["hand", "session"])
def test_a_mask_resets_its_tables_and_no_other(seed, episode):
    environment = vector(episode=episode)
    observations, infos = environment.reset(seed=5)
    observations, *_, infos = environment.step(infos["action_mask"].argmax(axis=1))
    before = hands_of(environment)
    mask = np.array([False, True, True, False])
    options = {"reset_mask": mask, "button": [0, 1, 0, 0]}
    after, infos = environment.reset(seed=seed, options=options)
    assert options["reset_mask"] is mask  # the caller's dictionary is left as it was
    hands = hands_of(environment)
    assert [hands[table] == before[table] for table in range(COUNT)] == [True, False, False, True]
    assert [hand.button for hand in hands[1:3]] == [1, 0]
    assert (after[~mask] == observations[~mask]).all()
    assert (after == environment._learners.observations).all()
    assert all(ofc_env.decode_observation(after[table]).turn == 0 for table in (1, 2))
    if seed is not None:
        twin = vector(episode=episode)
        twin.reset(seed=seed, options={"button": [0, 1, 0, 0]})
        assert hands_of(twin)[1:3] == hands[1:3]


def test_a_full_mask_is_a_reset():
    first, second = vector(), vector()
    first.reset(seed=4)
    second.reset(seed=4, options={"reset_mask": np.ones(COUNT, dtype=bool)})
    assert hands_of(first) == hands_of(second)


# ---------------------------------------------------------------- illegal slots


@pytest.mark.parametrize("seat", [0, None])
def test_an_illegal_slot_ends_its_table_only(seat):
    """The table's episode ends as in a single environment; the others play as those of an untouched twin."""
    environment, twin = vector(seat=seat), vector(seat=seat)
    _, infos = environment.reset(seed=6)
    twin.reset(seed=6)
    generator = np.random.default_rng(3)
    others = np.array([True, True, False, True])
    ends = 0
    for step in range(30):
        actions = random_actions(infos["action_mask"], generator)
        wrong = actions.copy()
        broken = step == 1  # in the middle of a hand
        if broken:
            wrong[2] = 149
        before = hands_of(environment)[2]
        seen = environment._learners.observations[2].copy()
        result, expected = environment.step(wrong), twin.step(actions)
        for ours, theirs in zip(result[:4], expected[:4], strict=True):
            assert (ours[others] == theirs[others]).all()
        infos, twin_infos = result[4], expected[4]
        assert (infos["action_mask"][others] == twin_infos["action_mask"][others]).all()
        assert infos["illegal_action"].tolist() == [False, False, broken, False]
        if broken:
            assert result[1].tolist() == [0, 0, -1, 0]
            assert result[2].tolist() == [False, False, True, False]
            assert (infos["final_obs"][2] == seen).all()
            last = infos["final_info"]
            assert [bool(last[key][2]) for key in ("illegal_action", "fouls")] == [True, False]
            assert last["_illegal_action"].tolist() == [False, False, True, False]
            assert last["royalties"][2] == last["fantasyland"][2] == 0
            now = hands_of(environment)[2]
            assert now.button == 1 - before.button
            assert ofc_env.decode_observation(result[0][2]).turn == 0
        ends += int(result[2].sum())
    assert ends > COUNT


def test_illegal_slots_at_every_table():
    learners = LearnerBatch(3, seed=1)
    learners.step(np.full(3, 149))
    assert learners.dones.all()
    assert not learners.hand_ends.any()
    assert learners.rewards.tolist() == [-1, -1, -1]
    assert (learners.batch.players == learners.seats).all()


def test_an_illegal_slot_ends_a_session():
    environment = vector(episode="session")
    _, infos = environment.reset(seed=6)
    actions = infos["action_mask"].argmax(axis=1)
    actions[0] = 149
    _, rewards, terminations, _, infos = environment.step(actions)
    assert (rewards[0], terminations.tolist()) == (-1, [True, False, False, False])
    assert hands_of(environment)[0].chips == [200, 200]


# ---------------------------------------------------------------- refusals

SOME = np.array([True, False, False, False])
HOSTILE = [
    *({"button": value} for value in (2, -1, "x", 0.5, float("nan"), 10**30, [0, 1], [0, 1, 2, 0])),
    *({"seat": value} for value in (2, "left", 1.0, [0, 1, 0], [0, 1, 0, {}])),
    *({"chips": value} for value in (7, "ab", (1,), (-1, 5), (0.5, 1), (1, 10**30), [(1, 2)] * 3)),
    *({"chips": value} for value in ((float("nan"), 1), itertools.count(), [(1, 2)] * 3 + [(1, 2, 3)])),
    *({"deck": value} for value in (7, "", DECK[:-1], [*DECK[:-1], 0], [DECK] * 3, itertools.count())),
    *({"deck": value} for value in ([DECK] * 3 + [7], [DECK] * 3 + [[]], [1.5] * 54, ["Zz"] * 54)),
    *({"reset_mask": value} for value in (True, [True] * 4, np.ones(4), np.ones(3, bool), np.zeros(4, bool))),
    *({"reset_mask": SOME, "button": value} for value in (5, [7, 0, 0, 0])),
    *(["button"], 3, "deck"),
]


@pytest.mark.parametrize("options", HOSTILE, ids=repr)
@pytest.mark.parametrize("seed", [None, 9])
def test_refused_options_leave_every_table(options, seed):
    """One sentence, the tables as they were, and the episodes after them those of an untouched twin."""
    environment, twin = vector(), vector()
    environment.reset(seed=4)
    twin.reset(seed=4)
    with pytest.raises((ValueError, TypeError), match=r"^[^\n]*\w+ [^\n]* \w+[^\n]*$"):
        environment.reset(seed=seed, options=options)
    assert hands_of(environment) == hands_of(twin)
    assert environment.np_random_seed == twin.np_random_seed
    environment.reset()
    twin.reset()
    assert hands_of(environment) == hands_of(twin)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", [1, 2, 3, 4], np.float64(2), float("nan"), b"1"])
def test_refused_seeds(seed):
    for environment in (vector(), OFCPineappleEnv(opponent=FirstSlot())):
        environment.reset(seed=4)
        before = environment.np_random.bit_generator.state
        with pytest.raises((ValueError, TypeError), match="the seed"):
            environment.reset(seed=seed)
        assert environment.np_random.bit_generator.state == before


@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3), True, 10**30])
def test_whole_numbers_of_any_kind_are_seeds(seed):
    for make in (vector, OFCPineappleEnv):
        first, second = make(), make()
        assert (first.reset(seed=seed)[0] == second.reset(seed=int(seed))[0]).all()


@pytest.mark.parametrize(
    "actions",
    [
        None,
        30,
        "x",
        [-120] * 4,
        [-1] * 4,
        [30, 30, 30, 150],
        [149, -120, 30, 30],
        [30] * 3,
        [30.0] * 4,
        [True] * 4,
        [None] * 4,
        [[30]] * 4,
        np.full(4, np.uint64(2**63)),
    ],
    ids=repr,
)
def test_what_is_no_slot_changes_nothing(actions):
    environment = vector()
    environment.reset(seed=4)
    before = hands_of(environment)
    with pytest.raises(ValueError, match=r"\w+ .* \w+"):
        environment.step(actions)
    assert hands_of(environment) == before
