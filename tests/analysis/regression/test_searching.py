"""The greatest maximum, against an independent optimiser and a likelihood written anew."""

import numpy as np
import pytest
from scipy import optimize, special, stats

from deniable import designs
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import Fit
from deniable.analysis.regression.likelihood import Likelihood
from deniable.analysis.regression.searching import _People, _people
from tests.analysis.regression.data import Array, Integers

DIE = designs.forced_response("3/4", "1/2")
BETA = np.array([-0.8, 0.5, 1.0, 0.5])


def survey(random: np.random.Generator, n: int = 60) -> tuple[Integers, Array]:
    """Draw people of three groups with a number each, and reports by a die."""
    group, number = random.integers(0, 3, size=n), random.normal(size=n)
    X = np.column_stack([np.ones(n), group == 1, group == 2, number]).astype(float)
    truth = random.random(n) < special.expit(X @ BETA)
    return (random.random(n) < 1 / 8 + 3 / 4 * truth).astype(np.int64), X


def highest(reports: Integers, X: Array, random: np.random.Generator) -> float:
    """Maximise from 20 starts by another program: P(yes) = 1/8 + 3/4 F."""

    def loss(beta: Array) -> tuple[float, Array]:
        share = special.expit(X @ beta)
        yes = 1 / 8 + 3 / 4 * share
        P = np.where(reports == 1, yes, 1 - yes)
        pull = np.where(reports == 1, 3 / 4, -3 / 4) * share * (1 - share) / P
        return -float(np.log(P).sum()), -(X.T @ pull)

    starts = [np.zeros(4), *(random.normal(size=4) * [1, 3, 10, 30][k % 4] for k in range(19))]
    bounds = [(-200.0, 200.0)] * 4
    found = [optimize.minimize(loss, one, jac=True, bounds=bounds).fun for one in starts]
    return -float(min(found))


def known_to(fit: Fit) -> float:
    """Return the log-likelihood that the output tells of."""
    if fit.doubt is not None:
        assert "a rough search found a log-likelihood that is higher" in fit.doubt
    return fit.log_likelihood + (fit.maximum.higher if fit.doubt is not None else 0)


def missed(surveys: int, seed: int) -> list[tuple[int, float]]:
    random = np.random.default_rng(seed)
    found = []
    for number in range(surveys):
        reports, X = survey(random)
        short = highest(reports, X, random) - known_to(regress(reports, X, DIE))
        if short > 0.1:
            found.append((number, short))
    return found


def test_no_independent_optimiser_gets_higher_than_is_said() -> None:
    assert missed(20, seed=11) == []


@pytest.mark.slow
def test_none_does_in_500_surveys_of_60_people() -> None:
    assert missed(500, seed=90817264) == []


def test_a_maximum_at_infinity_is_said_where_it_is_higher_than_one_nearby() -> None:
    """A plane has 47 of 60 people's reports on the right side of it; nearby there are -36.3."""
    random = np.random.default_rng(1)
    reports, X = [survey(random) for _ in range(5)][-1]
    fit = regress(reports, X, DIE, names=["one", "b", "c", "number"])
    assert fit.log_likelihood == pytest.approx(47 * np.log(7 / 8) + 13 * np.log(1 / 8))
    assert fit.at_boundary
    assert fit.separated == fit.names
    assert np.isinf(fit.interval()).all()
    # The interval by profile likelihood is Scheffé's, of four coefficients together.
    low, high = fit.interval(method="profile")[3]
    assert high == np.inf
    ratio = 2 * (fit.log_likelihood - _highest_at(low, reports, X))
    # By Fisher's F: 60 people of the die are as good as 60 * (3/4)^2 direct answers.
    answers = 60 * (3 / 4) ** 2
    F = stats.f.ppf(0.95, 4, answers - 4)
    assert ratio == pytest.approx(answers * np.log1p(4 * F / (answers - 4)), abs=0.02)


def test_a_plane_that_many_people_are_close_to_is_found() -> None:
    """It has 47 of 60 people's reports on its right side; climbs reach 1.4 less."""
    random = np.random.default_rng([7001, 60])
    reports, X = [survey(random) for _ in range(50)][-1]
    fit = regress(reports, X, DIE)
    assert fit.log_likelihood == pytest.approx(47 * np.log(7 / 8) + 13 * np.log(1 / 8))
    assert fit.at_boundary
    assert fit.doubt is None


def _highest_at(slope: float, reports: Integers, X: Array) -> float:
    """Maximise over the intercepts of the three groups, each by itself, on a fine grid."""
    total = 0.0
    for group in range(3):
        member = (X[:, 1] + 2 * X[:, 2]) == group
        height = np.linspace(-60, 60, 40_001)[:, np.newaxis]
        yes = 1 / 8 + 3 / 4 * special.expit(height + slope * X[member, 3])
        P = np.where(reports[member] == 1, yes, 1 - yes)
        total += float(np.log(P).sum(axis=1).max())
    return total


def test_many_people_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 people of a die are 8 direct answers for each coefficient, and 900 are 126."""
    searched: list[bool] = []

    def people(likelihood: Likelihood) -> _People:
        searched.append(True)
        return _people(likelihood)

    monkeypatch.setattr("deniable.analysis.regression.searching._people", people)
    random = np.random.default_rng(3)
    regress(*survey(random, 900), DIE)
    assert not searched
    regress(*survey(random), DIE)
    assert searched


def test_a_search_is_the_same_each_time() -> None:
    reports, X = survey(np.random.default_rng(5))
    one, other = regress(reports, X, DIE), regress(reports, X, DIE)
    assert one.log_likelihood == other.log_likelihood
    np.testing.assert_array_equal(one.coefficients, other.coefficients)
