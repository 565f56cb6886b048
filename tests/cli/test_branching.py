"""The commands on a survey with questions that are asked after some answers only."""

from pathlib import Path

from tests.cli.conftest import ROOT, Run

EXAMS = ROOT / "tests" / "vectors" / "branching.yaml"


def test_check_says_what_time_tells(run: Run, folder: Path) -> None:
    hidden = EXAMS.read_text().replace("survey: exams", "survey: exams\nbranch: hidden")
    (folder / "hidden.yaml").write_text(hidden)
    said = " ".join(run("check", "hidden.yaml").stdout.split())
    assert "guesses it right up to 80 times in 100" in said
    assert "Shown to everybody" not in said
    refused = run("simulate", "hidden.yaml", "-n", 10, "--slips", "10", "-o", "n.csv", exits=2)
    assert "--slips is for surveys" in refused.output
