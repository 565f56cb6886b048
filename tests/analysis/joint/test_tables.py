"""Tables of several questions, randomised apart or as one answer."""

import math
from typing import Any

import numpy as np
import pytest

from deniable import Channel, designs, identity
from deniable.analysis import correlation, crosstab, estimate, joint_counts
from deniable.analysis.estimation import estimate_ratios
from deniable.analysis.joint.tables import Cells
from deniable.analysis.joint.together import table_together
from deniable.channel import ROW_SUM
from deniable.server.desk.results import several_questions
from deniable.study.study import Study
from deniable.survey_file import read
from tests.analysis.enumeration import tables
from tests.analysis.surveys import THREE_REPORTS
from tests.kit.surveys import DRAWN, TOGETHER, together

WARNER = designs.warner(flip="1/4")
UNEVEN = designs.forced_response("2/3", "1/4")


@pytest.mark.parametrize(
    ("channels", "truth"),
    [
        ((WARNER, THREE_REPORTS), [[0.5, 0.1], [0.1, 0.3]]),
        ((designs.k_ary(3, 1), identity(2)), [[0.2, 0.1], [0, 0.3], [0.4, 0]]),
    ],
)
def test_shares_are_unbiased(channels: tuple[Channel, Channel], truth: list[list[float]]) -> None:
    P = channels[0].probabilities.T @ np.array(truth) @ channels[1].probabilities
    cells = np.size(truth)
    theta, covariance, moments = np.zeros(cells), np.zeros((cells, cells)), np.zeros((cells, cells))
    for chance, counts in tables(4, P):
        result = crosstab(counts, channels)
        theta += chance * result.theta.ravel()
        moments += chance * np.outer(result.theta, result.theta)
        covariance += chance * result.covariance
        # The known noise, where the sample has less.
        assert (result.standard_error.ravel() ** 2 >= np.diag(result.covariance) - 1e-12).all()
    assert theta == pytest.approx(np.ravel(truth), abs=1e-9)
    assert covariance == pytest.approx(moments - np.outer(theta, theta), abs=1e-9)


def test_the_margins_are_the_tables_of_fewer_items() -> None:
    counts = np.random.default_rng(1).integers(0, 20, size=(2, 3, 2))
    whole = crosstab(counts, [WARNER, THREE_REPORTS, UNEVEN])
    assert whole.theta.sum() == pytest.approx(1)
    assert whole.margin(0).theta == pytest.approx(whole.theta.sum(axis=(1, 2)))
    assert whole.margin(2, 0).theta == pytest.approx(whole.theta.sum(axis=1).T)
    assert whole.margin(2, 0).channels == (UNEVEN, WARNER)
    assert whole.margin(1).standard_error == pytest.approx(
        estimate(counts.sum(axis=(0, 2)), THREE_REPORTS).standard_error
    )


def test_a_group_of_nobody_has_no_shares() -> None:
    conditional = crosstab([[5, 5], [0, 0]], [identity(2), identity(2)]).conditional(0)
    assert conditional.theta[0] == pytest.approx([0.5, 0.5])
    assert np.isnan(conditional.theta[1]).all()
    assert np.isnan(conditional.standard_error[1]).all()
    assert not conditional.outside.any()


def test_an_estimate_outside_is_flagged_and_kept() -> None:
    result = crosstab([[90, 0], [0, 10]], [WARNER, WARNER])
    assert result.theta[0, 1] == pytest.approx(-0.75)
    assert result.outside.tolist() == [[True, True], [True, False]]
    assert result.maximum_likelihood.min() == 0
    assert result.interval().shape == (2, 2, 2)
    assert result.interval()[0, 1, 0] < -0.75
    assert result.conditional(1).outside.any()


def test_a_table_too_large_to_invert_says_so() -> None:
    many = crosstab(np.ones((9, 9), dtype=int), [designs.k_ary(9, 2)] * 2)
    assert many.interval(method="wald").shape == (9, 9, 2)
    assert set(many.methods()) == {"wald"}
    assert set(many.conditional(0).methods()) == {"fieller"}
    for table in (many, many.conditional(0)):
        with pytest.raises(ValueError, match="at most 64 cells for the interval 'tail', found 81"):
            table.interval(method="tail")
    with pytest.raises(ValueError, match="for the shares of one item"):
        many.interval(method="likelihood")


@pytest.mark.parametrize("n", [12, 300])
@pytest.mark.parametrize("given", [0, 1])
@pytest.mark.parametrize(
    "channels", [(WARNER, THREE_REPORTS), (WARNER, WARNER, UNEVEN), (identity(2), WARNER)]
)
def test_shares_within_groups_are_ratios_as_all_others(
    channels: tuple[Channel, ...], given: int, n: int
) -> None:
    """Errors too: none is less than the known noise leaves, whose closed form the table has."""
    sizes = [channel.reports for channel in channels]
    every = np.full(math.prod(sizes), 1 / math.prod(sizes))
    counts = np.random.default_rng(n).multinomial(n, every).reshape(sizes)
    found = crosstab(counts, channels).conditional(given)
    one_by_one = estimate_ratios(
        counts, channels, Cells(channels, (given,)), found.theta.shape, joint=True
    )
    assert found.theta == pytest.approx(one_by_one.theta, nan_ok=True)
    assert found.standard_error == pytest.approx(one_by_one.standard_error, abs=1e-7, nan_ok=True)


def test_many_cells_have_errors() -> None:
    result = crosstab(np.eye(65, dtype=int), [identity(65), identity(65)])
    assert result.standard_error[0, 0] == pytest.approx(math.sqrt(1 / 65 * 64 / 65 / 64))


def test_joint_counts_of_a_matrix_of_reports() -> None:
    random = np.random.default_rng(3)
    reports = random.integers(0, 3, size=(500, 4)).astype(np.uint8)
    reports[random.random((500, 4)) < 0.2] = 255
    counts = joint_counts(reports, [THREE_REPORTS, identity(3)], items=[3, 1])
    expected = np.zeros((3, 3), dtype=int)
    for row in reports.tolist():
        if 255 not in (row[3], row[1]):
            expected[row[3], row[1]] += 1
    assert counts.tolist() == expected.tolist()
    assert counts.dtype == np.int64


@pytest.mark.parametrize("text", [together(2, 2), together(2, 3, 2), TOGETHER])
def test_shares_are_unbiased_for_every_pair_of_truths(text: str) -> None:
    """By enumeration: reports that come exactly as often as the integers say."""
    survey = read(text).survey
    (group,) = survey.groups
    for first, second in ((0, 1), (1, 0), (0, len(group.questions) - 1)):
        names = group.questions[first], group.questions[second]
        cells, channel = group.marginal(*names)
        shape = [len(survey.items_of(survey.question(id))[0].truths) for id in names]
        for cell, law in zip(cells, channel.weights, strict=True):
            counts = np.zeros(shape, dtype=np.int64)
            counts[tuple(np.array(cells).T)] = law
            assert counts.sum() == ROW_SUM
            found = table_together(counts, cells, channel).theta
            assert found[cell] == pytest.approx(1)
            assert found.sum() == pytest.approx(1)
            assert np.abs(found).sum() == pytest.approx(1)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2)])
def test_a_group_s_covariance_is_its_truths(sizes: tuple[int, int]) -> None:
    """By reports that come as often as the integers say; of one noise and not of two."""
    (group,) = read(together(*sizes)).survey.groups
    first, second = group.questions
    parts = [group.marginal(id)[1] for id in (first, second)]
    truth = np.array([5, 1, 2, 3, 1, 4][: sizes[0] * sizes[1]], dtype=np.int64)
    counts = (truth @ np.array(group.channel.weights)).reshape(sizes)
    found = correlation(counts, parts, together=group.channel)
    people = np.repeat([*np.ndindex(*sizes)], truth, axis=0).T
    assert found.covariance == pytest.approx(np.cov(people, bias=True)[0, 1], abs=1e-6)
    assert found.variances == pytest.approx(people.var(axis=1), abs=1e-6)
    assert found.theta == pytest.approx(np.corrcoef(people)[0, 1], abs=1e-6)
    assert abs(correlation(counts, parts).covariance - found.covariance) > 0.01
    some = np.random.default_rng(3).multinomial(900, (counts / counts.sum()).ravel())
    low, high = correlation(some.reshape(sizes), parts, together=group.channel).interval(0.999999)
    assert low < np.corrcoef(people)[0, 1] < high < low + 1.2


def test_a_group_s_correlation_is_known_once_asked() -> None:
    reports = np.random.default_rng(1).integers(2, size=(4000, 2), dtype=np.uint8)
    study = Study.of(read(together(2, 2)).survey, [reports.tobytes()], "made up")
    (found,) = study.correlation("q0", "q1").export.rows
    told: dict[str, Any] = dict(found)
    assert abs(told["estimate"]) < 5 * told["standard_error"]
    with pytest.raises(ValueError, match="asks both as one"):
        Study.of(read(DRAWN).survey, [bytes([0, 254, 2])], "made up").correlation("doped", "slept")


def test_what_nobody_is_asked_names_together() -> None:
    impossible = Study.of(read(TOGETHER).survey, [bytes([0, 0, 1, 1, 0, 1])], "made up")
    with pytest.raises(ValueError, match="found 1 others: no device sends them"):
        impossible.cross("doped", "knew")
    study = Study.of(read(DRAWN).survey, [bytes([0, 254, 2, 254, 1, 254])], "made up")
    for ask in (
        lambda: study.cross("doped", "slept"),
        lambda: study.by("doped", "slept"),
        lambda: several_questions.cross(study, "knew", "slept", level=0.95),
        lambda: several_questions.compare(study, "knew", "slept", level=0.95, method="tail"),
    ):
        with pytest.raises(ValueError, match=r"nobody is asked both .*'together: \[.*slept.*\]'"):
            ask()


@pytest.mark.parametrize("questions", [("q0", "q1"), ("q1", "q2")])
def test_a_cell_has_the_interval_of_one_proportion(questions: tuple[str, str]) -> None:
    """As the zip has it, which takes the cells as answers; also of two of three questions."""
    (group,) = read(together(2, 3, 2)).survey.groups
    cells, channel = group.marginal(*questions)
    rng = np.random.default_rng(1)
    for n in (1, 12, 300):
        came = rng.multinomial(n, np.eye(len(cells))[0] @ channel.probabilities)
        counts = np.zeros(np.max(cells, axis=0) + 1, dtype=np.int64)
        counts[tuple(np.transpose(cells))] = came
        ends = table_together(counts, cells, channel).interval()
        alone = estimate(came, channel)
        assert {*alone.methods()} == {"feldman-cousins"}
        assert ends[tuple(np.transpose(cells))] == pytest.approx(alone.interval())
        # None is cut to nothing, or nearly, where few of a kind came.
        assert (np.diff(np.clip(ends, 0, 1)) > 0.04).all()


@pytest.mark.slow
def test_independence_is_rejected_rarely_enough() -> None:
    (group,) = read(together(2, 2)).survey.groups
    cells, channel = group.marginal(*group.questions)
    chances = np.outer([0.7, 0.3], [0.5, 0.5]).ravel() @ channel.probabilities
    rng = np.random.default_rng(1)
    tests = [
        table_together(counts.reshape(2, 2), cells, channel).independence()
        for counts in rng.multinomial(2_000, chances, size=1_000)
    ]
    rejected = sum(test is not None and test.p_value < 0.05 for test in tests)
    assert 30 < rejected < 75  # 50 are expected
