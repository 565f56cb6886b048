"""How often intervals hold the difference of a number's means in two groups."""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.joint.group_means import (
    MeanDifference,
    correlated,
    group_mean,
    means_within,
    of_pairs,
)
from deniable.analysis.means import estimate_mean
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.linear import regress_mean
from deniable.channel import Channel, identity

DRAWS: Final = 400
SIZES: Final = (30, 100)
LEVELS: Final = np.arange(11.0)
GROUPS: Final = designs.k_ary(2, 3)
NUMBERS: Final[Mapping[str, Channel]] = {
    "ε = 3": designs.best_numeric(11, 3),
    "direct": identity(11),
}


def _spread(mean: float) -> FloatArray:
    found = np.array([1.0])
    for _ in range(10):
        found = np.convolve(found, [1 - mean, mean])
    return found


def _rare(share: float) -> FloatArray:
    return np.array([1 - share, *[0.0] * 9, share])


TRUTHS: Final[Mapping[str, tuple[FloatArray, FloatArray]]] = {
    "spread": (_spread(0.3), _spread(0.5)),
    "3 % and 10 % at 10, the others 0": (_rare(0.03), _rare(0.1)),
}
"""How the numbers are distributed in either group."""

HEADS: Final = ("groups known", "`income ~ group`", "groups randomised at ε = 3")


def coverage(
    number: Channel, truths: tuple[FloatArray, FloatArray], n: int
) -> tuple[float, float, float]:
    """Return how often the difference is held: by groups, by a regression, by groups of noise."""
    random = np.random.default_rng([n, *np.rint(1000 * number.probabilities[0]).astype(int)])
    true = float((truths[0] - truths[1]) @ LEVELS)
    group = np.repeat([0, 1], n)
    design = np.column_stack([np.ones(2 * n), group == 0])
    held = np.zeros(3)
    for _ in range(DRAWS):
        values = np.concatenate([random.choice(11, n, p=one) for one in truths])
        sent, said = _drawn(number, values, random), _drawn(GROUPS, group, random)
        each = [
            group_mean(estimate_mean(_counted(sent[group == one], number.reports), number, LEVELS))
            for one in (0, 1)
        ]
        pairs = np.zeros((2, number.reports), dtype=np.int64)
        np.add.at(pairs, (said, sent), 1)
        noisy = means_within(pairs.ravel(), of_pairs(GROUPS, number, LEVELS))
        ends = (
            MeanDifference(each[0], each[1]).interval()[0],
            regress_mean(sent, design, number, LEVELS).interval()[1],
            correlated(noisy[0], noisy[1]).interval()[0],
        )
        held += [low <= true <= high for low, high in ends]
    return tuple(held / DRAWS)


def _counted(sent: npt.NDArray[np.int64], reports: int) -> npt.NDArray[np.int64]:
    return np.bincount(sent, minlength=reports)


def _drawn(
    channel: Channel, truths: npt.NDArray[np.int64], random: np.random.Generator
) -> npt.NDArray[np.int64]:
    steps = channel.probabilities[truths].cumsum(axis=1)
    found: npt.NDArray[np.int64] = (random.random((len(truths), 1)) > steps).sum(axis=1)
    return np.minimum(found, channel.reports - 1)


def lines() -> Iterator[str]:
    """Write the table."""
    yield from markdown(
        ["the numbers", "sent at", "people in each", *HEADS],
        (
            [name, sent, str(n), *(f"{one:.3f}" for one in coverage(number, truths, n))]
            for name, truths in TRUTHS.items()
            for sent, number in NUMBERS.items()
            for n in SIZES
        ),
        names=2,
    )
