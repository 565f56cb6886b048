"""Ways to spend ε: which precision, people and protection can be had together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Final

from deniable.analysis.planning.budgets import precision
from deniable.analysis.planning.spending import Spend, families, redesign
from deniable.survey import Survey
from deniable.survey.questions import Protection
from deniable.text.wording import sureness

MOST: Final = 5
"""Ways that are shown at most, today's among them."""

_EPSILONS: Final = (0.05, 20.0)
"""Between these an ε is looked for, by halving their logarithms so often:"""
_HALVINGS: Final = 12


@dataclass(frozen=True)
class Goal:
    """Two of precision, people and protection; the third is looked for.

    `within`: the widest half-width, in parts of what is possible. `people`: how many are asked.
    `one`, `together`: how sure somebody may get, in 100, of one answer and of all together.
    """

    within: float | None = None
    people: int | None = None
    one: float | None = None
    together: float | None = None

    def __post_init__(self) -> None:
        """Refuse another number of goals than two."""
        if [self.within is None, self.people is None, not self.is_protected].count(True) != 1:
            raise ValueError(
                "expected two of precision (--within), people (-n) and protection (--one-at-most, "
                "--all-at-most)"
            )

    @property
    def is_protected(self) -> bool:
        """Whether protection is given."""
        return self.one is not None or self.together is not None


@dataclass(frozen=True)
class Way:
    """A way to ask a survey's questions.

    `keys`: of the survey file. `within`, `people`, `one`, `together`: as in `Goal`. `pairs`: the
    part of the people who answer both of two questions that are drawn.
    """

    keys: str
    survey: Survey
    within: float
    people: int
    one: int
    together: int
    pairs: float

    @property
    def prices(self) -> tuple[float, ...]:
        """What it costs; one that costs more of something, and less of nothing, is worse."""
        return round(self.within, 4), self.people, self.one, self.together


def ways(
    survey: Survey, goal: Goal, level: float, applies: float, design_effect: float
) -> tuple[Way, ...]:
    """Find the best ways that reach a goal, and put the survey as it is first.

    `level`, `applies`: see `deniable.analysis.planning.budgets.precision`. `design_effect`: how
    many times as large variances are as in a simple random sample.
    """

    def way(keys: str, changed: Survey) -> Way:
        widest = math.sqrt(design_effect) * max(
            max(one.widest, one.among or 0) / (one.span or 1)
            for one in precision(changed, 1, level, applies)
            if one.item.protection is Protection.RANDOMISED
        )
        people = goal.people or math.ceil((widest / (goal.within or 1)) ** 2)
        sure, ask = sureness(changed), changed.ask
        assert sure is not None  # noqa: S101  for the type checker: something is randomised
        drawn = 0 if ask is None else len(ask.units)
        return Way(
            keys,
            changed,
            widest / math.sqrt(people),
            people,
            sure.one,
            sure.most,
            1.0 if ask is None else ask.count * (ask.count - 1) / (drawn * (drawn - 1)),
        )

    def reaches(one: Way) -> bool:
        if goal.is_protected:
            return one.one <= (goal.one or 100) and one.together <= (goal.together or 100)
        return one.within <= (goal.within or 0)

    if not families(survey):
        raise ValueError("expected a question whose design follows from ε, found none")
    now, found = way("as it is", survey), dict[tuple[float, ...], Way]()
    for keys, spend in _spends(survey):
        made = _found(survey, spend, partial(way, keys), reaches, goal)
        if made is not None:
            found.setdefault(made.prices, made)
    best = [
        one for one in found.values() if not any(_beats(other, one) for other in found.values())
    ]
    solved = 1 if goal.people is None else 0 if goal.within is None else 3
    best.sort(key=lambda one: (one.prices[solved], one.prices))
    return (now, *[one for one in best if one.prices != now.prices][: MOST - 1])


def _beats(one: Way, other: Way) -> bool:
    pairs = [*zip(one.prices, other.prices, strict=True)]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _spends(survey: Survey) -> Iterator[tuple[str, Spend]]:
    """List what is tried, each in the words of a survey file."""
    named = {"": None, "family: best": "best"}
    for keys, design in named.items():
        if design is not None and _is_best(survey):
            continue
        yield keys, Spend(design=design)
        # Of all splits, even has the narrowest of the widest intervals; with other designs it is
        # a long search for little.
        for split in ("equal", "even") if design is None else ("equal",):
            yield (
                ", ".join(filter(None, [f"split: {split}", keys])),
                Spend(None, split, None, design),
            )
        for count in range(1, len(families(survey))):
            yield ", ".join(filter(None, [f"ask: {count}", keys])), Spend(None, None, count, design)


def _is_best(survey: Survey) -> bool:
    """Whether each question has the best design already, or none that a family has."""
    return redesign(survey, Spend(design="best")).items == survey.items


def _found(
    survey: Survey,
    spend: Spend,
    way: Callable[[Survey], Way],
    reaches: Callable[[Way], bool],
    goal: Goal,
) -> Way | None:
    """Find the greatest ε that protects as wanted, or the least that is as precise as wanted."""

    def at(thousandths: int) -> Way | None:
        try:
            return way(redesign(survey, replace(spend, epsilon=Fraction(thousandths, 1000))))
        except ValueError:  # so little is left for no question, or some are not drawn here
            return None

    low, high = (math.log(1000 * one) for one in _EPSILONS)
    if goal.together is not None:  # which is a matter of ε alone, and often decides
        high = math.log(1000 * math.log(goal.together / (100 - goal.together)))
        made = at(math.floor(math.exp(high)))
        low = high if made is not None and reaches(made) else low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        made = at(round(math.exp(middle)))
        if made is None or reaches(made) == goal.is_protected:
            low = middle
        else:
            high = middle
    made = at(math.floor(math.exp(low)) if goal.is_protected else math.ceil(math.exp(high)))
    if made is None or not reaches(made):
        return None
    return replace(
        made, keys=", ".join(filter(None, [f"epsilon: {made.survey.epsilon:g}", made.keys]))
    )
