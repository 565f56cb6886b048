"""Every interval has its ends in the last axis."""

import numpy as np

from deniable import analysis as da
from deniable import designs

COINS = designs.warner(flip="1/4")


def test_lower_and_upper_ends_are_the_last_axis() -> None:
    X, reports = np.ones((200, 1)), np.repeat([0, 1], [110, 90])
    table = da.crosstab([[90, 60], [50, 100]], [COINS, COINS])
    regression = da.regress(reports, X, COINS)
    people = da.sampling.debiased_shares(reports, COINS)
    every = {
        "shares": (da.estimate([110, 90], COINS), (2,)),
        "mean": (da.estimate_mean([110, 90], COINS, [0, 1]), ()),
        "difference": (da.difference([110, 90], [90, 110], COINS), (2,)),
        "ratio": (da.ratio([110, 90], [90, 110], COINS), (2,)),
        "odds ratio": (da.odds_ratio([110, 90], [90, 110], COINS), (2,)),
        "pairwise": (da.pairwise([[110, 90], [90, 110], [99, 101]], COINS), (3, 2)),
        "crosstab": (table, (2, 2)),
        "conditional": (table.conditional(1), (2, 2)),
        "correlation": (da.correlation([[90, 60], [50, 100]], [COINS, COINS]), ()),
        "applicable": (da.applicable_shares([60, 60, 80], designs.k_ary(3, 2), 2), (2,)),
        "compliance": (da.compliance([130, 70], COINS, [1, 0]), (2,)),
        "sampling": (da.sampling.mean(people, da.sampling.sampling_design([5] * 200)), (2,)),
        "coefficients": (regression, (1,)),
        "odds ratios": (regression.odds_ratios(), (1,)),
        "prediction": (regression.predict([[1], [1]]), (2,)),
    }
    for name, (result, shape) in every.items():
        ends = result.interval(0.9)  # type: ignore[attr-defined]  # of classes without a common base
        assert ends.shape == (*shape, 2), name
        low, high = ends[..., 0], ends[..., 1]
        assert ((low <= high) | np.isnan(low)).all(), name
