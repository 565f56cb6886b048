"""Counts by their labels, and columns that are counted: pandas as it really is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest

from deniable import designs
from deniable.analysis import count_reports, estimate
from deniable.analysis.counts.labels import in_order
from deniable.analysis.joint.association import homogeneity, independence
from deniable.analysis.joint.correlations import correlation
from deniable.analysis.joint.groups import difference, pairwise
from deniable.analysis.joint.ratios import odds_ratio, ratio
from deniable.analysis.joint.tables import crosstab
from deniable.analysis.means import applicable_shares, estimate_mean
from deniable.analysis.noncompliance import compliance, corrected
from deniable.analysis.sensitivity_curve import sensitivity
from deniable.reanalysis.arms import estimate_arms
from deniable.reanalysis.designs import cheating_detection
from tests.analysis.surveys import EVERY_KIND

COINS = designs.warner(flip="1/4")
THREE = designs.k_ary(3, 2)
CODES = ["never", "rarely", "often"]

# More yes than no, so that value_counts puts yes first.
ANSWERS = pandas.Series(["yes"] * 60 + ["no"] * 40)
HOW_OFTEN = pandas.Series(["often"] * 50 + ["never"] * 30 + ["rarely"] * 20)


@pytest.mark.parametrize(
    "given",
    [
        {"yes": 60, "no": 40},
        {"true": np.int64(60), "false": 40},
        {1: 60, 0: 40},
        {True: 60, False: 40},
        ANSWERS,
        ANSWERS.tolist(),
        np.array(ANSWERS, dtype="U3"),
        ANSWERS.astype("category"),
        pandas.concat([ANSWERS, pandas.Series([None, "NA", ""])], ignore_index=True),
        ANSWERS.groupby(ANSWERS).size(),
        (ANSWERS == "yes").value_counts(),
        pandas.Series([40, 60]),
        [40, 60],
        np.array([40, 60], dtype=np.uint8),
    ],
)
def test_no_and_yes_are_understood_in_every_form(given: Any) -> None:
    assert in_order(given, [2]) == pytest.approx([40, 60])
    assert estimate(given, COINS).theta == pytest.approx([0.3, 0.7])


@pytest.mark.parametrize(
    "given",
    [
        HOW_OFTEN.value_counts(),
        HOW_OFTEN.value_counts().to_dict(),
        HOW_OFTEN,
        HOW_OFTEN.sample(frac=1, random_state=1),
        [30, 20, 50],
    ],
)
def test_codes_say_which_report_each_label_is_of(given: Any) -> None:
    assert estimate(given, THREE, codes=CODES).counts.tolist() == [30, 20, 50]


def test_codes_may_be_numbers() -> None:
    column = pandas.Series([1] * 3 + [2] * 5)
    for given in (column, column.tolist(), column.value_counts(), {2: 5, 1: 3}):
        assert estimate(given, COINS, codes=[2, 1]).counts.tolist() == [5, 3]
    # Counts by labels, although each count is a code as well.
    assert estimate(pandas.Series({1: 2, 2: 1}), COINS, codes=[2, 1]).counts.tolist() == [1, 2]
    truth = (ANSWERS == "yes").to_numpy()
    for mask in (truth, truth[58:60], pandas.Series(truth)):
        counts = [(~np.asarray(mask)).sum(), np.asarray(mask).sum()]
        assert estimate(mask, COINS, codes=[False, True]).counts.tolist() == counts


@pytest.mark.parametrize(
    ("given", "codes", "message"),
    [
        (pandas.Series([0, 1]), None, "0, 1, which can be the counts of 2 reports or a column of"),
        (pandas.Series([0, 1]), [0, 1], "what 2 respondents reported: expected a dictionary"),
        (pandas.Series([1, 0]), [1, 0], "such as collections.Counter"),
        (pandas.Series([0]), None, "0, which can be the counts of 1 reports or a column"),
        (pandas.Series([0, 1, 1, 0, 1]), None, r"looks like a column.*expected codes=\[0, 1\]"),
        (pandas.Series([0.0, np.nan, 1.0]), None, r"looks like a column.*codes=\[0, 1\]"),
        (pandas.Series([True, False, True]), None, r"looks like.*codes=\[False, True\] beside"),
        (np.array([0, 1, 1, 0, 1]), None, r"looks like a column.*codes=\[0, 1\]"),
    ],
)
def test_a_column_of_numbers_is_no_counts(given: Any, codes: Any, message: str) -> None:
    """Rows are numbered from 0, as reports are: two people came out as one, who said yes."""
    with pytest.raises(ValueError, match=message):
        estimate(given, COINS, codes=codes)


@pytest.mark.parametrize(
    ("given", "codes", "message"),
    [
        (HOW_OFTEN.value_counts(), None, "cannot tell which of the 3 reports a label is of.*codes"),
        (HOW_OFTEN, None, "codes= with what each report is called.*'often', 'never', 'rarely'"),
        ({"never": 5, "always": 3}, CODES, "labels of 'never', 'rarely', 'often', found 'always'"),
        (["never", "always"], CODES, "labels of 'never', 'rarely', 'often', found 'always'"),
        ({"never": 2.5}, CODES, "integers, found 2.5 for 'never'"),
        ({"never": 2**70}, CODES, r"at most 2\^53 reports in all, found 1180591620717411303424"),
        ([1, 2, 3], ["a", "b", "b"], "expected 3 different codes"),
        ([1, 2, 2], [1, 2, 3], "which can be both: give the counts by their labels"),
        (pandas.Series([1, 2], index=["never", "never"]), CODES, "found two for 'never'"),
    ],
)
def test_what_cannot_be_told_is_refused(given: Any, codes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate(given, THREE, codes=codes)


@pytest.mark.parametrize(
    "counts",
    [
        [2**62, 2**62],  # whose sum is below 0 in 64 bits
        [2**62, 2**62, 2**62],
        np.array([2**63, 0, 1], dtype=np.uint64),
        [2**53, 2, 0],
    ],
)
def test_counts_beyond_what_can_be_counted_are_refused(counts: Any) -> None:
    channel = COINS if len(counts) == 2 else THREE
    refused: tuple[Callable[[], object], ...] = (
        lambda: estimate(counts, channel),
        lambda: estimate_mean(counts, channel, range(channel.truths)),
        lambda: crosstab([counts, counts], [COINS, channel]),
    )
    for each in refused:
        with pytest.raises(ValueError, match=r"at most 2\^53 reports in all, found some \d"):
            each()
    assert estimate([2**52, 2**52], COINS).theta == pytest.approx([0.5, 0.5])


FRAME = pandas.DataFrame(
    {
        "sex": ["w"] * 50 + ["m"] * 50,
        "often": HOW_OFTEN.sample(frac=1, random_state=2).tolist(),
        "doped": ANSWERS.sample(frac=1, random_state=3).tolist(),
    }
)
JOINT = [
    [int(((FRAME.often == often) & (FRAME.doped == doped)).sum()) for doped in ("no", "yes")]
    for often in CODES
]
BY_SEX = [
    [int(((FRAME.sex == sex) & (FRAME.often == often)).sum()) for often in CODES]
    for sex in ("m", "w")
]


@pytest.mark.parametrize(
    "given",
    [
        pandas.crosstab(FRAME.often, FRAME.doped),
        pandas.crosstab(FRAME.often, FRAME.doped).iloc[::-1, ::-1],
        FRAME.groupby(["often", "doped"]).size(),
        dict(FRAME[["often", "doped"]].value_counts()),
        JOINT,
    ],
)
def test_joint_counts_are_taken_by_their_labels(given: Any) -> None:
    channels, codes = [THREE, COINS], [CODES, None]
    assert crosstab(given, channels, codes=codes).counts.tolist() == JOINT
    assert independence(given, channels, codes=codes) == independence(JOINT, channels)
    found = correlation(given, channels, codes=codes)
    assert found.theta == correlation(JOINT, channels).theta


def test_joint_labels_that_do_not_fit_are_refused() -> None:
    table = pandas.crosstab(FRAME.often, FRAME.doped, margins=True)
    with pytest.raises(ValueError, match="found 'All'"):
        crosstab(table, [THREE, COINS], codes=[CODES, ["no", "yes"]])
    with pytest.raises(ValueError, match="cannot tell which of the 3 reports"):
        crosstab(pandas.crosstab(FRAME.often, FRAME.doped), [THREE, COINS])
    with pytest.raises(ValueError, match="labels of 2 items each, found 'no', 'yes'"):
        crosstab({"no": 4, "yes": 5}, [COINS, COINS])
    with pytest.raises(ValueError, match="codes of 2 items, found those of 3"):
        crosstab(JOINT, [THREE, COINS], codes=[CODES, None, None])


@pytest.mark.parametrize(
    "given",
    [
        pandas.crosstab(FRAME.sex, FRAME.often),
        pandas.crosstab(FRAME.sex, FRAME.often)[["often", "rarely", "never"]],
        dict(zip("mw", BY_SEX, strict=True)),
        [FRAME.often[FRAME.sex == sex].value_counts() for sex in "mw"],
        [FRAME.often[FRAME.sex == sex] for sex in "mw"],
        BY_SEX,
    ],
)
def test_groups_are_taken_by_their_labels(given: Any) -> None:
    expected = homogeneity(BY_SEX, THREE)
    assert homogeneity(given, THREE, codes=CODES) == expected
    groups = pairwise(given, THREE, codes=CODES).groups
    assert [group.counts.tolist() for group in groups] == BY_SEX


def test_every_estimate_of_counts_takes_labels() -> None:
    """Each with the labels in an order that would be wrong."""
    men, women = ({"yes": yes, "no": no} for no, yes in ([40, 60], [70, 30]))
    m, w = [40, 60], [70, 30]
    for compare in (difference, ratio, odds_ratio):
        found, other = compare(men, women, COINS), compare(men, women, COINS, codes=["yes", "no"])
        for group, of in zip((found.first, found.second), (m, w), strict=True):
            assert group.theta.tolist() == estimate(of, COINS).theta.tolist()
        # Words have their meaning in any order.
        assert other.first.theta == pytest.approx(found.first.theta)
    assert estimate_mean(men, COINS, [0, 10]).theta == pytest.approx(7)
    assert estimate_mean({"b": 6, "a": 4}, COINS, [0, 10], codes=["a", "b"]).n == 10
    arms = cheating_detection(["1/4", "3/4"])
    for counts in ([women, men], pandas.DataFrame([women, men])):
        assert [arm.tolist() for arm in estimate_arms(counts, arms).counts] == [w, m]
    with pytest.raises(ValueError, match="arm 1: cannot tell which of the 2 reports"):
        estimate_arms([women, {"a": 1}], arms)
    labelled = compliance(women, COINS, [1, 0])
    assert labelled.theta[1] == compliance(w, COINS, [1, 0]).theta[1]
    assert sensitivity(women, COINS).theta.tolist() == sensitivity(w, COINS).theta.tolist()
    pairs = {("yes", "yes"): 120, ("yes", "no"): 220, ("no", "yes"): 180, ("no", "no"): 480}
    given = [[480, 180], [220, 120]]
    assert corrected(pairs, COINS, COINS, [1, 0]).theta == pytest.approx(
        corrected(given, COINS, COINS, [1, 0]).theta
    )
    asked = {"not asked": 44, "yes": 26, "no": 30}
    codes = ["no", "yes", "not asked"]
    assert applicable_shares(asked, THREE, 2, codes=codes).theta == pytest.approx(
        applicable_shares([30, 26, 44], THREE, 2).theta
    )


ITEMS = len(EVERY_KIND.items)


def test_reports_are_counted_by_item_over_chunks() -> None:
    chunks = [bytes([0, 1, 0, 2, 0, 1, 2, 1, 1, 0, 2, 1, 0, 0]), b"", bytes([1, 0, 0, 1, 0, 1, 2])]
    tally = count_reports(chunks, EVERY_KIND)
    assert tally.n == 3
    assert tally.revision == EVERY_KIND.revision
    assert [count.tolist() for count in tally.counts] == [
        [1, 2],
        [1, 2],
        [3, 0],
        [0, 1, 2],
        [2, 1, 0],
        [1, 2],
        [1, 0, 2],
    ]


def test_the_unasked_are_counted_in_no_report() -> None:
    tally = count_reports([bytes([255, 1, 0, 0, 0, 0, 255]), bytes(ITEMS)], EVERY_KIND)
    assert tally.n == 2
    assert [int(count.sum()) for count in tally.counts] == [1, 2, 2, 2, 2, 2, 1]
    nobody = count_reports([], EVERY_KIND)
    assert nobody.n == 0
    assert not any(count.any() for count in nobody.counts)


@pytest.mark.parametrize(
    ("position", "byte", "item"), [(0, 2, "doped"), (3, 3, "often.season"), (5, 254, "age")]
)
def test_a_byte_of_no_report_is_refused(position: int, byte: int, item: str) -> None:
    answers = bytearray(ITEMS)
    answers[position] = byte
    with pytest.raises(ValueError, match=f"item '{item}': expected reports below .*found {byte}$"):
        count_reports([bytes(ITEMS), bytes(answers)], EVERY_KIND)
