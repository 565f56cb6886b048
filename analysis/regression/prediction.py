"""What a regression says about people: probabilities, average marginal effects."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import scipy

from deniable.analysis import intervals
from deniable.analysis.estimated import Estimated, Normal, in_normal_quantiles
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.inference import variances
from deniable.analysis.regression.likelihood import Likelihood, chained
from deniable.analysis.regression.links import LINKS, Link
from deniable.analysis.regression.maximise import Maximum
from deniable.analysis.regression.truth import Binary


@dataclass(frozen=True, eq=False)
class Prediction(Estimated):
    """Predicted probabilities of the truth. Made by `Fit.predict` and `MultinomialFit.predict`.

    `theta`, shape (rows,) or (rows, truths): probability of truth 1 where there are two, of every
    truth where there are more; of every share, where these are asked. `standard_error`: by the
    delta method. `linear_predictor`, `linear_standard_error`: the same on the scale on which the
    interval is computed. `link`: from that scale to the probability. `degrees_of_freedom`: of
    Student's t; normal (infinite) but for a sample.

    The `interval` is Wald's on the scale of the linear predictor (of the logit of the probability,
    where there are more truths than two), mapped. It is inside [0, 1], and all of that where a
    probability cannot be told (see `Maximum.flat`).
    """

    theta: FloatArray
    standard_error: FloatArray
    linear_predictor: FloatArray = field(repr=False)
    linear_standard_error: FloatArray = field(repr=False)
    link: Link = field(repr=False)
    degrees_of_freedom: float = field(default=math.inf, repr=False)

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:  # noqa: ARG002  one kind
        error = self.linear_standard_error * in_normal_quantiles(level, self.degrees_of_freedom)
        return self.link.cdf(intervals.wald(self.linear_predictor, error, level)).reshape(-1, 2)


def predict(maximum: Maximum, X: FloatArray, V: FloatArray) -> Prediction:
    """Predict the probabilities of the truths at new covariates."""
    likelihood = maximum.likelihood
    if isinstance(likelihood.model, Binary):
        return predict_answer(maximum, 0, likelihood.model.link, X, V)
    bases = likelihood.in_bases(X)
    truth = likelihood.model.at(maximum.linear_predictors(bases))
    wanted = likelihood.model.shares
    pi = np.stack([truth.mean(indicator) for indicator in wanted], axis=1)
    errors = np.stack(
        [
            np.sqrt(variances(chained(truth.gradient(indicator), bases), V, maximum.flat))
            for indicator in wanted
        ],
        axis=1,
    )
    # The logit's standard error, by the delta method once more. A probability of 0 or 1 to the last
    # bit has no logit; nothing is known of it unless its error is 0 as well.
    spread = pi * (1 - pi)
    return Prediction(
        theta=pi,
        standard_error=errors,
        linear_predictor=scipy.special.logit(np.clip(pi, 1e-300, 1 - 1e-16)),
        linear_standard_error=np.where(
            spread > 0, errors / np.where(spread > 0, spread, 1.0), math.inf
        ),
        link=LINKS["logit"],
    )


def predict_answer(
    maximum: Maximum, question: int, link: Link, X: FloatArray, V: FloatArray
) -> Prediction:
    """Predict the probability of a yes that one linear predictor stands for."""
    bases = maximum.likelihood.in_bases(X)
    eta = maximum.linear_predictors(bases)
    here = np.zeros(eta.shape)
    here[:, question] = 1
    error = np.sqrt(variances(chained(here, bases), V, maximum.flat))
    centre, is_open = eta[:, question], np.isinf(error)
    return Prediction(
        theta=link.cdf(centre),
        standard_error=np.where(
            is_open, math.inf, link.density(centre) * np.where(is_open, 0.0, error)
        ),
        linear_predictor=centre,
        linear_standard_error=error,
        link=link,
    )


def marginal_effects(maximum: Maximum, names: tuple[str, ...], V: FloatArray) -> Normal:
    """Average over the respondents what one more of each covariate does to the probabilities."""
    likelihood = maximum.likelihood
    X = likelihood.X
    chosen = [j for j in range(X.shape[1]) if (X[:, j] != X[0, j]).any()]
    indicators = likelihood.model.shares
    effects = np.empty((len(indicators), len(chosen)))
    gradients = np.empty((len(indicators), len(chosen), likelihood.size))
    for place, j in enumerate(chosen):
        for row, indicator in enumerate(indicators):
            effects[row, place], gradients[row, place] = (
                _discrete_change(maximum, j, indicator)
                if set(np.unique(X[:, j])) == {0.0, 1.0}
                else _derivative(maximum, j, indicator)
            )
    errors = np.sqrt(variances(gradients.reshape(-1, likelihood.size), V, maximum.flat)).reshape(
        effects.shape
    )
    if isinstance(likelihood.model, Binary):
        effects, errors = effects[0], errors[0]
    return Normal(effects, errors, tuple(names[j] for j in chosen))


def _average(values: FloatArray, likelihood: Likelihood) -> FloatArray:
    return likelihood.counted @ values / likelihood.n


def _discrete_change(maximum: Maximum, j: int, c: FloatArray) -> tuple[float, FloatArray]:
    """Average the difference between covariate j at 1 and at 0; with its derivative by gamma."""
    likelihood = maximum.likelihood
    change, gradient = 0.0, np.zeros(likelihood.size)
    for value, sign in ((1.0, 1.0), (0.0, -1.0)):
        X = likelihood.X.copy()
        X[:, j] = value
        bases = likelihood.in_bases(X)
        truth = likelihood.model.at(maximum.linear_predictors(bases))
        change += sign * float(_average(truth.mean(c), likelihood))
        gradient = gradient + sign * _average(chained(truth.gradient(c), bases), likelihood)
    return change, gradient


def _derivative(maximum: Maximum, j: int, c: FloatArray) -> tuple[float, FloatArray]:
    """Average the derivative by covariate j; with its derivative by gamma."""
    likelihood, truth = maximum.likelihood, maximum.at.truth
    # The coefficients of covariate j, one a linear predictor, as a function of gamma; 0 where it
    # does not enter.
    rows = np.zeros((likelihood.model.predictors, likelihood.size))
    of_j = likelihood.places[:, 1] == j
    rows[likelihood.places[of_j, 0]] = likelihood.to_coefficients[of_j]
    beta = rows @ maximum.gamma
    slope = _average(truth.gradient(c), likelihood)
    curved = truth.hessian(c) @ beta
    through_eta = _average(chained(curved, likelihood.bases), likelihood)
    return float(slope @ beta), through_eta + slope @ rows
