"""How often intervals hold coefficients, effects of randomised items, and correlations."""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np
from scipy import special

from benchmarks.coverage.cells import LEVEL, Case, Held, drawn, holds
from deniable import designs
from deniable.analysis.joint.correlation_interval import JointReports
from deniable.analysis.joint.correlations import correlation
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceError, ConvergenceWarning
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.inference import profile_holds
from deniable.analysis.regression.linear import regress_mean
from deniable.analysis.regression.mixed import regress_mixed
from deniable.analysis.regression.predictors import regress_on_randomised
from deniable.channel import Channel

SIZES: Final = (100, 300)
OF_A_GROUP: Final = 10
EFFECT: Final = 1.0


def _sent(random: np.random.Generator, yes: np.ndarray, channel: Channel) -> np.ndarray:
    chances = channel.probabilities[yes.astype(np.intp), 1]
    return np.asarray((random.random(len(yes)) < chances).astype(np.int64))


def logistic(n: int, random: np.random.Generator) -> Held:
    """Regress a randomised yes on a group and a number."""
    channel = designs.forced_response("3/4", "1/2")
    X = np.column_stack([np.ones(n), random.integers(0, 2, n), random.normal(size=n)])
    truth = random.random(n) < special.expit(X @ [-0.8, EFFECT, 0.5])
    fit = regress(_sent(random, truth, channel), X, channel)
    return holds(fit.interval()[1], EFFECT), holds(fit.interval(method="wald")[1], EFFECT)


def small(n: int, random: np.random.Generator) -> Held:
    """Regress a randomised yes on three groups and a number, by profile likelihood and by Wald."""
    channel, group = designs.forced_response("3/4", "1/2"), random.integers(0, 3, n)
    X = np.column_stack([np.ones(n), group == 1, group == 2, random.normal(size=n)])
    truth = random.random(n) < special.expit(X @ [-0.8, 0.5, EFFECT, 0.5])
    fit = regress(_sent(random, truth, channel), X, channel)
    likely = profile_holds(fit.maximum, 2, EFFECT, LEVEL)
    return float(likely), holds(fit.interval()[2], EFFECT)


def linear(n: int, random: np.random.Generator) -> Held:
    """Regress a randomised number of 11 levels on a group."""
    channel, group = designs.best_numeric(11, 3), np.arange(n) % 2
    truth = random.binomial(10, np.array([0.3, 0.5])[group])
    below = random.random((n, 1)) > channel.probabilities[truth].cumsum(axis=1)
    sent = below.sum(axis=1).clip(0, channel.reports - 1)
    fit = regress_mean(sent, np.column_stack([np.ones(n), group]), channel, range(11))
    return holds(fit.interval()[1], 2.0), math.nan


def mixed(n: int, random: np.random.Generator) -> Held:
    """Regress a randomised yes on a property of each group, with and without random intercepts."""
    channel, group = designs.warner(epsilon=3), np.arange(n) // OF_A_GROUP
    X = np.column_stack([np.ones(n), group % 2])
    eta: FloatArray = X @ np.array([-0.5, EFFECT]) + random.normal(size=n // OF_A_GROUP)[group]
    reports = _sent(random, random.random(n) < special.expit(eta), channel)
    fit = regress_mixed(reports, X, channel, group)
    plain = regress(reports, X, channel)
    return holds(fit.interval()[1], EFFECT), holds(plain.interval()[1], EFFECT)


def predictor(n: int, random: np.random.Generator) -> Held:
    """Regress a number on a randomised yes that is true of a quarter of the people."""
    channel, true = designs.warner(flip="1/5"), random.random(n) < 0.25
    y = EFFECT * true + random.normal(size=n)
    fit = regress_on_randomised(y, _sent(random, true, channel), channel)
    wald = fit.interval(method="wald")[1]
    likely = fit.p_value(against=[math.nan, EFFECT])[1] >= 1 - LEVEL
    return float(likely), holds(wald, EFFECT)


TABLES: Final = {
    "independent, 3 % and 30 % yes": np.outer([0.97, 0.03], [0.7, 0.3]),
    "30 % yes, the same for both": np.diag([0.7, 0.3]),
    "half yes, nine in ten the same": np.array([[0.45, 0.05], [0.05, 0.45]]),
}


def correlated(truth: np.ndarray, n: int, random: np.random.Generator) -> Held:
    """Correlate two randomised answers; the textbook's interval is Fisher's."""
    channels = (designs.warner(epsilon=3),) * 2
    law = channels[0].probabilities.T @ truth @ channels[1].probabilities
    table = random.multinomial(n, law.ravel()).reshape(2, 2)
    one, other = truth.sum(axis=1)[1], truth.sum(axis=0)[1]
    spread = math.sqrt(one * (1 - one) * other * (1 - other))
    true = min((truth[1, 1] - one * other) / spread, 1)
    tails = JointReports(table, channels, (np.arange(2.0), np.arange(2.0))).tails(true)
    fisher = correlation(table, channels).interval(LEVEL, "fisher")
    return float(min(tails) >= (1 - LEVEL) / 2), holds(fisher, true)


def told(draw: Callable[[int, np.random.Generator], Held], n: int) -> Callable[..., Held]:
    """Return a function that draws one survey; nan if its likelihood has no maximum."""

    def drawing(random: np.random.Generator) -> Held:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                return draw(n, random)
            except ConvergenceError:
                return math.nan, math.nan

    return drawing


REGRESSIONS: Final[dict[str, Callable[[int, np.random.Generator], Held]]] = {
    "logit of a yes: of a group": logistic,
    "mean of a number: of a group": linear,
    "logit of a yes, random intercepts: of something about groups of 10": mixed,
    "mean of a number: of a randomised yes": predictor,
}
FEW: Final = (
    ("logit of a yes: of one of three groups, by profile likelihood", "ln 7", 60, small),
    ("mean of a number: of a randomised yes", "ln 4", 80, predictor),
)
"""Regressions of few people: what, ε, people, and the function that draws."""


def cases() -> Iterator[Case]:
    """Yield the cells of regressions and correlations."""
    for (what, draw), n in itertools.product(REGRESSIONS.items(), SIZES):
        epsilon = "ln 4" if draw is predictor else "ln 7" if draw is logistic else "3"
        part = 5 if draw is mixed else 1
        yield Case("effect", what, epsilon, n, drawn(told(draw, n)), part=part)
    for (what, truth), n in itertools.product(TABLES.items(), SIZES):
        yield Case("correlation", what, "3", n, drawn(partial(correlated, truth, n)))


def few() -> Iterator[Case]:
    """Yield the cells of regressions of few people."""
    for what, epsilon, n, draw in FEW:
        yield Case("effect", what, epsilon, n, drawn(told(draw, n)))
