"""The likelihood of reports given covariates: score, expected and observed information."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from deniable.analysis.regression.links import FloatArray
from deniable.analysis.regression.truth import TruthAt, TruthModel


@dataclass(frozen=True, eq=False)
class Likelihood:
    r"""The reports of n respondents, how they were randomised, and what they depend on.

    Parameters
    ----------
    model : TruthModel
        From the linear predictors to the probabilities of the truths.
    X : ndarray, shape (n, p)
        Covariates, of full column rank.
    reports : ndarray of int, shape (n,)
    tables : ndarray, shape (arms, truths, reports)
        The probabilities of every arm's channel, filled up with zeros to the right.
    arm : ndarray of int, shape (n,)
        By which of the channels each respondent answered.
    weights : ndarray, shape (n,)
        Sampling weights, or ones.

    Notes
    -----
    With ``c = C[:, a]`` the column of the report, ``P = sum_x pi_x c_x`` its probability, and D and
    H the first and second derivatives of P by the linear predictors, respondent i adds

    * to the log-likelihood: ``log P``;
    * to the score: ``D_j / P`` times the covariates, for each linear predictor j;
    * to the observed information: ``D_j D_l / P^2 - H_jl / P`` times their outer product;
    * to the expected information: ``sum_a D_j(a) D_l(a) / P(a)`` times their outer product, the
      sum over all reports that could have come.

    The last one follows because the P(a) sum to 1, so that their second derivatives sum to 0.

    Parameters are carried as coefficients `gamma` of an orthogonal basis of the covariates,
    ``X = basis @ T``, whose columns have mean square 1: a covariate's unit and its correlation with
    the others then do not matter to the arithmetic. The coefficients of X are
    ``beta = T^{-1} gamma``.

    References
    ----------
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
    tables: FloatArray
    arm: npt.NDArray[np.int64]
    weights: FloatArray

    @property
    def n(self) -> int:
        """Number of respondents."""
        return len(self.reports)

    @property
    def size(self) -> int:
        """Number of coefficients, of all linear predictors together."""
        return self.model.predictors * int(self.X.shape[1])

    @cached_property
    def _orthogonal(self) -> tuple[FloatArray, FloatArray]:
        Q, R = np.linalg.qr(self.X)
        signs = np.where(np.diag(R) < 0, -1.0, 1.0)
        root_n = np.sqrt(self.n)
        return Q * signs * root_n, signs[:, np.newaxis] * R / root_n

    @property
    def basis(self) -> FloatArray:
        """Orthogonal columns of mean square 1 that span the covariates, shape (n, p)."""
        return self._orthogonal[0]

    @property
    def T(self) -> FloatArray:  # noqa: N802  (a matrix)
        """The upper triangle, of positive diagonal, with ``X = basis @ T``; shape (p, p)."""
        return self._orthogonal[1]

    def in_basis(self, X: FloatArray) -> FloatArray:
        """Return other covariates, shape (rows, p), in terms of the basis."""
        return np.asarray(np.linalg.solve(self.T.T, X.T).T, dtype=np.float64)

    @cached_property
    def to_coefficients(self) -> FloatArray:
        """The matrix that takes gamma to the coefficients of X, shape (size, size)."""
        return np.kron(np.eye(self.model.predictors), np.linalg.inv(self.T))

    @cached_property
    def own_column(self) -> FloatArray:
        """P(the report that came | truth) for every truth, shape (n, truths)."""
        return self.tables[self.arm, :, self.reports]

    def column(self, report: int) -> FloatArray:
        """P(report | truth), shape (truths,) with one arm and (n, truths) with several."""
        return (
            self.tables[0, :, report] if len(self.tables) == 1 else self.tables[self.arm, :, report]
        )

    def report_probabilities(self, truth: TruthAt) -> FloatArray:
        """P(report) for every report, shape (n, reports)."""
        return np.stack(
            [truth.mean(self.column(report)) for report in range(self.tables.shape[2])], axis=1
        )

    def linear_predictors(self, gamma: FloatArray) -> FloatArray:
        """Return eta, shape (n, predictors)."""
        return self.basis @ gamma.reshape(self.model.predictors, -1).T

    def at(self, gamma: FloatArray) -> LikelihoodAt:
        """Evaluate the likelihood, `gamma` of shape (size,)."""
        return LikelihoodAt(self, self.model.at(self.linear_predictors(gamma)))


@dataclass(frozen=True, eq=False)
class LikelihoodAt:
    """A likelihood at one value of its parameters. Made by `Likelihood.at`.

    Parameters
    ----------
    likelihood : Likelihood
    truth : TruthAt
        The distribution of every respondent's truth.
    """

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
            return float(self.likelihood.weights @ np.log(self.P))

    @cached_property
    def _relative_gradient(self) -> FloatArray:
        return self.truth.gradient(self.likelihood.own_column) / self.P[:, np.newaxis]

    @cached_property
    def scores(self) -> FloatArray:
        """Each respondent's weighted score, shape (n, size)."""
        weighted = self.likelihood.weights[:, np.newaxis] * self._relative_gradient
        rows = weighted[:, :, np.newaxis] * self.likelihood.basis[:, np.newaxis, :]
        return rows.reshape(len(rows), -1)

    @cached_property
    def score(self) -> FloatArray:
        """Gradient of the log-likelihood, shape (size,)."""
        weighted = self.likelihood.weights[:, np.newaxis] * self._relative_gradient
        gradient: FloatArray = (weighted.T @ self.likelihood.basis).ravel()
        return gradient

    @cached_property
    def observed(self) -> FloatArray:
        """Observed information, minus the Hessian of the log-likelihood; shape (size, size)."""
        ratio = self._relative_gradient
        curvature = self.truth.hessian(self.likelihood.own_column) / self.P[:, np.newaxis, None]
        return self._summed(ratio[:, :, np.newaxis] * ratio[:, np.newaxis, :] - curvature)

    @cached_property
    def expected(self) -> FloatArray:
        """Expected (Fisher) information given the covariates, shape (size, size)."""
        m = self.likelihood.model.predictors
        products = np.zeros((self.likelihood.n, m, m))
        for report in range(self.likelihood.tables.shape[2]):
            column = self.likelihood.column(report)
            P, D = self.truth.mean(column), self.truth.gradient(column)
            # A report of probability 0 cannot come, and tells nothing.
            ratio = D / np.where(P > 0, P, np.inf)[:, np.newaxis]
            products += D[:, :, np.newaxis] * ratio[:, np.newaxis, :]
        return self._summed(products)

    @cached_property
    def outer(self) -> FloatArray:
        """Sum of the outer products of the respondents' scores, shape (size, size)."""
        return self.scores.T @ self.scores

    def _summed(self, products: FloatArray) -> FloatArray:
        """Sum the products, shape (n, predictors, predictors), times those of the basis."""
        basis = self.likelihood.basis
        m, p = self.likelihood.model.predictors, basis.shape[1]
        total = np.empty((m, p, m, p))
        for j in range(m):
            for other in range(j + 1):
                weight = self.likelihood.weights * products[:, j, other]
                total[j, :, other, :] = basis.T @ (weight[:, np.newaxis] * basis)
                total[other, :, j, :] = total[j, :, other, :]
        return total.reshape(m * p, m * p)
