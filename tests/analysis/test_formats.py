import csv
import io
import json
import math

from deniable.analysis.formats import FORMATS, Export

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


def test_a_csv_has_all_digits_small_letters_and_empty_cells() -> None:
    text = FORMATS["csv"].write(EXPORT)
    assert isinstance(text, str)
    assert text.count("\r\n") == text.count("\n") == 4
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["name", "value", "known"],
        ['a, "b"', "0.30000000000000004", "true"],
        ["c", "", "false"],
        ["d", "inf", ""],
    ]


def test_json_has_the_rows_under_their_key_and_null_for_what_it_has_no_word_for() -> None:
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
