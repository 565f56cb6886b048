"""The likelihood of an outcome and of randomised reports of its predictors: a latent-class model.

A *class* is a truth, or with several randomised predictors a combination of their truths. Nobody's
class is known; the reports and the outcome tell about it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.convergence import DECREMENT, MOVED, ConvergenceError

_EM_STEPS: Final = 10
_STEPS: Final = 500
_LONGEST_STEP: Final = 5.0  # in linear predictors, and in the logarithm of the residual deviation

# Where less than this many respondents are expected in a class, or the residuals are this small
# beside the outcome's own deviation, the likelihood is on its way to the boundary.
_EMPTY: Final = 1e-3
PERFECT: Final = 1e-7
SEPARATED: Final = 15.0


class EmptyClassError(ConvergenceError):
    """There is no maximum: the likelihood rises to a supremum as a class becomes empty."""

    def __init__(self, message: str, supremum: float) -> None:
        """Keep how high it rises."""
        super().__init__(message)
        self.supremum = supremum


@dataclass(frozen=True, eq=False)
class LatentClassLikelihood:
    r"""Outcomes, covariates and reports of n respondents.

    `y`, shape (n,): outcomes; 0 and 1 unless `linear`. `Z`, shape (n, p): covariates of the
    outcome. `W`, shape (n, q): covariates of the classes. `D`, shape (classes, m): what each class
    adds to the covariates of the outcome; the first row is 0. `R`, shape (n, classes): P(the
    reports that came | class). `linear`: whether the outcome is normal with one variance; logistic
    otherwise. `times`, shape (n,): how many respondents each row is; by default one.

    With :math:`\pi_x(w) \propto \exp(w \gamma_x)`, :math:`\gamma_0 = 0`, and f the density of the
    outcome given its linear predictor :math:`z \beta + D_x \delta`, respondent i adds the logarithm
    of :math:`\sum_x \pi_x(w_i) R_{ix} f(y_i | z_i \beta + D_x \delta)` to the log-likelihood. The
    parameters are ``beta, delta, log(sigma)`` (if linear) and the rows of ``gamma``, in this order.

    The score is the mean of the classes' scores under the posterior of the classes, and the
    observed information that of known classes less the posterior variance of their scores (Louis
    1982).

    Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm.
    Journal of the Royal Statistical Society B 44, 226-233, section 3.
    """

    y: FloatArray
    Z: FloatArray
    W: FloatArray
    D: FloatArray
    R: FloatArray
    linear: bool
    times: IntArray | None = None

    @cached_property
    def n(self) -> int:
        """Number of respondents."""
        return len(self.y) if self.times is None else int(self.times.sum())

    @property
    def rows(self) -> int:
        """Number of unlike respondents."""
        return len(self.y)

    @cached_property
    def each(self) -> FloatArray:
        """How many respondents each row is, shape (rows,)."""
        return np.ones(len(self.y)) if self.times is None else self.times.astype(np.float64)

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the outcome."""
        return math.sqrt(float(np.cov(self.y, fweights=self.times, ddof=0)))

    def least_squares(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the coefficients of a regression by least squares of all respondents."""
        root = np.sqrt(self.each)
        weighed = y * (root if y.ndim == 1 else root[:, np.newaxis])
        return np.asarray(np.linalg.lstsq(root[:, np.newaxis] * X, weighed)[0])

    @property
    def outcome_size(self) -> int:
        """Number of coefficients of the outcome."""
        return int(self.Z.shape[1] + self.D.shape[1])

    @property
    def class_start(self) -> int:
        """Where among the parameters those of the classes begin."""
        return self.outcome_size + self.linear

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.class_start + (len(self.D) - 1) * self.W.shape[1])

    def design(self, x: int) -> FloatArray:
        """Return the covariates of the outcome in a class, shape (n, p + m)."""
        return np.hstack([self.Z, np.broadcast_to(self.D[x], (len(self.Z), self.D.shape[1]))])

    def at(self, parameters: FloatArray) -> LatentClassAt:
        """Evaluate the likelihood."""
        return LatentClassAt(self, parameters)


@dataclass(frozen=True, eq=False)
class LatentClassAt:
    """The likelihood at given parameters, shape (size,), or at several points, (points, size)."""

    likelihood: LatentClassLikelihood
    parameters: FloatArray

    @cached_property
    def eta(self) -> FloatArray:
        """Linear predictors of the outcome, shape (n, classes)."""
        p = self.likelihood.Z.shape[1]
        own = self.parameters[..., :p] @ self.likelihood.Z.T
        added = self.parameters[..., p : self.likelihood.outcome_size] @ self.likelihood.D.T
        return own[..., np.newaxis] + added[..., np.newaxis, :]

    @property
    def sigma(self) -> float:
        """Deviation of the residuals; 1 for a logistic outcome."""
        return float(self._sigmas.item()) if self.likelihood.linear else 1.0

    @cached_property
    def _sigmas(self) -> FloatArray:
        return np.exp(self.parameters[..., self.likelihood.outcome_size, np.newaxis, np.newaxis])

    @cached_property
    def class_eta(self) -> FloatArray:
        """Linear predictors of the classes, shape (n, classes), the first column 0."""
        gamma = self.parameters[..., self.likelihood.class_start :].reshape(
            *self.parameters.shape[:-1], len(self.likelihood.D) - 1, -1
        )
        first = np.zeros((*self.eta.shape[:-1], 1))
        return np.concatenate([first, self.likelihood.W @ gamma.swapaxes(-1, -2)], axis=-1)

    @cached_property
    def class_probabilities(self) -> FloatArray:
        """P(class | covariates), shape (n, classes)."""
        return np.exp(self._log_class_probabilities)

    @cached_property
    def _log_class_probabilities(self) -> FloatArray:
        # By numpy: with so few columns scipy's functions take most of the time of a fit.
        total = np.logaddexp.reduce(self.class_eta, axis=-1, keepdims=True)
        return np.asarray(self.class_eta - total)

    @cached_property
    def _log_joint(self) -> FloatArray:
        y = self.likelihood.y[:, np.newaxis]
        if self.likelihood.linear:
            log_f = -(((y - self.eta) / self._sigmas) ** 2 + math.log(2 * math.pi)) / 2
            log_f -= np.log(self._sigmas)
        else:
            log_f = -np.logaddexp(0.0, np.where(y == 1, -self.eta, self.eta))
        with np.errstate(divide="ignore"):
            log_R = np.log(self.likelihood.R)
        return np.asarray(log_f + log_R + self._log_class_probabilities)

    @cached_property
    def contributions(self) -> FloatArray:
        """Log-likelihood of each respondent, shape (n,)."""
        return np.asarray(np.logaddexp.reduce(self._log_joint, axis=-1))

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood, in nats."""
        return float(self.log_likelihoods)

    @property
    def log_likelihoods(self) -> FloatArray:
        """The log-likelihood at each point."""
        return np.asarray(self.contributions @ self.likelihood.each)

    @cached_property
    def posterior(self) -> FloatArray:
        """P(class | covariates, reports, outcome), shape (n, classes)."""
        return np.exp(self._log_joint - self.contributions[..., np.newaxis])

    @cached_property
    def _residuals(self) -> FloatArray:
        """Derivative of log f by the linear predictor, shape (n, classes)."""
        y = self.likelihood.y[:, np.newaxis]
        if self.likelihood.linear:
            found: FloatArray = (y - self.eta) / self._sigmas**2
        else:
            found = y - scipy.special.expit(self.eta)
        return found

    @cached_property
    def scores(self) -> FloatArray:
        """Score of each respondent, shape (n, size)."""
        likelihood, weighed = self.likelihood, self.posterior * self._residuals
        parts = [weighed.sum(axis=-1, keepdims=True) * likelihood.Z, weighed @ likelihood.D]
        if likelihood.linear:
            spread = (self._residuals * self._sigmas) ** 2 - 1
            parts.append((self.posterior * spread).sum(axis=-1, keepdims=True))
        off = self.posterior - self.class_probabilities
        parts += [off[..., c, np.newaxis] * likelihood.W for c in range(1, len(likelihood.D))]
        return np.concatenate(parts, axis=-1)

    @cached_property
    def score(self) -> FloatArray:
        """Derivative of the log-likelihood, shape (size,)."""
        return self.likelihood.each @ self.scores

    @cached_property
    def outer(self) -> FloatArray:
        """Sum of the outer products of the scores, shape (size, size)."""
        return self.scores.T @ (self.likelihood.each[:, np.newaxis] * self.scores)

    @cached_property
    def complete(self) -> FloatArray:
        """Information if the classes were known, averaged over their posterior."""
        likelihood, m = self.likelihood, self.likelihood.outcome_size
        found = np.zeros((likelihood.size, likelihood.size))
        for x in range(len(likelihood.D)):
            w = likelihood.each * self.posterior[:, x]
            A, r = likelihood.design(x), self._residuals[:, x]
            if likelihood.linear:
                found[:m, :m] += (A.T * w) @ A / self.sigma**2
                found[:m, m] += 2 * (w * r) @ A
                found[m, m] += 2 * float(w @ (r * self.sigma) ** 2)
            else:
                mean = scipy.special.expit(self.eta[:, x])
                found[:m, :m] += (A.T * (w * mean * (1 - mean))) @ A
        if likelihood.linear:
            found[m, :m] = found[:m, m]
        q, start = likelihood.W.shape[1], likelihood.class_start
        for c in range(1, len(likelihood.D)):
            for d in range(1, len(likelihood.D)):
                pi, other = self.class_probabilities[:, c], self.class_probabilities[:, d]
                weight = likelihood.each * pi * (float(c == d) - other)
                block = (likelihood.W.T * weight) @ likelihood.W
                row, column = start + (c - 1) * q, start + (d - 1) * q
                found[row : row + q, column : column + q] = block
        return found

    @cached_property
    def scoring(self) -> FloatArray:
        """The information, with the expectation of all residuals: never indefinite."""
        found = self.complete.copy()
        if self.likelihood.linear:
            m = self.likelihood.outcome_size
            found[m, :m] = found[:m, m] = 0.0
            found[m, m] = 2 * self.likelihood.n
        return found

    @cached_property
    def observed(self) -> FloatArray:
        """Observed information: minus the second derivative, shape (size, size)."""
        likelihood, found = self.likelihood, self.complete + self.outer
        for x in range(len(likelihood.D)):
            # The scores if everybody were in this class.
            residual = self._residuals[:, x, np.newaxis]
            parts = [residual * likelihood.design(x)]
            if likelihood.linear:
                parts.append((residual * self.sigma) ** 2 - 1)
            for c in range(1, len(likelihood.D)):
                off = float(x == c) - self.class_probabilities[:, c, np.newaxis]
                parts.append(off * likelihood.W)
            S = np.hstack(parts)
            found -= (S.T * (likelihood.each * self.posterior[:, x])) @ S
        return (found + found.T) / 2


def maximise(
    likelihood: LatentClassLikelihood, start: FloatArray, along: FloatArray | None = None
) -> LatentClassAt:
    """Climb from a starting value to a maximum, and certify it.

    `along`, shape (size, directions): in which directions, by default in all.

    The first steps solve with the information of known classes, which is the EM algorithm with one
    Newton step for its second part (Lange 1995). Newton's method follows when the maximum is within
    a standard error or after ten steps, and falls back on such a step where the observed
    information is not positive definite. Every step is halved until the log-likelihood rises by
    enough.

    Lange, K. (1995). A gradient algorithm locally equivalent to the EM algorithm. Journal of the
    Royal Statistical Society B 57, 425-437, section 2.
    """
    point = likelihood.at(start)
    for count in range(_STEPS):
        _check_boundary(point)
        newton = _solve(point.observed, point.score, along)
        decrement = math.inf if newton is None else float(newton @ point.score)
        if newton is not None and decrement <= DECREMENT and _moved(point, newton) <= MOVED:
            # One more step squares the distance, so that counted rows end where single ones do.
            return likelihood.at(point.parameters + newton)
        far = newton is None or (count < _EM_STEPS and decrement > 1)
        step = _solve(point.scoring, point.score, along) if far else newton
        if step is None:
            break
        step = step * min(1.0, _LONGEST_STEP / max(_moved(point, step), _LONGEST_STEP))
        climbed = _line_search(point, step)
        if climbed is None:
            break
        point = climbed
    raise ConvergenceError(
        "expected a maximum with a Newton decrement of "
        f"{DECREMENT:g} at most, found none: {_reason(point)}"
    )


def _solve(
    information: FloatArray, score: FloatArray, along: FloatArray | None
) -> FloatArray | None:
    """Return the step, or None where the information is not positive definite."""
    if along is not None:
        within = _solve(along.T @ information @ along, along.T @ score, None)
        return None if within is None else np.asarray(along @ within)
    scale = np.sqrt(np.abs(np.diag(information)))
    if not (scale > 0).all():
        return None
    try:
        factor = scipy.linalg.cho_factor(information / np.outer(scale, scale))
    except scipy.linalg.LinAlgError:
        return None
    return scipy.linalg.cho_solve(factor, score / scale) / scale


def _moved(point: LatentClassAt, step: FloatArray) -> float:
    """Return by how much a step moves a linear predictor, in residual deviations, at most."""
    moved = point.likelihood.at(step)
    own = float(np.abs(moved.eta).max()) / point.sigma
    classes = float(np.abs(moved.class_eta).max())
    size = point.likelihood.outcome_size
    deviation = abs(float(step[size])) if point.likelihood.linear else 0.0
    return max(own, classes, deviation)


def _line_search(point: LatentClassAt, step: FloatArray) -> LatentClassAt | None:
    """Return the point after the longest step of 1, 1/2, 1/4, … that gains enough (Armijo)."""
    promised, length = float(step @ point.score), 1.0
    while length > np.finfo(np.float64).eps:
        there = point.likelihood.at(point.parameters + length * step)
        # Near the maximum the gain is far below the rounding of two log-likelihoods, but not of
        # the respondents' own.
        gain = float(point.likelihood.each @ (there.contributions - point.contributions))
        if gain >= length * promised / 10:
            return there
        length /= 2
    return None


def _check_boundary(point: LatentClassAt) -> None:
    """Refuse to go on where the way leads to the boundary of the parameters."""
    if point.likelihood.linear and point.sigma < PERFECT * point.likelihood.deviation:
        raise ConvergenceError(
            "there is no maximum: the model fits the outcome without any residual, and the "
            "likelihood rises without bound as the residual variance goes to 0"
        )
    expected = point.likelihood.each @ point.posterior
    if expected.min() < _EMPTY:
        raise EmptyClassError(
            f"there is no maximum: the likelihood rises as the share of class {expected.argmin()} "
            "goes to 0, so that what it does to the outcome cannot be estimated; the reports show "
            "no more of it than the design's noise would",
            point.log_likelihood,
        )


def _reason(point: LatentClassAt) -> str:
    if not point.likelihood.linear and float(np.abs(point.eta).max()) > SEPARATED:
        return (
            "the outcome is separated, so that coefficients run to infinity with the likelihood "
            "rising"
        )
    if float(np.abs(point.class_eta).max()) > SEPARATED:
        return (
            "probabilities of the truth go to 0 or 1 for some covariates, while the likelihood "
            "rises; fewer covariates in `prevalence` may do"
        )
    return (
        "the log-likelihood stays flat in some direction, so that the reports and the outcome do "
        "not identify the parameters"
    )


def dummies(truths: tuple[int, ...]) -> FloatArray:
    """Return an indicator of every truth but the first of each predictor, a row a class."""
    of_each = [np.eye(count)[:, 1:] for count in truths]
    return np.array([np.concatenate(row) for row in product(*of_each)])
