"""``deniable check``: what a survey costs, or every mistake in it."""

import json
from pathlib import Path

import pytest

from deniable.analysis.planning import half_width
from deniable.survey_file import read
from tests.cli.conftest import DOPING, EVERY_TYPE, Run

BROKEN = """\
version: 1
survey: Doping
title: Six mistakes
questions:
  - {id: a, text: A, type: single, answers: [No], flip: 1/4}
  - {id: a, text: B, type: single, answers: [No, Yes], flip: 1/2}
  - {id: c, text: C, type: text, flip: 1/4}
  - {id: d, text: D, type: single, answers: [No, Yes], flipp: 1/4}
"""


def test_prints_flip_epsilon_and_half_width(run: Run) -> None:
    lines = run("check", "doping.yaml", "-n", 1000).stdout.splitlines()
    # p = 1/4: epsilon = ln 3, and the worst half-width is 1.96 (1/2) / (1 - 2p) / sqrt(n) = .0620.
    assert lines[0] == "doping.yaml: Doping in [bold]your[/bold] sport :smile: (doping)"
    assert lines[4].split() == ["doped", "2", "0.2500", "1.098613", "100%", "±6.2"]
    assert lines[6] == "ε: 1.098613 in all, of 1.098613 promised."


def test_every_item_has_a_line(run: Run) -> None:
    said = run("check", "every-type.yaml").stdout
    for item in read(EVERY_TYPE).survey.items:
        (line,) = [line for line in said.splitlines() if line.startswith(f"{item.id} ")]
        assert f"±{100 * max(half_width(item.channel, 1000)):.1f}" in line
    assert "\x1b" not in said
    # Forced response, truth 2/3 and yes 1/4: a no becomes yes 1/12 of the time, a yes no 3/12.
    assert "0.0833 to 0.2500" in said


def test_more_respondents_make_narrower_intervals(run: Run) -> None:
    assert "±3.1" in run("check", "doping.yaml", "--respondents", 4000).stdout


def test_json_is_for_programs(run: Run) -> None:
    (found,) = json.loads(run("check", "every-type.yaml", "--format", "json").stdout)
    survey = read(EVERY_TYPE).survey
    assert found["revision"] == survey.revision
    assert found["epsilon"] == 12
    assert found["epsilon_spent"] == pytest.approx(12, abs=1e-4)
    assert [item["item"] for item in found["items"]] == [item.id for item in survey.items]
    forced, direct = found["items"][-2:]
    assert forced["flip"] == pytest.approx([1 / 12, 1 / 4])
    assert (direct["flip"], direct["epsilon"], direct["epsilon_share"]) == (None, None, None)
    assert direct["half_width"] == pytest.approx([1.96 * 0.5 / 1000**0.5] * 2, rel=1e-3)


def test_every_mistake_of_every_file_is_named_by_line_and_column(run: Run, folder: Path) -> None:
    (folder / "broken.yaml").write_text(BROKEN)
    (folder / "latin1.yaml").write_bytes("title: é\n".encode("latin-1"))
    result = run("check", "broken.yaml", "doping.yaml", "latin1.yaml", exits=1)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    places = [line.split(": ")[0] for line in lines]
    assert places == [
        "broken.yaml:2:9",
        "broken.yaml:5:45",
        "broken.yaml:6:10",
        "broken.yaml:6:62",
        "broken.yaml:7:28",
        "broken.yaml:8:5",
        "broken.yaml:8:56",
        "latin1.yaml:1:8",
    ]
    assert "found the byte 0xe9" in lines[-1]


def test_notes_are_printed_and_are_no_mistakes(run: Run, folder: Path) -> None:
    weighted = DOPING.replace("    flip: 1/4\n", "    weight: 2\n") + "epsilon: 1\n"
    (folder / "note.yaml").write_text(weighted)
    assert "note.yaml:9:13: note: this weight has no effect" in run("check", "note.yaml").stdout


def test_reads_standard_input(run: Run) -> None:
    assert "<stdin>: Doping" in run("check", "-", typed=DOPING).stdout
    assert "<stdin>:1:1: expected a survey" in run("check", "-", typed="", exits=1).stderr


def test_a_byte_order_mark_does_no_harm(run: Run) -> None:
    assert "doped" in run("check", "-", typed=DOPING.encode("utf-8-sig")).stdout


def test_drafts_of_one_survey_may_be_compared(run: Run, folder: Path) -> None:
    (folder / "draft.yaml").write_text(DOPING.replace("1/4", "1/3"))
    said = run("check", "doping.yaml", "draft.yaml").stdout
    assert "1.098613" in said
    assert "0.6931" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'SURVEY...'"),
        (["nowhere.yaml"], "File 'nowhere.yaml' does not exist"),
        (["doping.yaml", "-n", "0"], "0 is not in the range"),
        (["doping.yaml", "-n", "many"], "'many' is not a valid integer"),
        (["doping.yaml", "--format", "xml"], "'xml' is not one of 'table', 'json'"),
    ],
)
def test_wrong_usage_exits_with_2(run: Run, arguments: list[str], message: str) -> None:
    assert message in run("check", *arguments, exits=2).stderr
