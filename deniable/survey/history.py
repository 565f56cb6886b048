"""The corrections of a survey's wordings, in the sentences of methods, codebook and status."""

from collections.abc import Iterable
from itertools import pairwise

from deniable.survey import Survey
from deniable.survey.document import fingerprint_of
from deniable.survey.revisions import check_reworded, corrections, differences, follow


def history(survey: Survey) -> tuple[str, ...]:
    """Say what each wording corrected in the one before, after the fingerprint of the wording."""
    found = []
    read = (*survey.earlier, survey)
    for number, (then, now) in zip(survey.check_numbers[1:], pairwise(read), strict=True):
        told = [
            f"{told_place(now, place)} ({place.partition('/')[0]}): “{before}” became “{after}”"
            for place, before, after in corrections(now, then)
            if place.partition("/")[0] in then.languages
        ]
        told += [f"language {one} was added" for one in now.languages if one not in then.languages]
        found.append(f"{fingerprint_of(number)}: {'; '.join(told)}")
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
    """Say what a survey file corrects in the published survey, or why it is another law.

    `current`: the published survey. `before`: its earlier revisions.
    """
    survey = survey.as_kept(current)
    try:
        check_reworded(survey, current, *before)
        after = follow(survey, current)
    except ValueError as mistake:
        return (f"It cannot follow on the published {current.fingerprint}: {mistake}.",)
    if after.revision != current.revision:
        differing = ", ".join(differences(after, current))
        return (f"Another law than the published {current.fingerprint}: {differing}.",)
    if after.document == current.document:
        return (f"As published: {current.fingerprint}.",)
    return (
        f"Corrections of the published {current.fingerprint}, which change no law:",
        *(f"  {one}" for one in history(after)[len(current.check_numbers) - 1 :]),
    )
