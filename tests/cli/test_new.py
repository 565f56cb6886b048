"""What `deniable new` writes, and what an extra is needed for."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from deniable.extras import NEEDS, how_to_get
from deniable.server.desk.editor.starters import examples, published_questions, ready_questions
from deniable.survey_file import read
from tests.cli.conftest import ROOT, Run, in_process, names
from tests.kit import first_of

SHIPPED = {**examples(), **published_questions(), **ready_questions()}


def test_without_a_name_it_lists_the_examples(run: Run) -> None:
    said = run("new").stdout
    listed = re.findall(r"^  ([a-z-]+) +\S", said, re.MULTILINE)
    assert listed == [*SHIPPED, "interviews", "comprehension", "deploy"]
    assert len({*listed}) == len(listed)
    assert names(said, "One question, asked by Warner's design.", "Doping in sport")
    assert names(said, "Is the last digit of your phone number 3?")
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize("name", first_of(SHIPPED, 6))
def test_an_example_names_the_next_command(run: Run, name: str) -> None:
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


def test_the_interviews_are_analysed_by_the_next_command(run: Run) -> None:
    said = run("new", "interviews", "-o", "interviews.csv").stderr
    written = Path("interviews.csv").read_bytes()
    assert written == (ROOT / "examples" / "interviews.csv").read_bytes()
    (next_one,) = re.findall(r"Next: deniable (.*)", said)
    assert names(run(*shlex.split(next_one)).stdout, "2,973 responses")


def test_a_server_s_files_are_all_or_none(run: Run) -> None:
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


@pytest.mark.slow
def test_the_study_of_the_screens_is_analysed(run: Run) -> None:
    run("new", "comprehension", "-o", "study")
    arms = ("protected", "direct")
    for arm in arms:
        file = f"study/{arm}.yaml"
        run("check", file)
        run("ethics", file, "--preregistration", "-o", f"{arm}.md")
        told = ("--rate", "helped.yes=90%", "--rate", "clear.proof.f=100%", "--seed", "1")
        run("simulate", file, "-n", "1405", *told, "-o", f"{arm}.csv")
    assert "H1: in the protected arm" in Path("protected.md").read_text(encoding="utf-8")
    ended = in_process("study/analyse.py", "protected.csv", "direct.csv")
    found = ended.stdout.decode().splitlines()
    # Each statement is true by chance for a third of these people, and “proof” is false for all.
    assert "  proof: 100.0 (100.0 to 100.0) % right" in found
    assert "  proof: 0.0 (0.0 to 0.0) % right" in found
    yes = re.findall(r"(protected|direct): (\S+) \(", "\n".join(found[-4:]))
    assert {arm: round(float(share) / 5) for arm, share in yes} == {"protected": 18, "direct": 18}
    assert len(found) == 30


EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


def test_the_commands_in_the_comments_work(run: Run) -> None:
    commands = [
        line.removeprefix("#   deniable ").split()
        for path in EXAMPLES
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("#   deniable ")
    ]
    assert len(commands) == len(EXAMPLES)
    for command in commands:
        (name,) = [Path(word).stem for word in command if word.endswith(".yaml")]
        run("new", name, "-o", f"{name}.yaml", "--force")
        run(*command)


def test_the_interviews_are_what_their_script_prints() -> None:
    script = ROOT / "examples" / "interviews.py"
    assert in_process(script).stdout == script.with_suffix(".csv").read_bytes()


NEEDING = [
    ("parquet", "pyarrow", "export doping.yaml --reports noise.csv --zip paper.zip", 0),
    ("parquet", "pyarrow", "analyse data.parquet --column x --design truth_or_random", 1),
    ("parquet", "pyarrow", "export doping --store s.db --parquet lake", 1),
    ("postgres", "psycopg", "estimate doping --store postgresql://localhost/none", 1),
]


@pytest.mark.parametrize(("extra", "package", "command", "exits"), NEEDING)
def test_a_missing_extra_says_what_to_type(
    run: Run, monkeypatch: pytest.MonkeyPatch, extra: str, package: str, command: str, exits: int
) -> None:
    run("simulate", "doping.yaml", "-n", 20, "-o", "noise.csv")
    run("simulate", "doping.yaml", "-n", 20, "--store", "s.db")
    Path("data.parquet").touch()
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    if extra == "postgres":  # what is loaded already was imported with it
        monkeypatch.setitem(sys.modules, "deniable.server.store.postgres.engine", None)
    said = run(*command.split(), exits=exits).stderr
    assert f"install the extra {extra}: {how_to_get(extra)}" in said
    assert sum(f"the extra {one}:" in said for one in NEEDS) <= 2, "none that is there"
