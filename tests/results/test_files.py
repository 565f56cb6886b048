import csv
import io
import json
import math
import re
from pathlib import Path

import pytest

from deniable.results.files import FORMATS, Export, write_csv
from deniable.text.safety import from_inert, inert

EXPORT = Export(
    columns=("name", "value", "known"),
    rows=[
        {"name": 'a, "b"', "value": 0.1 + 0.2, "known": True},
        {"name": "c", "value": math.nan, "known": False},
        {"name": "d", "value": math.inf, "known": None},
    ],
    document={"title": "Ünï", "level": math.nan, "table": [[0.5, -math.inf]]},
    key="things",
)


def test_csvs_have_all_digits_and_empty_cells() -> None:
    text = FORMATS["csv"].write(EXPORT)
    assert isinstance(text, str)
    assert text.count("\r\n") == text.count("\n") == 4
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["name", "value", "known"],
        ['a, "b"', "0.30000000000000004", "true"],
        ["c", "", "false"],
        ["d", "inf", ""],
    ]


def test_json_has_rows_and_nulls() -> None:
    text = FORMATS["json"].write(EXPORT)
    assert isinstance(text, str)
    assert "Ünï" in text
    assert json.loads(text, parse_constant=lambda name: f"not JSON: {name}") == {
        "title": "Ünï",
        "level": None,
        "table": [[0.5, None]],
        "things": [
            {"name": 'a, "b"', "value": 0.1 + 0.2, "known": True},
            {"name": "c", "value": None, "known": False},
            {"name": "d", "value": None, "known": None},
        ],
    }


FORMULAS = [
    *("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", " =1", "\t1"),
    *("\uff1d1", "-", "=", "--1", "-1e", "+1 234"),
]


@pytest.mark.promise("spreadsheet")
@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_is_no_formula_in_a_spreadsheet(text: str) -> None:
    export = Export((text, "n"), [{text: text, "n": -1.5}], {})
    ((name, _), (cell, number)) = csv.reader(io.StringIO(write_csv(export), newline=""))
    assert name == cell == f"'{text}".replace("\t=", "\t'=").replace("\r=", "\r'=")
    assert from_inert(cell) == text
    assert number == "-1.5"


@pytest.mark.promise("spreadsheet")
@pytest.mark.parametrize("between", [";", "\t", "\n", "\r", '; "', ";;", "\n\n "])
def test_no_separator_makes_a_text_a_formula(between: str) -> None:
    text = f"- a{between}=1+1{between}@b{between}c"
    assert inert(text) == f"'- a{between}'=1+1{between}'@b{between}c"
    assert from_inert(inert(text)) == text
    long = f"a{between * 500_000}"  # the square of it would be hours
    assert inert(long) == long


@pytest.mark.parametrize(
    "text", ["a; b", "a; 'b'", "a=b", "1-2", "-5", "+5", "-1.5e-7", "", "it's", "’", "é"]
)
def test_any_other_text_is_left_alone(text: str) -> None:
    assert write_csv(Export(("x",), [{"x": text}], {})).splitlines()[1:] in ([text], ['""'])


@pytest.mark.promise("spreadsheet")
def test_every_csv_is_written_by_one_writer() -> None:
    """That of reports by its own, which is as careful; what `tables` writes is in no file."""
    rooms = ["analysis", "results", "study", "publication", "server", "cli", "deniable"]
    rooms += ["classroom", "lab"]
    root = Path(__file__).parents[2]
    found = {
        str(file.relative_to(root))
        for room in rooms
        for file in (root / room).rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)|to_csv", file.read_text(encoding="utf-8"))
    }
    known = {"results/files.py", "analysis/counts/reports_csv.py", "study/tables.py"}
    assert found == known
