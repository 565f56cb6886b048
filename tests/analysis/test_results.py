import math
from dataclasses import replace

import numpy as np
import pytest

from deniable import designs
from deniable.analysis import Tally, estimate, intervals, likelihood, summarise
from deniable.analysis.findings import Interval
from deniable.analysis.intervals import inversion
from deniable.analysis.means import estimate_mean
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.results import item_results
from deniable.channel import identity
from deniable.designs.numeric import piecewise, two_point
from deniable.designs.rounding import coarsened
from deniable.survey.questions import Answer, Protection, Question, QuestionType
from tests.analysis.surveys import EVERY_KIND, survey
from tests.kit import surveys
from tests.kit.surveys import single

COUNTS = ([65, 60], [100, 25], [80, 45], [40, 40, 45], [20, 100, 5], [50, 75], [25, 50, 50])
TALLY = Tally(EVERY_KIND.revision, 125, tuple(np.array(count) for count in COUNTS))


def number(id: str, *codes: str, direct: bool = False, declining: bool = False) -> Question:
    return Question(
        id,
        f"How much {id}?",
        QuestionType.NUMBER,
        tuple(Answer(code, code) for code in codes),
        protection=Protection.DIRECT if direct else Protection.RANDOMISED,
        prefer_not_to_say=declining,
    )


HUNDRED = tuple(str(value) for value in range(101))

NUMBERS = survey(
    (number("hours", "0", "2.5", "5"), designs.k_ary(3, 1)),
    (number("weeks", *HUNDRED), coarsened(piecewise(21, 2), 101)),
    (number("thirds", "-1/3", "0", "1/3"), two_point(3, 1)),
    (number("units", "0", "10", "20", declining=True), designs.k_ary(4, 2)),
    (number("age", "30", "40", direct=True), identity(2)),
)
"""Numbers of which the design tells the shares, the mean alone, and of which some may decline."""

NUMBER_COUNTS = (
    [40, 30, 55],
    [3] * 26 + [47],
    [60, 65],
    [30, 20, 60, 15],
    [75, 50],
)
NUMBER_TALLY = Tally(NUMBERS.revision, 125, tuple(np.array(count) for count in NUMBER_COUNTS))
NAMED = {
    question.question.id: question.items[0]
    for question in summarise(NUMBERS, NUMBER_TALLY, level=0.9).questions
}


@pytest.mark.parametrize("method", ["auto", "wald"])
def test_every_number_is_the_estimate_s(method: str) -> None:
    results = summarise(EVERY_KIND, TALLY, level=0.9, method=method)
    assert (results.level, results.method) == (0.9, method)
    items = [item for question in results.questions for item in question.items]
    for item, counts in zip(items, COUNTS, strict=True):
        expected = estimate(counts, item.item.channel)
        shares = item.shares
        assert item.n == 125
        assert [share.method for share in shares] == list(expected.methods(method))
        assert [share.estimate for share in shares] == expected.theta.tolist()
        assert [share.standard_error for share in shares] == expected.standard_error.tolist()
        assert [share.maximum_likelihood for share in shares] == [*expected.maximum_likelihood]
        assert [[share.low, share.high] for share in shares] == (
            expected.interval(0.9, method).tolist()
        )
        assert [share.outside for share in shares] == expected.outside.tolist()


def test_a_failed_likelihood_loses_likeliest_shares_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def uncertain(*_: object) -> None:
        raise ConvergenceError("expected a duality gap of 1e-10 at most, stayed at 0.27")

    whole = summarise(EVERY_KIND, TALLY)
    monkeypatch.setattr(likelihood, "maximum_likelihood", uncertain)
    results = summarise(EVERY_KIND, TALLY)
    for question, complete in zip(results.questions, whole.questions, strict=True):
        for item, before in zip(question.items, complete.items, strict=True):
            assert item.lacks_maximum_likelihood
            shares = tuple(replace(one, maximum_likelihood=None) for one in before.shares)
            assert item == replace(before, shares=shares)


def test_many_answers_profile_is_a_reasoned_dash() -> None:
    answers = tuple(Answer(code, code) for code in "abcd")
    asked = surveys.survey(single("one", answers), single("two"))
    tally = Tally(asked.revision, 100, (np.array([40, 30, 20, 10]), np.array([60, 40])))
    results = summarise(asked, tally, 0.9, "likelihood")
    one, two = (question.items[0] for question in results.questions)
    assert one.no_interval is not None
    assert one.no_interval.startswith("expected at most 3 answers")
    assert "ask for 'auto' instead" in one.no_interval
    for share in one.shares:
        assert share.low is share.high is None
        assert share.estimate is not None
        assert share.maximum_likelihood is not None
    assert two.no_interval is None
    assert None not in {share.low for share in two.shares}


@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("hours", [0, 2.5, 5]),
        ("weeks", range(101)),
        ("units", [0, 10, 20, math.nan]),
        ("age", [30, 40]),
    ],
)
def test_a_number_s_mean_has_its_units(id: str, values: list[float]) -> None:
    item = NAMED[id]
    counts = NUMBER_COUNTS[list(NAMED).index(id)]
    expected = estimate_mean(counts, item.item.channel, values)
    assert item.mean is not None
    assert item.mean.estimate == expected.theta
    assert item.mean.standard_error == expected.standard_error
    interval = expected.interval(0.9)
    assert (item.mean.low, item.mean.high) == (interval[0], interval[1])
    assert item.mean.method == expected.methods()[0]
    likely = float(expected.maximum_likelihood)
    assert item.mean.maximum_likelihood == (None if math.isnan(likely) else likely)
    assert (item.mean.least, item.mean.greatest) == (values[0], np.nanmax(values))
    assert item.mean.span == np.nanmax(values) - values[0]


def test_a_mean_is_always_valid_where_shares_are() -> None:
    results = summarise(NUMBERS, NUMBER_TALLY, 0.9, intervals.ALWAYS_VALID)
    for question in results.questions:
        found, usual = question.items[0].mean, NAMED[question.question.id].mean
        assert found is not None
        assert usual is not None
        assert found.method == intervals.ALWAYS_VALID
        assert None not in (found.low, found.high, usual.low, usual.high)
        assert (found.low or 0) < (usual.low or 0) < (usual.high or 0) < (found.high or 0)


def test_reports_named_after_answers_need_no_shares() -> None:
    # Three values, the last of which is half of either of the others in what it sends.
    channel = designs.custom([["3/5", "1/5", "1/5"], ["1/5", "3/5", "1/5"], ["2/5", "2/5", "1/5"]])
    question = number("hours", "0", "2", "1")
    asked = survey((question, designs.k_ary(3, 1)))
    item = replace(asked.items[0], channel=channel)
    told = replace(asked, items=(item,), epsilon_millionths=item.epsilon_millionths)
    tally = Tally(told.revision, 10, (np.array([5, 3, 2]),))
    result = summarise(told, tally).questions[0].items[0]
    assert not result.tells_shares
    assert [share.observed for share in result.shares] == [0.5, 0.3, 0.2]
    assert [share.estimate for share in result.shares] == [None] * 3
    assert result.mean is not None
    # From 1 by 1/(3/5 − 1/5) of what the two informative reports differ by.
    assert result.mean.estimate == pytest.approx(1 + (0.3 - 0.5) / 0.4, abs=1e-6)


def test_shares_of_no_one_proportion_invert_tails() -> None:
    levels = tuple(Answer(str(level), str(level)) for level in range(8))
    channel = designs.piecewise(8, 1)
    _, (item,) = single("days", levels, channel)
    counts = np.full(channel.reports, 300)
    found = item_results(item, counts)
    expected = estimate(counts, channel).interval(method="tail")
    assert found.methods == ("tail",)
    ends = np.array([(share.low, share.high) for share in found.shares])
    np.testing.assert_allclose(ends, expected)
    assert item_results(item, counts, method="exact").methods == ("exact",)
    for plain in (designs.k_ary(8, 1), designs.warner(epsilon=1)):
        _, (item,) = single("q", levels[: plain.truths], plain)
        assert item_results(item, np.full(plain.reports, 300)).methods == ("feldman-cousins",)


def test_uncertified_intervals_are_dashes_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def uncertain(*_: object) -> tuple[float, float]:
        raise ConvergenceError("expected a duality gap")

    usual = summarise(NUMBERS, NUMBER_TALLY)
    monkeypatch.setattr(inversion, "tail_interval", uncertain)
    results = summarise(NUMBERS, NUMBER_TALLY)
    lost = 0
    for question, before in zip(results.questions, usual.questions, strict=True):
        found, whole = question.items[0].mean, before.items[0].mean
        assert found is not None
        assert whole is not None
        assert found.estimate == whole.estimate
        lost += found.low is None
        assert (found.low is None) == (whole.method == "tail")
    assert lost > 0


def test_an_interval_has_both_ends() -> None:
    assert Interval.known(1e-9, math.inf) == (1e-9, math.inf)
    assert Interval.known(math.nan, 1) is None
