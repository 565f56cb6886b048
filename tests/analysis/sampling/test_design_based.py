import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis import estimate
from deniable.analysis.sampling.debiased import (
    Debiased,
    debiased_shares,
    debiased_values,
    direct_values,
)
from deniable.analysis.sampling.design import SamplingDesign, Stage, sampling_design
from deniable.analysis.sampling.design_based import mean, total
from deniable.channel import Channel
from tests.analysis.surveys import THREE_REPORTS
from tests.quickly import first_of

WARNER = designs.warner(flip="1/4")


def reports(no: int, yes: int) -> npt.NDArray[np.intp]:
    return np.repeat([0, 1], [no, yes])


def test_horvitz_s_survey_as_rrtcs_prints_it() -> None:
    # HorvitzDataRealSurvey, first item: p = 1/2, the unrelated question true of 1/12, N = 10,777.
    n, population = 710, 10_777
    doped = debiased_shares(reports(n - 328, 328), designs.forced_response("1/2", "1/12"))
    design = sampling_design(np.full(n, population / n), population=population)
    result = mean(doped, design)
    assert result.theta[1] == pytest.approx(0.8406103, abs=5e-8)
    assert result.standard_error[1] == pytest.approx(0.0372789, abs=5e-8)
    # RRTCS: Wald, with a normal quantile; here the t of 709 degrees of freedom.
    assert result.degrees_of_freedom == 709
    half = stats.t.ppf(0.975, 709) * result.standard_error[1]
    wald = result.interval(0.95, "wald")
    assert wald[1] == pytest.approx(result.theta[1] + np.array([-half, half]))
    people = total(doped, design)
    assert people.theta == pytest.approx(result.theta * population)
    assert people.low.tolist() == [0, 0]
    assert people.high == pytest.approx([population, population])


@pytest.mark.parametrize("population", [None, 100, 250])
@pytest.mark.parametrize("channel", [WARNER, THREE_REPORTS])
def test_a_simple_random_sample_is_the_simple_estimate(
    channel: Channel, population: int | None
) -> None:
    counts = [55, 45] if channel is WARNER else [40, 35, 25]
    simple = estimate(counts, channel, population=population)
    shares = debiased_shares(np.repeat(range(len(counts)), counts), channel)
    design = sampling_design(np.full(100, 2.5), population=population)
    result = mean(shares, design)
    assert result.theta == pytest.approx(simple.theta)
    assert result.standard_error == pytest.approx(simple.standard_error)


# --------------------------------------------------------------- every sample of a tiny population

TRUTHS = np.array([0, 1, 1, 0, 0, 1, 1, 1, 0, 1])
STRATA = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
CLUSTERS = np.array([0, 0, 1, 2, 2, 0, 1, 1, 2, 2])
VALUES = [2.0, 7.0]

Draw = Callable[[], Iterator[tuple[list[int], SamplingDesign]]]


def stratified(size: int = 4) -> Iterator[tuple[list[int], SamplingDesign]]:
    """Two people of the first stratum, three of the second."""
    for first in itertools.combinations(range(5 - size, 5), 2):
        for second in itertools.combinations(range(5, 5 + size), 3):
            people = [*first, *second]
            strata = STRATA[people]
            weights = np.where(strata == 0, size / 2, size / 3)
            yield people, sampling_design(weights, strata=strata, population=size)


def stratified_in_full() -> Iterator[tuple[list[int], SamplingDesign]]:
    return stratified(5)


def clustered() -> Iterator[tuple[list[int], SamplingDesign]]:
    """Two of three clusters in each stratum, and everybody in them."""
    for pairs in itertools.product(itertools.combinations(range(3), 2), repeat=2):
        people = [i for i in range(10) if CLUSTERS[i] in pairs[STRATA[i]]]
        yield (
            people,
            sampling_design(
                np.full(len(people), 3 / 2),
                strata=STRATA[people],
                clusters=CLUSTERS[people],
                population=3,
            ),
        )


def two_stage() -> Iterator[tuple[list[int], SamplingDesign]]:
    """Two of three clusters of three people, and two people of each."""
    for pair in itertools.combinations(range(3), 2):
        for members in itertools.product(itertools.combinations(range(3), 2), repeat=2):
            people = [3 * c + i for c, inner in zip(pair, members, strict=True) for i in inner]
            yield (
                people,
                sampling_design(
                    np.full(4, 9 / 4),
                    clusters=[p // 3 for p in people],
                    population=3,
                    further_stages=[Stage(population=3)],
                ),
            )


def with_replacement() -> Iterator[tuple[list[int], SamplingDesign]]:
    """Three independent draws of one of the first four people."""
    for people in itertools.product(range(4), repeat=3):
        yield list(people), sampling_design(np.full(3, 4 / 3))


@pytest.mark.parametrize(
    "draw",
    [
        stratified,
        clustered,
        two_stage,
        with_replacement,
        pytest.param(stratified_in_full, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("what", first_of(["values", "shares"]))
def test_totals_and_their_variances_are_unbiased_by_enumeration(draw: Draw, what: str) -> None:
    samples = list(draw())
    population = {stratified: (1, 9), two_stage: (0, 9), with_replacement: (0, 4)}.get(
        draw, (0, 10)
    )
    C = WARNER.probabilities
    expectation = second_moment = variance = 0.0
    for people, design in samples:
        for answers in itertools.product((0, 1), repeat=len(people)):
            chance = math.prod(C[TRUTHS[people], answers]) / len(samples)
            result = total(_variable(what, answers), design)
            expectation += chance * result.theta[-1]
            second_moment += chance * result.theta[-1] ** 2
            variance += chance * result.standard_error[-1] ** 2
    truths = TRUTHS[slice(*population)]
    expected = truths.sum() if what == "shares" else np.array(VALUES)[truths].sum()
    assert expectation == pytest.approx(expected)
    assert variance == pytest.approx(second_moment - expectation**2)


def _variable(what: str, answers: tuple[int, ...]) -> Debiased:
    if what == "shares":
        return debiased_shares(answers, WARNER)
    return debiased_values(answers, WARNER, VALUES)


# ---------------------------------------------------------------------------------- closed forms

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(50, 10, size=60)
STRATUM = np.repeat(["a", "b", "c"], [10, 20, 30])
SIZES = {"a": 40, "b": 100, "c": 600}


def test_a_stratified_mean_is_cochran_s() -> None:
    # Cochran (1977), theorems 5.1 and 5.3: the weighted mean of strata's means.
    sizes = np.array([SIZES[h] for h in STRATUM])
    weights = sizes / np.repeat([10, 20, 30], [10, 20, 30])
    result = mean(direct_values(X), sampling_design(weights, strata=STRATUM, population=sizes))
    expected = variance = 0.0
    for h, size in SIZES.items():
        x = X[h == STRATUM]
        expected += size / 740 * x.mean()
        variance += (size / 740) ** 2 * (1 - len(x) / size) * x.var(ddof=1) / len(x)
    # Hájek's residuals differ from x by one number, which no variance within a stratum sees.
    assert result.theta[0] == pytest.approx(expected)
    assert result.standard_error[0] == pytest.approx(math.sqrt(variance))
    # Satterthwaite's count of the people, less the strata.
    w = np.array([SIZES[h] / (h == STRATUM).sum() for h in STRATUM])
    assert result.degrees_of_freedom == pytest.approx((w**2).sum() ** 2 / (w**4).sum() - 3)
    assert not result.outside[0]


def test_a_mean_over_clusters_is_the_ratio_estimator() -> None:
    # Cochran (1977), section 2.11: one over n(n-1) mean(m)^2 times the squares of z - R m.
    cluster = np.repeat(range(8), [3, 5, 8, 10, 10, 8, 9, 7])
    result = mean(direct_values(X), sampling_design(np.ones(60), clusters=cluster))
    z = np.bincount(cluster, X)
    m = np.bincount(cluster)
    residuals = z - X.mean() * m
    expected = (residuals**2).sum() / (8 * 7 * m.mean() ** 2)
    assert result.theta[0] == pytest.approx(X.mean())
    assert result.standard_error[0] == pytest.approx(math.sqrt(expected))
    assert result.degrees_of_freedom == pytest.approx(60**2 / (m**2).sum() - 1)


def test_a_domain_s_mean_is_not_that_of_a_smaller_sample() -> None:
    # Särndal, Swensson and Wretman (1992), section 5.8: n/(n - 1) SS_d / n_d^2 (1 - f).
    domain = STRATUM == "b"
    design = sampling_design(np.full(60, 10.0), population=600)
    result = mean(direct_values(X), design, domain=domain)
    x = X[domain]
    expected = (1 - 0.1) * 60 / 59 * ((x - x.mean()) ** 2).sum() / 20**2
    assert result.theta[0] == pytest.approx(x.mean())
    assert result.standard_error[0] == pytest.approx(math.sqrt(expected))
    assert (result.n, result.degrees_of_freedom) == (20, 19)


def test_strata_within_the_units_of_the_first_stage() -> None:
    # Cochran (1977), section 10.3, for a total: two units of four, in each a stratified sample.
    unit = np.repeat([0, 1], 6)
    stratum = np.tile(np.repeat(["x", "y"], 3), 2)
    x = X[:12]
    design = sampling_design(
        np.full(12, 4 / 2 * 5 / 3),
        clusters=unit,
        population=4,
        further_stages=[Stage(strata=stratum, population=5)],
    )
    totals = np.bincount(unit, x) * 5 / 3
    variance = 4**2 * (1 - 2 / 4) * totals.var(ddof=1) / 2
    for u, h in itertools.product((0, 1), ("x", "y")):
        inner = x[(unit == u) & (stratum == h)]
        variance += 4 / 2 * 5**2 * (1 - 3 / 5) * inner.var(ddof=1) / 3
    result = total(direct_values(x), design)
    assert result.standard_error[0] == pytest.approx(math.sqrt(variance))


# --------------------------------------------------------------------------------------- errors


def test_a_variance_is_never_below_0() -> None:
    design = sampling_design(np.ones(10), population=10)
    variable = debiased_shares(np.ones(10, dtype=int), THREE_REPORTS)
    assert total(variable, design).standard_error.tolist() == [0, 0]


def test_a_lonely_unit_is_refused_and_named() -> None:
    said = r"stage 1, stratum b: .*at least 2 sampled units, found 1.*name of a similar stratum"
    with pytest.raises(ValueError, match=said):
        sampling_design(np.ones(4), strata=["a", "a", "a", "b"])
    # No other stratum is there that it could join.
    said = "stage 1: expected at least 2 sampled units.*leave the clusters out"
    with pytest.raises(ValueError, match=said):
        sampling_design(np.ones(4), clusters=[1, 1, 1, 1])
    with pytest.raises(ValueError, match="stage 2: expected at least 2"):
        sampling_design(
            np.ones(4),
            clusters=[1, 1, 1, 2],
            population=5,
            further_stages=[Stage(population=[3, 3, 3, 4])],
        )


def test_a_unit_that_is_all_there_is_is_not_lonely() -> None:
    population = np.array([10, 10, 10, 1])
    design = sampling_design([3, 3, 4, 1], strata=["a", "a", "a", "b"], population=population)
    x = direct_values([1.0, 2, 3, 9])
    alone = sampling_design([3, 3, 4], population=10)
    without = total(direct_values([1.0, 2, 3]), alone)
    assert total(x, design).standard_error == pytest.approx(without.standard_error)
    # Nor is one in a later stage, where the first stage's units show all the variance.
    sampling_design(np.ones(3), clusters=[1, 2, 3], further_stages=[Stage(population=7)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": [1, -1]}, "weights of at least 0"),
        ({"weights": [0, 0]}, "not all 0"),
        ({"weights": [1, math.nan]}, "weights"),
        ({"weights": [[1, 1]]}, "one a respondent"),
        ({"weights": [1, 1], "strata": [1]}, r"stage 1: strata: expected 2 labels.*\(1,\)"),
        ({"weights": [1, 1], "clusters": [1]}, "stage 1: clusters: expected 2 labels"),
        ({"weights": [1, 1], "population": [4, 4, 4]}, "one population or 2, one a respondent"),
        ({"weights": [1, 1], "population": [4, 5]}, "expected one population, found different"),
        ({"weights": [1, 1], "population": 1}, "at least the 2 units sampled, found 1"),
        ({"weights": [1, 1], "population": math.nan}, "expected one population"),
    ],
)
def test_designs_that_are_none_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sampling_design(**arguments)  # type: ignore[arg-type]


def test_what_does_not_fit_the_design_is_refused() -> None:
    design, x = sampling_design(np.ones(4)), direct_values([1.0, 2, 3, 4])
    with pytest.raises(ValueError, match="variable of the design's 4 respondents, found 3"):
        mean(direct_values([1.0, 2, 3]), design)
    with pytest.raises(ValueError, match="domain of 4 times True or False"):
        mean(x, design, domain=[True])
    with pytest.raises(ValueError, match="domain of 4 times True or False"):
        mean(x, design, domain=[0, 1, 2, 1])
    with pytest.raises(ValueError, match="weight above 0 in the domain, found none"):
        total(x, design, domain=[False] * 4)
    with pytest.raises(ValueError, match="size of the population above 0, found 0"):
        mean(x, design, size=0)


def test_a_finite_population_needs_the_variance_of_the_noise() -> None:
    channel = Channel.from_probabilities([["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"]])
    values = debiased_values([0, 1, 1], channel, [0, 1, 2])
    assert np.isfinite(mean(values, sampling_design(np.ones(3))).standard_error).all()
    with pytest.raises(ValueError, match="variance of these values is not identifiable"):
        mean(values, sampling_design(np.ones(3), population=10))
