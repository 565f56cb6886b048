import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize, special, stats

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression import latent_class
from deniable.analysis.regression.predictors import PredictorFit, regress_on_randomised
from deniable.channel import Channel, identity
from tests.analysis.channels import sent
from tests.analysis.surveys import GAP
from tests.kit import first_of

WARNER = designs.warner(flip="1/5")
K_ARY = designs.k_ary(3, 2)


def _sample(
    channel: Channel, n: int, outcome: str, seed: int
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Draw outcomes, reports and covariates; the truth depends on the covariate."""
    random = np.random.default_rng(seed)
    z = random.normal(size=n)
    scores = 0.5 * np.outer(z, np.arange(channel.truths)) + random.gumbel(size=(n, channel.truths))
    truth = scores.argmax(axis=1)
    eta = -0.5 + 1.2 * truth + 0.4 * z
    if outcome == "linear":
        y = eta + 0.8 * random.normal(size=n)
    else:
        y = (random.random(n) < 1 / (1 + np.exp(-eta))).astype(float)
    return y, sent(channel, truth, random), np.column_stack([np.ones(n), z])


def _brute_force(
    y: FloatArray, tables: list[FloatArray], Z: FloatArray, W: FloatArray
) -> tuple[FloatArray, float]:
    """Maximise the likelihood, written down class by class, with a general optimiser.

    `tables` holds P(report that came | truth), shape (n, truths), of each predictor.
    """
    classes = list(itertools.product(*(range(table.shape[1]) for table in tables)))
    effects = sum(table.shape[1] - 1 for table in tables)

    def loss(parameters: FloatArray) -> float:
        beta = parameters[: Z.shape[1]]
        rest = parameters[Z.shape[1] :]
        delta, rest = rest[:effects], rest[effects:]
        sigma = math.exp(rest[0])
        gamma = rest[1:].reshape(len(classes) - 1, -1)
        weights = [np.ones(len(y))] + [np.exp(W @ row) for row in gamma]
        total = np.zeros(len(y))
        for weight, truths in zip(weights, classes, strict=True):
            eta, place, chance = Z @ beta, 0, weight / sum(weights)
            for truth, table in zip(truths, tables, strict=True):
                if truth:
                    eta = eta + delta[place + truth - 1]
                place += table.shape[1] - 1
                chance = chance * table[:, truth]
            total += chance * stats.norm.pdf(y, eta, sigma)
        return float(-np.log(total).sum())

    size = Z.shape[1] + effects + 1 + (len(classes) - 1) * W.shape[1]
    best = min(
        (
            optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-6})
            for start in (np.full(size, 0.1), np.full(size, 0.6))
        ),
        key=lambda found: float(found.fun),
    )
    return best.x, -float(best.fun)


def _residual_variance(fit: PredictorFit) -> float:
    return (fit._at.sigma * fit._unit) ** 2


def _of_truths(fit: PredictorFit) -> FloatArray:
    """Return the multinomial logit coefficients of the truths."""
    return fit._parameters[fit._at.likelihood.class_start :]


def _compare(fit: PredictorFit, parameters: FloatArray, log_likelihood: float) -> None:
    p = len(fit.names)
    assert fit.log_likelihood == pytest.approx(log_likelihood, abs=1e-5)
    assert fit.coefficients == pytest.approx(parameters[:p], abs=2e-3)
    assert math.log(_residual_variance(fit)) / 2 == pytest.approx(parameters[p], abs=1e-3)
    assert _of_truths(fit) == pytest.approx(parameters[p + 1 :], abs=5e-3)
    assert fit.df == len(parameters)


def test_it_has_the_digits_of_rrreg() -> None:
    """RRreg 0.7.5: ``RRlin(y ~ r + z, models = "Warner", p.list = list(.8), fit.n = 3)``.

    It stops a little below the maximum.
    """
    y, reports, Z = _sample(WARNER, 400, "linear", seed=5)
    fit = regress_on_randomised(y, reports, WARNER, Z, prevalence=np.ones((400, 1)))
    assert fit.log_likelihood == pytest.approx(-799.985088772, abs=1e-7)
    assert fit.log_likelihood > -799.985088772
    assert fit.coefficients == pytest.approx([-0.422837075, 0.411775830, 1.177699666], abs=3e-5)
    assert _residual_variance(fit) == pytest.approx(0.782601816**2, abs=3e-5)


def test_respondents_may_not_be_asked() -> None:
    y, _, Z = _sample(WARNER, 600, "linear", seed=7)
    random = np.random.default_rng(8)
    truth = (y > 0.3).astype(np.int64)
    reports = sent(WARNER, truth, random)
    asked = random.random(600) < 0.8
    y = y + random.normal(size=600)
    table = np.ones((600, 2))
    table[asked] = WARNER.probabilities[:, reports[asked]].T
    fit = regress_on_randomised(y, np.where(asked, reports, 255), WARNER, Z)
    _compare(fit, *_brute_force(y, [table], Z, Z))


def test_several_randomised_predictors_are_taken_together() -> None:
    random = np.random.default_rng(9)
    n = 800
    first = random.integers(0, 2, n)
    second = np.where(random.random(n) < 0.6, first, random.integers(0, 3, n))
    y = first - 0.8 * (second == 1) + 1.5 * (second == 2) + 0.7 * random.normal(size=n)
    reports = np.column_stack([sent(WARNER, first, random), sent(K_ARY, second, random)])
    fit = regress_on_randomised(y, reports, [WARNER, K_ARY])
    tables = [
        WARNER.probabilities[:, reports[:, 0]].T,
        K_ARY.probabilities[:, reports[:, 1]].T,
    ]
    ones = np.ones((n, 1))
    _compare(fit, *_brute_force(y, tables, ones, ones))
    assert fit.names == ("intercept", "item 0 truth 1", "item 1 truth 1", "item 1 truth 2")
    assert np.abs(fit.coefficients - [0, 1, -0.8, 1.5]).max() < 5 * fit.standard_error().max()


@pytest.mark.parametrize("linear", [True, False])
def test_score_and_information_are_the_derivatives(linear: bool) -> None:
    y, reports, Z = _sample(K_ARY, 60, "linear" if linear else "logistic", seed=12)
    D = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    likelihood = latent_class.LatentClassLikelihood(
        y, Z, Z[:, ::-1] + 0.3, D, K_ARY.probabilities[:, reports].T, linear
    )
    point = np.random.default_rng(13).normal(size=likelihood.size) / 3
    at = likelihood.at(point)
    steps = 1e-5 * np.eye(likelihood.size)
    numeric = [
        (likelihood.at(point + h).log_likelihood - likelihood.at(point - h).log_likelihood) / 2e-5
        for h in steps
    ]
    assert at.score == pytest.approx(np.array(numeric), abs=1e-6)
    curved = np.array(
        [(likelihood.at(point - h).score - likelihood.at(point + h).score) / 2e-5 for h in steps]
    )
    assert at.observed == pytest.approx(curved, abs=1e-6)
    assert np.linalg.eigvalsh(at.scoring).min() > 0
    assert at.outer == pytest.approx(at.scores.T @ at.scores)


def test_errors_intervals_and_tests_follow_the_covariance() -> None:
    y, reports, Z = _sample(WARNER, 500, "linear", seed=14)
    fit = regress_on_randomised(y, reports, WARNER, Z)
    for kind in ("observed", "opg", "sandwich"):
        error = np.sqrt(np.diag(fit.covariance(kind)))
        assert fit.standard_error(kind) == pytest.approx(error)
        assert fit.interval(0.9, "wald", kind=kind)[:, 1] - fit.coefficients == pytest.approx(
            1.644854 * error
        )
        assert fit.z(kind) == pytest.approx(fit.coefficients / error)
    # Where the model holds, all three estimate the same.
    assert fit.standard_error("opg") == pytest.approx(fit.standard_error(), rel=0.2)
    assert fit.standard_error("sandwich") == pytest.approx(fit.standard_error(), rel=0.2)
    assert fit.aic == pytest.approx(2 * 6 - 2 * fit.log_likelihood)
    assert fit.bic == pytest.approx(6 * math.log(500) - 2 * fit.log_likelihood)


def test_errors_are_the_curvature_in_users_units() -> None:
    y, reports, Z = _sample(WARNER, 500, "linear", seed=15)
    fit = regress_on_randomised(y, reports, WARNER, Z)
    parameters = [*fit.coefficients, math.log(_residual_variance(fit)) / 2]
    likelihood = latent_class.LatentClassLikelihood(
        y, Z, Z, np.array([[0.0], [1.0]]), WARNER.probabilities[:, reports].T, linear=True
    )
    at = likelihood.at(np.array([*parameters, *_of_truths(fit)]))
    assert at.log_likelihood == pytest.approx(fit.log_likelihood)
    V = np.linalg.inv(at.observed)
    assert fit.covariance() == pytest.approx(V[:3, :3], rel=1e-5)
    opg, outer = fit.covariance("opg"), np.linalg.inv(at.outer)
    assert opg == pytest.approx(outer[:3, :3], rel=1e-5)
    assert fit.covariance("sandwich") == pytest.approx((V @ at.outer @ V)[:3, :3], rel=1e-5)
    # The certificate, by the score in these units.
    assert at.score @ V @ at.score < 1e-9


@pytest.mark.slow
def test_the_highest_of_listed_maxima_is_taken() -> None:
    y, reports, Z = _sample(designs.warner(flip="9/20"), 200, "linear", seed=3)
    fit = regress_on_randomised(y, reports, designs.warner(flip="9/20"), Z)
    assert len(fit.maxima) >= 4
    assert list(fit.maxima) == sorted(fit.maxima, reverse=True)
    assert fit.maxima[-1] < fit.log_likelihood - 0.01
    assert "starting values led to this maximum, the others" in fit.message
    table = designs.warner(flip="9/20").probabilities[:, reports].T
    _, brute = _brute_force(y, [table], Z, Z)
    assert fit.log_likelihood >= brute - 1e-6


HALVES = np.repeat([0, 1], 50)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("y", "reports", "channel", "outcome", "said"),
    [
        # At least .2 of them say yes by the design; here .05 do.
        (np.arange(300) % 2, np.arange(300) % 20 == 0, WARNER, "logistic", "class 1 goes to 0"),
        (HALVES, HALVES, identity(2), "logistic", "separated"),
        (3.0 * HALVES, HALVES, identity(2), "linear", "without any residual"),
    ],
)
def test_a_likelihood_without_maximum_says_why(
    y: FloatArray, reports: IntArray, channel: Channel, outcome: str, said: str
) -> None:
    with pytest.raises(ConvergenceError, match=said):
        regress_on_randomised(y.astype(float), reports.astype(int), channel, outcome=outcome)


def test_steps_that_end_too_early_are_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    y, reports, Z = _sample(WARNER, 100, "linear", seed=22)
    monkeypatch.setattr(latent_class, "_STEPS", 0)
    with pytest.raises(ConvergenceError, match="expected a maximum with a Newton decrement"):
        regress_on_randomised(y, reports, WARNER, Z)


def test_names_are_given_or_say_what_they_are() -> None:
    y, reports, Z = _sample(WARNER, 100, "linear", seed=20)
    fit = regress_on_randomised(y, reports, WARNER, Z, names=["constant", "age", "doped"])
    assert fit.names == ("constant", "age", "doped")
    assert regress_on_randomised(y, reports, WARNER, Z).names == ("intercept", "x1", "truth 1")
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: regress_on_randomised(y, reports, WARNER, Z, names=["a", "b"]), "3 names that"),
        (lambda: regress_on_randomised(y, reports, WARNER, Z, names=[*"abb"]), "names that differ"),
        (lambda: fit.covariance("expected"), "expected a covariance of observed, opg, sandwich"),
        (lambda: fit.interval(95), "confidence level"),
        (lambda: fit.interval(method="tail"), "interval of profile, wald, found 'tail'"),
    ]
    for ask, said in refused:
        with pytest.raises(ValueError, match=said):
            ask()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"outcome": "poisson"}, "expected an outcome of linear, logistic"),
        ({"y": [[1.0]]}, "expected outcomes of shape"),
        ({"y": [1.0, math.nan, 2, 3]}, "expected finite outcomes, found nan in row 1"),
        ({"y": [1.0, 0, 2, 1], "outcome": "logistic"}, "outcomes of 0 or 1, found 2.0 in row 2"),
        ({"y": [1.0] * 4}, "expected an outcome that varies"),
        ({"reports": [0, 1]}, "a row for each outcome"),
        ({"reports": [0, 1, 2, 0]}, "expected a report from 0 to 1, found 2 in row 2"),
        ({"reports": [[0, 1]] * 4}, "expected 2 channels, one for each randomised predictor"),
        ({"channel": [WARNER, WARNER]}, "expected 1 channels, one for each"),
        ({"reports": [[0, 255], [255, 1]] * 2, "channel": [WARNER] * 2}, "nobody was asked both"),
        ({"channel": designs.custom([["1/2", "1/2"]] * 2)}, "not identifiable"),
        ({"channel": GAP, "reports": [0, 2, 1, 0]}, "no truth can send, found it in row 2"),
        ({"Z": [[1.0, 2.0]] * 4}, "linearly independent"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[:40],
)
def test_data_that_are_none_are_refused(changed: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"y": [0.1, 0.4, 1.2, 0.9], "reports": [0, 1, 1, 0]}
    given = {**given, "channel": WARNER, **changed}
    with pytest.raises(ValueError, match=message):
        regress_on_randomised(**given)  # type: ignore[arg-type]


def test_without_noise_the_profile_is_student_s() -> None:
    random = np.random.default_rng(4)
    truth = random.integers(0, 2, 60)
    y = 2 + 1.3 * truth + random.normal(size=60)
    X = np.column_stack([np.ones(60), truth])
    ordinary, (left,) = np.linalg.lstsq(X, y)[:2]
    error = np.sqrt(np.diag(np.linalg.inv(X.T @ X)) * left / 58)
    fit = regress_on_randomised(y, truth, identity(2))
    t = stats.t.ppf(0.975, 58)
    expected = np.column_stack([ordinary - t * error, ordinary + t * error])
    assert fit.interval() == pytest.approx(expected, abs=1e-4)
    assert fit.p_value() == pytest.approx(2 * stats.t.sf(np.abs(ordinary / error), 58), rel=1e-5)
    against = [math.nan, expected[1, 0]]
    assert fit.p_value(against=against)[1] == pytest.approx(0.05, rel=1e-6)
    assert math.isnan(fit.p_value(against=against)[0])


@pytest.mark.slow
def test_a_profile_s_end_is_another_maximiser_s() -> None:
    y, reports, _ = _sample(WARNER, 120, "linear", seed=31)
    fit = regress_on_randomised(y, reports, WARNER)
    C = WARNER.probabilities[:, reports]

    def lost(effect: float) -> float:
        def minus(at: FloatArray) -> float:
            share, scale = special.expit(at[1]), math.exp(at[2])
            densities = [stats.norm.pdf(y, at[0] + shift, scale) for shift in (0, effect)]
            mixed = (1 - share) * C[0] * densities[0] + share * C[1] * densities[1]
            return -float(np.log(mixed).sum())

        starts = [(y.mean(), at, math.log(y.std())) for at in (-2, 0)]
        found = [optimize.minimize(minus, at, method="Nelder-Mead", tol=1e-8) for at in starts]
        return fit.log_likelihood + min(float(one.fun) for one in found)

    allowed = 60 * math.log1p(stats.t.ppf(0.975, 118) ** 2 / 118)
    for end in fit.interval()[1]:
        assert abs(end) < fit.reach
        assert lost(end) == pytest.approx(allowed, abs=1e-3)


def test_if_none_may_have_it_the_range_remains() -> None:
    random = np.random.default_rng(2)
    y, reports = random.normal(size=40), np.repeat([0, 1], [30, 10])
    fit = regress_on_randomised(y, reports, WARNER)
    assert fit.reach == pytest.approx(np.ptp(y))
    assert fit.interval()[1] == pytest.approx([-np.ptp(y), np.ptp(y)])
    assert np.isfinite(fit.interval()).all()


@pytest.mark.slow
def test_a_model_without_an_intercept_is_said() -> None:
    y, reports, Z = _sample(WARNER, 400, "linear", seed=6)
    x = Z[:, 1:]
    with pytest.warns(UserWarning, match="columns of Z is constant.*no intercept: add a column of"):
        regress_on_randomised(y, reports, WARNER, x)
    with pytest.warns(UserWarning, match="columns of prevalence is constant"):
        regress_on_randomised(y, reports, WARNER, Z, prevalence=x)
    # A column for each group has one: they sum to 1.
    group = np.arange(400) % 3
    fit = regress_on_randomised(y, reports, WARNER, np.eye(3)[group])
    ones = regress_on_randomised(
        y, reports, WARNER, np.column_stack([np.ones(400), np.eye(3)[group, 1:]])
    )
    assert fit.log_likelihood == pytest.approx(ones.log_likelihood, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_of(range(3)))
def test_a_p_value_needs_no_earlier_question(seed: int) -> None:
    y, reports, Z = _sample(WARNER, 40, "linear", seed)
    first, second = (regress_on_randomised(y, reports, WARNER, Z) for _ in range(2))
    ends = first.interval()
    assert second.p_value().tolist() == first.p_value().tolist()
    assert second.interval().tolist() == ends.tolist()
