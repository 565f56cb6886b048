r"""Exact arithmetic: probabilities as people write them, and provable bounds on ``exp``.

No decision about privacy may depend on how a machine rounds. ``exp`` and ``log`` differ in the last
digit between Python, Node and Chromium, so this module compares with :math:`e^\epsilon` in
fractions only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from deniable.text.safety import shortened

Number: TypeAlias = Fraction | int | float | str
"""A number as people write it: ``Fraction(2, 3)``, ``0.25``, ``"1/4"``, ``"2/3"``, ``1``."""

MILLION: Final = 10**6

MAX_EXPONENT: Final = 1000
"""The greatest x whose :math:`e^x` is computed; every channel of integers has an ε below 23."""

# By how much a sum of floats may differ from 1.
_ROUNDED: Final = Fraction(1, 10**12)

# An exponent of four digits or more would fill the memory before any comparison.
_HUGE: Final = re.compile(r"[eE][-+]?[\d_]{4,}")

# Working precision of `exp_lower`, far beyond the 32 bits of a channel's weights.
_BITS: Final = 192


def fraction(value: Number) -> Fraction:
    """Read a number exactly as it was written.

    `value`: a float is taken for its shortest decimal (``0.3`` is 3/10, not the nearest binary
    fraction); a string may be a decimal or a quotient of integers.
    """
    written = repr(float(value)) if isinstance(value, float) else value
    try:
        if isinstance(written, str) and _HUGE.search(written):
            raise ValueError
        return Fraction(written)
    except (ValueError, ZeroDivisionError, TypeError):
        found = f"expected a number such as 0.25 or 1/4, found {shortened(value)}"
        raise ValueError(f"{found}{_without_percent(value)}") from None


def _without_percent(value: object) -> str:
    """Say how a percentage is written as a part of 1; empty for another value."""
    try:
        part = percent(str(value)) if str(value).strip().endswith("%") else None
    except ValueError:
        return ""
    return "" if part is None else f": write {float(part):g}"


def probability(value: Number, name: str = "a probability") -> Fraction:
    """Read a probability exactly as it was written.

    `value`: see `fraction`. `name`: its name in the error message. Result: between 0 and 1.
    """
    exact = fraction(value)
    if not 0 <= exact <= 1:
        raise ValueError(f"expected {name} between 0 and 1, found {value}")
    return exact


def distribution(
    values: Sequence[Number], names: str = "probabilities", name: str = "a probability"
) -> list[Fraction]:
    """Read probabilities that sum to 1.

    `names`, `name`: for the error messages. Floats need sum to 1 within
    1e-12 alone: 0.01 and 1 - 0.01 do not do so exactly, and 1 - 0.8 - 0.2 is not 0.
    """
    rounded = any(isinstance(value, float) for value in values)
    found = [
        probability(0 if isinstance(value, float) and abs(value) <= _ROUNDED else value, name)
        for value in values
    ]
    total = sum(found, Fraction(0))
    if total != 1 and not (rounded and abs(total - 1) <= _ROUNDED):
        raise ValueError(
            f"expected {names} that sum to 1, found {total}"
            + ': write exact ones as texts, such as "99/100"' * rounded
        )
    return [value / total for value in found]


def percent(written: str, name: str = "percent", *, example: int = 20, unit: str = "%") -> Fraction:
    """Read a share that is written in percent: ``20`` or ``20%``.

    `name`, `example`, `unit`: for the error message. Result: between 0 and 1. Rejected with a
    question: a quotient, or a number up to 1 without the sign, which may be meant as a part of 1.
    """
    number = written.strip()
    bare = number.removesuffix("%").strip()
    expected = f"expected {name} such as {example} or {example}%, found {written!r}"
    try:
        value = fraction(bare)
    except ValueError:
        raise ValueError(expected) from None
    if bare == number and (0 < value <= 1 or "/" in bare):
        meant = f"{float(100 * value):.4g}{unit}"
        more = "" if "/" in bare else f" A number up to 1 needs its sign: {bare}%."
        raise ValueError(f"{expected}: did you mean {meant}?{more}")
    if not 0 <= value <= 100:
        raise ValueError(f"expected {name} from 0 to 100, found {written!r}")
    return value / 100


def epsilon_above_0(value: Number) -> Fraction:
    """Read an ε exactly as it was written."""
    epsilon = fraction(value)
    if epsilon <= 0:
        raise ValueError(f"expected an epsilon above 0, found {value}")
    return epsilon


def exp_lower(x: Fraction) -> Fraction:
    """Bound :math:`e^x` from below, to a relative error under 1e-40.

    The Taylor series of :math:`e^{x/2^j}` has positive terms only, so cutting it off and rounding
    every term down gives a lower bound; squaring a lower bound of a positive number ``j`` times,
    rounded down each time, gives another.
    """
    if x < 0:
        raise ValueError(f"expected a number of at least 0, found {x}")
    if x > MAX_EXPONENT:
        raise ValueError(f"expected a number of at most {MAX_EXPONENT}, found {float(x):g}")
    halvings = max(0, math.ceil(x).bit_length())
    numerator, denominator = x.numerator, x.denominator << halvings
    term = total = 1 << _BITS
    order = 0
    while term:
        order += 1
        term = term * numerator // (denominator * order)
        total += term
    for _ in range(halvings):
        total = (total * total) >> _BITS
    return Fraction(total, 1 << _BITS)


def log_millionths(ratio: Fraction) -> int:
    """Round the natural logarithm of a ratio **up** to a multiple of 1e-6."""
    if ratio < 1:
        raise ValueError(f"expected a ratio of at least 1, found {ratio}")
    # The float logarithm is only a starting point: two below it is surely below the answer.
    millionths = max(0, math.floor(math.log(ratio) * MILLION) - 2)
    while exp_lower(Fraction(millionths, MILLION)) < ratio:
        millionths += 1
    return millionths
