"""The same survey file with its ε spent differently, for plans before anyone is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from deniable import survey_file
from deniable.analysis.numerics.levels import check_choice
from deniable.survey import Survey
from deniable.survey.questions import Protection
from deniable.survey_file.located import Path, SurveyFileError, parse
from deniable.survey_file.patch import patched

if TYPE_CHECKING:
    from deniable.survey_file import SurveyFile

SPLITS: Final = ("equal", "even", "optimal")
"""Ways to share ε that depend only on the questions."""

DESIGNS: Final = ("k_ary", "best")
"""Families for both answers and numbers."""

_ALIKE: Final = 1e-5
"""Chances that differ by less are equal: a share of ε is rounded before it makes a channel."""


@dataclass(frozen=True)
class Spend:
    """How to spend a survey's ε; None leaves a key of the survey file unchanged.

    Parameters
    ----------
    epsilon : Fraction or None
        Greatest loss of a respondent who answers every question that they are asked. Questions with
        an ε or a flip of their own keep it, unless all have one.
    split : str or None
        One of `SPLITS`.
    ask : int or None
        How many randomly drawn units of those that share ε each respondent is asked.
    design : str or None
        One of `DESIGNS`, for every question that shares ε and supports it.
    flips : tuple of (str, Fraction)
        By question, the chance that a report differs from the truth. Such a question has its own ε,
        and does not share the rest.
    """

    epsilon: Fraction | None = None
    split: str | None = None
    ask: int | None = None
    design: str | None = None
    flips: tuple[tuple[str, Fraction], ...] = ()


def redesign(file: SurveyFile, spend: Spend) -> SurveyFile:
    """Return a survey file with its ε spent differently.

    Raises a `ValueError` if the survey cannot spend it so.

    Examples
    --------
    >>> from deniable.survey_file import read
    >>> file = read('''version: 1
    ... survey: two
    ... title: Two questions
    ... epsilon: 2
    ... questions:
    ...   - {id: a, text: A, type: single, answers: [No, Yes]}
    ...   - {id: b, text: B, type: single, answers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
    ... ''')
    >>> spent = redesign(file, Spend(split="even")).survey
    >>> [round(item.epsilon, 3) for item in spent.items]
    [0.543, 1.457]
    """
    _check(file.survey, spend)
    if spend == Spend():
        return file
    try:
        return survey_file.read(patched(file.text, dict(_changes(file, spend))), file.source)
    except SurveyFileError as wrong:
        raise ValueError(wrong.mistakes[0].message) from None


def own_keys(written: Sequence[Mapping[str, Any]]) -> dict[Path, None]:
    """Return the places of the keys that give questions of a survey file an ε of their own."""
    return {
        ("questions", place, key): None
        for place, question in enumerate(written)
        for key in ("flip", "epsilon")
        if key in question and "statement" not in question.values()
    }


def spread(file: SurveyFile) -> tuple[str, ...]:
    """Return the ids of the questions that share ε, or would if none had one of its own."""
    written = parse(file.text, file.source).value["questions"]
    return file.sharing or tuple(written[place]["id"] for _, place, _ in own_keys(written))


def coin_questions(survey: Survey) -> dict[str, float]:
    """Return the flip probability of each question that has only one.

    These are questions by k-ary randomised response, which can have a flip such as 1/4.
    """
    found = {}
    for question in survey.questions:
        item = survey.items_of(question)[0]
        if (
            question.protection is Protection.RANDOMISED
            and not question.is_number
            and item.group is None
        ):
            flips = item.flips
            if flips and max(flips) - min(flips) < _ALIKE and len(item.reports) == len(flips):
                found[question.id] = flips[0]
    return found


def _check(survey: Survey, spend: Spend) -> None:
    if spend.split is not None:
        check_choice(spend.split, SPLITS, "a split")
    if spend.design is not None:
        check_choice(spend.design, DESIGNS, "a design")
    if spend.epsilon is not None and spend.epsilon <= 0:
        raise ValueError(f"expected an ε above 0, found {float(spend.epsilon):g}")
    coins = coin_questions(survey)
    for id, _ in spend.flips:
        if id not in coins:
            known = ", ".join(coins) or "there is none in this survey"
            raise ValueError(f"expected a question with a flip ({known}), found {id!r}")


def _changes(file: SurveyFile, spend: Spend) -> Iterator[tuple[Path, str | None]]:
    """Yield the keys to rewrite, with their values as YAML; None removes a key."""
    written = parse(file.text, file.source).value["questions"]
    places: dict[str, tuple[str, int]] = {
        one["id"]: ("questions", place) for place, one in enumerate(written)
    }
    if spend.epsilon is not None:
        yield ("epsilon",), f"{float(spend.epsilon):.9g}"
    if spend.split is not None or spend.ask is not None:
        # The questions that are drawn share equally, and all share where none is drawn.
        yield ("split",), spend.split if spend.ask is None else None
        yield ("ask",), None if spend.ask is None else str(spend.ask)
        yield ("chances",), None
    is_freed = not file.sharing and spend.epsilon is not None
    if is_freed:
        yield from own_keys(written).items()
    for id in spread(file):
        place = places[id]
        has_flip = "flip" in written[place[-1]] and not is_freed  # which decides the design
        if spend.design is not None and not has_flip and _takes_a_family(file.survey, id):
            yield (*place, "family"), spend.design
    for id, flip in spend.flips:
        for key in ("epsilon", "design", "family"):
            yield (*places[id], key), None
        yield (*places[id], "flip"), str(flip)


def _takes_a_family(survey: Survey, id: str) -> bool:
    question = survey.question(id)
    # A number with answers beside it, such as declining, has one family alone.
    is_plain = not question.is_number or len(question.truths) == len(question.answers)
    return is_plain and survey.items_of(question)[0].group is None
