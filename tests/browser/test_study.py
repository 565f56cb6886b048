"""A study from its draft to its results."""

from functools import partial
from pathlib import Path

import pytest
from selenium import webdriver

from deniable.survey_file import read
from tests.browser.chromium import chromium as started
from tests.browser.serving import serving
from tests.browser.study_walk import AFTER, BEFORE, HYPOTHESIS, NAMES, SLUG, Walk, lead_in, study
from tests.browser.test_accessibility import check_with_axe


@pytest.mark.slow
def test_a_study_goes_from_form_to_paper(tmp_path: Path) -> None:
    seen: list[str] = []

    def look(desk: webdriver.Chrome, name: str, _: str) -> None:
        seen.append(name)
        check_with_axe(desk)

    with serving() as served, started(alone=True) as desk, started() as phone:
        served.enter_desk(desk)
        steps = study(served, Walk(desk, look), tmp_path, partial(lead_in, phone))
        log = desk.get_log("browser")  # type: ignore[no-untyped-call]  # selenium's gap
        assert [entry for entry in log if entry["level"] == "SEVERE"] == []
        with served.opened() as store:
            survey = store.survey(SLUG)
            kept = store.source(SLUG, survey.revision)
            # All reports are to one revision, and no number beside them tells which words it had.
            assert store.count(SLUG) == len(served.reports(survey)) == BEFORE + AFTER
        assert len(survey.check_numbers) == 2
        direct, *others = NAMES.values()
        assert [one.id for one in survey.questions] == [direct, HYPOTHESIS, *others]
        assert survey.languages == ("en", "de")
        assert "your superviser" not in kept  # its question's name stays
        ((code, row),) = [(one.code, one.text) for one in survey.questions[-1].rows]
        assert (code, row) == ("first_row", "First rows")
        assert read(kept).plan.people == BEFORE + AFTER - 3
    # One is the tick of a condition, which is nobody else's to make; two open what is folded.
    assert steps <= 93, steps
    assert len(seen) == 10
