"""Training and scripts under other rules: what is trained, played, told in files, and refused."""

import json

import pytest

import agents
from agents.networks.files import describe
from experiments import ablation, analyze, play, regret, tune_heuristic
from experiments.common.seat_text import seat_text
from experiments.common.show import describe as show
from ofc_env import BatchEnv, Hand, Rules

ODD = "standard scoop=6"
REWARD = "equity fantasyland_values=8,14,20,27"
VALUES = ["--fantasyland-values", "8", "14", "20", "27"]


# ---------------------------------------------------------------- PPO


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("network", ["placements", "slots"])
def test_ppo_trains_by_the_rules(network, tmp_path, monkeypatch, capsys):
    pytest.importorskip("sb3_contrib")
    from experiments import ppo
    from experiments.masked_ppo import checkpoints

    monkeypatch.setattr(ppo, "RUNS", tmp_path)
    small = ["--preset=smoke", "--envs=16", "--rollout=8", "--steps=128", "--deals=2", "--units=8"]
    small += ["--lessons=500", "--network", network, "--opponents", "heuristic", "pool"]
    small += ["--evaluate", "heuristic"]
    assert ppo.main(["--name", "no", "--rules", ODD, *small]) == 2
    assert "nobody has measured what fantasyland is worth under the rules 'standard scoop=6'" in (
        capsys.readouterr().err
    )
    assert ppo.main(["--name", "one", "--rules", ODD, "--reward", REWARD, *small]) == 0
    weights, rules = tmp_path / "one" / "policy.safetensors", Rules.parse(ODD)
    assert describe(weights).rules == rules
    assert checkpoints.read(tmp_path / "one")[0].played_by == rules
    assert describe(next((tmp_path / "one" / "pool").glob("*.safetensors"))).rules == rules
    assert "rules: standard scoop=6" in show(tmp_path / "one")

    # A run that goes on keeps them; nobody starts another game from its weights.
    assert ppo.main(["--resume", str(tmp_path / "one"), "--steps", "256"]) == 0
    assert describe(weights).rules == rules
    capsys.readouterr()
    assert ppo.main(["--name", "two", "--init", str(tmp_path / "one"), *small]) == 2
    assert "trained by the rules 'standard scoop=6' and cannot play by 'house'" in capsys.readouterr().err

    player = agents.make(f"ppo:weights={weights}", rules=ODD)
    batch = BatchEnv(32, seed=1, rules=rules)
    for _ in range(12):
        batch.step(player.act_batch(batch.observations, batch.action_masks))
    with pytest.raises(ValueError, match="cannot play by 'standard'"):
        agents.make(f"ppo:weights={weights}", rules="standard")


# ---------------------------------------------------------------- scripts


def test_regret_and_tuning_take_rules(tmp_path, capsys):
    words = ["--agent", "heuristic", "--judge", "heuristic", "--decisions", "8", "--processes", "1"]
    words += ["--worlds", "4", "--block", "2", "--fresh", "2"]
    assert regret.main([*words, "--rules", ODD]) == 2
    assert "nobody has measured" in capsys.readouterr().err
    assert regret.main([*words, "--rules", ODD, *VALUES, "--out", str(tmp_path)]) == 0
    assert "rules: standard scoop=6" in capsys.readouterr().out
    assert json.loads((tmp_path / "regret.json").read_text())["config"]["rules"] == ODD

    out = tmp_path / "weights.json"
    words = ["--steps", "1", "--deals", "4", "--final-deals", "4", "--out", str(out)]
    assert tune_heuristic.main([*words, "--rules", ODD]) == 2
    assert "nobody has measured" in capsys.readouterr().err
    assert tune_heuristic.main([*words, "--rules", ODD, *VALUES]) == 0
    assert Rules.parse(json.loads(out.read_text())["rules"]) == Rules.parse(ODD)


def test_acting_first_is_not_having_the_button(tmp_path, capsys):
    """With the button last, whoever acts first is the other seat: the sign of the match's figure turns."""
    words = ["--agent", "pimc:rollouts=5", "--ingredients", "seat", "--deals", "6", "--processes", "1"]
    rules = "button_acts=last"
    assert ablation.main([*words, "--rules", rules, *VALUES, "--out", str(tmp_path)]) == 0
    assert f"rules: {Rules.parse(rules).name}" in capsys.readouterr().out
    found = json.loads((tmp_path / "ablation.json").read_text())["findings"][0]
    config = ablation.Config(
        agent="pimc:rollouts=5", deals=6, processes=1, rules=rules, fantasyland_values=(8, 14, 20, 27)
    )
    match = ablation.match(config, ("pimc:rollouts=5",) * 2, tmp_path / "again.jsonl")
    assert match.button.mean != 0
    assert found["points"]["mean"] == pytest.approx(-match.button.mean)
    assert "whoever has the button" in match.text()


def test_play_shows_the_rules_and_the_order():
    shown: list[str] = []
    config = play.Config(opponent="heuristic", seed=1, rules=ODD, fantasyland_values=(8, 14, 20, 27))
    replies = iter(["rank", "quit"])
    play.Game(config, play.Terminal(lambda prompt: next(replies), shown.append, False)).play()
    text = "\n".join(shown)
    assert text.startswith("rules: standard scoop=6; the button acts last")
    assert "on the button, last to act" in text
    assert "placement" in text  # ranked by the same values
    with pytest.raises(ValueError, match="nobody has measured"):
        play.Game(play.Config(opponent="heuristic", rules=ODD), play.Terminal(input, print, False))


def test_a_ranking_that_nobody_measured_is_a_sentence_in_the_game():
    shown: list[str] = []
    replies = iter(["rank", "quit"])
    config = play.Config(opponent="random", seed=1, rules=ODD)
    play.Game(config, play.Terminal(lambda prompt: next(replies), shown.append, False)).play()
    assert "nobody has measured what fantasyland is worth" in "\n".join(shown)
    assert shown[-1] == "bye"


@pytest.mark.parametrize(("rules", "order"), [("house", "first to act"), ("standard", "last to act")])
def test_a_seat_is_told_when_the_button_acts(rules, order):
    hand = Hand(seed=1, button=0, rules=rules)
    for seat, name in ((0, "you"), (1, "opponent")):
        assert seat_text(hand.information(seat)).startswith(f"turn 0 of 4, {name} on the button, {order}")


def test_a_position_is_judged_by_playouts_with_the_values_given(capsys):
    words = ["--hand", "Qs Qh 3c 7d 8d", "--agent", "random", "--worlds", "2", "--rules", ODD]
    assert analyze.main(words) == 2
    assert "nobody has measured" in capsys.readouterr().err
    assert analyze.main([*words, *VALUES]) == 0
    assert "232 placements by random" in capsys.readouterr().out
