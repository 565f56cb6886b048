"""What a researcher would change in a plan that misses its goal: at most six ways, today's first.

Each is the survey file with few keys changed, so that one button takes it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from deniable import survey_file
from deniable.analysis.planning.advice import TOO_WIDE, width_words
from deniable.analysis.planning.budgets import Precision, people_for, precision
from deniable.exact import MILLION
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.spoken import choices_of, languages_of, questions_of
from deniable.study.planner import wanted_of
from deniable.survey import Survey
from deniable.survey.draws import unit_ids
from deniable.survey.questions import Protection
from deniable.survey_file import SurveyFile, SurveyFileError
from deniable.survey_file.located import parse
from deniable.survey_file.patch import Editable
from deniable.text.safety import counted
from deniable.text.sureness import sureness, tier_of

_MOST: Final = 6
"""Most ways that are shown, including today's."""

MOST_PEOPLE: Final = 1_000_000
"""Maximum number of people for whom a survey can be planned."""

_GROUPS: Final = 4
"""Groups in which a number could be asked."""

_ANOTHER: Final = "Any other answer"

_STRONG_HINT: Final = 90
"""How sure somebody may get of one answer, in 100, if the plan has no limit."""

_TRIES: Final = 8
"""Attempts to bring ε below the limits: each is nearer, and two are nearly always enough."""


@dataclass(frozen=True)
class Way:
    """A survey file that a researcher could use instead.

    `words`: what differs. `width`: the reach of the interval that is furthest from its goal, with
    its question. `people`: how many people the goal takes. `is_reached`: whether as many are
    planned. `one`, `together`: how sure somebody can get, in 100. `colour`: of one answer.
    """

    words: str
    text: str
    width: str
    people: int
    is_reached: bool
    one: int
    together: int
    colour: str


class Ways(NamedTuple):
    """The ways of a file; `within`: the ± that they are compared by, in points, in words."""

    told: str
    within: str
    ways: tuple[Way, ...]


class _Planned(NamedTuple):
    """A way, with its file, and with the place of the question that decides."""

    way: Way
    file: SurveyFile
    decides: int


def better_ways(text: str, people: int, how: Mapping[str, float]) -> Ways:
    """Return the ways to change a survey file that take fewer people to reach its ±.

    `how`: level and design effect of the intervals, if not the usual ones. Without a ± in its plan,
    today's counts, or the widest one that is of use. Raises a `ValueError` if the file has mistakes
    or randomises nothing.
    """
    file = survey_file.read(text)
    if sureness(file.survey) is None:
        raise ValueError("expected a question whose answers are randomised, found none")
    within = _aim(file, people, how)
    now = base = _planned("As it is", file, people, within, how)
    limits = _limits(now)
    kept = _within_limits(file, limits)
    if kept is not None and kept is not file:
        words = f"ε {kept.survey.epsilon:g}, as the limits say"
        base = _planned(words, kept, people, within, how)
    made = []
    for words, other in _others(base):
        limited = _within_limits(other, limits)
        if limited is not None:
            lowered = f", ε {limited.survey.epsilon:g}" * (limited is not other)
            made.append(_planned(words + lowered, limited, people, within, how))
    needed = base.way.people
    fewer = sorted((one for one in made if one.way.people < needed), key=lambda one: one.way.people)
    more = []
    if people < needed <= MOST_PEOPLE:
        text = Editable(base.file.text).put(("plan", "people"), str(needed)).text
        read = survey_file.read(text)
        more = [_planned(f"With {needed:,} people", read, needed, within, how)]
    first = [now] if base is now else [now, base]
    found = [*first, *fewer[: _MOST - len(first) - len(more)], *more]
    shown = tuple(one.way for one in found)
    aim = "each question’s ±" if file.plan.within_of else f"±{100 * within:.3g}"
    surer = "" if kept is file else "As it is, somebody gets surer than the plan wants. "
    return Ways(surer + _told(now.decides, shown, aim, people), aim, shown)


def _told(decides: int, ways: Sequence[Way], aim: str, people: int) -> str:
    """Say first whether a way reaches the ± with the people that are planned."""
    now, *others = ways
    reaching = sum(one.is_reached and one.people <= people for one in others)
    aim = f"{aim} with {people:,} people"
    if now.is_reached:
        said = f"The survey reaches {aim} as it is."
    elif reaching:
        said = f"{counted(reaching, 'way')} below reach{'es' * (reaching == 1)} {aim}."
    else:
        said = f"No way below reaches {aim}."
    return f"{said} Question {decides + 1} decides how many people it takes."


def _aim(file: SurveyFile, people: int, how: Mapping[str, float]) -> float:
    """Return the ± of all questions that the ways are compared by, as a part of their ranges."""
    if file.plan.within is not None:
        return float(file.plan.within / 100)
    found = precision(file.survey, people, wanted_of(file.survey, file.plan, people, **how).measure)
    reached = (one.widest / (one.span or 1) for one in _randomised(found))
    return min(max(reached), TOO_WIDE)


def _randomised(found: Sequence[Precision]) -> list[Precision]:
    return [one for one in found if one.item.protection is Protection.RANDOMISED]


def _planned(
    words: str, file: SurveyFile, people: int, within: float, how: Mapping[str, float]
) -> _Planned:
    """Return the way of a survey file: what it reaches, and how many people its ± takes."""
    survey, sure = file.survey, sureness(file.survey)
    assert sure is not None  # noqa: S101  for mypy: something is randomised
    wanted = wanted_of(survey, file.plan, people, **how)
    found = _randomised(precision(survey, people, wanted.measure))
    goals = {one.item.question: within for one in found} | dict(wanted.within_of)
    widest = max(found, key=lambda one: one.widest / (one.span or 1) / goals[one.item.question])
    needed = people_for(survey, goals, wanted.measure)
    place = [one.id for one in survey.questions].index(widest.item.question)
    way = Way(
        words,
        file.text,
        f"{width_words(widest)}, question {place + 1}",
        needed,
        needed <= people,
        sure.one,
        sure.all,
        tier_of(sure.one).colour.value,
    )
    return _Planned(way, file, place)


def _others(base: _Planned) -> Iterator[tuple[str, SurveyFile]]:
    """Yield the ways to change a file, each with its words; leave out those that it cannot be."""
    file, place = base.file, base.decides
    named = f"question {place + 1}"
    groups = [one.questions for one in file.survey.groups]
    units = [*unit_ids(file.survey.questions, file.sharing, groups)]
    asked = len(units) if file.survey.ask is None else file.survey.ask.count
    changes: dict[str, Callable[[str], str]] = {
        f"Without {named}": lambda text: _without(text, place),
        "Without Skip": _without_skip,
        f"Each person asked {asked // 2} of {asked}": lambda text: _drawn(text, asked // 2),
        f"{named.capitalize()} in groups": lambda text: _in_groups(text, place),
        f"{named.capitalize()} with two answers": lambda text: _with_two_answers(text, place),
        f"{named.capitalize()} by the best design": lambda text: _best_design(text, place),
    }
    for words, change in changes.items():
        with suppress(ValueError, KeyError):
            changed = change(file.text)
            if changed != file.text:
                other = survey_file.read(changed)
                if sureness(other.survey) is not None:
                    yield words, other


def _without(text: str, place: int) -> str:
    """Remove a question, with the questions that depend on it and what the file says of it."""
    gone: set[str] = set()
    asked = questions_of(parse(text, "").value)
    for one in asked[place:]:
        needed = {item.partition(".")[0] for item in one.get("ask_if") or ()}
        if one is asked[place] or needed & gone:
            gone.add(str(one.get("id")))
    for number in reversed(range(len(asked))):
        if asked[number].get("id") in gone:
            text = edited(text, {"do": "remove", "number": number}, {})
    file = Editable(text)
    for key in [*(file.value.get("chances") or ())]:
        if key.partition(".")[0] in gone:
            file.remove(("chances", key))
    return file.text


def _without_skip(text: str) -> str:
    file = Editable(text).remove(("skip",))
    for number in range(len(questions_of(file.value))):
        file.remove(("questions", number, "prefer_not_to_say"))
    return file.text


def _drawn(text: str, count: int) -> str:
    file = Editable(text).remove(("split",)).remove(("chances",))
    return file.put(("ask",), str(count)).text if count else text


def _in_groups(text: str, place: int) -> str:
    """Ask a number as one of a few ranges of it."""
    question = survey_file.read(text).survey.questions[place]
    numbers = [one.text for one in question.answers] if question.is_number else []
    if len(numbers) <= 2 * _GROUPS:
        return text
    ends = [len(numbers) * n // _GROUPS for n in range(_GROUPS + 1)]
    ranges = [f"{numbers[low]}–{numbers[high - 1]}" for low, high in pairwise(ends)]
    edit = {"do": "retype", "number": place, "value": "single"}
    return Editable(edited(text, edit, {})).put(("questions", place, "answers"), ranges).text


def _with_two_answers(text: str, place: int) -> str:
    """Ask for the first of several answers, or another."""
    value, at = parse(text, "").value, ("questions", place, "answers")
    question = questions_of(value)[place]
    choices = choices_of(question.get("answers"), languages_of(value)[0])
    if question.get("type") != "single" or len(choices) < 3 or "design" in question:
        return text
    lines = [next(iter(choices.items())), ("", _ANOTHER)]
    return edited(text, {"do": "lines", "place": at, "value": lines}, {})


def _best_design(text: str, place: int) -> str:
    return Editable(text).put(("questions", place, "family"), "best").text


def _limits(now: _Planned) -> dict[str, float]:
    """Return how sure somebody may get of one answer and of all, in 100.

    Without a limit in the plan, no way comes close to proof of one answer unless today's does.
    """
    plan = now.file.plan
    one = plan.one or plan.all or max(now.way.one, _STRONG_HINT)
    return {"one": float(one), "all": float(plan.all or 100)}


def _within_limits(file: SurveyFile, limits: Mapping[str, float]) -> SurveyFile | None:
    """Return a file with the greatest ε found that keeps its limits: itself, if it keeps them."""
    for _ in range(_TRIES):
        sure = sureness(file.survey)
        reached = {} if sure is None else {"one": sure.one, "all": sure.all}
        over = {key: at for key, at in reached.items() if at > limits[key]}
        if not over:
            return file
        spent = _spent(file.survey)
        factors = [_odds(limits[key]) / spent[key] for key in over]
        # In waves an answer can reveal more than its ε in one: then by what it reveals.
        factors += [_odds(limits[key]) / _odds(min(at, 99.5)) for key, at in over.items()]
        factor = max((one for one in factors if one < 1), default=0.9)
        epsilon = math.floor(1000 * file.survey.epsilon * factor) / 1000
        changed = Editable(file.text).put(("epsilon",), f"{epsilon:g}").text
        try:
            file = survey_file.read(changed)
        except SurveyFileError:
            break
    return None


def _spent(survey: Survey) -> dict[str, float]:
    """Return the ε of the dearest answer and of all answers in one report."""
    each = [survey.epsilon_of(one) for one in survey.questions]
    dearest = max([*filter(None, each), *(one.channel.epsilon for one in survey.groups)])
    return {"one": dearest, "all": survey.spent_millionths / MILLION}


def _odds(hundredths: float) -> float:
    """Return the logarithm of the odds of a share, in 100: the ε that leads there from 50."""
    return math.log(hundredths / (100 - hundredths))
