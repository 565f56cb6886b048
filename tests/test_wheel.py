"""The wheel, in an empty environment: all that a stranger meets who has nothing else."""

import os
import re
import shlex
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from deniable import __version__
from deniable.extras import NEEDS
from deniable.server.desk.manual import pages
from tests.test_docs import CONSOLE, cut_short, follow

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow

BARE = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
Wheel = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of the last commit, and install it and what it needs, and no extra."""
    folder = tmp_path_factory.mktemp("stranger")
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as tree:
        tree.extractall(folder / "tree", filter="data")
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    building = ("wheel", "--no-deps", "--no-build-isolation", "-w", folder, folder / "tree")
    subprocess.run([sys.executable, *pip, *building], check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    (wheel,) = folder.glob("*.whl")
    # The versions that were tested, with their hashes; then the wheel alone.
    lock = (ROOT / "requirements.lock").read_text().partition("# Only the tests need")[0]
    (folder / "lock").write_text(lock)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, *pip, "install", "--require-hashes", "-r", folder / "lock"], check=True)
    subprocess.run([python, *pip, "install", "--no-index", wheel], check=True)
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def wheel(folder: Path) -> Wheel:
    """Run the installed command in a folder that knows nothing of the project's."""

    def run(
        *words: str, program: str = "deniable", exits: int = 0, path: str = ""
    ) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            [folder / "venv" / "bin" / program, *words],
            cwd=folder / "empty",
            env={**BARE, "HOME": str(folder), "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == exits, ended.stdout + ended.stderr
        return ended

    return run


def test_it_says_what_it_is_and_can(wheel: Wheel) -> None:
    assert "Design:\n  new " in wheel("--help").stdout
    said = wheel("-m", "deniable", "--version", program="python").stdout
    assert said == f"deniable, version {__version__}\n"


def test_the_tutorials_print_so(folder: Path, wheel: Wheel) -> None:
    """The survey and the estimate by every command that they show; the lesson by its first one."""
    empty = folder / "empty"
    for page in ("first-survey-terminal", "first-estimate"):
        text = (ROOT / "docs" / f"{page}.md").read_text()
        for written in ("*.yaml", "*.csv"):
            for left in empty.glob(written):
                left.unlink()
        for example in re.findall(r"`deniable (new \S+ -o [\w.]+)`", text):
            wheel(*example.split())
        for block in CONSOLE.findall(text):
            ((command, shown),) = re.findall(r"\A\$ deniable (.*)\n((?s:.*))", block)
            said = wheel(*shlex.split(command)).stdout
            assert cut_short(said, shown) == shown.rstrip().split("\n")
        follow(text, empty, folder / "venv" / "bin")
    class_ = [str(folder / "venv" / "bin" / "deniable"), "classroom", "--port", "0"]
    with subprocess.Popen(class_, cwd=empty, stdout=subprocess.PIPE, text=True) as lesson:
        assert lesson.stdout is not None
        printed = "".join(iter(lesson.stdout.readline, "Ctrl-C stops the server.\n"))
        for link in (r"http://127\S+/projector/\S+", r"http://\S+/join/\S+"):
            (found,) = {*re.findall(link, printed)}
            with urllib.request.urlopen(found, timeout=60) as answer:
                assert answer.status == 200
        lesson.terminate()


def test_what_the_menus_offer_needs_no_second_install(folder: Path, wheel: Wheel) -> None:
    wheel("new", "interviews", "-o", "people.csv")
    design = "forced_response: {truth: 2/3, yes: 1/2}"
    words = ("analyse", "people.csv", "--formula", "doped ~ age", "--design", design)
    assert "age" in wheel(*words).stdout
    wheel("new", "doping", "-o", "zipped.yaml")
    wheel("simulate", "zipped.yaml", "-n", "50", "-o", "zipped.csv")
    said = wheel("export", "zipped.yaml", "--reports", "zipped.csv", "--zip", "paper.zip").stderr
    with zipfile.ZipFile(folder / "empty" / "paper.zip") as parcel:
        written = {Path(name).name for name in parcel.namelist()}
    assert {"reports.sav", "reports.dta"} <= written
    assert re.findall(r"install the extra (\w+)", said) == ["parquet"]
    asking = "import websocket; from deniable.server.desk.manual import pages\n"
    asking += "print(len([pages.page(name) for name in pages.names()]))"
    shown = wheel("-c", asking, program="python").stdout
    assert int(shown) == len(pages.names())


def test_a_missing_extra_names_a_working_command(wheel: Wheel) -> None:
    words = ("estimate", "doping", "--store", "postgresql://127.0.0.1:1/none")
    said = wheel(*words, exits=1).stderr
    (command,) = re.findall(r"install the extra postgres: (.*)", said)
    assert shlex.split(command)[-1:] == [*NEEDS["postgres"]]
    subprocess.run(shlex.split(command), check=True, capture_output=True, env={**os.environ})
    assert "install the extra" not in wheel(*words, exits=1).stderr
