"""Signatures of releases and blind ones of tokens: the vectors of RFC 8032 and 9474."""

import base64
import json
import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from deniable.crypto import blind as blinding
from deniable.crypto.blind import (
    BITS,
    PrivateKey,
    blind,
    blind_by,
    is_key,
    is_token,
    mark_of,
    new_key,
    unblind,
)
from deniable.crypto.signing import is_signed, read_key
from deniable.survey.checks import check_token_keys
from tests.kit import KEYS, PUBLIC

pytestmark = pytest.mark.promise("release", "token")

SIGNED = [  # RFC 8032, section 7.1: TEST 1 and 3
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]
ORDER = 2**252 + 27742317777372353535851937790883648493


@pytest.mark.parametrize("vector", SIGNED, ids=["empty", "two bytes"])
def test_the_vectors_of_the_standard(vector: tuple[str, str, str]) -> None:
    key, message, signature = map(bytes.fromhex, vector)
    assert is_signed(key, message, signature)
    assert not is_signed(key, message + b"x", signature)
    for place in (0, 31, 32, 62):
        altered = bytearray(signature)
        altered[place] ^= 1
        assert not is_signed(key, message, bytes(altered))


def test_a_signature_has_one_form() -> None:
    key, message, signature = map(bytes.fromhex, SIGNED[1])
    more = int.from_bytes(signature[32:], "little") + ORDER
    assert not is_signed(key, message, signature[:32] + more.to_bytes(32, "little"))
    assert not is_signed(key, message, signature + b"\0")
    assert not is_signed(key, message, b"")
    assert not is_signed(bytes.fromhex(SIGNED[0][0]), message, signature)
    assert not is_signed(b"\xff" * 32, message, signature)


def _pem(content: bytes) -> str:
    body = base64.b64encode(content).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\n%%%\n-----END PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\nä\n-----END PUBLIC KEY-----",
        _pem(bytes.fromhex(SIGNED[0][0])),
        _pem(bytes.fromhex(f"302a300506032b656e032100{SIGNED[0][0]}")),  # X25519
        _pem(bytes.fromhex(f"302a300506032b6570032100{'ff' * 32}")),  # no point of the curve
        _pem(bytes.fromhex(f"302a300506032b6570032100{SIGNED[0][0]}00")),
    ],
)
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(ValueError, match="Ed25519 public key"):
        read_key(text)


VECTORS = Path(__file__).parents[1] / "vectors"
VECTOR = json.loads((VECTORS / "blind.json").read_text())
WEAK = json.loads((VECTORS / "weak-keys.json").read_text())
KEY, OTHER = KEYS[:2]
ID = bytes(range(16))


def of(name: str) -> bytes:
    return bytes.fromhex(VECTOR[name])


def test_the_vector_of_the_rfc_comes_out() -> None:
    n = int(VECTOR["n"], 16)
    hidden = blind_by(
        VECTOR["n"],
        of("msg"),
        prefix=of("msg_prefix"),
        salt=of("salt"),
        mask=pow(int(VECTOR["inv"], 16), -1, n),
    )
    assert hidden.blinded == of("blinded_msg")
    signed = PrivateKey(int(VECTOR["p"], 16), int(VECTOR["q"], 16)).sign(hidden.blinded)
    assert signed == of("blind_sig")
    token = unblind(VECTOR["n"], hidden, signed)
    assert token == of("msg_prefix") + of("sig")
    assert is_token(VECTOR["n"], of("msg"), token)


def test_a_token_fits_its_message_and_key() -> None:
    hidden = blind(KEY.public, ID)
    token = unblind(KEY.public, hidden, KEY.sign(hidden.blinded))
    assert is_token(KEY.public, ID, token)
    assert not is_token(KEY.public, bytes(16), token)
    assert not is_token(OTHER.public, ID, token)
    for place in (0, 31, 32, 33, 100, len(token) - 1):
        altered = bytearray(token)
        altered[place] ^= 1
        assert not is_token(KEY.public, ID, bytes(altered))
    n = int(KEY.public, 16)
    above = int.from_bytes(token[32:]) + n
    assert not is_token(KEY.public, ID, token[:32] + above.to_bytes(257))
    for forged in (b"", token[:-1], token + b"\0", bytes(288), b"\xff" * 288, os.urandom(288)):
        assert not is_token(KEY.public, ID, forged)


def test_what_another_key_signed_makes_no_token() -> None:
    hidden = blind(KEY.public, ID)
    other = OTHER.sign((int.from_bytes(hidden.blinded) % int(OTHER.public, 16)).to_bytes(256))
    for signed in (other, hidden.blinded, b"", bytes(256), KEY.sign(hidden.blinded) + b"\0"):
        with pytest.raises(ValueError, match="signature of the survey's key"):
            unblind(KEY.public, hidden, signed)


@pytest.mark.promise("unlinkable")
def test_each_blinded_message_could_be_for_each_report() -> None:
    # Whoever has all that was signed and all tokens finds for each pair a blinding that fits.
    n = int(KEY.public, 16)
    hidden = [blind(KEY.public, message) for message in (ID, bytes(16))]
    tokens = [unblind(KEY.public, one, KEY.sign(one.blinded)) for one in hidden]
    for one in hidden:
        for token in tokens:
            encoded = pow(int.from_bytes(token[32:]), 65537, n)
            mask_to_e = int.from_bytes(one.blinded) * pow(encoded, -1, n) % n
            mask = int.from_bytes(KEY.sign(mask_to_e.to_bytes(256)))
            assert encoded * pow(mask, 65537, n) % n == int.from_bytes(one.blinded)


@pytest.mark.promise("unlinkable")
def test_signing_hides_from_time_and_takes_numbers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[int] = Counter()
    real = blinding._root

    def watch(base: int, prime: int) -> int:
        seen[base % prime] += 1
        return real(base, prime)

    monkeypatch.setattr(blinding, "_root", watch)
    chosen = (2).to_bytes(256)
    assert len({KEY.sign(chosen) for _ in range(5)}) == 1
    # The attacker chose 2 five times; what was raised to a secret power was never the same.
    assert len(seen) == 10
    for wrong in (b"", chosen[1:], b"\0" + chosen, bytes.fromhex(KEY.public), b"\xff" * 256):
        with pytest.raises(ValueError, match="below the modulus"):
            KEY.sign(wrong)
    monkeypatch.setattr(blinding, "_root", lambda base, prime: real(base, prime) ^ 1)
    with pytest.raises(ArithmeticError, match="not given away"):
        KEY.sign(chosen)


def test_a_new_key_has_two_unprinted_primes() -> None:
    key = new_key(512)
    assert pow(2, key.p - 1, key.p) == pow(2, key.q - 1, key.q) == 1
    assert len(key.public) == 128
    assert str(key.p) not in repr(key)
    assert f"{key.p:x}" not in repr(key)


def test_a_public_key_is_read_strictly() -> None:
    key = PUBLIC[0]
    assert is_key(key)
    assert len(key) == BITS // 4
    even = key[:-1] + "0"
    for wrong in (key.upper(), key[1:], "0" + key[1:], even, key + "\n", "", 1, None, key.encode()):
        assert not is_key(wrong)
    assert len({mark_of(one) for one in PUBLIC}) == len(PUBLIC)


@pytest.mark.promise("unlinkable")
@pytest.mark.parametrize("weak", WEAK, ids=lambda weak: str(weak["factors"]))
def test_a_small_factor_is_no_key(weak: Any) -> None:
    key, factors = weak["key"], weak["factors"]
    assert int(key, 16) % math.prod(factors) == 0
    assert not is_key(key)
    with pytest.raises(ValueError, match="without a small factor"):
        check_token_keys([key], 1, "survey")
    for _ in range(30):  # of a factor of 3, all but 5 in a million would show it
        assert math.gcd(int.from_bytes(blind(key, ID).blinded), int(key, 16)) == 1
