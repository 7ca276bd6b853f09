"""Networks against a look ahead: who errs more, what is shared, and what is refused."""

import json

import numpy as np

from agents.networks.afterstate import save_network
from experiments import network_errors
from experiments.network_errors import Judged, lost_a_hand, shared
from tests.trained_networks import random_network

CHAMPION = network_errors.WEIGHTS / "alphazero.safetensors"
SMALL = ["--positions", "6", "--worlds", "40"]


def test_the_champion_errs_less_than_a_random_network(tmp_path, capsys):
    other = tmp_path / "other.safetensors"
    save_network(random_network(), other)
    found = []
    for threads in ("1", "3"):
        out = tmp_path / f"{threads}.json"
        words = [*SMALL, "--networks", str(CHAMPION), str(other), "--threads", threads, "--out", str(out)]
        assert network_errors.main(words) == 0
        found.append(json.loads(out.read_text())["errors"])
    assert found[0] == found[1]  # whoever does the work
    assert len(found[0]) == 8
    for mine, theirs in zip(found[0][:4], found[0][4:], strict=True):
        assert mine["turn"] == theirs["turn"]
        assert mine["error"] < theirs["error"]
        assert mine["lost"]["mean"] <= theirs["lost"]["mean"]
        assert mine["shared"] > 0.999 > theirs["shared"]
    assert "lost a hand" in capsys.readouterr().out


def test_errors_losses_and_what_is_shared():
    ahead = np.array([1.0, 0.0, -1.0])
    right, wrong = ahead.copy(), np.array([-1.0, 1.5, -0.5])
    judged = Judged(ahead, 0.0, np.stack([right + np.array([0.3, -0.3, 0.0]), wrong]))
    assert np.allclose(judged.lost, [0.0, 1.0])
    assert np.allclose(judged.errors[1], [-2.0, 1.5, 0.5])
    hand = lost_a_hand([[judged, judged], [judged, judged]], 1)
    assert (hand.mean, hand.error) == (2.0, 0.0)
    assert shared([judged], 0) > 0.999
    assert shared([judged], 1) < 0  # the one is too high where the other is too low


def test_networks_of_other_rules_are_refused(capsys):
    path = str(network_errors.WEIGHTS / "alphazero-standard.safetensors")
    assert network_errors.main([*SMALL, "--networks", path]) == 2
    assert "house" in capsys.readouterr().err
