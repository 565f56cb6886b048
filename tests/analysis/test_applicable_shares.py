"""Shares among those to whom a question applies, against closed forms and simulation."""

import csv
import io
import math

import numpy as np
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis import likelihood, sampling
from deniable.analysis.counts.tally import count_reports
from deniable.analysis.estimation import estimate
from deniable.analysis.intervals.proportion import METHODS
from deniable.analysis.joint.tables import crosstab
from deniable.analysis.means import applicable_shares, estimate_mean
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.results import summarise
from deniable.channel import identity
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.simulation import simulate
from deniable.results.files import FORMATS
from deniable.results.rows import lay_out
from deniable.survey_file import read

CHANNEL = designs.k_ary(3, 1)


def test_without_noise_it_is_the_answerers_share() -> None:
    counts = [30, 10, 60]
    found = applicable_shares(counts, identity(3), skipped=2)
    assert found.divisor[0] == pytest.approx(0.4)
    assert found.theta[:2] == pytest.approx([0.75, 0.25])
    # The delta method of a ratio is that of a proportion among 40, but for n - 1 in place of n.
    assert found.standard_error[:2] == pytest.approx(math.sqrt(0.75 * 0.25 / 40 * 100 / 99))


def test_it_is_a_ratio_with_covariance() -> None:
    """With k-ary response everything has a closed form."""
    counts = np.array([350, 260, 390])
    n, theta = 1000, estimate(counts, CHANNEL).theta
    p, q = (float(weight) / 2**32 for weight in CHANNEL.weights[0][:2])
    assert theta == pytest.approx((counts / n - q) / (p - q))
    found = applicable_shares(counts, CHANNEL, skipped=2)
    ratio = theta[0] / (1 - theta[2])
    assert found.theta[0] == pytest.approx(ratio)
    # The residual of each report, whose mean is 0 at the ratio.
    g0 = np.array([1 - q, -q, -q]) / (p - q)
    h = 1 - np.array([-q, -q, 1 - q]) / (p - q)
    residual = (g0 - ratio * h) / (1 - theta[2])
    variance = (residual**2) @ counts / (n - 1)
    assert found.standard_error[0] == pytest.approx(math.sqrt(variance / n))
    # With so many reports the ends are near Fieller's: there the test that the residual has mean 0
    # just rejects.
    low, high = found.interval()[0]
    for end in (low, high):
        rest = g0 - end * h
        mean = rest @ counts / n
        spread = math.sqrt((rest - mean) ** 2 @ counts / (n - 1) / n)
        assert abs(mean) / spread == pytest.approx(stats.norm.ppf(0.975), rel=0.03)
    assert low < ratio < high
    # The mean of an indicator among those who have a value is the same number.
    other = estimate_mean(counts, CHANNEL, [1, 0, math.nan])
    assert (other.theta, other.standard_error) == pytest.approx(
        (found.theta[0], found.standard_error[0])
    )
    assert found.theta[0] + found.theta[1] == pytest.approx(1)
    assert found.maximum_likelihood[:2] == pytest.approx(found.theta[:2])


def test_which_truth_is_not_applying_is_told() -> None:
    first = applicable_shares([390, 350, 260], CHANNEL, skipped=0)
    last = applicable_shares([350, 260, 390], CHANNEL, skipped=2)
    assert first.theta == pytest.approx(last.theta)
    with pytest.raises(ValueError, match="expected a truth from 0 to 2, found 3"):
        applicable_shares([1, 2, 3], CHANNEL, skipped=3)


def test_nobody_asked_rules_nothing_out() -> None:
    nobody = [int(1000 * weight / 2**32) for weight in CHANNEL.weights[2]]
    found = applicable_shares([nobody[0] + 12, *nobody[1:]], CHANNEL, skipped=2)
    assert 0 < found.divisor[0] < 0.05
    assert np.isnan(found.theta).all()
    assert np.isnan(found.standard_error).all()
    assert found.interval()[0] == pytest.approx([0, 1])
    below = applicable_shares([nobody[0] - 20, *nobody[1:]], CHANNEL, skipped=2)
    assert below.divisor[0] < 0
    assert np.isnan(below.theta).all()
    assert below.interval()[1].tolist() == [0, 1]
    assert not below.outside.any()


def test_one_report_has_no_estimate_unless_true() -> None:
    found = applicable_shares([1, 0, 0], CHANNEL, skipped=2)
    assert math.isnan(found.theta[0])
    assert math.isnan(found.standard_error[0])
    assert found.interval()[0] == pytest.approx([0, 1])
    direct = applicable_shares([1, 0, 0], identity(3), skipped=2)
    assert direct.theta[0] == 1
    assert math.isnan(direct.standard_error[0])


def test_ratios_have_possible_intervals_and_marked_estimates() -> None:
    counts = [520, 190, 290]
    found = applicable_shares(counts, CHANNEL, skipped=2)
    assert found.theta[0] > 1
    assert found.outside[0]
    low, high = found.interval()[0]
    assert 0 < low < high == 1
    mean = estimate_mean(counts, CHANNEL, [1, 0, math.nan])
    assert mean.outside
    assert mean.theta == pytest.approx(found.theta[0])
    assert mean.interval()[1] == mean.possible_interval()[1] == 1
    assert mean.interval(method="wald")[1] == 1
    reports = np.repeat(np.arange(3), counts)
    weights = np.where(np.arange(len(reports)) % 2, 1.0, 1.01)
    weighted = sampling.mean(
        sampling.debiased_applicable(reports, CHANNEL, skipped=2), sampling.sampling_design(weights)
    )
    assert weighted.theta[0] > 1
    assert weighted.outside[0]
    for method in ("auto", "wald"):
        assert weighted.interval(method=method)[0, 1] == 1
    table = crosstab([[272, 108], [258, 362]], [designs.warner(flip="1/4")] * 2)
    shares = table.conditional(0)
    assert shares.outside.any()
    for method in ("tail", "wald"):
        ends = shares.interval(method=method)
        assert (ends >= 0).all()
        assert (ends <= 1).all()


def test_weighted_ratios_to_nothing_have_no_estimate() -> None:
    nobody = [int(1000 * weight / 2**32) for weight in CHANNEL.weights[2]]
    reports = np.repeat(np.arange(3), [nobody[0] + 12, *nobody[1:]])
    weights = np.where(np.arange(len(reports)) % 2, 1.0, 2.0)
    groups = np.arange(len(reports)) % 3 == 0
    design = sampling.sampling_design(weights)
    variable = sampling.debiased_applicable(reports, CHANNEL, skipped=2)
    weighted = sampling.mean(variable, design)
    assert np.isnan(weighted.theta).all()
    assert np.isnan(weighted.standard_error).all()
    assert weighted.interval().tolist() == [[0, 1]] * 2
    apart = sampling.difference(variable, design, groups, ~groups)
    assert np.isnan(apart.theta).all()
    assert apart.interval().tolist() == [[-1, 1]] * 2


def test_equal_reports_do_not_make_it_certain() -> None:
    found = applicable_shares([6, 0, 0], CHANNEL, skipped=2)
    assert found.standard_error[0] > 0.3
    low, high = found.interval()[0]
    assert low < high - 0.05
    # 20 of 20 come with a chance of 2e-5 even if it is everybody's truth.
    doubtful = applicable_shares([20, 0, 0], CHANNEL, skipped=2)
    assert doubtful.outside[0]
    assert doubtful.interval()[:2].tolist() == [[0, 1]] * 2


def test_nobody_asked_is_no_division_by_zero() -> None:
    found = applicable_shares([0, 0, 50], identity(3), skipped=2)
    assert np.isnan(found.maximum_likelihood).all()
    assert np.isnan(found.theta).all()
    assert found.interval()[0].tolist() == [0, 1]


SURVEY = """\
version: 1
survey: s
title: T
questions:
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
  - {id: retired, text: Retired, type: single, answers: [No, Yes, Partly], protection: direct,
     ask_if: {age: old}}
  - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
  - {id: knew, text: Knew, type: single, answers: [Nobody, Coach], ask_if: {doped: yes}, flip: 0.3}
  - {id: times, text: Times, type: number, min: 1, max: 3, ask_if: {doped: yes}, flip: 0.3}
"""


def test_estimates_need_no_certain_likelihood(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = applicable_shares([300, 260, 440], designs.k_ary(3, 2), skipped=2)

    def uncertain(*_: object) -> None:
        raise ConvergenceError("stayed at 0.27")

    monkeypatch.setattr(likelihood, "maximum_likelihood", uncertain)
    found = applicable_shares([300, 260, 440], designs.k_ary(3, 2), skipped=2)
    with pytest.raises(ConvergenceError):
        _ = found.maximum_likelihood
    np.testing.assert_array_equal(found.interval(), whole.interval())
    for name in ("theta", "standard_error"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))


def test_made_up_people_are_found_again_everywhere() -> None:
    survey = read(SURVEY).survey
    rates = ["age.old=40%", "retired.yes=50%", "doped.yes=50%", "knew.coach=20%", "times.1=60%"]
    (responses,) = simulate(read_population(survey, rates), 40_000, seeded_words(8))
    tally = count_reports([responses.answers.tobytes()], survey)
    results = summarise(survey, tally)
    items = {item.item.id: item for question in results.questions for item in question.items}
    assert items["age"].applicable == items["doped"].applicable == ()
    for id, answer, rate in (
        ("retired", "yes", 0.5),
        ("retired", "no", 0.25),
        ("knew", "coach", 0.2),
        ("times", "1", 0.6),
        ("times", "3", 0.2),
    ):
        (share,) = [one for one in items[id].applicable if one.answer.code == answer]
        assert share.estimate is not None
        assert share.standard_error is not None
        # Five standard errors: a false alarm in 2e6 for each.
        assert abs(share.estimate - rate) < 5 * share.standard_error < 0.12
        assert share.low is not None
        assert share.high is not None
        assert share.low < share.estimate < share.high
    assert [one.answer.code for one in items["times"].applicable] == ["1", "2", "3"]
    # Directly asked it is an ordinary proportion, with the interval that was asked for.
    asked = tally.counts[1][:3].tolist()
    assert items["retired"].applicable[1].observed == asked[1] / sum(asked)
    low, high = METHODS["feldman-cousins"](np.array(asked[1]), sum(asked), 0.95)
    share = items["retired"].applicable[1]
    assert share.low == pytest.approx(low)
    assert share.high == pytest.approx(high)
    assert items["retired"].applicable_methods == ("feldman-cousins",)
    assert items["knew"].applicable_methods == ("tail",)
    # The mean of a number is among those who gave one, as it always is: 0.6 + 2 x 0.2 + 3 x 0.2.
    mean = items["times"].mean
    assert mean is not None
    assert mean.estimate is not None
    assert mean.standard_error is not None
    assert abs(mean.estimate - 1.6) < 5 * mean.standard_error < 0.2
    assert (mean.least, mean.greatest) == (1, 3)
    rows = list(csv.DictReader(io.StringIO(str(FORMATS["csv"].write(lay_out(results))))))
    (row,) = [
        one
        for one in rows
        if (one["item"], one["answer"], one["statistic"]) == ("knew", "coach", "share_if_applies")
    ]
    assert float(row["estimate"]) == items["knew"].applicable[1].estimate
    assert row["method"] == "tail"
    assert row["observed"] == ""
    assert len([one for one in rows if one["statistic"] == "share_if_applies"]) == 3 + 2 + 3


def test_before_the_first_report_nothing_is_known() -> None:
    survey = read(SURVEY).survey
    results = summarise(survey, count_reports([], survey))
    items = {item.item.id: item for question in results.questions for item in question.items}
    assert [one.estimate for one in items["knew"].applicable] == [None, None]
    assert [one.estimate for one in items["retired"].applicable] == [None] * 3
