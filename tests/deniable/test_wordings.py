"""A structure and its wordings: what a correction may be, and what two revisions differ in."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deniable.analysis.counts.pooling import match
from deniable.client.memory import Kept
from deniable.client.randomness import seeded_words
from deniable.client.respondent import draw_report
from deniable.survey import Survey
from deniable.survey.document import as_shown
from deniable.survey.revisions import check_reworded, corrections, differences, follow, history
from deniable.survey_file import read
from tests import vectors
from tests.kit import panel
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("revision")

WRITTEN = """\
version: 1
survey: lab
title: Lab
questions:
  - {id: told, text: "Did a superviser know?", type: single, answers: [No, Yes], flip: 1/4}
  - {id: sure, text: "Sure?", type: single, answers: [No, Yes], protection: direct}
"""


def corrected(before: Survey, *changes: tuple[str, str]) -> Survey:
    """Correct words of a survey, each in a wording of its own."""
    text = WRITTEN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
        before = follow(read(text).survey, before)
    return before


@pytest.mark.parametrize("case", vectors.wordings(), ids=lambda case: case["name"])
def test_every_device_reads_the_same_wordings(case: dict[str, Any]) -> None:
    if not case["fits"]:
        with pytest.raises(ValueError, match="expected"):
            Survey.from_json(case["written"].encode())
        return
    survey = Survey.from_json(case["written"].encode())
    assert (survey.revision, list(survey.check_numbers)) == (case["revision"], case["numbers"])
    assert survey.document == case["document"]
    assert survey.to_json().decode() == case["written"]


def test_a_correction_leaves_law_and_numbers() -> None:
    survey = read(WRITTEN).survey
    again = corrected(survey, ("superviser", "supervisor"), ("Sure", "Are you sure"))
    assert again.revision == survey.revision
    assert again.check_numbers[:1] == survey.check_numbers
    assert len({*again.check_numbers, again.revision}) == 4
    assert corrections(again, survey) == (
        ("en/questions/told/text", "Did a superviser know?", "Did a supervisor know?"),
        ("en/questions/sure/text", "Sure?", "Are you sure?"),
    )
    assert history(survey) == ()
    told, sure = history(again)
    assert told.endswith(", text (en): “Did a superviser know?” became “Did a supervisor know?”")
    assert (told[:19], sure[:19]) == tuple(map(as_shown, again.check_numbers[1:]))
    german = "title: {en: Lab, de: Labor}"
    spoken = read(WRITTEN.replace("title: Lab", f"languages: [en, de]\n{german}")).survey
    assert history(follow(spoken, survey))[0].endswith(": language de was added")
    assert follow(again, again) is again
    # All reports to the structure count together, and to another of the same question too.
    other = read(WRITTEN.replace("1/4", "1/5").replace("Sure", "Are you sure")).survey
    assert match(again, survey).places == (0, 1)
    assert match(other, again).places == (None, 1)
    assert match(replace(survey, batch=20), again).places == (0, 1)


@pytest.mark.promise("once")
def test_a_typo_makes_nobody_report_twice() -> None:
    survey, device = read(WRITTEN).survey, Kept()
    device.note(survey, np.array([True, False]))
    again = corrected(survey, ("superviser", "supervisor"))
    assert device.due(again).tolist() == [False, True]
    # A later structure knows nothing of the words before: the id is known.
    anew = read(WRITTEN.replace("superviser", "supervisor").replace("Lab", "Laboratory")).survey
    assert device.due(replace(anew, batch=20)).tolist() == [False, True]


@pytest.mark.promise("once")
def test_a_typo_between_two_waves_keeps_the_noise() -> None:
    survey, device, words = panel(), Kept(), seeded_words(3, 0)
    draw_report(survey, [0] * len(survey.items), words, device, 1)
    kept = dict(device.answers)
    question, item = survey.questions[0], survey.items[0]
    other = replace(
        survey,
        questions=(replace(question, text="Mended"), *survey.questions[1:]),
        items=(replace(item, text="Mended"), *survey.items[1:]),
    )
    again = follow(other, survey)
    # As a survey of its own it may ask anything under this id.
    assert device.due(other, 2).tolist() == [False, *[True] * (len(survey.items) - 1)]
    assert not device.due(again, 1).any()
    assert device.due(again, 2).all()
    draw_report(again, [0] * len(survey.items), words, device, 2)
    assert device.answers == kept


def test_another_law_takes_the_read_words_along() -> None:
    survey = read(WRITTEN).survey
    again = corrected(survey, ("superviser", "supervisor"))
    mended = read(WRITTEN.replace("superviser", "supervisor")).survey
    later = follow(replace(mended, batch=20), again)
    assert later.revision != again.revision
    assert (later.lines[1:], later.earlier[0].questions) == (again.lines[1:], survey.questions)
    # Words with no place in the new structure.
    fewer = read(WRITTEN[: WRITTEN.rindex("  - ")]).survey
    assert follow(fewer, again).before == ()


def test_other_words_with_another_law_are_refused() -> None:
    survey = read(WRITTEN).survey
    for change in (("superviser", "supervisor"), ("[No, Yes], flip", "[No, Yes, Both], flip")):
        other = read(WRITTEN.replace(*change).replace("version: 1", "version: 1\nbatch: 20")).survey
        with pytest.raises(ValueError, match="publish the corrected words first"):
            check_reworded(other, survey)
    check_reworded(read(WRITTEN.replace("1/4", "1/5")).survey, survey)
    turned = read(WRITTEN.replace("[No, Yes], flip", "[Yes, No], flip")).survey
    with pytest.raises(ValueError, match="their order is part of the question"):
        check_reworded(turned, survey)
    # An id of any structure before stays taken.
    fewer = read(WRITTEN[: WRITTEN.rindex("  - ")]).survey
    again = read(WRITTEN.replace("Sure?", "Are you ill?")).survey
    with pytest.raises(ValueError, match="'sure' has other words"):
        check_reworded(again, fewer, fewer, survey)


@pytest.mark.promise("counted-once")
def test_another_id_is_counted_apart() -> None:
    survey, device = read(WRITTEN).survey, Kept()
    device.note(survey, np.array([True, True]))
    again = corrected(survey, ("superviser", "supervisor"))
    renamed = read(
        WRITTEN.replace("superviser", "supervisor").replace("told", "knew").replace("sure", "ok")
    ).survey
    assert device.due(renamed).tolist() == [True, False]
    assert match(renamed, again).places == match(again, renamed).places == (None, 1)


ANSWERS = "type: single, answers: {no: {en: No, de: Nein}, yes: {en: Yes, de: Ja}}"
SPOKEN = file_of(
    f"id: doped, text: {{en: Have you doped?, de: Haben Sie gedopt?}}, {ANSWERS}",
    f"id: when, text: {{en: Last year?, de: Im letzten Jahr?}}, {ANSWERS}, ask_if: {{doped: yes}}",
    head="epsilon: 2\nlanguages: [en, de]\norganisation: A university",
).replace("title: T", "title: {en: A study, de: Eine Studie}")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("A study", "The study", ("title",)),
        ("A university", "An institute", ("organisation", "translations")),
        ("Eine Studie", "Die Studie", ("translations",)),
        ("Have you doped?", "Did you?", ("doped: text",)),
        ("epsilon: 2", "epsilon: 3", ("epsilon", "doped: design", "when: design")),
        ("{doped: yes}", "{doped: no}", ("when: ask_if",)),
        ("id: when", "id: then", ("translations", "when: only here", "then: only there")),
    ],
)
def test_each_difference_is_named(old: str, new: str, found: tuple[str, ...]) -> None:
    one, other = read(SPOKEN).survey, read(SPOKEN.replace(old, new)).survey
    assert set(differences(one, other)) == set(found)


def test_moving_a_question_changes_no_other() -> None:
    added = f"  - {{id: age, text: {{en: You are 18, de: Sie sind 18}}, {ANSWERS}}}\n"
    more = SPOKEN.replace("questions:\n", f"questions:\n{added}")
    found = differences(read(SPOKEN).survey, read(more.replace("epsilon: 2", "epsilon: 3")).survey)
    assert "when: ask_if" not in found
    assert "age: only there" in found
    assert differences(read(SPOKEN).survey, read(SPOKEN).survey) == ()
