"""Covariances, tests and intervals against closed forms and brute force."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize, special, stats

from deniable import designs
from deniable.analysis.numerics.convergence import ConvergenceError, ConvergenceWarning
from deniable.analysis.regression import inference
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.links import LINKS
from deniable.analysis.regression.maximise import Maximum
from deniable.analysis.regression.multinomial import regress_multinomial
from deniable.channel import identity
from tests.analysis.regression.data import (
    Array,
    Integers,
    covariates,
    drawn,
    log_likelihood,
    two_groups,
)

FORCED = designs.forced_response("2/3", "1/2")
THREE = designs.k_ary(3, epsilon=2)
BETA = np.array([-0.5, 0.8, -0.7])


def survey(n: int = 500, link: str = "logit", seed: int = 1) -> tuple[Integers, Array]:
    random = np.random.default_rng(seed)
    X = covariates(random, n)
    return drawn(random, link, X, BETA, [FORCED], np.zeros(n, int)), X


@pytest.fixture(scope="module")
def fit() -> Fit:
    reports, X = survey()
    return regress(reports, X, FORCED, names=["one", "age", "female"])


@pytest.fixture(scope="module")
def multinomial() -> MultinomialFit:
    random = np.random.default_rng(2)
    X = covariates(random, 500)
    beta = np.array([-0.5, 1.0, 0.3, 0.4, -0.6, -1.0])
    reports = drawn(random, "multinomial", X, beta, [THREE], np.zeros(500, int))
    return regress_multinomial(reports, X, THREE, names=["one", "age", "female"])


def complex_scores(fit: Fit, reports: Integers, X: Array) -> Array:
    beta = fit.coefficients
    return np.array(
        [
            [
                log_likelihood(
                    "logit", beta + h, reports[[i]], X[[i]], [FORCED], np.zeros(1, int)
                ).imag
                / 1e-100
                for h in 1e-100j * np.eye(3)
            ]
            for i in range(len(X))
        ]
    )


def test_opg_and_sandwich_are_of_each_score(fit: Fit) -> None:
    reports, X = survey()
    scores = complex_scores(fit, reports, X)
    np.testing.assert_allclose(fit.covariance("opg"), np.linalg.inv(scores.T @ scores), rtol=1e-9)
    A = fit.covariance("observed")
    np.testing.assert_allclose(fit.covariance("sandwich"), A @ scores.T @ scores @ A, rtol=1e-9)


def test_clusters_sum_the_scores_within_them(fit: Fit) -> None:
    reports, X = survey()
    scores, clusters = complex_scores(fit, reports, X), np.arange(500) % 25
    totals = np.array([scores[clusters == g].sum(axis=0) for g in range(25)])
    A = fit.covariance("observed")
    expected = A @ totals.T @ totals @ A * 25 / 24
    names = np.array([f"village {g}" for g in clusters])
    np.testing.assert_allclose(fit.covariance(clusters=names), expected, rtol=1e-9)
    error = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(fit.standard_error(clusters=names), error, rtol=1e-9)
    np.testing.assert_allclose(fit.z(clusters=names), fit.coefficients / error, rtol=1e-9)
    assert (fit.interval(clusters=names)[:, 1] > fit.coefficients).all()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda fit: fit.covariance("robust"), "a covariance of expected, .*found 'robust'"),
        (lambda fit: fit.covariance("opg", clusters=np.arange(500)), "with clusters, found 'opg'"),
        (lambda fit: fit.covariance("sandwich", clusters=np.arange(7)), "expected 500 clusters"),
        (lambda fit: fit.covariance(clusters=np.zeros(500)), "expected at least 2 clusters"),
        (lambda fit: fit.interval(95), "expected a confidence level"),
        (lambda fit: fit.interval(method="exact"), "interval of wald, profile, found 'exact'"),
        (lambda fit: fit.interval(method="profile", kind="opg"), "without kind and clusters"),
        (lambda fit: fit.likelihood_ratio_of("sex"), "covariate of one, age, female, found 'sex'"),
    ],
)
def test_the_unaskable_is_refused(fit: Fit, ask: Callable[[Fit], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ask(fit)


def test_wald_intervals_and_p_values_are_normal(fit: Fit) -> None:
    z = fit.coefficients / fit.standard_error("opg")
    np.testing.assert_allclose(fit.z("opg"), z)
    np.testing.assert_allclose(fit.p_value("opg"), 2 * stats.norm.sf(np.abs(z)))
    half = stats.norm.ppf(0.95) * fit.standard_error("opg")
    expected = np.stack([fit.coefficients - half, fit.coefficients + half], axis=1)
    np.testing.assert_allclose(fit.interval(0.9, kind="opg"), expected)


def test_likelihood_ratios_are_those_of_tables() -> None:
    """The G^2 of homogeneity: randomised or not, the reports are two binomials."""
    table = [[120, 80], [110, 190]]
    test = regress(*two_groups(table), FORCED, names=["one", "group"]).likelihood_ratio_of("group")
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p_value == pytest.approx(expected.pvalue)
    # Without any covariate left the linear predictor is 0.
    fit = regress(np.repeat([0, 1], [60, 40]), np.ones((100, 1)), identity(2))
    alone = 2 * (60 * np.log(0.6) + 40 * np.log(0.4) - 100 * np.log(0.5))
    assert fit.likelihood_ratio_of("intercept").statistic == pytest.approx(alone)


def fisher(answers: float, covariates: int, level: float, together: int = 1) -> float:
    """Return the greatest ratio in an interval of reports worth so many direct answers."""
    left = answers - covariates
    return float(answers * np.log1p(together * stats.f.ppf(level, together, left) / left))


def profile_fall(link: str, reports: Integers, X: Array, j: int, value: float) -> float:
    """Maximise over all but coefficient j by another program; return the log-likelihood."""
    others = [i for i in range(X.shape[1]) if i != j]

    def loss(rest: Array) -> float:
        beta = np.empty(X.shape[1])
        beta[others], beta[j] = rest, value
        arm = np.zeros(len(X), int)
        return -log_likelihood(link, beta, reports, X, [FORCED], arm).real

    found = optimize.minimize(loss, np.zeros(len(others)), method="BFGS")
    return -float(found.fun)


@pytest.mark.parametrize("link", LINKS)
def test_profile_ends_satisfy_the_likelihood_ratio_equation(link: str) -> None:
    reports, X = survey(400, link, seed=3)
    fit = regress(reports, X, FORCED, link=link)
    bound = fisher(400 * (2 / 3) ** 2, 3, 0.9)
    for j, (low, high) in enumerate(fit.interval(0.9, "profile")):
        assert low < fit.coefficients[j] < high
        for end in (low, high):
            fall = 2 * (fit.log_likelihood - profile_fall(link, reports, X, j, end))
            assert fall == pytest.approx(bound, abs=2e-5)


def test_a_profile_is_unbounded_where_likelihood_stays_high() -> None:
    """A share of reports just below what a prevalence of 0 gives is no evidence against it."""
    fit = regress(np.repeat([0, 1], [170, 30]), np.ones((200, 1)), FORCED)
    low, high = fit.interval(method="profile")[0]
    assert low == -np.inf

    def root(share: float) -> float:
        at_boundary = 30 * np.log(1 / 6) + 170 * np.log(5 / 6)
        here = 30 * np.log(share) + 170 * np.log(1 - share)
        return float(2 * (at_boundary - here) - fisher(200 * (2 / 3) ** 2, 1, 0.95))

    end = optimize.brentq(root, 1 / 6 + 1e-6, 0.5)
    assert high == pytest.approx(LINKS["logit"].quantile(np.array((end - 1 / 6) * 1.5)), rel=1e-5)
    # And above the boundary, where there is a maximum but 0 cannot be ruled out.
    inner = regress(np.repeat([0, 1], [160, 40]), np.ones((200, 1)), FORCED)
    assert not inner.at_boundary
    assert inner.interval(method="profile")[0, 0] == -np.inf
    assert np.isfinite(inner.interval(method="profile")[0, 1])
    # Neither group's share is surely above what the design forces: either may be nobody.
    whole = regress(*two_groups([[45, 15], [51, 9]]), FORCED)
    assert whole.interval(method="profile")[1].tolist() == [-np.inf, np.inf]


def test_profile_intervals_of_separated_answers_have_one_end(fit: Fit) -> None:
    dose = np.arange(1.0, 11)
    X = np.column_stack([np.ones(10), dose])
    separated = regress(np.repeat([0, 1], 5), X, identity(2))
    (low_one, high_one), (low, high) = separated.interval(method="profile")
    assert (low_one, high) == (-np.inf, np.inf)
    assert high_one < 0 < low

    # At the end the log-likelihood, whose supremum is 0, is half the bound of two coefficients
    # together below it.
    def loss(intercept: float) -> float:
        eta = intercept + low * dose
        return float(np.log1p(np.exp(eta[:5])).sum() + np.log1p(np.exp(-eta[5:])).sum())

    found = optimize.minimize_scalar(loss)
    assert 2 * found.fun == pytest.approx(fisher(10, 2, 0.95, together=2), abs=1e-4)


@pytest.mark.slow
def test_a_failed_profile_is_the_whole_line(
    fit: Fit, multinomial: MultinomialFit, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, several = fit.interval(method="profile"), multinomial.interval(method="profile")
    profiled = inference.profile_interval

    def failing(maximum: Maximum, index: int, error: float, level: float) -> tuple[float, float]:
        if index == len(maximum.start) - 2:  # the second of three coefficients, of the last answer
            raise ConvergenceError("found a jump of 0.611 in the root of its ratio")
        return profiled(maximum, index, error, level)

    monkeypatch.setattr(inference, "profile_interval", failing)
    with pytest.warns(ConvergenceWarning, match=f"of {fit.names[1]} is the whole line, .*found a"):
        found = fit.interval(method="profile")
    assert found[1].tolist() == [-np.inf, np.inf]
    np.testing.assert_array_equal(found[[0, 2]], whole[[0, 2]])
    with pytest.warns(
        ConvergenceWarning, match=f"of {multinomial.names[1]} of answer 2 is .*found a"
    ):
        found = multinomial.interval(method="profile")
    assert found[1, 1].tolist() == [-np.inf, np.inf]
    assert np.isfinite(np.delete(found.reshape(6, 2), 4, axis=0)).all()
    np.testing.assert_array_equal(found[0], several[0])


def test_a_dividing_plane_leaves_both_ends_open() -> None:
    """All people have their own report on its right side, whatever the coefficient is."""
    die, random = designs.forced_response("3/4", "1/2"), np.random.default_rng(1)
    group, x = random.integers(0, 3, size=60), random.normal(size=60)
    X = np.column_stack([np.ones(60), group == 1, group == 2, x]).astype(float)
    truth = random.random(60) < special.expit(X @ [-0.8, 0.5, 1.0, 0.5])
    reports = (random.random(60) < 1 / 8 + 3 / 4 * truth).astype(np.int64)
    fit = regress(reports, X, die)
    assert not fit.at_boundary
    ends = inference.profile_interval(fit.maximum, 0, fit.standard_error()[0], 0.95)
    assert ends == (-np.inf, np.inf)


def test_a_value_s_test_agrees_with_the_ends(fit: Fit) -> None:
    for index, (low, high) in enumerate(fit.interval(method="profile")):
        for end, outwards in ((low, -1e-3), (high, 1e-3)):
            assert inference.profile_holds(fit.maximum, index, end - outwards, 0.95)
            assert not inference.profile_holds(fit.maximum, index, end + outwards, 0.95)


@pytest.mark.filterwarnings("error")
def test_a_variance_lost_to_rounding_is_untold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reports, X = survey()
    fit = regress(reports, X, FORCED)
    # As the inverse is of information that is singular but for rounding.
    found = fit._covariance(None) - 1e3 * np.outer([0, 0, 1], [0, 0, 1])
    monkeypatch.setattr(Fit, "_covariance", lambda *_: found)
    errors = fit.standard_error()
    assert np.isnan(errors).any()
    for told in (fit.interval(), fit.z(), fit.p_value()):
        assert np.isnan(told[np.isnan(errors)]).all()
    assert np.isnan(fit.predict(X).standard_error).any()


GROUPS = "200121210100210110120001022201002122002112222102210112211120"
REPORTS = "100001100001101010010011010001011100111000101101110011101010"
THOUSANDTHS = """
    484 -187 -898 -450 1333 499 -479 -174 -749 -351 111 1661 -160 1024 1070 316 1337 425 -377 949
    -565 -574 442 -645 183 458 -91 637 446 1876 157 -136 445 338 -1320 827 156 153 -1081 -322 -108
    -122 1487 -1269 47 700 -296 1071 16 499 -31 440 160 964 -1218 -298 768 -571 82 -107
"""


def test_errors_are_there_where_truths_are_nearly_certain() -> None:
    """Of one survey in some 5,000 the maximum is so far out that no truth is expected to vary."""
    group = np.array([*map(int, GROUPS)])
    number = np.array([*map(int, THOUSANDTHS.split())]) / 1000
    X = np.column_stack([np.ones(60), group == 1, group == 2, number])
    fit = regress([*map(int, REPORTS)], X, designs.forced_response("3/4", "1/2"))
    assert np.linalg.cond(fit.maximum.at.expected) > 1e15
    assert fit.standard_error() == pytest.approx(fit.standard_error("observed"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_of_a_rare_trait_the_likelihood_s_interval_holds_more_often() -> None:
    """By 1,500 surveys of 200 people, of whom 7 in 100 say yes: the page says 93 and 96 in 100.

    Each is further from that in less than 1 of a million runs.
    """
    channel, random, held = designs.warner(epsilon=2), np.random.default_rng(8), []
    for _ in range(1500):
        X = np.column_stack([np.ones(200), random.normal(size=200)])
        true = random.random(200) < special.expit(X @ [-3, 1])
        sent = random.random(200) < channel.probabilities[true.astype(np.intp), 1]
        try:
            fit = regress(sent.astype(np.int64), X, channel)
        except ConvergenceError:
            continue
        low, high = fit.interval(method="wald")[0]
        if np.isfinite([low, high]).all():
            likely = inference.profile_holds(fit.maximum, 0, -3, 0.95)
            held.append((low <= -3 <= high, likely))
    wald, profile = np.mean(held, axis=0)
    assert len(held) > 1350
    assert wald == pytest.approx(0.93, abs=0.032)
    assert profile == pytest.approx(0.96, abs=0.026)
    assert wald < profile
