"""The maximum of a regression's likelihood, with a certificate, or the way in which it has none."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import DECREMENT, MOVED, ConvergenceError
from deniable.analysis.regression.likelihood import Likelihood, LikelihoodAt

# A direction is flat if its expected information is this part of what the covariates could give.
_FLAT: Final = 1e-10

# Steps that gain next to nothing, and yet keep moving a linear predictor so often in a row, may
# lead to infinity: at a maximum Newton's steps shrink quadratically.
_PATIENCE: Final = 5

# Eigenvalues below this part of the greatest one are rounding.
_ROUNDING: Final = 1e-14

# Information below this is none: a step by its inverse would overflow.
_NOTHING: Final = 1e-200

_STEPS: Final = 500

# What a rough climb may be higher by without a word, in nats.
_DOUBTED: Final = 0.01

# How far out a limit is taken, beyond all that exp and arctan can tell from infinity, and the part
# of a direction that counts as 0. Of several limits the first is further out by this factor.
_LIMIT: Final = 1e12
_LIMIT_OF_SEVERAL: Final = 1e8  # of linear predictors whose differences must not be rounded away
_STANDS: Final = 1e-6
_MOST_LIMITS: Final = 12  # 10^144, which can still be squared

# A maximum says nothing of coefficients that it puts so far out that somebody's truth gets this
# probability, where infinity itself is within one standard error: a likelihood ratio of 1.
UNLIKELY: Final = 1e-6
NEGLIGIBLE: Final = 0.5

# What those who stay behind may regain there.
_REGAINED: Final = 1.0

# Of so many people who may stay where they are each is tried on either side, and of so many people
# those who stay are chosen.
_BOTH_SIDES: Final = 3
_MOST_ROWS: Final = 5_000
_DISTANCES: Final = (1e10, 1e3)  # in linear predictors; what stays behind is rounded by 1e-6


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a likelihood is greatest. Made by `maximise`.

    `gamma`, shape (size,): the coefficients in the basis of the likelihood; at the boundary, what
    is left when the `directions` have been followed to their ends. `start`, shape (size,): a finite
    point from which similar likelihoods are maximised: at the boundary the one where the first
    limit began, otherwise `gamma`. `at`: the likelihood there, or its limit. `decrement`: newton
    decrement, at most `DECREMENT`, with respect to the expected information. `flat`, shape (size,
    dimensions): orthonormal directions that the limit leaves open; none at an ordinary
    maximum. `directions`, shape (size,): directions along which the likelihood rises to its
    supremum without reaching it, the first of them infinitely further than the next; none at an
    ordinary maximum. `higher`: by how much a rough climb got higher where no certificate could be
    reached (see `deniable.analysis.regression.searching.greatest`). `above`: by how much a maximum
    is higher than the end of the directions, where it is too little to tell them apart.
    """

    likelihood: Likelihood
    gamma: FloatArray
    start: FloatArray
    at: LikelihoodAt
    decrement: float
    flat: FloatArray
    directions: tuple[FloatArray, ...]
    higher: float = 0.0
    above: float = 0.0

    @property
    def log_likelihood(self) -> float:
        """The greatest log-likelihood, or its supremum."""
        return self.at.log_likelihood + self.above

    @property
    def is_doubted(self) -> bool:
        """Whether a rough climb got higher by so much that it must be told."""
        return self.higher >= _DOUBTED

    @property
    def divides_all(self) -> bool:
        """Whether the directions lead every linear predictor to infinity.

        The likelihood is then the same whatever a coefficient is that is kept finite.
        """
        likelihood = self.likelihood
        along = [np.abs(likelihood.linear_predictors(one)) for one in self.directions]
        return bool(along) and bool((np.max(along, axis=0) >= _STANDS).all())

    def linear_predictors(self, bases: tuple[FloatArray, ...]) -> FloatArray:
        """Return eta, shape (rows, predictors), of covariates given in the bases."""
        return _linear_predictors(self.likelihood, self.gamma, self.directions, bases)


def maximise(
    likelihood: Likelihood,
    starts: Sequence[FloatArray],
    free: npt.NDArray[np.bool_] | None = None,
) -> Maximum:
    """Maximise a likelihood from the best of several starting values.

    Newton's method with the observed information where that is positive definite, Fisher's scoring
    where it is not: the likelihood of randomised responses is not concave. Every step is halved
    until the log-likelihood rises by enough (Armijo's condition). The certificate has three parts:
    the Newton decrement ``score' I^-1 score`` with respect to the expected information is at most
    1e-10, the next step moves no linear predictor by more than 1e-5, and the observed information
    is positive definite, so that the point is a maximum.

    Where steps keep moving linear predictors though the likelihood hardly rises, the limit of the
    direction in which they go is taken. There, respondents whose linear predictors move send their
    reports with fixed probabilities, and those of the others are maximised over what is left of
    the coefficients (Geyer 2009), again to the certificate. If that is at least as great as any
    finite point, it is returned.

    Geyer, C. J. (2009). Likelihood inference in exponential families and directions of recession.
    Electronic Journal of Statistics 3, 259-289: limiting conditional models.
    """
    surface = _Surface(likelihood)
    points = [surface.at(start) for start in starts]
    best = int(np.argmax([point.log_likelihood for point in points]))
    if not math.isfinite(points[best].log_likelihood):
        raise ConvergenceError(
            "expected starting values at which all reports are possible, found none"
        )
    space = np.eye(likelihood.size)
    return _ascend(surface, starts[best], points[best], space if free is None else space[:, free])


def limit_towards(
    likelihood: Likelihood,
    start: FloatArray,
    direction: FloatArray,
    free: npt.NDArray[np.bool_] | None = None,
) -> Maximum | None:
    """Return the supremum at the end of a direction; None if the likelihood is not greatest there.

    For a start where no report tells anything any more, from where no step of Newton's leads on.
    """
    surface, space = _Surface(likelihood), np.eye(likelihood.size)
    space = space if free is None else space[:, free]
    return _at_infinity(surface, start, surface.at(start), direction, space)


def plateau(
    height: Callable[[FloatArray], float],
    blocks: Sequence[FloatArray],
    theta: FloatArray,
    greatest: float,
    most: float = NEGLIGIBLE,
) -> list[tuple[float, tuple[FloatArray, ...]]]:
    """Return the ways from a maximum to infinity on which next to nothing is lost, the best first.

    The one rule of all regressions by likelihood for coefficients that the reports do not bound: a
    limit is within one standard error of the maximum (a likelihood ratio of 1), so that the
    maximum, far out, is one by chance. Callers ask where a probability is below `UNLIKELY`.

    `height`: the log-likelihood. `blocks`, each of shape (people, size): what makes of theta the
    logarithms of odds between two truths. Result: what is lost on each way, and its directions, the
    first further out than the second. `most`: more is lost on no way.
    """
    found = []
    rows = np.concatenate(blocks)
    rows = rows[np.argsort(np.abs(rows @ theta))]
    for kept in (np.zeros((0, len(theta))), *(blocks if len(blocks) > 1 else ())):
        for way in _ways_out(rows, theta, kept):
            far = sum(far * direction for far, direction in zip(_DISTANCES, way, strict=False))
            with np.errstate(all="ignore"):  # what is impossible there is no way
                lost = greatest - height(theta + far)
            if lost <= most:
                found.append((max(lost, 0.0), way))
    return sorted(found, key=lambda one: one[0])


def _ways_out(
    rows: FloatArray, theta: FloatArray, kept: FloatArray
) -> Iterator[tuple[FloatArray, ...]]:
    """Yield ways from a point to infinity on which odds are kept, of one direction or of two.

    The first goes straight on from 0. In each other one more person, the nearest to where odds are
    even, stays behind; if they are few, a second direction takes them to either side.
    """
    behind: list[int] = []
    for _ in theta:
        stays = np.concatenate([kept, rows[behind]])
        direction = theta - stays.T @ np.linalg.lstsq(stays.T, theta)[0] if len(stays) else theta
        along = np.abs(rows @ direction)
        if not along.max() > _STANDS:
            return
        yield (direction / along.max(),)
        if 0 < len(behind) <= _BOTH_SIDES:
            for sides in product((1.0, -1.0), repeat=len(behind)):
                second = np.linalg.lstsq(stays, np.r_[np.zeros(len(kept)), sides])[0]
                yield direction / along.max(), second / np.abs(rows @ second).max()
        behind.append(int(np.argmax(along > _STANDS * along.max())))


def contrasts(likelihood: Likelihood) -> list[FloatArray]:
    """Return what makes of gamma the linear predictors, and their differences: of some people."""
    count = len(likelihood.reports)
    some = np.linspace(0, count - 1, min(count, _MOST_ROWS)).astype(np.int64)
    blocks = scipy.linalg.block_diag(*(basis[some] for basis in likelihood.bases))
    each = list(blocks.reshape(len(likelihood.bases), -1, likelihood.size))
    return [*each, *(one - other for one, other in combinations(each, 2))]


def determined(maximum: Maximum) -> Maximum:
    """Return a maximum, or the way to infinity where that is as good as it; see `plateau`."""
    likelihood = maximum.likelihood
    if maximum.directions or maximum.at.truth.probabilities.min() > UNLIKELY:
        return maximum
    ways = plateau(
        lambda gamma: likelihood.at(gamma).log_likelihood,
        contrasts(likelihood),
        maximum.gamma,
        maximum.log_likelihood,
        _REGAINED + NEGLIGIBLE,
    )
    for _, directions in ways:
        limit = _Surface(likelihood, directions)
        there = limit.at(maximum.gamma)
        flat, others = _split(there, np.eye(likelihood.size))
        try:
            found = _ascend(limit, maximum.gamma, there, others)
        except ConvergenceError:  # the others stay where they are
            found = replace(maximum, at=there, directions=directions)
        above = max(maximum.log_likelihood - found.at.log_likelihood, 0.0)
        if above <= NEGLIGIBLE:
            flat = np.hstack([flat, found.flat])
            return replace(
                found, start=maximum.gamma, flat=flat, higher=maximum.higher, above=above
            )
    return maximum


@dataclass(frozen=True, eq=False)
class _Surface:
    """A likelihood at the end of some directions."""

    likelihood: Likelihood
    directions: tuple[FloatArray, ...] = ()

    @property
    def steps(self) -> int:
        """The most steps that are taken: few where a limit is only tried."""
        return 50 if self.directions else _STEPS

    @property
    def patience(self) -> tuple[int, ...]:
        """After how many steps that gain next to nothing a limit is tried."""
        return (_PATIENCE,) if self.directions else tuple(_PATIENCE * 2**k for k in range(6))

    def at(self, gamma: FloatArray) -> LikelihoodAt:
        bases = self.likelihood.bases
        eta = _linear_predictors(self.likelihood, gamma, self.directions, bases)
        return LikelihoodAt(self.likelihood, self.likelihood.model.at(eta))

    def moved(self, step: FloatArray) -> float:
        return float(np.abs(self.likelihood.linear_predictors(step)).max())


def _linear_predictors(
    likelihood: Likelihood,
    gamma: FloatArray,
    directions: tuple[FloatArray, ...],
    bases: tuple[FloatArray, ...],
) -> FloatArray:
    eta = likelihood.linear_predictors(gamma, bases)
    limit = _LIMIT if likelihood.model.predictors == 1 else _LIMIT_OF_SEVERAL
    for before, direction in enumerate(directions):
        along = likelihood.linear_predictors(direction, bases)
        distance = limit ** (len(directions) - before)
        eta = eta + distance * np.where(np.abs(along) < _STANDS, 0.0, along)
    return eta


def _ascend(
    surface: _Surface, gamma: FloatArray, point: LikelihoodAt, space: FloatArray
) -> Maximum:
    """Maximise over ``gamma + space @ delta``, `space` of orthonormal columns."""
    n = surface.likelihood.n
    still_moving, moved, decrement = 0, 0.0, 0.0
    for _ in range(surface.steps):
        step, decrement, curved = _next_step(point, space)
        moved = surface.moved(step)
        ended = decrement <= DECREMENT and moved <= MOVED
        little = decrement <= 1e-2 + 1e-5 * n and moved > MOVED
        still_moving = still_moving + 1 if little else 0
        # Each limit may have to be taken within another one: not at every step.
        if ended or still_moving in surface.patience:
            supremum = _at_infinity(surface, gamma, point, step, space)
            if supremum is not None:
                return supremum
        if ended and curved:
            return _polished(surface, gamma, point, step, space)
        if ended:
            step, moved = _out_of_the_saddle(surface, gamma, point, space), 1.0
        # Far out, as in the tails of a Cauchy distribution, longer steps are needed.
        longest = max(10.0, 2 * surface.moved(gamma))
        length = _line_search(surface, gamma, point, step, min(1.0, longest / moved))
        if length == 0:
            break
        gamma = gamma + length * step
        point = surface.at(gamma)
    raise ConvergenceError(
        f"expected a Newton decrement of {DECREMENT} at most, stayed at {decrement:.3g}, where "
        f"the next step would move a linear predictor by {moved:.3g}: the likelihood is too flat "
        "or too irregular for these covariates"
    )


def _next_step(point: LikelihoodAt, space: FloatArray) -> tuple[FloatArray, float, bool]:
    """Return Newton's step, or Fisher's; its decrement; and whether it is Newton's."""
    if not space.shape[1]:
        return np.zeros(len(space)), 0.0, True
    score = space.T @ point.score
    values, vectors = np.linalg.eigh(space.T @ point.observed @ space)
    curved = bool(values[0] > _ROUNDING * np.abs(values).max())
    if not curved:
        values, vectors = np.linalg.eigh(space.T @ point.expected @ space)
        if values[-1] < _NOTHING:
            raise ConvergenceError("expected some information on the coefficients, found none")
        # Far from the maximum a direction may be nearly flat; the step in it stays bounded.
        values = np.maximum(values, 1e-6 * values[-1])
    along = vectors.T @ score
    step: FloatArray = space @ (vectors @ (along / values))
    return step, float(np.sum(along**2 / values)), curved


def _line_search(
    surface: _Surface, gamma: FloatArray, point: LikelihoodAt, step: FloatArray, length: float
) -> float:
    """Return the longest step of `length`, its half, its quarter, … that gains enough."""
    promised = float(point.score @ step)
    # Below this a gain cannot be told from rounding; the step then is as good as its direction.
    rounding = 1e-13 * abs(point.log_likelihood) + 1e-15 * surface.likelihood.n
    while length > 1e-12:
        gain = surface.at(gamma + length * step).log_likelihood - point.log_likelihood
        if gain >= 1e-4 * length * promised - rounding:
            return length
        length /= 2
    return 0.0


def _out_of_the_saddle(
    surface: _Surface, gamma: FloatArray, point: LikelihoodAt, space: FloatArray
) -> FloatArray:
    """Return a step from where the score is 0 along which the likelihood curves upwards."""
    values, vectors = np.linalg.eigh(space.T @ point.observed @ space)
    along: FloatArray = space @ vectors[:, 0] / surface.moved(space @ vectors[:, 0])
    steps = [sign * length * along for sign in (1.0, -1.0) for length in (1.0, 0.1, 0.01)]
    reached = [surface.at(gamma + step).log_likelihood for step in steps]
    best = int(np.argmax(reached))
    if not reached[best] > point.log_likelihood:
        raise ConvergenceError(
            "expected an observed information that is positive definite where the score is 0, "
            f"found its least eigenvalue to be {values[0]:.3g}: the likelihood is flat there"
        )
    return steps[best]


def _polished(
    surface: _Surface, gamma: FloatArray, point: LikelihoodAt, step: FloatArray, space: FloatArray
) -> Maximum:
    """Take one more of Newton's steps, which squares the distance, and certify the result."""
    after = surface.at(gamma + step)
    if np.linalg.norm(space.T @ after.score) < np.linalg.norm(space.T @ point.score):
        gamma, point = gamma + step, after
    values, vectors = np.linalg.eigh(space.T @ point.expected @ space)
    along = vectors.T @ (space.T @ point.score)
    decrement = float(np.sum(along**2 / values)) if (values > 0).all() else math.inf
    if not decrement <= DECREMENT:
        raise ConvergenceError(
            f"expected a Newton decrement of {DECREMENT} at most with respect to the expected "
            f"information, stayed at {decrement:.3g}"
        )
    return Maximum(
        likelihood=surface.likelihood,
        gamma=gamma,
        start=gamma,
        at=point,
        decrement=decrement,
        flat=np.zeros((surface.likelihood.size, 0)),
        directions=surface.directions,
    )


def _at_infinity(
    surface: _Surface, gamma: FloatArray, point: LikelihoodAt, step: FloatArray, space: FloatArray
) -> Maximum | None:
    """Follow the flat part of a step to its end; None if the likelihood is not greatest there."""
    flat, _ = _split(point, space)
    direction = flat @ (flat.T @ step)
    length = surface.moved(direction)
    if not length > 0 or len(surface.directions) == _MOST_LIMITS:
        return None
    limit = replace(surface, directions=(*surface.directions, direction / length))
    there = limit.at(gamma)
    flat, others = _split(there, space)
    if not math.isfinite(there.log_likelihood) or not flat.shape[1]:
        return None
    try:
        found = _ascend(limit, gamma, there, others)
    except ConvergenceError:
        return None
    if found.log_likelihood < point.log_likelihood - 1e-9 * abs(point.log_likelihood):
        return None
    return replace(found, start=gamma, flat=np.hstack([flat, found.flat]))


def _split(point: LikelihoodAt, space: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return orthonormal directions of the space that are flat, and those that are not."""
    values, vectors = np.linalg.eigh(space.T @ point.expected @ space)
    flat = values <= _FLAT * point.likelihood.n
    return space @ vectors[:, flat], space @ vectors[:, ~flat]
