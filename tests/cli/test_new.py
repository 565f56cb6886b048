"""``deniable new``: a stranger who has the wheel alone begins with an example."""

import re
import shlex
from pathlib import Path

import click
import pytest

from deniable.cli.main import commands
from deniable.server.desk.editor.starters import (
    examples,
    published_questions,
    ready_questions,
)
from deniable.survey_file import read
from tests.cli.conftest import ROOT, Run, names

SHIPPED = {**examples(), **published_questions(), **ready_questions()}

HELPED = commands.list_commands(click.Context(commands))


def test_without_a_name_it_lists_each_example_once_with_what_it_shows(run: Run) -> None:
    said = run("new").stdout
    listed = re.findall(r"^  ([a-z-]+) +\S", said, re.MULTILINE)
    assert listed == [*SHIPPED, "interviews", "deploy"]
    assert len({*listed}) == len(listed)
    assert names(said, "One question, asked by Warner's design.", "Doping in sport")
    assert names(said, "Is the last digit of your phone number 3?")
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize("name", SHIPPED)
def test_an_example_is_written_as_it_is_and_the_next_command_named(run: Run, name: str) -> None:
    said = run("new", name, "-o", "my survey.yaml").stderr
    (next_one,) = re.findall(r"Next: deniable (.*)", said)
    text = Path("my survey.yaml").read_text(encoding="utf-8")
    assert text == SHIPPED[name] == run("new", name).stdout
    assert read(text).survey.slug == name
    # What it shows is a sentence, on its first line.
    assert text.startswith("# ")
    assert re.search(r"\n#   deniable |\n# .* (?:19|20)\d\d, ", text), (
        "how to use it, or its source"
    )
    run(*shlex.split(next_one))


def test_the_interviews_are_written_and_the_next_command_analyses_them(run: Run) -> None:
    said = run("new", "interviews", "-o", "interviews.csv").stderr
    written = Path("interviews.csv").read_bytes()
    assert written == (ROOT / "examples" / "interviews.csv").read_bytes()
    (next_one,) = re.findall(r"Next: deniable (.*)", said)
    assert names(run(*shlex.split(next_one)).stdout, "2,973 responses")


def test_the_files_of_a_server_are_written_all_or_none(run: Run) -> None:
    assert names(run("new", "deploy", exits=2).stderr, "folder", "-o")
    Path("mine").mkdir()
    Path("mine/nginx.conf").write_text("my own")
    assert names(run("new", "deploy", "-o", "mine", exits=1).stderr, "mine/nginx.conf", "--force")
    assert [file.name for file in Path("mine").iterdir()] == ["nginx.conf"]
    assert Path("mine/nginx.conf").read_text() == "my own"
    for words in (("mine", "--force"), ("new",)):
        run("new", "deploy", "-o", *words)
        written = {file.name: file.read_bytes() for file in Path(words[0]).iterdir()}
        assert written == {file.name: file.read_bytes() for file in (ROOT / "deploy").iterdir()}


def test_a_mistyped_name_is_answered_with_the_nearest_one(run: Run) -> None:
    assert names(run("new", "dopping", exits=1).stderr, "'dopping'", "'doping'")
    assert names(run("new", "zzz", exits=1).stderr, "'zzz'", "'deniable new'")
    assert names(run("new", "doping", "-o", "x.csv", exits=2).stderr, ".yaml", ".csv")


@pytest.mark.parametrize("command", ["", *HELPED])
def test_a_help_names_no_example_that_it_has_not_written(run: Run, command: str) -> None:
    said = run(*command.split(), "--help").stdout
    assert "examples/" not in said
    for name in re.findall(r"(\S+)\.yaml", said):
        if name in examples():
            first = said.index(f"{name}.yaml")
            assert said[:first].endswith(f"deniable new {name} -o "), name
