"""Channels for property tests: tables of all kinds, square or not, with zeros or without."""

import numpy as np
import pytest
from hypothesis import strategies as st

from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.channel import ROW_SUM, Channel


@st.composite
def channels(draw: st.DrawFn) -> Channel:
    """Draw a channel of 2 to 5 truths, as many reports or up to three more, that is identifiable.

    A random table is mixed with one that keeps the truth, so that its rows are never dependent.
    """
    truths = draw(st.integers(2, 5))
    reports = truths + draw(st.integers(0, 3))
    seed = draw(st.integers(0, 2**32 - 1))
    keep = draw(st.floats(0.05, 0.95))
    zeros = draw(st.booleans())
    random = np.random.default_rng(seed)
    noise = random.dirichlet(np.full(reports, 0.5), size=truths) + 1e-3
    if zeros:
        noise[random.random((truths, reports)) < 0.5] = 0
        noise[:, -1] += 1e-3
    table = keep * np.eye(truths, reports) + (1 - keep) * noise / noise.sum(axis=-1, keepdims=True)
    weights = np.floor(table * ROW_SUM).astype(int)
    weights[range(truths), weights.argmax(axis=1)] += ROW_SUM - weights.sum(axis=1)
    return Channel(weights.tolist())


def gap(theta: FloatArray, rows: FloatArray, w: FloatArray) -> float:
    """Return the certificate of Lindsay: no mixture of rows is likelier by more."""
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    seen = w > 0
    return float((rows[:, seen] / (theta @ rows[:, seen]) @ w[seen]).max() - 1)


def sent(channel: Channel, truths: IntArray, random: np.random.Generator) -> IntArray:
    steps = channel.probabilities[truths].cumsum(axis=1)
    return np.asarray((random.random((len(truths), 1)) > steps).sum(axis=1))
