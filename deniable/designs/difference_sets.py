"""Difference sets: residues whose translates are blocks with pairwise equal overlaps.

They are the combinatorics behind `deniable.designs.block`, and do not depend on privacy.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from deniable.channel import MAX_REPORTS


@dataclass(frozen=True)
class DifferenceSet:
    """A (v, m, λ) difference set: each residue but 0 is λ times a difference of two members.

    `v`: the modulus, which is also the number of points and of blocks. `residues`: the m members,
    in ascending order.

    Notes
    -----
    Its v translates, one for every residue x added to all of its members, are the blocks of a
    symmetric block design: each has m points, each point is in m blocks, and any two blocks have
    λ points in common.

    References
    ----------
    Colbourn, C. J. and Dinitz, J. H. (eds.) (2007). Handbook of combinatorial designs, 2nd ed.
    Chapman & Hall/CRC, chapter VI.18.
    """

    name: str
    v: int
    residues: tuple[int, ...]

    @property
    def m(self) -> int:
        """Number of points in a block."""
        return len(self.residues)

    @property
    def index(self) -> int:
        """λ, the number of points that two blocks have in common: m (m − 1) = λ (v − 1)."""
        return self.m * (self.m - 1) // (self.v - 1)

    def block(self, x: int) -> tuple[int, ...]:
        """Return the points of block x, which is the set moved on by x."""
        return tuple(sorted((x + residue) % self.v for residue in self.residues))

    def complement(self) -> DifferenceSet:
        """Return the other residues, which are a (v, v − m, v − 2m + λ) difference set."""
        others = sorted(set(range(self.v)).difference(self.residues))
        return DifferenceSet(f"{self.name}-complement", self.v, tuple(others))


def paley(v: int) -> DifferenceSet:
    """Return Paley's difference set: the squares modulo a prime.

    `v`: a prime that leaves 3 when divided by 4. The set has ``(v, (v − 1)/2, (v − 3)/4)``.

    References
    ----------
    Paley, R. E. A. C. (1933). On orthogonal matrices. Journal of Mathematics and Physics 12,
    311-320.

    Examples
    --------
    >>> paley(11)
    DifferenceSet(name='paley-11', v=11, residues=(1, 3, 4, 5, 9))
    """
    return DifferenceSet(f"paley-{v}", v, tuple(sorted({x * x % v for x in range(1, v)})))


def quartic(v: int) -> DifferenceSet:
    """Return the fourth powers modulo a prime, with 0 where the prime is 9 above a square.

    `v`: a prime that is ``4 a² + 1`` or ``4 a² + 9`` for an odd a.

    References
    ----------
    Chowla, S. (1944). A property of biquadratic residues. Proceedings of the National Academy of
    Sciences of India A 14, 45-46; with 0: Lehmer, E. (1953). On residue difference sets. Canadian
    Journal of Mathematics 5, 425-432.

    Examples
    --------
    >>> quartic(37)
    DifferenceSet(name='quartic-37', v=37, residues=(1, 7, 9, 10, 12, 16, 26, 33, 34))
    """
    powers = {x**4 % v for x in range(1, v)}
    nothing = {0} if math.isqrt(v - 9) ** 2 == v - 9 else set()
    return DifferenceSet(f"quartic-{v}", v, tuple(sorted(powers | nothing)))


def singer(p: int, r: int, n: int) -> DifferenceSet:
    """Return Singer's difference set: the points of a hyperplane of a projective space.

    Parameters
    ----------
    p : int
        A prime.
    r : int
        The space is over the field of ``q = p^r`` elements.
    n : int
        It has ``n − 1`` dimensions; in a plane, where n is 3, the hyperplanes are lines.

    Notes
    -----
    The parameters are ``v = (q^n − 1)/(q − 1)``, ``m = (q^(n−1) − 1)/(q − 1)`` and ``λ = (q^(n−2) −
    1)/(q − 1)``. The name is ``hadamard`` over the field of two elements, otherwise ``planar`` in a
    plane and ``singer`` in more dimensions.
    The points of the space are the powers ``α^0, …, α^(v−1)`` of a primitive element of the field
    of ``q^n`` elements, because ``α^v`` is a scalar; multiplying by α moves each hyperplane to the
    next. One hyperplane is where the trace ``x + x^q + … + x^(q^(n−1))`` is 0.

    References
    ----------
    Singer, J. (1938). A theorem in finite projective geometry and some applications to number
    theory. Transactions of the American Mathematical Society 43, 377-385.

    Examples
    --------
    >>> singer(3, 1, 3)
    DifferenceSet(name='planar-13', v=13, residues=(0, 4, 10, 12))
    """
    q = p**r
    powers = _powers_of_a_primitive_element(p, r * n)
    v = len(powers) // (q - 1)
    residues = tuple(
        i
        for i in range(v)
        if not any(
            sum(coordinates) % p
            for coordinates in zip(*(powers[i * q**j % len(powers)] for j in range(n)), strict=True)
        )
    )
    family = "hadamard" if q == 2 else "planar" if n == 3 else "singer"
    return DifferenceSet(f"{family}-{v}", v, residues)


@lru_cache(maxsize=1)
def catalogue() -> tuple[DifferenceSet, ...]:
    """Return all sets of the families that fit in one byte, and complements, by v, then m."""
    sets = [singer(p, r, n) for p, r, n in _SPACES]
    sets += map(quartic, _QUARTIC)
    sets += [paley(v) for v in range(7, MAX_REPORTS + 1, 4) if _is_prime(v)]
    sets += [differences.complement() for differences in sets]
    return tuple(sorted(sets, key=lambda differences: (differences.v, differences.m)))


# All primes that `quartic` takes, except 13, whose set is a projective plane's.
_QUARTIC: Final = (37, 101, 109, 197)

# (p, r, n) of all projective spaces of two or more dimensions with 255 points or fewer.
_SPACES: Final = (
    *((2, 1, n) for n in range(3, 9)),
    *((3, 1, n) for n in (3, 4, 5)),
    *((2, 2, n) for n in (3, 4)),
    *((5, 1, n) for n in (3, 4)),
    *((p, r, 3) for p, r in ((7, 1), (2, 3), (3, 2), (11, 1), (13, 1))),
)


def _powers_of_a_primitive_element(p: int, degree: int) -> list[tuple[int, ...]]:
    """Return ``α^0, α^1, …`` as polynomials in α over p elements, lowest coefficient first."""
    # With a constant term of 0 the root would be 0. Otherwise its powers return to 1.
    polynomials = itertools.product(range(1, p), *[range(p)] * (degree - 1))
    orbits = (_powers_of_a_root(polynomial, p) for polynomial in polynomials)
    return next(powers for powers in orbits if len(powers) == p**degree - 1)


def _powers_of_a_root(polynomial: Sequence[int], p: int) -> list[tuple[int, ...]]:
    """Return the powers of α, ``α^degree = −Σ polynomial[i] α^i``, until they return to 1."""
    one = (1, *([0] * (len(polynomial) - 1)))
    powers = [one]
    while (power := _times_alpha(powers[-1], polynomial, p)) != one:
        powers.append(power)
    return powers


def _times_alpha(power: Sequence[int], polynomial: Sequence[int], p: int) -> tuple[int, ...]:
    shifted = (0, *power[:-1])
    return tuple((a - power[-1] * c) % p for a, c in zip(shifted, polynomial, strict=True))


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))
