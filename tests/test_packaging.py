"""What an installed copy promises: one version, typed packages, a word where a folder hides one."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import ofc_env

ROOT = Path(__file__).parent.parent
PACKAGES = ("ofc_env", "wrappers", "agents", "experiments", "server")


def test_the_version_stands_once():
    assert importlib.metadata.version("ofc-env") == ofc_env.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project
    assert project["dynamic"] == ["version"]


def test_dir_lists_the_public_names():
    assert dir(ofc_env) == sorted(ofc_env.__all__)
    for name in dir(ofc_env):
        assert getattr(ofc_env, name) is not None


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_typed(package):
    assert (ROOT / package / "py.typed").is_file()


# An editable install finds its packages before Python looks into folders; a wheel does not. Without that
# finder this process is as with a wheel; the core is imported before, because only the finder knows it.
AS_IF_FROM_A_WHEEL = """
import sys
import ofc_env.hidden
sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]
sys.path[:] = [sys.argv[1], sys.argv[2], *(path for path in sys.path if path not in ("", sys.argv[2]))]
__import__(sys.argv[3])
"""


@pytest.mark.parametrize(
    ("hidden", "imported"),
    [("agents", "wrappers"), ("agents", "experiments"), ("wrappers", "experiments"), ("agents", "server")],
)
def test_a_folder_that_hides_a_package_is_named(tmp_path, hidden, imported):
    (tmp_path / hidden).mkdir()
    (tmp_path / hidden / "__init__.py").write_text("raise SystemExit('a stranger was imported')\n")
    ran = subprocess.run(
        [sys.executable, "-c", AS_IF_FROM_A_WHEEL, str(tmp_path), str(ROOT), imported],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    last_line = ran.stderr.strip().splitlines()[-1]
    assert last_line == (
        f"ImportError: {tmp_path / hidden} hides the package {hidden!r} of ofc-env, which is in {ROOT}: "
        f"rename that folder, or start Python elsewhere"
    )


def test_a_folder_of_another_name_hides_nothing(tmp_path):
    (tmp_path / "agent").mkdir()
    (tmp_path / "agents").mkdir()  # no package: Python looks on
    ran = subprocess.run(
        [sys.executable, "-c", AS_IF_FROM_A_WHEEL, str(tmp_path), str(ROOT), "experiments"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr


# ---------------------------------------------------------------- sources beside an installed copy

# In a process that sees no installed package but those given (-S): the game itself needs none.
AMONG_SOURCES = """
import sys
sys.path[:0] = sys.argv[1:]
import ofc_env
from ofc_env import _core, files
print(ofc_env.__file__, files.__file__, _core.__file__, ofc_env.Hand(seed=1).turn, sep="\\n")
"""


def import_among(sources: Path, *installed: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-S", "-c", AMONG_SOURCES, str(sources), *map(str, installed)],
        capture_output=True,
        text=True,
        cwd=sources,
    )


@pytest.fixture
def site(tmp_path):
    """An installed copy: the core, the sources, the metadata."""
    folder = tmp_path / "site"
    shutil.copytree(ROOT / "ofc_env", folder / "ofc_env")
    shutil.copy(ofc_env._core.__file__, folder / "ofc_env")
    about = folder / f"ofc_env-{ofc_env.__version__}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: ofc-env\nVersion: {ofc_env.__version__}\n")
    return folder


@pytest.fixture
def sources(tmp_path):
    """The folder of a clone."""
    shutil.copytree(ROOT / "ofc_env", tmp_path / "clone" / "ofc_env")
    return tmp_path / "clone"


def test_sources_use_the_core_of_the_installed_copy(sources, site):
    ran = import_among(sources, site)
    assert ran.returncode == 0, ran.stderr
    core = site / "ofc_env" / Path(ofc_env._core.__file__).name
    here = sources / "ofc_env"
    assert ran.stdout.splitlines() == [str(here / "__init__.py"), str(here / "files.py"), str(core), "0"]


def test_sources_alone_say_how_to_install_them(sources):
    ran = import_among(sources)
    assert ran.stderr.splitlines()[-1] == (
        f"ImportError: ofc_env in {sources / 'ofc_env'} has no compiled core: run pip install . in {sources}"
    )


@pytest.mark.parametrize("changed", ["__init__.py", "_core.pyi"])
def test_a_core_of_another_version_is_refused(sources, site, changed):
    file = sources / "ofc_env" / changed
    file.write_text(
        file.read_text().replace(f'__version__ = "{ofc_env.__version__}"', '__version__ = "9"') + "\n"
    )
    ran = import_among(sources, site)
    assert ran.stderr.splitlines()[-1] == (
        f"ImportError: ofc_env in {sources / 'ofc_env'} and the compiled core in {site / 'ofc_env'} "
        f"are of different versions: run pip install . in {sources}, or start Python elsewhere"
    )


# ---------------------------------------------------------------- the wheel

# Only the base dependencies and what they need themselves may be seen by the new environment.
PLAY_WITHOUT_TORCH = """
import sys
import agents, ofc_env
from agents.arena import MatchSettings, play_match
assert "site-packages" in agents.__file__, agents.__file__
champion = agents.make("alphazero:sims=20")
result = play_match(champion, "random", deals=20, settings=MatchSettings(seed=1, progress=False))
assert "torch" not in sys.modules
env = ofc_env.env()
env.reset(seed=7)
print(ofc_env.__version__, result.equity.mean)
"""


def requirements_of(names: list[str]) -> set[str]:
    """The installed distributions that these need, all the way down, extras left out."""
    found: set[str] = set()
    while names:
        name = re.sub(r"[-_.]+", "-", names.pop()).lower()
        if name in found:
            continue
        found.add(name)
        for requirement in importlib.metadata.requires(name) or []:
            if "extra ==" not in requirement:
                needed = re.match(r"[\w.-]+", requirement)
                assert needed is not None
                try:
                    importlib.metadata.distribution(needed[0])
                except importlib.metadata.PackageNotFoundError:
                    continue  # for another system or version of Python
                names.append(needed[0])
    return found


def link_distribution(name: str, site: Path) -> None:
    """Make an installed distribution visible in another environment."""
    distribution = importlib.metadata.distribution(name)
    for top in {Path(str(file)).parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
        target = site / top
        if not target.exists():
            target.symlink_to(Path(str(distribution.locate_file(top))).resolve())


@pytest.mark.prove
def test_a_wheel_plays_the_champion_without_torch(tmp_path):
    """The wheel in an environment of its own, beside the base dependencies and nothing else."""
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    (wheel,) = tmp_path.glob("ofc_env-*.whl")
    assert wheel.name.split("-")[1] == ofc_env.__version__
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    assert {f"{package}/py.typed" for package in PACKAGES} <= inside
    assert not [name for name in inside if name.partition("/")[0] in ("tests", "docs", "core")]

    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    (site,) = environment.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    base = [re.match(r"[\w.-]+", requirement)[0] for requirement in project["dependencies"]]  # type: ignore[index]
    for name in requirements_of(base):
        link_distribution(name, site)

    def run(*words: str, folder: Path = tmp_path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([str(python), *words], capture_output=True, text=True, cwd=folder)

    assert run("-c", "import torch").returncode != 0
    played = run("-c", PLAY_WITHOUT_TORCH)
    assert played.returncode == 0, played.stderr[-3000:]
    version, equity = played.stdout.split()
    assert version == ofc_env.__version__
    assert float(equity) > 5

    # In the folder of the sources, where README's commands are typed.
    for words in (["-c", "import ofc_env"], ["experiments/"], ["-m", "experiments.analyze", "--help"]):
        among = run(*words, folder=ROOT)
        assert among.returncode == 0, among.stderr[-3000:]
    imported = run("-c", "import ofc_env; print(ofc_env.__file__, ofc_env._core.__file__)", folder=ROOT)
    folders = [Path(file).parents[1] for file in imported.stdout.split()]
    assert folders == [ROOT, site]

    other = tmp_path / "other"
    (other / "agents").mkdir(parents=True)
    (other / "agents" / "__init__.py").write_text("")
    hidden = run("-m", "experiments.play", "--help", folder=other)
    assert hidden.returncode != 0
    assert (
        hidden.stderr.strip()
        .splitlines()[-1]
        .startswith(f"ImportError: {other / 'agents'} hides the package")
    )
