"""The distribution of the truth given the linear predictors, and its derivatives.

A regression has one linear predictor for two truths and k - 1 of them for k truths; or one for each
of the questions that lead to the latent classes of a design with several arms. All that its
likelihood needs of them is how a mean over the truths, ``sum_x P(x) c_x``, depends on the linear
predictors. With a column of the channel for c it is the probability of a report; with the
indicator of a truth it is that truth's probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.links import Link


@dataclass(frozen=True)
class Binary:
    """Two truths: ``P(1) = F(eta)``."""

    link: Link
    truths: int = 2
    predictors: int = 1

    def at(self, eta: FloatArray) -> TruthAt:
        """Evaluate the distribution of the truth, `eta` of shape (n, 1)."""
        return _BinaryAt(self.link, eta[:, 0])

    def linear_predictors(self, probabilities: FloatArray) -> FloatArray:
        """Return what gives these probabilities, shape (n, 1)."""
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
class Nested:
    """Classes that several yes-or-no questions lead to, each with a linear predictor of its own.

    `links`: of each question. `answers`, shape (truths, questions): the answer that leads to a
    truth: 1 for a yes, -1 for a no, 0 where the question does not matter. ``P(x)`` is the product
    of ``F_j(eta_j)`` and ``1 - F_j(eta_j)`` over them.
    """

    links: tuple[Link, ...]
    answers: tuple[tuple[int, ...], ...]

    @property
    def truths(self) -> int:
        """Number of classes."""
        return len(self.answers)

    @property
    def predictors(self) -> int:
        """Number of linear predictors: one for each question."""
        return len(self.links)

    def at(self, eta: FloatArray) -> TruthAt:
        """Evaluate the distribution of the truth, `eta` of shape (n, questions)."""
        return _NestedAt(self, eta)

    def linear_predictors(self, probabilities: FloatArray) -> FloatArray:
        """Return what gives these probabilities, shape (n, questions)."""
        table = np.array(self.answers)
        yes, no = probabilities @ (table == 1), probabilities @ (table == -1)
        shares = (yes / (yes + no)).T
        return np.stack(
            [link.quantile(share) for link, share in zip(self.links, shares, strict=True)], axis=1
        )


@dataclass(frozen=True, eq=False)
class _NestedAt:
    model: Nested
    eta: FloatArray

    @cached_property
    def _factors(self) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
        """P(the answer that leads to a truth), and its two derivatives, of each question."""
        found = []
        for link, eta, answer in zip(
            self.model.links, self.eta.T, np.array(self.model.answers).T, strict=True
        ):
            yes, no = link.cdf(eta)[:, np.newaxis], link.survival(eta)[:, np.newaxis]
            found.append(
                (
                    np.where(answer == 1, yes, np.where(answer == -1, no, 1.0)),
                    answer * link.density(eta)[:, np.newaxis],
                    answer * link.slope(eta)[:, np.newaxis],
                )
            )
        return found

    def _product(self, *derived: int) -> FloatArray:
        """Differentiate P(truth) by the linear predictors of these questions, shape (n, truths)."""
        table = np.ones((len(self.eta), self.model.truths))
        for question, factor in enumerate(self._factors):
            table = table * factor[derived.count(question)]
        return table

    @cached_property
    def probabilities(self) -> FloatArray:
        return self._product()

    def mean(self, c: FloatArray) -> FloatArray:
        M: FloatArray = (self.probabilities * c).sum(axis=1)
        return M

    def gradient(self, c: FloatArray) -> FloatArray:
        questions = range(self.model.predictors)
        return np.stack([(self._product(j) * c).sum(axis=1) for j in questions], axis=1)

    def hessian(self, c: FloatArray) -> FloatArray:
        questions = range(self.model.predictors)
        rows = [
            np.stack([(self._product(j, other) * c).sum(axis=1) for other in questions], axis=1)
            for j in questions
        ]
        return np.stack(rows, axis=1)


@dataclass(frozen=True)
class BaselineCategory:
    """Several truths: ``P(x) / P(0) = exp(eta_x)`` for x = 1, …, truths - 1."""

    truths: int

    @property
    def predictors(self) -> int:
        """Number of linear predictors: one for each truth but the baseline."""
        return self.truths - 1

    def at(self, eta: FloatArray) -> TruthAt:
        """Evaluate the distribution of the truth, `eta` of shape (n, truths - 1)."""
        return _BaselineCategoryAt(eta)

    def linear_predictors(self, probabilities: FloatArray) -> FloatArray:
        """Return what gives these probabilities, shape (n, truths - 1)."""
        return np.log(probabilities[:, 1:] / probabilities[:, :1])


@dataclass(frozen=True, eq=False)
class _BaselineCategoryAt:
    eta: FloatArray

    @cached_property
    def probabilities(self) -> FloatArray:
        logits = np.concatenate([np.zeros((len(self.eta), 1)), self.eta], axis=1)
        shares: FloatArray = scipy.special.softmax(logits, axis=1)
        return shares

    def mean(self, c: FloatArray) -> FloatArray:
        M: FloatArray = (self.probabilities * c).sum(axis=1)
        return M

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


TruthAt: TypeAlias = _BinaryAt | _NestedAt | _BaselineCategoryAt
"""Every respondent's truth at given linear predictors: P(truth), shape (n, truths); the mean
``M = sum_x P(x) c_x`` of `c`, shape (n, truths) or (truths,); and M's first and second derivatives
by the linear predictors, shapes (n, predictors) and (n, predictors, predictors)."""

TruthModel: TypeAlias = Binary | Nested | BaselineCategory
"""How linear predictors, shape (n, predictors), become probabilities of the truths; and back."""
