"""Advice to a researcher before anyone answers a survey.

Respondents are warned of a weak promise on their own page. Here the researcher reads that warning,
and which questions would give results too imprecise to be worth asking. `deniable check`,
`deniable serve` and the desk all use these words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from deniable import paper
from deniable.analysis.planning.budgets import (
    DEFAULT,
    Measure,
    Precision,
    is_rarely_left_out,
    measure_of,
    precision,
)
from deniable.designs import subset_selection
from deniable.designs.families import DEFAULT_LEVELS
from deniable.estimator import variance
from deniable.survey import BATCH, Survey
from deniable.survey.fair_draws import RAREST
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.text.languages import Say, in_english
from deniable.text.safety import counted
from deniable.text.sureness import (
    CALM,
    Colour,
    Sureness,
    Tier,
    at_most,
    in_hundred,
    sureness,
    up_to,
)
from deniable.text.wording import LIMIT, TELLS_NOTHING, plus_minus, seen_by_researchers

if TYPE_CHECKING:
    from deniable.survey_file import PlanFields  # loads the schema

PLANNED: Final = 1000
"""Number of respondents to expect by default."""

LEVEL: Final = DEFAULT.level

TOO_WIDE: Final = 0.25
"""An interval that reaches further than this to either side is useless.

As a part of the possible range: of 1 for a share, of the answers' span for a mean. A wider interval
covers more than half of the range that was possible before the survey.
"""

MOST_ANSWERS: Final = 197
"""Up to so many answers, `best` needs at most a fifth more people than the best known mechanism."""

COSTLY: Final = 1.2

_NAMED: Final = 2
"""Most questions that a sentence names; it counts the others."""

_RARE: Final = 0.4 * RAREST
"""Chances below this leave too few people. Fitted chances are rounded, which can halve `RAREST`."""

_THREE, _NINE, _NINETEEN = 1.098, 2.197, 2.944
"""The ε at which a belief of 50 in 100 becomes 75, 90 and 95 in 100, rounded down."""

BY_ID: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class Advice:
    """Advice to a researcher before the survey starts.

    `said`: what is wrong, in a sentence. `helps`: what to do about it, in sentences or empty.
    `place`: the key of the survey file that changes it.
    """

    said: str
    helps: str
    place: tuple[str | int, ...]

    def __str__(self) -> str:
        """Return all sentences."""
        return f"{self.said} {self.helps}".rstrip()


def advice(
    survey: Survey,
    respondents: int = PLANNED,
    names: Mapping[str, str] = BY_ID,
    measure: Measure = DEFAULT,
) -> tuple[Advice, ...]:
    """Return the advice to a researcher before the survey starts."""
    return (
        *_weak(survey, names),
        *(_of_text(said, "epsilon") for said in above_limit(survey)),
        *_single(survey),
        *(_of_text(said, "panel") for said in to_panel(survey)),
        *_too_wide(survey, respondents, names, measure),
        *_too_many_answers(survey, names),
        *_means_alone(survey, names),
        *_rare_sets(survey, respondents, names),
        *(_of_text(said, "epsilon") for said in paper.rare_by_hand(survey)),
    )


def _of_text(text: str, *place: str | int) -> Advice:
    said, stop, helps = text.partition(". ")
    return Advice(said + stop.rstrip(), helps, place)


def _protection_of(survey: Survey, id: str) -> tuple[str | int, ...]:
    number = [one.id for one in survey.questions].index(id)
    return ("questions", number, "epsilon")


def people_expected(plan: PlanFields, said: int | None = None) -> int:
    """Return the number of people to expect: `said`, else the plan's number, else a default."""
    return said or plan.people or PLANNED


def aims_met(
    plan: PlanFields, survey: Survey, respondents: int, say: Say = in_english
) -> tuple[str, ...]:
    """Return a study's aims, each with what its survey reaches with so many respondents."""
    aims, reached, own = plan.aims(say), {}, plan.within_of or {}
    is_aimed = "within" in aims or own
    measure = measure_of(plan)
    found = precision(survey, respondents, measure) if is_aimed else ()
    others = [one for one in found if one.item.question not in own]
    if "within" in aims and others:
        worst = max(others, key=lambda one: one.widest / (one.span or 1))
        number = "" if worst.span is None else f"{worst.item.question}: "
        reached["within"] = number + width_words(worst, say)
    for one in found:
        if one.item.question in own:
            reached[f"within_of.{one.item.question}"] = width_words(one, say)
    if sure := sureness(survey):
        both = {"one": sure.one, "all": sure.all}
        reached |= {key: at_most(one, say) for key, one in both.items() if key in aims}
    beside = {
        key: say("{wanted} (this survey: {reached})", wanted=aims[key], reached=one)
        for key, one in reached.items()
    }
    if survey.keeps_noise and "all" in beside:
        beside["all"] = say("{wanted}, while they stay the same", wanted=beside["all"])
    return tuple({**aims, **beside}.values())


def width_words(found: Precision, say: Say = in_english) -> str:
    """Write how far an item's interval reaches at most, and of how many people it is."""
    if found.span is None:
        width = plus_minus(found.widest, say)
    elif found.widest >= TELLS_NOTHING * found.span:
        width = say("mean ±{width} or more", width=float(f"{found.span / 2:.2g}"))
    else:
        width = say("mean ±{width}", width=float(f"{found.widest:.2g}"))
    if not found.is_followed:
        return width
    people = float(round(found.respondents * found.applies))
    if found.applies == 1:  # nobody has said to how many it applies, and no follow-up does to all
        return say("{width} if it applied to all {people}", width=width, people=people)
    return say("{width} among the {people} it applies to", width=width, people=people)


def is_too_wide(found: Precision) -> bool:
    """Return whether the expected interval of a randomised item is useless; see `TOO_WIDE`.

    Where the plan wants less of a question than of the others, it is of use so much longer.
    """
    if found.item.protection is Protection.DIRECT:
        return False
    return found.widest * min(1, found.scale) > TOO_WIDE * (found.span or 1)


_FROM: Final = {
    "one": "from one answer by itself",
    "all": "from all answers together",
    "fact": "from the answers about the same fact",
    "changed": "from an answer that changes between waves",
    "changing": "from all answers of all waves",
    "forgot_all": "from all reports, if browsers forget between waves",
}
"""What an observer gets sure from, by the number of `Sureness` that says how sure."""

_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("one", "all", "fact"), ("epsilon",)),
    **{"changed": ("waves", "redraw"), "changing": ("ask",), "forgot_all": ("waves",)},
}
"""The key that makes each number smaller."""


def _weak(survey: Survey, names: Mapping[str, str]) -> Iterator[Advice]:
    """Name the warnings that people will read in colour, and what would avoid each."""
    found = sureness(survey)
    for one in () if found is None else found.lines():
        if found is None or one.colour is Colour.CALM:
            continue
        sure = f"{_FROM[one.of]} someone can be {at_most(getattr(found, one.of))}"
        if found.unlimited and one.of == "changed":
            sure = "someone can see that an answer changes between waves"
        said = f"People will read, in {one.colour.value}: {sure}."
        place, helps = _PLACES[one.of], [*_helps(survey, found, one.of)]
        if one.of == "changed":
            place, drawn_anew = _redrawn(survey, found, names)
            helps.insert(0, drawn_anew)
        yield Advice(said, " ".join(helps), place)


def _redrawn(
    survey: Survey, found: Sureness, names: Mapping[str, str]
) -> tuple[tuple[str, ...], str]:
    """Return the key that makes a change tell less, and how: a `redraw`, if one is enough."""
    redraw, changed = redraw_for(survey)
    said = (
        f"'redraw: {redraw}' the reports of an answer that changes make someone {up_to(changed)}."
    )
    if changed <= CALM:
        return _PLACES["changed"], f"With {said}"
    if found.one > CALM:
        return (
            "epsilon",
        ), f"No 'redraw' helps before each answer has an ε of {_NINETEEN} or less."
    most = max(survey.randomised, key=_permanent_reports)
    fewer = f"Fewer possible answers to {_name(most.question, names)} help."
    return ("waves", "count"), f"Even with {said} {fewer}"


def _helps(survey: Survey, found: Sureness, of: str) -> Iterator[str]:
    """Say what else makes one number of the sureness smaller."""
    if of == "one" and found.tier is Tier.CLOSE_TO_PROOF:
        yield f"An ε of {_NINE} for each answer makes that {at_most(90)}."
    elif of == "one":
        yield f"An ε of {_THREE} for each answer makes that {at_most(75)}."
    elif of == "fact":
        yield f"A fact that is asked once leaves it at {at_most(found.one)}."
    elif of == "all":
        yield f"An ε of {_NINETEEN} for all answers together makes someone {up_to(CALM)}."
    elif of == "forgot_all":
        yield "Of other people each time ('people: others'), nothing has to be kept."
    if found.changed is None or found.changing is None:
        return
    is_mended = found.unlimited or found.changed > CALM
    changed = redraw_for(survey)[1] if is_mended else found.changed
    if of == "changed" and found.one <= CALM:
        yield (
            "Asked once, without waves, or of other people each time, one answer makes someone "
            f"{up_to(found.one)}."
        )
    is_last = of == "changing" or (of == "changed" and found.unlimited)
    if is_last and changed <= CALM < found.changing and survey.ask is None and found.answers > 1:
        yield f"With 'ask: 1' as well, all answers of all waves make someone {up_to(changed)}."


def _permanent_reports(item: Item) -> int:
    return item.memory.permanent.reports if item.memory else 0


def redraw_for(survey: Survey) -> tuple[Fraction, int]:
    """Return the least `redraw`, in twentieths, that keeps a changing answer within `CALM`.

    Result: that `redraw`, and how sure an adversary can get of one answer that changes, in 100. If
    even the greatest `redraw` that leaves anything to learn does not suffice, that greatest value.
    """
    each = [*map(_permanent_reports, survey.randomised)]
    # All questions share it: the one with the fewest reports bounds it, that with the most tells
    # most of a change.
    reports, fewest = max(each), min(each)
    most = math.ceil(20 * Fraction(fewest - 1, fewest)) - 1
    found = [
        (redraw, in_hundred(((1 - redraw) * (reports - 1) / redraw) ** survey.waves))
        for redraw in (Fraction(twentieths, 20) for twentieths in range(1, most + 1))
    ]
    redraw, number = next((one for one in found if one[1] <= CALM), found[-1])
    return redraw, max(number, *(in_hundred(one.longitudinal.ratio) for one in survey.randomised))


def above_limit(survey: Survey, say: Say = in_english) -> Iterator[str]:
    """Warn if the ε exceeds the limit above which browsers first refuse the survey."""
    if survey.epsilon > LIMIT:
        yield say(
            "Nobody is asked at first. A browser allows one person ε = {limit} for all surveys of "
            "a site together. People would have to raise this limit themselves, before they see a "
            "question.",
            limit=LIMIT,
        )


def to_panel(survey: Survey, say: Say = in_english) -> Iterator[str]:
    """Warn of what a link back to a panel reveals."""
    if survey.about.panel:
        yield say(
            "The last screen leads to {panel}. A panel that sees who comes there, and when, learns "
            "who took part and nearly when each report was sent. It gets no answer: the link is "
            "the same for everybody.",
            panel=survey.about.panel,
        )


def _single(survey: Survey) -> Iterator[Advice]:
    if survey.batch <= 1:
        yield Advice(
            f"People will read: “{seen_by_researchers(1)}”",
            "Leave 'batch' out of the survey file, and the desk shows reports in batches of "
            f"{BATCH}.",
            ("batch",),
        )


def _name(id: str, names: Mapping[str, str]) -> str:
    question, dot, part = id.partition(".")
    return names.get(id) or (f"{names[question]}: {part}" if dot and question in names else id)


def _too_wide(
    survey: Survey, respondents: int, names: Mapping[str, str], measure: Measure
) -> Iterator[Advice]:
    # All items of a question have the same channel and as many respondents.
    wide = {
        found.item.question: f"{_name(found.item.question, names)} ({_of_range(found)})"
        for found in precision(survey, respondents, measure)
        if is_too_wide(found)
    }
    named = ", ".join([*wide.values()][:_NAMED])
    more = f" and {counted(len(wide) - _NAMED, 'more question')}" if len(wide) > _NAMED else ""
    if wide:
        yield Advice(
            f"Too wide to be of use, with {respondents:,} respondents: {named}{more}.",
            f"These {LEVEL:.0%} intervals would cover more than half of the possible range. Ask "
            "fewer questions, spend more ε on these, or ask more people.",
            _protection_of(survey, next(iter(wide))),
        )


def _too_many_answers(survey: Survey, names: Mapping[str, str]) -> Iterator[Advice]:
    """Warn of questions with too many answers for a report of one byte."""
    for number, question in enumerate(survey.questions):
        item = survey.items_of(question)[0]
        answers = item.channel.truths
        if item.epsilon is None or question.is_number or answers <= MOST_ANSWERS:
            continue
        cost = variance(item.channel) / subset_selection(answers, item.epsilon)
        if cost > COSTLY:
            yield Advice(
                f"{_name(question.id, names)} has more than {MOST_ANSWERS} answers, which is too "
                f"many for reports of one byte: it takes {cost:.1f} times as many people as the "
                "best way known.",
                "Group the answers, such as countries into regions.",
                ("questions", number, "answers"),
            )


def _means_alone(survey: Survey, names: Mapping[str, str]) -> Iterator[Advice]:
    """Warn of numbers of few values whose design tells only the mean."""
    alone = [
        question.id
        for question in survey.questions
        if question.is_number
        and len(question.answers) <= DEFAULT_LEVELS
        and not survey.items_of(question)[0].channel.identifiable
    ]
    if alone:
        named = ", ".join(_name(id, names) for id in alone)
        yield Advice(
            f"The reports of {named} tell the mean, and not how many gave each number: no shares, "
            "no tables and no regressions of it.",
            "'family: best' keeps these.",
            _protection_of(survey, alone[0]),
        )


def _rare_sets(survey: Survey, respondents: int, names: Mapping[str, str]) -> Iterator[Advice]:
    """Warn of direct questions that a file's own chances ask too few people."""
    draw = survey.units
    if draw is None or not draw.chances or not survey.asked_directly:
        return
    rarest = sorted(range(len(draw.choices)), key=draw.chances.__getitem__)[: draw.count]
    share = float(draw.share({draw.places[one][0] for one in rarest}))
    drawn = " and ".join(_name(draw.choices[one], names) for one in sorted(rarest))
    if share * len(draw.sets) <= _RARE or is_rarely_left_out(survey, respondents):
        yield Advice(
            f"The chances ask only about {respondents * share:.2g} of {respondents:,} respondents "
            f"{drawn}.",
            "Wherever a table or file would show whom, direct answers of so few are hidden, and "
            "whole groups with them. Let the 'chances' differ less, such as 2 and 1.",
            ("chances",),
        )


def _of_range(found: Precision) -> str:
    return width_words(found) + ("" if found.span is None else f" of a range of {found.span:g}")
