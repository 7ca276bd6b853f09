"""Any position analysed from the command line; wrong cards get one sentence."""

import gzip
import json

import pytest

import agents
import ofc_env
from agents.turns import seat_to_act
from experiments import analyze

POSITION = ["--top", "Qs", "--middle", "2d 3d", "--bottom", "Kh Kd", "--hand", "Qh X1 5c"]
POSITION += ["--opponent-middle", "4c 4d", "--opponent-bottom", "Ah Ac As", "--worlds", "4"]


def test_every_placement_is_shown(capsys, tmp_path):
    path = tmp_path / "ranking.json"
    assert analyze.main([*POSITION, "--agent", "random", "--all", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "in hand   Qh 5c X1" in printed
    assert "27 placements by random" in printed
    assert "… and" not in printed
    candidates = json.loads(path.read_text())["candidates"]
    assert len(candidates) == 27
    means = [candidate["mean"] for candidate in candidates]
    assert means == sorted(means, reverse=True)


def test_ten_by_default(capsys):
    assert analyze.main([*POSITION, "--agent", "random"]) == 0
    printed = capsys.readouterr().out
    assert " 10  " in printed
    assert "… and 17 more" in printed


def test_no_argument_shows_an_example(capsys):
    assert analyze.main(["--agent", "random", "--worlds", "1"]) == 0
    assert "here is an example" in capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name in agents.names() if name != "mcts-open"])
def test_any_agent_judges(name, capsys):
    small = {"pimc": "pimc:rollouts=100", "ismcts": "ismcts:simulations=100"}.get(name, name)
    assert analyze.main([*POSITION, "--agent", small]) == 0
    assert f"placements by {small}" in capsys.readouterr().out
    assert analyze.main([*POSITION, "--agent", "random", "--playouts"]) == 0


def test_playouts_of_an_agent_that_ranks_itself(capsys):
    assert analyze.main([*POSITION, "--agent", "heuristic", "--playouts", "--limit", "1"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("  1  "))
    assert line.split()[-1] == "4", "rollouts"
    assert "%" in line


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("heuristic", "it does not know what is shown as -: --playouts measures all"),
        (
            "heuristic --playouts",
            "all numbers from hands played on by heuristic in both seats, 4 a placement",
        ),
        ("random", "all numbers from hands played on by random in both seats, 4 a placement"),
        ("pimc:rollouts=500,race=off,opening_width=232", "all numbers are pimc:"),
    ],
)
def test_where_the_numbers_come_from_is_said(agent, sentence, capsys):
    assert analyze.main([*POSITION, "--agent", *agent.split()]) == 0
    assert sentence in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--hand", "Qh X1 5x"], "the hand: unknown card '5x'"),
        (["--hand", "Qh X1 Kd"], "Kd stands in the bottom and in the hand: every card exists once"),
        (["--hand", "Qh Qh 5c"], "Qh stands twice in the hand"),
        (["--hand", "Qh 5c"], "2 cards in hand: with 5 cards placed there are 3"),
        (["--no-button"], "without the button the opponent's board has 7 cards"),
        (["--agent", "nobody"], "no agent is named 'nobody'"),
        (["--agent", "mcts-open"], "mcts-open needs the true deck"),
        (["--agent", "random", "--worlds", "0"], "0 worlds cannot rank"),
        (["--log", "nowhere.jsonl"], "there is no log nowhere.jsonl"),
        (["--hand", "2h 8c 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Ah Kc"], "leave your rows and discards out"),
    ],
)
def test_wrong_positions_get_one_sentence(arguments, sentence, capsys):
    assert analyze.main([*POSITION, *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.strip().splitlines()) == 1


def test_a_fantasyland_hand_is_solved(capsys):
    cards = "3h 6h Th Kh Ah Td Qd 4c 6c 8c Qc 3s 4s 6s"
    assert analyze.main(["--hand", cards]) == 0
    printed = capsys.readouterr().out
    assert "full house, sixes over tens, royalty 6" in printed
    assert "leaves fantasyland" in printed
    assert analyze.main(["--hand", cards.replace("6s", "6h")]) == 2
    assert "6h stands twice in the hand" in capsys.readouterr().err


def test_a_fantasyland_hand_against_a_known_board(capsys):
    """Tens for the middle, not the bottom: no less in royalties, and sevens and deuces beaten for a scoop."""
    hand = ["--hand", "3h 6h Th Kh Ah Td Qd 4c 6c 8c Qc 3s 4s 6s"]
    board = ["--opponent-middle", "2d Kd 7c 2s 7s", "--opponent-bottom", "4h 5d 5c Kc Ks"]
    assert analyze.main([*hand, "--opponent-top", "2h Jh 9s", *board]) == 0
    printed = capsys.readouterr().out
    assert "full house, sixes over fours, royalty 6" in printed
    assert "+19 points against the opponent's board" in printed
    for top, sentence in (
        ("2h Jh", "the opponent's board has 12 cards: give all 13, or none"),
        ("2h Jh 6h", "6h stands in the opponent's top and in the hand: every card exists once"),
        ("2h Jh 7c", "7c stands in the opponent's top and in the opponent's middle"),
    ):
        assert analyze.main([*hand, "--opponent-top", top, *board]) == 2
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_a_turn_of_a_log(name, tmp_path, capsys):
    hand = ofc_env.Hand(seed=5)
    lines = []
    while not hand.finished:
        seat = seat_to_act(hand)
        placement = hand.placements()[0]
        rows = ("top", "middle", "bottom")
        own, other = (
            {row: ofc_env.card_names(getattr(hand.board(s), row)) for row in rows} for s in (seat, 1 - seat)
        )
        lines.append(
            {
                "btn": 0,
                "is_btn": seat == 0,
                "chips": [200, 200],
                "board_self": own,
                "board_opponent": other,
                "dealt_cards": ofc_env.card_names(hand.dealt),
                "known_discards_self": ofc_env.card_names(hand.discards(seat)),
                "action": {
                    "placements": [
                        [card, row] for row in rows for card in ofc_env.card_names(getattr(placement, row))
                    ],
                    "discard": next(iter(ofc_env.card_names(placement.discards)), None),
                },
            }
        )
        hand.place(placement)
    path = tmp_path / name
    text = "".join(json.dumps(line) + "\n" for line in lines)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    options = ["--log", str(path), "--agent", "random", "--worlds", "2"]
    assert analyze.main([*options, "--line", "4"]) == 0
    printed = capsys.readouterr().out
    assert "turn 1 of 4" in printed
    assert "played: " in printed
    assert "of this list" in printed
    assert analyze.main([*options, "--line", "11"]) == 2
    assert "has 10 lines: there is no line 11" in capsys.readouterr().err
