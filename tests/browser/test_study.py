"""A study in seven questions and two languages, from the form to the paper, at the real desk."""

from functools import partial
from pathlib import Path

import pytest
from selenium import webdriver

from deniable.survey_file import read
from tests.browser.chromium import chromium as started
from tests.browser.serving import serving
from tests.browser.study_walk import AFTER, BEFORE, SLUG, Walk, lead_in, study
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
        assert len(survey.numbers) == 2
        order = [2, 1, *range(3, 8)]
        assert [one.id for one in survey.questions] == [f"q{n}" for n in order]
        assert survey.languages == ("en", "de")
        assert "superviser" not in kept
        ((code, row),) = [(one.code, one.text) for one in survey.questions[-1].rows]
        assert (code, row) == ("first_row", "First rows")
        assert read(kept).plan.people == BEFORE + AFTER - 3
    assert steps <= 91, steps  # one is the tick of a condition, which is nobody else's to make
    assert len(seen) == 10
