import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize

from deniable import Channel, designs, identity
from deniable.analysis import crosstab, estimate, joint_counts
from deniable.analysis.estimation import estimate_ratios
from deniable.analysis.joint.tables import Cells
from tests.analysis.enumeration import tables
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import first_of

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


def test_shares_within_groups_follow_numeric_differentiation() -> None:
    counts = np.random.default_rng(2).integers(5, 30, size=(2, 3, 2))
    channels = [WARNER, THREE_REPORTS, UNEVEN]
    result = crosstab(counts, channels)
    conditional = result.conditional(2, 0)
    assert conditional.theta.sum(axis=1) == pytest.approx(np.ones((2, 2)))
    assert conditional.divisor[:, 0] == pytest.approx(result.theta.sum(axis=1))
    w = counts.ravel() / counts.sum()
    K = np.kron(np.kron(*(_estimator(c) for c in channels[:2])), _estimator(channels[2]))

    def share(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        theta = (K @ weights).reshape(2, 2, 2)
        return np.ravel(theta / theta.sum(axis=1, keepdims=True))

    jacobian = optimize.approx_fprime(w, share, 1e-7)
    covariance = jacobian @ (np.diag(w) - np.outer(w, w)) @ jacobian.T / (counts.sum() - 1)
    assert conditional.theta.ravel() == pytest.approx(share(w))
    assert conditional.standard_error.ravel() ** 2 == pytest.approx(np.diag(covariance), rel=1e-4)


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


@pytest.mark.parametrize(
    ("channels", "n"),
    first_of(
        [
            ((WARNER, identity(2)), 3),
            ((WARNER, identity(2)), 5),
            ((designs.warner(epsilon=3),) * 2, 5),
        ]
    ),
)
def test_intervals_of_empty_cells_cover(channels: tuple[Channel, Channel], n: int) -> None:
    """Wald's hold an empty cell in 62 of 100 surveys of 100, and its share of a row in 42."""
    truth = np.array([[0.6, 0.1], [0.3, 0]])
    P = channels[0].probabilities.T @ truth @ channels[1].probabilities
    given = truth / truth.sum(axis=1, keepdims=True)
    covered, of_rows = np.zeros((2, 2)), np.zeros((2, 2))
    for chance, counts in tables(n, P):
        result = crosstab(counts, channels)
        ends = result.interval()
        covered += chance * ((ends[..., 0] <= truth + 1e-12) & (truth <= ends[..., 1] + 1e-12))
        ends = result.conditional(0).interval()
        of_rows += chance * ((ends[..., 0] <= given + 1e-12) & (given <= ends[..., 1] + 1e-12))
    assert covered.min() >= 0.94
    assert of_rows.min() >= 0.94


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
    "channels",
    [(WARNER, THREE_REPORTS), (WARNER, WARNER, UNEVEN), (identity(2), WARNER)],
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


def test_one_respondent_has_no_standard_error() -> None:
    result = crosstab([[1, 0], [0, 0]], [WARNER, WARNER])
    assert np.isnan(result.standard_error).all()
    assert np.isnan(result.covariance).all()
    assert np.isnan(result.conditional(0).standard_error).all()
    assert result.maximum_likelihood == pytest.approx(np.array([[1, 0], [0, 0]]), abs=1e-9)


def test_many_cells_have_errors_but_no_covariance() -> None:
    result = crosstab(np.eye(65, dtype=int), [identity(65), identity(65)])
    assert result.standard_error[0, 0] == pytest.approx(math.sqrt(1 / 65 * 64 / 65 / 64))
    with pytest.raises(ValueError, match="at most 4096 cells, found 4225"):
        _ = result.covariance


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


def _estimator(channel: Channel) -> npt.NDArray[np.float64]:
    """Return the weighted pseudo-inverse that an unbiased estimator is."""
    C = channel.probabilities
    W = np.diag(1 / C.sum(axis=0))
    return np.asarray(np.linalg.inv(C @ W @ C.T) @ C @ W)
