"""The planner: how precise a survey would be, before anybody answers.

It depends on the survey alone, and uses no report. Its choices stand in its address, so that a plan
can be linked to. Its numbers and words are those of `deniable plan`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from flask import Blueprint, render_template, request, url_for

from deniable import exact
from deniable.analysis.planning.advice import PLANNED, TOO_WIDE
from deniable.analysis.planning.budgets import Measure
from deniable.analysis.planning.spending import (
    DESIGNS,
    SPLITS,
    Spend,
    coin_questions,
    redesign,
)
from deniable.analysis.planning.ways import people_for
from deniable.results.plan import PlanParts
from deniable.server.desk.editor.fields import split_in_words
from deniable.server.desk.editor.kept import kept_file
from deniable.server.desk.editor.lint import Checked, failure
from deniable.server.desk.editor.lint_worker import the_checker, the_searcher
from deniable.server.desk.editor.spoken import by_text, named, names_of, spoken
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.query import LEVELS, WrongChoiceError, choice_of, level_chosen
from deniable.server.desk.steps import Step, steps_of
from deniable.study import planner as plans
from deniable.survey import Survey
from deniable.survey.questions import Question
from deniable.survey_file import PlanFields, plan_of
from deniable.survey_file.located import Path, parse
from deniable.survey_file.patch import Editable
from deniable.text.sureness import Sureness, sureness
from deniable.text.wording import LIMIT, plus_minus

_LITTLE: Final = 1.02
"""How many times as wide as today's the interval of a way may be that is offered."""

MOST: Final = 1_000_000
"""Maximum number of people for whom a survey can be planned."""


@dataclass(frozen=True)
class _Field:
    """A field for a number; if `is_wide`, its slider moves by factors.

    Of a field of one question, `name` ends with its id.
    """

    name: str
    label: str
    least: str
    most: str
    step: str
    default: str = ""
    is_wide: bool = False
    unit: str = ""

    @property
    def meaning(self) -> str:
        """The meaning of the number, in a sentence."""
        return MEANINGS[self.name.partition(".")[0]]


MEANINGS: Final = {
    "n": "How many people you expect to answer.",
    "epsilon": "The bound on what reports reveal: no guess changes its odds by more than e^ε.",
    "flip": "The chance that the report of a two-answer question is not the truth. If the field is "
    "empty, ε decides it: the table shows it.",
    "within": "How far an interval should reach at most, whatever share comes out: one ± for all "
    "questions, unless a single one has another below. At ε 1 the "
    "share hardly matters: the interval of 5 in 100 is a tenth narrower than that of 50.",
    "low": "The share of yes in one of two groups that you want to tell apart.",
    "high": "The share of yes in the other group.",
    "first": "How many of the people are in the first group.",
    "power": "How often a test should tell the groups apart.",
    "effect": "By what factor clusters, such as classes, increase the variance; 1 without them.",
    "applies": "To how many of 100 people it applies, or how many give the number. A guess is "
    "enough: the ± among those people is calculated with it.",
    "within_of": "How far the interval of this question should reach at most, if not the ± of all.",
    "prior": "What somebody thought before: how sure a report makes them is in the table.",
    "one": "How sure somebody may get from one answer who thought 50.",
    "together": "How sure somebody may get from all answers who thought 50.",
}
"""What each number of the planner is, in a sentence."""

_FIELDS: Final = (
    _Field("n", "People", "10", str(MOST), "1", str(PLANNED), is_wide=True),
    _Field("epsilon", "ε of the whole survey", "0.05", "20", "any"),
    _Field("flip", "Another flip probability for it", "0.001", "0.95", "any"),
    _Field("within", "Wanted of every question: ± points", "0.1", "50", "any", "5"),
    _Field("low", "One group, in %", "0", "100", "any", "10"),
    _Field("high", "The other group, in %", "0", "100", "any", "25"),
    _Field("first", "People of the one group, in %", "1", "99", "any", "50"),
    _Field("power", "Power, in %", "6", "99", "any", "80"),
    _Field("effect", "Design effect of clusters", "0.1", "20", "any", "1"),
    _Field("prior", "Somebody thought it so likely, in 100", "1", "99", "any", "10"),
    _Field("one", "One answer at most, in 100", "51", "99", "any", "75"),
    _Field("together", "All answers at most, in 100", "51", "99", "any", "90"),
)

_LOOKED_FOR: Final = {"": (), "precision": ("within",), "people": ("people",)} | {
    "protection": ("one", "together")
}
"""What the best ways can optimise, and the part of the goal that is left out then."""


@dataclass(frozen=True)
class Source:
    """A survey's file: its text, the address that a chosen way is sent to, and its digest.

    `state`: that of a draft.
    """

    text: str
    use: str
    shown: str = ""
    state: str = ""


class _Planned(NamedTuple):
    """The value of every field of the form, and the plans, or the mistake in a field."""

    chosen: dict[str, str]
    first: dict[str, str]
    wanted: plans.Wanted | None = None
    shown: Sequence[PlanParts] = ()
    same: bool = False
    mistake: str | None = None


planner = Blueprint("planner", __name__, url_prefix="/desk/surveys/<slug>")


@planner.get("/plan", needs=Right.READ_SURVEY)
def page(slug: str) -> tuple[str, HTTPStatus]:
    """Show the planner."""
    choice = choice_of(slug)
    survey = choice.survey
    source = Source(kept_file(slug, survey.revision), url_for("editor.edit", slug=slug))
    steps = steps_of(survey, request.args.get("revision"))
    return planner_page(survey, source, steps, choice.of_revision)


OF_PLANS: Final = {
    "splits": {one: split_in_words(one) for one in SPLITS},
    "designs": DESIGNS,
    "looked_for": _LOOKED_FOR,
    "meaning_of_epsilon": plans.meaning(),
}
"""What the planner's page shows of every survey."""


def planner_page(
    survey: Survey, source: Source, steps: Sequence[Step], kept: Mapping[str, str]
) -> tuple[str, HTTPStatus]:
    """Return the planner's page, with status 422 if the choices cannot be planned."""
    level_chosen()  # refuses an unknown one
    given, ways = request.args.to_dict(), _Ways()
    # A survey of Python's has no file, and its keys are the names of what it was made with.
    value = parse(source.text, "").value if source.text else None
    names = names_of(value) if value else {}
    try:
        found = the_searcher().call(partial(_planned, survey, plan_of(source.text), given, names))
    except ValueError as wrong:
        raise WrongChoiceError(str(wrong).rstrip(".")) from None
    chosen, wanted, mistake = found.chosen, found.wanted, found.mistake
    shown = [
        one._replace(
            table=by_text(survey, one.table),
            warnings=[spoken(said, value) if value else said for said in one.warnings],
        )
        for one in found.shown
    ]
    try:
        ways = _Ways() if wanted is None else _ways(source, chosen, wanted)
    except ValueError as wrong:
        mistake = str(wrong)
    page = render_template(
        "desk/plan.html",
        survey=survey,
        steps=steps,
        kept=kept,
        fields=_fields(survey),
        planned=found._replace(mistake=mistake, shown=shown),
        looked_for_now=ways,
        source=source,
        kept_with=None if wanted is None else _changed_draft(survey, source, chosen, found.first),
    )
    return page, HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK


class _Kept(NamedTuple):
    """The text of a draft with what was chosen, and in words what would be kept."""

    text: str
    words: str


def _changed_draft(
    survey: Survey, source: Source, chosen: Mapping[str, str], first: Mapping[str, str]
) -> _Kept | None:
    """Return what a draft can keep of the choices; None if it has it already."""
    if not source.shown:
        return None
    file, groups, words = Editable(source.text), [chosen["low"], chosen["high"]], []
    if plan_of(source.text).people != (people := int(chosen["n"])):
        file.put(("plan", "people"), str(people))
        words.append(f"{people:,} people")
    limits, own = "the limits on sureness", "the numbers of single questions"
    places: dict[str, tuple[Path, str]] = {
        "epsilon": (("epsilon",), f"ε {chosen['epsilon']}"),
        "within": (("plan", "within"), f"±{chosen['within']}"),
        "one": (("plan", "one"), limits),
        "together": (("plan", "all"), limits),
        **{one.name: (("plan", *one.name.split(".", 1)), own) for one in _own_fields(survey)},
    }
    for name, (place, said) in places.items():
        if chosen[name] != first[name] and (chosen[name] or name != "epsilon"):
            file.put(place, chosen[name]) if chosen[name] else file.remove(place)
            words.append(said)
    if groups != [first["low"], first["high"]]:
        file.put(("plan", "groups"), groups) if all(groups) else file.remove(("plan", "groups"))
        words.append("the two groups")
    return _Kept(file.text, ", ".join(dict.fromkeys(words))) if words else None


def _planned(
    survey: Survey, plan: PlanFields, given: Mapping[str, str], names: Mapping[str, str]
) -> _Planned:
    """Plan as the form says: once with the survey's way to spend ε, and once with another."""
    first = _first(survey, plan)
    chosen = {name: given.get(name, value).strip() for name, value in first.items()}
    try:
        wanted, spends = _wanted(survey, chosen), _spends(survey, chosen)
        shown = [plans.plan(survey, wanted, spend, names).parts() for spend in spends]
        same = redesign(survey, spends[0]) == redesign(survey, spends[1])
    except ValueError as wrong:
        return _Planned(chosen, first, mistake=str(wrong))
    return _Planned(chosen, first, wanted, shown, same)


def _first(survey: Survey, plan: PlanFields) -> dict[str, str]:
    """Return the value of every field of the form before anybody changes it."""
    low, high = plan.groups or (None, None)
    planned: dict[str, Any] = {"n": plan.people, "within": plan.within, "low": low, "high": high}
    planned |= {f"within_of.{id}": one for id, one in (plan.within_of or {}).items()}
    planned |= {f"applies.{id}": one for id, one in (plan.applies or {}).items()}
    if (plan.one or plan.all) and (sure := sureness(survey)):
        planned |= bounds(plan, sure)
    return {
        **{field.name: field.default for field in (*_FIELDS, *_own_fields(survey))},
        **{name: f"{float(number):g}" for name, number in planned.items() if number},
        "epsilon": _epsilon_now(survey),
        "question": next(iter(coin_questions(survey)), ""),
        "level": "95",
        "look": "",
        "split": "",
        "ask": "",
        "design": "",
    }


def bounds(plan: PlanFields, sure: Sureness) -> dict[str, float]:
    """Return the bounds on sureness, in 100, of one answer and of all: as wanted, else today's."""
    every = float(plan.all or 0)
    one = min(float(plan.one or every or sure.one), every or 99, 99)
    return {"one": one, "together": min(every or max(one, sure.all), 99)}


def _wanted(survey: Survey, chosen: Mapping[str, str]) -> plans.Wanted:
    """Read the requirements on the plan, or raise `ValueError`."""
    number = {
        name: _number(field, chosen[name])
        for name, field in _fields(survey).items()
        if name not in {"epsilon", "flip"}
    }
    low, high, within, prior = (number[name] for name in ("low", "high", "within", "prior"))
    if low is not None and low == high:
        raise ValueError("expected two groups that differ, found the same share in both")
    return plans.Wanted(
        int(number["n"] or PLANNED),
        within=None if within is None else float(within / 100),
        detect=None if low is None or high is None else (float(low / 100), float(high / 100)),
        power=float((number["power"] or 80) / 100),
        level=LEVELS[chosen["level"]],
        design_effect=float(number["effect"] or 1),
        prior=None if prior is None else float(prior / 100),
        first=float((number["first"] or 50) / 100),
        within_of={
            id: float(one) / (survey.question(id).span or 100)
            for id, one in _of_questions(number, "within_of").items()
        },
        applies_of={id: float(one / 100) for id, one in _of_questions(number, "applies").items()},
    )


def _of_questions(number: Mapping[str, Fraction | None], key: str) -> dict[str, Fraction]:
    """Return the numbers of single questions that are given, by their ids."""
    return {
        name.removeprefix(f"{key}."): one
        for name, one in number.items()
        if name.startswith(f"{key}.") and one is not None
    }


def _own_fields(survey: Survey) -> Iterator[_Field]:
    """Make the fields of single questions: to how many each applies, and a ± of its own."""
    for name, one in named(survey):
        most = one.span or 100
        if one.is_of_some:
            who = "applies to" if one.ask_if else "is given by"
            yield _Field(f"applies.{one.id}", f"{name} {who}", "1", "100", "any", "100", unit="%")
        unit = "percentage points" if one.span is None else f"of the mean, {_range(one)}"
        least, up_to = f"{most / 1000:g}", f"{0.999 * most:g}"
        yield _Field(f"within_of.{one.id}", f"{name} ±", least, up_to, "any", unit=unit)


def _range(question: Question) -> str:
    return f"{question.answers[0].code} to {question.answers[-1].code}"


def _spends(survey: Survey, chosen: Mapping[str, str]) -> tuple[Spend, Spend]:
    """Read how ε is spent, and the other way; values equal to the survey's change nothing."""
    fields = _fields(survey)
    question, epsilon = chosen["question"], None
    if chosen["epsilon"] != _epsilon_now(survey):
        epsilon = _number(fields["epsilon"], chosen["epsilon"])
    flip = _number(fields["flip"], chosen["flip"])
    flips = () if flip is None else ((question, flip),)
    ask = chosen["ask"]
    if ask and not (ask.isascii() and ask.isdigit() and len(ask) < 4):
        raise ValueError(f"expected how many questions each person is asked, found {ask!r}")
    return Spend(epsilon=epsilon, flips=flips), Spend(
        epsilon,
        # Questions that are drawn share equally, so a split beside them is ignored.
        (chosen["split"] or None) if not ask else None,
        int(ask) if ask else None,
        chosen["design"] or None,
        flips,
    )


_BEST: Final = "No way found is better than today’s"


class _Ways(NamedTuple):
    """The best ways, today's first, and a sentence on what was looked for."""

    found: Sequence[Mapping[str, Any]] = ()
    told: str = ""


def _ways(source: Source, chosen: Mapping[str, str], wanted: plans.Wanted) -> _Ways:
    """Find the best ways, if the form asks for them."""
    look = chosen["look"]
    left_out = _LOOKED_FOR.get(look)
    if left_out is None:
        raise WrongChoiceError(f"Expected one of {', '.join(filter(None, _LOOKED_FOR))}")
    if not left_out or not source.text:
        return _Ways()
    goal = {
        "within": wanted.within,
        "people": wanted.respondents,
        **{name: float(chosen[name]) if chosen[name] else None for name in ("one", "together")},
    }
    goal = {key: goal[key] for key in goal.keys() - {*left_out}}
    measure = {key: getattr(wanted, key) for key in ("level", "applies_of", "design_effect")}
    found = the_searcher().ways(source.text, goal, measure)
    if found["failed"]:
        raise ValueError(found["failed"].removesuffix("."))
    words = {
        "people": f"{wanted.respondents:,} people",
        "within": f"±{100 * (wanted.within or 0):g} at most",
        "one": f"nobody surer than {chosen['one']} in 100 of one answer",
        "together": f"nobody surer than {chosen['together']} in 100 of all",
    }
    held = ", ".join(said for key, said in words.items() if goal.get(key) is not None)
    most = {"within": "reach", "one": "one", "together": "together"}
    missed = (float(found["ways"][0][most[key]]) > (goal.get(key) or math.inf) for key in most)
    nothing = "No way that was tried holds to" if any(missed) else f"{_BEST} with"
    told = f"Ways with {held}." if found["ways"][1:] else f"{nothing} {held}."
    # The cards would compare with what the file wants, and not with what was asked for here.
    plain = dict.fromkeys(("width_met", "one_met", "all_met"), "")
    return _Ways([{**one, **plain} for one in found["ways"]], told)


def wanted_ways(text: str, people: int) -> Checked:
    """Find the ways to the file's goals, else more precise ways that make nobody surer."""
    survey = the_checker().compile(text)
    sure = None if survey is None else sureness(survey)
    if survey is None or sure is None:
        why = "Mend the mistakes first" if survey is None else "No answer is randomised"
        return failure(f"Nothing was looked for. {why}.")
    plan = plan_of(text)
    within, held = float(plan.within or 0), bounds(plan, sure)
    measure = {"applies_of": plan.applied}

    def reaching(reach: float) -> Checked:
        found = the_searcher().ways(text, {"people": people, "within": reach}, measure)
        ways = [one for one in found.get("ways", []) if one["epsilon"] <= LIMIT]
        return {**found, "ways": ways}

    if within and plan.one is plan.all is None:
        found = reaching(within / 100)
        if found["ways"][1:] or found["failed"]:
            told = f"These reach ±{within:g} with {people:,} people, the most protected first."
            return {**found, "told": told}
    found = the_searcher().ways(text, {"people": people, **held}, measure)
    if found["failed"]:
        return found
    surest = f"nobody surer than {held['one']:g} in 100 of one answer, {held['together']:g} of all"
    if plan.all is None:
        surest += " (the field for all answers is empty: no surer than today)"
    holding = [one for one in found["ways"] if all(one[key] <= held[key] for key in held)]
    nearest = min(way["reach"] for way in holding or found["ways"])
    if not within and nearest > TOO_WIDE:
        told = f"With {people:,} people, and {surest}, no way is precise enough to be of use."
        ways = reaching(TOO_WIDE)["ways"]
        if ways[1:]:
            told += " These are just of use, with less protection, the most protected first."
        else:
            enough = people_for(survey, TOO_WIDE, Measure(applies_of=plan.applied))
            skips = any(one.prefer_not_to_say for one in survey.questions)
            told += f" It takes {enough:,} people, or fewer questions{', or no skip' * skips}."
        return {**found, "ways": ways or found["ways"][:1], "told": told}
    if not within:
        told = f"With {people:,} people, and {surest}."
    elif nearest <= within / 100:
        told = f"±{within:g} with {people:,} people can be reached, and {surest}."
    else:
        more = math.ceil(people * (100 * nearest / within) ** 2)
        told = (
            f"No way that was tried reaches ±{within:g} with {people:,} people, and {surest}; "
            f"the nearest is {plus_minus(nearest)}. "
            f"It reaches ±{within:g} with {more:,} people."
        )
    now, *others = found["ways"]
    # The ± was asked for too, where the file says one: a way that misses it by more is of no use.
    widest = _LITTLE * max(float(now["reach"]), within / 100) if within else math.inf
    ways = [now, *(one for one in others if float(one["reach"]) <= widest)]
    return {**found, "ways": ways, "told": told if ways[1:] else f"{told} {_BEST}."}


def _epsilon_now(survey: Survey) -> str:
    return f"{survey.epsilon:.3g}"


def other_way(chosen: Mapping[str, str]) -> str:
    """Say the other way to spend ε, in the words of a survey file."""
    parts = [
        f"ask: {chosen['ask']}"
        if chosen["ask"]
        else chosen["split"] and f"split: {chosen['split']}",
        chosen["design"] and f"family: {chosen['design']}",
    ]
    return ", ".join(part for part in parts if part) or "as it is"


def _fields(survey: Survey) -> dict[str, _Field]:
    """Return the fields by name, with bounds that include the survey's own ε."""
    fields = {field.name: field for field in (*_FIELDS, *_own_fields(survey))}
    field, now = fields["epsilon"], _epsilon_now(survey)
    least, most = min(field.least, now, key=float), max(field.most, now, key=float)
    return fields | {"epsilon": replace(field, least=least, most=most)}


def _number(field: _Field, text: str) -> Fraction | None:
    """Read a number within its field's bounds; None if the field is empty."""
    if not text:
        return None
    try:
        number = exact.fraction(text)
    except (ValueError, ZeroDivisionError):
        number = None
    whole = field.step == "1"
    if (
        number is None
        or not Fraction(field.least) <= number <= Fraction(field.most)
        or (whole and number.denominator != 1)
    ):
        kind = "a whole number" if whole else "a number"
        raise ValueError(
            f"{field.label}: expected {kind} from {field.least} to {field.most}, "
            f"found {text[:40]!r}"
        )
    return number
