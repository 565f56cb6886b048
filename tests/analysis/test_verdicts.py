"""How often honest and dishonest surveys are doubted, as ``docs/coverage.md`` says."""

import pytest

from benchmarks.coverage import verdicts
from tests.analysis.coverage_page import cells_of, section, tables

pytestmark = pytest.mark.promise("no-false-alarm")

PUBLISHED = tables(section("Was the design followed?"))


def test_the_page_says_what_the_command_prints_of_small_surveys() -> None:
    again = tables("\n".join(verdicts.lines(verdicts.HONEST[:1], verdicts.CHEATED[:2])))
    assert set(again) <= set(PUBLISHED)


@pytest.mark.evidence
def test_the_page_says_what_the_command_prints() -> None:
    assert tables("\n".join(verdicts.lines())) == PUBLISHED


def test_no_kind_of_honest_survey_is_doubted_in_more_than_5_percent() -> None:
    rows = [cells_of(line) for line in PUBLISHED if line.startswith("| ")]
    (second,) = [place for place, row in enumerate(rows) if row[-1] == "50 %"]
    honest, cheated = rows[1:second], rows[second + 1 :]
    assert len(honest) == len(verdicts.HONEST)
    assert len(cheated) == len(verdicts.CHEATED)
    for row in honest:
        assert float(row[-1].removesuffix(" %")) <= 5
    # Half of them who send what they like are found out in most surveys of every kind.
    for row in cheated:
        assert float(row[-1].removesuffix(" %")) > 50
