"""No table of a command is wider than the terminal, and none loses the names of its rows."""

from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Run
from tests.surveys import EXAMPLES

WARD, WELLBEING = str(EXAMPLES / "ward.yaml"), str(EXAMPLES / "wellbeing.yaml")
REGRESSION = (
    *("analyse", str(EXAMPLES / "interviews.csv"), "--formula", "doped ~ age + female"),
    *("--design", "forced_response: {truth: 2/3, yes: 1/2}"),
)


@pytest.fixture
def reports(run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write reports to the survey of a ward, and lead commands to a terminal of 80 columns."""
    run("simulate", WARD, "-n", 300, "--seed", 1, "-o", "ward.csv")
    monkeypatch.setenv("COLUMNS", "80")
    return "ward.csv"


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (("plan", WARD, "-n", 1200, "--within", 5), ["error", "years (direct)", "1,577"]),
        (("plan", WELLBEING, "--detect", 10, 25, "--within", 5, "--prior", 10), ["coursework"]),
        (("check", WELLBEING), ["coursework.handed_in", "drinking_days"]),
        (REGRESSION, ["Intercept", "age", "female"]),
        (("analyse", WARD, "--reports", "ward.csv", "--cross", "error", "signed"), ["No", "Yes"]),
        (("analyse", WARD, "--reports", "ward.csv", "--item", "error", "--by", "ward"), ["ward"]),
        (("estimate", WARD, "--reports", "ward.csv"), ["error", "signed"]),
    ],
    ids=["plan", "plan with all", "check", "formula", "cross", "compare", "estimate"],
)
def test_a_table_is_as_wide_as_the_terminal_at_most(
    run: Run, reports: str, command: Sequence[str | int], names: Sequence[str]
) -> None:
    assert reports
    said = run(*command).stdout
    assert max(map(cell_len, said.splitlines())) <= 80
    for name in names:
        assert name in said
    # Neither a name nor a number is cut, which rich marks so.
    assert "…" not in said


def test_where_it_goes_to_a_pipe_nothing_is_broken(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in ("", "0", "many"):
        monkeypatch.setenv("COLUMNS", columns)
        lines = run("plan", WARD, "--within", 5, "--detect", 10, 25).stdout.splitlines()
        assert max(map(len, lines)) > 100
