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
from deniable.analysis.planning.advice import PLANNED, width_words
from deniable.analysis.planning.alternatives import (
    DESIGNS,
    SPLITS,
    Spend,
    coin_questions,
    redesign,
    spread,
)
from deniable.results.plan import Plan, PlanParts
from deniable.server.desk.editor.better_ways import MOST_PEOPLE, Ways, better_ways
from deniable.server.desk.editor.fields import in_words, split_in_words
from deniable.server.desk.editor.kept import kept_file
from deniable.server.desk.editor.lint import change_in_words, drawn_from, points
from deniable.server.desk.editor.lint_worker import the_searcher
from deniable.server.desk.editor.spoken import by_text, named, names_of, spoken
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.query import LEVELS, WrongChoiceError, choice_of, level_chosen
from deniable.server.desk.steps import Step, steps_of
from deniable.study import planner as plans
from deniable.survey import Survey
from deniable.survey.questions import Protection
from deniable.survey_file import PlanFields, plan_of, read
from deniable.survey_file.located import Path, parse
from deniable.survey_file.patch import Editable
from deniable.text.sureness import STAY, at_most, sureness

LEAST, MOST = 10, MOST_PEOPLE
"""Minimum and maximum number of people for whom a survey can be planned."""


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
    "one": "How sure somebody may get from one answer who thought 50. Up to 75, people read “a "
    "hint”, up to 90 “a strong hint”, and above “close to proof”.",
    "together": "How sure somebody may get from all answers of one person who thought 50. Up to "
    "95, people read no warning.",
}
"""What each number of the planner is, in a sentence."""

_FIELDS: Final = (
    _Field("n", "People", str(LEAST), str(MOST), "1", str(PLANNED), is_wide=True),
    _Field("epsilon", "ε of the whole survey", "0.05", "20", "any"),
    _Field("flip", "Another flip probability for it", "0.001", "0.95", "any"),
    _Field("within", "Wanted of every question: ± points", "0.1", "50", "any", "5"),
    _Field("low", "One group, in %", "0", "100", "any", "10"),
    _Field("high", "The other group, in %", "0", "100", "any", "25"),
    _Field("first", "People of the one group, in %", "1", "99", "any", "50"),
    _Field("power", "Power, in %", "6", "99", "any", "80"),
    _Field("effect", "Design effect of clusters", "0.1", "20", "any", "1"),
    _Field("prior", "Somebody thought it so likely, in 100", "1", "99", "any", "10"),
    _Field("one", "One answer at most, in 100", "51", "99", "any"),
    _Field("together", "All answers at most, in 100", "51", "99", "any"),
)


@dataclass(frozen=True)
class Source:
    """A survey's file: its text, the address that a chosen way is sent to, and its digest.

    `state`: that of a draft.
    """

    text: str
    use: str
    shown: str = ""
    state: str = ""


class _Kept(NamedTuple):
    """The text of a draft with what was chosen, and in words what would be kept."""

    text: str
    words: str


class _Verdict(NamedTuple):
    """Whether precision and protection are as wanted.

    `missed`: what is not, in words. `people`: how many it takes for all intervals, 0 if none is
    wanted. `within`: the ± that all reach, in points; 0 if a single question has another one.
    `changing`: in waves, how sure somebody gets of answers that change. `drawn`: which questions
    are drawn.
    """

    missed: Sequence[str] = ()
    people: int = 0
    within: float = 0
    changing: str = ""
    drawn: str = ""


class _Planned(NamedTuple):
    """The value of every field of the form, and the plans, or the mistake in a field.

    `sharing`: how many questions a plan can spend ε on otherwise. `kept`, `other`: the survey file
    with what was chosen, and with the other way to spend ε besides. `verdict`: of the first plan.
    """

    chosen: dict[str, str]
    sharing: int = 0
    wanted: plans.Wanted | None = None
    shown: Sequence[PlanParts] = ()
    kept: _Kept = _Kept("", "")
    other: _Kept = _Kept("", "")
    verdict: _Verdict = _Verdict()
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
    "meaning_of_epsilon": plans.meaning(),
    "stay_with_hint": STAY,
}
"""What the planner's page shows of every survey."""


def planner_page(
    survey: Survey, source: Source, steps: Sequence[Step], kept: Mapping[str, str]
) -> tuple[str, HTTPStatus]:
    """Return the planner's page, with status 422 if the choices cannot be planned."""
    level_chosen()  # refuses an unknown one
    given = request.args.to_dict()
    # A survey of Python's has no file, and its keys are the names of what it was made with.
    value = parse(source.text, "").value if source.text else None
    names = names_of(value) if value else {}
    try:
        found = the_searcher().call(partial(_planned, survey, source.text, given, names))
    except ValueError as wrong:
        raise WrongChoiceError(str(wrong).rstrip(".")) from None
    shown = [
        one._replace(
            table=by_text(survey, one.table),
            warnings=[spoken(said, value) for said in one.warnings],
        )
        for one in found.shown
    ]
    ways: Ways | str = ""
    if "look" in given and found.wanted and found.kept.text:
        how = {key: getattr(found.wanted, key) for key in ("level", "design_effect")}
        sought = partial(better_ways, found.kept.text, found.wanted.respondents, how)
        try:
            ways = the_searcher().call(sought)
        except ValueError as wrong:
            ways = str(wrong)
    mistake = found.mistake and spoken(found.mistake, value)
    mistake = mistake and mistake[0].upper() + mistake[1:]
    page = render_template(
        "desk/plan.html",
        survey=survey,
        steps=steps,
        kept=kept,
        fields=_fields(survey),
        planned=found._replace(mistake=mistake, shown=shown),
        weighs=bool(plan_of(source.text).margins),
        ways=ways,
        source=source,
    )
    return page, HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK


def _planned(
    survey: Survey, text: str, given: Mapping[str, str], names: Mapping[str, str]
) -> _Planned:
    """Plan as the form says: once with the survey's way to spend ε, and once with another."""
    file = read(text) if text else None
    first = _first(survey, plan_of(text))
    chosen = {name: given.get(name, value).strip() for name, value in first.items()}
    sharing = 0 if file is None else len(spread(file))
    try:
        wanted, (now, otherwise) = _wanted(survey, chosen), _spends(survey, chosen)
        if file is None:
            if (now, otherwise) != (Spend(), Spend()):
                raise ValueError("The server keeps no file of this survey to change")
            plan = plans.plan(survey, wanted, names)
            return _Planned(chosen, 0, wanted, [plan.parts()], verdict=_verdict(plan, chosen))
        spent = redesign(file, now)
        other = redesign(spent, otherwise)
        plan = plans.plan(spent.survey, wanted, names)
        shown = [plan.parts()]
        kept, use = _kept(spent.text, survey, chosen, first), _Kept("", "")
        if other.survey != spent.survey:
            shown.append(plans.plan(other.survey, wanted, names).parts())
            changed = in_words(parse(spent.text, "").value, parse(other.text, "").value)
            use = _Kept(_kept(other.text, survey, chosen, first).text, changed)
    except ValueError as wrong:
        return _Planned(chosen, sharing, mistake=str(wrong))
    verdict = _verdict(plan, chosen)._replace(drawn=drawn_from(spent))
    return _Planned(chosen, sharing, wanted, shown, kept, use, verdict)


def _kept(text: str, survey: Survey, chosen: Mapping[str, str], first: Mapping[str, str]) -> _Kept:
    """Put what was chosen into a survey file, beside its way to spend ε, which says so already."""
    file, groups, words = Editable(text), [chosen["low"], chosen["high"]], []
    if plan_of(text).people != (people := int(chosen["n"])):
        file.put(("plan", "people"), str(people))
        words.append(f"{people:,} people")
    if chosen["epsilon"] not in ("", first["epsilon"]):
        words.append(f"ε {chosen['epsilon']}")
    if chosen["flip"]:
        number = [one.id for one in survey.questions].index(chosen["question"]) + 1
        words.append(f"a chance of {chosen['flip']} for question {number}")
    was = {**first, "within": first["within"] if plan_of(text).within else ""}
    limits, own = "the limits on sureness", "the numbers of single questions"
    places: dict[str, tuple[Path, str]] = {
        "within": (("plan", "within"), f"±{chosen['within']}"),
        "one": (("plan", "one"), limits),
        "together": (("plan", "all"), limits),
        **{one.name: (("plan", *one.name.split(".", 1)), own) for one in _own_fields(survey)},
    }
    for name, (place, said) in places.items():
        if chosen[name] != was[name]:
            file.put(place, chosen[name]) if chosen[name] else file.remove(place)
            words.append(said)
    if groups != [first["low"], first["high"]]:
        file.put(("plan", "groups"), groups) if all(groups) else file.remove(("plan", "groups"))
        words.append("the two groups")
    return _Kept(file.text, ", ".join(dict.fromkeys(words)))


def _verdict(plan: Plan, chosen: Mapping[str, str]) -> _Verdict:
    """Compare the widths of the protected questions, and the protection, with what is wanted."""
    missed, people, widest = [], 0, 0.0
    names = {one.id: name for name, one in named(plan.survey)}
    for (question, found), row in zip(plan.found, plan.rows, strict=True):
        within, needed = row.get("within"), row.get("n_within")
        if question.protection is Protection.DIRECT or not within or not needed:
            continue
        people, widest = max(people, int(needed), LEAST), max(widest, points(found))
        if points(found) > 100 * float(within):
            wide, own = width_words(found), float(within) * (found.span or 100)
            missed.append(f"{names[question.id]}: {wide}, ±{own:g} wanted")
    sure = sureness(plan.survey)
    limits = {} if sure is None else {"one": sure.one, "together": sure.all}
    for name, reached in limits.items():
        if chosen[name] and reached > float(chosen[name]):
            said = {"one": "One answer", "together": "All answers"}[name]
            missed.append(f"{said}: {at_most(reached)}, {chosen[name]} in 100 wanted")
    changed = "" if sure is None or sure.changed is None else change_in_words(sure)
    is_one = not plan.wanted.within_of
    return _Verdict(missed, people, math.ceil(10 * widest) / 10 if is_one else 0, changed)


def _first(survey: Survey, plan: PlanFields) -> dict[str, str]:
    """Return the value of every field of the form before anybody changes it."""
    low, high = plan.groups or (None, None)
    planned: dict[str, Any] = {"n": plan.people, "within": plan.within, "low": low, "high": high}
    planned |= {f"within_of.{id}": one for id, one in (plan.within_of or {}).items()}
    planned |= {f"applies.{id}": one for id, one in (plan.applies or {}).items()}
    planned |= {"one": plan.one, "together": plan.all}
    return {
        **{field.name: field.default for field in (*_FIELDS, *_own_fields(survey))},
        **{name: f"{float(number):g}" for name, number in planned.items() if number},
        "epsilon": _epsilon_now(survey),
        "question": next(iter(coin_questions(survey)), ""),
        "level": "95",
        "split": "",
        "ask": "",
        "design": "",
    }


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
        unit = "percentage points"
        if one.span is not None:
            unit = f"of the mean, {one.answers[0].code} to {one.answers[-1].code}"
        least, up_to = f"{most / 1000:g}", f"{0.999 * most:g}"
        yield _Field(f"within_of.{one.id}", f"{name} ±", least, up_to, "any", unit=unit)


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


def _epsilon_now(survey: Survey) -> str:
    return f"{survey.epsilon:.3g}"


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
