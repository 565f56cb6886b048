"""Weights that give known margins of a population: post-stratification, raking and trimming."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray, IndexArray, IntArray
from deniable.text.near import meant

ROUNDS: Final = 1000
"""Most rounds of raking before the margins count as impossible."""

_MET: Final = 1e-12
"""Tolerance of a margin, relative to the population."""

_TOTALS: Final = 1e-6
"""Tolerance between the totals of two margins, relative to the greater."""

_ROUNDED: Final = 0.005
"""Rounding error of a part that was written in whole percent."""


class MarginError(ValueError):
    """Margins that no weights of these people can give."""


@dataclass(frozen=True, eq=False)
class Margin:
    """The number, or the part, of people in the population with each answer to a question.

    `name`: of the question. `answers`: its answers. `group`, shape (n,): index of each respondent's
    answer. `people`, shape (answers,): above 0.
    """

    name: str
    answers: tuple[str, ...]
    group: IndexArray = field(repr=False)
    people: FloatArray

    @classmethod
    def of(
        cls,
        name: str,
        cells: Sequence[str],
        people: Mapping[str, float],
        times: IntArray | None = None,
    ) -> Margin:
        """Return the margin of a column, or raise a `MarginError` that says where they differ.

        `times`, shape (cells,): how many respondents each cell is of; by default one.
        """
        where = f"margin {name!r}"
        wanted = {str(answer): _number(where, answer, of) for answer, of in people.items()}
        given = dict.fromkeys(cells)
        for answer in wanted:
            if answer not in given:
                raise MarginError(
                    f"{where}: expected respondents of each answer, found none of {answer!r} "
                    f"({meant(answer, given)}): correct it, or join it to another answer"
                )
        left = [answer for answer in given if answer not in wanted]
        if left:
            each = np.ones(len(cells)) if times is None else times
            n = int(each[[cell == left[0] for cell in cells]].sum())
            raise MarginError(
                f"{where}: expected each answer that was given, found nothing for {left[0]!r} "
                f"({n:,} respondents); there are {', '.join(wanted)}"
            )
        check_parts(where, wanted.values())
        place = {answer: index for index, answer in enumerate(wanted)}
        group = np.array([place[cell] for cell in cells], dtype=np.intp)
        return cls(name, tuple(wanted), group, np.array([*wanted.values()]))


def calibrated(
    weights: FloatArray,
    margins: Sequence[Margin],
    most: float | None = None,
    times: IntArray | None = None,
) -> FloatArray:
    """Return weights that give every margin: post-stratified to one, raked to several.

    `weights`, shape (n,): above 0. `most`: no weight may be more than this times the mean weight.
    The excess is spread evenly over the other weights. `times`, shape (n,): number of respondents
    in each row; by default one.

    Deming, W. E. and Stephan, F. F. (1940). On a least squares adjustment of a sampled frequency
    table when the expected marginal totals are known. Annals of Mathematical Statistics 11,
    427-444.
    """
    totals = [float(margin.people.sum()) for margin in margins]
    for margin, total in zip(margins, totals, strict=True):
        if not math.isclose(total, totals[0], rel_tol=_TOTALS):
            raise MarginError(
                f"expected margins of the same total, found {totals[0]:.10g} of "
                f"{margins[0].name!r} and {total:.10g} of {margin.name!r}"
            )
    if most is not None and not most > 1:
        raise ValueError(f"expected a trim above 1, in mean weights, found {most:g}")
    w = np.array(weights, dtype=np.float64)
    each = np.ones(len(w)) if times is None else times.astype(np.float64)
    for _ in range(ROUNDS):
        for margin in margins:
            sums = np.bincount(margin.group, each * w, len(margin.people))
            if not sums.all():
                raise MarginError(
                    f"margin {margin.name!r}: expected people of each answer, found none of "
                    f"{margin.answers[int(sums.argmin())]!r}"
                )
            w *= (margin.people / sums)[margin.group]
        limit = math.inf if most is None else most * float(np.average(w, weights=each))
        w = _trim(w, limit, each)
        if all(math.isclose(_deviation(margin, each * w), 0.0, abs_tol=_MET) for margin in margins):
            return w
    worst = max(margins, key=lambda margin: _deviation(margin, each * w))
    part = 100 * _deviation(worst, each * w)
    bound = "" if most is None else f", with no weight above {most:g} times the mean"
    raise MarginError(
        f"expected margins that hold together{bound}, found that margin {worst.name!r} is still "
        f"off by {part:.2g} % of the people after {ROUNDS:,} rounds: people of "
        "some answers are missing together, or weigh too much"
    )


def project_out(
    margins: Sequence[Margin], base: FloatArray, w: FloatArray, z: FloatArray, times: FloatArray
) -> FloatArray:
    """Return z without the part that the margins fix: known totals have no error.

    `base`, `w`, shape (n,): weights before and after. `z`, shape (n, variables). `times`, shape
    (n,): how many respondents each row is. Result: w times the residuals of z / w on the answers,
    by least squares with the weights `base`.

    Deville, J.-C. and Särndal, C.-E. (1992). Calibration estimators in survey sampling. JASA 87,
    376-382.
    """
    sizes = [len(margin.people) for margin in margins]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    places = [margin.group + start for margin, start in zip(margins, starts, strict=False)]
    k = int(starts[-1])
    A, b, u = np.zeros((k, k)), np.zeros((k, z.shape[1])), z / w[:, np.newaxis]
    counted = times * base
    for one in places:
        np.add.at(b, one, counted[:, np.newaxis] * u)
        for other in places:
            A += np.bincount(one * k + other, counted, k * k).reshape(k, k)
    coefficients = np.linalg.pinv(A, hermitian=True) @ b
    fitted = np.sum([coefficients[one] for one in places], axis=0)
    return np.asarray(w[:, np.newaxis] * (u - fitted))


def check_parts(where: str, people: Collection[float]) -> None:
    """Raise a `MarginError` if these are parts of a population that do not sum to 1."""
    total = math.fsum(people)
    is_sum = math.isclose(total, 1, abs_tol=_ROUNDED * len(people))
    if all(part < 1 for part in people) and not is_sum:
        raise MarginError(f"{where}: expected parts that sum to 1, or people, found {total:.6g}")


def _number(where: str, answer: str, people: float) -> float:
    try:
        number = float(people)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < math.inf:
        raise MarginError(f"{where}: expected people above 0 for {answer!r}, found {people!r}")
    return number


def _trim(w: FloatArray, limit: float, times: FloatArray) -> FloatArray:
    """Cut weights at a limit and spread the excess over the others, until none exceeds it."""
    while (over := w > limit * (1 + _MET)).any():
        cut = float(times[over] @ (w[over] - limit))
        w = np.where(over, limit, w)
        under = w < limit
        w[under] += cut / times[under].sum()
    return w


def _deviation(margin: Margin, w: FloatArray) -> float:
    sums = np.bincount(margin.group, w, len(margin.people))
    return float(np.abs(sums - margin.people).max() / margin.people.sum())
