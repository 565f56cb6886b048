"""Regression of a truth of k answers on covariates, from randomised reports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from deniable.analysis.numerics.arrays import IntArray
from deniable.analysis.regression import design
from deniable.analysis.regression.fit import MultinomialFit
from deniable.analysis.regression.searching import greatest
from deniable.analysis.regression.truth import BaselineCategory
from deniable.channel import Channel


def regress_multinomial(
    reports: npt.ArrayLike,
    X: npt.ArrayLike,
    channel: Channel,
    *,
    names: Sequence[str] | None = None,
    answers: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
    times: IntArray | None = None,
) -> MultinomialFit:
    """Regress a truth of k answers on covariates, though only randomised reports of it are known.

    Parameters
    ----------
    channel : Channel
        By which the reports were drawn, of k truths.
    answers : sequence of str, optional
        Names of the truths; their numbers by default.
    times : ndarray of int64, shape (n,), optional
        As for `regress`.

    Returns
    -------
    MultinomialFit
        With ``coefficients`` of shape (k - 1, p): row j is the logarithm of the odds of truth
        j + 1 against truth 0.

    Notes
    -----
    The model is ``P(x | z) = exp(z beta_x) / sum_y exp(z beta_y)`` with ``beta_0 = 0``. With
    ``pi = P(x | z)`` and r the posterior of the truth given the report, the score of predictor j is
    ``r_j - pi_j``, and the observed information is the covariance matrix of the truth under pi
    less that under r: what would be known if the truth were, less what is still missing.

    References
    ----------
    Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm.
    Journal of the Royal Statistical Society B 44, 226-233. van den Hout, A. and van der Heijden,
    P. G. M. (2002). Randomized response, statistical disclosure control and misclassification: a
    review. International Statistical Review 70, 269-288, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from deniable import designs
    >>> fit = regress_multinomial(
    ...     np.repeat([0, 1, 2], [50, 30, 20]), np.ones((100, 1)), designs.k_ary(3, epsilon=2)
    ... )
    >>> fit.coefficients.round(3)
    array([[-0.71 ],
           [-1.437]])
    """
    design.check_channel(channel)
    model = BaselineCategory(channel.truths)
    labels = [str(x) for x in range(model.truths)] if answers is None else list(answers)
    if len(labels) != model.truths:
        raise ValueError(
            f"expected {model.truths} answers, one for each truth, found {len(labels)}"
        )
    covariates, named = design.covariates_of(X, reports, names, times=times)
    likelihood = design.likelihood_of(model, reports, covariates, channel, weights, times)
    return MultinomialFit(
        likelihood=likelihood,
        maximum=greatest(likelihood),
        names=named,
        weighted=weights is not None,
        answers=tuple(labels),
    )
