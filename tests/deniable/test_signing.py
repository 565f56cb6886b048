"""Signatures of releases, against the vectors of RFC 8032 and against OpenSSL."""

import base64
from pathlib import Path

import pytest

from deniable.crypto.signing import is_signed, read_key
from tests.kit.signer import Signer

pytestmark = pytest.mark.promise("release")

VECTORS = [  # RFC 8032, section 7.1: TEST 1, 2 and 3
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
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


@pytest.mark.parametrize("vector", VECTORS, ids=["empty", "a byte", "two bytes"])
def test_the_vectors_of_the_standard(vector: tuple[str, str, str]) -> None:
    key, message, signature = map(bytes.fromhex, vector)
    assert is_signed(key, message, signature)
    assert not is_signed(key, message + b"x", signature)
    for place in (0, 31, 32, 62):
        altered = bytearray(signature)
        altered[place] ^= 1
        assert not is_signed(key, message, bytes(altered))


def test_a_signature_has_one_form() -> None:
    key, message, signature = map(bytes.fromhex, VECTORS[2])
    more = int.from_bytes(signature[32:], "little") + ORDER
    assert not is_signed(key, message, signature[:32] + more.to_bytes(32, "little"))
    assert not is_signed(key, message, signature + b"\0")
    assert not is_signed(key, message, b"")
    assert not is_signed(bytes.fromhex(VECTORS[1][0]), message, signature)
    assert not is_signed(b"\xff" * 32, message, signature)


def test_what_openssl_signs(tmp_path: Path) -> None:
    signer, message = Signer(tmp_path), tmp_path / "message"
    message.write_bytes(b"what is signed")
    key, signature = read_key(signer.public.read_text()), signer.signature(message)
    assert is_signed(key, message.read_bytes(), signature)
    assert not is_signed(key, b"something else", signature)


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
        _pem(bytes.fromhex(VECTORS[0][0])),
        _pem(bytes.fromhex(f"302a300506032b656e032100{VECTORS[0][0]}")),  # X25519
        _pem(bytes.fromhex(f"302a300506032b6570032100{'ff' * 32}")),  # no point of the curve
        _pem(bytes.fromhex(f"302a300506032b6570032100{VECTORS[0][0]}00")),
    ],
)
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(ValueError, match="Ed25519 public key"):
        read_key(text)
