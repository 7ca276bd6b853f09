"""The measuring instrument: pairs, seats, intervals, processes and interruptions."""

import json
import os
import re

import numpy as np
import pytest

import agents
import ofc_env
from agents import Agent
from agents.arena import MatchSettings, play_match, play_sessions, tables
from agents.arena.results import MatchResult, SessionResult
from agents.arena.store import MatchStore
from agents.arena.workers import WorkerError
from agents.turns import seat_to_act
from tests.players import FirstSlot, LastSlot

QUIET = MatchSettings(progress=False)
EQUITY = ofc_env.RewardConfig.preset("equity")
RULES = ofc_env.Rules()


class ByPlaceInBatch(Agent):
    """A player whose arithmetic depends on where a position stands in its batch, as a network's may."""

    def act(self, observation):
        raise AssertionError("it is asked in batches")

    def act_batch(self, observations, masks):
        return np.array([np.flatnonzero(mask)[row % mask.sum()] for row, mask in enumerate(masks)])


class Keeper(Agent):
    """Remembers its hand: plays the first slot, and checks that every turn follows the one before."""

    remembers = True

    def __init__(self):
        self.turns = []
        self.hands = 0

    def reset(self):
        self.turns.clear()
        self.hands += 1

    def act(self, observation):
        turn = observation["observation"][486]
        assert turn == 0 if not self.turns else turn >= self.turns[-1]
        assert len(self.turns) <= 5
        self.turns.append(turn)
        return int(np.flatnonzero(observation["action_mask"])[0])


class OpenPlayer(Agent):
    """Looks at the true hand and plays its last slot."""

    needs_true_hand = True

    def act(self, observation):
        raise AssertionError("it is shown the hand")

    def act_open(self, hand):
        assert len(hand.deck) == 54
        return hand.legal_actions()[-1]


class Dies(Agent):
    """Takes its process with it."""

    def act(self, observation):
        os._exit(3)


class Breaks(Agent):
    def act(self, observation):
        raise KeyError("a mistake in the agent")


class Illegal(Agent):
    def act(self, observation):
        return 149


@pytest.mark.parametrize("make", [FirstSlot, LastSlot, ByPlaceInBatch, Keeper, lambda: agents.make("random")])
def test_equal_players_score_exactly_zero(make):
    result = play_match(make(), make(), 40, QUIET)
    assert not result.points_samples.any()
    assert not result.equity_samples.any()
    assert (result.points.mean, result.points.error, result.equity.margin) == (0, 0, 0)
    for rate in ("foul", "fantasyland", "royalties"):
        assert getattr(result.sides[0].overall, rate) == getattr(result.sides[1].overall, rate)
    sessions = play_sessions(make(), make(), 6, QUIET)
    assert (sessions.chips.mean, sessions.chips.error, sessions.wins.mean) == (0, 0, 0.5)


def test_equal_players_that_set_against_boards_score_exactly_zero():
    name = "heuristic:fantasyland_boards=4"
    assert not play_sessions(name, name, 8, QUIET).chips_samples.any()
    against = play_sessions(name, "heuristic", 8, QUIET).chips_samples
    assert against.any()
    assert (against == -play_sessions("heuristic", name, 8, QUIET).chips_samples).all()


def test_one_object_can_play_itself():
    player = agents.make("random")
    assert play_match(player, player, 5, QUIET).points.mean == 0


def test_swapping_the_agents_swaps_the_sign():
    there = play_match("random", FirstSlot(), 60, QUIET)
    back = play_match(FirstSlot(), "random", 60, QUIET)
    assert (there.points_samples == -back.points_samples).all()
    assert (there.equity_samples == -back.equity_samples).all()
    assert there.points_samples.any()
    assert there.sides[0].button == back.sides[1].button
    assert there.button.mean == pytest.approx(back.button.mean)


@pytest.mark.parametrize("kind", [tables.HandTable, tables.SessionTable])
def test_each_deal_is_played_from_both_sides(kind):
    seats_of_agent_0 = set()
    for deal in range(20):
        there, back = (kind(3, deal, game, RULES) for game in (0, 1))
        assert there.hand == back.hand
        assert there.agents == back.agents[::-1]
        assert there.agents[there.hand.button] == 0, "agent 0 has the button of game 0"
        assert back.agents[back.hand.button] == 1
        seats_of_agent_0.add(there.agents.index(0))
    assert seats_of_agent_0 == {0, 1}
    assert kind(3, 0, 0, RULES).hand != kind(3, 1, 0, RULES).hand
    assert kind(3, 0, 0, RULES).hand != kind(4, 0, 0, RULES).hand


def test_hands_are_what_playing_them_one_by_one_gives():
    players = (FirstSlot(), agents.make("random"))
    arrays = tables.play_hands(players, 5, 10, 8, RULES, EQUITY)
    for index in range(8):
        for game in (0, 1):
            table = tables.HandTable(5, 10 + index, game, RULES)
            hand = table.hand
            while not hand.finished:
                seat = seat_to_act(hand)
                player = players[table.agents[seat]]
                hand.step(
                    player.act({"observation": hand.observation(seat), "action_mask": hand.action_mask()})
                )
            result, seat = hand.result(), table.agents.index(0)
            assert arrays["points"][index, game] == result.raw_score[seat]
            assert arrays["value"][index, game].tolist() == [
                EQUITY.hand_rewards(result)[seat],
                EQUITY.hand_rewards(result)[1 - seat],
            ]
            assert arrays["foul"][index, game].tolist() == [result.busted[seat], result.busted[1 - seat]]
            royalties = [result.royalties[seat].total, result.royalties[1 - seat].total]
            assert arrays["royalties"][index, game].tolist() == royalties


def test_sessions_are_what_playing_them_one_by_one_gives():
    players = (LastSlot(), agents.make("random:seed=1"))
    arrays = tables.play_sessions(players, 5, 0, 5, RULES)
    for index in range(5):
        for game in (0, 1):
            table = tables.SessionTable(5, index, game, RULES)
            session = table.session
            while not session.finished:
                hand = session.hand
                seat = seat_to_act(hand)
                player = players[table.agents[seat]]
                session.step(
                    player.act({"observation": hand.observation(seat), "action_mask": hand.action_mask()})
                )
            seat = table.agents.index(0)
            assert arrays["chips"][index, game] == session.chips[seat]
            assert arrays["hands"][index, game] == session.hands_played
            fouls = sum(result.busted[seat] for result in session.history if not result.fantasyland[seat])
            assert arrays["foul"][index, game, 0] == fouls


def synthetic(deals, lead, spread, seed):
    """Arrays of a match whose pairs are known: agent 0 wins `lead` a hand, give or take."""
    generator = np.random.default_rng(seed)
    luck = generator.normal(0, 30, deals)  # the same cards for both: it must cancel
    pairs = generator.normal(lead, spread, deals)
    points = np.stack([pairs + luck, pairs - luck], axis=1)
    entries = np.zeros((deals, 2, 2), dtype=np.int64)
    entries[: deals // 4, 0, 0] = 14
    return {
        "points": points,
        "value": np.stack([points, -points], axis=2),
        "foul": np.zeros((deals, 2, 2)),
        "fantasyland": entries,
        "royalties": np.full((deals, 2, 2), 3),
        "seconds": np.array([2.0, 1.0]),
        "decisions": np.array([1000, 0]),
    }


def test_intervals_are_right():
    result = MatchResult.from_arrays(("a", "b"), 0, synthetic(400, 2.0, 10.0, 0))
    assert result.equity.margin == pytest.approx(1.966 * 10 / np.sqrt(400), rel=0.1)
    assert result.points.count == 400
    inside = sum(
        abs(MatchResult.from_arrays(("a", "b"), 0, synthetic(50, 2.0, 10.0, seed)).equity.mean - 2.0)
        < MatchResult.from_arrays(("a", "b"), 0, synthetic(50, 2.0, 10.0, seed)).equity.margin
        for seed in range(400)
    )
    assert 365 <= inside <= 393  # 380 expected, three standard deviations


def test_rates_by_seat():
    result = MatchResult.from_arrays(("a", "b"), 0, synthetic(400, 0.0, 1.0, 0))
    first, second = result.sides
    assert first.button is not None
    assert first.second is not None
    assert first.button.fantasyland.mean == 0.25
    assert first.second.fantasyland.mean == 0
    assert first.overall.fantasyland.mean == 0.125
    assert second.overall.fantasyland.mean == 0
    assert (first.button.hands, first.overall.hands) == (400, 800)
    assert first.overall.royalties.mean == 3
    assert first.seconds_per_decision == 0.002
    assert np.isnan(second.seconds_per_decision)
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["sides"][1]["seconds_per_decision"] is None
    assert re.search(r"button +0\.0% +25\.0% +3\.00", result.text())


def same_results(left, right):
    return (
        (left.points_samples == right.points_samples).all()
        and (left.equity_samples == right.equity_samples).all()
        and [side.overall for side in left.sides] == [side.overall for side in right.sides]
        and [side.decisions for side in left.sides] == [side.decisions for side in right.sides]
    )


def test_processes_and_chunks_change_nothing():
    alone = play_match("random", "random:seed=1", 50, QUIET)
    settings = MatchSettings(progress=False, processes=2, chunk=7)
    assert same_results(alone, play_match("random", "random:seed=1", 50, settings))
    sessions = play_sessions("random", "random:seed=1", 6, QUIET)
    spread = play_sessions("random", "random:seed=1", 6, MatchSettings(progress=False, processes=2, chunk=2))
    assert (sessions.chips_samples == spread.chips_samples).all()


def test_objects_go_to_other_processes():
    settings = MatchSettings(progress=False, processes=2, chunk=3)
    result = play_match(agents.make("random"), agents.make("random:seed=1"), 9, settings)
    assert same_results(result, play_match("random", "random:seed=1", 9, QUIET))
    unpicklable = agents.make("random")
    unpicklable.reset = lambda: None  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="cannot be sent to another process"):
        play_match(unpicklable, "random", 9, settings)


def test_a_clean_sweep_is_not_certain():
    chips = np.full((20, 2), 260)
    zeros = np.zeros((20, 2, 2), dtype=np.int64)
    arrays = {"chips": chips, "hands": np.ones((20, 2)), "normal_hands": zeros + 1, "foul": zeros}
    arrays |= {"fantasyland": zeros, "royalties": zeros, "seconds": np.zeros(2), "decisions": np.ones(2)}
    result = SessionResult.from_arrays(("a", "b"), 0, arrays, start_chips=200)
    assert (result.wins.mean, result.chips.mean) == (1.0, 60.0)
    assert 0.85 < result.wins.low < 0.95


def test_other_seeds_deal_other_cards():
    one, other = (
        play_match("random", FirstSlot(), 20, MatchSettings(progress=False, seed=s)) for s in (0, 1)
    )
    assert (one.points_samples != other.points_samples).any()


# ---------------------------------------------------------------- interruptions


def test_resumed_match_equals_an_uninterrupted_one(tmp_path):
    whole = play_match("random", "random:seed=1", 40, QUIET)
    path = tmp_path / "match.jsonl"
    settings = MatchSettings(progress=False, chunk=8)

    calls = []

    class Stops(type(agents.make("random"))):  # type: ignore[misc]
        def act_batch(self, observations, masks):
            calls.append(len(masks))
            if len(calls) > 30:
                raise KeyboardInterrupt
            return super().act_batch(observations, masks)

    player = Stops(seed=1)
    player.name = "random:seed=1"
    with pytest.raises(KeyboardInterrupt):
        play_match("random", player, 40, settings, path)
    lines = path.read_text().splitlines()
    assert 1 < len(lines) < 6
    with path.open("a") as file:
        file.write(lines[1][: len(lines[1]) // 2])  # a line that a crash cut off
    resumed = play_match("random", "random:seed=1", 40, settings, path, resume=True)
    assert same_results(whole, resumed)
    again = play_match("random", "random:seed=1", 40, settings, path, resume=True)
    assert same_results(whole, again)
    assert len(path.read_text().splitlines()) == 6
    more = play_match("random", "random:seed=1", 50, settings, path, resume=True)
    assert same_results(more, play_match("random", "random:seed=1", 50, QUIET))


def test_a_chunk_is_on_the_disk_when_it_is_added(tmp_path):
    path = tmp_path / "deep" / "match.jsonl"
    store = MatchStore({"agents": ["a", "b"]}, path)
    rows = {"points": np.zeros((2, 2)), "seconds": np.zeros(2), "decisions": np.zeros(2)}
    store.add(4, rows)
    assert json.loads(path.read_text().splitlines()[1])["first"] == 4
    assert store.missing(8, 3) == [(0, 3), (3, 1), (6, 2)]
    store.close()
    assert not [name for name in os.listdir(path.parent) if name.endswith(".new")]


def test_another_match_is_not_resumed(tmp_path):
    path = tmp_path / "match.jsonl"
    play_match("random", "random:seed=1", 4, QUIET, path)
    with pytest.raises(ValueError, match=r"holds another match \(seed was 0 and is now 5\)"):
        play_match("random", "random:seed=1", 4, MatchSettings(seed=5, progress=False), path, resume=True)
    with pytest.raises(ValueError, match=r"holds another match \(agents was"):
        play_match("random", "random", 4, QUIET, path, resume=True)
    play_match("random", "random", 4, QUIET, path)  # without resuming it is replaced
    damaged = path.read_text().splitlines()
    path.write_text("\n".join([damaged[0], "{", damaged[1]]) + "\n")
    with pytest.raises(ValueError, match="damaged in line 2"):
        play_match("random", "random", 4, QUIET, path, resume=True)
    for line in (
        '{"first": 0}',
        '{"first": 4, "results": {}}',
        "[]",
        "5",
        damaged[1].replace("points", "x"),
        "\xff",
    ):
        path.write_bytes("\n".join([damaged[0], damaged[1], line, ""]).encode("latin-1"))
        with pytest.raises(ValueError, match="damaged in line 3"):
            play_match("random", "random", 4, QUIET, path, resume=True)
    path.write_text("[]\n")
    with pytest.raises(ValueError, match="does not hold a match"):
        play_match("random", "random", 4, QUIET, path, resume=True)


# ---------------------------------------------------------------- special players and refusals


def test_players_that_remember_play_one_hand_at_a_time():
    keeper, other = Keeper(), FirstSlot()
    result = play_match(keeper, other, 10, QUIET)
    assert not result.points_samples.any(), "both play the first slot"
    assert keeper.hands == other.resets == 20
    sessions = play_sessions(keeper, other, 3, QUIET)
    assert keeper.hands > 20 + 6
    assert sessions.chips.mean == 0


def test_open_search_is_not_ranked():
    with pytest.raises(ValueError, match="OpenPlayer looks at the true deck and cannot be ranked"):
        play_match(OpenPlayer(), "random", 4, QUIET)
    allowed = MatchSettings(progress=False, allow_open=True)
    result = play_match(OpenPlayer(), LastSlot(), 10, allowed)
    assert result.open_cards
    assert "not a ranking" in result.text()
    assert not result.points_samples.any(), "both play the last slot"
    assert not play_match(LastSlot(), LastSlot(), 2, allowed).open_cards


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("random", "random", 0), "a match of 0 hands has no result"),
        (("random", "random", 3, MatchSettings(processes=0)), "0 processes cannot play"),
        (("random", "random", 3, MatchSettings(chunk=0)), "a chunk of 0 deals"),
        (("random", "random", 3, MatchSettings(seed=-1)), "-1 cannot be a seed"),
        (("random", "nobody", 3), "no agent is named 'nobody'"),
        (("random", Illegal(), 3), "<Illegal> chose an illegal slot"),
        (("random", Illegal(), 64, MatchSettings(processes=2)), "<Illegal> chose an illegal slot"),
    ],
)
def test_refusals_are_sentences(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        play_match(*arguments)


def test_failing_workers_are_reported():
    settings = MatchSettings(progress=False, processes=2, chunk=4)
    with pytest.raises(WorkerError, match=r"a worker died on deals \d to \d+ \(exit code 3\)"):
        play_match("random", Dies(), 8, settings)
    with pytest.raises(WorkerError, match="a mistake in the agent"):
        play_match("random", Breaks(), 8, settings)


def test_one_deal_has_no_interval():
    result = play_match("random", FirstSlot(), 1, QUIET)
    assert np.isnan(result.points.error)
    json.dumps(result.to_dict(), allow_nan=False)
    assert "±" not in result.text()


# ---------------------------------------------------------------- sessions by their reward


@pytest.mark.parametrize("name", ["session", "mixed", "win"])
def test_sessions_are_paid_by_a_reward(name):
    """All that hands and the end pay: of chips their share of a stack, of winning 1 or -1."""
    settings = MatchSettings(progress=False, reward=ofc_env.RewardConfig.preset(name))
    result = play_sessions("heuristic", "random", 6, settings)
    plain = play_sessions("heuristic", "random", 6, QUIET)
    assert result.paid is not None
    wanted = 2 * plain.wins.mean - 1 if name == "win" else plain.chips.mean / 200
    assert result.paid.mean == pytest.approx(wanted, abs=1e-6)
    assert result.paid.count == 6
    assert "reward a session" in result.text()
    assert (result.chips_samples == plain.chips_samples).all()
    assert set(result.to_dict()) - set(plain.to_dict()) == {"paid"}
    assert plain.paid is None


def test_a_match_of_sessions_keeps_its_reward(tmp_path):
    store = tmp_path / "match"
    settings = MatchSettings(progress=False, reward=ofc_env.RewardConfig.preset("win"))
    play_sessions("heuristic", "random", 2, settings, store)
    longer = play_sessions("heuristic", "random", 4, settings, store, resume=True)
    assert longer.paid == play_sessions("heuristic", "random", 4, settings).paid
    with pytest.raises(ValueError, match="reward"):
        play_sessions("heuristic", "random", 4, QUIET, store, resume=True)
