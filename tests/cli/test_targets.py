"""Files that commands write: whole or not at all, and never over anything without --force."""

import os
import re
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from deniable.cli.output import TO_STDOUT, Target
from deniable.results.text import table
from tests.cli.conftest import DOPING, Run, in_process, names

NOISE = "doped_noisy\n" + "no\n" * 60 + "yes\n" * 40
WARNER = ("--column", "doped_noisy", "--design", "warner: {flip: 1/4}")


@pytest.fixture(autouse=True)
def noise(folder: Path) -> Path:
    (folder / "noise.csv").write_text(NOISE)
    return folder / "noise.csv"


@pytest.fixture
def store(run: Run, folder: Path) -> Path:
    run("simulate", "doping.yaml", "-n", 5, "--store", "study.db")
    return folder / "study.db"


WRITING: dict[str, tuple[str, ...]] = {
    "new": ("new", "doping", "-o", "out.yaml"),
    "sheet": ("sheet", "doping.yaml", "-o", "out.html"),
    "ethics": ("ethics", "doping.yaml", "-o", "out.html"),
    "plan": ("plan", "doping.yaml", "-o", "out.txt"),
    "simulate": ("simulate", "doping.yaml", "-n", "5", "-o", "out.csv"),
    "estimate": ("estimate", "doping.yaml", "--reports", "noise.csv", "-o", "out.txt"),
    "analyse": ("analyse", "noise.csv", *WARNER, "-o", "out.txt"),
    "figure": ("analyse", "noise.csv", *WARNER, "--figure", "out.svg"),
    "export": ("export", "--store", "study.db", "-o", "out.csv"),
    "datasette": ("export", "doping.yaml", "--reports", "noise.csv", "--datasette", "out.db"),
    "tally": ("tally", "study.db", "-o", "out.json"),
    "invite": ("invite", "doping", "-n", "3", "--store", "study.db", "-o", "out.csv"),
    "backup": ("backup", "study.db", "out.backup"),
}
"""A command line for each option that writes a file. The file is its last word."""


@pytest.mark.parametrize("command", WRITING)
def test_only_force_replaces_a_file(run: Run, folder: Path, store: Path, command: str) -> None:
    out = folder / WRITING[command][-1]
    out.write_text("mine")
    said = run(*WRITING[command], exits=1)
    assert said.stderr.startswith(f"Error: {out.name}: ")
    assert names(said.stderr, "--force")
    assert said.stdout == ""
    assert out.read_text() == "mine"
    run(*WRITING[command], "--force")
    assert out.read_bytes() != b"mine"
    assert not list(folder.glob(".*.part"))


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        (("estimate", "doping.yaml", "--reports", "noise.csv", "-o", "noise.csv"), "noise.csv"),
        (("estimate", "plain", "--reports", "noise.csv", "-o", "plain"), "plain"),
        (("analyse", "noise.csv", *WARNER, "-o", "./noise.csv"), "noise.csv"),
        (("analyse", "plain", *WARNER, "--figure", "plain.svg"), "plain"),
        (("export", "--store", "plain.db", "-o", "plain.csv"), "plain.db"),
        (("export", "--store", "sqlite:///plain.db", "-o", "wal.csv"), "plain.db-wal"),
        (("estimate", "--store", "plain.db", "-o", "plain.csv"), "plain.db"),
        (("sheet", "doping.yaml", "-o", "hard.html"), "doping.yaml"),
        (("simulate", "plain", "-n", "5", "-o", "./plain"), "plain"),
    ],
)
def test_no_input_is_written(run: Run, folder: Path, arguments: tuple[str, ...], read: str) -> None:
    for name in ("plain", "plain.db", "plain.db-wal"):
        (folder / name).write_text(DOPING)
    (folder / "plain.svg").symlink_to("plain")
    (folder / "plain.csv").symlink_to("plain.db")
    (folder / "wal.csv").symlink_to("plain.db-wal")
    (folder / "hard.html").hardlink_to(folder / "doping.yaml")
    before = (folder / read).read_text()
    said = run(*arguments, "--force", exits=2).stderr
    assert names(said, f"is the file {read}")
    assert (folder / read).read_text() == before


def test_a_figure_and_a_table_need_two_files(run: Run, folder: Path) -> None:
    (folder / "x.svg").symlink_to("x.txt")  # neither is there yet
    options = (*WARNER, "-o", "x.txt", "--figure", "x.svg")
    said = run("analyse", "noise.csv", *options, exits=2).stderr
    assert "--figure x.svg: is the file x.txt" in said


def test_a_file_on_standard_input_is_not_replaced(folder: Path) -> None:
    (folder / "survey").write_text(DOPING)
    with (folder / "survey").open("rb") as typed:
        words = ("-m", "deniable.cli.main", "sheet", "-", "-o", "survey", "--force")
        ended = in_process(*words, typed=typed)
    assert (ended.returncode, b"is the file <stdin>" in ended.stderr) == (2, True)
    assert (folder / "survey").read_text() == DOPING


def test_a_figure_is_what_its_ending_says(run: Run, folder: Path) -> None:
    for ending in ("svg", "PNG", "pdf"):
        run("analyse", "noise.csv", *WARNER, "--figure", f"x.{ending}")
    assert b"</svg>" in (folder / "x.svg").read_bytes()
    png = (folder / "x.PNG").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    # 7.2 inches at 300 dots each, in the first chunk (RFC 2083).
    assert int.from_bytes(png[16:20]) == 2160
    assert (folder / "x.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_a_figure_without_its_letters_is_refused(run: Run, folder: Path, form: str) -> None:
    (folder / "cities.csv").write_text("city,q\n" + "東京,no\n東京,yes\n大阪,no\n大阪,yes\n" * 20)
    options = ("--column", "q", "--design", "warner: {flip: 1/4}", "--by", "city")
    said = run("analyse", "cities.csv", *options, "--figure", f"x.{form}", exits=1)
    assert f"the font of a figure in {form.upper()} has not all letters of its texts" in said.stderr
    assert said.stdout == ""
    assert not (folder / f"x.{form}").exists()
    run("analyse", "cities.csv", *options, "--figure", "x.svg")
    assert "東京" in (folder / "x.svg").read_text(encoding="utf-8")


def test_a_file_s_readers_stay_as_they_were(run: Run, folder: Path) -> None:
    run("simulate", "doping.yaml", "-n", 5, "-o", "out.csv")
    os.umask(mask := os.umask(0))
    assert stat.S_IMODE((folder / "out.csv").stat().st_mode) == 0o666 & ~mask
    for mode in (0o600, 0o660):
        (folder / "out.csv").chmod(mode)
        run("simulate", "doping.yaml", "-n", 5, "-o", "out.csv", "--force")
        assert stat.S_IMODE((folder / "out.csv").stat().st_mode) == mode


def test_files_made_meanwhile_stay(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from deniable.cli import simulate  # noqa: PLC0415

    def csv_of(*given: object) -> list[str]:
        (folder / "out.csv").write_text("somebody else's")
        return []

    monkeypatch.setattr(simulate, "csv_of", csv_of)
    said = run("simulate", "doping.yaml", "-n", 5, "-o", "out.csv", exits=1).stderr
    assert "exists already" in said
    assert (folder / "out.csv").read_text() == "somebody else's"


def test_nobody_waits_for_nothing(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.cli.simulate._run_all", None)
    (folder / "out.csv").write_text("mine")
    run("simulate", "doping.yaml", "-n", 5, "-o", "out.csv", exits=1)
    said = run("simulate", "doping.yaml", "-n", 5, "-o", ".", exits=1).stderr
    assert said.startswith("Error: .: ")


def test_a_store_goes_by_file_or_url(run: Run, store: Path) -> None:
    rows = run("export", "--store", "study.db").stdout
    assert rows.count("\n") == 6
    for name in (store, "./study.db", "sqlite:///study.db", f"sqlite:///{store}"):
        assert run("export", "--store", name).stdout == rows
    assert "expected the file of a store" in run("export", "--store", "", exits=2).stderr


def test_the_environment_names_the_store(
    run: Run, store: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DENIABLE_STORE", "study.db")
    assert run("export").stdout.count("\n") == 6
    assert "5 respondents" in run("estimate", "doping").stdout
    assert names(run("close", "doping").stdout, "doping", "Closed", "5 reports")
    # What is typed comes first, and reports in a file are asked of no store.
    assert "there is no store here" in run("export", "--store", "other.db", exits=1).stderr
    from_csv = ("estimate", "doping.yaml", "--reports", "noise.csv")
    assert "100 respondents" in run(*from_csv).stdout
    run(*from_csv, "--store", "study.db", exits=2)


def test_the_environment_sends_no_simulated_people(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DENIABLE_STORE", "study.db")
    monkeypatch.setenv("DENIABLE_URL", "http://127.0.0.1:9")
    said = run("simulate", "doping.yaml", "-n", 5, "--add", exits=2).stderr
    assert names(said, "--output", "--store", "--url")
    assert run("export").stdout.count("\n") == 6


def test_the_environment_names_it(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DENIABLE_URL", "https://survey.example.org/")
    monkeypatch.setenv("DENIABLE_DESK_URL", "https://desk.example.org/")
    said = run("sign-in", "--store", "study.db").stdout
    assert said.startswith("https://desk.example.org/desk/sign-in/")
    monkeypatch.setenv("DENIABLE_DESK_URL", "desk.example.org")
    assert "is not an address" in run("sign-in", "--store", "study.db", exits=2).stderr


@pytest.mark.parametrize("command", ["close", "export", "estimate"])
def test_a_store_s_survey_is_named_by_its_file(run: Run, store: Path, command: str) -> None:
    named = run(command, "./doping.yaml", "--store", "study.db")
    by_name = run(command, "doping", "--store", "study.db")
    assert (named.stdout, named.stderr) == (by_name.stdout, by_name.stderr)


def test_a_file_unlike_the_stored_one_is_noted(run: Run, store: Path, folder: Path) -> None:
    (folder / "doping.yaml").write_text(DOPING.replace("Have you doped", "Did you dope"))
    result = run("estimate", "doping.yaml", "--store", "study.db")
    assert "5 respondents" in result.stdout
    assert result.stderr.startswith("Note: doping.yaml ")
    assert names(result.stderr, "'doping'", "study.db")
    said = run("estimate", "every-type.yaml", "--store", "study.db", exits=1).stderr
    assert names(said, "'every-type'")
    (folder / "doping.yaml").write_text("version: 1\n")
    assert "doping.yaml:1:1:" in run("close", "doping.yaml", "--store", "study.db", exits=1).stderr


def test_every_option_that_writes_is_tried_here(run: Run) -> None:
    from deniable.cli.main import commands  # noqa: PLC0415

    listed: Callable[..., list[str]] = commands.list_commands
    helps = {name: run(name, "--help").stdout for name in listed(None)}
    writing = {name for name, said in helps.items() if re.search("--(force|output)", said)}
    # It never replaces a file: tests/cli/test_ask.py.
    assert writing - {"ask"} == {words[0] for words in WRITING.values()}


def test_a_failure_leaves_the_old_file(folder: Path) -> None:
    target = folder / "out.csv"
    target.write_text("old")
    target.chmod(0o640)
    before = sorted(folder.iterdir())

    def fill(file: BinaryIO) -> None:
        file.write(b"ne")
        raise OSError(28, "No space left on device")

    with (
        pytest.raises(OSError, match="No space left"),
        Target(str(target), force=True).writing() as file,
    ):
        fill(file)
    assert target.read_text() == "old"
    assert sorted(folder.iterdir()) == before


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "real.csv").write_text("old")
    (folder / "link.csv").symlink_to("real.csv")
    Target("link.csv", force=True).write("new")
    assert (folder / "link.csv").is_symlink()
    assert (folder / "real.csv").read_text() == "new"


def test_a_named_pipe_is_written_to(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((folder / "pipe").read_text()))
    reader.start()
    Target("pipe", force=False).write("through")
    reader.join(timeout=10)
    assert got == ["through"]
    assert (folder / "pipe").is_fifo()


def test_nothing_that_is_printed_does_anything(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table("Of\x1b[2J others")
    rows.add_row("an\u202eanswer")
    TO_STDOUT.show("a title\x1b[8m", rows)
    said = capsys.readouterr().out
    assert not {"\x1b", "\u202e"} & set(said)
    assert said.count("\N{REPLACEMENT CHARACTER}") == 3
