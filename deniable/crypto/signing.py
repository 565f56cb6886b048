"""Verification of the signatures of releases: Ed25519 (RFC 8032).

Verification has no secret, so the code need not take constant time. `scripts/release.sh` signs
releases, with OpenSSL.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Final

_P: Final = 2**255 - 19
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_1: Final = pow(2, (_P - 1) // 4, _P)
_KEY_BYTES: Final = 32

_HEAD: Final = bytes.fromhex("302a300506032b6570032100")
"""The bytes before the 32 of an Ed25519 key in a PEM file (RFC 8410)."""

_Point = tuple[int, int, int, int]
"""Extended coordinates: X, Y, Z and T with x = X/Z, y = Y/Z and xy = T/Z."""

_ZERO: Final[_Point] = (0, 1, 1, 0)


def read_key(pem: str) -> bytes:
    """Return the 32 bytes of a public key in a PEM file."""
    lines = pem.strip().splitlines()
    wrong = ValueError("expected an Ed25519 public key in PEM form")
    if len(lines) < 3 or (lines[0], lines[-1]) != (
        "-----BEGIN PUBLIC KEY-----",
        "-----END PUBLIC KEY-----",
    ):
        raise wrong
    try:
        content = base64.b64decode("".join(lines[1:-1]), validate=True)
    except (binascii.Error, ValueError):
        raise wrong from None
    key = content.removeprefix(_HEAD)
    if len(content) != len(_HEAD) + _KEY_BYTES or len(key) != _KEY_BYTES or _point(key) is None:
        raise wrong
    return key


def is_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a signature of a message is valid under a key."""
    if len(signature) != 2 * _KEY_BYTES:
        return False
    commitment = _point(signature[:_KEY_BYTES])
    public = _point(key)
    response = int.from_bytes(signature[_KEY_BYTES:], "little")
    # A larger response would be a second valid signature of the same message.
    if commitment is None or public is None or response >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:_KEY_BYTES] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    right = _add(commitment, _times(challenge, public))
    return _is_same(_times(response, _BASE), right)


def _point(encoded: bytes) -> _Point | None:
    """Decode a point from its y and the last bit of its x; None if there is no such point."""
    y = int.from_bytes(encoded, "little")
    odd, y = y >> 255, y & (2**255 - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT_OF_MINUS_1 % _P
    if x * x % _P != square or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(number: int, point: _Point) -> _Point:
    total = _ZERO
    while number:
        if number & 1:
            total = _add(total, point)
        point = _add(point, point)
        number >>= 1
    return total


def _is_same(one: _Point, other: _Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % _P == 0 and (
        one[1] * other[2] - other[1] * one[2]
    ) % _P == 0


def _base() -> _Point:
    point = _point((4 * pow(5, -1, _P) % _P).to_bytes(_KEY_BYTES, "little"))
    assert point is not None  # noqa: S101  # by RFC 8032
    return point


_BASE: Final = _base()
