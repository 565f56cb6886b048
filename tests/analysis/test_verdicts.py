"""How often honest and dishonest surveys are doubted, as ``docs/coverage.md`` says."""

from pathlib import Path

import pytest

from benchmarks import coverage, verdicts

pytestmark = pytest.mark.promise("no-false-alarm")


@pytest.fixture(scope="module")
def published() -> list[str]:
    """Return the section of the page."""
    page = Path(coverage.PAGE).read_text(encoding="utf-8")
    start = page.index("## Was the design followed?")
    return page[start : page.index("\n## ", start)].rstrip("\n").splitlines()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_says_what_the_command_prints_of_small_surveys(published: list[str]) -> None:
    again = list(verdicts.lines(verdicts.HONEST[:1], verdicts.CHEATED[:2]))
    assert set(again) <= set(published)
    assert [line for line in again if line[:1] != "|"] == [
        line for line in published if line[:1] != "|"
    ]


@pytest.mark.slow
def test_the_page_says_what_the_command_prints(published: list[str]) -> None:
    assert list(verdicts.lines()) == published


def test_no_kind_of_honest_survey_is_doubted_in_more_than_5_percent(published: list[str]) -> None:
    rows = [cells(line) for line in published if line.startswith("| ")]
    (second,) = [place for place, row in enumerate(rows) if row[-1] == "50 %"]
    honest, cheated = rows[1:second], rows[second + 1 :]
    assert len(honest) == len(verdicts.HONEST)
    assert len(cheated) == len(verdicts.CHEATED)
    for row in honest:
        assert float(row[-1].removesuffix(" %")) <= 5
    # Half of them who send what they like are found out in most surveys of every kind.
    for row in cheated:
        assert float(row[-1].removesuffix(" %")) > 50
