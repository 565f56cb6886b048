from dataclasses import replace

import numpy as np
import pytest

from deniable.analysis import Tally, count_reports, estimate, summarise
from tests.analysis.surveys import EVERY_KIND

COUNTS = ([65, 60], [100, 25], [80, 45], [40, 40, 45], [20, 100, 5], [50, 75], [25, 50, 50])
TALLY = Tally(EVERY_KIND.revision, 125, tuple(np.array(count) for count in COUNTS))


def test_questions_items_and_answers_come_in_the_survey_s_order() -> None:
    results = summarise(EVERY_KIND, TALLY)
    assert results.n == 125
    assert [question.question.id for question in results.questions] == [
        "doped",
        "offered",
        "often",
        "age",
        "uneven",
    ]
    items = [item for question in results.questions for item in question.items]
    assert [item.item for item in items] == list(EVERY_KIND.items)
    assert [[share.answer for share in item.shares] for item in items] == [
        list(item.truths) for item in EVERY_KIND.items
    ]


@pytest.mark.parametrize("method", ["wald", "wilson", "exact"])
def test_every_number_is_the_estimate_s(method: str) -> None:
    results = summarise(EVERY_KIND, TALLY, level=0.9, method=method)
    assert (results.level, results.method) == (0.9, method)
    items = [item for question in results.questions for item in question.items]
    for item, counts in zip(items, COUNTS, strict=True):
        expected = estimate(counts, item.item.channel)
        shares = item.shares
        assert item.n == 125
        assert [share.estimate for share in shares] == expected.theta.tolist()
        assert [share.standard_error for share in shares] == expected.standard_error.tolist()
        assert [share.maximum_likelihood for share in shares] == (
            expected.maximum_likelihood.tolist()
        )
        assert [[share.low, share.high] for share in shares] == (
            expected.interval(0.9, method).tolist()
        )
        assert [share.outside for share in shares] == expected.outside.tolist()


def test_the_noisy_share_is_known_where_reports_are_named_after_answers() -> None:
    doped, offered, _, age, uneven = summarise(EVERY_KIND, TALLY).questions
    assert [share.observed for share in doped.items[0].shares] == [0.52, 0.48]
    assert [share.observed for share in offered.items[1].shares] == [0.64, 0.36]
    assert [share.observed for share in age.items[0].shares] == [0.4, 0.6]
    assert [share.observed for share in uneven.items[0].shares] == [None, None]


def test_direct_items_have_ordinary_proportions_and_say_so() -> None:
    *randomised, age, uneven = summarise(EVERY_KIND, TALLY).questions
    assert age.items[0].direct
    assert [share.estimate for share in age.items[0].shares] == [0.4, 0.6]
    for question in (*randomised, uneven):
        assert not any(item.direct for item in question.items)


def test_without_reports_nothing_is_known_and_nothing_fails() -> None:
    results = summarise(EVERY_KIND, count_reports([], EVERY_KIND))
    for question in results.questions:
        for item in question.items:
            assert item.n == 0
            for share in item.shares:
                assert share.estimate is share.low is share.standard_error is None
                assert share.observed is share.maximum_likelihood is None
                assert not share.outside


@pytest.mark.parametrize("method", ["wald", "wilson"])
def test_with_one_report_the_standard_error_is_unknown(method: str) -> None:
    results = summarise(EVERY_KIND, count_reports([bytes(7)], EVERY_KIND), method=method)
    share = results.questions[0].items[0].shares[0]
    assert share.estimate == pytest.approx(1.5)
    assert share.outside
    assert share.standard_error is None
    assert (share.low is None) == (share.high is None) == (method == "wald")


def test_n_is_of_those_who_were_asked_the_item() -> None:
    tally = count_reports([bytes(7), bytes([255, 1, 0, 0, 0, 0, 255])], EVERY_KIND)
    results = summarise(EVERY_KIND, tally)
    assert results.n == 2
    assert [item.n for question in results.questions for item in question.items] == [
        1,
        2,
        2,
        2,
        2,
        2,
        1,
    ]


def test_a_tally_of_another_revision_is_refused() -> None:
    with pytest.raises(ValueError, match=f"expected a tally of revision {EVERY_KIND.revision}"):
        summarise(EVERY_KIND, replace(TALLY, revision="0" * 32))


def test_a_level_or_method_that_is_none_is_refused_even_without_reports() -> None:
    empty = count_reports([], EVERY_KIND)
    with pytest.raises(ValueError, match="between 0 and 1"):
        summarise(EVERY_KIND, empty, level=95)
    with pytest.raises(ValueError, match="wald, wilson, exact"):
        summarise(EVERY_KIND, empty, method="normal")
