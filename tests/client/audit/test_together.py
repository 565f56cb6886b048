"""An audit of questions that are randomised as one answer."""

from pathlib import Path

import pytest

from deniable.cli.auditing import audit_modules
from deniable.client.audit.node import node
from deniable.client.audit.tapes import check_tapes
from deniable.survey_file import read
from tests import needs
from tests.client.audit.altered import alter, altered
from tests.surveys_together import DRAWN, IN_WAVES, TOGETHER, together

pytestmark = pytest.mark.promise("audit")


@pytest.mark.parametrize("text", [together(2, 2), TOGETHER, DRAWN, IN_WAVES])
def test_every_cell_is_sent_as_the_headless_respondent_sends_it(text: str) -> None:
    needs.program("node", "make install")
    survey = read(text).survey
    with node(survey.document) as engine:
        assert check_tapes(engine, survey).failures == ()


def test_a_device_that_draws_each_answer_apart_is_found(tmp_path: Path) -> None:
    needs.program("node", "make install")
    survey = read(together(2, 2)).survey
    folder = altered(tmp_path, None)
    alter(
        folder / "core/report.js",
        "survey.together ? withGroups(survey, truths, words, bytes, ready) :",
        "",
    )
    with node(survey.document, folder) as engine:
        assert check_tapes(engine, survey).failures


@pytest.mark.slow
@pytest.mark.parametrize("text", [together(2, 2), TOGETHER, DRAWN, IN_WAVES])
def test_an_honest_device_is_not_accused(text: str) -> None:
    needs.program("node", "make install")
    survey = read(text).survey
    with node(survey.document) as engine:
        found = audit_modules(engine, survey, 0.3, 1, lambda *_: None)
    assert found.failures == ()
