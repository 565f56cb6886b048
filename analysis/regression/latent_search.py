"""The greatest maximum of a latent-class likelihood: climbs with care, and a wide search.

With few people it often has several maxima, and one of them mostly at infinity: a plane that
divides the people puts all on its one side into a class, or gives all of a class the outcome.
Climbs with care end at the maximum that is nearest to where they start. So many points are tried,
and the best of them climb together, roughly. What got higher is climbed with care too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from operator import attrgetter
from typing import Final

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression.latent_class import (
    PERFECT,
    LatentClassAt,
    LatentClassLikelihood,
    maximise,
)
from deniable.analysis.regression.maximise import UNLIKELY, plateau
from deniable.analysis.regression.searching import climbed

# Of so many people or fewer, a wide search is made.
_FEW: Final = 500

# Points of each kind that are tried with 60 people, and how many of the best climb.
_TRIED: Final = 600
_CLIMBING: Final = 16

# How far coefficients are moved, in linear predictors; how far out a plane puts people at most; and
# how far from those whom it would pass through it passes by.
_SCALES: Final = (1.0, 3.0, 10.0)
_ASIDE: Final = 1e-3
_STEEP: Final = (5.0, 30.0, 300.0)

# How much further out than they ended some climbs go on.
_OUT: Final = (4.0, 30.0)

# So far out a linear predictor is as good as infinite.
_FAR: Final = 1e6

# How much smaller than elsewhere the residuals may be: less is a density without a limit, and no
# maximum.
_SPIKE: Final = 1 / 12

# Ends of climbs that differ by less are one; how many are climbed with care; and by how much one
# must be higher to be worth it, or to be told of.
_SAME: Final = 1e-3
_ENDS: Final = 4
_HIGHER: Final = 1e-6
_DOUBTED: Final = 0.01


_height: Final = attrgetter("log_likelihood")


@dataclass(frozen=True, eq=False)
class Greatest:
    """The highest maximum that was found.

    `maxima`: the log-likelihoods that were reached, in descending order; -inf where a start led to
    no maximum. `others`, each of shape (size,): where other maxima are. `elsewhere`, shape (size,):
    where there is no maximum, and the log-likelihood is higher or lower by next to nothing;
    `higher`: by how much, below 0 if it is lower.
    """

    at: LatentClassAt
    maxima: list[float]
    others: tuple[FloatArray, ...] = ()
    higher: float = 0.0
    elsewhere: FloatArray | None = None


def greatest(likelihood: LatentClassLikelihood) -> Greatest:
    """Return the highest maximum that is found."""
    starts = starting_values(likelihood)
    reached, failures = [], []
    for start in starts:
        try:
            reached.append(maximise(likelihood, start))
        except ConvergenceError as failure:
            failures.append(failure)
    rough = _ends(likelihood, [*starts, *(at.parameters for at in reached)])
    best = max(reached, key=_height, default=None)
    higher = []
    for point in rough:
        if best is not None and point.log_likelihood <= best.log_likelihood + _HIGHER:
            continue
        try:
            reached.append(maximise(likelihood, point.parameters))
        except ConvergenceError:
            higher.append(point)
        else:
            best = max(reached, key=_height)
    if best is None:
        raise failures[0]
    heights = sorted(map(_height, reached), reverse=True) + [-math.inf] * len(failures)
    others = _others(reached, best)
    missed = max(higher, key=_height, default=best)
    more = missed.log_likelihood - best.log_likelihood
    if more >= _DOUBTED:
        return Greatest(best, heights, others, more, missed.parameters)
    for lost, way in _plateau(best):
        far = best.parameters + _FAR * way[0]
        return Greatest(best, heights, others, -lost, far)
    return Greatest(best, heights, others)


def _others(reached: Sequence[LatentClassAt], best: LatentClassAt) -> tuple[FloatArray, ...]:
    """Return where other maxima than the best are, each once."""
    found = {round(_height(at) / _SAME): at.parameters for at in reached if at is not best}
    found.pop(round(_height(best) / _SAME), None)
    return tuple(found.values())


def _plateau(best: LatentClassAt) -> list[tuple[float, tuple[FloatArray, ...]]]:
    """Return the ways from a maximum to infinity on which next to nothing is lost."""
    likelihood, start = best.likelihood, best.likelihood.class_start
    q, of_classes, of_outcome = likelihood.W.shape[1], [], []
    for x in range(len(likelihood.D)):
        outcome, own = np.zeros((2, likelihood.rows, likelihood.size))
        outcome[:, : likelihood.outcome_size] = likelihood.design(x)
        own[:, start + (x - 1) * q : start + x * q] = likelihood.W if x else 0.0
        of_outcome.append(outcome)
        of_classes += [own] if x else []
    of_classes += [one - other for one, other in combinations(of_classes, 2)]
    found = []
    for blocks, probabilities in (
        (of_classes, best.class_probabilities),
        ([] if likelihood.linear else of_outcome, scipy.special.expit(-np.abs(best.eta))),
    ):
        if not blocks or probabilities.min() > UNLIKELY:
            continue
        moves = np.any(np.concatenate(blocks) != 0, axis=0)
        stays = np.where(moves, 0.0, best.parameters)

        def height(theta: FloatArray, stays: FloatArray = stays) -> float:
            return likelihood.at(stays + theta).log_likelihood

        found += plateau(
            height,
            blocks,
            np.where(moves, best.parameters, 0.0),
            best.log_likelihood,
        )
    return sorted(found, key=lambda one: one[0])


def starting_values(likelihood: LatentClassLikelihood) -> list[FloatArray]:
    """Return four starting values.

    Each of shape (size,), with the effects of the classes by regression calibration, which is the
    outcome's least-squares regression on the expected class given the reports; twice these effects;
    none; and these reversed, which tells whether the likelihood has another maximum there.

    Carroll, R. J., Ruppert, D., Stefanski, L. A. and Crainiceanu, C. M. (2006). Measurement error
    in nonlinear models, 2nd edition. Chapman & Hall, chapter 4: regression calibration.
    """
    shares = _initial_shares(likelihood)
    joint = shares * likelihood.R
    expected = joint / joint.sum(axis=1, keepdims=True) @ likelihood.D
    X, y = np.hstack([likelihood.Z, expected]), likelihood.y
    p, m = likelihood.Z.shape[1], likelihood.outcome_size
    beta = likelihood.least_squares(X, y)
    deviation = math.sqrt(float(likelihood.each @ (y - X @ beta) ** 2) / likelihood.n)
    if not likelihood.linear:
        # A slope of the logistic curve is a quarter of its coefficient, at even odds.
        beta = likelihood.least_squares(X, 4 * (y - 0.5))
    logits = np.log(shares[1:] / shares[0])
    classes = likelihood.least_squares(likelihood.W, np.broadcast_to(logits, (len(y), len(logits))))
    starts = []
    for factor in (1.0, 2.0, 0.0, -1.0):
        effects = factor * beta[p:m]
        own = likelihood.least_squares(
            likelihood.Z, (y if likelihood.linear else 4 * (y - 0.5)) - expected @ effects
        )
        log_sigma = [math.log(max(deviation, PERFECT))] if likelihood.linear else []
        starts.append(np.concatenate([own, effects, log_sigma, classes.T.ravel()]))
    return starts


def _initial_shares(likelihood: LatentClassLikelihood) -> FloatArray:
    """Return a first estimate of the classes' shares, by some steps of the EM algorithm."""
    R, part = likelihood.R, likelihood.each / likelihood.n
    shares = np.full(R.shape[1], 1 / R.shape[1])
    for _ in range(20):
        joint = shares * R
        shares = part @ (joint / joint.sum(axis=1, keepdims=True))
    floored: FloatArray = np.maximum(shares, 0.02)
    return floored / float(floored.sum())


def _ends(likelihood: LatentClassLikelihood, starts: list[FloatArray]) -> list[LatentClassAt]:
    """Return where the highest of many rough climbs ended, the highest first."""
    if likelihood.n > _FEW:
        return []
    climb = partial(climbed, likelihood.at, likelihood.each, likelihood.n)
    with np.errstate(all="ignore"):  # far out a density may be 0, which is never higher
        free = np.ones(likelihood.size, dtype=np.bool_)
        points, reached = climb(_points(likelihood, starts), free)
        points, reached = climb(_further(likelihood, points, reached), free)
    kept: list[LatentClassAt] = []
    for place in np.argsort(-reached):
        point = likelihood.at(points[place])
        if point.sigma < _SPIKE * likelihood.at(starts[-1]).sigma:
            continue
        if not kept or kept[-1].log_likelihood - reached[place] > _SAME:
            kept.append(point)
    return kept[:_ENDS]


def _points(likelihood: LatentClassLikelihood, starts: list[FloatArray]) -> FloatArray:
    """Return the best of many points, of each kind."""
    # Always the same ones: a search must not depend on when it is made.
    random, start = np.random.default_rng(likelihood.size), likelihood.class_start
    few = likelihood.rows / 60
    count = int(np.clip(_CLIMBING / few, 2, _CLIMBING))
    tried = int(np.clip(_TRIED / few, 4 * count, _TRIED))
    usual = np.array(starts)[random.integers(0, len(starts), size=tried)]
    steep = np.hstack([_planes(likelihood.W, random, tried) for _ in likelihood.D[1:]])
    outcomes = [usual[:, :start], _around(usual[:, :start], random)]
    if not likelihood.linear:
        own = _planes(likelihood.Z, random, tried)
        effects = np.zeros((tried, start - own.shape[1]))
        outcomes.append(np.hstack([own, _around(effects, random, _STEEP)]))
    classes = [usual[:, start:], _around(usual[:, start:], random), steep]
    kinds = [np.hstack(pair) for pair in product(outcomes, classes)]
    kinds.append(np.hstack([_fitted(likelihood, steep), steep]))
    found = list(starts)
    for points in kinds:
        found.extend(points[np.argsort(-likelihood.at(points).log_likelihoods)[:count]])
    return np.array(found)


def _further(
    likelihood: LatentClassLikelihood, points: FloatArray, reached: FloatArray
) -> FloatArray:
    """Return the highest points, and others further out: to infinity it is a long way."""
    best = points[np.argsort(-reached)[:_CLIMBING]]
    found = [best]
    for part in (slice(likelihood.class_start, None), slice(likelihood.outcome_size)):
        for factor in _OUT:
            further = best.copy()
            further[:, part] *= factor
            found.append(further)
        if likelihood.linear:
            break
    return np.vstack(found)


def _around(
    points: FloatArray, random: np.random.Generator, scales: Sequence[float] = _SCALES
) -> FloatArray:
    """Move points in random directions, less far and further."""
    far = np.resize(scales, len(points))[:, np.newaxis]
    return points + far * random.normal(size=points.shape)


def _planes(X: FloatArray, random: np.random.Generator, tried: int) -> FloatArray:
    """Return steep planes that pass by as many people as they can."""
    by = X[random.integers(0, len(X), size=(tried, X.shape[1] - 1))]
    aside = by + _ASIDE * random.normal(size=by.shape)
    normals = np.linalg.svd(aside, full_matrices=True)[2][:, -1]
    normals *= random.choice((-1, 1), size=(tried, 1))
    far = np.abs(normals @ X.T).max(axis=1, keepdims=True)
    return np.asarray(np.resize(_STEEP, tried)[:, np.newaxis] * normals / far)


def _fitted(likelihood: LatentClassLikelihood, classes: FloatArray) -> FloatArray:
    """Return the outcome's coefficients by least squares, where everybody's class is certain."""
    eta = classes.reshape(len(classes), len(likelihood.D) - 1, -1) @ likelihood.W.T
    of_each = np.concatenate([np.zeros_like(eta[:, :1]), eta], axis=1).argmax(axis=1)
    own = np.broadcast_to(likelihood.Z, (len(classes), *likelihood.Z.shape))
    X = np.concatenate([own, likelihood.D[of_each]], axis=2)
    y = likelihood.y if likelihood.linear else 4 * (likelihood.y - 0.5)
    weighed = X.transpose(0, 2, 1) * likelihood.each
    # A class that nobody is in leaves its effect at 0.
    ridge = 1e-6 * likelihood.n * np.eye(X.shape[2])
    beta = np.linalg.solve(weighed @ X + ridge, (weighed @ y)[:, :, np.newaxis])
    if not likelihood.linear:
        return np.asarray(beta[:, :, 0])
    squares = np.square(y - (X @ beta)[:, :, 0]) @ likelihood.each / likelihood.n
    log_sigma: FloatArray = np.log(np.maximum(squares, PERFECT**2)) / 2
    return np.hstack([beta[:, :, 0], log_sigma[:, np.newaxis]])
