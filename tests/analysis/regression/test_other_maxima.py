"""No independent optimiser gets higher, whatever is regressed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from scipy import optimize, special

from deniable import designs
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression import searching
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.grouped import GroupedLikelihood
from deniable.analysis.regression.maximise import UNLIKELY, contrasts, plateau
from deniable.analysis.regression.mixed import _check_determined, regress_mixed
from deniable.analysis.regression.multinomial import regress_multinomial
from deniable.analysis.regression.predictors import regress_on_randomised
from deniable.channel import Channel
from tests.analysis.regression.data import Array, Integers

DIE = designs.forced_response("3/4", "1/2")
THREE = designs.k_ary(3, epsilon=2)
PEOPLE = 60
STARTS = 20
# They are not centred at each group, as the analysis has them, so they must be many: with 40 a
# log-likelihood at a deviation of 6 is .12 too high.
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(140)

Loss = Callable[[Array], tuple[float, Array]]


def test_the_planes_that_are_compared_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plane of p coefficients takes p² numbers, and p times as many planes are compared."""
    random = np.random.default_rng(3)
    X = np.column_stack([np.ones(PEOPLE), random.normal(size=(PEOPLE, 6))])
    said, most = random.integers(0, 2, PEOPLE), list[int]()
    through = searching._Sides.through

    def seen(self: searching._Sides, rows: Integers) -> tuple[Array, Array, Array]:
        most.append(len(rows) * (rows.shape[1] + 1) ** 2)
        return through(self, rows)

    monkeypatch.setattr(searching._Sides, "through", seen)
    whole = regress(said, X, DIE)
    assert max(most) > 3_000
    most.clear()
    monkeypatch.setattr(searching, "_MOST_NUMBERS", 3_000)
    few = regress(said, X, DIE)
    assert max(most) <= 3_000
    assert few.log_likelihood == pytest.approx(whole.log_likelihood, abs=1e-6)


def highest(loss: Loss, starts: list[Array], bounds: list[tuple[float, float]]) -> float:
    found = [
        optimize.minimize(loss, one, jac=True, method="L-BFGS-B", bounds=bounds).fun
        for one in starts
    ]
    return -float(min(found))


def reports_of(truth: Array, random: np.random.Generator) -> Integers:
    """Randomise by the die: a yes is reported by 7 of 8, and by 1 of 8 of the others."""
    return (random.random(len(truth)) < 1 / 8 + 3 / 4 * truth).astype(np.int64)


@dataclass(frozen=True)
class Survey:
    """People with a number x, an outcome y, and randomised reports of what both depend on."""

    y: Array
    Z: Array
    reports: Integers

    @classmethod
    def drawn(cls, outcome: str, random: np.random.Generator) -> "Survey":
        x = random.normal(size=PEOPLE)
        truth = (random.random(PEOPLE) < special.expit(-0.8 + 0.5 * x)).astype(float)
        reports, eta = reports_of(truth, random), 0.3 + 0.5 * x + truth
        if outcome == "linear":
            y = eta + random.normal(size=PEOPLE)
        else:
            y = (random.random(PEOPLE) < special.expit(eta)).astype(float)
        return cls(y, np.column_stack([np.ones(PEOPLE), x]), reports)

    def loss(self, outcome: str, at: Array) -> tuple[float, Array]:
        """Return minus the log-likelihood, and its derivatives.

        By beta, the truth's effect, the classes' gamma, and log sigma.
        """
        y, Z, classes = self.y, self.Z, self.Z @ at[3:5]
        logs, pulls, spreads = [], [], []
        for eta, share, yes in (
            (Z @ at[:2], -np.logaddexp(0, classes), 1 / 8),
            (Z @ at[:2] + at[2], -np.logaddexp(0, -classes), 7 / 8),
        ):
            if outcome == "linear":
                off = (y - eta) / np.exp(at[5])
                density = -(off**2 + np.log(2 * np.pi)) / 2 - at[5]
                pulls.append(off / np.exp(at[5]))
                spreads.append(off**2 - 1)
            else:
                density = -np.logaddexp(0, np.where(y == 1, -eta, eta))
                pulls.append(y - special.expit(eta))
                spreads.append(np.zeros(PEOPLE))
            logs.append(density + share + np.log(np.where(self.reports == 1, yes, 1 - yes)))
        total = np.logaddexp(*logs)
        has = np.exp(logs[1] - total)
        pull, spread = ((1 - has) * no + has * yes for no, yes in (pulls, spreads))
        parts = (Z.T @ pull, has @ pulls[1], Z.T @ (has - special.expit(classes)), spread.sum())
        return -float(total.sum()), -np.hstack(parts)

    def highest(self, outcome: str, random: np.random.Generator) -> float:
        # The density of a class of one person without residual is infinite, which is no maximum.
        bounds = [(-200.0, 200.0)] * 5 + [(np.log(self.y.std()) - 2.5, 5.0)]
        scale, loss = np.array([1, 1, 1, 3, 3, 0]), partial(self.loss, outcome)
        starts = [random.normal(size=6) * scale * [1, 1, 2, 3][k % 4] for k in range(STARTS)]
        return highest(loss, starts, bounds)


def missed_on_randomised(outcome: str, surveys: int, seed: int) -> list[float]:
    random, found = np.random.default_rng(seed), []
    for _ in range(surveys):
        survey = Survey.drawn(outcome, random)
        highest = survey.highest(outcome, random)
        try:
            fit = regress_on_randomised(
                survey.y, survey.reports, DIE, survey.Z, outcome=outcome, names=["one", "x", "has"]
            )
        except ConvergenceError:
            continue  # an error, which is no false maximum
        told = fit.log_likelihood
        if fit.doubt is not None:
            assert f"the log-likelihood is higher by {fit.higher:.2g}" in fit.doubt
            told += fit.higher
        found += [short for short in [highest - told] if short > 0.1]
    return found


def missed_with_intercepts(surveys: int, seed: int, groups: int = 10) -> list[float]:
    random, found = np.random.default_rng(seed), []
    group = np.repeat(np.arange(groups), PEOPLE // groups)
    first = np.arange(groups) * (PEOPLE // groups)
    for _ in range(surveys):
        X = np.column_stack([np.ones(PEOPLE), random.normal(size=PEOPLE)])
        chance = special.expit(X @ [-0.5, 0.8] + random.normal(size=groups)[group])
        reports = reports_of((random.random(PEOPLE) < chance).astype(float), random)

        def loss(at: Array, X: Array = X, reports: Integers = reports) -> tuple[float, Array]:
            share = special.expit((X @ at[:2])[:, np.newaxis] + at[2] * POINTS)
            said = np.where(reports == 1, 1.0, -1.0)[:, np.newaxis]
            P = 1 / 2 + said * (3 / 4 * share - 3 / 8)
            logs = np.add.reduceat(np.log(P), first, axis=0)
            of_integrals = special.logsumexp(logs, b=WEIGHTS, axis=1)
            given = (WEIGHTS * np.exp(logs - of_integrals[:, np.newaxis]))[group]
            pull = given * said * 3 / 4 * share * (1 - share) / P
            slopes = np.r_[X.T @ pull.sum(axis=1), pull.sum(axis=0) @ POINTS]
            return float(groups * np.log(2 * np.pi) / 2 - of_integrals.sum()), -slopes

        bounds = [(-30.0, 30.0), (-30.0, 30.0), (0.0, 8.0)]
        scales = [np.array([size, size, 1.0]) for size in (1, 1, 3, 10)]
        starts = [random.normal(size=3) * scales[k % 4] for k in range(STARTS)]
        starts = [np.array([*one[:2], abs(one[2])]) for one in starts]
        try:
            fit = regress_mixed(reports, X, DIE, group)
        except (ConvergenceError, ValueError):
            continue
        short = highest(loss, starts, bounds) - fit.log_likelihood
        found += [short] if short > 0.1 else []
    return found


def three_answers(random: np.random.Generator) -> tuple[Integers, Array]:
    X = np.column_stack([np.ones(PEOPLE), random.normal(size=PEOPLE)])
    chances = special.softmax(X @ [[0.5, 0, -0.3], [0, 0.5, 1]], axis=1) @ THREE.probabilities
    return (random.random((PEOPLE, 1)) > chances.cumsum(axis=1)).sum(axis=1), X


def missed_of_answers(channel: Channel, surveys: int, seed: int) -> list[float]:
    """Two answers of people in three groups, or three answers."""
    random, found = np.random.default_rng(seed), []
    for _ in range(surveys):
        reports, X = survey(random) if channel.truths == 2 else three_answers(random)
        own = channel.probabilities[:, reports].T
        size = (channel.truths - 1) * X.shape[1]

        def loss(at: Array, X: Array = X, own: Array = own) -> tuple[float, Array]:
            pi = special.softmax(np.c_[np.zeros(PEOPLE), X @ at.reshape(-1, X.shape[1]).T], axis=1)
            joint = pi * own
            P = joint.sum(axis=1)
            pull = joint / P[:, np.newaxis] - pi
            return -float(np.log(P).sum()), -(pull[:, 1:].T @ X).ravel()

        starts = [random.normal(size=size) * [1, 3, 10, 30][k % 4] for k in range(STARTS)]
        short = highest(loss, starts, [(-200.0, 200.0)] * size)
        try:
            fit: Fit | MultinomialFit = (
                regress(reports, X, channel)
                if channel.truths == 2
                else regress_multinomial(reports, X, channel)
            )
        except ConvergenceError:
            continue
        told = fit.log_likelihood
        if fit.doubt is not None:
            assert "a rough search found a log-likelihood that is higher" in fit.doubt
            told += fit.maximum.higher
        found += [short - told] if short - told > 0.1 else []
    return found


@pytest.mark.slow
def test_what_is_higher_at_infinity_widens_intervals() -> None:
    """Climbs with care end at the maximum nearby, and no start of theirs leads further."""
    survey = Survey.drawn("linear", np.random.default_rng(155))
    fit = regress_on_randomised(survey.y, survey.reports, DIE, survey.Z)
    assert fit.higher > 0.5
    assert fit.doubt is not None
    assert "(the probability of a truth to 0 or 1 for some people)" in fit.doubt
    plain = replace(fit, elsewhere=None)
    assert plain.doubt is None
    (low, high), (least, most) = fit.interval(0.3)[0], plain.interval(0.3)[0]
    assert low < least
    assert most < high
    assert fit.p_value(against=[low, np.nan, np.nan])[0] == pytest.approx(0.7, rel=1e-2)


WARNER = designs.warner(flip="1/4")


def divided(seed: int) -> tuple[Integers, Array]:
    """Draw 60 people of two groups, with a number each, and reports by Warner's design."""
    random = np.random.default_rng(seed)
    number, group = random.normal(size=PEOPLE), random.random(PEOPLE) < 0.5
    X = np.column_stack([np.ones(PEOPLE), number, group])
    truth = random.random(PEOPLE) < special.expit(X @ [-0.8, 0.5, 1])
    return np.where(random.random(PEOPLE) < 0.25, ~truth, truth).astype(np.int64), X


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "greatest", "above"),
    [(41, -38.1106, 0.024), (46, -39.0722, 0.161), (160, -38.1203, 0.014), (161, -39.2187, 0.015)],
)
def test_a_maximum_far_out_is_told_as_infinity(seed: int, greatest: float, above: float) -> None:
    """It has odds of e^168 to e^2518, and an end of the plane's way is lower by next to nothing."""
    reports, X = divided(seed)
    fit = regress(reports, X, WARNER, names=["one", "number", "group"])
    assert fit.log_likelihood == pytest.approx(greatest, abs=1e-4)
    assert fit.maximum.above == pytest.approx(above, abs=1e-3)
    assert fit.separated == fit.names
    assert np.isinf(fit.interval()).all()
    assert f"stays within {fit.maximum.above:.2g} of that, while the coefficients" in fit.message
    # The same rule refuses random intercepts, before they are there and with them.
    group = np.repeat(np.arange(10), 6)
    with pytest.raises(ValueError, match="run to infinity"):
        regress_mixed(reports, X, WARNER, group)
    surface = GroupedLikelihood(fit.likelihood, group, 15)
    theta = np.r_[fit.maximum.start, 0.01]
    with pytest.raises(ConvergenceError, match="lower where they run to infinity"):
        _check_determined(surface, theta, surface.at(theta).log_likelihood)


def test_infinity_that_is_less_likely_is_not_told() -> None:
    """Of 200 people 35 say yes, and 33.3 by the die alone: a share of .01, of a logit of -4.3."""
    forced = designs.forced_response("2/3", "1/2")
    fit = regress(np.repeat([0, 1], [165, 35]), np.ones((200, 1)), forced)
    assert fit.coefficients == pytest.approx(special.logit([0.0125]), abs=1e-6)
    assert not fit.at_boundary


@pytest.mark.parametrize(("seed", "least"), [(9, 1.179), (10, 0.607)])
def test_a_far_maximum_stays_where_infinity_is_unlikelier(seed: int, least: float) -> None:
    """Some have odds of e^-81 or less; every way to infinity loses more than .5."""
    random = np.random.default_rng(seed)
    number = 8 * random.normal(size=300)
    X = np.column_stack([np.ones(300), number])
    truth = random.random(300) < special.expit(X @ [-0.8, 1])
    reports = np.where(random.random(300) < 0.25, ~truth, truth).astype(np.int64)
    fit = regress(reports, X, WARNER)
    likelihood, gamma = fit.likelihood, fit.maximum.gamma
    assert likelihood.at(gamma).truth.probabilities.min() < UNLIKELY
    ways = plateau(
        lambda one: likelihood.at(one).log_likelihood,
        contrasts(likelihood),
        gamma,
        fit.log_likelihood,
        most=np.inf,
    )
    assert min(lost for lost, _ in ways) == pytest.approx(least, abs=1e-3)
    assert not fit.at_boundary
    assert np.isfinite(fit.interval()).all()
    assert fit.log_likelihood == likelihood.at(gamma).log_likelihood


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "signs"), [(24, "-+-+"), (106, "  -+")])
def test_two_of_three_answers_may_be_told_apart(seed: int, signs: str) -> None:
    random = np.random.default_rng(seed)
    number = random.normal(size=PEOPLE)
    gains = np.outer(number, [0, 0.5, 1]) + random.gumbel(size=(PEOPLE, 3)) + [0.5, 0, -0.3]
    chances = THREE.probabilities[gains.argmax(axis=1)].cumsum(axis=1)
    reports = (random.random((PEOPLE, 1)) > chances).sum(axis=1)
    fit = regress_multinomial(reports, np.column_stack([np.ones(PEOPLE), number]), THREE)
    told = [
        "+" if one == np.inf else "-" if one == -np.inf else " " for one in fit.coefficients.flat
    ]
    assert "".join(told) == signs
    assert 0 < fit.maximum.above < 0.5


def test_an_effect_may_be_as_good_as_infinite() -> None:
    """All with the truth have the outcome but for 5 reports of 16 million."""
    times = np.array([7_000_000, 5_000_000, 1_000_005, 3_000_000])
    y, reports = np.array([1.0, 1, 0, 0]), np.array([1, 0, 1, 0])
    fit = regress_on_randomised(y, reports, WARNER, outcome="logistic", times=times)
    assert fit.coefficients == pytest.approx([0, np.inf], abs=1e-5)
    assert fit.standard_error()[1] == fit.interval()[1, 1] == np.inf
    assert np.isnan(fit.z()[1])
    assert "lower where there is no maximum (truth 1 to +∞)" in str(fit.doubt)


BETA = np.array([-0.8, 0.5, 1.0, 0.5])


def survey(random: np.random.Generator, n: int = 60) -> tuple[Integers, Array]:
    """Draw people of three groups with a number each, and reports by a die."""
    group, number = random.integers(0, 3, size=n), random.normal(size=n)
    X = np.column_stack([np.ones(n), group == 1, group == 2, number]).astype(float)
    truth = random.random(n) < special.expit(X @ BETA)
    return (random.random(n) < 1 / 8 + 3 / 4 * truth).astype(np.int64), X


@pytest.mark.slow
def test_infinity_higher_than_a_nearby_maximum_is_said() -> None:
    """A plane has 47 of 60 people's reports on the right side of it; nearby there are -36.3."""
    random = np.random.default_rng(1)
    reports, X = [survey(random) for _ in range(5)][-1]
    fit = regress(reports, X, DIE, names=["one", "b", "c", "number"])
    assert fit.log_likelihood == pytest.approx(47 * np.log(7 / 8) + 13 * np.log(1 / 8))
    assert fit.at_boundary
    assert fit.separated == fit.names
    assert np.isinf(fit.interval()).all()


def test_a_plane_that_many_are_near_is_found() -> None:
    """It has 47 of 60 people's reports on its right side; climbs reach 1.4 less."""
    random = np.random.default_rng([7001, 60])
    reports, X = [survey(random) for _ in range(50)][-1]
    fit = regress(reports, X, DIE)
    assert fit.log_likelihood == pytest.approx(47 * np.log(7 / 8) + 13 * np.log(1 / 8))
    assert fit.at_boundary
    assert fit.doubt is None


# Found among 500 surveys: the maximum has no variance, and an infinite one is likelier by .5.
TENTHS = [
    *(14, -10, 4, -14, 3, 23, -8, 9, -4, 17, 13, 1, 1, 13, 2, -10, 1, 14, -8, -3),
    *(12, 4, -16, -9, 9, 7, 3, -17, -4, 11, 12, -4, 8, -11, -9, 0, -7, -1, -23, -4),
    *(12, -6, 1, -12, 1, 3, -5, -9, -11, -6, -1, 6, -6, 3, -12, 19, -11, 11, -14, 9),
]
SAID = "010000010110011110001010100011101000000010101100001101011001"


@pytest.mark.slow
def test_an_infinite_variance_is_told_beside_none() -> None:
    X = np.column_stack([np.ones(PEOPLE), np.array(TENTHS) / 10])
    with pytest.raises(ConvergenceError, match=r"higher by 0\.52 where the variance"):
        regress_mixed(np.array([*map(int, SAID)]), X, DIE, np.repeat(np.arange(10), 6))


# Found among 500 others: without a variance the coefficients are far out, and less likely by .3.
SHIFTED = [
    *(-6, 6, 4, -5, -21, -8, 10, 4, 5, 12, -25, -5, -18, 12, 0, -9, 1, 18, 6, 10),
    *(6, 8, -5, 5, -20, 2, -7, 11, 9, 11, 9, -14, 12, -5, 7, -2, -10, -1, -7, -4),
    *(5, -8, -15, -4, 9, 2, -6, 8, -7, 23, 10, -14, 1, -19, -1, -8, -8, -5, -2, 12),
]
SENT = "000000010100010001010010000011001010111000011111010001000001"


def test_a_variance_is_found_beside_far_coefficients() -> None:
    X = np.column_stack([np.ones(PEOPLE), np.array(SHIFTED) / 10])
    fit = regress_mixed(np.array([*map(int, SENT)]), X, DIE, np.repeat(np.arange(10), 6))
    assert fit.deviations == pytest.approx(1.870, abs=1e-3)
    assert fit.log_likelihood > fit.ordinary_log_likelihood + 0.29


# Each with how many surveys CI draws, by which seed, and how many the campaign.
KINDS = [
    (partial(missed_of_answers, DIE), 4, 90210, 500),
    (missed_with_intercepts, 2, 90210, 120),
    (partial(missed_of_answers, THREE), 2, 90210, 120),
    *((partial(missed_on_randomised, outcome), 5, 5, 500) for outcome in ("linear", "logistic")),
]


@pytest.mark.parametrize(
    ("missed", "surveys", "seed"),
    [
        *(pytest.param(*few, marks=pytest.mark.slow) for *few, _ in KINDS),
        *(pytest.param(one, n, 90817264, marks=pytest.mark.campaign) for one, *_, n in KINDS),
    ],
)
def test_no_independent_optimiser_gets_higher(
    missed: Callable[..., list[float]], surveys: int, seed: int
) -> None:
    assert missed(surveys, seed=seed) == []
