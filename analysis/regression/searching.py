"""The greatest maximum of a likelihood: a climb from where it should be, and a wide search.

The log-likelihood of randomised reports is not concave. With few people it often has several
maxima, one of them mostly at infinity, where the coefficients divide the people by a plane and say
that nobody on its one side has the trait. A climb ends at the maximum that is nearest to its start.
So many points are tried, and the best of them climb together, roughly. Where one of them gets
higher than the careful climb did, it is climbed with care too, to its certificate. Planes that
divide the people are searched by themselves: no climb finds one that many people are close to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression.latent_class import LatentClassAt
from deniable.analysis.regression.likelihood import Likelihood
from deniable.analysis.regression.maximise import Maximum, determined, limit_towards, maximise
from deniable.analysis.regression.truth import TruthModel

# A wide search is made where the reports tell as much as fewer direct answers for each coefficient.
# What a plane that fits by chance can gain grows with the number of coefficients, times the
# logarithm of that of people, and what it lacks to the truth with the number of people alone. In
# surveys of 300 people and 4 coefficients (42 for each) no second maximum was higher.
_FEW: Final = 30

# Of more rows some are searched. What a lower maximum lacks to the highest grows with the number
# of people, so a second one that matters among many would be the highest of 2,000 of them too.
_MOST_PEOPLE: Final = 2_000

# People times points that climb at once: a search then takes a twentieth of a second.
_WORK: Final = 12_000
_MOST_POINTS: Final = 80
_FEWEST_POINTS: Final = 8

_CLIMBS: Final = 25
_SHIFTS: Final = 32
_TRIED: Final = 20
"""Steps of the climbs, shifts of planes, and planes tried for each that is kept."""

# People times planes through some of them that are compared; how many of the best are improved, by
# passing through another of the people, how often at most, and how many people then stand in.
_COMPARED: Final = 600_000
_IMPROVED: Final = 6
_EXCHANGES: Final = 8
_STAND_IN: Final = 200

# Numbers of the planes that are compared at once: 200 MB.
_MOST_NUMBERS: Final = 25_000_000

# Where people on either side of such a plane, and those whom it passes through, are put at least,
# in linear predictors, and how steep it is at most.
_ASIDE: Final = 10.0
_STEEP_PLANE: Final = 1e5

# How far from the centre each coefficient is moved by itself.
_MOVED: Final = 1.5

# So near to it a plane passes through a person; what is added to squares that may be singular; so
# far out a linear predictor is as good as infinite.
_ON: Final = 1e-7
_ALIKE: Final = 1e-11
_FAR_OUT: Final = 1e9

# How far from the centre points start, and how much longer than it the way to infinity is.
_RADII: Final = (1.0, 3.0, 10.0, 30.0)
_STEEPNESS: Final = (0.3, 1.0, 4.0)
_STEEP: Final = 30.0
_STEEPEST: Final = 300.0
_LONGEST: Final = 8.0

# Ends of climbs that differ by less are one maximum; how many are climbed with care, and from how
# much further out, where a limit is seen better.
_SAME: Final = 1e-3
_ENDS: Final = 4
_FURTHER: Final = (1.0, 4.0, 16.0)

# By how much a climb must be higher to be worth another one with care.
_HIGHER: Final = 1e-6


def greatest(
    likelihood: Likelihood,
    starts: Sequence[FloatArray] = (),
    free: npt.NDArray[np.bool_] | None = None,
) -> Maximum:
    """Return the greatest maximum that is found, or the supremum where it is at infinity.

    `starts`: further points to start from, beside `starting_values`. `free`: which coefficients may
    move; the others stay as they are in all of `starts`. Where a climb got higher and no
    certificate was reached there, `Maximum.higher` says by how much.
    """
    usual = list(starts) or starting_values(likelihood)
    failure: ConvergenceError | None = None
    best: Maximum | None = None
    try:
        best = maximise(likelihood, usual, free)
    except ConvergenceError as why:
        failure = why
    centre = usual[-1] if best is None else best.start
    seen = -math.inf
    for end in _ends(likelihood, centre, free):
        height = likelihood.at(end).log_likelihood
        if best is not None and height <= best.log_likelihood + _HIGHER:
            continue
        seen = max(seen, height)
        reached = _with_care(likelihood, end, centre, free)
        if reached is not None and (
            best is None or reached.log_likelihood > best.log_likelihood + _HIGHER
        ):
            best = reached
    if failure is not None and (best is None or best.log_likelihood < seen - _HIGHER):
        raise failure
    assert best is not None  # noqa: S101  for the type checker: there is one or the other
    best = replace(best, higher=max(seen - best.log_likelihood, 0.0))
    return best if free is not None else determined(best)


def _with_care(
    likelihood: Likelihood,
    end: FloatArray,
    centre: FloatArray,
    free: npt.NDArray[np.bool_] | None,
) -> Maximum | None:
    """Climb with care from the end of a rough climb, or from further out in its direction."""
    for factor in _FURTHER:
        try:
            return maximise(likelihood, [centre + factor * (end - centre)], free)
        except ConvergenceError:
            continue
    far = centre + _FURTHER[-1] * (end - centre)
    limit = limit_towards(likelihood, far, end - centre, free)
    lowest = likelihood.at(end).log_likelihood - _HIGHER
    return None if limit is None or limit.log_likelihood < lowest else limit


def starting_values(likelihood: Likelihood) -> list[FloatArray]:
    """Return three starting values: from a linear model, from the overall shares, and zero.

    The unbiased indicators of the truths (the channel's estimator at each respondent's report) are
    regressed on the covariates by least squares. Their fitted values, brought inside the range of
    probabilities, are mapped to linear predictors, and those are regressed once more.
    """
    indicators, each, n = likelihood.indicators, likelihood.each, likelihood.n
    root = np.sqrt(each)[:, np.newaxis]
    Q = np.linalg.qr(root * likelihood.X)[0]
    constant = np.broadcast_to(each @ indicators / n, indicators.shape)
    starts = [np.zeros(likelihood.size)]
    for shares in (constant, Q @ (Q.T @ (root * indicators)) / root):
        inside = np.clip(shares, 0.02, 0.98)
        inside /= inside.sum(axis=1, keepdims=True)
        eta = likelihood.model.linear_predictors(inside)
        fitted = zip(likelihood.bases, eta.T, strict=True)
        starts.append(np.concatenate([basis.T @ (each * column) / n for basis, column in fitted]))
    return starts


@dataclass(frozen=True, eq=False)
class _People:
    """People whose likelihood is searched, all or some of them."""

    model: TruthModel
    bases: tuple[FloatArray, ...]
    cuts: npt.NDArray[np.int64]
    own_column: FloatArray
    weights: FloatArray
    targets: FloatArray

    @property
    def n(self) -> int:
        return len(self.weights)

    def parts(self, points: FloatArray) -> list[FloatArray]:
        return np.split(points, self.cuts, axis=-1)

    def at(self, points: FloatArray) -> _Together:
        """Evaluate the likelihood at several points, shape (points, size)."""
        parts = zip(self.parts(points), self.bases, strict=True)
        eta = np.stack([(part @ basis.T).ravel() for part, basis in parts], axis=1)
        return _Together(self, len(points), eta)

    def heights(self, points: FloatArray) -> FloatArray:
        """Return the log-likelihoods at several points, shape (…, size)."""
        flat = points.reshape(-1, points.shape[-1])
        return self.at(flat).log_likelihoods.reshape(points.shape[:-1])


class _Together:
    """The likelihood at several points at once."""

    def __init__(self, people: _People, count: int, eta: FloatArray) -> None:
        self.people, self.count = people, count
        self._truth = people.model.at(eta)
        self._own = np.tile(people.own_column, (count, 1))
        self._P = self._truth.mean(self._own)
        with np.errstate(divide="ignore"):
            logs = np.log(self._P).reshape(count, people.n)
        self.log_likelihoods: FloatArray = logs @ people.weights

    @property
    def scores(self) -> FloatArray:
        possible = np.where(self._P > 0, self._P, np.inf)[:, np.newaxis]
        gradient = self._truth.gradient(self._own) / possible
        relative = gradient.reshape(self.count, self.people.n, -1)
        return np.concatenate(
            [relative[:, :, j, np.newaxis] * basis for j, basis in enumerate(self.people.bases)],
            axis=2,
        )


def _ends(
    likelihood: Likelihood, centre: FloatArray, free: npt.NDArray[np.bool_] | None
) -> list[FloatArray]:
    """Return where the highest of many climbs ended, the highest first."""
    moving = np.ones(likelihood.size, dtype=np.bool_) if free is None else free
    many = are_many(likelihood)
    if not moving.any() or (many and not likelihood.model.has_nuisance):
        return []
    people = _people(likelihood)
    points = np.vstack(
        [
            centre,
            _points(likelihood, people, centre, moving),
            _dividing(people, centre, moving),
        ]
    )
    points, reached = climbed(people.at, people.weights, people.n, points, moving)
    # What is not higher than the climb from the centre itself is not worth another look.
    order = [int(place) for place in np.argsort(-reached) if reached[place] > reached[0] + _HIGHER]
    kept: list[int] = []
    for place in order:
        if not kept or reached[kept[-1]] - reached[place] > _SAME:
            kept.append(place)
    return [points[place] for place in kept[:_ENDS]]


def are_many(likelihood: Likelihood) -> bool:
    """Return whether the reports tell so much that another maximum is not to be expected."""
    return direct_answers(likelihood) > _FEW * likelihood.size


def direct_answers(likelihood: Likelihood) -> float:
    """Return how many direct answers the reports are at least as good as.

    By the least of the squared singular values of the channel, on average over the respondents:
    with two reports, the square of the difference between their two probabilities of a yes.
    """
    columns = [np.atleast_2d(likelihood.column(a)) for a in range(likelihood.table.shape[1])]
    squares = np.sum([column.T @ column / len(column) for column in columns], axis=0)
    return likelihood.n * float(np.linalg.eigvalsh(squares)[0])


def _people(likelihood: Likelihood) -> _People:
    indicators = np.clip(likelihood.indicators, 0.02, 0.98)
    indicators /= indicators.sum(axis=1, keepdims=True)
    rows = np.arange(len(likelihood.reports))
    if len(rows) > _MOST_PEOPLE:
        rows = np.random.default_rng(0).permutation(rows)[:_MOST_PEOPLE]
    return _People(
        model=likelihood.model,
        bases=tuple(basis[rows] for basis in likelihood.bases),
        cuts=np.cumsum([len(T) for T in likelihood.triangles])[:-1],
        own_column=likelihood.own_column[rows],
        weights=likelihood.counted[rows],
        targets=likelihood.model.linear_predictors(indicators[rows]),
    )


def _points(
    likelihood: Likelihood, people: _People, centre: FloatArray, moving: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return points around a centre, and the best of many that fit a few people's reports."""
    # Always the same ones: a search must not depend on when it is made.
    count = int(np.clip(_WORK // people.n, _FEWEST_POINTS, _MOST_POINTS)) // 2
    size = likelihood.size
    random = np.random.default_rng(size)
    directions = np.where(moving, random.normal(size=(count, size)), 0)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    around = np.vstack(
        [
            centre + np.resize(_RADII, count)[:, np.newaxis] * directions,
            *(centre + sign * _MOVED * np.eye(size)[moving] for sign in (1, -1)),
        ]
    )
    tried = _TRIED * count
    chosen = random.integers(0, people.n, size=(tried, max(b.shape[1] for b in people.bases)))
    through = []
    for basis, targets in zip(people.bases, people.targets.T, strict=True):
        few = basis[chosen]
        square = few.transpose(0, 2, 1) @ few + 1e-6 * np.eye(basis.shape[1])
        fitted = few.transpose(0, 2, 1) @ targets[chosen][:, :, np.newaxis]
        through.append(np.linalg.solve(square, fitted)[:, :, 0])
    steep = np.resize(_STEEPNESS, tried)[:, np.newaxis]
    planes = np.where(moving, np.concatenate(through, axis=1) * steep, centre)
    best = np.argsort(-people.heights(planes))[:count]
    axes: FloatArray = np.linalg.inv(likelihood.to_coefficients).T.astype(np.float64)
    return np.vstack([around, _shifted(people, planes[best], axes, moving, random)])


def _dividing(people: _People, centre: FloatArray, moving: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the best planes that divide people, shape (planes, size), steep ones.

    The best one can be moved until it passes through as many people as it has free directions, each
    of whom a small turn puts on the side of their own report.
    """
    on = int(moving.sum()) - 1
    if len(people.bases) > 1 or on < 1:
        return np.zeros((0, len(centre)))
    basis = people.bases[0][:, moving]
    sides = _Sides.of(people, basis)
    random = np.random.default_rng(on)
    compared = min(_COMPARED // people.n, _MOST_NUMBERS // (on + 1) ** 2)
    through = random.integers(0, people.n, size=(max(compared, 10), on))
    order = np.argsort(-sides.through(through)[2])[:_IMPROVED]
    points = np.tile(centre, (len(order), 1))
    points[:, moving] = [sides.best(through[place], random) for place in order]
    return points


@dataclass(frozen=True, eq=False)
class _Sides:
    """What planes through people gain: each person's log-likelihood on either side."""

    basis: FloatArray
    above: FloatArray
    below: FloatArray

    @classmethod
    def of(cls, people: _People, basis: FloatArray) -> _Sides:
        found = []
        for eta in (_FAR_OUT, -_FAR_OUT):
            P = people.model.at(np.full((people.n, 1), eta)).mean(people.own_column)
            with np.errstate(divide="ignore"):
                found.append(people.weights * np.log(P))
        return cls(basis, *(np.maximum(one, -_FAR_OUT) for one in found))

    def through(self, rows: npt.NDArray[np.int64]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return planes through people, shape (planes, on), and their log-likelihoods.

        And turns of them, which put everybody that a plane passes through on the side of their own
        report, where that can be done.
        """
        planes, on = rows.shape
        through = np.empty((planes, on + 1, on + 1))
        through[:, :-1] = self.basis[rows]
        through[:, -1] = np.random.default_rng(planes).normal(size=on + 1)
        wanted = np.zeros((planes, on + 1, 2))
        wanted[:, -1, 0] = 1
        wanted[:, :-1, 1] = np.where(self.above[rows] > self.below[rows], _ASIDE, -_ASIDE)
        # By least squares: through people who are alike there is more than one plane.
        transposed = through.transpose(0, 2, 1)
        square = transposed @ through + _ALIKE * np.eye(on + 1)
        normals, turns = np.moveaxis(np.linalg.solve(square, transposed @ wanted), 2, 0)
        normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
        eta, turned = normals @ self.basis.T, turns @ self.basis.T
        heights = []
        for sign in (1, -1):
            is_above = np.where(np.abs(eta) > _ON, sign * eta, turned) > 0
            heights.append(float(self.below.sum()) + is_above @ (self.above - self.below))
        sides = np.where(heights[0] >= heights[1], 1, -1)[:, np.newaxis]
        can_turn = np.linalg.norm(turns, axis=1) < _STEEP_PLANE
        return sides * normals, turns, np.where(can_turn, np.maximum(*heights), -np.inf)

    def best(self, row: npt.NDArray[np.int64], random: np.random.Generator) -> FloatArray:
        """Return a point, shape (free,), that puts people on sides as a plane through some does.

        It passes through another person in place of one, as long as that gains.
        """
        n, on = len(self.basis), len(row)
        normals, turns, heights = self.through(row[np.newaxis])
        normal, turn, height = normals[0], turns[0], heights[0]
        # Of many coefficients fewer people stand in: a plane takes their number squared.
        most = min(_STAND_IN, max(_MOST_NUMBERS // (on * (on + 1) ** 2), 1))
        for _ in range(_EXCHANGES):
            others = random.permutation(n)[:most]
            rows = np.tile(row, (on * len(others), 1))
            rows[np.arange(len(rows)), np.repeat(np.arange(on), len(others))] = np.tile(others, on)
            normals, turns, heights = self.through(rows)
            first = int(heights.argmax())
            if heights[first] <= height:
                break
            row, normal = rows[first], normals[first]
            turn, height = turns[first], heights[first]
        eta, turned = np.abs(self.basis @ normal), np.abs(self.basis @ turn)
        steep = ((turned + _ASIDE) / np.maximum(eta, _ON))[eta > _ON].max(initial=_ASIDE)
        return np.asarray(min(steep, _STEEP_PLANE) * normal + turn)


def _shifted(
    people: _People,
    points: FloatArray,
    axes: FloatArray,
    moving: npt.NDArray[np.bool_],
    random: np.random.Generator,
) -> FloatArray:
    """Shift planes that divide people, to where they just pass somebody, while it helps."""
    tries = max(4 * _WORK // len(points) // people.n, 4)
    here = np.arange(len(points))
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points = np.where(moving, points * np.maximum(1, _STEEP / np.maximum(lengths, 1e-9)), points)
    reached = people.heights(points)
    for turn in range(_SHIFTS):
        way = np.tile(axes[turn // 2 % len(axes)], (len(points), 1))
        if turn % 2:
            way = random.normal(size=points.shape)
        way = np.where(moving, way, 0)
        way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
        of = int(random.integers(0, len(people.bases)))
        basis = people.bases[of][random.integers(0, people.n, size=tries)]
        slope = people.parts(way)[of] @ basis.T
        slope = np.where(np.abs(slope) < 1e-9, 1e-9, slope)
        past = 0.02 * np.abs(points).max(axis=1, keepdims=True)
        far = random.choice((-1, 1), size=slope.shape) * past
        far -= people.parts(points)[of] @ basis.T / slope
        far = np.clip(far, -1e3, 1e3)
        tried = points[:, np.newaxis] + far[:, :, np.newaxis] * way[:, np.newaxis]
        heights = people.heights(tried)
        best = heights.argmax(axis=1)
        better = heights[here, best] > reached
        points = np.where(better[:, np.newaxis], tried[here, best], points)
        reached = np.where(better, heights[here, best], reached)
        lengths = np.linalg.norm(points, axis=1, keepdims=True)
        points = np.where(moving, points * np.minimum(1, _STEEPEST / lengths), points)
    return points


def climbed(
    at: Callable[[FloatArray], _Together | LatentClassAt],
    weights: FloatArray,
    n: int,
    points: FloatArray,
    moving: npt.NDArray[np.bool_],
) -> tuple[FloatArray, FloatArray]:
    """Climb from all points; return where the climbs ended, and how high.

    `at`: the likelihood at several points, shape (points, size). `weights`: of its `n` people.
    By Marquardt's steps on the sum of the scores' outer products, which gain at any point.
    Marquardt, D. W. (1963). An algorithm for least-squares estimation of nonlinear parameters.
    Journal of the Society for Industrial and Applied Mathematics 11, 431-441.
    """
    w = weights[:, np.newaxis]
    here = at(points)
    reached, scores = here.log_likelihoods, here.scores
    damping = np.full(len(points), 1e-2)
    for _ in range(_CLIMBS):
        own = scores[:, :, moving]
        total = (w * own).sum(axis=1)
        outer = (w * own).transpose(0, 2, 1) @ own
        ridge = damping * np.trace(outer, axis1=1, axis2=2) / total.shape[1] + 1e-8 * n
        outer += ridge[:, np.newaxis, np.newaxis] * np.eye(total.shape[1])
        step = np.zeros_like(points)
        step[:, moving] = np.linalg.solve(outer, total[:, :, np.newaxis])[:, :, 0]
        lengths = np.linalg.norm(step, axis=1, keepdims=True)
        longest = np.maximum(_LONGEST, np.linalg.norm(points, axis=1, keepdims=True))
        step *= np.minimum(1, longest / np.maximum(lengths, 1e-300))
        there = at(points + step)
        better = there.log_likelihoods > reached
        damping = np.clip(np.where(better, damping / 4, damping * 8), 1e-8, 1e8)
        points = np.where(better[:, np.newaxis], points + step, points)
        reached = np.where(better, there.log_likelihoods, reached)
        scores = np.where(better[:, np.newaxis, np.newaxis], there.scores, scores)
    return points, reached
