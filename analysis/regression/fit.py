"""A fitted regression, and all that is asked of it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.estimated import Normal, in_normal_quantiles, two_sided
from deniable.analysis.intervals import wald
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceError, ConvergenceWarning
from deniable.analysis.numerics.levels import check_choice, check_level
from deniable.analysis.regression import design, goodness, inference, prediction
from deniable.analysis.regression.inference import Test
from deniable.analysis.regression.likelihood import Likelihood
from deniable.analysis.regression.maximise import Maximum
from deniable.analysis.regression.searching import greatest
from deniable.analysis.regression.truth import Binary
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.effective import design_effect

METHODS: Final = ("wald", "profile")
"""The intervals that a coefficient can be asked for."""


@dataclass(frozen=True, eq=False)
class Regression:
    """What `Fit` and `MultinomialFit` have in common.

    `names`: of the covariates. `weighted`: whether sampling weights were given. The covariance is
    then the sandwich by default, and what rests on a likelihood (the other covariances,
    likelihood-ratio tests, profile intervals, AIC and BIC, goodness of fit) is refused. `dropped`:
    number of rows that were left out because a value was missing (by `regress_formula`). `formula`:
    as it was given to `regress_formula`. `rows`: which rows of the data frame were used. `columns`:
    from a data frame to the covariates that the formula makes of it. `sample`: how people were
    drawn; the sandwich is then the design's, by linearisation, with Student's t.
    """

    likelihood: Likelihood = field(repr=False)
    maximum: Maximum = field(repr=False)
    names: tuple[str, ...]
    weighted: bool = False
    dropped: int = 0
    formula: str | None = None
    rows: npt.NDArray[np.int64] | None = field(default=None, repr=False)
    columns: Callable[[Any], FloatArray] | None = field(default=None, repr=False)
    sample: SamplingDesign | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        """Number of respondents."""
        return self.likelihood.n

    @property
    def df(self) -> int:
        """Number of coefficients."""
        return self.likelihood.size

    @property
    def log_likelihood(self) -> float:
        """The greatest log-likelihood, in nats; its supremum if `at_boundary`."""
        return self.maximum.log_likelihood

    @cached_property
    def null_log_likelihood(self) -> float:
        """The greatest log-likelihood of a model with an intercept only."""
        null = replace(self.likelihood, X=np.ones((len(self.likelihood.reports), 1)))
        return greatest(null).log_likelihood

    @property
    def aic(self) -> float:
        """Akaike's criterion, ``2 df - 2 log-likelihood``."""
        self._needs_likelihood("AIC")
        return 2 * self.df - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, ``df log n - 2 log-likelihood``."""
        self._needs_likelihood("BIC")
        return self.df * math.log(self.n) - 2 * self.log_likelihood

    @property
    def doubt(self) -> str | None:
        """A sentence, if a rough search got higher than the maximum; None otherwise."""
        if not self.maximum.is_doubted:
            return None
        return (
            f"Careful: a rough search found a log-likelihood that is higher by "
            f"{self.maximum.higher:.2g}, and no maximum that could be certified there. The reports "
            "are too few for these covariates: leave some out"
        )

    @property
    def at_boundary(self) -> bool:
        """Whether the likelihood has no maximum, because coefficients are separated."""
        return bool(self.maximum.flat.size)

    @property
    def separated(self) -> tuple[str, ...]:
        """The covariates whose coefficients run to infinity; empty unless `at_boundary`."""
        which = {term for term, is_so in zip(self.terms, self._is_separated, strict=True) if is_so}
        return tuple(dict.fromkeys(term for term in self.terms if term in which))

    @property
    def message(self) -> str:
        """How the fit ended, in a sentence."""
        if not self.at_boundary:
            return (
                f"converged: Newton decrement {self.maximum.decrement:.1g}, "
                "observed information positive definite"
            )
        pi = self.maximum.at.truth.probabilities
        edges = [
            f"{self._truth(truth)} gets probability {edge} for {count} of {self.n} respondents"
            for truth in range(1, pi.shape[1])
            for edge in (0, 1)
            if (count := int(self.likelihood.each @ (np.abs(pi[:, truth] - edge) < 1e-6)))
        ]
        above = self.maximum.above
        within = f", and stays within {above:.2g} of that," if above else ""
        return (
            f"no maximum: the log-likelihood rises to {self.log_likelihood:.6g}{within} while the "
            f"coefficients of {', '.join(self.separated)} run to infinity, where "
            f"{'; '.join(edges) or 'probabilities reach 0 or 1'}{self._impossible_share()}"
        )

    @property
    def coefficients(self) -> FloatArray:
        """Coefficients of the covariates; ±infinity where these separate the outcomes."""
        return self._reshape(self._coefficients)

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        m, p = self.likelihood.model.predictors, len(self.names)
        return (p,) if isinstance(self.likelihood.model, Binary) else (m, p)

    def _reshape(self, flat: FloatArray, *more: int) -> FloatArray:
        return flat.reshape(*self._shape, *more)

    @cached_property
    def _is_separated(self) -> npt.NDArray[np.bool_]:
        return inference.leaning(self.likelihood.to_coefficients, self.maximum.flat)

    @property
    def terms(self) -> tuple[str, ...]:
        """Names of the coefficients, in the order of `covariance`: their covariates."""
        return self.names * self.likelihood.model.predictors

    @cached_property
    def _coefficients(self) -> FloatArray:
        to = self.likelihood.to_coefficients
        beta: FloatArray = to @ self.maximum.gamma
        separated = self._is_separated
        towards = inference.direction_of_separation(self.maximum)
        beta[separated] = np.copysign(math.inf, towards[separated])
        return beta

    def covariance(
        self, kind: str | None = None, *, clusters: npt.ArrayLike | None = None
    ) -> FloatArray:
        """Covariance of the coefficients.

        Parameters
        ----------
        kind : {"expected", "observed", "opg", "sandwich"}, optional
            What it is computed from.

            - 'expected' : the inverse of the expected (Fisher) information, of the observed where
              that is singular (default)
            - 'observed' : the inverse of the observed information
            - 'opg' : the inverse of the sum of the scores' outer products
            - 'sandwich' : ``A^-1 B A^-1`` with A the observed information and B that sum, which
              holds though the model is wrong (default if there are weights)
        clusters : array_like, shape (n,), optional
            With "sandwich": a label for each respondent. B then sums the outer products of the
            clusters' total scores, times G / (G - 1) for G clusters. A fit by a formula also
            takes a label for each row of its data frame.

        Returns
        -------
        ndarray, shape (df, df)
            In the order of the covariates, all of one truth before those of the next. A separated
            coefficient has variance infinity; nan where rounding left nothing of it.

        References
        ----------
        Berndt, E., Hall, B., Hall, R. and Hausman, J. (1974). Estimation and inference in nonlinear
        structural models. Annals of Economic and Social Measurement 3, 653-665, section 3: the
        outer products. White, H. (1982). Maximum likelihood estimation of misspecified models.
        Econometrica 50, 1-25, section 3: the sandwich. Binder, D. A. (1983). On the variances of
        asymptotically normal estimators from complex surveys. International Statistical Review 51,
        279-292: weights and clusters.
        """
        V = self._covariance(kind, clusters)
        to = self.likelihood.to_coefficients
        beta: FloatArray = to @ V @ to.T
        separated = self._is_separated
        beta[separated | separated[:, np.newaxis]] = math.nan
        beta[separated, separated] = math.inf
        # Where the information is singular but for rounding, its inverse may be below 0.
        lost = np.diag(beta) < 0
        beta[lost | lost[:, np.newaxis]] = math.nan
        return beta

    def _covariance(self, kind: str | None, clusters: npt.ArrayLike | None = None) -> FloatArray:
        """Return the covariance of gamma."""
        wanted = kind or ("sandwich" if self.weighted or clusters is not None else "expected")
        if self.weighted and wanted != "sandwich" and wanted in inference.KINDS:
            self._needs_likelihood(f"the {wanted!r} covariance")
        if self.sample is not None and wanted == "sandwich" and clusters is None:
            z = inference.influence(self.maximum)
            return self.sample.covariance(self.sample.placed(z, self.rows))
        return inference.covariance(self.maximum, wanted, self._clusters(clusters))

    @property
    def design_effect(self) -> FloatArray | None:
        """See `deniable.analysis.sampling.effective`; of the shape of the coefficients."""
        if self.sample is None:
            return None
        z = inference.influence(self.maximum) @ self.likelihood.to_coefficients.T
        w = self.sample.weights if self.rows is None else self.sample.weights[self.rows]
        return self._reshape(design_effect(np.diag(self.covariance()), w, z, self.likelihood.each))

    @cached_property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of Student's t; infinite (normal) without a `sample`."""
        if self.sample is None:
            return math.inf
        return self.sample.degrees_of_freedom_left(len(self.names))

    def _clusters(self, clusters: npt.ArrayLike | None) -> npt.NDArray[np.int64] | None:
        if clusters is None:
            return None
        if self.likelihood.times is not None:
            raise ValueError(
                "expected no clusters for counted rows, of which each is several respondents: "
                "give clusters to weights() of the study"
            )
        labels = np.asarray(clusters)
        if self.rows is not None and labels.shape == (self.n + self.dropped,):
            labels = labels[self.rows]
        labels = design.one_each(labels, self.n, "clusters")
        found, index = np.unique(labels, return_inverse=True)
        if len(found) < 2:
            raise ValueError("expected at least 2 clusters, found 1")
        return index.astype(np.int64)

    def standard_error(
        self, kind: str | None = None, *, clusters: npt.ArrayLike | None = None
    ) -> FloatArray:
        """Return the standard errors, of the shape of the coefficients; see `covariance`."""
        return self._reshape(np.sqrt(np.diag(self.covariance(kind, clusters=clusters))))

    def z(self, kind: str | None = None, *, clusters: npt.ArrayLike | None = None) -> FloatArray:
        """Coefficients in standard errors; nan for separated ones."""
        errors = self.standard_error(kind, clusters=clusters)
        return np.where(np.isinf(errors), math.nan, self.coefficients) / errors

    def p_value(
        self, kind: str | None = None, *, clusters: npt.ArrayLike | None = None
    ) -> FloatArray:
        """Two-sided p-values of Wald's test that a coefficient is 0; see `degrees_of_freedom`."""
        return two_sided(self.z(kind, clusters=clusters), self.degrees_of_freedom)

    def interval(
        self,
        level: float = 0.95,
        method: str = "wald",
        *,
        kind: str | None = None,
        clusters: npt.ArrayLike | None = None,
    ) -> FloatArray:
        """Confidence interval of each coefficient.

        Parameters
        ----------
        method : {"wald", "profile"}
            How it is computed.

            - 'wald' : the coefficient and standard errors to either side; the whole line for a
              separated one (default)
            - 'profile' : what a likelihood-ratio test does not reject; for tables that are
              published
        kind, clusters
            Of the standard errors of 'wald'; see `covariance`.

        Returns
        -------
        ndarray, of the shape of the coefficients and one axis more, of length 2
            Lower and upper ends. With 'profile' an end is infinite where the likelihood, however
            far the coefficient goes, never falls by enough to be rejected; both are for a
            coefficient of which a maximum on the way cannot be certified. The likelihood ratio is
            referred to Fisher's distribution, with as many degrees of freedom as the reports are
            direct answers, less the covariates. Where the fit is `at_boundary`, or there is a
            `doubt`, they are wider: those of Scheffé, for all coefficients together, because the
            ratio to a supremum at infinity is greater than that of one coefficient.

        Warns
        -----
        ConvergenceWarning
            For each such coefficient: which, and why.

        References
        ----------
        Venzon, D. J. and Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based
        confidence intervals. Applied Statistics 37, 87-94: the definition.
        """
        check_level(level)
        if method == "wald":
            errors = self.standard_error(kind, clusters=clusters)
            in_t = in_normal_quantiles(level, self.degrees_of_freedom)
            return wald(self.coefficients, errors * in_t, level)
        check_choice(method, METHODS, "an interval")
        if kind is not None or clusters is not None:
            raise ValueError(
                "expected a profile interval without kind and clusters: it comes from the "
                "likelihood, and from no standard error"
            )
        self._needs_likelihood("a profile interval")
        ends = []
        for index, error in enumerate(np.sqrt(np.diag(self.covariance("expected")))):
            try:
                interval = inference.profile_interval(self.maximum, index, float(error), level)
            except ConvergenceError as failure:
                interval = -math.inf, math.inf
                warnings.warn(
                    f"the profile interval of {self._coefficient(index)} is the whole line, "
                    f"because none of its ends is certain: {failure}",
                    ConvergenceWarning,
                    stacklevel=2,
                )
            ends.append(interval)
        return self._reshape(np.array(ends), 2)

    def likelihood_ratio_of(self, name: str) -> Test:
        """Likelihood-ratio test of one covariate: this model against the one without it.

        `name`: one of `terms`. With more truths than two all of its coefficients are tested
        together.
        """
        self._needs_likelihood("a likelihood-ratio test")
        if name not in self.terms:
            known = ", ".join(dict.fromkeys(self.terms))
            raise ValueError(f"expected a covariate of {known}, found {name!r}")
        without = self._likelihood_without(name)
        if not without.size:
            return self._ratio_to(without.at(np.zeros(0)).log_likelihood, 0)
        best = greatest(without)
        return self._ratio_to(best.log_likelihood, without.size)

    def _likelihood_without(self, name: str) -> Likelihood:
        left = np.array(self.names) != name
        return replace(self.likelihood, X=self.likelihood.X[:, left])

    def _ratio_to(self, log_likelihood: float, df: int) -> Test:
        statistic = 2 * (self.log_likelihood - log_likelihood)
        if statistic < -1e-6:
            raise ConvergenceError(
                "expected the larger model to have the greater likelihood, found it "
                f"{-statistic / 2:.3g} below the smaller one: the likelihood has several maxima"
            )
        return inference.chi_square(max(statistic, 0.0), self.df - df)

    def predict(self, X: Any = None, *, kind: str | None = None) -> prediction.Prediction:
        """Predict the probabilities of the truth.

        `X`, shape (rows, p), or DataFrame: covariates in the order of `names`, or a data frame with
        columns of these names; for a fit by a formula, a data frame with its variables. The
        respondents' own by default. `kind`: see `covariance`. A ValueError names what of new data
        the fit did not know: a level, a missing column, a text in place of a number.
        """
        new, V = self._new_covariates(X), self._covariance(kind)
        found = prediction.predict(self.maximum, new, V)
        return replace(found, degrees_of_freedom=self.degrees_of_freedom)

    def _new_covariates(self, X: Any) -> FloatArray:
        return self.likelihood.X if X is None else design.covariates_at(X, self.names, self.columns)

    def marginal_effects(self, kind: str | None = None) -> Normal:
        """Average marginal effects on the probability of the truth.

        `kind`: see `covariance`. Result: for a covariate that takes the values 0 and 1 only, the
        mean difference between 1 and 0; for any other, the mean derivative. Each column is taken by
        itself: of a variable that also enters as a square or an interaction this is not the whole
        effect.
        """
        return prediction.marginal_effects(self.maximum, self.names, self._covariance(kind))

    def posterior(self) -> FloatArray:
        """Probability of each truth given what the respondent reported and their covariates.

        Result, shape (n, truths): ``P(x) C[x, a]``, normalised. Coefficients are taken for known,
        so that it says nothing about their error; and it is a statement about people of this kind
        who report so.
        """
        joint = self.maximum.at.truth.probabilities * self.likelihood.own_column
        return joint / self.maximum.at.P[:, np.newaxis]

    def goodness_of_fit(self, groups: int = 10) -> goodness.GoodnessOfFit:
        """Compare the counts of reports with what the fit expects.

        `groups`: how many groups Hosmer and Lemeshow's test makes, at least 3.
        """
        self._needs_likelihood("goodness of fit")
        return goodness.goodness_of_fit(self.maximum.at, self.df, groups)

    def _coefficient(self, index: int) -> str:
        return self.terms[index]

    def _truth(self, truth: int) -> str:
        return f"truth {truth}"

    def _needs_likelihood(self, what: str) -> None:
        if self.weighted:
            raise ValueError(
                f"expected a fit without weights for {what}, found sampling weights, with which "
                "there is no likelihood: use the 'sandwich' covariance"
            )

    def _impossible_share(self) -> str:
        """Return what the design allows where the respondents together are outside of it."""
        table = self.likelihood.table
        if table.shape != (2, 2):
            return ""
        share = float(np.average(self.likelihood.reports, weights=self.likelihood.times))
        low, high = sorted(table[:, 1])
        if low <= share <= high:
            return ""
        return (
            f". The share of report 1 is {share:.4g}, which no population gives under this design: "
            f"it allows {low:.4g} to {high:.4g}"
        )


@dataclass(frozen=True, eq=False)
class Fit(Regression):
    """A regression of a yes-or-no truth. Made by `regress` and `regress_formula`.

    `link`: one of `deniable.analysis.regression.links.LINKS`.
    """

    link: str = "logit"


@dataclass(frozen=True, eq=False)
class MultinomialFit(Regression):
    """A regression of a truth of k answers. Made by `regress_multinomial` and `regress_formula`.

    `answers`: names of the truths; the first is the baseline, and row j of the coefficients belongs
    to answer j + 1.
    """

    answers: tuple[str, ...] = ()

    def _coefficient(self, index: int) -> str:
        return f"{self.terms[index]} of answer {index // len(self.names) + 1}"
