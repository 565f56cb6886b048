"""What the documentation shows is what the commands print.

``python -m tests.test_docs`` writes the present output into the pages, to be read and committed.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable import __version__
from deniable.analysis.planning.budgets import respondents_for
from deniable.cli.main import commands
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.survey_file import read
from tests.kit import free_ports

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
YAML = re.compile(r"```yaml\n(version: 1\n.*?)```", re.DOTALL)
SAVED = re.compile(
    r"`(?:deniable new (\S+) -o )?(\S+\.yaml)`[^\n]*:\n\n```yaml\n(version: 1\n.*?)```", re.DOTALL
)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
SERVED = re.compile(r"^deniable serve .*--port 8000", re.MULTILINE)
FOLLOWED = [page.stem for page in PAGES[1:] if SHELL.search(page.read_text())]
"""Pages with commands to type; those in `bash` need another machine, its root or a program."""

PYTHON = re.compile(r"```python\n(>>> .*?)```", re.DOTALL)


def printed(block: str) -> str:
    """Run the commands of a console block, and return the block as it should be.

    A line "…" stands for lines that the page leaves out: those before and after it stay as many.
    """
    sections = []
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        program, *arguments = shlex.split(command)
        assert program == "deniable"
        result = CliRunner().invoke(commands, arguments, prog_name="deniable")
        assert result.exit_code == 0, result.output
        sections.append("\n".join([f"$ {command}", *cut_short(result.output, shown), ""]))
    return "\n".join(sections)


def cut_short(output: str, shown: str) -> list[str]:
    """Return the lines of an output, but for those for which a line "…" of a page stands."""
    told, kept = output.rstrip().split("\n"), shown.rstrip().split("\n")
    if "…" not in kept:
        return told
    before = kept.index("…")
    return [*told[:before], "…", *told[len(told) - len(kept) + before + 1 :]]


def save_files(page: str, folder: Path) -> None:
    """Write the examples that a page has written, and save the survey files that it shows."""
    for example, name in re.findall(r"`deniable new (\S+) -o ([\w.]+)`", page):
        words = ["new", example, "-o", str(folder / name)]
        assert CliRunner().invoke(commands, words).exit_code == 0, words
    for _, name, text in SAVED.findall(page):
        (folder / name).write_text(text)


def blocks(pattern: re.Pattern[str]) -> dict[str, str]:
    return {
        f"{page.name} {place}": block
        for page in PAGES
        for place, block in enumerate(pattern.findall(page.read_text()))
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_print_as_shown(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page share a folder, empty at first: one reads what another has written."""
    monkeypatch.chdir(tmp_path)
    save_files(page.read_text(), tmp_path)
    for block in CONSOLE.findall(page.read_text()):
        assert printed(block) == block


@pytest.mark.parametrize("text", blocks(YAML).values(), ids=blocks(YAML))
def test_survey_files_load(text: str) -> None:
    assert read(text).survey.items


def test_a_shown_survey_is_its_example() -> None:
    shown = [one for page in PAGES for one in SAVED.findall(page.read_text()) if one[0]]
    assert shown
    for example, _, text in shown:
        named = (ROOT / "examples" / f"{example}.yaml").read_text()
        assert read(text).survey.shown_number == read(named).survey.shown_number, example


@pytest.mark.slow
def test_the_gallery_says_how_many_people() -> None:
    text = (ROOT / "docs" / "gallery.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|$", text, re.MULTILINE)
    assert len(rows) == 6
    for example, people in rows:
        survey = read((ROOT / "examples" / f"{example}.yaml").read_text()).survey
        direct = {one.id for one in survey.asked_directly}
        needed = max(
            respondents_for(survey, place, 0.05)
            for place, item in enumerate(survey.items)
            if item.question not in direct
        )
        assert f"{needed:,}" == people, example


def follow(text: str, folder: Path, programs: Path) -> None:
    """Type the `sh` blocks of a page, with another port; a server goes on in the background."""
    for name, table in re.findall(r"`(\S+\.csv)`:\n\n```csv\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(table)
    (port, desk) = free_ports(2)
    waiting = "until grep -q /desk served; do kill -0 $!; sleep .1; done"
    serving = rf"\g<0> --desk-port {desk} >served 2>\&1 & trap 'kill $!' EXIT; {waiting}"
    script = SERVED.sub(serving, "".join(SHELL.findall(text))).replace("--host 0.0.0.0", "")
    script = script.replace("8001", str(desk)).replace("8000", str(port))
    subprocess.run(
        ["/bin/sh", "-eu"],
        input=script,
        cwd=folder,
        env={"PATH": f"{programs}:/usr/bin:/bin"},
        check=True,
        text=True,
        timeout=600,
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", FOLLOWED)
def test_shell_blocks_run_as_typed(page: str, tmp_path: Path) -> None:
    """In one folder, empty at first."""
    text = (ROOT / "docs" / f"{page}.md").read_text()
    save_files(text, tmp_path)
    follow(text, tmp_path, Path(sys.executable).parent)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_does_as_shown(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page are one session, as somebody who follows it would type them."""
    monkeypatch.chdir(tmp_path)
    save_files(page.read_text(), tmp_path)
    session = "\n".join(PYTHON.findall(page.read_text()))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, None, None)
    outcome = doctest.DocTestRunner().run(test)
    assert outcome.failed == 0
    assert outcome.attempted == session.count(">>> ")


ROOMS = (
    "analysis|benchmarks|cli|client|deniable|lab|results|scripts|server|study|templates|tests|tools"
)


def test_every_file_that_a_page_names_exists() -> None:
    text = "".join(page.read_text() for page in PAGES)
    found = set(re.findall(rf"`((?:{ROOMS})/[^`:*]*)[`:]", text)) - {
        "cli/release.pem"
    }  # no key yet
    assert len(found) > 20
    assert [named for named in found if not (ROOT / named).exists()] == []


def test_a_fresh_shell_finds_the_program() -> None:
    (line,) = re.findall(r"^\. \.venv/bin/activate", (ROOT / "README.md").read_text(), re.MULTILINE)
    if not (ROOT / ".venv/bin/activate").exists():
        pytest.skip("made by `make run` and `make install`")
    shell = subprocess.run(
        ["/bin/sh", "-c", f"{line} && command -v deniable && deniable --version"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert shell.stdout.splitlines() == [
        f"{ROOT}/.venv/bin/deniable",
        f"deniable, version {__version__}",
    ]


@pytest.mark.promise("verify")
def test_the_hashes_are_those_of_the_program() -> None:
    """What is printed is compared above; here, that it is printed, and all of it."""
    page = (ROOT / "docs" / "verify.md").read_text()
    for name, found in load(BROWSER_FOLDER).hashes.items():
        assert re.search(rf"^{re.escape(name)} +{re.escape(found)}$", page, re.MULTILINE), name


def main() -> None:
    """Write the present output into the pages."""
    for page in PAGES:
        text = page.read_text()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            save_files(text, Path(folder))
            for block in CONSOLE.findall(text):
                text = text.replace(block, printed(block))
            os.chdir(ROOT)
        page.write_text(text)


if __name__ == "__main__":
    main()
