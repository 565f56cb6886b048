"""Regression with random intercepts, against brute integration and against R."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats

from deniable import designs
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.mixed import MOST_POINTS, MixedFit, regress_mixed
from deniable.channel import Channel, identity
from tests.analysis.regression.data import Array, Integers, covariates, distribution, drawn

WARNER = designs.warner(flip="1/5")
SCHOOLS = np.repeat(np.arange(40), 25)


def schools() -> tuple[Integers, Array]:
    """Return the reports of 25 people in each of 40 schools, and their covariates."""
    random = np.random.default_rng(1)
    x, b = random.normal(size=1000), 0.8 * random.normal(size=40)
    truth = random.random(1000) < 1 / (1 + np.exp(0.7 - 0.6 * x - b[SCHOOLS]))
    reports = (truth ^ (random.random(1000) < 0.2)).astype(np.int64)
    return reports, np.column_stack([np.ones(1000), x])


def integrated(fit: MixedFit, channel: Channel) -> float:
    """Sum each group's likelihood over a fine grid of intercepts, which is exact to 12 digits."""
    likelihood, m = fit.likelihood, len(fit.deviations)
    u = np.linspace(-9, 9, 1801 if m == 1 else 91)
    grid = np.stack(np.meshgrid(*[u] * m), axis=-1).reshape(-1, m)
    weights = stats.norm.pdf(grid).prod(axis=1) * (u[1] - u[0]) ** m
    logs = np.zeros((len(fit.likelihood.reports), len(grid)))
    for row, (x, came) in enumerate(zip(likelihood.X, likelihood.reports, strict=True)):
        eta = np.atleast_2d(fit.coefficients) @ x + fit.deviations * grid
        pi = (
            np.stack(
                [1 - distribution(fit.link, eta[:, 0]), distribution(fit.link, eta[:, 0])], axis=1
            )
            if m == 1
            else special.softmax(np.column_stack([np.zeros(len(eta)), eta]), axis=1)
        )
        P = (pi @ channel.probabilities[:, came]).real
        logs[row] = np.log(np.maximum(P, 1e-300))
    of_groups = [logs[fit.group == group].sum(axis=0) for group in np.unique(fit.group)]
    return float(np.log(np.exp(of_groups) @ weights).sum())


@pytest.mark.parametrize("points", [3, 240, 2 * MOST_POINTS[1], 640])
def test_many_points_integrate_as_few(points: int) -> None:
    """Of 380 and more the weights far out are below the least number; their logarithms are not."""
    reports, X = schools()
    surface = regress_mixed(reports, X, WARNER, SCHOOLS, points=3)._surface
    ((z, logs),) = replace(surface, group=surface.group[:1], points=points).nodes
    weights = np.exp(logs - z[:, 0] ** 2 / 2)
    for power, moment in ((0, 1), (2, 1), (4, 3)):
        assert weights @ z[:, 0] ** power == pytest.approx(moment, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("link", "channel"),
    [
        ("logit", WARNER),
        ("multinomial", designs.k_ary(3, epsilon=3)),
        ("cloglog", designs.forced_response(truth="3/4", yes="1/2")),
        ("probit", designs.kuk("4/5", "1/5", draws=3)),
        ("cauchit", WARNER),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_the_likelihood_is_the_integral(link: str, channel: Channel) -> None:
    random = np.random.default_rng(4)
    group = np.repeat(np.arange(8), 15)
    n, m = len(group), channel.truths - 1
    X = covariates(random, n)
    moved = np.column_stack([X, np.eye(8)[group]])  # a column of its own for each group
    intercepts = np.tile([-1.5, 1.5], (m, 4))
    beta = np.column_stack([np.tile([0.3, 0.5, -0.4], (m, 1)), intercepts])
    reports = drawn(random, link, moved, beta.ravel(), [channel], np.zeros(n, int))
    fit = regress_mixed(reports, X, channel, group, link="logit" if link == "multinomial" else link)
    assert (fit.deviations > 0.1).any()
    assert fit.log_likelihood == pytest.approx(integrated(fit, channel), abs=2e-5)
    assert abs(fit.change) < 2e-5
    test = fit.no_variance()  # a mixture of chi-squares, of which that of 0 degrees is 0
    tails = [stats.chi2.sf(test.statistic, df) for df in range(max(1, m - 1), m + 1)]
    assert test.p_value == pytest.approx(sum(tails) / 2)

    surface, off = fit._surface, fit._theta + 0.1
    steps = 1e-5 * np.eye(fit.df)
    there = surface.at(off)
    score = [surface.at(off + h).log_likelihood - surface.at(off - h).log_likelihood for h in steps]
    np.testing.assert_allclose(there.score, np.array(score) / 2e-5, atol=2e-3)
    information = [surface.at(off - h).score - surface.at(off + h).score for h in steps]
    np.testing.assert_allclose(there.observed, np.array(information) / 2e-5, atol=0.02)


def test_it_has_the_digits_of_glmmrr() -> None:
    """GLMMRR 0.6.0 with lme4 1.1-31 printed these, at 15 points: `glmmrr.R` says how."""
    reports, X = schools()
    fit = regress_mixed(reports, X, WARNER, SCHOOLS, names=["Intercept", "x"])
    assert fit.log_likelihood == pytest.approx(-666.329426643, abs=1e-8)
    np.testing.assert_allclose(fit.coefficients, [-0.600590576, 0.711600971], atol=1e-7)
    np.testing.assert_allclose(fit.standard_error, [0.1471856, 0.1609541], atol=3e-7)
    np.testing.assert_allclose(fit.deviations, [0.395795867], atol=1e-6)
    five = regress_mixed(reports, X, WARNER, SCHOOLS, points=5)
    assert five.log_likelihood == pytest.approx(-666.329502699, abs=1e-6)


def test_the_variance_has_interval_correlation_and_test() -> None:
    of = np.array([[17, 3], [14, 6], [10, 10], [12, 8], [3, 17]] * 3)
    reports = np.repeat(np.tile([0, 1], 15), of.ravel())
    direct = regress_mixed(reports, np.ones((300, 1)), identity(2), np.repeat(np.arange(15), 20))
    u = np.linspace(-10, 10, 801)

    def brute(beta: float, s: float) -> float:
        eta = beta + s * u
        logs = -of[:, :1] * np.logaddexp(0, eta) - of[:, 1:] * np.logaddexp(0, -eta)
        return float(np.log(np.exp(logs) @ stats.norm.pdf(u) * (u[1] - u[0])).sum())

    def best(s: float) -> float:
        return -float(optimize.minimize_scalar(lambda b: -brute(b, s), (-1, 1)).fun)

    assert direct.log_likelihood == pytest.approx(best(direct.deviations[0]), abs=1e-7)
    for end in np.sqrt(direct.variance_interval(0.9)[0]):
        fall = 2 * (direct.log_likelihood - best(end))
        assert fall == pytest.approx(stats.chi2.ppf(0.9, 1), abs=1e-3)
    statistic = 2 * (direct.log_likelihood - best(0.0))
    test = direct.no_variance()
    assert test.statistic == pytest.approx(statistic, abs=1e-6)
    assert test.p_value == pytest.approx(stats.chi2.sf(statistic, 1) / 2, rel=1e-4)
    variance = direct.variance[0]
    assert direct.intraclass_correlation == pytest.approx(variance / (variance + np.pi**2 / 3))


def test_groups_that_are_alike_have_no_variance() -> None:
    """The coefficients are then those of the regression without groups."""
    reports, X = np.tile([0, 0, 1, 1, 1, 0], 30), np.ones((180, 2))
    X[:, 1] = np.tile([0, 1, 1, 0, 1, 0], 30)
    fit = regress_mixed(reports, X, WARNER, np.repeat(np.arange(30), 6))
    plain = regress(reports, X, WARNER)
    np.testing.assert_allclose(fit.deviations, 0, atol=1e-4)
    np.testing.assert_allclose(fit.coefficients, plain.coefficients, atol=1e-6)
    np.testing.assert_allclose(fit.standard_error, plain.standard_error("observed"), rtol=1e-4)
    assert fit.no_variance().p_value > 0.99
    low, high = fit.variance_interval()[0]
    assert low == 0 < high < 1


def test_effects_of_groups_have_the_groups_freedom() -> None:
    """Of 40 schools, less the intercept and which of them are old: 38; of people: a normal law.

    By simulation of ten groups of ten, 1.96 standard errors hold such an effect in .90 of 399
    surveys, and these intervals in .955.
    """
    reports, X = schools()
    fit = regress_mixed(reports, np.column_stack([X, SCHOOLS % 2]), WARNER, SCHOOLS)
    assert fit.degrees_of_freedom.tolist() == [38, np.inf, 38]
    quantiles = np.array([stats.t.ppf(0.975, 38), stats.norm.ppf(0.975), stats.t.ppf(0.975, 38)])
    half = np.diff(fit.interval(), axis=1)[:, 0] / 2
    assert half == pytest.approx(quantiles * fit.standard_error)
    tails = [stats.t.sf(abs(fit.z[2]), 38), stats.norm.sf(abs(fit.z[1]))]
    assert fit.p_value[[2, 1]] == pytest.approx(2 * np.array(tails))


HALF, THREE = [0, 1] * 3, designs.k_ary(3, epsilon=2)


@pytest.mark.parametrize(
    ("reports", "group", "channel", "more", "said"),
    [
        (HALF, [1] * 6, WARNER, {}, "at least 2 groups for random intercepts, found 1"),
        (HALF, range(6), WARNER, {}, "at least 2 people, found 6 groups of one"),
        (HALF, [1, 2], WARNER, {}, r"6 groups, one for each respondent, .* shape \(2,\)"),
        ([0] * 6, [1, 1, 1, 2, 2, 2], WARNER, {}, "without random intercepts can be fitted"),
        (range(6), [1, 1, 1, 2, 2, 2], identity(6), {}, "at most 5 answers for random .*, found 6"),
        ([0, 1, 2] * 2, [1, 2] * 3, THREE, {"link": "probit"}, "link logit for more than two"),
        ([0, 1, 2] * 2, [1, 2] * 3, THREE, {"points": 2}, "at least 3 points"),
    ],
)
def test_what_cannot_be_fitted_says_why(
    reports: Any, group: Any, channel: Channel, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        regress_mixed(list(reports), np.ones((6, 1)), channel, list(group), **more)


def test_groups_of_one_mind_vary_without_end() -> None:
    reports = np.repeat([0, 1] * 3, 40)
    with pytest.raises(ArithmeticError, match="run to infinity: the reports within each group"):
        regress_mixed(reports, np.ones((240, 1)), identity(2), np.repeat(np.arange(6), 40))


if __name__ == "__main__":
    reports, X = schools()
    np.savetxt(
        sys.stdout,
        np.column_stack([reports, X[:, 1], SCHOOLS]),
        ["%d", "%.17g", "%d"],
        ",",
        header="y,x,g",
        comments="",
    )


def test_alike_rows_may_be_counted() -> None:
    random, n = np.random.default_rng(2), 1000
    school, x = random.integers(0, 12, n), random.integers(0, 3, n)
    eta = 0.3 * x - 0.5 + 0.8 * random.normal(size=12)[school]
    yes = (random.random(n) < 1 / (1 + np.exp(-eta))).astype(np.int64)
    reports = np.where(random.random(n) < 1 / 4, 1 - yes, yes)
    channel, X = designs.warner(flip="1/4"), np.column_stack([np.ones(n), x])
    each = regress_mixed(reports, X, channel, school)
    rows, times = np.unique(np.column_stack([reports, school, X]), axis=0, return_counts=True)
    counted = regress_mixed(rows[:, 0].astype(int), rows[:, 2:], channel, rows[:, 1], times=times)
    assert len(rows) < 100
    assert (counted.n, counted.points) == (n, each.points)
    for name in ("coefficients", "covariance", "deviations", "bic", "degrees_of_freedom"):
        found, expected = getattr(counted, name), getattr(each, name)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
