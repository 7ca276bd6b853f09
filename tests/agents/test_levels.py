"""The levels in their order, and under other rules: the next choice plays where no network is shipped."""

import asyncio
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest

import agents
from agents import levels
from agents.arena import MatchSettings, play_match
from agents.live_player import LivePlayer, Ticket
from agents.live_player.player import agent_for, parse_arguments
from agents.live_player.view import SeatView, table_rules
from ofc_env import Rules

ODD = "standard scoop=6"  # nobody measured it or trained for it
QUIET = MatchSettings(seed=77, progress=False)
BARE = "no_fantasyland scoop=6"  # nobody trained for it, and there is nothing to measure


def test_the_levels_stand_in_their_order_under_their_names():
    assert list(levels.LEVELS) == [
        *("novice", "beginner", "casual", "regular", "skilled", "advanced", "expert", "strongest"),
    ]
    assert levels.DEFAULT_LEVEL in levels.LEVELS
    assert levels.agent_of("skilled") == "heuristic"
    for level, choices in levels.LEVELS.items():
        assert agents.make(levels.agent_of(level)).name == choices[0]
    with pytest.raises(ValueError, match="there is no level 'godlike': use one of novice, beginner"):
        levels.agent_of("godlike")


def test_old_names_are_levels_in_their_old_order():
    assert set(levels.OLD_NAMES) | {"strongest"} == {"policy", "weak", "normal", "strong", "strongest"}
    order = list(levels.LEVELS)
    places = [order.index(levels.level_of(name)) for name in ("weak", "normal", "strong", "strongest")]
    assert places == sorted(set(places))
    for name, level in levels.OLD_NAMES.items():
        assert levels.agent_of(name) == levels.agent_of(level)
        assert parse_arguments(["--level", name]).level == level


def test_nobody_with_a_handicap_reviews_and_who_is_named_has_none():
    for agent in levels.REVIEWERS:
        assert not levels.HANDICAPS & set(agents.parse_name(agent)[1])
    assert levels.reviewer() == "alphazero:sims=500"
    assert levels.reviewer(BARE) == "pimc:rollouts=5000"
    assert levels.reviewer(ODD) == "random"
    for level in levels.LEVELS:
        assert levels.agent_of(level, "heuristic") == "heuristic"
    assert levels.agent_of("expert", "alphazero") == "alphazero"
    assert levels.agent_of("strongest", "alphazero") == "alphazero:sims=2000,fantasyland_boards=64"


def test_a_class_of_ones_own_sits_down_at_a_live_table():
    own = "experiments.people.stand_in:StandIn"
    assert agent_for(parse_arguments(["--agent", own])) == own
    assert agent_for(parse_arguments(["--agent", "heuristic"]), Rules.parse(BARE)) == "heuristic"
    assert agent_for(parse_arguments(["--level", "skilled"])) == "heuristic"
    for wrong in ("no_such_module:Agent", "agents.levels:Nobody", "mcts-open"):
        with pytest.raises(ValueError, match=wrong.split(":")[0]):
            agent_for(parse_arguments(["--agent", wrong]))


# Few plain deals tell only levels apart that are far from each other: calibrate_levels.py has the steps.
@pytest.mark.parametrize(
    ("higher", "lower", "least"),
    [
        ("casual", "novice", 3.5),
        ("skilled", "casual", 3.5),
        ("expert", "skilled", 1.5),
        ("expert", "novice", 11.0),
    ],
)
def test_higher_levels_win(higher, lower, least):
    won = play_match(levels.agent_of(higher), levels.agent_of(lower), 2000, QUIET).equity
    assert won.mean > least, won.text()


def test_a_beginner_can_beat_the_novice():
    won = play_match(levels.agent_of("novice"), "random", 4000, QUIET).equity
    assert 1.5 < won.mean < 3.0, won.text()
    assert won.high < 3.0


@pytest.mark.parametrize("rules", ["standard", "no_fantasyland", "fixed14"])
def test_levels_are_levels_under_other_rules(rules):
    settings = replace(QUIET, rules=Rules.parse(rules))
    names = [levels.agent_of(level, rules=rules) for level in ("novice", "casual", "skilled")]
    for lower, higher in pairwise(names):
        assert play_match(higher, lower, 1500, settings).equity.low > 0.5


def test_by_the_house_rules_nothing_is_added():
    for rules in (None, "house", Rules(chips=500)):
        assert levels.agent_of("strongest", rules=rules) == levels.agent_of("strongest")
        assert levels.quick_agent(rules) == "heuristic"
    assert "alphazero" in levels.playable()


def test_without_a_champion_the_next_choice_plays():
    assert "alphazero" not in levels.playable(ODD)
    assert not {"bc", "ppo"} & set(levels.playable(ODD))
    assert levels.agent_of("advanced", rules=BARE) == "pimc:rollouts=500"
    assert levels.agent_of("skilled", rules=BARE) == levels.quick_agent(BARE) == "heuristic"
    assert levels.agent_of("novice", rules=BARE) == levels.agent_of("novice")
    assert levels.agent_of("expert", "ismcts", BARE) == "ismcts:simulations=500"
    assert levels.agent_of("expert", "random", ODD) == "random"
    assert levels.agent_of("expert", rules=ODD) == levels.quick_agent(ODD) == "random"  # others want values
    with pytest.raises(ValueError, match=r"no agent 'bc' for the rules 'standard scoop=6': use one of heur"):
        levels.agent_of("regular", "bc", ODD)
    assert levels.is_playable("ppo:weights=mine.safetensors", ODD)  # believed


@pytest.mark.parametrize("level", list(levels.LEVELS))
def test_the_agent_of_every_level_can_be_made(level):
    for rules in (ODD, BARE):
        assert levels.make_timed(levels.agent_of(level, rules=rules), 1.0, rules).rules == Rules.parse(rules)
    with pytest.raises(ValueError, match="no champion is shipped"):
        levels.make_timed("alphazero", 1.0, ODD)
    assert isinstance(levels.make_timed(levels.quick_agent(ODD), 1.0, ODD), agents.Agent)


@pytest.mark.parametrize("told", [None, 7, {}, {"chips": 200}, {"text": None}, {"text": ["jokers=0"]}])
def test_a_table_that_tells_no_rules_is_the_houses(told):
    assert table_rules({"type": "state", "rules": told}) == Rules()
    assert table_rules({"type": "state"}) == Rules()


def test_a_seat_knows_the_rules_that_the_table_tells(caplog):
    view = SeatView()
    state = {"type": "state", "your_seat": 0, "rules": {"text": "standard"}}
    view.hear(state)
    view.hear({"type": "hand_start", "your_seat": 0})
    cards = ["2h", "3h", "4h", "5h", "7h"]
    empty: dict[str, list[str]] = {"top": [], "middle": [], "bottom": []}
    deal = {"type": "deal", "cards": cards, "turn": 0, "is_btn": False, "opponent_board": empty}
    view.hear({**deal, "chips_self": 200, "chips_opponent": 200})
    known = view.information()
    assert known.rules == Rules.preset("standard")
    assert max(known.unseen) == 51
    assert table_rules({"rules": {"text": "jokers=0 gravity=9"}}) == Rules()
    assert "the table's rules cannot be read" in caplog.text


def test_a_live_player_is_made_anew_for_the_rules_of_its_table(caplog):
    def seated(agent: str | partial[str]) -> LivePlayer:
        player = LivePlayer(Ticket("http://127.0.0.1:1", "room", "p0", "secret"), agent)
        state = {"type": "state", "your_seat": 0, "phase": "playing", "rules": {"text": ODD}}
        player.view.hear(state)
        asyncio.run(player._take_up(None, state))  # type: ignore[arg-type]
        player._search.shutdown(wait=True)
        return player

    by_level = seated(partial(levels.agent_of, "expert", None))
    assert by_level.agent_name == by_level.agent.name == "random"
    assert by_level.agent.rules == by_level.quick_agent.rules == Rules.parse(ODD)
    assert not caplog.text
    with pytest.raises(ValueError, match="no champion is shipped for the rules 'standard scoop=6'"):
        seated("alphazero:sims=0")  # a house player at somebody else's table
