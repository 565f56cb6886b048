"""A budget is never overspent, in exact arithmetic, and spent where it tells most."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import budget
from deniable.budget import Claim
from deniable.designs.families import Family
from deniable.estimator import mean_variance, share_variance
from tests.kit import first_of

YES_NO = Family("k_ary", 2)

questions = st.lists(
    st.tuples(st.fractions(Fraction(1, 100), 100), st.integers(1, 30), st.integers(2, 30)),
    min_size=1,
    max_size=8,
)


@given(st.integers(0, 20_000_000), questions)
def test_shares_almost_fill_the_budget(total: int, asked: list[tuple[Fraction, int, int]]) -> None:
    weights, items, _ = zip(*asked, strict=True)
    shares = budget.share(total, weights, items)
    spent = sum(share * count for share, count in zip(shares, items, strict=True))
    assert spent <= total
    assert spent > total - sum(items)
    for share, weight, count in zip(shares, weights, items, strict=True):
        assert share == (total * weight / sum(weights) / count).__floor__()


@given(st.integers(0, 20_000_000), questions, st.data())
def test_drawn_questions_shares_never_exceed_the_total(
    total: int, questions: list[tuple[Fraction, int, int]], data: st.DataObject
) -> None:
    weights, items, _ = zip(*questions, strict=True)
    asked = data.draw(st.integers(1, len(questions)))
    shares = budget.share(total, weights, items, asked)
    costs = [share * count for share, count in zip(shares, items, strict=True)]
    dearest = max(sum(drawn) for drawn in itertools.combinations(costs, asked))
    assert total - sum(items) < dearest <= total


def total_variance(claims: list[Claim], shares: list[int]) -> float:
    """Add up, from the closed form of the test above, what `Claim.variance` promises to be."""
    total = 0.0
    for claim, share in zip(claims, shares, strict=True):
        k, e = claim.family.answers, math.exp(share / 1e6)
        one = (1 - 1 / k) * ((e + k - 1) / (e - 1)) ** 2
        # n asked / items of the respondents answer each item.
        total += float(claim.weight) * claim.items * one * claim.items / claim.asked
    return total


CLAIMS = {
    "two alike": [Claim(YES_NO), Claim(YES_NO)],
    "two and ten answers": [Claim(YES_NO), Claim(Family("k_ary", 10))],
    "one and five items": [Claim(YES_NO), Claim(YES_NO, items=5, asked=5)],
    "some items asked": [Claim(YES_NO), Claim(Family("k_ary", 3), items=6, asked=2)],
    "weights": [Claim(YES_NO), Claim(YES_NO, weight=Fraction(9)), Claim(Family("k_ary", 4))],
    "three kinds": [Claim(YES_NO), Claim(Family("k_ary", 5)), Claim(YES_NO, items=3, asked=3)],
    "twins beside another": [Claim(YES_NO), Claim(YES_NO), Claim(Family("k_ary", 5))],
}


def least_on_a_grid(
    total: int, claims: list[Claim], measure: Callable[[list[Claim], list[int]], float]
) -> float:
    """Measure every split in steps of a grid, and return the least."""
    steps = 400 if len(claims) == 2 else 60
    splits = (
        (*some, steps - sum(some))
        for some in itertools.product(range(1, steps), repeat=len(claims) - 1)
        if sum(some) < steps
    )
    asked = [claim.asked for claim in claims]
    return min(
        measure(claims, [total * part // steps // a for part, a in zip(split, asked, strict=True)])
        for split in splits
    )


@pytest.mark.parametrize("split", [budget.optimal, budget.even])
@pytest.mark.parametrize("total", [300_000, 2_000_000, 8_000_000])
@pytest.mark.parametrize("claims", CLAIMS.values(), ids=CLAIMS)
def test_what_is_shared_is_spent(
    claims: list[Claim], total: int, split: Callable[[int, list[Claim]], list[int]]
) -> None:
    spent = sum(
        share * claim.asked for share, claim in zip(split(total, claims), claims, strict=True)
    )
    assert total - sum(claim.asked for claim in claims) - len(claims) < spent <= total
    assert split(5_000_000, [Claim(YES_NO)] * 5) == [1_000_000] * 5
    assert split(0, claims) == [0] * len(claims)


def test_a_tiny_budget_is_shared_all_the_same() -> None:
    assert math.isinf(Claim(YES_NO).variance(0))
    # Some thousandths of ε: variances are huge, and some shares would be too small for weights.
    shares = budget.optimal(2_000, [Claim(YES_NO), Claim(Family("k_ary", 20))])
    assert 0 < sum(shares) <= 2_000


def widest_interval(claims: list[Claim], shares: list[int]) -> float:
    """Find the widest of all intervals, at worst, from the chances of k-ary randomised response.

    With `p` the chance of a report if its answer is true, and `q` if another is, the share of those
    who send it is q + (p - q) t, and the estimate divides its variance by (p - q)^2.
    """
    widest = 0.0
    for claim, share in zip(claims, shares, strict=True):
        k, e = claim.family.answers, math.exp(share / 1e6)
        p, q = e / (e + k - 1), 1 / (e + k - 1)
        sent = min(max(0.5, q), p)
        widest = max(widest, sent * (1 - sent) / (p - q) ** 2 * claim.items / claim.asked)
    return widest


@pytest.mark.parametrize(
    ("split", "measure", "least", "most"),
    [
        # A little below the best on the grid, which it does not lie on.
        (budget.optimal, total_variance, 0.99, 1 + 1e-6),
        # What a step of a 2048th of the budget may cost, and what the grid misses.
        (budget.even, widest_interval, 0.9, 1.003),
    ],
)
@pytest.mark.parametrize("total", [300_000, 2_000_000, 8_000_000])
@pytest.mark.parametrize("claims", CLAIMS.values(), ids=CLAIMS)
def test_no_grid_has_a_better_split(
    claims: list[Claim],
    total: int,
    split: Callable[[int, list[Claim]], list[int]],
    measure: Callable[[list[Claim], list[int]], float],
    least: float,
    most: float,
) -> None:
    best = least_on_a_grid(total, claims, measure)
    assert best * least < measure(claims, split(total, claims)) <= best * most


@pytest.mark.parametrize("family", first_of([Family("mean_only", 11, 11), Family("best", 101, 21)]))
def test_the_search_knows_a_mean_s_least_noise(family: Family) -> None:
    dearer = Family("piecewise", family.answers, family.levels)
    of_yes, _ = budget.even(3_000_000, [Claim(YES_NO), Claim(family)])
    assert of_yes > budget.even(3_000_000, [Claim(YES_NO), Claim(dearer)])[0]
    # Both are known to the same number of points, by the channels that the split buys.
    yes, number = (
        one.channel(Fraction(part, 10**6))
        for one, part in ((YES_NO, of_yes), (family, 3_000_000 - of_yes))
    )
    values = [float(value) for value in family.values or ()]
    noise = mean_variance(number, values) / share_variance(yes).max()
    assert noise == pytest.approx(1, rel=0.05)
