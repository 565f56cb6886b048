"""Regression with a nuisance: closed forms, printed digits, and a likelihood written down again."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import optimize, stats

from deniable import Channel, designs, identity
from deniable.analysis import LINKS
from deniable.analysis.regression.maximise import maximise
from deniable.analysis.regression.searching import starting_values
from deniable.reanalysis.arms import estimate_arms
from deniable.reanalysis.designs import (
    Arms,
    Share,
    Split,
    beside_direct_question,
    cheating_detection,
    stochastic_lie_detector,
    symmetric_cheating_detection,
    unrelated_question,
)
from deniable.reanalysis.regression import regress_arms, regress_arms_formula
from tests.analysis.regression.data import Array, Integers, covariates, maximised
from tests.analysis.regression.data import drawn as reports_in_arms
from tests.kit import first_of

FORCED = designs.forced_response("2/3", "1/2")
DESIGNS = {
    "SLD": stochastic_lie_detector(truth=["1/6", "5/6"]),
    "CDM": cheating_detection(yes=["1/4", "3/4"]),
    "CDMsym": symmetric_cheating_detection(yes=["1/10", "3/5"], no=["1/5", "1/10"]),
    "unrelated": unrelated_question(sensitive=["7/10", "1/5"]),
    "direct": beside_direct_question(designs.warner(flip="1/4")),
}
COUNTS = {
    "SLD": [[300, 700], [500, 500]],
    "CDM": [[700, 300], [400, 600]],
    "CDMsym": [[700, 300], [450, 550]],
    "unrelated": [[700, 300], [560, 440]],
    "direct": [[600, 400], [820, 180]],
}
# P(yes) as the papers write it, of the trait F and the nuisance G, in each arm.
YES: dict[str, list[Callable[..., npt.NDArray[np.complex128]]]] = {
    "SLD": [lambda F, G, p=p: F * G + (1 - F) * (1 - p) for p in (1 / 6, 5 / 6)],
    "CDM": [lambda F, G, p=p: (1 - G) * (F + (1 - F) * p) for p in (1 / 4, 3 / 4)],
    "CDMsym": [
        lambda F, G, p=p, r=r: (1 - G) * (F * (1 - r) + (1 - F) * p)
        for p, r in ((0.1, 0.2), (0.6, 0.1))
    ],
    "unrelated": [lambda F, G, p=p: p * F + (1 - p) * G for p in (0.7, 0.2)],
    "direct": [lambda F, G: 0.25 + 0.5 * F, lambda F, G: F * (1 - G)],
}


def rows(counts: list[list[int]]) -> tuple[Integers, Integers]:
    reports = np.concatenate([np.repeat([0, 1], arm) for arm in counts])
    return reports, np.repeat(np.arange(len(counts)), [sum(arm) for arm in counts])


def inverse_logit(eta: npt.NDArray[np.complex128]) -> npt.NDArray[np.complex128]:
    return np.asarray(1 / (1 + np.exp(-eta)))


def yes(name: str, beta: Array, X: Array, W: Array, arm: Integers) -> npt.NDArray[np.complex128]:
    """P(yes) of every respondent; analytic in `beta`, trait before nuisance."""
    F = inverse_logit(X @ beta[: X.shape[1]].astype(complex))
    G = inverse_logit(W @ beta[X.shape[1] :].astype(complex))
    return np.choose(arm, [function(F, G) for function in YES[name]])


def drawn(
    random: np.random.Generator, name: str, beta: Array, X: Array, W: Array, arm: Integers
) -> Integers:
    return (random.random(len(X)) < yes(name, beta, X, W, arm).real).astype(np.int64)


def test_the_lie_detector_has_rrreg_s_digits() -> None:
    """Heck and Moshagen (2018), section 4.1: pi .870695, t .635806 and its error .0173.

    Their two groups have 564 and 692 respondents, of whom by these estimates 373 and 398 said yes.
    """
    reports, arm = rows([[191, 373], [294, 398]])
    fit = regress_arms(reports, np.ones((1256, 1)), DESIGNS["SLD"], arm=arm)
    carriers = fit.predict([[1]])
    assert fit.arms.shares[3].name == "carrier"
    assert carriers.theta[0, 3] == pytest.approx(0.870695, abs=5e-7)
    truthful = fit.split("truthful among carriers", [[1]], kind="observed")
    assert truthful.theta[0] == pytest.approx(0.635806, abs=5e-7)
    # They print .041118 and .017344 from the moments, with n - 1.
    assert carriers.standard_error[0, 3] == pytest.approx(0.041118, rel=1e-3)
    assert truthful.standard_error[0] == pytest.approx(0.017344, rel=1e-3)


@pytest.mark.slow
def test_it_tests_whether_fewer_admit_it() -> None:
    """Heck and Moshagen (2018), section 4.1: G^2 = 84.1 with 365 respondents asked directly.

    Their estimate there is .43, that of 158.
    """
    reports, arm = rows([[191, 373], [294, 398], [207, 158]])
    arms = DESIGNS["SLD"].with_direct_question("carrier")
    X = np.column_stack([np.ones(1621), np.where(arm == 2, -1, 1)])
    fit = regress_arms(reports, X, arms, arm=arm, names=["one", "protected"])
    assert fit.likelihood_ratio_of("protected").statistic == pytest.approx(84.1, abs=0.05)
    # With a share of carriers for each kind of question, those asked directly tell nothing else.
    direct = fit.predict([[1, -1], [1, 1]]).theta[:, 3]
    np.testing.assert_allclose(direct, [158 / 365, 0.870695], atol=5e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", first_of(DESIGNS))
def test_a_saturated_model_is_two_separate_estimates(name: str) -> None:
    more = {
        "SLD": [[400, 600], [560, 440]],
        "CDM": [[760, 240], [430, 570]],
        "CDMsym": [[730, 270], [560, 440]],
        "unrelated": [[600, 400], [540, 460]],
        "direct": [[500, 500], [700, 300]],
    }[name]
    reports, arm = rows([*COUNTS[name], *more])
    older = np.repeat([0.0, 1.0], 2000)
    X = np.column_stack([np.ones(4000), older])
    arms = DESIGNS[name]
    fit = regress_arms(
        reports, X, arms, arm=arm % 2, nuisance=X, names=["one", "older"], nuisance_names=["1", "2"]
    )
    nuisance = arms.splits[1].name
    assert fit.terms == ("one", "older", f"{nuisance}: one", f"{nuisance}: older")
    shares = fit.predict([[1, 0], [1, 1]])
    for group, counts in enumerate((COUNTS[name], more)):
        separate = estimate_arms(counts, arms)
        np.testing.assert_allclose(shares.theta[group], separate.theta, atol=1e-7)
        errors = separate.standard_error * np.sqrt(999 / 1000)
        np.testing.assert_allclose(shares.standard_error[group], errors, rtol=1e-6)
    # The difference of two independent estimates, and its error.
    effects = fit.marginal_effects()
    difference = shares.theta[1] - shares.theta[0]
    assert effects.names == ("older",)
    np.testing.assert_allclose(effects.theta[:, 0], difference, atol=1e-9)
    expected = np.sqrt((shares.standard_error**2).sum(axis=0))
    np.testing.assert_allclose(effects.standard_error[:, 0], expected, rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", first_of(DESIGNS))
def test_it_maximises_a_second_likelihood(name: str) -> None:
    random = np.random.default_rng(4)
    X, arm = covariates(random, 600), np.arange(600) % 2
    W = np.column_stack([np.ones(600), random.normal(size=600)])
    truth = np.array([0.3, 0.7, -0.6, -0.8, 0.5])
    reports = drawn(random, name, truth, X, W, arm)
    fit = regress_arms(reports, X, DESIGNS[name], arm=arm, nuisance=W)
    assert fit.names == ("intercept", "x1", "x2", "w1")

    def scores(beta: Array) -> Array:
        """Differentiate the logarithms of P(report) by the complex step, shape (n, 5)."""
        columns = []
        for step in 1e-100j * np.eye(5):
            P = yes(name, beta + step, X, W, arm)
            columns.append(np.log(np.where(reports == 1, P, 1 - P)).imag / 1e-100)
        return np.stack(columns, axis=1)

    def loss(beta: Array) -> tuple[float, Array]:
        P = yes(name, beta, X, W, arm).real
        value = np.log(np.where(reports == 1, P, 1 - P)).sum()
        return -value / 600, -scores(beta).sum(axis=0) / 600

    best = optimize.minimize(loss, truth, jac=True, method="BFGS", options={"gtol": 1e-9})
    assert fit.log_likelihood == pytest.approx(-600 * best.fun, abs=1e-8)
    np.testing.assert_allclose(fit.coefficients, best.x, atol=1e-5)

    beta = fit.coefficients
    S = scores(beta)
    hessian = np.array(
        [
            (scores(beta + step) - scores(beta - step)).sum(axis=0) / 2e-5
            for step in 1e-5 * np.eye(5)
        ]
    )
    observed, outer = -hessian, S.T @ S
    np.testing.assert_allclose(fit.covariance("observed"), np.linalg.inv(observed), rtol=1e-5)
    np.testing.assert_allclose(fit.covariance("opg"), np.linalg.inv(outer), rtol=1e-6)
    bread = np.linalg.inv(observed)
    np.testing.assert_allclose(fit.covariance("sandwich"), bread @ outer @ bread, rtol=1e-5)
    P = yes(name, beta, X, W, arm).real
    D = np.stack([yes(name, beta + s, X, W, arm).imag / 1e-100 for s in 1e-100j * np.eye(5)], 1)
    expected = (D.T / (P * (1 - P))) @ D
    np.testing.assert_allclose(fit.covariance(), np.linalg.inv(expected), rtol=1e-7)


@pytest.mark.slow
def test_effects_are_the_derivatives_of_the_mean_shares() -> None:
    random = np.random.default_rng(8)
    X, arm = covariates(random, 800), np.arange(800) % 2
    reports = drawn(random, "SLD", np.array([0.3, 0.7, -0.6, 0.5]), X, np.ones((800, 1)), arm)
    fit = regress_arms(reports, X, DESIGNS["SLD"], arm=arm)
    effects = fit.marginal_effects()
    assert effects.names == ("x1", "x2")
    h = 1e-6
    up, down = X.copy(), X.copy()
    up[:, 1] += h
    down[:, 1] -= h
    change = fit.predict(up).theta - fit.predict(down).theta
    np.testing.assert_allclose(effects.theta[:, 0], change.mean(axis=0) / (2 * h), atol=1e-8)
    yes_no = X.copy(), X.copy()
    yes_no[0][:, 2], yes_no[1][:, 2] = 1, 0
    change = fit.predict(yes_no[0]).theta - fit.predict(yes_no[1]).theta
    np.testing.assert_allclose(effects.theta[:, 1], change.mean(axis=0), atol=1e-12)
    # The four shares: carriers are those who lie and those who do not.
    np.testing.assert_allclose(effects.theta[1] + effects.theta[2], effects.theta[3])


@pytest.mark.slow
def test_no_liars_give_a_bound() -> None:
    """Both arms say yes more often than where all carriers tell the truth."""
    arms = stochastic_lie_detector(truth=["4/5", "1/5"])
    reports, arm = rows([[450, 550], [90, 910]])
    fit = regress_arms(reports, np.ones((2000, 1)), arms, arm=arm)
    assert estimate_arms([[450, 550], [90, 910]], arms).theta[2] < 0
    assert fit.at_boundary
    assert fit.separated == ("truthful among carriers: intercept",)
    assert "lying carrier gets probability 0 for 2000 of 2000 respondents" in fit.message
    # What is left is a forced yes of chance 1 - p, whose coefficient is that of no nuisance.
    forced = [designs.forced_response(truth, 1) for truth in ("4/5", "1/5")]
    plain = regress_arms(reports, np.ones((2000, 1)), one_trait(forced), arm=arm)
    assert fit.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-6)
    assert fit.coefficients[0] == pytest.approx(plain.coefficients[0], abs=1e-4)
    low, high = fit.interval(method="profile")[1]
    assert np.isfinite(low)
    assert high == np.inf


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_of([103, 104]))
def test_the_greatest_of_several_maxima_is_returned(seed: int) -> None:
    """A product of two covariates without either of them: the first ways up lead too low."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, 300))
    X, arm = np.column_stack([np.ones(300), a, a * b]), np.arange(300) % 2
    full = np.column_stack([np.ones(300), a, b, a * b])
    truth = np.array([1.5, 0.0, 2.0, 0.0, 0.5])
    reports = drawn(random, "SLD", truth, full, np.ones((300, 1)), arm)
    fit = regress_arms(reports, X, DESIGNS["SLD"], arm=arm)
    for start in starting_values(fit.likelihood):
        assert fit.log_likelihood > maximise(fit.likelihood, [start]).log_likelihood + 0.5
    everywhere = [
        maximise(fit.likelihood, [start]).log_likelihood
        for start in random.normal(scale=1.5, size=(20, 4))
    ]
    assert fit.log_likelihood >= max(everywhere) - 1e-6


def test_trait_and_nuisance_must_be_told_apart() -> None:
    X = np.ones((100, 1))
    reports, arm = np.arange(100) % 2, np.arange(100) // 50
    with pytest.raises(ValueError, match="tell 'carrier' from 'truthful among carriers'"):
        regress_arms(reports, X, DESIGNS["SLD"], arm=np.zeros(100, int))
    same = cheating_detection(yes=["1/4", "1/4"])
    with pytest.raises(ValueError, match="arm 0, 1, in which different populations"):
        regress_arms(reports, X, same, arm=arm)
    bare = Arms(("a", "b"), (designs.warner("1/4"),), (Share("b", (0, 1)),), (0, 1))
    with pytest.raises(ValueError, match="expected arms with splits"):
        regress_arms(reports, X, bare, arm=np.zeros(100, int))
    with pytest.raises(ValueError, match="found w for a covariate of the trait and for another"):
        regress_arms(
            reports,
            np.column_stack([X, np.arange(100)]),
            DESIGNS["SLD"],
            arm=arm,
            names=["one", "w"],
            nuisance=np.arange(100.0)[:, np.newaxis] ** 2,
            nuisance_names=["w"],
        )
    with pytest.raises(ValueError, match="expected at least 3 respondents"):
        regress_arms([0, 1], np.eye(2), DESIGNS["SLD"], arm=[0, 1])
    with pytest.raises(ValueError, match="expected an arm from 0 to 1, found 2 in row 2"):
        regress_arms(reports, X, DESIGNS["SLD"], arm=np.where(np.arange(100) == 2, 2, arm))
    with pytest.raises(ValueError, match="expected 100 arms"):
        regress_arms(reports, X, DESIGNS["SLD"], arm=[0, 0])


@pytest.mark.slow
def test_trait_and_nuisance_have_a_formula_each() -> None:
    random = np.random.default_rng(6)
    frame = pd.DataFrame(
        {
            "rr.q1": random.integers(0, 2, 200).astype(float),
            "female": random.integers(0, 2, 200),
            "cov.age.2": random.normal(size=200),
            "w": random.normal(size=200),
            "how": random.integers(0, 2, 200),
        }
    )
    arms = stochastic_lie_detector(["1/6", "5/6"])
    frame.loc[3, "w"] = frame.loc[8, "cov.age.2"] = np.nan
    kept = ~np.isin(np.arange(200), [3, 8])
    formula, nuisance = "rr.q1 ~ female + cov.age.2", "~ female + w"
    fit = regress_arms_formula(formula, frame, arms, arm="how", nuisance=nuisance)
    X = np.column_stack([np.ones(200), frame["female"], frame["cov.age.2"]])[kept]
    W = np.column_stack([X[:, :2], frame["w"].to_numpy()[kept]])
    other = regress_arms(
        frame["rr.q1"].to_numpy()[kept].astype(int),
        X,
        arms,
        arm=frame["how"].to_numpy()[kept],
        nuisance=W,
        names=["Intercept", "female", "cov.age.2"],
        nuisance_names=["Intercept", "female", "w"],
    )
    assert (fit.terms, fit.names, fit.dropped) == (other.terms, other.names, 2)
    assert fit.names == ("Intercept", "female", "cov.age.2", "w")
    assert fit.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-9)
    new = pd.DataFrame({"female": [0, 1], "cov.age.2": [0.5, -1.0], "w": [1.5, 2.0]})
    expected = other.predict([[1, 0, 0.5, 1.5], [1, 1, -1, 2]]).theta
    np.testing.assert_allclose(fit.predict(new).theta, expected, atol=1e-6)
    with pytest.raises(ValueError, match="expected nuisance to be a formula such as '~ age'"):
        regress_arms_formula("rr.q1 ~ female", frame, arms, arm="how", nuisance="w")


def one_trait(channels: Sequence[Channel]) -> Arms:
    """Several designs for a yes-or-no trait, and no nuisance."""
    trait = Split("trait", yes=(0, 1), no=(1, 0))
    share = Share("trait", (0, 1))
    return Arms(("no", "yes"), tuple(channels), (share,), directly=(0, 1), splits=(trait,))


@pytest.mark.parametrize("link", LINKS)
def test_people_asked_by_different_designs_are_one_likelihood(link: str) -> None:
    random = np.random.default_rng(4)
    channels = [FORCED, identity(2), designs.warner(flip="1/10")]
    X, arm = covariates(random, 600), np.repeat([0, 1, 2], 200)
    beta = np.array([-0.7, 0.6, 0.8])
    reports = reports_in_arms(random, link, X, beta, channels, arm)
    fit = regress_arms(reports, X, one_trait(channels), arm=arm, link=link)
    height, best = maximised(link, beta, reports, X, channels, arm)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-9)
    np.testing.assert_allclose(fit.coefficients, best, atol=1e-6)


@pytest.mark.slow
def test_arms_may_be_identifiable_together() -> None:
    """Three truths: the first question tells 0 from the rest, the second 2 from the rest."""
    first = Channel.from_probabilities([[1, 0], [0, 1], [0, 1]])
    second = Channel.from_probabilities([[1, 0], [1, 0], [0, 1]])
    shares = tuple(Share(str(x), tuple(int(x == y) for y in range(3))) for x in range(3))
    arms = Arms(
        *(("0", "1", "2"), (first, second), shares),
        directly=(0, 1, 1),
        splits=(Split("more", (0, 1, 1), (1, 0, 0)), Split("most", (0, 0, 1), (0, 1, 0))),
    )
    reports, arm = np.repeat([0, 1, 0, 1], [60, 40, 70, 30]), np.repeat([0, 1], 100)
    fit = regress_arms(reports, np.ones((200, 1)), arms, arm=arm)
    np.testing.assert_allclose(fit.predict([[1.0]]).theta[0], [0.6, 0.1, 0.3], rtol=1e-6)


def test_an_intercept_is_the_chi_square_test() -> None:
    """Three groups under one share: homogeneity of three binomials, with 2 degrees of freedom."""
    table = np.array([[120, 80], [110, 90], [140, 60]])
    reports = np.concatenate([np.repeat([0, 1], row) for row in table])
    arm = np.repeat([0, 1, 2], 200)
    fit = regress_arms(reports, np.ones((600, 1)), one_trait([FORCED] * 3), arm=arm)
    found = fit.goodness_of_fit()
    pearson = stats.chi2_contingency(table, correction=False)
    assert found.pearson.degrees_of_freedom == 2
    assert found.pearson.statistic == pytest.approx(pearson.statistic)
    assert found.pearson.p_value == pytest.approx(pearson.pvalue)


def test_reports_that_cannot_come_are_no_cells() -> None:
    """Arms of three and of two reports: 2 + 1 free cells, less two coefficients."""
    random = np.random.default_rng(2)
    three = Channel.from_probabilities([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]])
    arm = np.repeat([0, 1], 200)
    reports = reports_in_arms(
        random, "logit", np.ones((400, 1)), np.zeros(1), [three, identity(2)], arm
    )
    arms = one_trait([three, identity(2)])
    found = regress_arms(reports, np.ones((400, 1)), arms, arm=arm).goodness_of_fit()
    assert found.pearson.degrees_of_freedom == 2
