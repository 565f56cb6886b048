"""What the analysis refuses, and how it says what was expected and found."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest

from deniable import Channel, designs, identity
from deniable import analysis as da
from deniable.analysis import planning, privacy, sampling
from deniable.analysis.intervals import NAMES
from deniable.analysis.intervals.coverage import MAX_OUTCOMES
from deniable.analysis.joint.groups import estimates
from deniable.analysis.joint_likelihood import joint_maximum_likelihood
from deniable.analysis.planning import PlannedTest
from deniable.analysis.privacy.composition import compose
from tests.analysis.surveys import EVERY_KIND, GAP, THREE_REPORTS, TWO_REPORTS
from tests.kit import panel

COINS = designs.truth_or_random()
WARNER = designs.warner(flip="1/4")
FORCED = designs.forced_response("2/3", "1/2")
FOUR = designs.custom(
    [["1/2", "1/4", "1/4", 0], ["1/8", "1/2", "1/4", "1/8"], [0, 0, "1/2", "1/2"]]
)
MEANLESS = designs.two_point(3, 1)
FIVE = designs.k_ary(3, 2)
NORMAL = PlannedTest("normal")
CUBE = np.ones((2, 2, 2), dtype=int)
LAST_WRONG = np.array([[0, 0], [0, 2]], dtype=np.uint8)
EMPTY = da.count_reports([], EVERY_KIND)
LABELLED = pandas.Series([60, 40], index=["yes", "no"])
HALVES, EVEN = [0.5, 0.5], [[5, 5], [5, 5]]
CONTROL = da.corrected([[80, 10], [20, 5]], WARNER, WARNER, [1, 0])
DESIGN, X = sampling.sampling_design(np.ones(4)), sampling.direct_values([1.0, 2, 3, 4])
AGES, SIX = sampling.direct_values(np.arange(5.0)), sampling.direct_values(np.arange(6.0))
APART = [sampling.debiased_values(r, WARNER, [0, 1]) for r in ([0, 255, 1], [255, 0, 255])]


def columns(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.zeros(shape, dtype=np.uint8)


def weighed(shares: list[int], channel: Channel) -> sampling.DesignEstimate:
    reports = np.repeat(np.arange(len(shares)), shares)
    sample = sampling.sampling_design(np.arange(1.0, len(reports) + 1))
    return sampling.mean(sampling.debiased_shares(reports, channel), sample)


def some_mean() -> da.Estimate:
    return da.estimate_mean([60, 40], WARNER, [10, 20])


def declined(method: str) -> object:
    values = [0, 10, 20, math.nan]
    return da.estimate_mean([9, 9, 9, 9], designs.k_ary(4, 2), values).interval(method=method)


two_groups, size_of_two = planning.power_two_groups, planning.sample_size_two_groups
designed: Any = sampling.sampling_design

Refused = tuple[Callable[[], object], str]

ESTIMATES: list[Refused] = [
    (lambda: da.estimate([1, 2, 3], WARNER), r"expected 2 counts.*found an array of shape \(3,\)"),
    (lambda: da.estimate([1, -2], WARNER), "at least 0, found -2"),
    (lambda: da.estimate([1.5, 2.0], WARNER), "integers, found float64"),
    (lambda: da.estimate([True, False], WARNER), "integers, found bool"),
    (lambda: da.estimate([0, 0], WARNER), "at least one report, found none"),
    (lambda: da.estimate([3, 2, 3], GAP), "expected no report 1, which no truth can send, found 2"),
    (lambda: da.estimate([5, 5], WARNER).against_design(95), "confidence level"),
    (lambda: da.applicable_shares([1, 2, 3], FIVE, skipped=3), "a truth from 0 to 2, found 3"),
    (lambda: da.summarise(EVERY_KIND, EMPTY, level=95), "between 0 and 1"),
    (lambda: da.summarise(EVERY_KIND, EMPTY, method="normal"), ", ".join(NAMES)),
    (lambda: da.summarise(panel(), EMPTY), f"expected a tally of revision {panel().revision}"),
    (lambda: da.count_reports([bytes(7), bytes(8)], EVERY_KIND), "of 7 bytes each, found 8 bytes"),
    (lambda: da.homogeneity(LABELLED, WARNER), "found one labelled column.*a row a group"),
    (lambda: some_mean().interval(0), "between 0 and 1"),
    (lambda: some_mean().interval(math.nan), "between 0 and 1"),
    (lambda: some_mean().interval(comparisons=0), "at least 1 comparison, found 0"),
    (lambda: some_mean().interval(method="student"), "likelihood, found 'student'"),
    (lambda: declined("empirical_bernstein"), "tail, wald, fieller for a ratio of two"),
    (lambda: da.estimate_mean([1, 2, 3], WARNER, [0, 1]), "expected 2 counts"),
    (lambda: da.estimate_mean([1, 2], WARNER, [0, 1, 2]), "expected 2 finite values, one for each"),
    (lambda: da.estimate_mean([1, 2], WARNER, [math.nan] * 2), "a number for one at least"),
    (lambda: da.estimate_mean([1, 2], WARNER, [0, math.inf]), "finite"),
    (lambda: da.estimate_mean([5, 5], MEANLESS, [0, 1, 4]), "the mean of .* is not identifiable"),
    (lambda: da.mean_is_identifiable(MEANLESS, [0, 1]), "expected 3 finite values"),
]

COVERAGE: list[Refused] = [
    (lambda: da.exact_coverage(FIVE, 10**6, [[0, 0, 1]]), f"at most {MAX_OUTCOMES} tables"),
    (lambda: da.exact_coverage(FIVE, 10, [0.1, 0.2]), r"distributions of 3 truths.*shape \(2,\)"),
    (lambda: da.exact_coverage(WARNER, 10, [0.1, 1.2]), "at least 0 that sum to 1"),
    (lambda: da.exact_coverage(WARNER, 10, [math.nan]), "at least 0 that sum to 1"),
    (lambda: da.exact_coverage(WARNER, 10, [0.1], truth=2), "a truth from 0 to 1, found 2"),
    (lambda: da.least_coverage(WARNER, 10, method="normal"), "expected an interval of"),
    (lambda: da.least_coverage(THREE_REPORTS, 10), "2 truths and 2 reports, found 2 and 3"),
]

NONCOMPLIANCE: list[Refused] = [
    (lambda: da.compliance([50, 50], WARNER, ["1/2", "1/2"]), "cannot tell who follows the design"),
    (lambda: da.compliance([5, 5], WARNER, [1]), "expected a prevalence of 2 probabilities"),
    (lambda: da.compliance([5, 5], WARNER, [2, -1]), "probability of the prevalence between 0 and"),
    (lambda: da.compliance([5, 5], WARNER, [1, 0], behaviour=["1/2"]), "behaviour of 2 prob"),
    (lambda: da.sensitivity([5, 5], WARNER, ["0", "1"]), "expected shares below 1"),
    (lambda: da.sensitivity([5, 5], WARNER, []), "expected at least one share"),
    (lambda: da.contaminated(WARNER, "1.1"), "share that does not follow"),
    (lambda: da.always(WARNER, 2), "expected a report from 0 to 1"),
    (lambda: da.corrected([5, 5], WARNER, WARNER, [1, 0]), "a table of 2 reports × 2 reports"),
    (lambda: da.corrected([[100, 200]] * 2, WARNER, WARNER, [1, 0]), "follows the design above 0"),
    (lambda: CONTROL.interval(0.95, "wilson"), "expected an interval of fieller, wald"),
    (lambda: da.poisoning(WARNER, 10).shift(-1), "expected 0 to 10 colluding"),
    (lambda: da.poisoning(WARNER, 10).shift_by_lies(11), "expected 0 to 10 colluding"),
    (lambda: da.poisoning(WARNER, 10).as_much_as(-0.1), "expected finite half-widths"),
    (lambda: da.poisoning(WARNER, 10, values=[3, 3]), "expected values that differ"),
]

JOINT: list[Refused] = [
    (lambda: da.homogeneity(EVEN, [WARNER, FORCED], "pearson"), "one channel for all .*use 'wald'"),
    (lambda: da.homogeneity(EVEN, WARNER, "fisher"), "method of pearson, .*found 'fisher'"),
    (lambda: da.independence(CUBE, [WARNER] * 3), "channels of 2 items, found 3"),
    (lambda: da.adjust([0.1], "sidak"), "adjustment of bonferroni, holm, none, found 'sidak'"),
    (lambda: da.difference([5, 5], [5, 5], WARNER).interval(method="fieller"), "an interval"),
    (lambda: da.difference([5, 5], [5] * 3, WARNER, identity(3)), "group 1: .*2 truths.*found 3"),
    (lambda: da.pairwise([[5, 5]], WARNER), "at least 2 groups, found 1"),
    (lambda: estimates(EVEN, [WARNER] * 3), "one channel, or 2, one a group, found 3"),
    (
        lambda: joint_maximum_likelihood(np.ones((65, 65), int), [identity(65).probabilities] * 2),
        "at most 4096 cells, found 4225",
    ),
    (lambda: da.crosstab(EVEN, [WARNER] * 2).margin(), "different items from 0 to 1"),
    (lambda: da.crosstab(EVEN, [WARNER] * 2).margin(0, 0), "different items from 0 to 1"),
    (lambda: da.crosstab(EVEN, [WARNER] * 2).conditional(0, 1), "at least one of the 2 items"),
    (lambda: da.crosstab([1, 2], [WARNER, GAP]), r"joint counts of shape \(2, 3\).*found \(2,\)"),
    (lambda: da.crosstab([[1, 1, 1], [0, 4, 0]], [WARNER, GAP]), "item 1: .*no report 1.*found 5"),
    (lambda: da.joint_counts(np.zeros((2, 2)), [WARNER] * 2), "matrix of bytes"),
    (lambda: da.joint_counts(columns(2, 3), [WARNER] * 2), "2 columns, one a channel, found 3"),
    (lambda: da.joint_counts(columns(2, 3), [WARNER] * 2, [0]), "each of the 1 items, found 2"),
    (lambda: da.joint_counts(columns(2, 3), [WARNER] * 2, [0, 3]), "items from 0 to 2, found 3"),
    (lambda: da.joint_counts(LAST_WRONG, [WARNER] * 2), "row 1, item 1: .*below 2.*found 2"),
    (lambda: da.joint_counts(columns(1, 25), [WARNER] * 25), "at most 16777216 combinations"),
    (lambda: da.correlation_matrix([AGES, SIX]), r"of the same respondents, .*\[5, 6\]"),
    (lambda: da.correlation_matrix([]), "same respondents"),
    (
        lambda: da.correlation_matrix([AGES, sampling.debiased_shares([0, 1, 1, 0, 1], WARNER)]),
        "variable 1: expected one number .* the shares of 2",
    ),
    (lambda: da.correlation_matrix(APART), "nobody was asked both .*'together'"),
    (lambda: da.correlation([5, 5], [WARNER]), "channels of 2 items, found 1"),
    (lambda: da.correlation(EVEN, [WARNER] * 2, [[0, 1]]), "values of 2 items, found 1"),
    (lambda: da.correlation(EVEN, [WARNER] * 2).interval(0.9, "exact"), "interval of tail, fisher"),
]

PLANNING: list[Refused] = [
    (lambda: planning.design_effect(identity(2), [0.5, 0.6]), "summing to 1"),
    (lambda: two_groups(COINS, (9, 9), shares=(0.1, 1.1)), "planned between 0 and 1, found"),
    (lambda: two_groups(COINS, (9, 9), shares=(0.1, 0.2), truth=2), "0 to 1, found 2"),
    (lambda: two_groups(COINS, (9, 9), shares=([0.1, 0.2], 0.3)), "summing to 1"),
    (lambda: two_groups(THREE_REPORTS, (9, 9), shares=(0.1, 0.2)), "a test 'normal', since"),
    (lambda: two_groups(FOUR, (9, 9), shares=(0.1, 0.2), test=NORMAL), "all 3 truths, .* one: 0.1"),
    (lambda: size_of_two(COINS, shares=(0.1, 0.2), power=0.04), "found 0.04"),
    (lambda: size_of_two(COINS, shares=(0.3, 0.3)), "found the same share"),
    (lambda: planning.greatest_reach(COINS, 0), "at least 1 respondent, found 0"),
    (lambda: planning.mean_reach(COINS, [0, 1], 10, 95), "found 95"),
    (lambda: planning.fewest_within(COINS, 0), "half-width above 0, such as"),
    (lambda: PlannedTest("wald"), "expected a test of interval, normal, found 'wald'"),
    (lambda: PlannedTest(significance=0.5), "between 0 and 1/2, such as 0.05, found 0.5"),
    (lambda: PlannedTest(significance=0), "such as 0.05, found 0$"),
]

PRIVACY: list[Refused] = [
    (lambda: privacy.averaging(designs.k_ary(16, 1), np.full(16, 1 / 16), 50), "at most 1000000"),
    (lambda: privacy.belief(WARNER, HALVES, -1), "expected a report from 0 to 1"),
    (lambda: privacy.posterior_bounds([0.5, 1.1], 1), "between 0 and 1"),
    (lambda: privacy.posterior_bounds(0.5, -1), "epsilon of at least 0"),
    (lambda: compose([]), "at least one channel"),
    (lambda: compose([WARNER]).epsilon_at(0), "expected a delta"),
    (lambda: compose([WARNER]).epsilon_at(math.nan), "expected a delta"),
    (lambda: compose([WARNER]).epsilon_at(0.1, "moments"), "of optimal, renyi, advanced, basic"),
    (lambda: privacy.renyi(WARNER, -0.1), "expected an order of at least 0"),
    (lambda: privacy.renyi(WARNER, math.nan), "expected an order of at least 0"),
]

SAMPLING: list[Refused] = [
    (lambda: sampling.debiased_shares([0, 2], WARNER), "respondent 1: .*, 0 to 1, .*found 2"),
    (lambda: sampling.debiased_shares([0.0], WARNER), "integers, one a respondent, found float64"),
    (lambda: sampling.debiased_shares([[0]], WARNER), "shape"),
    (lambda: sampling.debiased_shares([0, 1], GAP), "that some truth can send"),
    (lambda: sampling.direct_values([1.0, np.inf]), "finite numbers, one a respondent"),
    (lambda: sampling.debiased_values([0, 1], TWO_REPORTS, [0, 1, 5]), "mean .* not identifiable"),
    (lambda: sampling.debiased_values([0, 1], identity(2), [0, 1, 5]), "2 finite values"),
    (lambda: sampling.debiased_values([0, 1], FIVE, [math.nan] * 3), "a number for one truth at"),
    (lambda: sampling.debiased_applicable([0, 1], FIVE, 3), "a truth from 0 to 2, found 3"),
    (lambda: designed([1, -1]), "weights of at least 0"),
    (lambda: designed([0, 0]), "not all 0"),
    (lambda: designed([1, math.nan]), "weights"),
    (lambda: designed([[1, 1]]), "one a respondent"),
    (lambda: designed([1, 1], strata=[1]), r"strata: expected 2 labels.*\(1,\)"),
    (lambda: designed([1] * 3, strata=[*"aab"]), "stratum b: .*at least 2 .*found 1.*similar"),
    (lambda: designed([1, 1], clusters=[1, 1]), "at least 2 sampled units.*leave the clusters out"),
    (lambda: sampling.mean(AGES, DESIGN), "variable of the design's 4 respondents, found 5"),
    (lambda: sampling.mean(X, DESIGN, domain=[0, 1, 2, 1]), "domain of 4 times True or False"),
    (lambda: sampling.mean(X, DESIGN, domain=[False] * 4), "weight above 0 in the domain, found"),
    (lambda: weighed([9, 5], WARNER).interval(0.95, "feldman-cousins"), "a whole number of people"),
    (lambda: weighed([9, 5], WARNER).interval(0.95, "always-valid"), "found 'always-valid'"),
    (lambda: weighed([9, 5, 2], THREE_REPORTS).interval(0.95, "exact"), "'auto', 'tail' or 'wald'"),
    (lambda: sampling.mean(X, DESIGN).interval(0.95, "exact"), "'auto' or 'wald'"),
]

EVERY = ESTIMATES + COVERAGE + NONCOMPLIANCE + JOINT + PLANNING + PRIVACY + SAMPLING
NUMBERED = [f"{number}: {message}" for number, (_, message) in enumerate(EVERY)]


@pytest.mark.parametrize(("call", "message"), EVERY, ids=NUMBERED)
def test_it_says_what_was_expected_and_found(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
