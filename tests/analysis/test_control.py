"""Those who do not follow the design: control questions, corrections and sensitivity."""

import csv
import io
import json
import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize

from deniable import Channel, Survey, designs, open_study
from deniable.analysis import (
    always,
    compliance,
    contaminated,
    corrected,
    count_reports,
    estimate,
    sensitivity,
    summarise,
)
from deniable.analysis.counts.pooling import match
from deniable.results.files import FORMATS
from deniable.results.rows import FOLLOWED, lay_out
from deniable.survey_file import SurveyFileError, read
from tests.kit.surveys import file_of

WARNER = designs.warner(flip="1/4")
FORCED = designs.forced_response("2/3", "1/2")
K_ARY = designs.k_ary(4, 1)


def test_contaminated_channels_are_mixtures() -> None:
    found = contaminated(K_ARY, "1/5", ["1/2", "1/2", "0", "0"]).probabilities
    expected = 0.8 * K_ARY.probabilities + 0.2 * np.array([0.5, 0.5, 0, 0])
    assert found == pytest.approx(expected, abs=2**-31)
    assert contaminated(FORCED, 0) == FORCED


@pytest.mark.parametrize("yes", [300, 130, 25, 500])
@pytest.mark.parametrize("p", [0.75, 0.1, 0.15])
def test_followers_are_atsusaka_and_stevenson_s(yes: int, p: float) -> None:
    # Section 3: with p the chance of the truthful statement and a control item of prevalence 0,
    # gamma = (lambda' - 1/2) / (1/2 - p').
    n = 1000
    gamma = (yes / n - 0.5) / (0.5 - p)
    crosswise = designs.custom([[f"{p}", f"{1 - p:.2f}"], [f"{1 - p:.2f}", f"{p}"]])
    found = compliance([n - yes, yes], crosswise, [1, 0])
    assert found.theta[1] == pytest.approx(1 - gamma, abs=1e-8)
    # Theirs is the sample variance, which may be less than the noise alone has.
    variance = max(yes / n * (1 - yes / n) / (n - 1), p * (1 - p) / n)
    error = math.sqrt(variance) / abs(0.5 - p)
    assert found.standard_error == pytest.approx(error, rel=1e-6)


def _joint(
    theta: float, share: float, channel: Channel, control: Channel
) -> npt.NDArray[np.float64]:
    """Distribution of pairs of reports, if a share answers both at random."""
    sensitive = np.array([1 - theta, theta]) @ channel.probabilities
    following = np.outer(sensitive, control.probabilities[0])
    return (1 - share) * following + share / following.size


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
def test_the_correction_is_that_of_atsusaka_and_stevenson(share: float) -> None:
    p, theta = 0.75, 0.1
    table = np.round(10**6 * _joint(theta, share, WARNER, WARNER)).astype(np.int64)
    found = corrected(table, WARNER, WARNER, [1, 0])
    # Equations 2 and 3: the naive estimate less its bias.
    yes, control_yes = table[1].sum() / table.sum(), table[:, 1].sum() / table.sum()
    gamma = (control_yes - 0.5) / (0.5 - p)
    naive = (yes + p - 1) / (2 * p - 1)
    bias = (0.5 - 0.5 / gamma) * (yes - 0.5) / (p - 0.5)
    assert found.naive[1] == pytest.approx(naive, abs=1e-8)
    assert found.theta[1] == pytest.approx(naive - bias, abs=1e-8)
    assert found.theta == pytest.approx([1 - theta, theta], abs=1e-5)
    assert found.control.theta[1] == pytest.approx(share, abs=1e-5)


def test_several_answers_and_behaviours_are_corrected() -> None:
    theta, prevalence = np.array([0.6, 0.2, 0.15, 0.05]), np.array([0.3, 0.7])
    careless, control_careless = np.array([0.4, 0.3, 0.2, 0.1]), np.array([1.0, 0.0])
    joint = 0.85 * np.outer(theta @ K_ARY.probabilities, prevalence @ FORCED.probabilities)
    joint += 0.15 * np.outer(careless, control_careless)
    found = corrected(
        np.round(10**12 * joint).astype(np.int64),
        K_ARY,
        FORCED,
        ["0.3", "0.7"],
        behaviour=["0.4", "0.3", "0.2", "0.1"],
        control_behaviour=always(FORCED, 0),
    )
    assert found.theta == pytest.approx(theta, abs=1e-8)
    assert found.control.theta[1] == pytest.approx(0.15, abs=1e-8)


def test_its_error_is_a_multinomial_s() -> None:
    table = np.array([[330, 190], [310, 170]])
    n = table.sum()
    found = corrected(table, WARNER, FORCED, [1, 0])

    def theta(share: npt.NDArray[np.float64]) -> float:
        cells = share.reshape(2, 2)
        follow = (0.5 - cells[:, 1].sum() / share.sum()) / (0.5 - FORCED.probabilities[0, 1])
        naive = (cells[1].sum() / share.sum() - 0.25) / 0.5
        return float(0.5 + (naive - 0.5) / follow)

    shares = table.ravel() / n
    gradient = optimize.approx_fprime(shares, theta, 1e-7)
    covariance = (np.diag(shares) - np.outer(shares, shares)) / (n - 1)
    assert found.theta[1] == pytest.approx(theta(shares), abs=1e-8)
    assert found.standard_error[1] == pytest.approx(
        math.sqrt(gradient @ covariance @ gradient), rel=1e-5
    )
    low, high = found.interval(0.95, "wald")[1]
    assert (high + low) / 2 == pytest.approx(found.theta[1])
    assert (high - low) / 2 == pytest.approx(1.959964 * found.standard_error[1], rel=1e-6)


def test_fieller_s_ends_are_where_tests_reject() -> None:
    table = np.array([[330, 190], [310, 170]])
    n = table.sum()
    found = corrected(table, WARNER, FORCED, [1, 0])

    def z(theta: float) -> float:
        # If theta is the share, g - 1/2 - (theta - 1/2) h has mean 0.
        g = (np.array([0, 1]) - 0.25) / 0.5
        h = (0.5 - np.array([0, 1])) / (0.5 - FORCED.probabilities[0, 1])
        value = np.subtract.outer(g - 0.5, (theta - 0.5) * h)
        mean = (value * table).sum() / n
        # The variance is the sample's own, about its own mean.
        variance = ((value - mean) ** 2 * table).sum() / (n - 1) / n
        return float(abs(mean) / math.sqrt(variance))

    low, high = found.interval(0.95, "fieller")[1]
    assert z(low) == pytest.approx(1.959964, rel=1e-6)
    assert z(high) == pytest.approx(1.959964, rel=1e-6)
    assert z(found.theta[1]) == pytest.approx(0, abs=1e-6)


def test_corrected_shares_need_somebody_who_follows() -> None:
    """Over all tables of 40 people whose control item nearly says that nobody follows."""
    seen = set()
    for control_yes in range(8, 26):
        for both in (2, 5):
            table = [[40 - control_yes - 6, control_yes - both], [6, both]]
            gamma, error = (
                (0.5 - control_yes / 40) / 0.25,
                4 * math.sqrt(control_yes / 40 * (1 - control_yes / 40) / 39),
            )
            found = corrected(table, WARNER, WARNER, [1, 0])
            known = gamma - 1.959964 * error > 0
            assert (found.reason is None) == known
            assert np.isfinite(found.theta).all() == known
            ends = found.interval()
            assert ((ends >= 0) & (ends <= 1)).all()
            inside = [-1e-9 <= one <= 1 + 1e-9 or not known for one in found.theta]
            assert found.outside.tolist() == [not one for one in inside]
            assert known or ends.tolist() == [[0, 1]] * 2
            assert known or "does not tell whether anybody follows" in str(found.reason)
            assert not known or found.theta.sum() == pytest.approx(1)
            seen.add(known)
    assert seen == {True, False}


def test_one_respondent_has_no_error() -> None:
    found = corrected([[1, 0], [0, 0]], WARNER, WARNER, [1, 0])
    assert np.isnan(found.standard_error).all()
    assert found.reason == "one respondent does not tell how sure the control item is"


def test_the_sensitivity_curve_is_the_corrected_estimate() -> None:
    curve = sensitivity([660, 340], WARNER, ["0", "0.1", Fraction(1, 5)])
    naive = (0.34 - 0.25) / 0.5
    for share, theta, one in zip(curve.shares, curve.theta, curve.estimates, strict=True):
        assert theta[1] == pytest.approx(0.5 + (naive - 0.5) / (1 - share), abs=1e-8)
        error = math.sqrt(0.34 * 0.66 / 999) / 0.5 / (1 - share)
        assert one.standard_error[1] == pytest.approx(error, rel=1e-6)
    assert curve.theta[0] == pytest.approx(estimate([660, 340], WARNER).theta)


def test_self_protective_noes_hide_what_the_curve_shows() -> None:
    # Of 1,000, 150 say no whatever the die says; of the others 30 % have done it.
    yes = 0.85 * (0.3 * FORCED.probabilities[1, 1] + 0.7 * FORCED.probabilities[0, 1])
    counts = [10**9 - round(10**9 * yes), round(10**9 * yes)]
    curve = sensitivity(counts, FORCED, ["0", "0.15"], behaviour=always(FORCED, 0))
    assert curve.theta[1, 1] == pytest.approx(0.3, abs=1e-8)
    assert curve.theta[0, 1] < 0.3
    # If nobody of the 150 has done it, it is 255 of 1,000; if all of them have, 405.
    assert curve.bounds[1, 1] == pytest.approx([0.255, 0.405], abs=1e-8)
    assert curve.bounds[0, 1] == pytest.approx([curve.theta[0, 1]] * 2)


TEXT = file_of(
    'id: error, text: "An error?", type: single, answers: [No, Yes], flip: 1/5',
    'id: born, text: "Born in January?", type: single, answers: [No, Yes], flip: 1/4, known: 1/12',
    slug="ward",
)
BORN = "answers: [No, Yes], flip: 1/4, known: 1/12"


def survey(of_control: str = BORN) -> Survey:
    return read(TEXT.replace(BORN, of_control)).survey


@pytest.mark.parametrize(
    ("written", "known"),
    [
        (BORN, (916_667, 83_333)),
        ("answers: [No, Yes], flip: 1/4, known: 0", (1_000_000, 0)),
        ("answers: {a: A, b: B}, flip: 1/4, known: {b: 0.2}", (800_000, 200_000)),
        ("answers: [A, B, C], epsilon: 1, known: {a: 1/3, b: 1/2}", (333_333, 500_000, 166_667)),
        (
            "answers: [A, B, C], epsilon: 1, known: {a: 1/6, b: 1/6, c: 2/3}",
            (166_667, 166_667, 666_666),
        ),
    ],
)
def test_shares_are_read_but_for_the_last(written: str, known: tuple[int, ...]) -> None:
    found = survey(written)
    assert found.question("born").known == known
    assert found.question("error").known == ()
    assert Survey.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("written", "key", "said"),
    [
        ("answers: [No, Yes], flip: 1/4, known: 1.2", "known", "a share from 0 to 1"),
        ("answers: [No, Yes], flip: 1/4, known: {maybe: 0.1}", "known", "that of 'maybe'"),
        ("answers: [A, B], flip: 1/4, known: 0.1", "known", "a number alone"),
        ("answers: [A, B, C], epsilon: 1, known: {a: 0.1}", "known", "all but one"),
        ("answers: [No, Yes], flip: 1/4, known: {no: 0.5, yes: 0.6}", "known", "sum to 1.1"),
        ("answers: [No, Yes], flip: 1/4, known: 1/2", "known", "far from equal"),
        ("answers: [No, Yes], protection: direct, known: 0.1", "known", "direct"),
        ("answers: [No, Yes], prefer_not_to_say: true, epsilon: 1, known: 0", "prefer", "decline"),
        ("answers: [No, Yes], ask_if: {error: yes}, epsilon: 1, known: 0", "ask_if", "to whom"),
    ],
)
def test_mistakes_are_named_where_they_stand(written: str, key: str, said: str) -> None:
    with pytest.raises(SurveyFileError) as error:
        survey(written)
    (mistake,) = error.value.mistakes
    assert said in mistake.message
    line = TEXT.replace(BORN, written).splitlines()[5]
    assert mistake.line == 6
    assert line[mistake.column - 1 :].startswith(key) or key in line[: mistake.column]


def test_only_a_single_question_can_be_a_control() -> None:
    text = TEXT.replace("type: single, " + BORN, "type: number, min: 0, max: 3, known: 0.1")
    with pytest.raises(SurveyFileError, match="known"):
        read(text)


@pytest.mark.parametrize("known", [[1], [500_000] * 2, [0, 0], [1.0, 999_999], [-1, 1_000_001]])
def test_a_document_with_other_shares_is_refused(known: list[float]) -> None:
    document = json.loads(json.dumps(survey().document))
    document["questions"][1]["known"] = known
    with pytest.raises(ValueError, match="known share"):
        Survey.from_document(document)


def test_it_changes_nothing_asked_and_splits_no_data() -> None:
    plain, controlled = survey("answers: [No, Yes], flip: 1/4"), survey()
    assert plain.items == controlled.items
    assert plain.epsilon == controlled.epsilon
    assert match(controlled, plain).left_out == ()
    assert match(controlled, plain).is_pooled


@pytest.mark.parametrize("yes", [300, 280, 450])
def test_the_share_that_followed_is_of_two_kinds(yes: int) -> None:
    # Those who follow say yes with 1/12 · 3/4 + 11/12 · 1/4, the others with 1/2.
    n = 1000
    rows = bytes(b for k in range(n) for b in (k % 2, k < yes))
    (found,) = summarise(survey(), count_reports([rows], survey())).followed
    following = 83_333e-6 * 0.75 + 916_667e-6 * 0.25
    assert found.estimate == pytest.approx((yes / n - 0.5) / (following - 0.5), abs=1e-6)
    noisy = yes / n * (1 - yes / n) / (n - 1)
    least = following * (1 - following) / n
    assert found.standard_error == pytest.approx(
        math.sqrt(max(noisy, min(noisy, least))) / (0.5 - following), rel=0.05
    )
    assert None not in (found.low, found.estimate, found.high)
    assert found.low < found.estimate <= found.high  # type: ignore[operator]
    assert found.outside == (yes == 280)


def test_an_export_has_one_row_of_it() -> None:
    answers = np.array([[k % 2, k % 10 < 3] for k in range(200)], dtype=np.uint8)
    study = open_study(survey(), answers)
    results = summarise(study.survey, count_reports([answers.tobytes()], study.survey))
    written = FORMATS["csv"].write(lay_out(results))
    assert isinstance(written, str)
    rows = [*csv.DictReader(io.StringIO(written))]
    (row,) = [row for row in rows if row["statistic"] == FOLLOWED]
    assert (row["item"], row["answer"], row["n"]) == ("born", "", "200")
    assert float(row["estimate"]) == pytest.approx(results.followed[0].estimate)
    (line,) = [one for one in repr(study.shares()).splitlines() if "followed the inst" in one]
    assert "Born in January?" in line
    assert "8.3 %" in line


def test_without_reports_nothing_is_said() -> None:
    (found,) = summarise(survey(), count_reports([], survey())).followed
    assert (found.n, found.estimate, found.low) == (0, None, None)
