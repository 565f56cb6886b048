"""Variances with unequal probabilities of inclusion: every sample of tiny populations."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from deniable import designs
from deniable.analysis.sampling.debiased import (
    debiased_shares,
    debiased_values,
    direct_values,
)
from deniable.analysis.sampling.design import VARIANCES, Stage, sampling_design
from deniable.analysis.sampling.design_based import mean, total
from tests.quickly import first_of

WARNER = designs.warner(flip="1/4")
Array = npt.NDArray[np.float64]

# Working sizes of ten people, and what is asked of them: first a number that goes with the size.
SIZES = np.array([1, 1, 2, 2, 3, 3, 4, 5, 6, 8.0])
NUMBERS = np.array([3, 1, 4, 7, 5, 9, 8, 12, 11, 18.0])
DOPED = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 1])


def maximum_entropy(n: int) -> tuple[list[tuple[int, ...]], Array, Array]:
    """Return all samples of n of the ten, their chances, and everybody's chance to be in one.

    Poisson sampling given its size (Hájek 1964): a sample's chance goes with the product of its
    members' odds.
    """
    samples = list(itertools.combinations(range(10), n))
    chances = np.array([SIZES[list(sample)].prod() for sample in samples])
    chances /= chances.sum()
    p = np.zeros(10)
    for sample, chance in zip(samples, chances, strict=True):
        p[list(sample)] += chance
    return samples, chances, p


def as_published(variance: str, p: Array, y: Array) -> float:
    """Write each estimator once more, in the form in which its authors or programs have it."""
    n, d = len(p), (1 - p).sum()
    if variance == "hajek":  # samplingVarEst, VE.Hajek.Total.NHT
        G = ((1 - p) * y / p).sum() / d
        return float(n / (n - 1) * (((1 - p) * (y / p) ** 2).sum() - d * G**2))
    a = (1 - p) / d  # sampling, varest
    A = (a * y / p).sum()
    return float(((1 - p) * (y / p - A) ** 2).sum() / (1 - (a**2).sum()))


@pytest.mark.parametrize("variance", VARIANCES)
def test_a_total_has_the_variance_that_the_papers_write(variance: str) -> None:
    _, _, p = maximum_entropy(5)
    for sample in ([0, 3, 5, 8, 9], [1, 2, 4, 6, 7]):
        x = direct_values(NUMBERS[sample])
        design = sampling_design(1 / p[sample], inclusion=p[sample], variance=variance)
        result = total(x, design)
        expected = as_published(variance, p[sample], NUMBERS[sample])
        assert result.standard_error[0] ** 2 == pytest.approx(expected)
        # Hájek's mean: the same of the residuals, over the estimated number of people.
        result = mean(x, design)
        size = (1 / p[sample]).sum()
        residuals = NUMBERS[sample] - result.theta[0]
        assert result.theta[0] == pytest.approx((NUMBERS[sample] / p[sample]).sum() / size)
        expected = as_published(variance, p[sample], residuals) / size**2
        assert result.standard_error[0] ** 2 == pytest.approx(expected)


@pytest.mark.parametrize(("variance", "least"), [("deville", 0.92), ("hajek", 0.88)])
@pytest.mark.parametrize("n", [3, 5, 7])
@pytest.mark.parametrize("asked", first_of([NUMBERS, DOPED.astype(float), np.ones(10)]))
def test_on_average_it_is_nearly_the_variance_over_all_samples(
    variance: str, least: float, n: int, asked: Array
) -> None:
    """With ten people it is somewhat too small, as the docstring of `total` says."""
    samples, chances, p = maximum_entropy(n)
    first = second = expected = 0.0
    for sample, chance in zip(samples, chances, strict=True):
        rows = list(sample)
        design = sampling_design(1 / p[rows], inclusion=p[rows], variance=variance)
        result = total(direct_values(asked[rows]), design)
        first += chance * result.theta[0]
        second += chance * result.theta[0] ** 2
        expected += chance * result.standard_error[0] ** 2
    assert first == pytest.approx(asked.sum())
    assert least - 0.001 < expected / (second - first**2) < 1.01


@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("kind", ["shares", "values"])
def test_the_noise_of_the_answers_is_counted_exactly(variance: str, kind: str) -> None:
    """Over all reports, the variance is that of the plain answers and all that the noise adds."""
    _, _, p = maximum_entropy(5)
    C, values = WARNER.probabilities, np.array([2.0, 7.0])
    for rows in ([0, 3, 5, 8, 9], [1, 2, 4, 6, 7]):
        w = 1 / p[rows]
        design = sampling_design(w, inclusion=p[rows], variance=variance)
        expected = 0.0
        for answers in itertools.product((0, 1), repeat=5):
            variable = (
                debiased_shares(answers, WARNER)
                if kind == "shares"
                else debiased_values(answers, WARNER, values)
            )
            chance = math.prod(C[DOPED[rows], answers])
            expected += chance * total(variable, design).standard_error[-1] ** 2
        plain = DOPED[rows].astype(float) if kind == "shares" else values[DOPED[rows]]
        sampling = total(direct_values(plain), design).standard_error[0] ** 2
        # With flip 1/4 a report counts for 1.5 or -.5: its variance is 4 * 3/16, times 5^2.
        noise = 0.75 if kind == "shares" else 0.75 * 25
        assert expected == pytest.approx(sampling + noise * (w**2).sum())


@pytest.mark.parametrize("variance", VARIANCES)
def test_equal_probabilities_are_simple_random_sampling(variance: str) -> None:
    reports = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
    strata = np.repeat(["a", "b"], [4, 6])
    population = np.repeat([10, 8], [4, 6])
    p = np.repeat([0.4, 0.75], [4, 6])
    shares = debiased_shares(reports, WARNER)
    equal = sampling_design(1 / p, strata=strata, population=population)
    unequal = sampling_design(1 / p, strata=strata, inclusion=p, variance=variance)
    for estimate in (total, mean):
        for domain in (None, reports == 1, np.arange(10) % 3 == 0):
            one, other = (estimate(shares, each, domain=domain) for each in (equal, unequal))
            assert other.standard_error == pytest.approx(one.standard_error)
            assert other.degrees_of_freedom == one.degrees_of_freedom
    # (1 - f) s^2 / n in each stratum, and what the noise adds to a census.
    x = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    variances = [
        N**2 * (1 - len(y) / N) * y.var(ddof=1) / len(y) for N, y in ((10, x[:4]), (8, x[4:]))
    ]
    result = total(direct_values(x), unequal)
    assert result.standard_error[0] ** 2 == pytest.approx(sum(variances))


def two_stages(variance: str, unit: list[int], p: Array) -> Callable[[list[int]], float]:
    def squared_error(inner: list[int]) -> float:
        clusters = np.repeat(unit, 2)
        chances = np.repeat(p, 2)
        design = sampling_design(
            1.5 / chances,
            clusters=clusters,
            inclusion=chances,
            variance=variance,
            further_stages=[Stage(population=3)],
        )
        numbers = NUMBERS[3 * clusters + np.array(inner)]
        return float(total(direct_values(numbers), design).standard_error[0] ** 2)

    return squared_error


@pytest.mark.parametrize("variance", VARIANCES)
def test_a_second_stage_is_counted_exactly(variance: str) -> None:
    """Over all its samples: two of three people in each of three clusters that were drawn."""
    unit, p = [0, 1, 2], np.array([0.3, 0.5, 0.9])
    squared_error = two_stages(variance, unit, p)
    pairs = list(itertools.combinations(range(3), 2))
    every = itertools.product(pairs, repeat=3)
    expected = np.mean([squared_error([i for pair in inner for i in pair]) for inner in every])
    people = NUMBERS[:9].reshape(3, 3)
    between = as_published(variance, p, people.sum(axis=1))
    within = 9 * (1 - 2 / 3) * people.var(axis=1, ddof=1) / 2
    assert expected == pytest.approx(between + (within / p**2).sum())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inclusion": [0.5, 0.5, 0]}, r"stage 1: .*above 0, up to 1, found 0.0 for respondent 2"),
        ({"inclusion": [0.5, 1.5, 1]}, "found 1.5 for respondent 1"),
        ({"inclusion": [0.5, math.nan, 1]}, "found nan for respondent 1"),
        ({"inclusion": [0.5, 0.5]}, r"3 probabilities of inclusion, one a respondent.*\(2,\)"),
        ({"inclusion": [0.5, 0.4, 0.4], "population": 9}, "population and inclusion, found both"),
        ({"inclusion": [0.5, 0.4, 0.4], "variance": "brewer"}, "deville, hajek, found 'brewer'"),
        ({"inclusion": [0.5, 0.4, 0.4], "clusters": [1, 1, 2]}, "0.4 for respondent 1 and 0.5"),
        ({"inclusion": [0.5, 1, 1]}, "at least 2 sampled units, found 1"),
    ],
)
def test_probabilities_that_are_none_are_refused(
    arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        sampling_design(np.ones(3), **arguments)  # type: ignore[arg-type]
