"""The likelihood of reports in several arms, with classes that several questions lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.likelihood import Likelihood, orthogonal
from deniable.analysis.regression.links import Link
from deniable.analysis.regression.truth import TruthAt


@dataclass(frozen=True, eq=False)
class Nested:
    """Classes that several yes-or-no questions lead to, each with its own linear predictor.

    `links`: of each question. `answers`, shape (truths, questions): the answer that leads to a
    truth: 1 for a yes, -1 for a no, 0 if the question does not matter. ``P(x)`` is the product over
    these of ``F_j(eta_j)`` and ``1 - F_j(eta_j)``. `shares`, shape (shares, truths): which truths
    belong to each predicted share.
    """

    links: tuple[Link, ...]
    answers: tuple[tuple[int, ...], ...]
    shares: FloatArray

    @property
    def has_nuisance(self) -> bool:
        """Whether there is a question besides that about the trait."""
        return len(self.links) > 1

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
        """Return the linear predictors with these probabilities, shape (n, questions)."""
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
        """P(answer that leads to a truth) and its two derivatives, for each question."""
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
        return np.asarray((self.probabilities * c).sum(axis=1))

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


@dataclass(frozen=True, eq=False)
class ArmsLikelihood(Likelihood):
    """The likelihood of reports in arms, whose linear predictors have different covariates.

    `table`: of the first arm. `tables`, shape (arms, truths, reports): the probabilities of every
    arm's channel, padded with zeros on the right. `arm`, shape (n,): each respondent's channel.
    `uses`, shape (predictors, p): which covariates enter each linear predictor.
    """

    tables: FloatArray = field(kw_only=True)
    arm: npt.NDArray[np.int64] = field(kw_only=True)
    uses: npt.NDArray[np.bool_] = field(kw_only=True)

    @cached_property
    def own_column(self) -> FloatArray:
        """P(the report that came | truth) for every truth, shape (n, truths)."""
        return self.tables[self.arm, :, self.reports]

    def column(self, report: int) -> FloatArray:
        """P(report | truth), shape (n, truths)."""
        return self.tables[self.arm, :, report]

    @property
    def indicators(self) -> FloatArray:
        """Contributions whose mean estimates each truth's share, shape (n, truths)."""
        # With s the arms' shares of the respondents, sum_i s_i C_i G_i = I, as nearly as possible:
        # perhaps only the arms together distinguish the truths.
        shares = np.bincount(self.arm, minlength=len(self.tables)) / self.n
        pairs = zip(shares, self.tables, strict=True)
        stacked = np.hstack([share * table for share, table in pairs])
        G = np.linalg.pinv(stacked).reshape(len(self.tables), -1, self.tables.shape[1])
        return G.astype(np.float64)[self.arm, self.reports]

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The linear predictor and the covariate of each coefficient, shape (size, 2)."""
        return np.argwhere(self.uses)

    def in_order(self, order: Sequence[int]) -> ArmsLikelihood:
        """Return the likelihood with the covariates in another order."""
        return replace(self, X=self.X[:, order], uses=self.uses[:, order])

    @cached_property
    def _orthogonal(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        return tuple(orthogonal(self.X[:, used], self.times) for used in self.uses)

    def in_bases(self, X: FloatArray) -> tuple[FloatArray, ...]:
        """Return other covariates, shape (rows, p), in the orthogonal bases."""
        return tuple(
            np.asarray(np.linalg.solve(T.T, X[:, used].T).T, dtype=np.float64)
            for T, used in zip(self.triangles, self.uses, strict=True)
        )
