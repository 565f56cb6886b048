"""The address of a survey: known answers, the same in Python and in the browser."""

import json
import re
from pathlib import Path

import pytest

from deniable.survey.address import LETTERS, PATTERN, address_of
from tests import vectors

KNOWN = json.loads((Path(vectors.__file__).parent / "addresses.json").read_text())


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known["at"])
def test_an_address_is_seven_letters_of_a_hash(known: dict[str, str]) -> None:
    named = known.get("address") == "named"
    kind = known.get("kind", "survey")
    assert address_of(known["survey"], kind, named=named) == known["at"]
    assert re.fullmatch(PATTERN, known["at"])


def test_no_address_is_a_word_or_page() -> None:
    assert {*"AEIOULQ"}.isdisjoint(LETTERS)
    for path in ("/device/", "/join/", "/client/", "/health/", "/s//", "/BCDFGH/", "/bcdfghj/"):
        assert not re.fullmatch(PATTERN, path)
