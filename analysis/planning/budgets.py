"""What a survey's ε buys: how precise the estimate of each item will be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis.counts.labels import whole
from deniable.analysis.planning.reach import (
    check_within,
    fewest,
    greatest_reach,
    is_counted,
    mean_reach,
)
from deniable.analysis.privacy.disclosure import LEAST
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import DOES_NOT_APPLY, NO_NUMBERS

if TYPE_CHECKING:
    from deniable.survey_file import PlanFields  # loads the schema

_LEFT_OUT: Final = 2 * LEAST
"""People of a group who should not be asked a question, if any: fewer than `LEAST` are hidden."""


@dataclass(frozen=True)
class Measure:
    """How an interval is measured before a survey.

    Parameters
    ----------
    level : float
        Of the interval, between 0 and 1.
    applies : float
        The share of people who give a number where they can decline, or to whom a conditional
        question applies; above 0.
    design_effect : float
        Variance relative to a simple random sample, above 0.
    counted : bool
        See `deniable.analysis.planning.reach.greatest_reach`.
    applies_of : mapping of str to float
        The same share as `applies` for single questions, by their ids.
    scale_of : mapping of str to float
        By question, how many times as narrow its interval has to be as those of the others.
    """

    level: float = 0.95
    applies: float = 1.0
    design_effect: float = 1.0
    counted: bool = True
    applies_of: Mapping[str, float] = field(default_factory=dict)
    scale_of: Mapping[str, float] = field(default_factory=dict)


DEFAULT: Final = Measure()


def scales(within: float | None, within_of: Mapping[str, float]) -> dict[str, float]:
    """Return the `scale_of` of questions with a half-width of their own, beside that of all."""
    return {id: (within or own) / own for id, own in within_of.items()}


def measure_of(plan: PlanFields) -> Measure:
    """Return the usual measure, with what a survey file's plan says of single questions."""
    own = {id: float(one) for id, one in (plan.within_of or {}).items()}
    return Measure(applies_of=plan.applied, scale_of=scales(float(plan.within or 0), own))


@dataclass(frozen=True, eq=False)
class Precision:
    """The expected precision of an item. Made by `precision`.

    Parameters
    ----------
    respondents : float
        Expected number of people who are asked it.
    shares : ndarray, shape (truths,), or None
        Greatest reach of the interval of each answer's share, to either side; None if the design
        tells only the mean of a number.
    mean : float or None
        Greatest reach of the mean's interval, in the number's own unit; None if the item is no
        number.
    span : float or None
        Range of the number's values.
    among : float or None
        Approximate reach of the shares among people to whom the question applies; None if it
        applies to all.
    applies : float
        The share of people to whom it applies, or who give the number, as assumed.
    scale : float
        How many times as narrow its interval has to be as those of others; see `Measure`.
    is_most : bool
        Whether `widest` bounds the interval of every possible estimate; otherwise it is
        approximate. See `deniable.analysis.planning.reach.greatest_reach`.
    """

    item: Item
    respondents: float
    shares: npt.NDArray[np.float64] | None
    mean: float | None = None
    span: float | None = None
    among: float | None = None
    applies: float = 1.0
    scale: float = 1.0
    is_most: bool = True

    @property
    def values(self) -> list[float]:
        """The value of each truth of a number; nan for another answer."""
        return [
            math.nan if answer.code in NO_NUMBERS else float(exact.fraction(answer.code))
            for answer in self.item.truths
        ]

    @property
    def is_of_some(self) -> bool:
        """Whether a mean or shares are over only some of the people who answer."""
        return self.among is not None or (
            self.mean is not None and any(map(math.isnan, self.values))
        )

    @property
    def is_followed(self) -> bool:
        """Whether it is of a follow-up question, so of the people to whom that applies."""
        codes = (answer.code for answer in self.item.truths)
        return self.among is not None or (self.mean is not None and DOES_NOT_APPLY in codes)

    @property
    def widest(self) -> float:
        """The reach that plans quote, among those to whom a question applies, as results are.

        Of a number's mean, or else the greatest of the shares.
        """
        if self.mean is not None:
            return self.mean
        if self.among is not None:
            return self.among
        return math.nan if self.shares is None else float(self.shares.max())


def precision(survey: Survey, n: int, measure: Measure = DEFAULT) -> tuple[Precision, ...]:
    r"""Return the expected precision of each item of a survey, in their order.

    Parameters
    ----------
    n : int
        Number of respondents, at least 1.
    measure : Measure
        How intervals are measured.

    Raises
    ------
    ValueError
        If nobody is asked, or the measure is invalid.

    Notes
    -----
    If chance draws r of d questions for each respondent, about n r/d respondents answer each, at an
    ε of 1/r of the whole. At a small ε the variance of one report is proportional to 1/ε², so the
    variance of the estimate is proportional to d r / n: asking each person one question gives a
    d-th of the variance of asking all d (Wang et al. 2019, section IV, who sample attributes for
    that reason).

    References
    ----------
    Wang, N., Xiao, X., Yang, Y., Zhao, J., Hui, S. C., Shin, H., Shin, J. and Yu, G. (2019).
    Collecting and analyzing multidimensional data with local differential privacy. ICDE.

    Examples
    --------
    >>> from deniable.survey_file import read
    >>> questions = "".join(
    ...     f"  - {{id: q{n}, text: T, type: single, answers: [No, Yes]}}\n" for n in range(5)
    ... )
    >>> head = "version: 1\nsurvey: s\ntitle: T\nepsilon: 1\n"
    >>> for ask in ("", "ask: 1\n"):
    ...     survey = read(f"{head}{ask}questions:\n{questions}").survey
    ...     print(round(precision(survey, 2000)[0].widest, 3))
    0.222
    0.109
    """
    whole(n, "respondent")
    return tuple(
        _precision(survey, place, float(n * share), measure)
        for place, share in enumerate(survey.asked_shares)
    )


def respondents_for(survey: Survey, place: int, within: float, measure: Measure = DEFAULT) -> int:
    """Return how many people must take part for an item's interval to reach as far as `within`.

    Parameters
    ----------
    place : int
        Position of the item in the survey.
    within : float
        Above 0: .05 is five percentage points, or five hundredths of a number's range.
    measure : Measure
        How intervals are measured.

    Returns
    -------
    int
        A number that suffices while one person fewer does not.

    Raises
    ------
    ValueError
        If `within` is not above 0, or the measure is invalid.
    """
    check_within(within)
    share = float(survey.asked_shares[place])
    alone = _precision(survey, place, share, measure)
    goal = within * (alone.span or 1)
    if not _is_counted(alone):  # then it falls with the root of the number of people
        return max(1, math.ceil((alone.widest / goal) ** 2 * (1 - 1e-12)))

    def enough(n: int) -> bool:
        return _precision(survey, place, n * share, measure).widest <= goal

    return fewest(enough)


def people_for(survey: Survey, within: Mapping[str, float], measure: Measure = DEFAULT) -> int:
    """Return how many people must take part for each question to be as precise as wanted.

    Parameters
    ----------
    within : mapping of str to float
        By question, how far its interval may reach: .05 is five percentage points, or five
        hundredths of a number's range; above 0.
    measure : Measure
        How intervals are measured.

    Returns
    -------
    int
        A number that suffices for all these questions.

    Raises
    ------
    ValueError
        As `respondents_for`.
    """
    # All items of a question have the same channel and as many respondents.
    return max(
        respondents_for(survey, survey.places[id][0], own, measure) for id, own in within.items()
    )


def is_rarely_left_out(survey: Survey, respondents: float) -> bool:
    """Return whether so few people are not asked a question that tables hide groups of them.

    Of the fewest who are not, `_LEFT_OUT` on average would be in each group of a direct question.
    """
    draw, direct = survey.units, survey.asked_directly
    if draw is None or not draw.chances or not direct:
        return False
    groups = max((len(one.answers) for one in direct if not one.is_number), default=1)
    asked = max(float(draw.share(places[:1])) for places in draw.places)
    return respondents * (1 - asked) < _LEFT_OUT * groups


def _precision(survey: Survey, place: int, respondents: float, measure: Measure) -> Precision:
    """Return the expected precision of an item that so many respondents are asked."""
    item = survey.items[place]
    question, channel = survey.question(item.question), item.channel
    in_effect, how = respondents / measure.design_effect, measure.counted
    applies = measure.applies_of.get(question.id, measure.applies)
    scale = measure.scale_of.get(question.id, 1.0)
    made = Precision(item, respondents, None, applies=applies, scale=scale, is_most=False)
    if channel.identifiable:
        shares = greatest_reach(channel, in_effect, measure.level, counted=how)
        made = replace(made, shares=shares)
    if question.is_number:
        values = made.values
        mean = mean_reach(channel, values, in_effect, measure.level, applies=applies, counted=how)
        made = replace(made, mean=mean, span=question.span)
    elif question.ask_if and channel.identifiable:
        ones = np.eye(channel.truths)
        ones[:, question.skipped] = math.nan
        among = (
            mean_reach(channel, each, in_effect, measure.level, applies=applies)
            for each in np.delete(ones, question.skipped, axis=0)
        )
        made = replace(made, among=max(among))
    # Weights make fractions of people, for whom results show another interval.
    return replace(made, is_most=measure.design_effect == 1 and _is_counted(made))


def _is_counted(found: Precision) -> bool:
    if found.among is not None:  # a ratio
        return False
    if found.mean is not None:
        return is_counted(found.item.channel, found.values)
    return found.shares is not None and is_counted(found.item.channel)
