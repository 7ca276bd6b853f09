"""Files that `make stubs` writes are as it would write them now."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from experiments.common import training_page
from experiments.common.settings_page import SECTIONS, page, type_words

ROOT = Path(__file__).parent.parent


def test_the_stub_of_the_core_is_up_to_date(tmp_path: Path) -> None:
    written = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "ofc_env._core", "-o", str(written)]
    subprocess.run(command, check=True, cwd=ROOT)
    kept = (ROOT / "ofc_env" / "_core.pyi").read_text(encoding="utf-8")
    assert written.read_text(encoding="utf-8") == kept, "run make stubs and commit the result"


def test_the_page_of_settings_is_up_to_date() -> None:
    kept = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page() == kept, "run make stubs and commit the result"


def test_the_page_has_every_setting_and_names_its_header() -> None:
    for heading, header, _, settings in SECTIONS:
        part = page().partition(f"## {heading}\n")[2].partition("\n## ")[0]
        rows = [line for line in part.splitlines() if line.startswith("| `")]
        assert len(rows) == len(settings)
        listed = (ROOT / header).read_text(encoding="utf-8")
        assert "for_each_field" in listed
        for row, setting in zip(rows, settings, strict=True):
            assert row.startswith(f"| `{setting.name}` | {type_words(setting)} | ")
            assert row.count("|") == 6, row  # no bar in a help text breaks the table
            assert setting.help in row


def test_the_page_of_training_settings_is_up_to_date() -> None:
    kept = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    assert training_page.page() == kept, "run make stubs and commit the result"


def test_the_page_of_training_settings_has_every_option_in_a_row() -> None:
    for heading, file, _, config in training_page.SECTIONS:
        part = training_page.page().partition(f"## {heading}\n")[2].partition("\n## ")[0]
        rows = [line for line in part.splitlines() if line.startswith("| `--")]
        assert [line.split("`")[1] for line in rows] == [
            f"--{item.name.replace('_', '-')}" for item in fields(config)
        ]
        assert all(line.count("|") == 6 for line in rows)  # no bar in a help text breaks the table
        assert (ROOT / file).is_file()
