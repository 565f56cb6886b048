"""How far apart the reports of two truths are: Rényi divergences."""

from __future__ import annotations

import math

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel


def renyi(channel: Channel, order: float) -> float:
    """Return the Rényi divergence of a channel: the greatest between any two truths, in nats.

    Parameters
    ----------
    order : float
        At least 0; 1 is the Kullback-Leibler divergence, and `math.inf` gives ε up to rounding.

    Returns
    -------
    float
        It never falls as the order grows, and never exceeds ε.

    References
    ----------
    Mironov, I. (2017). Rényi differential privacy. IEEE Computer Security Foundations Symposium,
    263-275, definition 4: a channel is (order, divergence)-Rényi private.

    Examples
    --------
    >>> from deniable import designs
    >>> channel = designs.k_ary(4, 1)
    >>> [round(renyi(channel, order), 3) for order in (1, 2, 10, math.inf)]
    [0.3, 0.534, 0.917, 1.0]
    """
    if not order >= 0:
        raise ValueError(f"expected an order of at least 0, such as 2 or math.inf, found {order}")
    C = channel.probabilities
    return max(float(_divergences(row, C, order).max()) for row in C)


def kullback_leibler(channel: Channel) -> float:
    """Return the Kullback-Leibler divergence of a channel: the greatest between truths, in nats.

    Returns
    -------
    float
        The mean log-odds that a report adds, for the pair of truths easiest to distinguish.

    References
    ----------
    Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2013). Local privacy and statistical minimax
    rates. FOCS, theorem 1: it is at most ``min(4, e^(2 ε)) (e^ε - 1)^2``.
    """
    return renyi(channel, 1)


def _divergences(p: FloatArray, table: FloatArray, order: float) -> FloatArray:
    """Return the Rényi divergence of p from each row (van Erven and Harremoës 2014, section II)."""
    P, Q = np.broadcast_to(p, table.shape), table
    both = (P > 0) & (Q > 0)
    log_ratio = np.log(np.divide(P, Q, out=np.ones_like(Q), where=both))
    if order == math.inf:
        found = np.where(both, log_ratio, -math.inf).max(axis=1)
    elif order == 1:
        found = (P * log_ratio).sum(axis=1)
    else:
        found = _of_finite_order(np.where(both, P, 0.0), log_ratio, order)
    # Where Q is 0 and P is not, Q^(1 - order) is 0 below order 1 and infinite from there on.
    impossible = (P > 0) & (Q == 0)
    infinite = impossible.any(axis=1) if order >= 1 else ~both.any(axis=1)
    # Rounding may leave two equal rows some 1e-17 below 0.
    return np.where(infinite, math.inf, np.maximum(found, 0.0))


def _of_finite_order(P: FloatArray, log_ratio: FloatArray, order: float) -> FloatArray:
    """Return ``ln(sum_a P_a e^(delta r_a)) / delta``, with delta the order less 1."""
    delta = order - 1
    sent = P > 0
    exponent = delta * np.where(sent, log_ratio, 0.0)
    # The greatest exponent is factored out, so that nothing overflows at high orders; the rest is
    # summed as differences from 1, so that nothing cancels at orders near 1.
    greatest = np.where(sent, exponent, -math.inf).max(axis=1, keepdims=True)
    shift = np.where(np.abs(exponent).max(axis=1, keepdims=True) < 1, 0.0, greatest)
    grown = np.expm1(np.where(sent, exponent - shift, 0.0))
    excess = np.where(sent.any(axis=1), P.sum(axis=1) - 1 + (P * grown).sum(axis=1), 0.0)
    return (np.log1p(excess) + shift[:, 0]) / delta
