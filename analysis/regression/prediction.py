"""What a regression says about people: predicted probabilities and average marginal effects."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from deniable.analysis.proportion import normal_quantile
from deniable.analysis.regression.inference import variances
from deniable.analysis.regression.likelihood import Likelihood
from deniable.analysis.regression.links import FloatArray
from deniable.analysis.regression.maximise import Maximum
from deniable.analysis.regression.truth import Binary, TruthAt


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predicted probabilities of the truth. Made by `Fit.predict` and `MultinomialFit.predict`.

    Parameters
    ----------
    probability : ndarray, shape (rows,) or (rows, truths)
        Of truth 1 where there are two, of every truth where there are more.
    standard_error : ndarray, of the same shape
        By the delta method.
    interval : ndarray, of the same shape and one axis more, of length 2
        Lower and upper ends, inside [0, 1]: computed on the scale of the linear predictor (of the
        logit of the probability, where there are more truths than two) and mapped.
    """

    probability: FloatArray
    standard_error: FloatArray
    interval: FloatArray


@dataclass(frozen=True, eq=False)
class MarginalEffects:
    """Average marginal effects. Made by `Fit.marginal_effects`.

    Parameters
    ----------
    names : tuple of str
        The covariates, without constant columns.
    effect : ndarray, shape (covariates,) or (truths, covariates)
        On the probability of truth 1 where there are two, of every truth where there are more.
    standard_error, z, p_value : ndarray, of the same shape
        By the delta method.
    interval : ndarray, of the same shape and one axis more, of length 2
    """

    names: tuple[str, ...]
    effect: FloatArray
    standard_error: FloatArray
    z: FloatArray
    p_value: FloatArray
    interval: FloatArray


def predict(maximum: Maximum, X: FloatArray, V: FloatArray, level: float) -> Prediction:
    """Predict the probabilities of the truths at new covariates.

    Parameters
    ----------
    maximum : Maximum
    X : ndarray, shape (rows, p)
    V : ndarray, shape (size, size)
        Covariance of gamma.
    level : float

    Returns
    -------
    Prediction
        Where a probability cannot be told (see `Maximum.flat`) its interval is [0, 1].
    """
    likelihood = maximum.likelihood
    basis = likelihood.in_basis(X)
    eta = maximum.linear_predictors(basis)
    truth = likelihood.model.at(eta)
    z = normal_quantile(level)
    if isinstance(likelihood.model, Binary):
        link = likelihood.model.link
        error = np.sqrt(variances(basis, V, maximum.flat))
        ends = [link.cdf(eta[:, 0] - z * error), link.cdf(eta[:, 0] + z * error)]
        slopes = link.density(eta[:, 0])
        return Prediction(
            probability=link.cdf(eta[:, 0]),
            standard_error=np.where(np.isinf(error), math.inf, slopes * _finite(error)),
            interval=np.stack(ends, axis=1),
        )
    pi = truth.probabilities
    errors = np.stack(
        [
            np.sqrt(variances(_gradients(truth, basis, indicator), V, maximum.flat))
            for indicator in np.eye(likelihood.model.truths)
        ],
        axis=1,
    )
    # The logit's standard error, by the delta method once more. A probability of 0 or 1 to the last
    # bit has no logit; nothing is known of it unless its error is 0 as well.
    spread = pi * (1 - pi)
    half = z * np.where(spread > 0, errors / np.where(spread > 0, spread, 1.0), math.inf)
    centre = special.logit(np.clip(pi, 1e-300, 1 - 1e-16))
    return Prediction(
        probability=pi,
        standard_error=errors,
        interval=np.stack([special.expit(centre - half), special.expit(centre + half)], axis=-1),
    )


def marginal_effects(
    maximum: Maximum, names: tuple[str, ...], V: FloatArray, level: float
) -> MarginalEffects:
    """Average over the respondents what one more of each covariate does to the probabilities.

    Parameters
    ----------
    maximum : Maximum
    names : tuple of str
        Of all covariates.
    V : ndarray, shape (size, size)
        Covariance of gamma.
    level : float

    Returns
    -------
    MarginalEffects
    """
    likelihood = maximum.likelihood
    X = likelihood.X
    chosen = [j for j in range(X.shape[1]) if (X[:, j] != X[0, j]).any()]
    truths = likelihood.model.truths
    indicators = np.eye(truths) if truths > 2 else np.eye(2)[1:]
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
    if truths == 2:
        effects, errors = effects[0], errors[0]
    half = normal_quantile(level) * errors
    z = effects / np.where(errors > 0, errors, math.nan)
    return MarginalEffects(
        names=tuple(names[j] for j in chosen),
        effect=effects,
        standard_error=errors,
        z=z,
        p_value=2 * special.ndtr(-np.abs(z)),
        interval=np.stack([effects - half, effects + half], axis=-1),
    )


def _finite(errors: FloatArray) -> FloatArray:
    return np.where(np.isinf(errors), 0.0, errors)


def _gradients(truth: TruthAt, basis: FloatArray, c: FloatArray) -> FloatArray:
    """Return the derivatives by gamma of ``sum_x P(x) c_x``, shape (rows, size)."""
    G = truth.gradient(c)
    return (G[:, :, np.newaxis] * basis[:, np.newaxis, :]).reshape(len(basis), -1)


def _averaged(values: FloatArray, likelihood: Likelihood) -> FloatArray:
    mean: FloatArray = likelihood.weights @ values / likelihood.n
    return mean


def _discrete_change(maximum: Maximum, j: int, c: FloatArray) -> tuple[float, FloatArray]:
    """Average the difference between covariate j at 1 and at 0; with its derivative by gamma."""
    likelihood = maximum.likelihood
    change, gradient = 0.0, np.zeros(likelihood.size)
    for value, sign in ((1.0, 1.0), (0.0, -1.0)):
        X = likelihood.X.copy()
        X[:, j] = value
        basis = likelihood.in_basis(X)
        truth = likelihood.model.at(maximum.linear_predictors(basis))
        change += sign * float(_averaged(truth.mean(c), likelihood))
        gradient = gradient + sign * _averaged(_gradients(truth, basis, c), likelihood)
    return change, gradient


def _derivative(maximum: Maximum, j: int, c: FloatArray) -> tuple[float, FloatArray]:
    """Average the derivative by covariate j; with its derivative by gamma."""
    likelihood, truth = maximum.likelihood, maximum.at.truth
    m = likelihood.model.predictors
    # The coefficients of covariate j, one a linear predictor, as a function of gamma.
    rows = likelihood.to_coefficients.reshape(m, -1, likelihood.size)[:, j]
    beta = rows @ maximum.gamma
    slope = _averaged(truth.gradient(c), likelihood)
    curved = truth.hessian(c) @ beta
    through_eta = (curved * likelihood.weights[:, np.newaxis]).T @ likelihood.basis / likelihood.n
    return float(slope @ beta), through_eta.ravel() + slope @ rows
