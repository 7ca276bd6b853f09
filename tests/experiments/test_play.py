"""A person at the terminal: typing, undoing, asking, leaving, and never seeing a hidden card."""

import re
import subprocess
import sys

import pytest

import agents
import ofc_env
from agents import levels
from agents.positions.ranking import ranking_table
from agents.turns import seat_to_act
from experiments import play
from experiments.common.seat_text import seat_text
from ofc_env.records.lines import iter_table, iter_turns
from ofc_env.records.replay import steps_of_hand
from server.web.app import STATIC


class Script:
    """A terminal whose person answers by a function of what is asked."""

    def __init__(self, answer):
        self.answer = answer
        self.printed = []

    def read(self, prompt):
        self.printed.append(prompt)
        reply = self.answer(prompt)
        if reply is None:
            raise EOFError
        return reply

    def terminal(self):
        return play.Terminal(self.read, self.printed.append, colour=False)

    @property
    def text(self):
        return "\n".join(self.printed)


def lines(*replies):
    """A script of fixed replies, then the end of input."""
    waiting = list(replies)
    return Script(lambda prompt: waiting.pop(0) if waiting else None)


def run_game(script, **options):
    config = play.Config(**{"opponent": "random", "hands": 1, "seed": 1, "keep": False, **options})
    play.Game(config, script.terminal()).play()
    return script.text


def person(script):
    return play.Player(script.terminal(), agents.make("random"), 32, None)


class Plays:
    """Plays the first legal placement of every hand by typing it, as a person would."""

    def __init__(self, monkeypatch):
        self.hand = None
        self.typed = False
        choose = play.Player.choose

        def watch(player, hand, names):
            self.hand, self.typed = hand, False
            return choose(player, hand, names)

        monkeypatch.setattr(play.Player, "choose", watch)

    def __call__(self, prompt):
        if not prompt.startswith("place"):
            return ""
        assert self.hand is not None
        return "auto" if self.hand.in_fantasyland else str(self.hand.placements()[0])


def test_a_hand_to_its_end(monkeypatch):
    text = run_game(Script(Plays(monkeypatch)), hands=2)
    assert "hand over" in text
    assert "in all after 2 hands" in text
    assert text.count("random plays") == 10


def test_a_session_to_its_end(monkeypatch):
    text = run_game(Script(Plays(monkeypatch)), hands=0, seed=3)
    assert "the session is over" in text
    assert "chips after 1 hands" in text


def test_fantasyland_is_set_by_hand_or_by_the_solver():
    hand = ofc_env.Hand(seed=2, fantasyland=(15, 0))
    best = ofc_env.solve_fantasyland(hand.dealt).placement
    for typed in (["auto"], [str(best)], [str(best).replace(f"{ofc_env.card_name(best.discards[0])}>x", "")]):
        script = lines("rank", *typed, "")
        chosen = person(script).choose(hand, ("you", "random"))
        assert chosen == best
        assert "fantasyland hands are solved, not ranked" in script.text
    script = lines("auto", "undo", "undo", "undo", "", "quit")  # two discards and a card of the bottom
    with pytest.raises(play.LeaveError):
        person(script).choose(hand, ("you", "random"))


def test_the_agent_sets_its_fantasyland_face_down():
    hand = ofc_env.Hand(seed=2, fantasyland=(0, 15))
    script = lines("quit")
    game = play.Game(play.Config(opponent="random"), script.terminal())
    hand.place(game.next_placement(hand))
    assert "has set its fantasyland hand, face down" in script.text
    with pytest.raises(play.LeaveError):
        game.next_placement(hand)
    assert "(face down)" in script.text
    for card in ofc_env.card_names(hand.board(1).top + hand.board(1).middle + hand.board(1).bottom):
        assert card not in script.text.replace("Ah>t", "")


def test_commands():
    """Seed 1 deals Jd 4c 7c Kc Ac to the person, who has the button."""
    asked = ("?", "rank", "review", "auto", "undo")
    placed = ("Jd>t 4c>m", "table", "7c>m kc>B", "", "ac>b", "")
    text = run_game(lines(*asked, *placed, "review"), worlds=2)
    assert "take the last card back" in text
    assert "… and 222 more" in text
    assert "you have not placed anything yet" in text
    assert "the solver sets fantasyland hands only" in text
    assert "top       Jd* ·· ··" in text
    assert "you played Jd>t 4c>m 7c>m Kc>b Ac>b: number" in text
    assert text.rstrip().endswith("bye")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("nonsense", "cannot read 'nonsense'"),
        ("Jd>q", "cannot read 'Jd>q'"),
        ("Zz>t", "unknown card 'Zz'"),
        ("2h>t", "2h is not in your hand (Jd 4c 7c Kc Ac)"),
        ("Jd>t 4c>t 7c>t Kc>t", "the top would have 4 cards: 3 fit"),
        ("Jd>x", "you would discard 1 cards: this turn takes 0"),
    ],
)
def test_wrong_typing_changes_nothing(typed, sentence):
    text = run_game(lines(typed, "table"))
    assert sentence in text
    assert "*" not in text
    assert text.count("in hand   Jd 4c 7c Kc Ac") == 2


def test_a_level_plays_and_the_champion_ranks():
    text = run_game(lines("rank"), opponent="novice")
    assert f"novice is {levels.agent_of('novice')}" in text
    ranked = agents.make(levels.reviewer()).rank(ofc_env.Hand(seed=1).information(0))  # type: ignore[attr-defined]
    assert ranking_table(ranked) in text


def test_a_card_can_be_moved_before_confirming():
    text = run_game(lines("Jd>t", "Jd>b", "undo", "clear"))
    assert "top       Jd*" in text
    assert "bottom    Jd*" in text


def test_what_is_shown_is_what_the_seat_may_see():
    """Hidden cards are dealt anew under the person: not a letter of the table changes."""
    hand = ofc_env.Hand(seed=9)
    while not hand.finished:
        seat = seat_to_act(hand)
        shown = seat_text(hand.information(seat))
        assert shown == seat_text(hand.determinize(seat, 5).information(seat))
        for card in ofc_env.card_names(hand.discards(1 - seat)):
            assert card not in shown
        hand.place(hand.placements()[-1])


def test_colours():
    hand = ofc_env.Hand(seed=1)
    assert "\033[34mJd\033[0m" in seat_text(hand.information(0), colour=True)
    assert "\033" not in seat_text(hand.information(0))


@pytest.mark.parametrize("typed", ["", "quit\n", "Jd>t 4c>m 7c>m Kc>b Ac>b\n\nq\n"])
def test_the_script_leaves_cleanly(typed, tmp_path):
    command = [sys.executable, "-m", "experiments.play", "--opponent=random", "--hands=1", "--seed=1"]
    command += ["--log", str(tmp_path / "log.db")]
    finished = subprocess.run(command, input=typed, capture_output=True, text=True, check=False)
    assert finished.returncode == 0
    assert finished.stderr == ""
    assert finished.stdout.rstrip().endswith("bye")


def test_refusals(capsys):
    assert play.main(["--opponent", "nobody"]) == 2
    refusal = capsys.readouterr().err
    assert "no level or agent is named 'nobody': use one of novice, " in refusal
    assert "strongest, alphazero, " in refusal
    assert play.main(["--hands", "-2"]) == 2
    assert "-2 hands cannot be played" in capsys.readouterr().err


def test_hands_are_kept_as_practice_and_reviewed(monkeypatch, tmp_path):
    log = tmp_path / "new" / "log.db"
    plays = Plays(monkeypatch)
    asked: list[str] = []

    def answer(prompt):
        if prompt.startswith("Enter for the next hand") and not asked:
            asked.append(prompt)
            return "review"
        return plays(prompt)

    text = run_game(Script(answer), hands=2, keep=True, log=log, opponent="heuristic")
    (line,) = re.findall(r"the hand came to (.*)", text)
    result, *parts = map(float, re.findall(r"-?\d+\.\d", line))
    assert len(parts) == 6
    assert sum(parts) == pytest.approx(result)  # as it is read, to the last digit
    assert text.count("            you   ") == 5
    assert "turn 0" in text
    assert f"the hands are in {log}, session terminal-" in text
    assert list(iter_turns(log)) == []  # a ranking could be asked for: nobody learns from these
    turns = list(iter_turns(log, practice=True, finished=True))
    assert [turn["hand_number"] for turn in turns] == [1] * 10 + [2] * 10
    assert {turn["player"] for turn in turns} == {"you", "heuristic"}
    assert len(steps_of_hand(log, turns[0]["session_id"], turns[0]["hand_id"])) == 10


def test_a_session_is_kept_with_its_end(monkeypatch, tmp_path):
    log = tmp_path / "log.db"
    run_game(Script(Plays(monkeypatch)), hands=0, seed=3, keep=True, log=log)
    [session] = iter_table(log, "SELECT kind, seed, winner, hands_played, player_0 FROM sessions")
    assert (session["kind"], session["seed"], session["player_0"]) == ("practice", "3", "you")
    assert session["winner"] in (0, 1)
    [hands] = iter_table(log, "SELECT count(*) AS finished FROM hands WHERE result IS NOT NULL")
    assert hands["finished"] == session["hands_played"]


def test_two_agents_are_watched(tmp_path):
    log = tmp_path / "log.db"
    script = Script(lambda prompt: "")
    text = run_game(script, player="novice", opponent="random", hands=2, keep=True, log=log)
    assert text.count("novice plays") == text.count("random plays") == 10
    assert levels.CHARACTERS["novice"] in text
    assert not any(prompt.startswith("place") for prompt in script.printed)
    turns = list(iter_turns(log, finished=True))
    assert {turn["player"] for turn in turns} == {levels.agent_of("novice"), "random"}
    assert run_game(lines(), player="random", opponent="random").count("random 1 plays") == 5


def test_the_page_says_of_a_level_what_the_terminal_says():
    page = (STATIC / "js" / "strings_en.js").read_text()
    assert set(levels.CHARACTERS) == set(levels.LEVELS)
    for level, line in levels.CHARACTERS.items():
        assert f'"level.{level}.line": "{line}"' in page
