"""From a person's games to a table: the planted weakness is named, kills lose nothing, the arena decides."""

import json

import pytest

from agents.arena.estimates import Estimate
from agents.networks.files import describe
from agents.players.alphazero import CHAMPION
from experiments import improve
from experiments.export_logs import export_logs
from experiments.generate_log import Games, generate_log
from experiments.people.improvement import Line, parted
from experiments.people.stand_in import STRENGTH, WEAKNESS
from experiments.selfplay.lost_positions import lost_hands

PERSON = "experiments.people.stand_in:StandIn"
SMALL = (
    *("--agent", "alphazero:sims=0", "--epochs", "2", "--iterations", "2", "--hands", "40"),
    *("--deals", "20", "--sims", "0", "--processes", "1", "--position-deals", "1"),
)

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A hundred hands of the stand-in against the champion's network, in a database and in lines."""
    folder = tmp_path_factory.mktemp("log")
    generate_log(Games(PERSON, "alphazero:sims=0", hands=50, seed=3), folder / "a.db", progress=False)
    generate_log(Games(PERSON, "alphazero:sims=0", hands=50, seed=4), folder / "b.db", progress=False)
    export_logs(folder / "b.db", folder / "b.jsonl.gz", progress=False)
    return folder / "a.db", folder / "b.jsonl.gz"


def words(logs, out):
    return ["--log", str(logs[0]), "--log", str(logs[1]), "--player", PERSON, "--out", str(out), *SMALL]


def measured(folder):
    """The figures of a run, without when and how long."""
    found = json.loads((folder / "improve.json").read_text())
    return [(line["what"], line["before"], line["after"], line["verdict"]) for line in found["lines"]]


def test_the_loop_names_what_was_planted_and_goes_on_after_a_kill(logs, tmp_path, capsys, monkeypatch):
    """One run is stopped in every stage and gone on with; it ends with the figures of one that was not."""
    champion = CHAMPION.read_bytes()
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert improve.main(words(logs, whole)) == 0
    report = capsys.readouterr().out
    told = json.loads((whole / "improve.json").read_text())["named"]
    assert told["weaknesses"][0] == WEAKNESS
    assert STRENGTH in told["strengths"]
    for text in ("strength v the champion", "against the clone of", "from positions lost to", "first choice"):
        assert text in report
    assert report.count("held-out") == 3

    class Killed(BaseException):
        """Like a signal: nothing in between sees it."""

    def killed(*arguments, **options):
        raise Killed

    command = words(logs, broken)
    for stage in ("write_report", "train_run", "strength", "lost_positions_line", "decide"):
        with monkeypatch.context() as patch:
            patch.setattr(improve, stage, killed)
            with pytest.raises(Killed):
                improve.main(command)
        command = ["--resume", str(broken)]
    assert improve.main(command) == 0
    assert measured(broken) == measured(whole)
    assert CHAMPION.read_bytes() == champion


def test_only_the_arena_makes_a_champion(logs, tmp_path):
    config = improve.Config(log=logs, player=PERSON, out=tmp_path)
    promoted = tmp_path / "champion.safetensors"
    for mean, error, expected in ((0.5, 0.1, True), (0.1, 0.1, False), (-0.5, 0.1, False), (0.5, 0.1, True)):
        line = Line("strength", "", 0.0, mean, Estimate(mean, error, 500), "500 deals")
        sentence = improve.decide(config, line, CHAMPION, "a command")
        assert promoted.is_file() == expected
        assert ("new champion" in sentence) == expected
    assert "arena" in describe(promoted).notes


def test_lost_hands_are_parted_alike(logs):
    lost = [each for each in lost_hands(logs) if each.winner == PERSON]
    starts, held = parted(lost)
    assert len(starts) + len(held) == len(lost)
    assert not {each.hand.key for each in starts} & {each.hand.key for each in held}
    assert abs(len(starts) - 2 * len(held)) <= 2
    assert max(each.points for each in lost) in [each.points for each in starts]


def test_a_person_of_any_name_has_a_row():
    row = Line("against the clone of Ann | Bob", "", 0, 0, Estimate(0.0, 1.0, 100), "100 deals").row()
    assert row.startswith("| against the clone of Ann \\| Bob | +0.00 |")


def test_verdicts_need_an_interval():
    def verdict(mean):
        return Line("", "", 0, 0, Estimate(mean, 1.0, 1000), "").verdict

    assert [verdict(mean) for mean in (3.0, 1.0, -1.0, -3.0)] == [
        "better",
        "no difference shown",
        "no difference shown",
        "worse",
    ]


def test_refusals_are_sentences(logs, tmp_path, capsys):
    out = tmp_path / "run"
    for arguments, sentence in (
        ([], "say whose games: --log FILE --player NAME"),
        (["--log", str(logs[0]), "--player", "nobody"], "0 hands that somebody lost to 'nobody'"),
        (["--log", str(tmp_path / "none.db"), "--player", "ann"], "there is no log"),
        (["--resume", str(tmp_path)], "there is no run to go on with"),
        (["--resume", str(tmp_path), "--deals", "50"], "leave out --deals"),
        (
            ["--log", str(logs[0]), "--player", PERSON, "--clone", "a,b"],
            "a,b cannot be part of an agent's name",
        ),
    ):
        assert improve.main([*arguments, "--out", str(out)]) == 2
        assert sentence in capsys.readouterr().err
        assert not out.exists()
    (tmp_path / "config.json").write_text("{}")
    assert improve.main(["--log", str(logs[0]), "--player", PERSON, "--out", str(tmp_path)]) == 2
    assert "holds a run: choose another --out" in capsys.readouterr().err
