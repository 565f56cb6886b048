"""A fraction of a person is refused wherever people, reports or waves are counted."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from deniable import designs
from deniable.analysis.intervals.coverage import exact_coverage, least_coverage
from deniable.analysis.planning.budgets import precision
from deniable.analysis.planning.power import power_one_share, power_two_groups
from deniable.analysis.planning.widths import expected_half_width, half_width, mean_half_width
from deniable.analysis.privacy.adversary import averaging, people_sending
from deniable.analysis.privacy.composition import compose
from deniable.analysis.privacy.poisoning import poisoning
from tests.analysis.surveys import EVERY_KIND

COINS = designs.warner(flip="1/4")

COUNTED: dict[str, Callable[[Any], object]] = {
    "power_one_share": lambda n: power_one_share(COINS, n, share=0.2, null=0),
    "power_two_groups": lambda n: power_two_groups(COINS, (n, 100), shares=(0.1, 0.2)),
    "power_two_groups, second": lambda n: power_two_groups(COINS, (100, n), shares=(0.1, 0.2)),
    "half_width": lambda n: half_width(COINS, n),
    "mean_half_width": lambda n: mean_half_width(COINS, [0, 1], n),
    "expected_half_width": lambda n: expected_half_width(COINS, n, 0.5),
    "precision": lambda n: precision(EVERY_KIND, n),
    "exact_coverage": lambda n: exact_coverage(COINS, n, [0.1]),
    "least_coverage": lambda n: least_coverage(COINS, n),
    "poisoning": lambda n: poisoning(COINS, n),
    "poisoning, liars": lambda n: poisoning(COINS, 1000).shift(n),
    "people_sending": lambda n: people_sending(COINS, n),
    "averaging": lambda n: averaging(COINS, [0.5, 0.5], n),
    "compose": lambda n: compose([COINS], waves=n),
}


@pytest.mark.parametrize("function", COUNTED.values(), ids=COUNTED)
def test_a_fraction_of_one_is_refused(function: Callable[[Any], object]) -> None:
    for fraction in (20.5, np.float64(20.5), float("nan")):
        with pytest.raises(ValueError, match=r"whole number of|colluding respondents, found"):
            function(fraction)
    function(20)
    function(np.int64(20))
