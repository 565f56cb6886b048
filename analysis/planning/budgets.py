"""What a survey's budget buys: how precisely each of its items will be known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis.counts.labels import whole
from deniable.analysis.planning.reach import greatest_reach, is_counted, mean_reach
from deniable.analysis.planning.widths import fewest
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import NO_NUMBERS


@dataclass(frozen=True)
class Measure:
    """How an interval is measured before anybody is asked.

    Parameters
    ----------
    level : float
        Of the interval, between 0 and 1.
    applies : float
        The share of the people who give a number where they can decline, and to whom a question
        applies that others need not answer; above 0.
    design_effect : float
        How many times as large variances are as in a simple random sample, above 0.
    counted : bool
        See `deniable.analysis.planning.reach.greatest_reach`.
    """

    level: float = 0.95
    applies: float = 1.0
    design_effect: float = 1.0
    counted: bool = True


DEFAULT: Final = Measure()


@dataclass(frozen=True, eq=False)
class Precision:
    """How precisely an item will be known. Made by `precision`.

    Parameters
    ----------
    respondents : float
        How many are expected to be asked it.
    shares : ndarray, shape (truths,), or None
        How far the interval of each answer's share reaches at most to either side; None if the
        design tells the mean of a number only.
    mean : float or None
        The same of the mean, in the number's own unit; None if it is no number.
    span : float or None
        How far the values of the number reach.
    among : float or None
        About the same of the shares among those to whom the question applies; None if it is shown
        to all.
    is_most : bool
        Whether `widest` bounds the interval of every possible estimate; elsewhere it reaches about
        so far. See `deniable.analysis.planning.reach.greatest_reach`.
    """

    item: Item
    respondents: float
    shares: npt.NDArray[np.float64] | None
    mean: float | None = None
    span: float | None = None
    among: float | None = None
    is_most: bool = True

    @property
    def values(self) -> list[float]:
        """What each truth of a number counts for; nan for another answer."""
        return [
            math.nan if answer.code in NO_NUMBERS else float(exact.fraction(answer.code))
            for answer in self.item.truths
        ]

    @property
    def is_of_some(self) -> bool:
        """Whether a mean or shares are those of some of the people who answer."""
        return self.among is not None or (
            self.mean is not None and any(map(math.isnan, self.values))
        )

    @property
    def widest(self) -> float:
        """That of a number's mean, or else the widest of the shares'."""
        if self.mean is not None:
            return self.mean
        return math.nan if self.shares is None else float(self.shares.max())


def precision(survey: Survey, n: int, measure: Measure = DEFAULT) -> tuple[Precision, ...]:
    r"""Say how precisely each item of a survey will be known.

    Parameters
    ----------
    n : int
        Number of respondents, at least 1.
    measure : Measure
        How intervals are measured.

    Returns
    -------
    tuple of Precision
        In the order of the items.

    Raises
    ------
    ValueError
        If nobody is asked, or the measure has no meaning.

    Notes
    -----
    Where chance draws r of d questions for each respondent, each is answered by about n r/d of
    them, at an ε of 1/r of the whole. At a small ε the variance of one report goes with 1/ε², so
    that in all it goes with d r / n: asking one question of everybody has a d-th of the variance
    of asking all d (Wang et al. 2019, section IV, who sample attributes for that reason).

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
    """Find how many people must take part for an interval of an item that reaches as far as wanted.

    Parameters
    ----------
    place : int
        Of the item among the survey's.
    within : float
        Above 0: .05 is five percentage points, or five hundredths of what a number spans.
    measure : Measure
        How intervals are measured.

    Returns
    -------
    int
        A number that is enough while one person fewer is not.

    Raises
    ------
    ValueError
        If `within` is not above 0, or the measure has no meaning.
    """
    if not 0 < within < math.inf:
        raise ValueError(f"expected a half-width above 0, such as 0.05, found {within}")
    share = float(survey.asked_shares[place])
    alone = _precision(survey, place, share, measure)
    goal = within * (alone.span or 1)
    if not _is_counted(alone):  # then it falls as the root of their number
        return max(1, math.ceil((alone.widest / goal) ** 2 * (1 - 1e-12)))

    def enough(n: int) -> bool:
        return _precision(survey, place, n * share, measure).widest <= goal

    return fewest(enough)


def _precision(survey: Survey, place: int, respondents: float, measure: Measure) -> Precision:
    """Say how precisely an item will be known of which so many are asked."""
    item = survey.items[place]
    question, channel = survey.question(item.question), item.channel
    in_effect, how = respondents / measure.design_effect, measure.counted
    made = Precision(item, respondents, None, is_most=False)
    if channel.identifiable:
        shares = greatest_reach(channel, in_effect, measure.level, counted=how)
        made = replace(made, shares=shares)
    if question.is_number:
        values = made.values
        mean = mean_reach(
            channel, values, in_effect, measure.level, applies=measure.applies, counted=how
        )
        made = replace(made, mean=mean, span=float(np.nanmax(values) - np.nanmin(values)))
    elif question.ask_if and channel.identifiable:
        ones = np.eye(channel.truths)
        ones[:, question.skipped] = math.nan
        among = (
            mean_reach(channel, each, in_effect, measure.level, applies=measure.applies)
            for each in np.delete(ones, question.skipped, axis=0)
        )
        made = replace(made, among=max(among))
    # Weights make parts of people, of whom another interval is shown.
    return replace(made, is_most=measure.design_effect == 1 and _is_counted(made))


def _is_counted(found: Precision) -> bool:
    """Tell whether one proportion of the reports tells what is widest."""
    if found.mean is not None:
        return is_counted(found.item.channel, found.values)
    return found.shares is not None and is_counted(found.item.channel)
