"""What differs between two revisions, in the words of a survey file."""

import pytest

from deniable.survey.revisions import differences
from deniable.survey_file import read

WRITTEN = """
version: 1
survey: study
title: A study
epsilon: 2
languages: [en, de]
organisation: A university
questions:
  - id: doped
    text: {en: "Have you doped?", de: "Haben Sie gedopt?"}
    type: single
    answers: {no: {en: No, de: Nein}, yes: {en: Yes, de: Ja}}
  - id: when
    text: {en: "Last year?", de: "Im letzten Jahr?"}
    type: single
    answers: {no: {en: No, de: Nein}, yes: {en: Yes, de: Ja}}
    ask_if: {doped: yes}
""".replace("title: A study", "title: {en: A study, de: Eine Studie}")


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
    one, other = read(WRITTEN).survey, read(WRITTEN.replace(old, new)).survey
    assert set(differences(one, other)) == set(found)


def test_moving_a_question_changes_no_other() -> None:
    added = """
  - id: age
    text: {en: You are 18, de: Sie sind 18}
    type: single
    answers: {no: {en: No, de: Nein}, yes: {en: Yes, de: Ja}}
"""
    more = WRITTEN.replace("questions:\n", f"questions:{added}")
    found = differences(read(WRITTEN).survey, read(more.replace("epsilon: 2", "epsilon: 3")).survey)
    assert "when: ask_if" not in found
    assert "age: only there" in found
    assert differences(read(WRITTEN).survey, read(WRITTEN).survey) == ()
