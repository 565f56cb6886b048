"""Standard errors of means over the reports, none less than the known noise leaves."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray


def standard_error_of(
    g: FloatArray,
    expected: FloatArray,
    counts: npt.NDArray[np.int64],
    probabilities: FloatArray,
) -> FloatArray:
    """Return the standard error of a mean over the reports; nan for a single report.

    `g`, `expected`: see `least_noise`. Result, shape (...).
    """
    n = int(counts.sum())
    if n == 1:
        return np.full(g.shape[:-1], math.nan)
    least = least_noise(g, probabilities, expected)
    variance = np.maximum(sample_variance(g, counts), least)
    return np.asarray(np.sqrt(variance / n))


def sample_variance(g: FloatArray, counts: npt.NDArray[np.int64]) -> FloatArray:
    """Return the variance of contributions over the reports, with n - 1 in the denominator."""
    n = int(counts.sum())
    mean = np.asarray(g @ counts / n)
    return np.asarray((g - mean[..., np.newaxis]) ** 2 @ counts / (n - 1))


def least_noise(g: FloatArray, probabilities: FloatArray, expected: FloatArray) -> FloatArray:
    """Return the least variance that the noise gives a report's contribution, whatever the truth.

    The noise is known, so no estimated variance of a contribution may be less: a few equal reports
    make nothing certain.

    `g`, shape (..., reports): what each report contributes. `expected`, shape (..., truths): the
    mean contribution of the reports of each truth. Result, shape (...): the least Var(g | x) =
    E[g^2 | x] - E[g | x]^2 over all truths x; at least 0.
    """
    given_truth = g**2 @ probabilities.T - expected**2
    return np.asarray(np.maximum(given_truth.min(axis=-1), 0))
