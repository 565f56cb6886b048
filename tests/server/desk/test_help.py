"""Help where one is: no key, family, column or field is without its sentence."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deniable import designs
from deniable.designs import families
from deniable.results.meanings import meaning
from deniable.server.desk.results.query import METHOD_MEANINGS, METHODS
from deniable.survey_file import json_schema
from deniable.survey_file.meanings import FAMILIES, KEYS
from tests.server.desk.test_pages import Browser

ROOT = Path(__file__).parents[3]


def keys(schema: dict[str, Any], part: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every key that a file can have, by its way, with what is said of it."""
    for key, found in schema.get("properties", {}).items():
        yield part + key, found
        if key != "ask_if":
            inner = (*found.get("anyOf", ()), *([found["items"]] if "items" in found else []))
            for one in (found, *inner):
                yield from keys(one, f"{key}.")


def headings() -> Iterator[str]:
    """Return the headings of the columns that the sources name, with 7 for what is filled in."""
    for folder in ("results", "study", "server"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Column":
                    heading = node.args[0]
                    if isinstance(heading, ast.Constant):
                        yield str(heading.value)
                    elif isinstance(heading, ast.JoinedStr):
                        parts = (getattr(one, "value", "7") for one in heading.values)
                        yield "".join(one if isinstance(one, str) else "7" for one in parts)


def test_every_key_family_and_design_has_its_sentence() -> None:
    found = dict(keys(json_schema()))
    assert {*found} == {*KEYS}
    assert all(one["description"].endswith(".") for one in found.values())
    assert {*FAMILIES} == {*families.ANSWERS, *families.NUMBERS}
    (listed,) = (
        one["propertyNames"] for one in found["questions.design"]["anyOf"] if "propertyNames" in one
    )
    assert listed["enum"] == [*designs.BY_NAME]
    assert all(len(said) > 20 for said in listed["enumDescriptions"])
    assert {*METHODS} == {*METHOD_MEANINGS}


def test_every_column_has_its_sentence() -> None:
    found = {*headings()}
    assert len(found) > 20
    found = {one.replace("its 7", "its 95 % interval") for one in found}
    assert not [one for one in found if not meaning(one)]
    assert meaning("90 % interval").endswith("90 times in 100.")
    assert not meaning("Nonsense")


@pytest.mark.parametrize("page", ["collection.page", "invitations.page"])
def test_every_field_of_collection_has_its_sentence(researcher: Browser, page: str) -> None:
    text = researcher.see(page).text
    said = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+\.)</dd>", text))
    labels = re.findall(r"<label.*?</label>", text, re.DOTALL)
    named = [re.sub(r"<textarea.*|<span.*|<[^>]*>", "", one, flags=re.DOTALL) for one in labels]
    # What is a sentence itself needs no other.
    fields = {one.strip() for one in named if not one.strip().endswith(".")}
    assert len(fields) >= 4
    assert fields - said.keys() == set()
