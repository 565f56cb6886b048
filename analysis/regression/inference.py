"""Covariances, tests and intervals of a regression's coefficients."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.numerics.levels import check_choice, normal_quantile
from deniable.analysis.regression.likelihood import Likelihood
from deniable.analysis.regression.maximise import Maximum, maximise
from deniable.analysis.regression.searching import direct_answers, greatest, starting_values

KINDS: Final = ("expected", "observed", "opg", "sandwich")
"""The covariances by the names under which a fit is asked for them."""

# A combination of coefficients that leans on a flat direction by more than this is not estimable.
_LEANS: Final = 1e-6

# Information whose least part is smaller than this part of its greatest is rounding.
_ROUNDING: Final = 1e-14

# So far from the estimate, in linear predictors, has a coefficient been followed when its interval
# is said to be unbounded.
_FAR: Final = 1e6

# How often an end may move outwards because something higher was found there.
_OUTWARDS: Final = 5

# How far the signed root of the likelihood ratio may be from its bound at an end.
_ROOT: Final = 1e-4


@dataclass(frozen=True)
class Test:
    """A test whose statistic has a chi-square distribution if the hypothesis holds.

    `degrees_of_freedom`: degrees of freedom. `p_value`: chance of a statistic at least as large if
    the hypothesis holds.
    """

    __test__ = False  # it is no test of pytest's

    statistic: float
    degrees_of_freedom: int
    p_value: float


def chi_square(statistic: float, df: int) -> Test:
    """Refer a statistic to the chi-square distribution; nan without degrees of freedom."""
    p_value = float(scipy.special.chdtrc(df, max(statistic, 0.0))) if df > 0 else math.nan
    return Test(statistic=statistic, degrees_of_freedom=df, p_value=p_value)


def covariance(
    maximum: Maximum, kind: str, clusters: npt.NDArray[np.int64] | None = None
) -> FloatArray:
    """Return the covariance of gamma, with zeros along the flat directions."""
    check_choice(kind, KINDS, "a covariance")
    if clusters is not None and kind != "sandwich":
        raise ValueError(f"expected kind 'sandwich' with clusters, found {kind!r}")
    kept = _complement(maximum.flat)
    if kind == "sandwich":
        bread = _inverse(maximum.at.observed, kept)
        return bread @ _meat(maximum, clusters) @ bread
    try:
        return _inverse(getattr(maximum.at, "outer" if kind == "opg" else kind), kept)
    except ValueError:
        if kind != "expected":
            raise
        # Far out, where truths are nearly certain, only those who reported otherwise tell anything.
        return _inverse(maximum.at.observed, kept)


def influence(maximum: Maximum) -> FloatArray:
    """Return each respondent's part of the error of gamma, to the first order."""
    bread = _inverse(maximum.at.observed, _complement(maximum.flat))
    return np.asarray(maximum.at.scores @ bread)


def _complement(flat: FloatArray) -> FloatArray:
    """Return an orthonormal basis of the directions that are not flat."""
    left: FloatArray = np.linalg.svd(flat, full_matrices=True)[0]
    return left[:, flat.shape[1] :]


def _inverse(information: FloatArray, kept: FloatArray) -> FloatArray:
    inside = kept.T @ information @ kept
    if inside.size and not np.linalg.cond(inside) < 1 / _ROUNDING:
        raise ValueError("expected information of full rank, found it to be singular")
    inverse = kept @ np.linalg.solve(inside, kept.T)
    return np.asarray((inverse + inverse.T) / 2, dtype=np.float64)


def _meat(maximum: Maximum, clusters: npt.NDArray[np.int64] | None) -> FloatArray:
    if clusters is None:
        return maximum.at.outer
    totals: FloatArray = np.stack(
        [
            np.bincount(clusters, weights=column).astype(np.float64)
            for column in maximum.at.scores.T
        ],
        axis=1,
    )
    return totals.T @ totals * (len(totals) / (len(totals) - 1))


def leaning(combinations: FloatArray, flat: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which combinations of gamma, shape (rows, size), lean on a flat direction."""
    lengths = np.linalg.norm(combinations, axis=1)
    along = np.linalg.norm(combinations @ flat, axis=1)
    return np.asarray(along > _LEANS * np.where(lengths > 0, lengths, 1.0))


def variances(combinations: FloatArray, V: FloatArray, flat: FloatArray) -> FloatArray:
    """Return the variances of combinations of gamma; infinite if they lean on a flat direction.

    nan where rounding left nothing of one, see `Regression.covariance`.
    """
    finite = np.einsum("ij,jk,ik->i", combinations, V, combinations)
    finite = np.where(finite < 0, math.nan, finite)
    return np.where(leaning(combinations, flat), math.inf, finite)


def direction_of_separation(maximum: Maximum) -> FloatArray:
    """Return in which direction each coefficient of X is separated, shape (size,); 0 if in none.

    Where one limit is taken after another, the first that moves a coefficient decides.
    """
    run = np.zeros(maximum.likelihood.size)
    for direction in maximum.directions:
        along = maximum.likelihood.to_coefficients @ direction
        lengths = np.linalg.norm(maximum.likelihood.to_coefficients, axis=1)
        moves = np.abs(along) > _LEANS * lengths * np.linalg.norm(direction)
        run = np.where((run == 0) & moves, along, run)
    return run


def profile_interval(
    maximum: Maximum, index: int, standard_error: float, level: float
) -> tuple[float, float]:
    """Return the profile-likelihood interval of one coefficient."""
    profile, factor, estimate = _profile_of(maximum, index, level)
    z_errors = normal_quantile(level) * standard_error * factor
    if math.isinf(standard_error):
        towards = math.copysign(1.0, float(direction_of_separation(maximum)[index]))
        ends = [profile.end_of_separated(towards), math.copysign(math.inf, towards)]
    else:
        ends = [profile.end(estimate, sign * z_errors) for sign in (-1, 1)]
    low, high = sorted(end / factor for end in ends)
    return low, high


def profile_holds(maximum: Maximum, index: int, value: float, level: float) -> bool:
    """Tell whether the likelihood-ratio test of a coefficient's value does not reject it.

    This takes far less time than the ends of the interval.
    """
    profile, factor, _ = _profile_of(maximum, index, level)
    return profile.holds(value * factor)


def _profile_of(maximum: Maximum, index: int, level: float) -> tuple[_Profile, float, float]:
    """Return the profile of a coefficient, by what it is multiplied there, and its estimate."""
    likelihood = maximum.likelihood
    # With the covariate last in the order, its coefficient is one entry of gamma up to a factor.
    predictor, column = likelihood.places[index]
    order = [*(j for j in range(likelihood.X.shape[1]) if j != column), column]
    ordered = likelihood.in_order(order)
    factor = float(ordered.triangles[predictor][-1, -1])
    beta = np.zeros((likelihood.model.predictors, len(order)))
    beta[tuple(likelihood.places.T)] = likelihood.to_coefficients @ maximum.start
    centre: FloatArray = np.linalg.solve(
        ordered.to_coefficients, beta[:, order][tuple(ordered.places.T)]
    ).astype(np.float64)
    profile = _Profile(
        likelihood=ordered,
        entry=int(np.flatnonzero(ordered.places[:, 0] == predictor)[-1]),
        greatest=maximum.log_likelihood,
        z=_bound(maximum, level),
        centre=centre,
    )
    return profile, factor, float(beta[predictor, column]) * factor


def _bound(maximum: Maximum, level: float) -> float:
    r"""Return how great the root of a likelihood ratio may be.

    With m direct answers, as which the reports are at least as good, and d of them more than
    covariates, the ratio is referred to Fisher's distribution as in a linear model of m people:
    it may be :math:`m \ln(1 + q F / d)`, with F the quantile on q and d degrees of freedom. Of one
    coefficient q is 1, and F the square of Student's t.

    Where the supremum is at infinity, or a rough search got higher, the ratio has more than one
    degree of freedom: the people were divided by a plane, which all coefficients chose together. So
    the interval is then that of all of them together, with q their number (Scheffé's).
    """
    likelihood, d = maximum.likelihood, degrees_of_freedom(maximum.likelihood)
    m = d + likelihood.X.shape[1]
    together = maximum.flat.size > 0 or maximum.is_doubted
    q = likelihood.size if together else 1
    F = float(scipy.special.fdtri(q, d, level))
    return math.sqrt(m * math.log1p(q * F / d))


def degrees_of_freedom(likelihood: Likelihood) -> float:
    """Return how many more direct answers than covariates the reports are worth, at least 1."""
    return float(max(direct_answers(likelihood) - likelihood.X.shape[1], 1.0))


@dataclass(frozen=True, eq=False)
class _Profile:
    """The signed root of the likelihood ratio, less z, as a function of one entry of gamma."""

    likelihood: Likelihood
    entry: int
    greatest: float
    z: float
    centre: FloatArray

    def holds(self, value: float) -> bool:
        """Tell whether the root is at most z at a value."""
        try:
            if self._root()(value) <= 0:
                return True
        except ConvergenceError:
            pass  # a wide search may lead to where it can be told
        return self._root_of(self._highest(value).log_likelihood) <= 0

    def end(self, estimate: float, step: float) -> float:
        """Return where the root is z, in the direction of `step` from the estimate."""
        root = self._root()
        inside, before, distance = 0.0, -self.z, step
        while (now := root(estimate + distance)) < 0:
            if self._is_hopeless(distance, now - before):
                return math.copysign(math.inf, step)
            # The root is nearly linear in the distance, so that this mostly ends just outside.
            longer = min(max(1.02 * self.z / (now + self.z), 1.02), 2.0) if now > -self.z else 2.0
            inside, before, distance = distance, now, distance * longer
        found = self._root_in(root, estimate + inside, estimate + distance, abs(step))
        return self._certain(found, step)

    def _certain(self, found: float, step: float) -> float:
        """Move an end outwards until nothing higher is found there by a wide search."""
        for _ in range(_OUTWARDS):
            there = self._highest(found)
            if self._root_of(there.log_likelihood) > -_ROOT:
                return found
            if there.divides_all:
                return math.copysign(math.inf, step)
            # Another maximum is higher there: its own root is followed from here.
            profile = replace(self, centre=there.start)
            root, inside, distance = profile._root([there.start]), 0.0, abs(step) / 4
            before = -self.z
            while (now := root(found + math.copysign(distance, step))) < 0:
                if self._is_hopeless(distance, now - before):
                    return math.copysign(math.inf, step)
                inside, before, distance = distance, now, 2 * distance
            near, far = (found + math.copysign(one, step) for one in (inside, distance))
            if root(near) >= 0:
                break
            found = profile._root_in(root, near, far, abs(step))
        raise ConvergenceError(
            "expected the end of the interval to be one where no wide search gets higher, found "
            f"that it moved outwards {_OUTWARDS} times: the likelihood has too many maxima"
        )

    def _highest(self, value: float) -> Maximum:
        free = np.arange(self.likelihood.size) != self.entry
        starts = [self.centre, *starting_values(self.likelihood)]
        return greatest(self.likelihood, [np.where(free, one, value) for one in starts], free)

    def end_of_separated(self, towards: float) -> float:
        """Return the finite end of the interval of a coefficient separated in a direction."""
        root = self._root()
        here, now, length = 0.0, root(0.0), 1.0
        # Where the likelihood is too low already, its supremum is towards where it rises.
        sign = towards if now >= 0 else -towards
        while True:
            there = here + sign * length
            after = root(there)
            if (after >= 0) != (now >= 0):
                return self._certain(self._root_in(root, here, there, 1.0), -towards)
            if self._is_hopeless(there, after - now):
                return math.copysign(math.inf, sign)
            here, now, length = there, after, 2 * length

    @staticmethod
    def _is_hopeless(distance: float, gained: float) -> bool:
        return abs(distance) > _FAR or (abs(distance) > 1e3 and abs(gained) < 1e-6)

    @staticmethod
    def _root_in(root: Callable[[float], float], one: float, other: float, scale: float) -> float:
        return float(scipy.optimize.brentq(root, one, other, xtol=1e-6 * scale, rtol=1e-11))

    def _best(self, starts: list[FloatArray], free: npt.NDArray[np.bool_]) -> Maximum | float:
        """Return a maximum, or a log-likelihood that is above the bound already."""
        reached = [self.likelihood.at(start).log_likelihood for start in starts]
        failures = []
        for index in np.argsort(reached)[::-1]:
            try:
                return maximise(self.likelihood, [starts[index]], free)
            except ConvergenceError as failure:
                failures.append(failure)
        if self._root_of(max(reached)) < 0:
            return max(reached)
        raise failures[0]

    def _root_of(self, log_likelihood: float) -> float:
        return math.sqrt(2 * max(self.greatest - log_likelihood, 0.0)) - self.z

    def _root(self, more: Sequence[FloatArray] = ()) -> Callable[[float], float]:
        free = np.arange(self.likelihood.size) != self.entry
        cold = [*starting_values(self.likelihood), *more]
        # The latest solution is where the next one starts, together with a straight line through
        # it from the estimate: the others mostly go along in proportion.
        latest = self.centre

        @cache  # where there are several maxima, the answer must not depend on who asks again
        def root(value: float) -> float:
            nonlocal latest
            starts, along = [*cold, latest], latest - self.centre
            if along[self.entry]:
                share = (value - self.centre[self.entry]) / along[self.entry]
                starts.append(self.centre + along * share)
            starts = [np.where(free, start, value) for start in starts]
            best = self._best(starts, free)
            if isinstance(best, float):
                return self._root_of(best)
            if best.log_likelihood > self.greatest + 1e-6:
                raise ConvergenceError(
                    "expected the fit to be the maximum, found a log-likelihood that is higher by "
                    f"{best.log_likelihood - self.greatest:.3g}: the likelihood has several maxima"
                )
            latest = best.start
            return self._root_of(best.log_likelihood)

        return root
