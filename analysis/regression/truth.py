"""The distribution of the truth given the linear predictors, and its derivatives.

A regression has one linear predictor for two truths and k - 1 of them for k truths. All that its
likelihood needs of them is how a mean over the truths, ``sum_x P(x) c_x``, depends on the linear
predictors. With a column of the channel for c it is the probability of a report; with the
indicator of a truth it is that truth's probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.links import Link


class TruthAt(Protocol):
    """Every respondent's truth at given linear predictors."""

    @property
    def probabilities(self) -> FloatArray:
        """P(truth), shape (n, truths)."""

    def mean(self, c: FloatArray) -> FloatArray:
        """Return ``M = sum_x P(x) c_x``, `c` of shape (n, truths) or (truths,); shape (n,)."""

    def gradient(self, c: FloatArray) -> FloatArray:
        """Differentiate M by the linear predictors, shape (n, predictors)."""

    def hessian(self, c: FloatArray) -> FloatArray:
        """Differentiate M twice, shape (n, predictors, predictors)."""


class TruthModel(Protocol):
    """How linear predictors become probabilities of the truths, and back."""

    @property
    def truths(self) -> int:
        """Number of truths."""

    @property
    def predictors(self) -> int:
        """Number of linear predictors."""

    @property
    def shares(self) -> FloatArray:
        """Which truths belong to each share that is told of people, shape (shares, truths)."""

    @property
    def has_nuisance(self) -> bool:
        """Whether an unknown of the design is estimated, too.

        Several maxima are then common however many people there are.
        """

    def at(self, eta: FloatArray) -> TruthAt:
        """Evaluate the distribution of the truth."""

    def linear_predictors(self, probabilities: FloatArray) -> FloatArray:
        """Return the linear predictors of these probabilities, shape (n, predictors)."""


@dataclass(frozen=True)
class Binary:
    """Two truths: ``P(1) = F(eta)``."""

    link: Link
    truths: int = 2
    predictors: int = 1
    has_nuisance: bool = False

    @property
    def shares(self) -> FloatArray:
        """That of a yes alone."""
        return np.array([[0.0, 1.0]])

    def at(self, eta: FloatArray) -> TruthAt:
        """Evaluate the distribution of the truth, `eta` of shape (n, 1)."""
        return _BinaryAt(self.link, eta[:, 0])

    def linear_predictors(self, probabilities: FloatArray) -> FloatArray:
        """Return the linear predictors of these probabilities, shape (n, 1)."""
        return self.link.quantile(probabilities[:, 1])[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class _BinaryAt:
    link: Link
    eta: FloatArray

    @cached_property
    def probabilities(self) -> FloatArray:
        return np.stack([self.link.survival(self.eta), self.link.cdf(self.eta)], axis=1)

    @cached_property
    def _density(self) -> FloatArray:
        return self.link.density(self.eta)

    @cached_property
    def _slope(self) -> FloatArray:
        return self.link.slope(self.eta)

    def mean(self, c: FloatArray) -> FloatArray:
        pi = self.probabilities
        return pi[:, 0] * c[..., 0] + pi[:, 1] * c[..., 1]

    def gradient(self, c: FloatArray) -> FloatArray:
        return ((c[..., 1] - c[..., 0]) * self._density)[:, np.newaxis]

    def hessian(self, c: FloatArray) -> FloatArray:
        return ((c[..., 1] - c[..., 0]) * self._slope)[:, np.newaxis, np.newaxis]


@dataclass(frozen=True)
class BaselineCategory:
    """Several truths: ``P(x) / P(0) = exp(eta_x)`` for x = 1, …, truths - 1."""

    truths: int
    has_nuisance: bool = False

    @property
    def shares(self) -> FloatArray:
        """That of each truth."""
        return np.eye(self.truths)

    @property
    def predictors(self) -> int:
        """Number of linear predictors: one for each truth but the baseline."""
        return self.truths - 1

    def at(self, eta: FloatArray) -> TruthAt:
        """Evaluate the distribution of the truth, `eta` of shape (n, truths - 1)."""
        return _BaselineCategoryAt(eta)

    def linear_predictors(self, probabilities: FloatArray) -> FloatArray:
        """Return the linear predictors of these probabilities, shape (n, truths - 1)."""
        return np.log(probabilities[:, 1:] / probabilities[:, :1])


@dataclass(frozen=True, eq=False)
class _BaselineCategoryAt:
    eta: FloatArray

    @cached_property
    def probabilities(self) -> FloatArray:
        logits = np.concatenate([np.zeros((len(self.eta), 1)), self.eta], axis=1)
        return scipy.special.softmax(logits, axis=1)

    def mean(self, c: FloatArray) -> FloatArray:
        return np.asarray((self.probabilities * c).sum(axis=1))

    def gradient(self, c: FloatArray) -> FloatArray:
        # dP(x)/deta_j = P(x) (1{x=j} - P(j)), so that the mean's derivative is P(j) (c_j - M).
        return self.probabilities[:, 1:] * (c[..., 1:] - self.mean(c)[:, np.newaxis])

    def hessian(self, c: FloatArray) -> FloatArray:
        # The derivative of P(j) (c_j - M) by eta_l is
        # 1{j=l} P(j) (c_j - M) - P(j) P(l) (c_j - M) - P(j) P(l) (c_l - M).
        pi, G = self.probabilities[:, 1:], self.gradient(c)
        H = -(G[:, :, np.newaxis] * pi[:, np.newaxis, :])
        H = H + H.transpose(0, 2, 1)
        diagonal = np.arange(pi.shape[1])
        H[:, diagonal, diagonal] += G
        return H
