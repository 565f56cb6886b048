"""The likelihood of grouped reports, with a random intercept for each group integrated out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import DECREMENT, ConvergenceError
from deniable.analysis.regression.likelihood import Likelihood, LikelihoodAt, chained

_STEPS: Final = 100
_SHORTEST: Final = 1e-8
_STAYED: Final = (
    f"expected a Newton decrement of {DECREMENT} at most, stayed at {{:.3g}}: the likelihood is "
    "too flat or too irregular for these groups and covariates"
)

# From here Newton's steps are taken whole: the score is that of the integral, and with few points
# the log-likelihood of the quadrature is greatest elsewhere.
_NEAR: Final = 0.01

# Respondents times points of the quadrature that are evaluated at once.
_AT_ONCE: Final = 50_000

# How far a mode may be from where the score is 0, and how often a step towards it is halved.
_CENTRED: Final = 1e-9
_HALVINGS: Final = 30

# A greater standard deviation of a linear predictor says that the reports of groups are all alike.
LARGEST: Final = 20.0


@dataclass(frozen=True, eq=False)
class GroupedLikelihood:
    """The likelihood of grouped reports, their intercepts integrated out.

    `group`, shape (rows,): the group of each row of respondents, in ascending order. A parameter
    vector theta has the coefficients in the basis of each linear predictor, and after them the
    standard deviation of its intercepts, of either sign.
    """

    likelihood: Likelihood
    group: npt.NDArray[np.int64]
    points: int

    @cached_property
    def spread(self) -> npt.NDArray[np.bool_]:
        """Whether each parameter is a standard deviation, shape (size,)."""
        own = np.r_[np.zeros(self.likelihood.X.shape[1], dtype=bool), True]
        return np.tile(own, self.likelihood.model.predictors)

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """The first row of each group."""
        return np.flatnonzero(np.r_[True, np.diff(self.group) > 0])

    @cached_property
    def nodes(self) -> list[tuple[FloatArray, FloatArray]]:
        """The points of the product rule, for a normal weight, and the logarithms of their weights.

        Several at a time, shapes (some, m) and (some,). A weight is divided by the normal density
        at its point.
        """
        z, _ = scipy.special.roots_hermitenorm(self.points)
        # By the last Hermite function: the weights far out are below the least number.
        before, last = np.zeros(len(z)), np.exp(-(z**2) / 4)
        for k in range(1, self.points):
            before, last = last, (z * last - math.sqrt(k - 1) * before) / math.sqrt(k)
        log_w = -math.log(self.points) - 2 * np.log(np.abs(last))
        m = self.likelihood.model.predictors
        at = np.array([*itertools.product(z, repeat=m)])
        logs = np.array([*itertools.product(log_w, repeat=m)]).sum(axis=1)
        parts = math.ceil(len(at) * len(self.group) / _AT_ONCE)
        return [*zip(np.array_split(at, parts), np.array_split(logs, parts), strict=True)]

    @cached_property
    def repeated(self) -> dict[int, Likelihood]:
        """The likelihood of as many copies of all rows as there are points at a time."""
        one = self.likelihood
        return {
            copies: replace(
                one,
                reports=np.tile(one.reports, copies),
                weights=np.tile(one.weights, copies),
                times=None,
            )
            for copies in {1, *(len(weights) for _, weights in self.nodes)}
        }

    def at(self, theta: FloatArray) -> GroupedLikelihoodAt:
        """Evaluate the likelihood, theta of shape (size,)."""
        return GroupedLikelihoodAt(self, theta)

    def maximum(self, theta: FloatArray, free: npt.NDArray[np.bool_]) -> FloatArray:
        """Climb from theta to where the score of the free parameters is 0, by Newton's method."""
        point, decrement = self.at(theta), math.inf
        for _ in range(_STEPS):
            values, vectors = np.linalg.eigh(point.observed[np.ix_(free, free)])
            along = vectors.T @ point.score[free]
            bent = np.maximum(np.abs(values), 1e-6 * np.abs(values).max())
            step = np.zeros(len(theta))
            step[free] = vectors @ (along / bent)
            decrement = float(np.sum(along**2 / bent))
            if decrement <= DECREMENT and values[0] > 0:
                # One more step squares the distance, so that counted rows end where single ones do.
                return theta + step
            length = min(1.0, 2.0 / float(np.abs(step).max()))
            there = self.at(theta + length * step)
            whole = decrement < _NEAR and values[0] > 0
            while (
                not whole
                and there.log_likelihood - point.log_likelihood < 1e-4 * length * decrement
            ):
                length /= 2
                if length < _SHORTEST:
                    raise ConvergenceError(_STAYED.format(decrement))
                there = self.at(theta + length * step)
            theta, point = theta + length * step, there
            if np.abs(theta[self.spread]).max() > LARGEST:
                raise ConvergenceError(
                    "expected groups that differ by a finite variance, found the variance of their "
                    "intercepts to run to infinity: the reports within each group are too much "
                    "alike for this design"
                )
        raise ConvergenceError(_STAYED.format(decrement))


@dataclass(frozen=True, eq=False)
class GroupedLikelihoodAt:
    """The likelihood of grouped reports at one value of its parameters."""

    surface: GroupedLikelihood
    theta: FloatArray

    @cached_property
    def _fixed(self) -> FloatArray:
        return self.surface.likelihood.linear_predictors(self.theta[~self.surface.spread])

    @cached_property
    def _deviations(self) -> FloatArray:
        return self.theta[self.surface.spread]

    def _sum_groups(self, rows: FloatArray) -> FloatArray:
        """Sum over the respondents of each group, shape (points, groups, …)."""
        copies = rows.reshape(-1, len(self.surface.group), *rows.shape[1:])
        each = self.surface.likelihood.each.reshape(-1, *[1] * (rows.ndim - 1))
        return np.add.reduceat(each * copies, self.surface.first, axis=1)

    def _evaluate_given(self, u: FloatArray) -> LikelihoodAt:
        """Evaluate the reports given the groups' standardised intercepts, (points, groups, m)."""
        likelihood = self.surface.repeated[len(u)]
        eta = self._fixed + (self._deviations * u)[:, self.surface.group]
        return LikelihoodAt(likelihood, likelihood.model.at(eta.reshape(-1, u.shape[2])))

    def _logs(self, at: LikelihoodAt, u: FloatArray) -> FloatArray:
        """Log density of each group's reports and intercepts, but for the constant."""
        with np.errstate(divide="ignore"):
            logs: FloatArray = self._sum_groups(np.log(at.P)) - np.square(u).sum(axis=2) / 2
        return logs

    @cached_property
    def _centres(self) -> tuple[FloatArray, FloatArray]:
        """Each group's mode of the intercepts, and a root of the inverse information there.

        By Fisher's scoring: the reports' expected information, and 1 for the normal density, are
        positive definite although the log-likelihood of randomised responses is not concave.
        """
        s = self._deviations
        u = np.zeros((1, len(self.surface.first), len(s)))
        at = self._evaluate_given(u)
        logs, information = self._logs(at, u), self._information(at)
        for _ in range(_STEPS):
            score = s * self._sum_groups(at.relative_gradient) - u
            step = np.linalg.solve(information, score[..., np.newaxis])[..., 0]
            if np.abs(step).max() < _CENTRED:
                break
            at = self._evaluate_given(u + step)
            for _ in range(_HALVINGS):
                worse = ~(self._logs(at, u + step) >= logs - _CENTRED)
                if not worse.any():
                    break
                step[worse] /= 2
                at = self._evaluate_given(u + step)
            u = u + step
            logs, information = self._logs(at, u), self._information(at)
        root: FloatArray = np.linalg.inv(np.linalg.cholesky(information[0])).transpose(0, 2, 1)
        return u[0], root

    def _information(self, at: LikelihoodAt) -> FloatArray:
        s = self._deviations
        return np.eye(len(s)) + np.outer(s, s) * self._sum_groups(at.expected_of_each)

    def _nodes(self) -> Iterator[tuple[FloatArray, LikelihoodAt, FloatArray]]:
        """Yield each point of the quadrature for all groups, and the log of what it adds."""
        centre, root = self._centres
        size = np.linalg.slogdet(root)[1]
        for z, weights in self.surface.nodes:
            u = centre + np.einsum("gij,cj->cgi", root, z)
            at = self._evaluate_given(u)
            yield u, at, self._logs(at, u) + weights[:, np.newaxis] + size

    @cached_property
    def _logs_of_nodes(self) -> FloatArray:
        return np.concatenate([logs for _, _, logs in self._nodes()])

    @cached_property
    def _of_integrals(self) -> FloatArray:
        return scipy.special.logsumexp(self._logs_of_nodes, axis=0)

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood, in nats."""
        return float(self._of_integrals.sum())

    @property
    def score(self) -> FloatArray:
        """Gradient of the log-likelihood, shape (size,)."""
        return self._derivatives[0]

    @property
    def observed(self) -> FloatArray:
        """Observed information, minus the Hessian of the log-likelihood; shape (size, size)."""
        return self._derivatives[1]

    @cached_property
    def _derivatives(self) -> tuple[FloatArray, FloatArray]:
        """Score and observed information, by Fisher's and Louis's identities.

        With the intercepts known, a group's score would be S and its observed information J. Given
        the reports, the score is the mean of S, and the information that of J less S's variance.
        """
        size, group = len(self.theta), self.surface.group
        mean = np.zeros((len(self.surface.first), size))
        observed = np.zeros((size, size))
        for u, at, logs in self._nodes():
            share = np.exp(logs - self._of_integrals)
            columns = [
                np.column_stack([np.tile(basis, (len(u), 1)), u[:, group, j].ravel()])
                for j, basis in enumerate(self.surface.likelihood.bases)
            ]
            S = self._sum_groups(chained(at.relative_gradient, tuple(columns)))
            weighted = share[..., np.newaxis] * S
            mean += weighted.sum(axis=0)
            observed -= S.reshape(-1, size).T @ weighted.reshape(-1, size)
            of_rows = self.surface.likelihood.each * share[:, group]
            J = of_rows.reshape(-1, 1, 1) * at.observed_of_each
            observed += np.block(
                [
                    [one.T @ (J[:, j, k, np.newaxis] * two) for k, two in enumerate(columns)]
                    for j, one in enumerate(columns)
                ]
            )
        return mean.sum(axis=0), observed + mean.T @ mean
