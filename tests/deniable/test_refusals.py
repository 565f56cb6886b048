"""What numbers, estimators, designs and families refuse, and how they say it."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from deniable import designs, exact, least_variance
from deniable.designs import coarsened, numeric
from deniable.designs.families import Family
from deniable.estimator import for_values
from deniable.exact import percent
from deniable.survey.waves import Memory

WARNER = designs.warner(flip="1/4")
THIRD = Fraction(1, 3)
HALF = ["1/2", "1/2"]

written: Any = exact.fraction
remembered: Any = Memory
named: Any = Family
k_ary: Any = designs.k_ary


def forced(truth: exact.Number, *shares: exact.Number) -> object:
    return designs.forced_response_k(truth=truth, forced=list(shares))


def offered(design: object) -> None:
    designs.refuse_for_collection(design, ["No", "Yes"])  # type: ignore[arg-type]


REFUSED: list[tuple[Callable[[], object], str]] = [
    *(
        (lambda one=one: written(one), r"expected a number such as 0\.25 or 1/4, found")
        for one in ("", "half", "1/0", "nan", math.inf, None, [1])
    ),
    (lambda: exact.exp_lower(Fraction(10**9)), r"a number of at most 1000, found 1e\+09"),
    (lambda: exact.exp_lower(Fraction(-1)), "at least 0"),
    (lambda: exact.log_millionths(Fraction(1, 2)), "at least 1"),
    (lambda: exact.probability("-0.1", "a share"), "expected a share between 0 and 1, found"),
    (lambda: percent("0.2"), r"found '0.2': did you mean 20%\?"),
    (lambda: percent("2/3"), r"found '2/3': did you mean 66.67%\?"),
    *(
        (lambda one=one: percent(one), "expected percent such as 20 or 20%, found")
        for one in ("", "%", "x", "nan", "20%%", "1e99999")
    ),
    (lambda: percent("-1"), "from 0 to 100, found '-1'"),
    (lambda: designs.custom([HALF, [0.33, 0.66]]), "row 1: .* that sum to 1, found 99"),
    (lambda: least_variance(designs.custom([HALF, HALF])), "not identifiable"),
    (lambda: for_values(designs.k_ary(3, 1), [1, 2]), "expected 3 finite values"),
    (lambda: for_values(designs.k_ary(3, 1), [1, 2, np.nan]), "expected 3 finite values"),
    (lambda: remembered(WARNER, -1), "expected a redraw of 0 to 2147483647"),
    (lambda: remembered(WARNER, 0.5), "expected a redraw of 0 to 2147483647"),
    (lambda: k_ary(k=1, epsilon=1), "expected 2 to 255 answers, found 1"),
    (lambda: k_ary(k=3), "expected either epsilon or keep"),
    (lambda: k_ary(k=3, epsilon=0), "expected an epsilon above 0"),
    (lambda: k_ary(k=3, keep=THIRD), "above 1/3"),
    (lambda: k_ary(k=200, epsilon="1e-9"), "too close to no information"),
    (lambda: k_ary(k=2, keep=Fraction(2**33 + 1, 2**34)), "too close to no"),
    (lambda: designs.truth_or_random(truth=0), "above 1/2"),
    (lambda: forced(0, THIRD, THIRD, THIRD), "above 0, found 0"),
    (lambda: forced(1.2, THIRD, THIRD, THIRD), "telling the truth"),
    (lambda: forced(0.5, THIRD, THIRD), "sum to 1, found 2/3"),
    (lambda: forced(0.5, 2, -1), "share of a forced answer"),
    (lambda: offered(designs.triangular("1/4")), "the report 'No' would give its sender away"),
    (lambda: named("laplace", 5), "expected one of k_ary, best, found 'laplace'"),
    (lambda: named("warner", 5, 5), "expected one of best, k_ary, laplace"),
    (lambda: named("laplace", 5, 6), "expected 2 to 5 levels, found 6"),
    (lambda: named("laplace", 5, 5, True), "randomises numbers only"),
    (lambda: coarsened(numeric.laplace(3, 1), 1), "2 to 255 values, found 1"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=range(len(REFUSED)))
def test_it_says_what_was_expected_and_found(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
