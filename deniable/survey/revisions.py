"""Revisions and wordings of a survey: how their items are matched, and how they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, TypeAlias

from deniable.survey import Survey, wordings
from deniable.survey.document import as_shown
from deniable.text.safety import seen

Mark: TypeAlias = tuple[str, ...]

_DESIGN: Final = ("weights", "permanent", "redraw")
"""The keys of an item in the document that hold its design."""


def marks(survey: Survey) -> tuple[Mark, ...]:
    """Return a unique mark of each item of a survey: all its texts, as a respondent reads them.

    Invisible differences do not count: texts are in compatibility form (NFKC), without blanks,
    format characters and other undrawn characters. Items with equal texts differ by their order.
    """
    found: list[Mark] = []
    for own in read_marks(survey):
        mark = own
        while mark in found:
            mark = (*mark, "+")
        found.append(mark)
    return tuple(found)


def read_marks(survey: Survey) -> tuple[Mark, ...]:
    """Return the texts of each item, as a respondent reads them.

    A device recognises items by them (`client/browser/core/memory.js`), so that nobody reports a
    question twice.
    """
    texts = {question.id: question.text for question in survey.questions}
    return tuple(
        tuple(map(seen, (texts[item.question], item.text, *(truth.text for truth in item.truths))))
        for item in survey.items
    )


def worded_marks(survey: Survey) -> tuple[tuple[Mark, ...], ...]:
    """Return the marks of each wording: the current one, then the earlier ones in their order.

    A corrected word does not make another item.
    """
    return tuple(map(marks, (survey, *survey.earlier)))


def is_file_of(compiled: Survey, published: Survey) -> bool:
    """Return whether a file is that of the published survey, apart from keys, which no file has."""
    try:
        return compiled.as_kept(published).document == published.document
    except ValueError:
        return False


def follow(survey: Survey, current: Survey) -> Survey:
    """Return a survey as the successor of the current one, with its earlier wordings.

    Another structure keeps them if it has a place for each text, so that a device recognises its
    questions.

    Raises
    ------
    ValueError
        If the structure is the same, and `survey.corrections` does not allow the new words.
    """
    if survey.document == current.document:
        return current
    if len(survey.lines) == 1:  # a structure with texts, as of a trial: it has one wording
        return survey
    (_, now), (_, last) = (wordings.split(one.document) for one in (survey, current))
    lines = current.lines[1:]
    try:
        before = lines[:-1] if now == last else lines
        return Survey.from_json(replace(survey, before=before).to_json())
    except ValueError:
        if survey.revision == current.revision:
            raise
        return replace(survey, before=())


def corrections(survey: Survey, current: Survey) -> tuple[tuple[str, str, str], ...]:
    """Return the corrections of a wording: each place with the old and the new text."""
    then, now = (wordings.split(one.document)[1] for one in (current, survey))
    return tuple(
        (f"{language}/{place}", then.get(language, {}).get(place, ""), text)
        for language, texts in wordings.changed(then, now).items()
        if language != "languages"
        for place, text in texts.items()
    )


def check_reworded(survey: Survey, *revisions: Survey) -> None:
    """Reject a survey that changes more than words, if a known question has new words or answers.

    Devices recognise a question by its id and its words. `revisions`: the current one first.
    """
    if len(survey.lines) == 1 or survey.revision == revisions[0].revision:
        return
    known: dict[str, Mark] = {}
    for one in revisions:
        for item, mark in zip(one.items, marks(one), strict=True):
            known.setdefault(item.id, mark)
    for item, own in zip(survey.items, marks(survey), strict=True):
        before = known.get(item.id, own)
        if before != own:
            if sorted(before) == sorted(own) and before[:2] == own[:2]:
                raise ValueError(
                    f"question {item.question!r} has its answers in another order than before, and "
                    "their order is part of the question: put them back into that order, or give "
                    "the question a new id"
                )
            raise ValueError(
                f"question {item.question!r} has other words or answers than before, and more than "
                "words changed: publish the corrected words first and then the rest, or give the "
                "question a new id"
            )


def differences(survey: Survey, other: Survey) -> tuple[str, ...]:
    """List the differences between two revisions, in the words of a survey file.

    `survey`, `other`: two revisions of one survey. Result: for example ``introduction``, ``doped:
    text``, ``doped: design``, ``year: only here`` (in the first) and ``year: only there``.
    """
    here, there = survey.document, other.document
    names = [name for name in {**here, **there} if name not in {"questions", "items", "about"}]
    found = [
        "by invitation" if name == "token_keys" else name
        for name in names
        if here.get(name) != there.get(name)
    ]
    about = [each.about.document() for each in (survey, other)]
    return (
        *found,
        *(key for key in {**about[0], **about[1]} if about[0].get(key) != about[1].get(key)),
        *_question_differences(survey, other),
    )


def _question_differences(survey: Survey, other: Survey) -> Iterator[str]:
    here, there = _questions(survey), _questions(other)
    for id in {**here, **there}:
        if id not in there:
            yield f"{id}: only here"
        elif id not in here:
            yield f"{id}: only there"
        else:
            one, another = here[id], there[id]
            differing = (key for key in {**one, **another} if one.get(key) != another.get(key))
            yield from (f"{id}: {key}" for key in differing)


def _questions(survey: Survey) -> dict[str, dict[str, Any]]:
    """Return the document's entry of each question, by its id, with its items' channels."""
    document = survey.document
    found = {entry["id"]: dict(entry) for entry in document["questions"]}
    for question in survey.questions:
        # The document refers to places, which move with another question.
        found[question.id]["ask_if"] = question.ask_if
        found[question.id]["design"] = []
    for item in document["items"]:
        found[item["question"]]["design"].append({key: item.get(key) for key in _DESIGN})
    return found


def history(survey: Survey) -> tuple[str, ...]:
    """Say what each wording corrected in the one before, after the check number of the wording."""
    found = []
    read = (*survey.earlier, survey)
    for number, (then, now) in zip(survey.check_numbers[1:], pairwise(read), strict=True):
        told = [
            f"{told_place(now, place)} ({place.partition('/')[0]}): “{before}” became “{after}”"
            for place, before, after in corrections(now, then)
            if place.partition("/")[0] in then.languages
        ]
        told += [f"language {one} was added" for one in now.languages if one not in then.languages]
        found.append(f"{as_shown(number)}: {'; '.join(told)}")
    return tuple(found)


def told_place(survey: Survey, place: str) -> str:
    """Return a readable name of a place in a wording: ``Question 3, text``."""
    _, *way = place.split("/")
    if way[0] != "questions":
        return way[-1].capitalize()
    _, id, kind, *code = way
    number = 1 + [one.id for one in survey.questions].index(id)
    return f"Question {number}, {' '.join((kind.removesuffix('s') if code else kind, *code))}"


def following(survey: Survey, current: Survey, before: Iterable[Survey] = ()) -> tuple[str, ...]:
    """Say what a survey file corrects in the published survey, or why it is another revision.

    `current`: the published survey. `before`: its earlier revisions.
    """
    survey = survey.as_kept(current)
    try:
        check_reworded(survey, current, *before)
        after = follow(survey, current)
    except ValueError as mistake:
        return (f"It cannot follow on the published {current.shown_number}: {mistake}.",)
    if after.revision != current.revision:
        differing = ", ".join(differences(after, current))
        return (f"Another revision than the published {current.shown_number}: {differing}.",)
    if after.document == current.document:
        return (f"As published: {current.shown_number}.",)
    return (
        f"Corrections of the published {current.shown_number}, which keep its revision:",
        *(f"  {one}" for one in history(after)[len(current.check_numbers) - 1 :]),
    )
