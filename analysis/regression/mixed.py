"""Regression with random intercepts: people in schools, interviewers' respondents, waves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.estimated import in_normal_quantiles, two_sided
from deniable.analysis.intervals import wald
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.numerics.levels import check_level, normal_quantile
from deniable.analysis.regression import design
from deniable.analysis.regression.grouped import LARGEST, GroupedLikelihood
from deniable.analysis.regression.inference import Test
from deniable.analysis.regression.likelihood import Likelihood
from deniable.analysis.regression.links import find_link
from deniable.analysis.regression.maximise import UNLIKELY, contrasts, plateau
from deniable.analysis.regression.searching import are_many, greatest
from deniable.analysis.regression.truth import BaselineCategory, Binary
from deniable.channel import Channel

POINTS: Final = {1: 15, 2: 9, 3: 7, 4: 5}
MOST_POINTS: Final = {1: 240, 2: 36, 3: 7, 4: 5}
"""Quadrature points in each dimension, by how many intercepts a group has: first, and at most."""

ENOUGH: Final = 1e-5
"""By how much twice the points may move the log-likelihood before they are taken."""

_FEWEST: Final = 3

# A likelihood ratio of less is rounding.
_ZERO: Final = 1e-8

# Where the search starts, in linear predictors.
_DEVIATIONS: Final = (0.4, 1.2)

# Deviations from which groups may differ without a limit, and that are as good as none; and by how
# much the likelihood may be higher there without a word.
_WIDE: Final = 1.0
_APART: Final = 8.0
_DOUBTED: Final = 0.05

LATENT: Final = {"logit": math.pi**2 / 3, "probit": 1.0, "cloglog": math.pi**2 / 6}
"""The variance of the latent variable behind a truth, within groups, by its link."""


@dataclass(frozen=True, eq=False)
class MixedFit:
    """A regression with a random intercept for each group. Made by `regress_mixed`.

    `coefficients`, shape (p,) for two truths and (k - 1, p) for k: of people whose group has
    intercept 0. `deviations`, shape (k - 1,): standard deviations of the intercepts. `groups`:
    their number. `points`: of the quadrature, in each dimension. `log_likelihood`: in nats;
    `ordinary_log_likelihood`: of the regression without intercepts. `change`: by how much the
    log-likelihood moves with twice the points.
    """

    names: tuple[str, ...]
    deviations: FloatArray
    groups: int
    points: int
    log_likelihood: float
    ordinary_log_likelihood: float
    change: float
    link: str
    answers: tuple[str, ...] = ()
    dropped: int = 0
    formula: str | None = None
    within: str = "group"
    _surface: GroupedLikelihood = field(kw_only=True, repr=False)
    _theta: FloatArray = field(kw_only=True, repr=False)

    @property
    def n(self) -> int:
        """Number of respondents."""
        return self._surface.likelihood.n

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood of the reports if all intercepts were 0."""
        return self._surface.likelihood

    @property
    def terms(self) -> tuple[str, ...]:
        """The covariates."""
        return self.names

    @property
    def df(self) -> int:
        """Number of coefficients and standard deviations."""
        return len(self._theta)

    @property
    def aic(self) -> float:
        """Akaike's criterion, ``2 df - 2 log-likelihood``."""
        return 2 * self.df - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, with the number of respondents: ``df log n - 2 log-likelihood``."""
        return self.df * math.log(self.n) - 2 * self.log_likelihood

    def _reshape(self, flat: FloatArray) -> FloatArray:
        m, p = len(self.deviations), len(self.names)
        return flat.reshape((p,) if m == 1 else (m, p))

    @property
    def coefficients(self) -> FloatArray:
        """Coefficients of the covariates, for people whose group has intercept 0."""
        return self._reshape(self.likelihood.to_coefficients @ self._theta[~self._surface.spread])

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of the coefficients, from the observed information; shape (df, df).

        The standard deviations are estimated too, and are left out of the result.
        """
        observed = self._surface.at(self._theta).observed
        kept = ~self._surface.spread
        V = np.linalg.inv(observed)[np.ix_(kept, kept)]
        to = self.likelihood.to_coefficients
        return to @ V @ to.T

    @property
    def standard_error(self) -> FloatArray:
        """Standard errors, of the shape of the coefficients."""
        return self._reshape(np.sqrt(np.diag(self.covariance)))

    @property
    def z(self) -> FloatArray:
        """Coefficients in standard errors."""
        return self.coefficients / self.standard_error

    @cached_property
    def degrees_of_freedom(self) -> FloatArray:
        """Degrees of freedom of Student's t for each covariate, shape (p,).

        What is the same for all people of each group is known from the groups alone: their number
        less that of such covariates, the intercept among them, and at least 1. Infinite for the
        others.

        References
        ----------
        Schluchter, M. D. and Elashoff, J. T. (1990). Small-sample adjustments to tests with
        unbalanced repeated measures assuming several covariance structures. Journal of Statistical
        Computation and Simulation 37, 69-87: between and within.
        """
        X, first = self.likelihood.X, self._surface.first
        apart = np.maximum.reduceat(X, first) > np.minimum.reduceat(X, first)
        of_groups = ~apart.any(axis=0)
        left = max(self.groups - int(of_groups.sum()), 1)
        return np.where(of_groups, float(left), math.inf)

    @property
    def p_value(self) -> FloatArray:
        """Two-sided p-values of Wald's test that a coefficient is 0, by Student's t."""
        return two_sided(self.z, self.degrees_of_freedom)

    def interval(self, level: float = 0.95) -> FloatArray:
        """Wald's confidence interval of each coefficient by t, its ends on the last axis."""
        in_t = in_normal_quantiles(level, self.degrees_of_freedom)
        return wald(self.coefficients, self.standard_error * in_t, level)

    @property
    def variance(self) -> FloatArray:
        """Variances of the intercepts, shape (k - 1,)."""
        return np.square(self.deviations)

    def variance_interval(self, level: float = 0.95) -> FloatArray:
        """Profile-likelihood interval of each variance, shape (k - 1, 2).

        It begins at 0 where the likelihood-ratio test does not reject a variance of 0, and is
        infinite where no variance, however great, is rejected.
        """
        check_level(level)
        allowed = normal_quantile(level) ** 2 / 2
        places = np.flatnonzero(self._surface.spread)
        return np.square([self._profile(int(place), allowed) for place in places])

    def _profile(self, place: int, allowed: float) -> tuple[float, float]:
        free = np.arange(self.df) != place
        estimate, start = abs(float(self._theta[place])), self._theta

        def excess(value: float) -> float:
            nonlocal start
            there = np.where(free, start, value)
            start = self._surface.maximum(there, free)
            return self.log_likelihood - self._surface.at(start).log_likelihood - allowed

        low = 0.0
        if estimate > 0 and excess(0.0) > 0:
            low = float(scipy.optimize.brentq(excess, 0.0, estimate, xtol=1e-4))
        start, high, step = self._theta, estimate, 0.5
        while excess(high + step) < 0:
            high, step = high + step, 1.5 * step
            if high > LARGEST:
                return low, math.inf
        return low, float(scipy.optimize.brentq(excess, high, high + step, xtol=1e-4))

    def correlation_of(self, variance: FloatArray) -> FloatArray:
        """Return the intraclass correlation at variances, such as the estimates or their ends.

        It is that of the latent variables of two people of a group: ``variance / (variance + v)``,
        v being pi^2/3 for the logit, 1 for the probit and pi^2/6 for the complementary log-log; nan
        for the cauchit, as a Cauchy variable has no variance.
        """
        return 1 - 1 / (1 + variance / LATENT.get(self.link, math.nan))

    def no_variance(self) -> Test:
        """Likelihood-ratio test that all variances are 0.

        A variance of 0 lies at the end of what is possible, so that the statistic is 0 in about
        half of all samples. Its p-value is the mean of those by chi-square distributions of m - 1
        and m degrees of freedom, for m variances. That is exact for one variance in large samples,
        and an upper limit for several.
        """
        m = len(self.deviations)
        statistic = max(2 * (self.log_likelihood - self.ordinary_log_likelihood), 0.0)
        if statistic < _ZERO:
            return Test(statistic, m, 1.0)
        below = 0.0 if m == 1 else float(scipy.special.chdtrc(m - 1, statistic))
        return Test(statistic, m, (below + float(scipy.special.chdtrc(m, statistic))) / 2)


def _model_of(truths: int, link: str, points: int | None) -> Binary | BaselineCategory:
    """Return the model of the truth, or say what random intercepts cannot be fitted to."""
    model = Binary(find_link(link)) if truths == 2 else BaselineCategory(truths)
    if truths > 2 and link != "logit":
        raise ValueError(f"expected the link logit for more than two truths, found {link!r}")
    if points is not None and points < _FEWEST:
        raise ValueError(f"expected at least {_FEWEST} points of quadrature, found {points}")
    if model.predictors not in POINTS:
        raise ValueError(
            f"expected at most {max(POINTS) + 1} answers for random intercepts, found "
            f"{truths}: each of them but one has an intercept to integrate over"
        )
    return model


def regress_mixed(  # noqa: PLR0913  what is fitted, and its names
    reports: npt.ArrayLike,
    X: npt.ArrayLike,
    channel: Channel,
    group: npt.ArrayLike,
    *,
    link: str = "logit",
    names: Sequence[str] | None = None,
    answers: Sequence[str] | None = None,
    points: int | None = None,
    times: IntArray | None = None,
) -> MixedFit:
    """Regress a truth on covariates and a random intercept for each group of people.

    Parameters
    ----------
    reports, X, channel, link, names, answers, times
        As for `regress` and, of more than two truths, for `regress_multinomial`.
    group : array_like, shape (n,)
        A label for each respondent: their school, their interviewer. Or the person, of several
        reports by one: then each must have been randomised anew, since a noisy answer that is
        repeated would count as likeness.
    points : int, optional
        Of the quadrature, in each dimension. By default those of `POINTS`, doubled for as long as
        that moves the log-likelihood by more than `ENOUGH`.

    Notes
    -----
    A group's intercepts are added to the linear predictors of its people. They are normal with mean
    0, and independent of each other if there are several, one for each answer but the first. The
    likelihood of a group is the integral over them, by adaptive Gauss-Hermite quadrature: its
    points are centred at the mode of the integrand and spread by the expected information there.

    References
    ----------
    Pinheiro, J. C. and Bates, D. M. (1995). Approximations to the log-likelihood function in the
    nonlinear mixed-effects model. Journal of Computational and Graphical Statistics 4, 12-35: the
    quadrature. Fox, J.-P., Veen, D. and Klotzke, K. (2018). Generalized linear mixed models for
    randomized responses. Methodology 15, 1-18: the model. Louis, T. A. (1982). Finding the observed
    information matrix when using the EM algorithm. JRSS B 44, 226-233: the standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> from deniable import designs
    >>> reports = np.repeat([0, 1, 0, 1, 0, 1], [35, 15, 15, 35, 25, 25])
    >>> school = np.repeat(["a", "b", "c"], 50)
    >>> fit = regress_mixed(reports, np.ones((150, 1)), designs.warner(flip="1/10"), school)
    >>> abs(fit.coefficients).round(3), fit.variance.round(3)
    (array([0.]), array([0.695]))
    """
    design.check_channel(channel)
    model = _model_of(channel.truths, link, points)
    covariates, named = design.covariates_of(X, reports, names, times=times)
    members = _members(group, len(covariates), times)
    order = np.argsort(members, kind="stable")
    likelihood = design.likelihood_of(model, reports, covariates, channel, None, times)
    ordinary = greatest(likelihood)
    if ordinary.flat.size:
        raise ValueError(
            "expected data to which a regression without random intercepts can be fitted; its "
            "coefficients run to infinity, because covariates separate the answers or the reports "
            "are rarer than the design allows"
        )
    ordered = replace(
        likelihood,
        X=likelihood.X[order],
        reports=likelihood.reports[order],
        times=None if times is None else times[order],
    )
    surface = GroupedLikelihood(ordered, members[order], points or POINTS[model.predictors])
    theta = _greatest(surface, ordinary.gamma)
    reached = surface.at(theta).log_likelihood
    while True:
        finer = replace(surface, points=2 * surface.points)
        change = finer.at(theta).log_likelihood - reached
        if points or abs(change) < ENOUGH or finer.points > MOST_POINTS[model.predictors]:
            break
        surface, theta = finer, finer.maximum(theta, np.ones(len(theta), dtype=np.bool_))
        reached = surface.at(theta).log_likelihood
    theta = _with_wide_groups(surface, finer if surface.points > 9 else surface, theta)
    reached = surface.at(theta).log_likelihood
    _check_determined(surface, theta, reached)
    return MixedFit(
        names=named,
        deviations=np.abs(theta[surface.spread]),
        groups=len(surface.first),
        points=surface.points,
        log_likelihood=reached,
        ordinary_log_likelihood=ordinary.log_likelihood,
        change=change,
        link=link,
        answers=tuple(answers or map(str, range(channel.truths))),
        _surface=surface,
        _theta=theta,
    )


def _with_wide_groups(
    surface: GroupedLikelihood, finer: GroupedLikelihood, theta: FloatArray
) -> FloatArray:
    """Return a maximum, or a higher one where groups differ by more; refuse one without a limit."""
    spread = surface.spread
    widest = float(np.abs(theta[spread]).max())
    if widest >= _APART or (widest <= _WIDE and are_many(surface.likelihood)):
        return theta
    higher = 0.0
    try:
        # The coefficients grow with the deviation, as the chances of a mean person stay.
        growth = _APART / max(widest, _WIDE)
        far = finer.maximum(np.where(spread, _APART, theta * growth), ~spread)
        higher = finer.at(far).log_likelihood - finer.at(theta).log_likelihood
        return theta if higher < _DOUBTED else surface.maximum(far, np.ones(len(far), dtype=bool))
    except ConvergenceError:
        if higher < _DOUBTED:
            return theta
        raise ConvergenceError(
            "expected groups that differ by a finite variance, found the log-likelihood to be "
            f"higher by {higher:.2g} where the variance of their intercepts runs to infinity"
        ) from None


def _check_determined(surface: GroupedLikelihood, theta: FloatArray, reached: float) -> None:
    """Refuse a maximum that cannot be told from infinity."""
    likelihood, kept = surface.likelihood, ~surface.spread
    if likelihood.at(theta[kept]).truth.probabilities.min() > UNLIKELY:
        return

    def height(gamma: FloatArray) -> float:
        there = theta.copy()
        there[kept] = gamma
        return surface.at(there).log_likelihood

    ways = plateau(height, contrasts(likelihood), theta[kept], reached)
    if ways:
        raise ConvergenceError(
            "expected coefficients that the reports bound, found that the log-likelihood is only "
            f"{ways[0][0]:.2g} lower where they run to infinity: leave some covariates out"
        )


def _members(group: npt.ArrayLike, n: int, times: IntArray | None) -> npt.NDArray[np.int64]:
    """Return the number of each row's group."""
    labels = design.one_each(group, n, "groups")
    found, members = np.unique(labels, return_inverse=True)
    if len(found) < 2:
        raise ValueError("expected at least 2 groups for random intercepts, found 1")
    if len(found) == n and (times is None or times.max() == 1):
        raise ValueError(
            f"expected some group of at least 2 people, found {n:,} groups of one: what people of "
            "a group have in common cannot be seen"
        )
    return members.astype(np.int64)


def _greatest(surface: GroupedLikelihood, gamma: FloatArray) -> FloatArray:
    """Return the highest maximum that is reached from the ordinary fit and several deviations."""
    # Of few people the ordinary coefficients may be far out, where groups do not differ.
    parts = (1.0,) if are_many(surface.likelihood) else (1.0, 0.5)
    reached, failures = [], []
    for deviation, part in itertools.product(_DEVIATIONS, parts):
        theta = np.where(surface.spread, deviation, 0.0)
        theta[~surface.spread] = part * gamma
        try:
            reached.append(surface.maximum(theta, np.ones(len(theta), dtype=np.bool_)))
        except ConvergenceError as failure:
            failures.append(failure)
    if not reached:
        raise failures[0]
    return max(reached, key=lambda theta: surface.at(theta).log_likelihood)
