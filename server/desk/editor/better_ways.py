"""The ways to what a draft's plan wants: at most four cards, today's first."""

import math
from collections.abc import Mapping
from typing import Any, Final

from deniable.analysis.planning.advice import TOO_WIDE
from deniable.analysis.planning.budgets import Measure
from deniable.analysis.planning.ways import people_for
from deniable.server.desk.editor.fields import in_words
from deniable.server.desk.editor.lint import Checked, failure
from deniable.server.desk.editor.lint_worker import the_checker, the_searcher
from deniable.study.planner import wanted_of
from deniable.survey import Survey
from deniable.survey_file import PlanFields, plan_of
from deniable.survey_file.located import parse
from deniable.survey_file.patch import patched
from deniable.text.sureness import Sureness, sureness
from deniable.text.wording import LIMIT

_LITTLE: Final = 1.02
"""How many times as wide as today's the interval of a way may be that is offered."""

_STRONG_HINT: Final = 90
"""How sure somebody may get, in 100, where a ± is wanted that no way reaches and no limit is."""

_BEST: Final = "No way found is better than today’s"


def bounds(plan: PlanFields, sure: Sureness) -> dict[str, float]:
    """Return the bounds on sureness, in 100, of one answer and of all: as wanted, else today's."""
    every = float(plan.all or 0)
    one = min(float(plan.one or every or sure.one), every or 99, 99)
    return {"one": one, "together": min(every or max(one, sure.all), 99)}


def _what_decides(survey: Survey, way: Mapping[str, Any]) -> str:
    """Say which question keeps a way from being more precise, and what would help."""
    named = str(way["width"]).rpartition(", ")[2]
    question = survey.questions[int(named.split()[1]) - 1]
    helps = [
        "with groups instead of a number, " * question.is_number,
        "with fewer answers, " * (not question.is_number and len(question.answers) > 2),
        "written as one with the question that it follows, " * bool(question.ask_if),
        "without Skip, " * any(one.prefer_not_to_say for one in survey.questions),
    ]
    either = "".join(helps) + "or " * any(helps)
    return f" {named.capitalize()} decides this: {either}without this question, fewer people do."


def _as_today(plan: PlanFields) -> str:
    if plan.all is not None:
        return ""
    if plan.one is not None:
        return " (no surer than today: the field for all answers is empty)"
    held = "a strong hint, or as today" if plan.within else "no surer than today"
    return f" ({held}: both limits are empty)"


def _what_is_of_use(survey: Survey, measure: Mapping[str, Any], *, is_there: bool) -> str:
    """Say what would be of use where no way within the bounds is."""
    if is_there:
        return " These are just of use, with less protection, the most protected first."
    enough = people_for(survey, TOO_WIDE, Measure(**measure))
    skips = any(one.prefer_not_to_say for one in survey.questions)
    return f" It takes {enough:,} people, or fewer questions{', or no skip' * skips}."


def _holds(way: Mapping[str, Any], held: Mapping[str, float]) -> bool:
    return all(way[key] <= most for key, most in held.items())


def _without_skip(
    text: str, people: int, held: Mapping[str, float], measure: dict[str, Any], within: float
) -> list[Checked]:
    """Find the ways of a file without its skip that reach a ± within the bounds on sureness."""
    before = parse(text, "").value
    if before.get("skip") != "true":
        return []
    goal = {"people": people, **held}
    found = the_searcher().ways(patched(text, {("skip",): None}), goal, measure)
    return [
        {**one, "words": in_words(before, parse(one["text"], "").value)}
        for one in found.get("ways", [])
        if float(one["reach"]) <= within / 100 and _holds(one, held)
    ]


def better_ways(text: str, people: int, how: Mapping[str, float] | None = None) -> Checked:
    """Find the ways to the file's goals, else more precise ways that make nobody surer.

    `how`: level and design effect of the intervals, if not the usual ones.
    """
    survey = the_checker().compile(text)
    sure = None if survey is None else sureness(survey)
    if survey is None or sure is None:
        why = "Mend the mistakes first" if survey is None else "No answer is randomised"
        return failure(f"Nothing was looked for. {why}.")
    plan = plan_of(text)
    within, held = float(plan.within or 0), bounds(plan, sure)
    measure = vars(wanted_of(survey, plan, people, **(how or {})).measure)

    def reaching(reach: float) -> Checked:
        found = the_searcher().ways(text, {"people": people, "within": reach}, measure)
        ways = [one for one in found.get("ways", []) if one["epsilon"] <= LIMIT]
        return {**found, "ways": ways}

    if within and plan.one is plan.all is None:
        found = reaching(within / 100)
        if found["ways"][1:] or found["failed"]:
            told = f"These reach ±{within:g} with {people:,} people, the most protected first."
            if found["ways"][1:] and all(one["colour"] == "red" for one in found["ways"][1:]):
                told += _what_decides(survey, found["ways"][0])
            return {**found, "told": told}
        held = {key: max(number, _STRONG_HINT) for key, number in held.items()}
    found = the_searcher().ways(text, {"people": people, **held}, measure)
    if found["failed"]:
        return found
    surest = f"nobody surer than {held['one']:g} in 100 of one answer, {held['together']:g} of all"
    surest += _as_today(plan)
    holding = [one for one in found["ways"] if _holds(one, held)]
    nearest_way = min(holding or found["ways"], key=lambda way: float(way["reach"]))
    nearest = float(nearest_way["reach"])
    if not within and nearest > TOO_WIDE:
        ways = reaching(TOO_WIDE)["ways"]
        told = f"With {people:,} people, and {surest}, no way is precise enough to be of use."
        told += _what_is_of_use(survey, measure, is_there=bool(ways[1:]))
        return {**found, "ways": ways or found["ways"][:1], "told": told}
    if not within:
        told = f"With {people:,} people, and {surest}."
    elif nearest <= within / 100:
        told = f"±{within:g} with {people:,} people can be reached, and {surest}."
    elif bare := _without_skip(text, people, held, measure, within):
        told = f"±{within:g} with {people:,} people can be reached without Skip, and {surest}."
        return {**found, "ways": [found["ways"][0], *bare], "told": told}
    else:
        more = math.ceil(people * (100 * nearest / within) ** 2)
        told = (
            f"No way that was tried reaches ±{within:g} with {people:,} people, and {surest}; "
            f"the nearest has {nearest_way['width']}. It reaches ±{within:g} with {more:,} people."
            f"{_what_decides(survey, nearest_way)}"
        )
    now, *others = found["ways"]
    # The ± was asked for too, where the file says one: a way that misses it by more is of no use.
    reached = float(now["reach"]) if now in holding else nearest
    widest = _LITTLE * max(reached, within / 100) if within else math.inf
    ways = [now, *(one for one in others if float(one["reach"]) <= widest)]
    return {**found, "ways": ways, "told": told if ways[1:] else f"{told} {_BEST}."}
