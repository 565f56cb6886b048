"""The likelihood of reports given covariates: score, expected and observed information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.regression.truth import TruthAt, TruthModel


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The reports of n respondents, how they were randomised, and what they depend on.

    `model`: from the linear predictors to the probabilities of the truths. `X`, shape (n, p):
    covariates, of full column rank. `reports`, shape (n,). `table`, shape (truths, reports): the
    probabilities of the channel. `weights`, shape (n,): sampling weights, or ones. `times`, shape
    (n,): how many respondents each row is; by default one.

    With ``c = C[:, a]`` the column of the report, ``P = sum_x pi_x c_x`` its probability, and D and
    H the first and second derivatives of P by the linear predictors, respondent i adds

    * to the log-likelihood: ``log P``;
    * to the score: ``D_j / P`` times the covariates, for each linear predictor j;
    * to the observed information: ``D_j D_l / P^2 - H_jl / P`` times their outer product;
    * to the expected information: ``sum_a D_j(a) D_l(a) / P(a)`` times their outer product, the
      sum over all reports that could have come.

    The last one follows because the P(a) sum to 1, so that their second derivatives sum to 0.

    Parameters are carried as coefficients `gamma` of an orthogonal basis of each linear predictor's
    covariates, ``X = basis @ T``, whose columns have mean square 1: a covariate's unit and its
    correlation with the others then do not matter to the arithmetic. The coefficients of X are
    ``beta = T^{-1} gamma``, those of one linear predictor before those of the next.

    Scheers, N. J. and Dayton, C. M. (1988). Covariate randomized response models. Journal of the
    American Statistical Association 83, 969-974, section 2.
    van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R. (2007). The logistic regression
    model with response variables subject to randomized response. Computational Statistics and Data
    Analysis 51, 6060-6069, section 3.
    Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response
    technique. Journal of the American Statistical Association 110, 1304-1319, section 3.
    """

    model: TruthModel
    X: FloatArray
    reports: npt.NDArray[np.int64]
    table: FloatArray
    weights: FloatArray
    times: IntArray | None = None

    @cached_property
    def n(self) -> int:
        """Number of respondents."""
        return len(self.reports) if self.times is None else int(self.times.sum())

    @property
    def each(self) -> FloatArray:
        """How many respondents each row is, shape (rows,)."""
        return np.ones(len(self.reports)) if self.times is None else self.times.astype(np.float64)

    @cached_property
    def counted(self) -> FloatArray:
        """The weight of each row in a sum over the respondents, shape (rows,)."""
        return self.weights if self.times is None else self.weights * self.times

    @property
    def size(self) -> int:
        """Number of coefficients, of all linear predictors together."""
        return len(self.places)

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The linear predictor and the covariate of each coefficient, shape (size, 2)."""
        return np.argwhere(np.ones((self.model.predictors, self.X.shape[1])))

    def split(self, gamma: FloatArray) -> list[FloatArray]:
        """Return each linear predictor's own part of gamma."""
        return np.split(gamma, np.cumsum([len(T) for T in self.triangles])[:-1])

    def in_order(self, order: Sequence[int]) -> Likelihood:
        """Return the likelihood with the covariates in another order."""
        return replace(self, X=self.X[:, order])

    @cached_property
    def _orthogonal(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        return (orthogonal(self.X, self.times),) * self.model.predictors

    @cached_property
    def bases(self) -> tuple[FloatArray, ...]:
        """Orthogonal columns of mean square 1 that span the covariates of each linear predictor.

        One of shape (n, its covariates) for each linear predictor.
        """
        return tuple(basis for basis, _ in self._orthogonal)

    @cached_property
    def triangles(self) -> tuple[FloatArray, ...]:
        """For each linear predictor the T, of positive diagonal, with ``X = basis @ T``."""
        return tuple(T for _, T in self._orthogonal)

    def in_bases(self, X: FloatArray) -> tuple[FloatArray, ...]:
        """Return other covariates, shape (rows, p), in terms of the bases."""
        return tuple(
            np.asarray(np.linalg.solve(T.T, X.T).T, dtype=np.float64) for T in self.triangles
        )

    @cached_property
    def to_coefficients(self) -> FloatArray:
        """The matrix that takes gamma to the coefficients of X, shape (size, size)."""
        return np.asarray(scipy.linalg.block_diag(*map(np.linalg.inv, self.triangles)))

    @cached_property
    def own_column(self) -> FloatArray:
        """P(the report that came | truth) for every truth, shape (n, truths)."""
        return self.table.T[self.reports]

    def column(self, report: int) -> FloatArray:
        """P(report | truth), shape (truths,), or (n, truths) where it is not the same for all."""
        return self.table[:, report]

    @property
    def indicators(self) -> FloatArray:
        """Numbers whose mean over the reports is the share of each truth, shape (n, truths)."""
        # The pseudo-inverse G of a channel of independent rows has C G = I.
        return np.linalg.pinv(self.table).astype(np.float64)[self.reports]

    def report_probabilities(self, truth: TruthAt) -> FloatArray:
        """P(report) for every report, shape (n, reports)."""
        return np.stack(
            [truth.mean(self.column(report)) for report in range(self.table.shape[1])], axis=1
        )

    def linear_predictors(
        self, gamma: FloatArray, bases: tuple[FloatArray, ...] | None = None
    ) -> FloatArray:
        """Return eta, shape (rows, predictors), at the respondents' covariates or at others."""
        return np.stack(
            [
                basis @ part
                for basis, part in zip(bases or self.bases, self.split(gamma), strict=True)
            ],
            axis=1,
        )

    def at(self, gamma: FloatArray) -> LikelihoodAt:
        """Evaluate the likelihood, `gamma` of shape (size,)."""
        return LikelihoodAt(self, self.model.at(self.linear_predictors(gamma)))


@dataclass(frozen=True, eq=False)
class LikelihoodAt:
    """A likelihood at one value of its parameters. Made by `Likelihood.at`."""

    likelihood: Likelihood
    truth: TruthAt

    @cached_property
    def P(self) -> FloatArray:  # noqa: N802  (a probability, as in the formulas)
        """Probability of the report that came, shape (n,)."""
        return self.truth.mean(self.likelihood.own_column)

    @cached_property
    def log_likelihood(self) -> float:
        """The log-likelihood, in nats; minus infinity where a report is impossible."""
        with np.errstate(divide="ignore"):
            return float(self.likelihood.counted @ np.log(self.P))

    @property
    def _possible(self) -> FloatArray:
        # Infinite where it is 0, as far out in a quadrature: no derivative counts there.
        return np.where(self.P > 0, self.P, np.inf)

    @cached_property
    def relative_gradient(self) -> FloatArray:
        """Derivative of each respondent's log P by the linear predictors, shape (n, predictors)."""
        return self.truth.gradient(self.likelihood.own_column) / self._possible[:, np.newaxis]

    @cached_property
    def scores(self) -> FloatArray:
        """Each respondent's weighted score, shape (n, size)."""
        weighted = self.likelihood.weights[:, np.newaxis] * self.relative_gradient
        return chained(weighted, self.likelihood.bases)

    @cached_property
    def score(self) -> FloatArray:
        """Gradient of the log-likelihood, shape (size,)."""
        weighted = self.likelihood.counted[:, np.newaxis] * self.relative_gradient
        return np.concatenate(
            [
                basis.T @ column
                for basis, column in zip(self.likelihood.bases, weighted.T, strict=True)
            ]
        )

    @cached_property
    def observed(self) -> FloatArray:
        """Observed information, minus the Hessian of the log-likelihood; shape (size, size)."""
        return self._summed(self.observed_of_each)

    @property
    def observed_of_each(self) -> FloatArray:
        """The same of each respondent's linear predictors, shape (n, predictors, predictors)."""
        ratio = self.relative_gradient
        H = self.truth.hessian(self.likelihood.own_column)
        curvature = H / self._possible[:, np.newaxis, np.newaxis]
        return ratio[:, :, np.newaxis] * ratio[:, np.newaxis, :] - curvature

    @cached_property
    def expected(self) -> FloatArray:
        """Expected (Fisher) information given the covariates, shape (size, size)."""
        return self._summed(self.expected_of_each)

    @property
    def expected_of_each(self) -> FloatArray:
        """The same of each respondent's linear predictors, shape (n, predictors, predictors)."""
        m = self.likelihood.model.predictors
        products = np.zeros((len(self.likelihood.reports), m, m))
        for report in range(self.likelihood.table.shape[1]):
            column = self.likelihood.column(report)
            P, D = self.truth.mean(column), self.truth.gradient(column)
            # A report of probability 0 cannot come, and tells nothing.
            ratio = D / np.where(P > 0, P, np.inf)[:, np.newaxis]
            products += D[:, :, np.newaxis] * ratio[:, np.newaxis, :]
        return products

    @cached_property
    def outer(self) -> FloatArray:
        """Sum of the outer products of the respondents' scores, shape (size, size)."""
        return self.scores.T @ (self.likelihood.each[:, np.newaxis] * self.scores)

    def _summed(self, products: FloatArray) -> FloatArray:
        """Sum the products, shape (n, predictors, predictors), times those of the bases."""
        bases = self.likelihood.bases
        blocks: list[list[FloatArray]] = [[] for _ in bases]
        for j, basis in enumerate(bases):
            for other in range(j + 1):
                weight = self.likelihood.counted * products[:, j, other]
                block = basis.T @ (weight[:, np.newaxis] * bases[other])
                blocks[j].append(block)
                if other < j:
                    blocks[other].append(block.T)
        return np.block(blocks)


def orthogonal(X: FloatArray, times: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return ``Q, T`` with ``X = Q @ T``, Q of mean square 1 and T of positive diagonal.

    `times`, shape (rows,): how many respondents each row is; by default one.
    """
    root = np.ones((len(X), 1)) if times is None else np.sqrt(times)[:, np.newaxis]
    Q, R = np.linalg.qr(root * X)
    signs, root_n = np.where(np.diag(R) < 0, -1.0, 1.0), np.linalg.norm(root)
    return Q / root * signs * root_n, signs[:, np.newaxis] * R / root_n


def chained(gradient: FloatArray, bases: tuple[FloatArray, ...]) -> FloatArray:
    """Return derivatives by gamma, shape (rows, size), from those by the linear predictors."""
    return np.hstack(
        [column[:, np.newaxis] * basis for column, basis in zip(gradient.T, bases, strict=True)]
    )
