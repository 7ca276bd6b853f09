"""The script that builds the table of openings: what it judges, that it can be stopped, and its refusals."""

from pathlib import Path

import numpy as np
import pytest

from agents.openings import Table
from agents.openings.table import code_of
from experiments import openings
from experiments.openings import Builder, Config
from ofc_env import Hand, parse_cards
from ofc_env.layout import ROWS

FEW = ["--simulations", "12", "--worlds", "4", "--threads", "2"]
MISSING = 400


def begun(path: Path) -> Table:
    """A table in which the last few openings are not judged yet, and the others far apart."""
    table = Builder(Config(simulations=12, worlds=4, out=path)).table
    known = slice(0, len(table.classes) - MISSING)
    table.records["rows"][known] = [0, 1, 2]
    table.records["network"][known] = [900, 0, 0]
    table.write(path)
    return table


def test_a_table_is_built_stopped_and_gone_on_with(tmp_path, capsys, monkeypatch):
    whole, parted = tmp_path / "whole.bin", tmp_path / "parted.bin"
    for path in (whole, parted):
        begun(path)
    assert openings.main([*FEW, "--resume", "--race", "4", "--out", str(whole)]) == 0
    assert "race: 4 openings" in capsys.readouterr().out
    table = Table.read(whole)
    assert table.judged.all()
    assert table.raced.sum() == 4
    assert table.raced[-MISSING:].sum() == 4  # the close ones

    plain, count = Builder.raced, 0

    def stopped(self, number):
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return plain(self, number)

    words = ["--resume", "--race", "4", "--out", str(parted)]
    monkeypatch.setattr(Builder, "raced", stopped)
    assert openings.main([*FEW, "--threads", "1", *words]) == 130
    assert Table.read(parted).raced.sum() == 2
    monkeypatch.undo()
    assert openings.main([*FEW, *words]) == 0
    assert whole.read_bytes() == parted.read_bytes()
    assert openings.main(["--out", str(whole), "--show", "432", "--order", "close"]) == 0
    assert "of all deals" in capsys.readouterr().out


def test_the_network_and_the_race_name_three(tmp_path):
    builder = Builder(Config(simulations=24, worlds=8, out=tmp_path / "openings.bin"))
    number, cards = builder.table.classes.find(parse_cards("Ah Ad Kh Kd 2c"))
    assert cards == builder.table.classes.cards(number)
    hand = Hand(seed=1)
    information = builder.information(number)
    assert (information.button, information.turn) == (hand.information(0).button, 0)
    judged, raced = builder.judged(number), builder.raced(number)
    for record in (judged, raced):
        assert len(set(record["rows"].tolist())) == 3
    ranked = builder.alone.search(information)
    orders = builder.table.classes.fall(number).orders
    codes: dict[int, float] = {}
    for candidate in ranked:
        rows = [
            next(row for row, name in enumerate(ROWS) if card in getattr(candidate.placement, name))
            for card in cards
        ]
        codes.setdefault(code_of(rows, orders), candidate.mean)
    assert judged["rows"].tolist() == list(codes)[:3]
    assert judged["network"] / 100 == pytest.approx(list(codes.values())[:3], abs=0.006)
    assert raced["network"] / 100 == pytest.approx(
        [codes[code] for code in raced["rows"].tolist()], abs=0.006
    )
    assert np.all(np.diff(raced["race"]) <= 0)
    assert raced["error"][0] > 0


def test_refusals(tmp_path, capsys):
    path = tmp_path / "openings.bin"
    begun(path)
    assert openings.main([*FEW, "--out", str(path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert openings.main(["--resume", "--out", str(path)]) == 2
    assert "built with other settings" in capsys.readouterr().err
    assert openings.main(["--resume", "--out", str(tmp_path / "none.bin")]) == 2
    assert "none.bin" in capsys.readouterr().err
