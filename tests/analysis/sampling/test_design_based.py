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
from deniable.analysis.sampling.design import SamplingDesign, sampling_design
from deniable.analysis.sampling.design_based import mean, total
from deniable.channel import Channel
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import first_of

WARNER = designs.warner(flip="1/4")


def reports(no: int, yes: int) -> npt.NDArray[np.intp]:
    return np.repeat([0, 1], [no, yes])


def test_horvitz_s_survey_as_rrtcs_prints_it() -> None:
    # HorvitzDataRealSurvey, first item: p = 1/2, the unrelated question true of 1/12, N = 10,777.
    n, population = 710, 10_777
    doped = debiased_shares(reports(n - 328, 328), designs.forced_response("1/2", "1/12"))
    design = sampling_design(np.full(n, population / n))
    result = mean(doped, design)
    assert result.theta[1] == pytest.approx(0.8406103, abs=5e-8)
    # RRTCS: Wald, with a normal quantile; here the t of 709 degrees of freedom.
    assert result.degrees_of_freedom == 709
    half = stats.t.ppf(0.975, 709) * result.standard_error[1]
    wald = result.interval(0.95, "wald")
    assert wald[1] == pytest.approx(result.theta[1] + np.array([-half, half]))
    people = total(doped, design)
    assert people.theta == pytest.approx(result.theta * population)
    assert people.low.tolist() == [0, 0]
    assert people.high == pytest.approx([population, population])


@pytest.mark.parametrize("channel", [WARNER, THREE_REPORTS])
def test_a_simple_random_sample_is_the_simple_estimate(channel: Channel) -> None:
    counts = [55, 45] if channel is WARNER else [40, 35, 25]
    simple = estimate(counts, channel)
    shares = debiased_shares(np.repeat(range(len(counts)), counts), channel)
    result = mean(shares, sampling_design(np.full(100, 2.5)))
    assert result.theta == pytest.approx(simple.theta)
    assert result.standard_error == pytest.approx(simple.standard_error)


# --------------------------------------------------------------- every sample of a tiny population

TRUTHS = np.array([0, 1, 1, 0, 0, 1, 1, 1, 0, 1])
STRATA = np.array([0, 0, 0, 1, 1, 1, 1, 1, 0, 1])
CLUSTERS = [[0], [1, 2], [3, 4]]
VALUES = [2.0, 7.0]

Draw = Callable[[], Iterator[tuple[list[int], SamplingDesign]]]


def stratified() -> Iterator[tuple[list[int], SamplingDesign]]:
    """Two independent draws of the first three people, two of the next three."""
    for people in itertools.product(range(3), range(3), range(3, 6), range(3, 6)):
        yield [*people], sampling_design(np.full(4, 3 / 2), strata=STRATA[[*people]])


def clustered() -> Iterator[tuple[list[int], SamplingDesign]]:
    """Two independent draws of three clusters, and everybody in them."""
    for pair in itertools.product(range(3), repeat=2):
        people = [person for drawn in pair for person in CLUSTERS[drawn]]
        draw = np.repeat([0, 1], [len(CLUSTERS[drawn]) for drawn in pair])
        yield people, sampling_design(np.full(len(people), 3 / 2), clusters=draw)


def with_replacement() -> Iterator[tuple[list[int], SamplingDesign]]:
    """Three independent draws of one of the first four people."""
    for people in itertools.product(range(4), repeat=3):
        yield list(people), sampling_design(np.full(3, 4 / 3))


@pytest.mark.parametrize("draw", [stratified, clustered, with_replacement])
@pytest.mark.parametrize("what", first_of(["values", "shares"]))
def test_totals_and_their_variances_are_unbiased_by_enumeration(draw: Draw, what: str) -> None:
    samples = list(draw())
    population = {stratified: (0, 6), clustered: (0, 5), with_replacement: (0, 4)}[draw]
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
    # Cochran (1977), theorems 5.1 and 5.3: the weighted mean of the means of large strata.
    sizes = np.array([SIZES[h] for h in STRATUM])
    weights = sizes / np.repeat([10, 20, 30], [10, 20, 30])
    result = mean(direct_values(X), sampling_design(weights, strata=STRATUM))
    expected = variance = 0.0
    for h, size in SIZES.items():
        x = X[h == STRATUM]
        expected += size / 740 * x.mean()
        variance += (size / 740) ** 2 * x.var(ddof=1) / len(x)
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


def test_a_domain_is_no_smaller_sample() -> None:
    # Särndal, Swensson and Wretman (1992), section 5.8: n/(n - 1) SS_d / n_d^2.
    domain = STRATUM == "b"
    design = sampling_design(np.full(60, 10.0))
    result = mean(direct_values(X), design, domain=domain)
    x = X[domain]
    expected = 60 / 59 * ((x - x.mean()) ** 2).sum() / 20**2
    assert result.theta[0] == pytest.approx(x.mean())
    assert result.standard_error[0] == pytest.approx(math.sqrt(expected))
    assert (result.n, result.degrees_of_freedom) == (20, 19)


# --------------------------------------------------------------------------------------- errors


def test_a_lonely_unit_is_refused_and_named() -> None:
    said = r"stratum b: .*at least 2 sampled units, found 1.*name of a similar stratum"
    with pytest.raises(ValueError, match=said):
        sampling_design(np.ones(4), strata=["a", "a", "a", "b"])
    # No other stratum is there that it could join.
    said = "expected at least 2 sampled units.*leave the clusters out"
    with pytest.raises(ValueError, match=said):
        sampling_design(np.ones(4), clusters=[1, 1, 1, 1])
