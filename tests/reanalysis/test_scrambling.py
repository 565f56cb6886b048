"""Scrambled responses: every law enumerated, and the variances that the papers print."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import pytest

from deniable.reanalysis.scrambling import (
    Scrambler,
    Scrambling,
    bar_lev,
    chaudhuri_christofides,
    diana_perri_1,
    diana_perri_2,
    eichhorn_hayre,
    eriksson,
    estimate_mean,
    saha,
)

Law: TypeAlias = Callable[[float], Iterator[tuple[float, float]]]
"""The true value in; every possible response with its chance out."""

W_CARDS = [1.0, 2.0, 4.0]
U_CARDS = [0.0, 1.0, 3.0, 5.0, 8.0]
W, U = Scrambler.cards(W_CARDS), Scrambler.cards(U_CARDS)


def _mixed(direct: float, otherwise: Callable[[float, float, float], float]) -> Law:
    def law(y: float) -> Iterator[tuple[float, float]]:
        yield y, direct
        for w, u in itertools.product(W_CARDS, U_CARDS):
            yield otherwise(y, w, u), (1 - direct) / len(W_CARDS) / len(U_CARDS)

    return law


DESIGNS = [
    pytest.param(eichhorn_hayre(W), _mixed(0, lambda y, w, u: w * y), id="Eichhorn and Hayre"),
    pytest.param(bar_lev(0.6, W), _mixed(0.6, lambda y, w, u: w * y), id="Bar-Lev"),
    pytest.param(eriksson(0.5, U), _mixed(0.5, lambda y, w, u: u), id="Eriksson"),
    pytest.param(
        chaudhuri_christofides(W, U),
        _mixed(0, lambda y, w, u: w * y + u),
        id="Chaudhuri and Christofides",
    ),
    pytest.param(saha(W, U), _mixed(0, lambda y, w, u: w * (y + u)), id="Saha"),
    pytest.param(
        diana_perri_1(0.3, W, U), _mixed(0.3, lambda y, w, u: w * (y + u)), id="Diana and Perri 1"
    ),
    pytest.param(
        diana_perri_2(0.8, W, U),
        _mixed(0, lambda y, w, u: w * (0.8 * u + 0.2 * y)),
        id="Diana and Perri 2",
    ),
]


@pytest.mark.parametrize(("scrambling", "law"), DESIGNS)
@pytest.mark.parametrize("y", [0.0, 2.5, -7.0])
def test_each_value_and_variance_is_unbiased(scrambling: Scrambling, law: Law, y: float) -> None:
    responses, chances = np.array(list(law(y))).T
    r = scrambling.unscramble(responses)
    assert chances @ r == pytest.approx(y, abs=1e-9)
    variance = chances @ (r - y) ** 2
    assert scrambling.variance(y, 0) == pytest.approx(variance)


@pytest.mark.parametrize(("scrambling", "law"), DESIGNS)
def test_a_population_s_variance_is_its_responses(scrambling: Scrambling, law: Law) -> None:
    population = [1.0, 2.0, 2.0, 7.0]
    responses, chances = np.array([pair for y in population for pair in law(y)]).T
    r = scrambling.unscramble(responses)
    chances = chances / len(population)
    assert scrambling.variance(float(np.mean(population)), float(np.std(population))) == (
        pytest.approx(chances @ r**2 - (chances @ r) ** 2)
    )


MEAN, SD = 30.0, 12.0
S, T = Scrambler(1.2, 0.5), Scrambler(5.5, 2.6)


def test_the_estimators_of_the_papers() -> None:
    # RRTCS: the transformations in its manual, its standard error s_z / (sqrt(n) |scale|).
    z = np.array([12.0, 31.5, 8.0, 55.0, 20.0])
    s = z.std(ddof=1) / math.sqrt(5)
    for scrambling, scale, shift in [
        (saha(S, T), 1.2, 1.2 * 5.5),
        (diana_perri_1(0.6, S, T), 0.6 + 0.4 * 1.2, 0.4 * 1.2 * 5.5),
        (diana_perri_2(0.8, S, T), 0.2 * 1.2, 0.8 * 1.2 * 5.5),
        (eichhorn_hayre(S), 1.2, 0),
        (bar_lev(0.6, S), 0.6 + 0.4 * 1.2, 0),
        (eriksson(0.5, T), 0.5, 0.5 * 5.5),
        (chaudhuri_christofides(S, T), 1.2, 5.5),
    ]:
        result = estimate_mean(z, scrambling)
        assert result.theta == pytest.approx((z.mean() - shift) / scale)
        assert result.standard_error == pytest.approx(s / scale)
        half = 1.6448536269514722 * result.standard_error
        assert result.interval(0.9) == pytest.approx([result.theta - half, result.theta + half])


def test_weights_count_people_as_leaving_one_out() -> None:
    random = np.random.default_rng(1)
    z, w = random.exponential(20, size=800), random.integers(1, 5, size=800)
    result = estimate_mean(z, saha(S, T), weights=w)
    assert result.theta == pytest.approx(estimate_mean(np.repeat(z, w), saha(S, T)).theta)
    r = saha(S, T).unscramble(z)
    without = (w @ r - w * r) / (w.sum() - w)
    in_turn = math.sqrt(799 / 800 * ((without - without.mean()) ** 2).sum())
    assert result.standard_error == pytest.approx(in_turn, rel=0.005)
    doubled = estimate_mean(z, saha(S, T), weights=2 * w)
    assert doubled.standard_error == pytest.approx(result.standard_error)


def test_one_response_has_no_standard_error() -> None:
    assert math.isnan(estimate_mean([5.0], saha(S, T)).standard_error)
    assert math.isnan(estimate_mean([5.0], saha(S, T), weights=[2]).standard_error)


@pytest.mark.parametrize(("scrambling", "law"), DESIGNS)
def test_epsilon_is_unbounded_and_some_response_shows_it(scrambling: Scrambling, law: Law) -> None:
    assert scrambling.epsilon == math.inf
    # A true value sends a response that another one cannot: no ratio bounds their chances.
    first, second = ({z for z, chance in law(y) if chance} for y in (0.0, 100.0))
    assert second - first


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scrambler(1, -1), "at least 0 of a scrambling variable, found 1 and -1"),
        (lambda: Scrambler(math.nan, 1), "found nan and 1"),
        (lambda: Scrambler.cards([]), "at least one card"),
        (lambda: eriksson(0, T), "mean slope of 0"),
        (lambda: eichhorn_hayre(Scrambler(0, 1)), "found a mean slope of 0"),
        (lambda: diana_perri_2(1, S, T), "depend on the true value"),
        (lambda: bar_lev(1.5, S), "between 0 and 1, found 1.5"),
        (lambda: eriksson(-1, T), "between 0 and 1, found -1"),
        (lambda: saha(S, T).variance(1, -1), "standard deviation of at least 0, found -1"),
        (lambda: estimate_mean([], saha(S, T)), r"row of responses, found .* shape \(0,\)"),
        (lambda: estimate_mean([[1.0]], saha(S, T)), r"shape \(1, 1\)"),
        (lambda: estimate_mean([1, math.nan], saha(S, T)), "found nan at position 1"),
        (lambda: estimate_mean([1, 2], saha(S, T), weights=[1]), "2 weights above 0"),
        (lambda: estimate_mean([1, 2], saha(S, T), weights=[1, 0]), r"found \[1, 0\]"),
        (lambda: estimate_mean([1, 2], saha(S, T)).interval(95), "between 0 and 1, such as"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
