"""What a survey's budget buys: how precisely each of its items will be known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis.counts.labels import whole
from deniable.analysis.planning.widths import half_width, mean_half_width
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import NO_NUMBERS


@dataclass(frozen=True, eq=False)
class Precision:
    """How precisely an item will be known. Made by `precision`.

    Parameters
    ----------
    respondents : float
        How many are expected to be asked it.
    shares : ndarray, shape (truths,), or None
        Half the width of the interval to expect of each answer's share, at worst; None if the
        design tells the mean of a number only.
    mean : float or None
        The same of the mean, in the number's own unit; None if it is no number.
    span : float or None
        How far the values of the number reach.
    among : float or None
        The same of the shares among those to whom the question applies; None if it is shown to all.
    """

    item: Item
    respondents: float
    shares: npt.NDArray[np.float64] | None
    mean: float | None = None
    span: float | None = None
    among: float | None = None

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

    def respondents_for(self, within: float, respondents: int) -> int:
        """Return how many people must take part for a half-width that is wanted.

        Parameters
        ----------
        within : float
            Above 0: .05 is five percentage points, or five hundredths of what a number spans.
        respondents : int
            Those for whom this precision was found.
        """
        # Half-widths fall as the root of the number of respondents.
        goal = within * (1 if self.span is None else self.span)
        return math.ceil(respondents * (self.widest / goal) ** 2)


def precision(
    survey: Survey, n: int, level: float = 0.95, applies: float = 1.0
) -> tuple[Precision, ...]:
    r"""Say how precisely each item of a survey will be known.

    Parameters
    ----------
    n : int
        Number of respondents, at least 1.
    applies : float
        The share of the people who give a number where they can decline, and to whom a question
        applies that others need not answer; above 0.

    Returns
    -------
    tuple of Precision
        In the order of the items.

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
    0.22
    0.106
    """
    whole(n, "respondent")
    numbers = {one.id for one in survey.questions if one.is_number}
    asked_if = {one.id for one in survey.questions if one.ask_if} - numbers
    found = []
    for item, share in zip(survey.items, survey.asked_shares, strict=True):
        respondents = float(n * share)
        shrink = math.sqrt(respondents)
        shares = half_width(item.channel, 1, level) / shrink if item.channel.identifiable else None
        made = Precision(item, respondents, shares)
        if item.question in numbers:
            values = made.values
            mean = mean_half_width(item.channel, values, 1, level, applies=applies) / shrink
            made = replace(made, mean=mean, span=float(np.nanmax(values) - np.nanmin(values)))
        elif item.question in asked_if and item.channel.identifiable:
            skipped = survey.question(item.question).skipped
            ones = np.eye(item.channel.truths)
            ones[:, skipped] = math.nan
            among = (
                mean_half_width(item.channel, each, 1, level, applies=applies)
                for each in np.delete(ones, skipped, axis=0)
            )
            made = replace(made, among=max(among) / shrink)
        found.append(made)
    return tuple(found)
