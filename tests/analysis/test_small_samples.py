"""Intervals of means, tables and shares that are not one proportion invert a test."""

import numpy as np
import pytest

from benchmarks.coverage import tails
from deniable.analysis.intervals import inversion

pytestmark = pytest.mark.promise("coverage")


def test_intervals_hold_what_tests_do_not_reject() -> None:
    """Coverage is measured by the test alone, which is much sooner computed."""
    random = np.random.default_rng(7)
    for problem in (*tails.levels("3"), *tails.both("1")):
        for table in random.multinomial(12, problem.truth @ problem.C, size=8):
            low, high = inversion.tail_interval(table, problem.C, problem.ratio, 0.95)
            held = inversion.holds(table, problem.C, problem.ratio, 0.95, problem.value)
            if min(abs(low - problem.value), abs(high - problem.value)) > 1e-3:
                assert held == (low <= problem.value <= high)
