"""Tables of findings as HTML, and as text: the same rows, none of whose names is lost."""

import re
from html import unescape

import pytest

from deniable.analysis.findings import Interval
from deniable.results.html import table_html
from deniable.results.table import (
    COUNT,
    POINTS,
    SHARE,
    SPAN,
    Column,
    Kind,
    P,
    Row,
    Section,
    Table,
    quantities,
    standard_error_column,
)
from deniable.results.text import written

SHARES = (Column("Observed", SHARE, of="observed"), Column("Estimate"), standard_error_column())


def rows(table: Table, of: str = "") -> list[list[str]]:
    """Read the cells of each line of a page's table."""
    lines = re.findall(r"<tr.*?</tr>", table_html(table, "id", "Caption", of))
    return [
        [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", one)] for one in lines
    ]


def of_two(*sections: Section) -> Table:
    return Table(("Ward", "Answer"), SHARES, sections)


def test_rows_of_one_thing_stand_together_and_the_noise_stands_last() -> None:
    day = Section("Day", (Row("No", (0.1, 0.2, 0.03)), Row("Yes", (0.4, 1.5, None), outside=True)))
    night = Section("Night", (Row("Mean", (None, 7.0, 0.5), quantities(10)),), people=12)
    assert rows(of_two(day, night), of="At ") == [
        ["Answer", "Estimate", "Standard error (SE)", "Observed"],
        ["At Day"],
        ["No", "20.0 %", "3.0 points", "10.0 %"],
        ["Yes", "150.0 % *", "–", "40.0 %"],
        ["At Night (n = 12)"],
        ["Mean", "7.00", "0.50", "–"],
    ]


def test_a_single_row_of_each_thing_needs_no_heading() -> None:
    found = of_two(*(Section(f"{one}?", (Row("Yes", (None, 0.1, 0.1)),)) for one in ("A", "B")))
    assert [line[0] for line in rows(found)] == ["Ward: Answer", "A?: Yes", "B?: Yes"]


def test_no_name_of_a_table_of_changes_is_lost() -> None:
    columns = (Column("Waves", SPAN), Column("Change"))
    some = tuple(
        Row(name, ("1 to 2", value), POINTS) for name, value in (("No", 0.1), ("Yes", -0.1))
    )
    found = Table(("Item", "Answer"), columns, (Section("doped", some),))
    page = table_html(found)
    assert rows(found)[1:] == [["doped"], ["No", "1 to 2", "10.0"], ["Yes", "1 to 2", "−10.0"]]
    assert page.count('<td class="estimate" data-label="Change">') == 2
    for name in ("doped", "No", "Yes"):
        assert name in written([found])


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (SHARE, Interval(-0.1, 0.25), "−10.0 to 25.0 %"),
        (POINTS, Interval(float("nan"), float("nan")), "–"),
        (COUNT, 12345, "12,345"),
        (P, 3e-9, "<0.0001"),
        (SHARE, None, "–"),
        (SHARE, float("nan"), "–"),
    ],
)
def test_each_kind_of_cell_is_written_in_one_way(kind: Kind, value: object, expected: str) -> None:
    assert kind.cell(value) == expected


def test_a_survey_s_texts_are_no_markup() -> None:
    evil = '<script>"&'
    rows = (Row(evil, (0.1,)), Row(evil, (0.1,)))
    found = Table((evil,), (Column(evil),), (Section(evil, rows),))
    page = table_html(found, evil, evil)
    assert "<script" not in page
    # The caption and its id twice, two headings, a section, two rows and two labels.
    assert page.count("&lt;script&gt;&quot;&amp;") == 10
