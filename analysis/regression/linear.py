"""Linear regression of a number, randomised or direct: its mean is needed, and no shares are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.errors import least_noise
from deniable.analysis.estimated import Normal, in_normal_quantiles, two_sided
from deniable.analysis.intervals import wald
from deniable.analysis.means import mean_of
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.regression.design import covariates_at, covariates_of
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.effective import design_effect
from deniable.channel import Channel

_ALONE: Final = 1e-9
"""What one person leaves to others of a coefficient, at least."""

_FEW: Final = 3e-5
"""The least part of people with a number that is told from none."""


@dataclass(frozen=True, eq=False)
class LinearFit:
    """A linear regression of the mean of a number. Made by `regress_mean`.

    Parameters
    ----------
    names : tuple of str
        Of the coefficients.
    coefficients : ndarray, shape (p,)
        In the units of the number.
    covariance : ndarray, shape (p, p)
        Whatever the residual variances are.
    degrees_of_freedom : ndarray, shape (p,)
        Of Student's t, for each coefficient.
    dropped : int
        Rows that missed a value in use.
    design_effect : ndarray, shape (p,), optional
        See `deniable.analysis.sampling.effective`; None if people count alike.
    columns : callable, optional
        From a data frame to the covariates that a formula makes of it.
    """

    names: tuple[str, ...]
    n: int
    coefficients: FloatArray
    covariance: FloatArray = field(repr=False)
    degrees_of_freedom: FloatArray = field(repr=False)
    dropped: int = 0
    formula: str = ""
    design_effect: FloatArray | None = field(default=None, repr=False)
    columns: Callable[[Any], FloatArray] | None = field(default=None, repr=False)

    @property
    def standard_error(self) -> FloatArray:
        """Standard errors of the coefficients."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def t(self) -> FloatArray:
        """Coefficients in standard errors."""
        return self.coefficients / self.standard_error

    @property
    def p_value(self) -> FloatArray:
        """Two-sided p-values of the test that a coefficient is 0."""
        return two_sided(self.t, self.degrees_of_freedom)

    def interval(self, level: float = 0.95) -> FloatArray:
        """Confidence interval of each coefficient; shape (p, 2)."""
        in_t = in_normal_quantiles(level, self.degrees_of_freedom)
        return wald(self.coefficients, self.standard_error * in_t, level)

    def predict(self, X: Any) -> Normal:
        """Predict the mean of the number.

        Parameters
        ----------
        X : array_like or DataFrame
            As for `deniable.analysis.regression.fit.Regression.predict`.

        Raises
        ------
        ValueError
            If the fit did not know a level or misses a column; it names what was found.
        """
        new = covariates_at(X, self.names, self.columns)
        variance = np.einsum("ij,jk,ik->i", new, self.covariance, new)
        return Normal(
            theta=new @ self.coefficients,
            standard_error=np.sqrt(variance),
            degrees_of_freedom=float(self.degrees_of_freedom.min()),
        )


def regress_mean(  # noqa: PLR0913  a number, what it depends on, and who was asked
    reports: npt.ArrayLike,
    X: npt.ArrayLike,
    channel: Channel,
    values: npt.ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sample: SamplingDesign | None = None,
    rows: npt.NDArray[np.int64] | None = None,
    times: IntArray | None = None,
) -> LinearFit:
    r"""Regress a number on covariates, from reports that need tell nothing but its mean.

    Parameters
    ----------
    reports, X, names, times
        As for `deniable.analysis.regression.binary.regress`.
    channel : Channel
        By which the reports were drawn; `deniable.channel.identity` for a number asked directly.
    values : array_like of float, shape (truths,)
        What each truth counts for; nan for one that is no number. The regression is then of the
        people whose truth is one.
    sample, rows
        How people were drawn, and which of them these are; by default everybody counts alike.
        Then the covariance is that of the design, by linearisation.

    Notes
    -----
    Every report contributes g, whose expectation given the truth is its value, or 0 if it has none,
    and h, whose expectation is 1 or 0. The coefficients solve
    :math:`\sum_i x_i (g_i - h_i x_i'\beta) = 0`: those of least squares on g where all truths have
    values, which are unbiased. The covariance is the sandwich of White with the residuals divided
    by one minus their leverage (HC2), and no variance is taken for less than what the known noise
    has. The degrees of freedom are Satterthwaite's for equal variances: with an indicator of two
    groups, error and interval are Welch's.

    References
    ----------
    MacKinnon, J. G. and White, H. (1985). Some heteroskedasticity-consistent covariance matrix
    estimators with improved finite sample properties. Journal of Econometrics 29, 305-325.
    Bell, R. M. and McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Examples
    --------
    >>> from deniable import designs
    >>> group = np.repeat([0, 1], 4)
    >>> X = np.column_stack([np.ones(8), group])
    >>> fit = regress_mean([0, 0, 1, 0, 1, 1, 0, 1], X, designs.two_point(11, epsilon=2), range(11))
    >>> fit.coefficients.round(2), fit.standard_error.round(2)
    (array([1.72, 6.57]), array([3.28, 4.64]))
    """
    table, named = covariates_of(X, reports, names, times=times)
    came = np.asarray(reports, dtype=np.int64)
    of = mean_of(channel, np.asarray(values, dtype=np.float64))
    g, h = of.to_numerator[came], of.to_denominator[came]
    each = np.ones(len(g)) if times is None else times.astype(np.float64)
    w = np.ones(len(g))
    if sample is not None:
        rows = np.arange(len(g)) if rows is None else rows
        w = sample.weights[rows] / np.average(sample.weights[rows], weights=each)

    weighed = (each * w)[:, np.newaxis] * table
    inverse = _inverse(weighed.T @ (h[:, np.newaxis] * table), weighed.T @ table)
    coefficients, pull = inverse @ (weighed.T @ g), (w[:, np.newaxis] * table) @ inverse
    leverage = (pull * table).sum(axis=1)
    room = 1 - h * leverage
    if (room < _ALONE).any():
        raise ValueError(
            "expected at least two people with each combination that the terms tell apart: "
            "somebody alone decides a coefficient, so its error cannot be told"
        )
    residuals = g - h * (table @ coefficients)
    covariance = (pull * (each * residuals**2 / room)[:, np.newaxis]).T @ pull
    z = pull * residuals[:, np.newaxis]
    if sample is not None:
        covariance = sample.covariance(sample.placed(z, rows))
    middle = float(each @ g / (each @ h))
    apart = of.to_numerator - middle * of.to_denominator
    expected = of.numerator - middle * of.denominator
    noise = float(least_noise(apart, channel.probabilities, expected))
    square = pull**2
    floor = noise * (each @ square)
    covariance += np.diag(np.maximum(floor - np.diag(covariance), 0))
    alike = np.maximum(1 - leverage, _ALONE)[:, np.newaxis]
    freedom = (each @ square) ** 2 / (each @ (square**2 / alike))
    effect = None
    if sample is not None:
        freedom = np.full(len(named), sample.degrees_of_freedom_left(len(named)))
        effect = design_effect(np.diag(covariance), sample.weights[rows], z, each)
    n = int(each.sum())
    return LinearFit(named, n, coefficients, covariance, freedom, design_effect=effect)


def _inverse(information: FloatArray, plain: FloatArray) -> FloatArray:
    """Invert what people with a number tell, or refuse where there may be none."""
    root = np.linalg.cholesky(plain)
    half = np.linalg.inv(root)
    if not np.linalg.eigvalsh(half @ information @ half.T).min() > _FEW:
        raise ValueError(
            "expected people with a number in each combination that the terms tell apart, found "
            "that the reports do not show any in one"
        )
    return np.asarray(np.linalg.inv(information))
