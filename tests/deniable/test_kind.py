"""What a survey is stands in its document, and its name is only an address."""

from typing import Any

import pytest

from deniable.survey import Survey
from deniable.survey.kind import ASKS, MeetingQuestion
from deniable.survey.meeting import asked_directly, in_meeting, played
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.kit import panel, surveys

pytestmark = pytest.mark.promise("trials")


@pytest.mark.parametrize("survey", [surveys.survey(batch=20), panel()])
def test_a_trial_differs_in_kind_and_address(survey: Survey) -> None:
    trial = trial_of(survey)
    said = {"kind": "trial", "parent": survey.slug, "survey": f"trial.{survey.slug}"}
    assert trial.document == survey.document | said
    assert trial.revision != survey.revision
    assert (trial.kind, survey.kind) == ("trial", "survey")
    assert Survey.from_json(trial.to_json()) == trial


def test_only_a_survey_has_a_trial() -> None:
    for other in (trial_of(surveys.survey()), in_class()):
        with pytest.raises(ValueError, match=f"which is a {other.kind}"):
            trial_of(other)


@pytest.mark.parametrize("slug", ["trial", "trial-of-doping", "meeting-abc-1-1", "meeting"])
def test_a_file_may_take_any_name(slug: str) -> None:
    survey = read(surveys.file_of(*surveys.yes_or_no(", flip: 1/4"), slug=slug)).survey
    assert (survey.slug, survey.kind) == (slug, "survey")
    assert {"kind", "parent"}.isdisjoint(survey.document)


def in_class() -> Survey:
    survey = surveys.survey()
    question = MeetingQuestion("K7M4RX", 2, 3)
    return in_meeting(played(survey, survey.questions[0]), question)


def test_a_meeting_s_question_says_which_it_is() -> None:
    survey = in_class()
    for one, asks in zip((survey, asked_directly(survey, 10)), ASKS, strict=False):
        parent = {"code": "K7M4RX", "number": 2, "run": 3, "asks": asks}
        assert (one.document["kind"], one.document["parent"]) == ("meeting", parent)
        assert Survey.from_json(one.to_json()) == one


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "survey"},
        {"parent": "K7M4RX"},
        {"parent": {"code": "K7M4RX", "number": 2}},
        {"parent": {"code": "K7M4RX", "number": 0, "run": 1, "asks": "randomised"}},
        {"parent": {"code": "k7/..", "number": 1, "run": 1, "asks": "direct"}},
        {"parent": {"code": "A", "number": 1, "run": 1, "asks": "direct", "more": 1}},
        {"parent": ["K7M4RX", 1, 1, "direct"]},
    ],
)
def test_kind_and_parent_must_agree(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"expected a|agree"):
        Survey.from_document(in_class().document | change)
