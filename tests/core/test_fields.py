"""Settings that are listed once in the core: defaults, bounds, names, types and text forms of every list."""

from __future__ import annotations

import inspect
import math
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agents
from agents.players.alphazero import AlphaZeroAgent
from agents.players.heuristic import HeuristicAgent
from agents.players.ismcts import IsmctsAgent, OpenMctsAgent
from agents.players.pimc import PimcAgent
from ofc_env import RewardConfig, Rules, _core
from ofc_env.results import Setting

core: Any = _core


@cache
def network() -> _core.Network:
    shapes = (
        (64, _core.NETWORK_FEATURES),
        (64,),
        (1, 64),
        (1,),
        (_core.NETWORK_HEADS, 1),
        (_core.NETWORK_HEADS,),
    )
    return core.Network(*(np.zeros(shape, dtype=np.float32) for shape in shapes))


def heuristic(**weights: float) -> _core.Heuristic:
    """The heuristic takes its numbers as one list, in the order of fields()."""
    listed = {field.name: field.default for field in _core.Heuristic.fields()}
    unknown = set(weights) - set(listed)
    if unknown:
        raise ValueError(f"no field {unknown}: its fields are {', '.join(listed)}")
    return _core.Heuristic(weights=list({**listed, **weights}.values()))


def for_its_root(settings: dict[str, Any]) -> dict[str, Any]:
    """A setting that only the tree has a use for, with the tree."""
    tree = {
        "c_puct",
        "prior_temperature",
        "widening",
        "widening_power",
        "noise",
        "noise_alpha",
        "visit_temperature",
    }
    tree |= {"max_nodes", "shares", "visit_temperature", "policy_target"}
    return {"root": "tree", **settings} if tree & set(settings) else settings


# What has a list -> its name in refusals, how it is made from keywords, its list.
OWNERS: dict[str, tuple[str, Callable[..., object], list[Setting]]] = {
    "Rules": ("rules", Rules, Rules.fields()),
    "RewardConfig": ("reward", RewardConfig, RewardConfig.fields()),
    "Pimc": ("pimc", _core.Pimc, _core.Pimc.fields()),
    "Ismcts": ("ismcts", _core.Ismcts, _core.Ismcts.fields()),
    "NetworkSearch": (
        "alphazero",
        lambda **settings: core.NetworkSearch(network(), **for_its_root(settings)),
        _core.NetworkSearch.fields(),
    ),
    "self_play": (
        "self_play",
        lambda **settings: core.self_play(network(), 0, 1, **for_its_root(settings)),
        _core.self_play_fields(),
    ),
    "Referee": (
        "referee",
        lambda **settings: core.Referee(network(), **settings),
        _core.Referee.fields(),
    ),
    "Effort": ("effort", _core.Effort, _core.Effort.fields()),
    "Heuristic": ("heuristic", heuristic, _core.Heuristic.fields()),
    "Handicap": ("heuristic", _core.Heuristic, _core.Heuristic.handicap_fields()),
}
EVERY_FIELD = [(owner, field) for owner, (_, _, fields) in OWNERS.items() for field in fields]
BY_KEYWORD = [(owner, field) for owner, field in EVERY_FIELD if owner != "Heuristic"]


def fields_of(wanted: list[tuple[str, Setting]]) -> pytest.MarkDecorator:
    """A test for each of these fields."""
    names = [f"{owner}.{field.name}" for owner, field in wanted]
    return pytest.mark.parametrize(("owner", "field"), wanted, ids=names)


def is_list(field: Setting) -> bool:
    return "Sequence" in field.type


def is_whole(field: Setting) -> bool:
    return field.type in ("int", "typing.Sequence[int]")


def holding(field: Setting, number: float) -> Any:
    """A value of the field with this number in it: at the end of a list, or alone."""
    value = int(number) if is_whole(field) else number
    return [*field.default[:-1], value] if is_list(field) else value


# ---------------------------------------------------------------- every field of every list


@fields_of(EVERY_FIELD)
def test_defaults_are_within_bounds_and_taken(owner: str, field: Setting) -> None:
    _, make, _ = OWNERS[owner]
    make(**{field.name: field.default})
    assert len(field.help) > 5
    if field.choices:
        assert field.default in field.choices
        for choice in field.choices:
            make(**{field.name: choice})
    elif field.type == "bool":
        make(**{field.name: not field.default})
    else:
        assert field.low is not None
        assert field.high is not None
        numbers = field.default if is_list(field) else [field.default]
        assert all(field.low <= number <= field.high or number == field.also for number in numbers)


@fields_of([each for each in EVERY_FIELD if each[1].low is not None])
def test_bounds_are_taken_and_what_lies_beyond_is_refused(owner: str, field: Setting) -> None:
    name, make, _ = OWNERS[owner]
    assert field.low is not None
    assert field.high is not None
    taken = [field.low, field.high] + ([] if field.also is None else [field.also])
    for number in taken:
        make(**{field.name: holding(field, number)})
    below = field.low - 1 if is_whole(field) else field.low - max(1, abs(field.low))  # singles have 7 digits
    below -= below == field.also
    beyond: list[float] = [below, field.high * 2]
    if not is_whole(field):
        beyond += [math.nan, math.inf, -math.inf]
    for number in beyond:
        with pytest.raises(ValueError, match=rf"^{name}: {field.name} is ") as refusal:
            make(**{field.name: holding(field, number)})
        sentence = str(refusal.value)
        assert "\n" not in sentence
        said = sentence.split(" is ")[1].split(",")[0]
        assert said == str(number).removesuffix(".0") or float(said) == pytest.approx(number, rel=1e-6)
        assert ", outside " in sentence


@fields_of([each for each in BY_KEYWORD if is_whole(each[1])])
def test_numbers_of_any_size_are_refused_alike(owner: str, field: Setting) -> None:
    name, make, _ = OWNERS[owner]
    for number in (2**80, -(2**80), 2**31, 2**63):
        with pytest.raises(ValueError, match=rf"^{name}: {field.name} is {number}, outside "):
            make(**{field.name: holding(field, number)})


@fields_of(BY_KEYWORD)
def test_wrong_types_are_refused(owner: str, field: Setting) -> None:
    name, make, _ = OWNERS[owner]
    wrong: list[Any] = [None, {}, object()]
    if field.type == "bool":
        wrong += [1, "on", 0.0]
    elif field.choices:
        wrong += [1, True]
    elif is_list(field):
        wrong += [3, "1,2", field.default[:-1], [*field.default, 1], [*field.default[:-1], "x"]]
    else:
        wrong += ["3", True, [3]] + ([1.5] if is_whole(field) else [])
    for value in wrong:
        with pytest.raises(TypeError, match=rf"for the {name}: ") as refusal:
            make(**{field.name: value})
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("owner", [owner for owner in OWNERS if owner != "Heuristic"])
def test_unknown_fields_are_refused_with_the_list(owner: str) -> None:
    name, make, fields = OWNERS[owner]
    listed = ", ".join(field.name for field in fields)
    with pytest.raises(ValueError, match=rf"^{name} has no field 'speed': its fields are {listed}$"):
        make(speed=3)


@pytest.mark.parametrize("owner", OWNERS)
def test_names_stand_once(owner: str) -> None:
    names = [field.name for field in OWNERS[owner][2]]
    assert len(set(names)) == len(names) > 0


def test_unknown_choices_are_refused_with_the_list() -> None:
    with pytest.raises(ValueError, match="pimc: unknown leaf 'oracle': choose random, heuristic or beam"):
        core.Pimc(leaf="oracle")
    with pytest.raises(ValueError, match="alphazero: unknown root 'best': choose halving or tree"):
        core.NetworkSearch(network(), root="best")


def test_the_heuristic_takes_its_list() -> None:
    fields = _core.Heuristic.fields()
    assert [field.default for field in fields] == _core.Heuristic.default_weights
    for wrong in ([], [1.0] * (len(fields) - 1), [1.0] * (len(fields) + 1)):
        with pytest.raises(ValueError, match=f"has {len(fields)} weights, not {len(wrong)}"):
            _core.Heuristic(weights=wrong)
    with pytest.raises(TypeError, match="weights"):
        core.Heuristic(weights=["x"] * len(fields))


# ---------------------------------------------------------------- text forms


def values_of(field: Setting) -> st.SearchStrategy[Any]:
    """Every value that a field may have."""
    if field.type == "bool":
        return st.booleans()
    if field.choices:
        return st.sampled_from(field.choices)
    assert field.low is not None
    assert field.high is not None
    number: st.SearchStrategy[Any]
    if is_whole(field):
        number = st.integers(int(field.low), int(field.high))
    else:
        number = st.floats(field.low, field.high)
    if field.also is not None:
        number |= st.just(int(field.also))
    return (
        st.lists(number, min_size=len(field.default), max_size=len(field.default))
        if is_list(field)
        else number
    )


def some_fields(fields: list[Setting]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={field.name: values_of(field) for field in fields})


@given(some_fields(Rules.fields()))
def test_rules_read_back(given_fields: dict[str, Any]) -> None:
    check_text_form(Rules, given_fields)


@given(some_fields(RewardConfig.fields()))
def test_rewards_read_back(given_fields: dict[str, Any]) -> None:
    check_text_form(RewardConfig, given_fields)


def check_text_form(kind: Any, given_fields: dict[str, Any]) -> None:
    made = kind(**given_fields)
    for field in kind.fields():
        assert getattr(made, field.name) == given_fields.get(field.name, field.default)
    for again in (
        kind.parse(str(made)),
        pickle.loads(pickle.dumps(made)),
        eval(repr(made), {kind.__name__: kind}),
        kind().replace(**given_fields),
    ):
        assert again == made
        assert hash(again) == hash(made)
        assert str(again) == str(made)
        for field in kind.fields():
            assert getattr(again, field.name) == getattr(made, field.name)
    assert [word.split("=")[0] for word in str(made).split()] == [field.name for field in kind.fields()]


def test_a_reward_may_begin_with_a_preset() -> None:
    for name in ("points", "equity", "shaped", "session", "mixed"):
        preset = RewardConfig.preset(name)
        assert RewardConfig.parse(name) == preset == RewardConfig.parse(str(preset))
        assert RewardConfig.parse(f"{name} foul=10 capped=on") == preset.replace(foul=10, capped=True)
    assert RewardConfig.parse("") == RewardConfig()
    assert Rules.parse("") == Rules()
    assert Rules.parse("chips=300") == Rules(chips=300)


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (
            lambda: Rules.parse("standard chips"),
            "rules: cannot read 'chips'; write fields as name=value, of jokers, button_acts, top_pairs, ",
        ),
        (
            lambda: Rules.parse("chips"),
            "unknown rules 'chips': choose one of house, standard, fixed14, no_fantasyland, ",
        ),
        (lambda: Rules.parse("luck=3"), "rules: cannot read 'luck=3'"),
        (lambda: Rules.parse("chips=many"), "rules: 'chips=many' should be a whole number"),
        (lambda: Rules.parse("chips=200.5"), "rules: 'chips=200.5' should be a whole number"),
        (
            lambda: Rules.parse("middle=1,2,3"),
            "'middle=1,2,3' should be 10 whole numbers, separated by commas",
        ),
        (lambda: Rules.parse("chips=0"), "rules: chips is 0, outside 1 to 30000"),
        (lambda: Rules.parse("stay_cards=18"), "rules: stay_cards is 18, outside 0 and 14 to 17"),
        (lambda: RewardConfig.parse("gold"), "unknown reward 'gold'"),
        (lambda: RewardConfig.parse("equity gold"), "reward: cannot read 'gold'"),
        (lambda: RewardConfig.parse("foul=much"), "reward: 'foul=much' should be a number"),
        (lambda: RewardConfig.parse("capped=2"), "reward: 'capped=2' should be on or off"),
        (lambda: RewardConfig.parse("foul=nan"), "reward: foul is nan, outside"),
    ],
)
def test_text_that_cannot_be_read_is_refused(attempt: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        attempt()
    assert "\n" not in str(refusal.value)


# ---------------------------------------------------------------- agents


@pytest.mark.parametrize(
    ("agent", "fields"),
    [
        (PimcAgent, _core.Pimc.fields()),
        (IsmctsAgent, _core.Ismcts.fields()),
        (OpenMctsAgent, _core.Ismcts.fields()),
        (AlphaZeroAgent, _core.NetworkSearch.fields()),
        (HeuristicAgent, _core.Heuristic.handicap_fields()),
    ],
)
def test_signatures_of_agents_show_every_field(agent: type, fields: list[Setting]) -> None:
    parameters = inspect.signature(agent, eval_str=True).parameters
    for field in fields:
        assert parameters[field.name].default == field.default
        assert parameters[field.name].annotation.__name__ == field.type
    assert "seed" in parameters
    assert "reward" in parameters
    assert "settings" not in parameters


def test_agents_are_made_with_any_field_by_name() -> None:
    for field in _core.Pimc.fields():
        value = ("on" if field.default else "off") if field.type == "bool" else field.default
        agents.make(f"pimc:{field.name}={value}")
    with pytest.raises(ValueError, match=r"'pimc' has no option 'speed': its options are rollouts, leaf"):
        agents.make("pimc:speed=3")
