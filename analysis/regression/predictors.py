"""Regression *on* randomised items: what a truth that nobody knows does to an outcome."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.intervals import wald
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.numerics.levels import check_choice, check_level
from deniable.analysis.regression.design import (
    check_rank,
    checked_covariates,
    checked_items,
    checked_names,
    checked_outcome,
    holds_constant,
    names_of_predictors,
)
from deniable.analysis.regression.latent_class import (
    SEPARATED,
    LatentClassAt,
    LatentClassLikelihood,
    dummies,
)
from deniable.analysis.regression.latent_profile import Profile
from deniable.analysis.regression.latent_search import greatest
from deniable.analysis.regression.likelihood import orthogonal
from deniable.channel import Channel

METHODS: Final = ("profile", "wald")
"""The intervals that a coefficient can be asked for."""

KINDS: Final = ("observed", "opg", "sandwich")
"""The covariances by the names under which a fit is asked for them."""

# Two maxima whose log-likelihoods differ by less than this are one.
_SAME: Final = 1e-6


@dataclass(frozen=True, eq=False)
class PredictorFit:
    """A regression on randomised items. Made by `regress_on_randomised`.

    Parameters
    ----------
    names : tuple of str
        Of the coefficients: the covariates', then the randomised predictors'.
    outcome : str
        "linear" or "logistic".
    truths : tuple of int
        Number of truths of each randomised predictor.
    maxima : tuple of float
        The greatest log-likelihood that was reached from each starting value, in descending order;
        -inf where one led to no maximum. If they differ, the likelihood has several maxima.
    higher : float
        By how much the log-likelihood is higher where there is no maximum; below 0 where it is so
        little lower at infinity that the maximum cannot be told from it.
    elsewhere : ndarray, shape (size,), or None
        Where that is, in terms of the likelihood; None if nowhere.
    dropped, formula
        By `regress_on_formula`: rows left out because a value was missing, and what was written.
    """

    names: tuple[str, ...]
    outcome: str
    truths: tuple[int, ...]
    maxima: tuple[float, ...]
    _at: LatentClassAt = field(repr=False)
    _others: tuple[FloatArray, ...] = field(repr=False)
    _to: FloatArray = field(repr=False)
    _unit: float = field(repr=False)
    higher: float
    elsewhere: FloatArray | None = field(repr=False)
    dropped: int = 0
    formula: str | None = None

    @property
    def n(self) -> int:
        """Number of respondents."""
        return self._at.likelihood.n

    @property
    def df(self) -> int:
        """Number of parameters, those of the truths' distribution included."""
        return self._at.likelihood.size

    @property
    def log_likelihood(self) -> float:
        """The greatest log-likelihood of outcomes and reports, in nats."""
        return self.maxima[0]

    @property
    def aic(self) -> float:
        """Akaike's criterion, ``2 df - 2 log-likelihood``."""
        return 2 * self.df - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, ``df log n - 2 log-likelihood``."""
        return self.df * math.log(self.n) - 2 * self.log_likelihood

    @property
    def message(self) -> str:
        """How the fit ended, in a sentence."""
        same = sum(self.log_likelihood - one <= _SAME for one in self.maxima)
        return (
            f"converged: observed information positive definite; {same} of {len(self.maxima)} "
            "starting values led to this maximum, the others to lower ones or to none"
            if same < len(self.maxima)
            else "converged: observed information positive definite; all starting values led to "
            "this maximum"
        )

    @property
    def doubt(self) -> str | None:
        """A sentence, if the likelihood is as high where there is no maximum; None otherwise."""
        if self.elsewhere is None:
            return None
        by, higher = f"{abs(self.higher):.2g}", self.higher > 0
        runs = [
            f"{name} to {'+' if sign > 0 else '−'}∞"
            for name, sign in zip(self.names, self._runs, strict=True)
            if sign
        ]
        if np.abs(self._at.likelihood.at(self.elsewhere).class_eta).max() > SEPARATED:
            runs.append("the probability of a truth to 0 or 1 for some people")
        where = f" ({', '.join(runs)})" if runs else ""
        return (
            f"Careful: the log-likelihood is {f'higher by {by}' if higher else f'only {by} lower'} "
            f"where there is no maximum{where}. The reports are too few for these covariates: "
            "leave some out"
        )

    @cached_property
    def _runs(self) -> FloatArray:
        """The sign of each coefficient that runs to infinity where the likelihood is as high."""
        if self.elsewhere is None:
            return np.zeros(len(self.names))
        p = self._at.likelihood.Z.shape[1]
        # How far each coefficient moves the linear predictor, at its column's root mean square.
        sizes = np.ones(len(self.names))
        sizes[:p] = np.linalg.norm(np.linalg.inv(self._to[:p, :p] / self._unit), axis=0)
        there = self._at.likelihood.at(self.elsewhere)
        found = (self._to @ self.elsewhere)[: len(self.names)] * sizes / self._unit / there.sigma
        return np.where(np.abs(found) > SEPARATED, np.sign(found), 0.0)

    @property
    def _unbounded(self) -> FloatArray:
        return self._runs * (self.higher <= 0)

    @cached_property
    def _parameters(self) -> FloatArray:
        return self._to @ self._at.parameters

    @property
    def coefficients(self) -> FloatArray:
        """Coefficients of the covariates, then of each predictor's truths; infinite if not told."""
        found = self._parameters[: len(self.names)]
        return np.where(self._unbounded, np.copysign(math.inf, self._unbounded), found)

    def covariance(self, kind: str = "observed") -> FloatArray:
        """Covariance of the coefficients; shape (coefficients, coefficients).

        Parameters
        ----------
        kind : {"observed", "opg", "sandwich"}
            What it is computed from.

            - 'observed' : the inverse of the observed information (default)
            - 'opg' : the inverse of the sum of the scores' outer products
            - 'sandwich' : ``A^-1 B A^-1`` with A the one and B the other, which holds though the
              model is wrong (White 1982)
        """
        found = self._covariance(kind)[: len(self.names), : len(self.names)]
        lost = self._unbounded != 0
        found[lost | lost[:, np.newaxis]] = math.nan
        found[lost, lost] = math.inf
        return found

    def _covariance(self, kind: str) -> FloatArray:
        check_choice(kind, KINDS, "a covariance")
        try:
            inverse = scipy.linalg.inv(self._at.outer if kind == "opg" else self._at.observed)
        except scipy.linalg.LinAlgError:
            raise ValueError("expected information of full rank, found it singular") from None
        V = inverse @ self._at.outer @ inverse if kind == "sandwich" else inverse
        found: FloatArray = self._to @ V @ self._to.T
        return (found + found.T) / 2

    def standard_error(self, kind: str = "observed") -> FloatArray:
        """Return the standard errors of the coefficients; see `covariance`."""
        return np.sqrt(np.diag(self.covariance(kind)))

    def z(self, kind: str = "observed") -> FloatArray:
        """Coefficients in standard errors; nan for infinite ones."""
        return np.where(self._unbounded, math.nan, self.coefficients) / self.standard_error(kind)

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of Student's t; infinite for a logistic outcome."""
        return self.n - len(self.names) if self.outcome == "linear" else math.inf

    def p_value(self, against: npt.ArrayLike = 0.0) -> FloatArray:
        """Two-sided p-values of the tests that coefficients have some values.

        The `interval` by profile likelihood leaves a value out where p is below 1 less the level.

        Parameters
        ----------
        against : array_like, shape (coefficients,) or a number
            The values; nan where a coefficient is not to be tested.

        Returns
        -------
        ndarray, shape (coefficients,)
            nan where a maximum on the way cannot be certified.
        """
        values = np.broadcast_to(np.asarray(against, dtype=np.float64), len(self.names))
        lost = [
            math.nan if math.isnan(value) else where_certain(partial(profile.lost, value))
            for profile, value in zip(self._profiles, values.tolist(), strict=True)
        ]
        # By how much the log-likelihood falls, as a square of z or of t.
        square, d = 2 * np.array(lost, dtype=np.float64), self.degrees_of_freedom
        if math.isinf(d):
            return np.asarray(scipy.special.chdtrc(self._together, square))
        F = d / self._together * np.expm1(square / self.n)
        return np.asarray(scipy.special.fdtrc(self._together, d, F))

    def interval(
        self, level: float = 0.95, method: str = "profile", *, kind: str = "observed"
    ) -> FloatArray:
        r"""Confidence interval of each coefficient.

        Parameters
        ----------
        method : {"profile", "wald"}
            How it is computed.

            - 'profile' : what a likelihood-ratio test does not reject (default)
            - 'wald' : the coefficient and standard errors to either side, for many people: of 80 it
              may hold the effect of a truth in .90 of surveys in place of .95
        kind : {"observed", "opg", "sandwich"}
            Of the standard errors of 'wald'.

        Returns
        -------
        ndarray, shape (coefficients, 2)
            Lower and upper ends. An end of a truth's effect on a number is at most at `reach`, and
            there where nothing is ruled out before, as where nobody may have that truth. Other ends
            may be infinite. Both are as far out where a maximum on the way cannot be certified.
            Where there is a `doubt` they are Scheffé's, for all parameters together, which is
            wider.

        Notes
        -----
        Of a linear outcome the log-likelihood may be lower by
        :math:`\frac n2 \ln(1 + t^2 / d)`, with t the quantile of Student's distribution on
        d degrees of freedom. Where reports are true and the truths independent of the covariates
        that is the interval of least squares.
        """
        check_level(level)
        check_choice(method, METHODS, "an interval")
        if method == "wald":
            return wald(self.coefficients, self.standard_error(kind), level)
        lost = self._lost_at(level)
        ends = [
            where_certain(partial(profile.ends, lost)) or (-profile.furthest, profile.furthest)
            for profile in self._profiles
        ]
        found = np.array(ends)
        found[self._unbounded < 0, 0], found[self._unbounded > 0, 1] = -math.inf, math.inf
        return found

    @property
    def reach(self) -> float:
        """How much the means of two groups of these people can differ: infinite of a logit."""
        if self.outcome != "linear":
            return math.inf
        return float(np.ptp(self._at.likelihood.y)) * self._unit

    @property
    def _together(self) -> int:
        return 1 if self.doubt is None else self.df

    def _lost_at(self, level: float) -> float:
        """Return by how much the log-likelihood may be lower in an interval."""
        d, q = self.degrees_of_freedom, self._together
        if math.isinf(d):
            return float(scipy.special.chdtri(q, 1 - level)) / 2
        return self.n / 2 * math.log1p(q * float(scipy.special.fdtri(q, d, level)) / d)

    @cached_property
    def _profiles(self) -> list[Profile]:
        """The profile likelihood of each coefficient."""
        errors = np.sqrt(np.diag(self._covariance("observed")))[: len(self.names)]
        is_covariate = np.arange(len(errors)) < len(self._at.likelihood.Z.T)
        reach = np.where(is_covariate, math.inf, self.reach)
        return [
            Profile(self._at, self._others, self._to[place], *map(float, of_each))
            for place, of_each in enumerate(zip(errors, reach, strict=True))
        ]


def _warn_without_intercept(name: str, columns: FloatArray) -> None:
    if not holds_constant(columns):
        warnings.warn(
            f"no combination of the columns of {name} is constant, so that part of the model has "
            "no intercept: add a column of ones, unless none is meant",
            stacklevel=3,
        )


def regress_on_randomised(  # noqa: PLR0913  what is fitted, its names, and how often each row came
    y: npt.ArrayLike,
    reports: npt.ArrayLike,
    channel: Channel | Sequence[Channel],
    Z: npt.ArrayLike | None = None,
    *,
    outcome: str = "linear",
    prevalence: npt.ArrayLike | None = None,
    names: Sequence[str] | None = None,
    times: IntArray | None = None,
) -> PredictorFit:
    r"""Regress an outcome on truths that only randomised reports tell.

    Parameters
    ----------
    y : array_like of float, shape (n,)
        The outcome, known without noise; 0 or 1 for a logistic one.
    reports : array_like of int, shape (n,) or (n, items)
        Column of the channel that each respondent sent; 255 where the item was not asked. Two
        dimensions for several randomised predictors.
    channel : Channel, or sequence of Channel
        By which the reports were drawn. With several predictors, one for each of them.
    Z : array_like of float, shape (n, p), optional
        Covariates, exactly as they enter the model: for an intercept include a column of ones. By
        default the intercept alone. If no combination of the columns is constant, a warning says
        that the model has no intercept.
    outcome : {"linear", "logistic"}
        Normal residuals of one variance, or a yes-or-no outcome.
    prevalence : array_like of float, shape (n, q), optional
        Covariates on which the truths may depend, with a column of ones. By default those of the
        outcome, `Z`; a column of ones alone makes the truths independent of them.
    names : sequence of str, optional
        Of the coefficients: the columns of `Z`, then the truths of each predictor but its first.
    times : ndarray of int64, shape (n,), optional
        How many respondents each row is, where alike rows are counted.

    Notes
    -----
    The truth x adds :math:`\delta_x` to the linear predictor (:math:`\delta_0 = 0`), and is summed
    out: respondent i contributes

    .. math:: P(y_i, a_i | z_i) = \sum_x P(x | w_i) \, C[x, a_i] \, f(y_i | z_i \beta + \delta_x)

    with :math:`P(x | w)` a multinomial logit model. Given the truth, the report must not depend on
    the outcome, which holds by construction as the noise is the device's own. Regressing on the
    report itself would draw its coefficient towards 0.

    With several predictors the classes are all combinations of their truths, whose joint
    distribution is free, and their effects add up.

    The likelihood may have several maxima, mostly where the outcome tells more about the truth than
    the reports do. The fit is the highest maximum that is reached from four starting values and, of
    few people, by a wide search (see `deniable.analysis.regression.latent_search`), and
    `PredictorFit.maxima` lists what was reached. Where the likelihood is higher still at infinity,
    `PredictorFit.doubt` says so.

    References
    ----------
    Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response
    technique. JASA 110, 1304-1319, section 3.2: randomised responses as predictors.
    van den Hout, A. and Kooiman, P. (2006). Estimating the linear regression model with categorical
    covariates subject to randomized response. Computational Statistics and Data Analysis 50,
    3311-3323.

    Examples
    --------
    >>> import numpy as np
    >>> from deniable import designs
    >>> random = np.random.default_rng(1)
    >>> truth = random.random(2000) < 0.3
    >>> said = np.where(random.random(2000) < 1 / 4, ~truth, truth).astype(int)
    >>> y = 1 + 2 * truth + random.normal(size=2000)
    >>> fit = regress_on_randomised(y, said, designs.warner(flip="1/4"))
    >>> fit.names
    ('intercept', 'truth 1')
    >>> bool((fit.interval()[:, 0] < [1, 2]).all() and (fit.interval()[:, 1] > [1, 2]).all())
    True
    """
    values = checked_outcome(y, outcome)
    n = len(values)
    covariates = np.ones((n, 1)) if Z is None else checked_covariates(Z, n)
    classes = covariates if prevalence is None else checked_covariates(prevalence, n)
    _warn_without_intercept("Z", covariates)
    if prevalence is not None:
        _warn_without_intercept("prevalence", classes)
    items = checked_items(reports, channel, n)
    truths = tuple(item.shape[1] for item in items)
    D = dummies(truths)
    of_covariates = checked_names(None, covariates)
    named = names_of_predictors(names, of_covariates, truths)
    check_rank(covariates, of_covariates, covariates.shape[1] + D.shape[1], times)
    check_rank(classes, checked_names(None, classes), classes.shape[1], times)
    # Orthogonal covariates of mean square 1 and an outcome of deviation 1, so that units and
    # correlations do not matter to the arithmetic.
    basis, T = orthogonal(covariates, times)
    class_basis, class_T = orthogonal(classes, times)
    spread = math.sqrt(float(np.cov(values, fweights=times, ddof=0)))
    unit = spread if outcome == "linear" else 1.0
    likelihood = LatentClassLikelihood(
        y=values / unit,
        Z=basis,
        W=class_basis,
        D=D,
        R=reduce(_all_pairs, items),
        linear=outcome == "linear",
        times=times,
    )
    found = greatest(likelihood)
    to = scipy.linalg.block_diag(
        unit * np.linalg.inv(T),
        unit * np.eye(D.shape[1]),
        np.eye(int(likelihood.linear)),
        *[np.linalg.inv(class_T)] * (len(D) - 1),
    )
    # In the outcome's own unit each density is smaller by it.
    shift = likelihood.n * math.log(unit)
    return PredictorFit(
        names=named,
        outcome=outcome,
        truths=truths,
        maxima=tuple(one - shift for one in found.maxima),
        higher=found.higher,
        elsewhere=found.elsewhere,
        _at=found.at,
        _others=found.others,
        _to=to,
        _unit=unit,
    )


def _all_pairs(left: FloatArray, right: FloatArray) -> FloatArray:
    return (left[:, :, np.newaxis] * right[:, np.newaxis, :]).reshape(len(left), -1)
