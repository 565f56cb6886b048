"""Ways to spend ε: which precision, people and protection go together.

A way is a survey file with some keys rewritten, so its prices are those of the file that a
researcher would use.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Final

from deniable import survey_file
from deniable.analysis.planning.alternatives import own_keys
from deniable.analysis.planning.budgets import Measure, is_rarely_left_out, measure_of, precision
from deniable.survey import Survey
from deniable.survey.fair_draws import even_chances
from deniable.survey.questions import Protection, Question
from deniable.survey_file.located import Path, SurveyFileError, parse
from deniable.survey_file.patch import patched
from deniable.text.doors import RefusalError
from deniable.text.sureness import sureness

if TYPE_CHECKING:
    from deniable.survey_file import SurveyFile

MOST: Final = 4
"""Most ways that are shown, including the current file."""

_LEAST_EPSILON, _MOST_EPSILON = 50, 20_000
"""Range of the search for ε, in thousandths."""

_NEAR: Final = 0.002
"""The search ends within this part of the best ε."""

_STEPS: Final = 14
"""Each step about halves the range, so that these find any ε."""

_MOST_ASKED: Final = 4
"""With more questions per person, nearly all are asked, and nearly as little is learnt."""

_FEW_CELLS: Final = 16
_PAIRS: Final = 3
"""Questions are tried together in up to so many pairs of at most so many cells, and all at once."""

_GAIN: Final = 0.01
"""A smaller relative gain is no reason to change a survey."""

_LITTLE: Final = 0.02
"""A greater relative loss in what is asked for is a reason to leave a survey unchanged."""

_BEGUN: Final = 1000
"""Start of the search for the number of people."""

_TURNS: Final = 4
"""Each turn leaves at most a thirtieth of the error of the number."""

_SAME: Final = 1e-12
"""Relative rounding error in comparisons with a goal."""

Changes = Mapping[Path, str | None]


@dataclass(frozen=True)
class Goal:
    """Two of precision, people and protection; the third is sought.

    `within`: reach of the widest interval, as a part of the possible range; of a question in the
    measure's `scale_of`, the reach times its scale. `people`: number of
    respondents. `one`, `together`: how sure an adversary may get, in 100, of one answer and of all
    answers together; in waves, while the answers stay the same, as ε promises it.
    """

    within: float | None = None
    people: int | None = None
    one: float | None = None
    together: float | None = None

    def __post_init__(self) -> None:
        """Reject any number of goals but two."""
        if [self.within is None, self.people is None, not self.is_protected].count(True) != 1:
            two = "expected two of precision, people and protection"
            raise RefusalError(
                two,
                python="of within, people and one or together",
                command="of --within, -n and --one-at-most or --all-at-most",
                desk="leave the third empty",
            )

    @property
    def is_protected(self) -> bool:
        """Whether protection is given."""
        return self.one is not None or self.together is not None


@dataclass(frozen=True)
class Way:
    """A way to ask a survey's questions.

    `keys`: the rewritten keys, in words. `text`: the survey file. `within`, `people`, `one`,
    `together`: as in `Goal`. `pairs`: the part of the people who answer both of two drawn
    questions. `lost`: the pairs of questions that can no longer be compared. `changing`: in waves,
    how sure an adversary can get whatever changes; 0 without waves.
    """

    keys: str
    text: str
    survey: Survey
    within: float
    people: int
    one: int
    together: int
    pairs: float
    lost: tuple[tuple[str, str], ...] = ()
    changing: int = 0

    @property
    def change(self) -> float:
        """The reach of a change between two waves, as if of different people."""
        return math.sqrt(2) * self.within

    @property
    def needs(self) -> float:
        """Reach with one person, if it fell with the root of the number of people."""
        return self.within * math.sqrt(self.people)

    @property
    def prices(self) -> tuple[float, ...]:
        """The costs; a way that costs more of something, and less of nothing, is worse."""
        never_skipped = sum(not one.prefer_not_to_say for one in self.survey.questions)
        sure = self.one, self.together, self.changing
        return (round(self.within, 4), self.people, *sure, never_skipped)


def ways(
    file: SurveyFile, goal: Goal, measure: Measure, *, seconds: float = math.inf
) -> tuple[Way, ...]:
    """Return the best ways that reach a goal, after the survey file itself.

    Each is better than the file in what is sought, or in a bound that the file misses. If the file
    reaches the goal, none is worse in what is sought.

    After `seconds` no further way is tried. Raises a `ValueError` if no question's design follows
    from ε.
    """
    quick = replace(measure, counted=False)
    now = _way_of(file, file.text, "as it is", goal, quick)
    tried = [*_changes(file)]
    if not tried:
        raise ValueError("expected a question whose design follows from ε, found none")
    found = dict[tuple[float, ...], Way]()
    end = time.monotonic() + seconds
    for changes in tried:
        if time.monotonic() >= end:
            break
        made = _best_way(file, changes, goal, quick)
        if made is not None:
            found.setdefault(made.prices, made)
    now = _with_width(now, measure)
    unbeaten = (one for one in found.values() if not any(_beats(x, one) for x in found.values()))
    exact = (_with_width(one, measure) for one in unbeaten)
    best = [one for one in exact if _is_better(one, now, goal) and not _hides_groups(one)]
    solved = 1 if goal.people is None else 0 if goal.within is None else 3
    best.sort(key=lambda one: (one.prices[solved], one.prices))
    both = _comparable(now.survey)
    lost = (replace(one, lost=(*sorted(both - _comparable(one.survey)),)) for one in best)
    return now, *islice(lost, MOST - 1)


def nearest(file: SurveyFile, goal: Goal, measure: Measure) -> Way | None:
    """Return the way nearest to a goal that none reaches; None if the file itself reaches it.

    It has the least ε of the search, or the greatest if protection is sought.
    """
    quick = replace(measure, counted=False)
    now = _way_of(file, file.text, "as it is", goal, quick)
    if _reaches(now, goal):
        return None
    epsilon = _LEAST_EPSILON if goal.is_protected else _MOST_EPSILON
    made = (_way_at(file, changes, epsilon, goal, quick) for changes in _changes(file))

    def missing(one: Way) -> tuple[float, ...]:
        above = one.one - (goal.one or 100), one.together - (goal.together or 100)
        return (max(0, *above) if goal.is_protected else 0, one.needs)

    return _with_width(min([now, *filter(None, made)], key=missing), measure)


def better(file: SurveyFile, respondents: int) -> Way | None:
    """Return a way that tells more, by a short search, and only if no bound gets worse.

    The bounds are those of one answer, of all answers and, in waves, of all waves whatever changes.
    Questions randomised as one answer stay so. None if no way narrows the intervals by a tenth.
    """
    measure = replace(measure_of(file.plan), counted=False)
    dearest = _dearest(file.survey)
    if len(file.sharing) < 2:
        return None
    now = _way_of(file, file.text, "", Goal(people=respondents, together=99), measure)
    goal = Goal(people=respondents, one=now.one, together=now.together)
    found = [now]
    questions = [one for one in file.survey.questions if one.id in file.sharing]
    design = _best(parse(file.text, file.source).value["questions"], questions)
    drawn = ({("split",): None, ("ask",): str(count), **design} for count in (1, 2, 3))
    for count, changes in enumerate((design, *drawn)):
        # At this ε one answer costs what it does now, if each drawn unit has an equal part.
        epsilon = min((count or math.inf) * dearest, file.survey.spent_millionths) // 1000
        made = _way_at(file, changes, int(epsilon), goal, measure) if changes else None
        if made is None or made.changing > now.changing or _hides_groups(made):
            continue
        if _reaches(made, goal):
            found.append(made)
    best = min(found, key=lambda one: one.within)
    exact = replace(measure, counted=True)
    return _with_width(best, exact) if best.within < 0.9 * now.within else None


def people_for(survey: Survey, within: float | Mapping[str, float], measure: Measure) -> int:
    """Return the number of people for intervals with this reach, by the formula alone.

    `within`: of all protected items, or of each by its id, as a part of its range.
    """
    quick = replace(measure, counted=False)

    def missed(people: int) -> float:
        found = reaches(survey, people, quick)
        return max(
            reach / (within[id] if isinstance(within, Mapping) else within)
            for id, reach in found.items()
        )

    people = _BEGUN
    for _ in range(_TURNS):
        people = max(1, math.ceil(people * missed(people) ** 2))
    while missed(people) > 1 + _SAME:
        people += 1
    return people


def widest(survey: Survey, people: int, measure: Measure) -> float:
    """Return the reach of the widest interval of a protected question, as a part of its range."""
    return max(reaches(survey, people, measure).values())


def reaches(survey: Survey, people: int, measure: Measure) -> dict[str, float]:
    """Return the reach of each protected item's widest interval, by id.

    As a part of its range, times its scale.
    """
    return {
        one.item.id: one.widest / (one.span or 1) * one.scale
        for one in precision(survey, people, measure)
        if one.item.protection is Protection.RANDOMISED
    }


def _with_width(one: Way, measure: Measure) -> Way:
    # Results try every count where few people are asked.
    return replace(one, within=widest(one.survey, one.people, measure))


def _way_of(file: SurveyFile, text: str, keys: str, goal: Goal, measure: Measure) -> Way:
    """Return the way of a file text, with its costs."""
    survey = file.survey if text == file.text else survey_file.read(text, file.source).survey
    people = goal.people or people_for(survey, goal.within or 1, measure)
    sure, ask = sureness(survey), survey.ask
    assert sure is not None  # noqa: S101  for the type checker: something is randomised
    drawn = 0 if ask is None else len(ask.units)
    return Way(
        keys,
        text,
        survey,
        widest(survey, people, measure),
        people,
        sure.one,
        sure.all,
        1.0 if ask is None else ask.count * (ask.count - 1) / (drawn * (drawn - 1)),
        changing=sure.changing or 0,
    )


def _hides_groups(one: Way) -> bool:
    return is_rarely_left_out(one.survey, one.people)


def _reaches(one: Way, goal: Goal) -> bool:
    if goal.is_protected:
        return one.one <= (goal.one or 100) and one.together <= (goal.together or 100)
    return one.within <= (goal.within or 0)


def _asked(one: Way, goal: Goal) -> tuple[float, ...]:
    """Return the prices of a way that a goal asks for; a price within its bound is the bound."""
    sure = 100 if goal.is_protected else 0
    bounds = goal.within or 0, goal.people or 0, goal.one or sure, goal.together or sure, sure, 0
    return tuple(map(max, one.prices, bounds))


def _is_better(one: Way, now: Way, goal: Goal) -> bool:
    pairs = [*zip(_asked(one, goal), _asked(now, goal), strict=True)]
    is_worse = any(a > (1 + _LITTLE) * b for a, b in pairs)
    # To reach the goal may cost more, if the file misses it.
    return any(a * (1 + _GAIN) < b for a, b in pairs) and not (is_worse and _reaches(now, goal))


def _beats(one: Way, other: Way) -> bool:
    pairs = zip(one.prices, other.prices, strict=True)
    return all(a <= b for a, b in pairs) and one.prices != other.prices


def _comparable(survey: Survey) -> set[tuple[str, str]]:
    """Return the pairs of randomised questions that some people answer both of."""
    ids = [one.id for one in survey.questions if one.protection is Protection.RANDOMISED]
    return {
        (a, b)
        for a, b in combinations(ids, 2)
        if any(survey.share_asked((i, j)) for i in survey.places[a] for j in survey.places[b])
    }


def _dearest(survey: Survey) -> int:
    """Return the cost of the dearest answer, in millionths."""
    each = (survey.epsilon_of(one) for one in survey.questions)
    spent = [*filter(None, each), *(one.channel.epsilon for one in survey.groups)]
    return round(1e6 * max(spent, default=0))


def _changes(file: SurveyFile) -> Iterator[Changes]:
    """Yield the keys to rewrite in each way that is tried, except ε."""
    value = parse(file.text, file.source).value
    written, skips = value["questions"], value.get("skip") == "true"
    own: dict[Path, str | None] = {**own_keys(written)}
    if file.sharing:
        yield {}
    shared = {*file.sharing, *(written[place]["id"] for _, place, _ in own)}
    questions = [one for one in file.survey.questions if one.id in shared]
    units = sum(len(one.parts) for one in questions)
    plain: dict[Path, str | None] = {(key,): None for key in ("split", "ask", "chances")}
    equal = {**plain, ("split",): None if file.split == "equal" else "equal"}
    apart: list[dict[Path, str | None]] = [{}] if file.sharing else []
    apart += [own] if own else []
    apart += [{**own, ("together",): None}] if file.survey.groups else []
    for bare in apart:
        yield {**plain, **bare, ("split",): "even"}
        if skips:
            yield {**plain, **bare, ("split",): "even", ("skip",): None}
        best = _best(written, questions)
        for design in [{}, best] if best else [{}]:
            yield {**equal, **bare, **design}
            for count in range(1, min(units, _MOST_ASKED + 1)):
                yield {**plain, **bare, **design, ("ask",): str(count)}
    for ids in _groups(written, questions):
        group: dict[Path, str | None] = {("together",): f"[{', '.join(ids)}]"}
        yield {**equal, **own, **group}
        if skips:
            yield {**equal, **own, **group, ("skip",): None}
        yield {**plain, **own, **group, ("ask",): "1"}


def _best(written: Any, questions: list[Question]) -> dict[Path, str | None]:
    """Return the keys that give questions of many answers the design of least noise."""
    now = {
        one.id: "best" if one.is_number else "k_ary"
        for one in questions
        if len(one.truths) > 5 and not (one.is_number and len(one.truths) > len(one.answers))
    }
    return {
        ("questions", place, "family"): "best"
        for place, question in enumerate(written)
        if question["id"] in now and question.get("family", now[question["id"]]) != "best"
    }


def _groups(written: Any, questions: list[Question]) -> Iterator[tuple[str, ...]]:
    """Yield questions that can be randomised as one answer, those with the fewest cells first."""
    fixed = {one["id"] for one in written if {"family", "levels", "style"} & one.keys()}
    sizes = {
        one.id: len(one.truths)
        for one in questions
        if one.id not in fixed and not one.has_several_items
    }
    small = [
        (sizes[a] * sizes[b], (a, b))
        for a, b in combinations(sizes, 2)
        if sizes[a] * sizes[b] <= _FEW_CELLS
    ]
    for _, pair in sorted(small, key=lambda one: one[0])[:_PAIRS]:
        yield pair
    if len(sizes) > 2 and math.prod(sizes.values()) <= 4 * _FEW_CELLS:
        yield tuple(sizes)


def _way_at(
    file: SurveyFile, changes: Changes, thousandths: int, goal: Goal, measure: Measure
) -> Way | None:
    """Return the way with an ε, in thousandths, and other keys; None if the file is invalid."""
    all_ = {("epsilon",): f"{thousandths / 1000:g}", **changes}
    text = patched(file.text, all_)
    written = parse(file.text, file.source).values
    names = [f"{path[-1]}: {value}" for path, value in all_.items() if value]
    gone = [path[-1] for path, value in all_.items() if not value and path in written]
    names += [f"without {key}" for key in gone]
    try:
        return _way_of(file, text, ", ".join(dict.fromkeys(names)), goal, measure)
    except SurveyFileError:
        return None


def _best_way(file: SurveyFile, changes: Changes, goal: Goal, measure: Measure) -> Way | None:
    """Return the way with the greatest ε that protects enough, or the least that is precise."""

    def at(thousandths: int) -> Way | None:
        return _way_at(file, changes, thousandths, goal, measure)

    start = 1000 * _logit(goal.together) if goal.together else file.survey.spent_millionths / 1000
    made = _solved(at, max(int(start), _LEAST_EPSILON), goal)
    units = None if made is None else made.survey.units
    if made is None or units is None or made.survey.ask is None or ("ask",) not in changes:
        return made
    # The file's chances follow from bounds; chances from the noise itself can be better.
    noise = [
        one.respondents * (one.widest / (one.span or 1)) ** 2
        for one in precision(made.survey, _BEGUN, measure)
    ]
    widths = [max(noise[place] for place in places) for places in units.places]
    chances = even_chances(widths, units.count)
    if not chances or chances == made.survey.ask.chances:
        return made
    listed = ", ".join(f"{id}: {one}" for id, one in zip(units.choices, chances, strict=True))
    uneven = {**changes, ("chances",): f"{{ {listed} }}"}
    now = round(made.survey.epsilon * 1000)
    exact = _way_at(file, uneven, now, goal, measure)
    if exact is None or exact.needs * 1.03 >= made.needs:
        return made
    return _solved(lambda each: _way_at(file, uneven, each, goal, measure), now, goal) or made


def _solved(at: Callable[[int], Way | None], start: int, goal: Goal) -> Way | None:
    """Return the way that just reaches the goal; each step corrects ε by the factor of the miss."""

    def excess(one: Way) -> float:
        """Return the logarithm of the factor by which ε is too large."""
        if not goal.is_protected:
            return math.log((goal.within or 1) / one.within)
        spent = (one.survey.spent_millionths / 1e6, _dearest(one.survey) / 1e6)
        return max(
            math.log(own / max(_logit(most), 1e-6))
            for own, most in zip(spent, (goal.together, goal.one), strict=True)
            if most is not None
        )

    best, epsilon, failed = None, start, 0
    last, slope = (0.0, math.inf), 1.0
    low, high = _LEAST_EPSILON - 1, _MOST_EPSILON + 1  # too small, and too large
    for _ in range(_STEPS):
        made = at(epsilon)
        failed += made is None
        if failed > 1:
            break
        reached = made is not None and _reaches(made, goal)
        missed = math.inf if made is None else excess(made)
        if reached:
            best = made
            if abs(missed) < _NEAR:
                break
        if made is None or reached == goal.is_protected:
            low = epsilon
        else:
            high = epsilon
        if high - low <= max(1, _NEAR * epsilon):
            break
        # At a large ε the precision hardly depends on it: the last two steps tell how little.
        if not goal.is_protected and math.isfinite(missed):
            (at_, before), last = last, (math.log(epsilon), missed)
            if before not in (missed, math.inf):
                slope = min(max((last[0] - at_) / (missed - before), 0.5), 10)
        # A little beyond the goal, so that two near values enclose it.
        beyond = 0.001 if epsilon == low else -0.001
        wanted = 2 if made is None else math.exp((beyond - missed) * slope)
        epsilon = round(epsilon * wanted)
        if not low < epsilon < high:
            epsilon = round(math.sqrt(low * high))
        epsilon = min(max(epsilon, low + 1), high - 1)
    return best


def _logit(hundredths: float) -> float:
    # The ε that takes a belief of 50 in 100 to this one.
    return math.log(hundredths / (100 - hundredths)) if hundredths < 100 else 99.0
