"""The table as text and as a picture."""

import random
import re
import subprocess
import sys

import numpy as np
import pytest

import ofc_env
from ofc_env import rendering


def played(steps, **options):
    """A hand after some random steps; all of it if there are fewer."""
    generator = random.Random(steps)
    hand = ofc_env.Hand(seed=7, **options)
    for _ in range(steps):
        if hand.finished:
            break
        hand.step(generator.choice(hand.legal_actions()))
    return hand


@pytest.mark.parametrize("steps", [0, 1, 4, 9, 99])
def test_text_shows_every_card_once(steps):
    hand = played(steps)
    words = rendering.render_text(hand).replace(",", " ").split()
    for seat in (0, 1):
        board = hand.board(seat)
        for card in [*board.top, *board.middle, *board.bottom, *hand.discards(seat)]:
            assert words.count(ofc_env.card_name(card)) == 1
    for card in [] if hand.finished else hand.dealt:
        assert words.count(ofc_env.card_name(card)) == 1


def test_text_says_who_acts_and_who_won():
    assert rendering.render_text(played(0)).startswith("turn 0 of 4, player_0 to act")
    hand = played(99)
    text = rendering.render_text(hand, names=("Ann", "Bob"))
    points = hand.result().raw_score[0]
    winner = "Ann" if points > 0 else "Bob"
    expected = f"{winner} wins {abs(points)} points" if points else "no points"
    assert expected in text.splitlines()[0]
    assert "Ann (button), 200 chips" in text


def test_colour_only_adds_escapes():
    hand = played(5)
    plain = re.sub(r"\033\[\d+m", "", rendering.render_text(hand, colour=True))
    assert plain == rendering.render_text(hand)


def test_ansi_and_human_modes(capsys):
    environment = ofc_env.env(render_mode="ansi")
    environment.reset(seed=2)
    text = environment.render()
    assert text == rendering.render_text(environment.unwrapped.hand)
    assert capsys.readouterr().out == ""
    environment = ofc_env.env(render_mode="human")
    environment.reset(seed=2)
    assert text in capsys.readouterr().out
    assert environment.render() is None


def test_no_mode_warns():
    environment = ofc_env.env()
    environment.reset(seed=2)
    with pytest.warns(UserWarning, match="render_mode"):
        assert environment.render() is None


@pytest.mark.parametrize("steps", [0, 3, 99])
def test_picture(steps):
    hand = played(steps)
    picture = rendering.render_picture(hand)
    assert picture.shape == (rendering.HEIGHT, rendering.WIDTH, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.writeable
    assert (picture == rendering.render_picture(hand)).all()
    assert (picture != rendering.render_picture(ofc_env.Hand(seed=8))).any()


def test_picture_uses_four_suit_colours():
    """All four suits and a joker in hand: each colour is on the table."""
    deck = ofc_env.parse_cards("Ah Kd Qc Js X1")
    deck += [card for card in range(54) if card not in deck]
    picture = rendering.render_picture(ofc_env.Hand(deck=deck)).reshape(-1, 3).astype(int)
    for suit, colour in rendering._SUIT_COLOURS.items():
        assert (abs(picture - np.array(colour)).sum(axis=1) < 12).sum() > 100, suit


def test_picture_of_a_fantasyland_hand():
    assert rendering.render_picture(ofc_env.Hand(seed=1, fantasyland=(17, 0))).any()
    assert "(fantasyland)" in rendering.render_text(ofc_env.Hand(seed=1, fantasyland=(17, 0)))


def test_pillow_is_imported_only_for_pictures():
    script = (
        "import sys; from ofc_env.ofc_pineapple_v0 import env as make;"
        "env = make(render_mode='ansi'); env.reset(seed=1); env.render();"
        "assert 'PIL' not in sys.modules;"
        "env = make(render_mode='rgb_array'); env.reset(seed=1); env.render();"
        "assert 'PIL' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_missing_pillow_gets_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="needs Pillow"):
        rendering.render_picture(played(0))
