"""A trial is the same survey under another name, which no survey of its own may have."""

import pytest

from deniable.survey import Survey
from deniable.survey_file import SurveyFileError, read
from deniable.trial import survey_slug, trial_of
from tests import surveys
from tests.surveys_in_waves import panel

pytestmark = pytest.mark.promise("trials")

FILE = """version: 1
survey: {}
title: Doping
questions:
  - {{id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}}
"""


@pytest.mark.parametrize("survey", [surveys.survey(batch=20), panel()])
def test_nothing_differs_but_the_name_and_so_the_revision(survey: Survey) -> None:
    trial = trial_of(survey)
    assert {**trial.document, "survey": survey.slug} == survey.document
    assert trial.slug == f"trial-{survey.slug}"
    assert trial.revision != survey.revision
    assert (trial.is_trial, survey.is_trial) == (True, False)
    assert survey_slug(trial.slug) == survey_slug(survey.slug) == survey.slug
    assert Survey.from_json(trial.to_json()) == trial


def test_a_trial_has_no_trial() -> None:
    with pytest.raises(ValueError, match="'trial-doping', which is a trial"):
        trial_of(trial_of(surveys.survey()))


@pytest.mark.parametrize("slug", ["trial", "trials-a", "on-trial-1", "trial1"])
def test_other_names_are_those_of_surveys(slug: str) -> None:
    assert not read(FILE.format(slug)).survey.is_trial


def test_a_file_cannot_take_the_name_of_a_trial() -> None:
    with pytest.raises(SurveyFileError) as refused:
        read(FILE.format("trial-doping"))
    (mistake,) = refused.value.mistakes
    assert (mistake.line, mistake.column) == (2, 9)
    assert "names that begin with 'trial-' are those of trials" in str(refused.value)
