"""How often intervals hold the truth with weights, clusters or waves."""

import itertools
import math
from collections.abc import Iterator
from functools import cache, partial
from typing import Final

import numpy as np
from scipy import special

from benchmarks.coverage.cells import LEVEL, Case, Held, drawn, holds
from deniable import designs
from deniable.analysis import intervals
from deniable.analysis.estimation import estimate
from deniable.analysis.numerics.arrays import FloatArray, IndexArray
from deniable.analysis.numerics.levels import normal_quantile
from deniable.analysis.sampling.calibration import Margin
from deniable.analysis.sampling.contrasts import difference
from deniable.analysis.sampling.debiased import debiased_shares, debiased_values
from deniable.analysis.sampling.design import sampling_design
from deniable.analysis.sampling.design_based import DesignEstimate, mean
from deniable.survey_file import read

EPSILONS: Final = ("1", "3")
SIZES: Final = (30, 150)
LEVELS: Final = range(11)
CLUSTERS: Final = 10
SHARES: Final = (0.1, 0.5)


def _sent(random: np.random.Generator, truth: IndexArray, law: FloatArray) -> IndexArray:
    below = random.random((len(truth), 1)) > law[truth].cumsum(axis=1)
    return np.asarray(below.sum(axis=1).clip(0, law.shape[1] - 1), dtype=np.intp)


def _held(found: DesignEstimate, truth: float) -> Held:
    # The default interval of the last variable, and the t interval.
    return holds(found.interval(LEVEL)[-1], truth), holds(found.interval(LEVEL, "wald")[-1], truth)


def uneven(n: int) -> FloatArray:
    """Return weights like those of a panel: log-normal, with a standard deviation of .7."""
    return np.exp(0.7 * special.ndtri((np.arange(n) + 0.5) / n))


def clustered(epsilon: str, n: int, share: float, random: np.random.Generator) -> Held:
    """Draw a weighted survey with an intraclass correlation of .1 within clusters."""
    channel, cluster = designs.warner(epsilon=epsilon), np.arange(n) % CLUSTERS
    of_cluster = random.beta(9 * share, 9 * (1 - share), CLUSTERS)
    truth = (random.random(n) < of_cluster[cluster]).astype(np.intp)
    reports = _sent(random, truth, channel.probabilities)
    design = sampling_design(uneven(n), clusters=cluster)
    return _held(mean(debiased_shares(reports, channel), design), share)


def weighted_mean(epsilon: str, n: int, rare: bool, random: np.random.Generator) -> Held:
    """Draw a weighted survey for a number: nearly all at the least level, or levels equal."""
    channel = designs.best_numeric(len(LEVELS), epsilon)
    law = np.array([0.97, *[0] * 9, 0.03]) if rare else np.full(11, 1 / 11)
    reports = _sent(random, random.choice(11, n, p=law), channel.probabilities)
    found = mean(debiased_values(reports, channel, LEVELS), sampling_design(uneven(n)))
    return _held(found, float(law @ np.array(LEVELS)))


def raked(epsilon: str, n: int, of_halves: bool, random: np.random.Generator) -> Held:
    """Draw a survey with 70 % of its respondents from one half of the population, and rake it."""
    yes, channel = np.array([0.27, 0.5]), designs.warner(epsilon=epsilon)
    half = (random.random(n) < 0.7).astype(np.intp)
    if half.min() == half.max():
        return math.nan, math.nan  # nobody from one half
    truth = (random.random(n) < yes[half]).astype(np.intp)
    margin = Margin.of("half", [str(one) for one in half], {"0": 0.5, "1": 0.5})
    variable = debiased_shares(_sent(random, truth, channel.probabilities), channel)
    design = sampling_design(np.ones(n), margins=[margin])
    if of_halves:
        found = difference(variable, design, half, 1 - half)
        wald = holds(found.interval(method="wald")[1], yes[1] - yes[0])
        return holds(found.interval()[1], yes[1] - yes[0]), wald
    return _held(mean(variable, design), yes.mean())


PANEL: Final = """
version: 1
survey: panel
title: Panel
waves: {{count: 12, redraw: {}}}
questions:
  - {{id: p, text: P, type: single, answers: [No, Yes], epsilon: 1}}
"""
REDRAWS: Final = ("0", "1/5")
WAVES: Final = (2, 4, 12)
CHANGING: Final = (0.0, 0.2)
"""The part of the people whose answer is drawn again from one wave to the next."""


@cache
def _ends(n: int, redraw: str) -> FloatArray:
    item = read(PANEL.format(redraw)).survey.items[0]
    found = (estimate([n - x, x], item.channel) for x in range(n + 1))
    return np.array([one.interval(LEVEL, intervals.UNCUT)[1] for one in found])


def panel(
    redraw: str, waves: int, n: int, changing: float, surveys: int, random: np.random.Generator
) -> Held:
    """Measure the coverage of the mean over waves, and that of pooling all waves' reports."""
    item = read(PANEL.format(redraw)).survey.items[0]
    assert item.memory is not None
    permanent, again = item.memory.permanent.probabilities, item.memory.instantaneous.probabilities
    share = 0.3
    truth = random.random((surveys, n)) < share
    kept = random.random((surveys, n, 2)) < permanent[:, 1]  # the device's noisy answers
    yes = np.empty((waves, surveys), dtype=np.intp)
    for wave in range(waves):
        if wave:
            anew = random.random((surveys, n)) < changing
            truth = np.where(anew, random.random((surveys, n)) < share, truth)
        noisy = np.where(truth, kept[..., 1], kept[..., 0]).astype(np.intp)
        yes[wave] = (random.random((surveys, n)) < again[noisy, 1]).sum(axis=1)
    low, high = _ends(n, redraw)[yes].mean(axis=0).T
    part = yes.mean(axis=0) / n
    middle = item.channel.probabilities[:, 1] @ [1 - share, share]
    half = normal_quantile(LEVEL) * np.sqrt(part * (1 - part) / (waves * n - 1))
    pooled = np.abs(part - middle) <= half
    return float(((low <= share) & (share <= high)).mean()), float(pooled.mean())


def cases() -> Iterator[Case]:
    """Yield the cells of weights and waves."""
    for epsilon, n in itertools.product(EPSILONS, SIZES):
        for share in SHARES:
            what = f"share of {share:g}, {CLUSTERS} clusters, uneven weights"
            yield Case("weights", what, epsilon, n, drawn(partial(clustered, epsilon, n, share)))
        for rare in (True, False):
            what = f"mean of 11 levels, {'nearly all' if rare else 'all'} alike, uneven weights"
            yield Case("weights", what, epsilon, n, drawn(partial(weighted_mean, epsilon, n, rare)))
        for halves in (True, False):
            what = f"{'difference of halves' if halves else 'share'}, raked"
            yield Case("weights", what, epsilon, n, drawn(partial(raked, epsilon, n, halves)))
    for redraw, waves, changing in itertools.product(REDRAWS, WAVES, CHANGING):
        what = f"{waves} waves, redraw {redraw}, {100 * changing:g} % change"
        measure = partial(panel, redraw, waves, 30, changing)
        yield Case("mean over waves", what, "1", 30, measure)
