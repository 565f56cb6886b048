"""The commands on a survey with questions that are asked after some answers only."""

import json
from pathlib import Path

from tests.cli.conftest import ROOT, Run

EXAMS = ROOT / "tests" / "vectors" / "branching.yaml"


def test_check_explains_what_is_sent_of_a_skipped_question_and_what_it_costs(run: Run) -> None:
    said = run("check", EXAMS, "-n", 5000).stdout
    lines = said.splitlines()
    assert "Applies if year is second or later: repeated." in lines
    assert "Applies if helped is yes: help (±10.8, if everyone is asked ±7.7)." in lines
    assert "Applies if help.phone is yes: assistant (±5.3, if everyone is asked ±4.0)." in lines
    explained = " ".join(lines)
    assert "Shown to everybody, who say whether it applies: help, assistant, exams." in explained
    assert "a report to it is sent all the same" in explained
    assert "no randomised report shows to whom it applies" in explained
    assert "one more answer costs precision. How long an answer takes is not hidden" in explained
    # Questions that need one another are drawn together.
    assert "ask: 1" in said
    (document,) = json.loads(run("check", EXAMS, "--format", "json").stdout)
    needs = {item["item"]: item["ask_if"] for item in document["items"]}
    assert needs["repeated"] == {"year": ["second", "later"]}
    assert needs["help.notes"] == {"helped": ["yes"]}
    assert needs["year"] == {}


def test_check_says_what_time_tells_of_a_hidden_branch(run: Run, folder: Path) -> None:
    hidden = EXAMS.read_text().replace("survey: exams", "survey: exams\nbranch: hidden")
    (folder / "hidden.yaml").write_text(hidden)
    said = " ".join(run("check", "hidden.yaml").stdout.split())
    assert "guesses it right up to 80 times in 100" in said
    assert "Shown to everybody" not in said
    refused = run("simulate", "hidden.yaml", "-n", 10, "--slips", "0.1", "-o", "n.csv", exits=2)
    assert "--slips is for surveys" in refused.output
