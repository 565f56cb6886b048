"""Samples with weights, strata and clusters, against textbooks and enumeration."""

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from deniable import Channel, designs
from deniable.analysis import applicable_shares, estimate, estimate_mean
from deniable.analysis.sampling import (
    Debiased,
    DesignEstimate,
    debiased_applicable,
    debiased_shares,
    debiased_values,
    direct_values,
    mean,
    sampling_design,
)
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.effective import kish
from tests.analysis.surveys import THREE_REPORTS, TWO_REPORTS
from tests.kit import first_of

WARNER = designs.warner(flip="1/4")


def reports(*counts: int) -> npt.NDArray[np.intp]:
    return np.repeat(range(len(counts)), counts)


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


@pytest.mark.slow
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
            told = [debiased_shares(answers, WARNER), debiased_values(answers, WARNER, VALUES)]
            weighed = design.weights[:, np.newaxis] * told[what == "values"].g
            found = weighed.sum(axis=0)[-1]
            expectation += chance * found
            second_moment += chance * found**2
            variance += chance * design.covariance(weighed)[-1, -1]
    truths = TRUTHS[slice(*population)]
    expected = truths.sum() if what == "shares" else np.array(VALUES)[truths].sum()
    assert expectation == pytest.approx(expected)
    assert variance == pytest.approx(second_moment - expectation**2)


NUMBER = designs.best_numeric(4, 3)
FIVE = designs.k_ary(3, 2)
NONE = math.nan


def alike(variable: Debiased) -> DesignEstimate:
    return mean(variable, sampling_design(np.full(len(variable.g), 2.5)))


@pytest.mark.parametrize(
    ("channel", "counts"),
    [(WARNER, (12, 0)), (WARNER, (33, 17)), (THREE_REPORTS, (9, 5, 1)), (FIVE, (0, 0, 8))],
)
def test_equal_weights_are_no_weights(channel: Channel, counts: tuple[int, ...]) -> None:
    plain, found = estimate(counts, channel), alike(debiased_shares(reports(*counts), channel))
    assert found.theta == pytest.approx(plain.theta, abs=1e-12)
    assert found.standard_error == pytest.approx(plain.standard_error)
    assert found.interval() == pytest.approx(plain.interval(), abs=1e-6)
    assert found.methods() == plain.methods()
    for method in ("exact", "wilson", "tail"):
        if "feldman-cousins" in plain.methods() or method == "tail":
            assert found.interval(0.9, method) == pytest.approx(
                plain.interval(0.9, method), abs=1e-6
            )


@pytest.mark.parametrize("values", [[0, 1, 2, 3], [0, 1, 2, NONE]])
def test_means_and_ratios_are_the_same(values: list[float]) -> None:
    counts = np.bincount(np.arange(40) ** 2 % NUMBER.reports, minlength=NUMBER.reports)
    plain = estimate_mean(counts, NUMBER, values)
    found = alike(debiased_values(reports(*counts), NUMBER, values))
    assert found.theta[0] == pytest.approx(plain.theta)
    assert found.standard_error[0] == pytest.approx(plain.standard_error)
    assert found.interval()[0] == pytest.approx(plain.interval(), abs=1e-5)
    shares = applicable_shares([30, 26, 44], FIVE, 2)
    among = alike(debiased_applicable(reports(30, 26, 44), FIVE, 2))
    assert among.theta == pytest.approx(shares.theta)
    assert among.standard_error == pytest.approx(shares.standard_error)
    assert among.interval() == pytest.approx(shares.interval(), abs=1e-5)


def test_the_noise_is_a_floor_under_every_error() -> None:
    weights = np.array([3.0, 1, 1, 2, 5, 1, 1, 1])
    found = mean(debiased_shares(np.zeros(8, dtype=int), WARNER), sampling_design(weights))
    # Flip 1/4: the noise of a report that counts 1.5 or -.5 has the variance 4 * 3/16.
    expected = math.sqrt(0.75 / kish(weights))
    assert found.standard_error == pytest.approx([expected, expected])
    values = mean(debiased_values(np.zeros(8, dtype=int), WARNER, [2, 7]), sampling_design(weights))
    assert values.standard_error == pytest.approx([5 * expected])


def test_without_values_there_is_only_the_range() -> None:
    nobody = debiased_values(np.full(30, 2), FIVE, [4, 9, NONE])
    found = mean(nobody, sampling_design(np.linspace(1, 2, 30)))
    assert np.isnan(found.theta).all()
    assert np.isnan(found.standard_error).all()
    assert found.interval()[0] == pytest.approx([4, 9])


def test_degrees_of_freedom_are_satterthwaites() -> None:
    weights = np.array([1.0, 1, 1, 4])
    assert sampling_design(np.full(9, 7.0)).degrees_of_freedom == pytest.approx(8)
    assert sampling_design(weights).degrees_of_freedom == pytest.approx(19**2 / 259 - 1)
    clusters = sampling_design(weights, clusters=[1, 1, 2, 2]).degrees_of_freedom
    assert clusters == pytest.approx(19**2 / (2**2 + 17**2) - 1)


def test_who_was_not_asked_counts_0() -> None:
    variable = debiased_shares(np.array([1, 255, 0], dtype=np.uint8), WARNER)
    assert variable.g[:, 1] == pytest.approx([1.5, 0, -0.5])
    assert variable.asked.tolist() == [True, False, True]
    numbers = direct_values([3.0, np.nan])
    assert numbers.g.ravel().tolist() == [3, 0]
    assert numbers.asked.tolist() == [True, False]


def test_a_design_may_tell_means_without_variances() -> None:
    variable = debiased_values([0, 1], TWO_REPORTS, [0, 1, 2])
    assert variable.g.ravel() == pytest.approx([-1, 3])
    assert variable.g_of_square is None
