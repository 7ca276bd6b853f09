"""What a search loses on a turn by a longer one: whom it ranks how, and that positions are what they say."""

import json
from itertools import islice

import pytest

from experiments import convergence
from experiments.convergence import Config, positions


@pytest.mark.parametrize("kind", ["first", "second", "fantasyland"])
def test_positions_are_of_their_turn_and_kind(kind):
    for information in islice(positions(Config(turn=2), kind), 6):
        shown = [information.opponent_top, information.opponent_middle, information.opponent_bottom]
        assert information.turn == 2
        assert bool(information.opponent_fantasyland) == (kind == "fantasyland")
        assert sum(map(len, shown)) == {"first": 7, "second": 9, "fantasyland": 0}[kind]


def test_a_longer_search_loses_less(tmp_path, capsys):
    words = ["--agents", "random", "alphazero:sims=100", "--judge", "alphazero:sims=2000,candidates=27"]
    words += ["--positions", "8", "--out", str(tmp_path / "found.json")]
    assert convergence.main(words) == 0
    assert "| `random` |" in capsys.readouterr().out
    losses = json.loads((tmp_path / "found.json").read_text())["losses"]
    assert len(losses) == 6
    found = {(each["kind"], each["agent"]): each["points"]["mean"] for each in losses}
    for kind in ("first", "second", "fantasyland"):
        assert found[kind, "random"] > 2
        assert 0 <= found[kind, "alphazero:sims=100"] < 1
    assert convergence.main(["--turn", "4"]) == 2
