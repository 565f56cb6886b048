"""Blind signatures: RFC 9474, RSABSSA-SHA384-PSS-Randomized.

A respondent with a code gets a signature of a message that the signer cannot see: the id of a
report. The device blinds the message, the signer signs the blinded one, and the device unblinds the
signature. The result is a *token*: a random prefix and a signature of prefix and id. Everybody can
verify it with the public key, and nobody, not even the signer, can link it to a signing: for each
blinded message and each token there is one blinding that leads from the one to the other.

Keys are RSA keys of `BITS` bits with the public exponent 65537, so a public key is its modulus, in
hex digits. Each wave has a key of its own, because anything else in a token would either be visible
to the signer or remain unverified.
"""

from __future__ import annotations

import hashlib
import math
import re
import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import Final

BITS: Final = 2048
"""Bits of a modulus: the least that RFC 9474 asks for."""

EXPONENT: Final = 65537

PREFIX_BYTES: Final = 32
"""Random bytes before the id, so that nobody can request a signature of a chosen message."""

TOKEN_BYTES: Final = PREFIX_BYTES + BITS // 8

_SALT_BYTES: Final = 48
_HASH_BYTES: Final = 48
_ROUNDS: Final = 32
_SMALL: Final = math.prod(range(3, 1 << 12, 2))
_KEY: Final = re.compile(rf"[89a-f][0-9a-f]{{{BITS // 4 - 2}}}[13579bdf]")


@dataclass(frozen=True)
class PrivateKey:
    """A private RSA key, by its two primes."""

    p: int
    q: int

    @cached_property
    def public(self) -> str:
        """The public key that belongs to it."""
        return f"{self.p * self.q:x}"

    def __repr__(self) -> str:
        # Names the public key alone: printed text ends up in logs.
        return f"PrivateKey({mark_of(self.public)})"

    def sign(self, blinded: bytes) -> bytes:
        """Sign a blinded message.

        `blinded`: as long as the modulus.

        The adversary chooses the message and measures the time. So the base of the secret power is
        random, and so is the exponent: the time depends on neither message nor key. A fault in one
        of the two halves would give the primes away: each signature is verified before it leaves.
        """
        n, size = self.p * self.q, len(self.public) // 2
        message = int.from_bytes(blinded)
        if len(blinded) != size or message >= n:
            raise ValueError(f"expected a number of {size} bytes, below the modulus")
        mask = _unit(n)
        base = message * pow(mask, EXPONENT, n) % n
        by_p, by_q = _root(base, self.p), _root(base, self.q)
        masked = by_q + self.q * ((by_p - by_q) * pow(self.q, -1, self.p) % self.p)
        signed = masked * pow(mask, -1, n) % n
        if pow(signed, EXPONENT, n) != message:
            raise ArithmeticError("a signature came out wrong and was not given away")
        return signed.to_bytes(size)


@dataclass(frozen=True)
class Blinded:
    """What a device keeps until its message is signed."""

    prefix: bytes
    blinded: bytes
    inverse: int


def new_key(bits: int = BITS) -> PrivateKey:
    """Draw a private key."""
    p = _new_prime(bits // 2)
    # With primes close to the root of the modulus, Fermat's method factors it.
    while abs(p - (q := _new_prime(bits // 2))) < 1 << (bits // 2 - 100):
        pass
    return PrivateKey(p, q)


def is_key(text: object) -> bool:
    """Return whether this is a public key as in a survey's document.

    A modulus with a small factor is rejected: no honest key has one.
    """
    if not isinstance(text, str) or _KEY.fullmatch(text) is None:
        return False
    return math.gcd(int(text, 16), _SMALL) == 1


def mark_of(key: str) -> str:
    """Return a short name of a public key."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def blind(key: str, message: bytes) -> Blinded:
    """Blind a message with fresh randomness.

    An encoded message that shares a factor with the modulus keeps that factor when it is blinded,
    and the token shows it: prefix and salt are drawn anew until there is none (RFC 9474, 4.2, step
    4). Then a signer who knows the factors learns nothing: the mask is uniform among the units, so
    its power is too, and so is the blinded message. If 65537 divides the order of the units, the
    power is uniform among the powers alone; but then only powers can be signed, so all messages
    with a token look alike.
    """
    n = int(key, 16)
    while True:
        prefix, salt = secrets.token_bytes(PREFIX_BYTES), secrets.token_bytes(_SALT_BYTES)
        hidden = blind_by(key, message, prefix=prefix, salt=salt, mask=_unit(n))
        if math.gcd(int.from_bytes(hidden.blinded), n) == 1:
            return hidden


def blind_by(key: str, message: bytes, *, prefix: bytes, salt: bytes, mask: int) -> Blinded:
    """Blind a message with given randomness: for test vectors."""
    n = int(key, 16)
    encoded = _encode(prefix + message, salt, n.bit_length() - 1)
    blinded = int.from_bytes(encoded) * pow(mask, EXPONENT, n) % n
    return Blinded(prefix, blinded.to_bytes(len(key) // 2), pow(mask, -1, n))


def unblind(key: str, blinded: Blinded, signed: bytes) -> bytes:
    """Unblind a signature: return the token, or raise a `ValueError` if the signature is wrong."""
    n, number = int(key, 16), int.from_bytes(signed)
    if len(signed) != len(key) // 2 or pow(number, EXPONENT, n) != int.from_bytes(blinded.blinded):
        raise ValueError("expected the signature of the survey's key")
    return blinded.prefix + (number * blinded.inverse % n).to_bytes(len(signed))


def is_token(key: str, message: bytes, token: bytes) -> bool:
    """Return whether a token is valid for a message."""
    prefix, signature = token[:PREFIX_BYTES], token[PREFIX_BYTES:]
    return len(prefix) == PREFIX_BYTES and _verifies(key, prefix + message, signature)


def _verifies(key: str, message: bytes, signature: bytes) -> bool:
    """Return whether a signature of a message is valid (RSASSA-PSS with SHA-384)."""
    n = int(key, 16)
    number, bits = int.from_bytes(signature), n.bit_length() - 1
    if len(signature) != len(key) // 2 or number >= n:
        return False
    encoded = pow(number, EXPONENT, n)
    return encoded.bit_length() <= bits and _is_encoded(
        message, encoded.to_bytes(-(-bits // 8)), bits
    )


def _encode(message: bytes, salt: bytes, bits: int) -> bytes:
    """Encode a message by EMSA-PSS of RFC 8017, 9.1.1."""
    size = -(-bits // 8)
    inner = hashlib.sha384(bytes(8) + hashlib.sha384(message).digest() + salt).digest()
    padded = bytes(size - len(salt) - _HASH_BYTES - 2) + b"\1" + salt
    return _masked(padded, inner, bits) + inner + b"\xbc"


def _is_encoded(message: bytes, encoded: bytes, bits: int) -> bool:
    """Verify by EMSA-PSS-VERIFY of RFC 8017, 9.1.2: encode with its salt, and compare."""
    body, inner = encoded[: -_HASH_BYTES - 1], encoded[-_HASH_BYTES - 1 : -1]
    salt = _masked(body, inner, bits)[-_SALT_BYTES:]
    return _encode(message, salt, bits) == encoded


def _masked(body: bytes, seed: bytes, bits: int) -> bytes:
    """XOR a body with the MGF1 mask of a seed, and clear the bits above the encoding's highest."""
    mask = b"".join(
        hashlib.sha384(seed + count.to_bytes(4)).digest()
        for count in range(-(-len(body) // _HASH_BYTES))
    )
    mixed = int.from_bytes(body) ^ int.from_bytes(mask[: len(body)])
    highest = bits - 8 * (_HASH_BYTES + 1)
    return (mixed & ((1 << highest) - 1)).to_bytes(len(body))


def _root(base: int, prime: int) -> int:
    """Return the root of the public exponent modulo a prime."""
    order = prime - 1
    # Another random multiple of the order in each call: its time tells nothing.
    power = pow(EXPONENT, -1, order) + secrets.randbits(64) * order
    return pow(base, power, prime)


def _unit(n: int) -> int:
    """Draw a number that has an inverse modulo n."""
    while math.gcd(drawn := secrets.randbelow(n), n) != 1:
        pass
    return drawn


def _new_prime(bits: int) -> int:
    # The two highest bits are set, so that the product of two primes has all its bits.
    while True:
        drawn = secrets.randbits(bits) | (3 << (bits - 2)) | 1
        is_rough = drawn % EXPONENT != 1 and math.gcd(drawn, _SMALL) == 1
        if is_rough and _is_prime(drawn):
            return drawn


def _is_prime(number: int) -> bool:
    """Test by Miller and Rabin: a composite number passes a round with a chance of at most 1/4."""
    twos = ((number - 1) & -(number - 1)).bit_length() - 1
    odd = (number - 1) >> twos
    for _ in range(_ROUNDS):
        power = pow(secrets.randbelow(number - 3) + 2, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True
