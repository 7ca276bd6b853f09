"""Files and folders that are whole or absent, whatever happens while they are written."""

import os
import subprocess
import sys

import pytest

from ofc_env.files import new_file, new_folder, write_whole


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_whole(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    write_whole(path, "größe\r\n")
    assert path.read_bytes() == "größe\r\n".encode()
    write_whole(str(path), b"\x00")
    assert path.read_bytes() == b"\x00"
    assert names(path.parent) == ["file.txt"]


def test_a_file_that_fails_leaves_the_old_one(tmp_path):
    path = tmp_path / "file.txt"
    write_whole(path, "old")

    def interrupted(partial):
        assert partial.suffix == ".txt"
        partial.write_text("ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), new_file(path) as partial:
        interrupted(partial)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file.txt"]


def test_a_folder_takes_its_name_when_it_is_complete(tmp_path):
    path = tmp_path / "folder"
    with new_folder(path) as partial:
        (partial / "inner").mkdir()
        (partial / "inner" / "one").write_text("1")
        assert not path.exists()
    assert (path / "inner" / "one").read_text() == "1"
    with pytest.raises(FileExistsError, match="exists already"), new_folder(path):
        pass
    with pytest.raises(ZeroDivisionError), new_folder(path, overwrite=True) as partial:
        (partial / "two").write_text(str(1 / 0))
    assert names(path) == ["inner"]
    with new_folder(path, overwrite=True) as partial:
        (partial / "two").write_text("2")
    assert names(path) == ["two"]
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("opened", ["new_file", "new_folder"])
def test_a_killed_writer_leaves_nothing_under_the_name(tmp_path, opened):
    script = (
        f"import os, sys; from ofc_env.files import {opened}\n"
        f"with {opened}(sys.argv[1]) as partial:\n"
        "    (partial / 'x' if partial.is_dir() else partial).write_text('half')\n"
        "    os.kill(os.getpid(), 9)"
    )
    path = tmp_path / "name"
    run = subprocess.run([sys.executable, "-c", script, path], check=False)
    assert run.returncode == -9
    assert not path.exists()


def test_what_is_left_is_on_the_disk(tmp_path, monkeypatch):
    """The file before it takes its name, and its folder after."""
    synced = []
    fsync = os.fsync

    def noted(descriptor):
        synced.append((os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")), names(tmp_path)))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    write_whole(tmp_path / "a", "1")
    assert [("a" in name, "a" in there) for name, there in synced[:1]] == [(True, False)]
    assert synced[1] == (tmp_path.name, ["a"])
