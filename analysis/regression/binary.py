"""Regression of a yes-or-no truth on covariates, from randomised reports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from deniable.analysis.numerics.arrays import IntArray
from deniable.analysis.regression import design
from deniable.analysis.regression.fit import Fit
from deniable.analysis.regression.links import find_link
from deniable.analysis.regression.searching import greatest
from deniable.analysis.regression.truth import Binary
from deniable.channel import Channel


def regress(
    reports: npt.ArrayLike,
    X: npt.ArrayLike,
    channel: Channel,
    *,
    link: str = "logit",
    names: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
    times: IntArray | None = None,
) -> Fit:
    """Regress a yes-or-no truth on covariates, though only randomised reports of it are known.

    Parameters
    ----------
    reports : array_like of int, shape (n,)
        Column of the channel that each respondent sent.
    X : array_like of float, shape (n, p)
        Covariates, exactly as they enter the model: for an intercept include a column of ones.
    channel : Channel
        By which the reports were drawn, of two truths; a direct question is
        `deniable.channel.identity(2)`.
    link : {"logit", "probit", "cloglog", "cauchit"}
        With F the logistic, normal, complementary log-log or Cauchy distribution function,
        ``P(truth = 1 | z) = F(z beta)``.
    names : sequence of str, optional
        Of the columns of `X`. By default ``intercept`` for ones, and ``x0``, ``x1``, ….
    weights : array_like of float, shape (n,), optional
        Sampling weights, the inverse of the chance of being in the sample, up to a factor. The
        estimate is then that of pseudo-maximum likelihood.
    times : ndarray of int64, shape (n,), optional
        How many respondents each row is; by default one.

    Returns
    -------
    Fit
        If the likelihood has no maximum (a covariate separates direct answers, or the reports of a
        group are rarer than the design allows) the fit is `at_boundary`: its coefficients that run
        away are infinite, and its `message` says which and where to.

    Notes
    -----
    A respondent with covariates z sends report a with probability
    ``P(a) = (1 - F(z beta)) C[0, a] + F(z beta) C[1, a]``. For two reports that is
    ``c + d F(z beta)`` with ``c = C[0, 1]`` and ``d = C[1, 1] - C[0, 1]``, and a report of 1 adds
    ``d f / P(1)``, a report of 0 ``-d f / P(0)`` times z to the score, with f the density of F. The
    expected information is the sum of ``d^2 f^2 / (P(1) P(0))`` times ``z z'``. See
    `deniable.analysis.regression.likelihood` for the general case and
    `deniable.analysis.regression.maximise` for what is certified.

    The likelihood need not be concave, and with few people its supremum may be at infinity. Where
    the reports tell little for each coefficient many starts are tried, see
    `deniable.analysis.regression.searching`. If one gets higher and no maximum can be certified
    there, `Fit.doubt` says so.

    References
    ----------
    Maddala, G. S. (1983). Limited-dependent and qualitative variables in econometrics. Cambridge
    University Press, section 2.11. Scheers, N. J. and Dayton, C. M. (1988). Covariate randomized
    response models. JASA 83, 969-974. van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R.
    (2007). The logistic regression model with response variables subject to randomized response.
    Computational Statistics and Data Analysis 51, 6060-6069. Blair, G., Imai, K. and Zhou, Y.-Y.
    (2015). Design and analysis of the randomized response technique. JASA 110, 1304-1319,
    section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from deniable import designs
    >>> reports = np.repeat([0, 1, 0, 1], [60, 40, 45, 55])
    >>> age = np.repeat([0, 1], 100)
    >>> X = np.column_stack([np.ones(200), age])
    >>> fit = regress(reports, X, designs.warner(flip="1/4"), names=["intercept", "old"])
    >>> fit.coefficients.round(3), fit.standard_error().round(3)
    (array([-0.847,  1.253]), array([0.467, 0.624]))
    """
    design.check_channel(channel)
    if channel.truths != 2:
        raise ValueError(
            f"expected a channel of 2 truths, found {channel.truths}: see regress_multinomial"
        )
    model = Binary(find_link(link))
    covariates, named = design.covariates_of(X, reports, names, times=times)
    likelihood = design.likelihood_of(model, reports, covariates, channel, weights, times)
    return Fit(
        likelihood=likelihood,
        maximum=greatest(likelihood),
        names=named,
        weighted=weights is not None,
        link=link,
    )
