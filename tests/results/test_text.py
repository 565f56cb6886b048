"""Tables of findings as pages and as text: no name and no number is lost."""

import io
import re
from html import unescape

import pytest
from rich.cells import cell_len
from rich.console import RenderableType

from deniable.analysis.findings import Interval
from deniable.results.html import table_html
from deniable.results.table import (
    COUNT,
    POINTS,
    SHARE,
    SPAN,
    CellFormat,
    Column,
    P,
    Row,
    Section,
    Table,
    quantities,
    standard_error_column,
)
from deniable.results.text import console, table, written

SHARES = (Column("Observed", SHARE, of="observed"), Column("Estimate"), standard_error_column())


def rows(table: Table, of: str = "") -> list[list[str]]:
    lines = re.findall(r"<tr.*?</tr>", table_html(table, "id", "Caption", of))
    return [
        [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", one)] for one in lines
    ]


def of_two(*sections: Section) -> Table:
    return Table(("Ward", "Answer"), SHARES, sections)


def test_rows_stand_together_and_noise_last() -> None:
    day = Section("Day", (Row("No", (0.1, 0.2, 0.03)), Row("Yes", (0.4, 1.5, None), outside=True)))
    night = Section("Night", (Row("Mean", (None, 7.0, 0.5), quantities(10)),), people=12)
    assert rows(of_two(day, night), of="At ") == [
        ["Answer", "Estimate", "Standard error (SE)", "Observed"],
        ["At Day"],
        ["No", "20.0 %", "3.0 points", "10.0 %"],
        ["Yes", "150.0 % ◆", "–", "40.0 %"],
        ["At Night (n = 12)"],
        ["Mean", "7.00", "0.50", "–"],
    ]


def test_single_rows_need_no_heading() -> None:
    found = of_two(*(Section(f"{one}?", (Row("Yes", (None, 0.1, 0.1)),)) for one in ("A", "B")))
    assert [line[0] for line in rows(found)] == ["Ward: Answer", "A?: Yes", "B?: Yes"]


def test_tables_of_changes_lose_no_name() -> None:
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
    ],
)
def test_each_kind_of_cell_is_written(kind: CellFormat, value: object, expected: str) -> None:
    assert kind.cell(value) == expected


def test_a_survey_s_texts_are_no_markup() -> None:
    evil = '<script>"&'
    rows = (Row(evil, (0.1,)), Row(evil, (0.1,)))
    found = Table((evil,), (Column(evil),), (Section(evil, rows),))
    page = table_html(found, evil, evil)
    assert "<script" not in page
    # The caption and its id twice, two headings, a section, two rows and two labels.
    assert page.count("&lt;script&gt;&quot;&amp;") == 10


NUMBERS = ("95 % interval", "People for ±5", "p")
FOREIGN = (
    "هل غششت يومًا في امتحان؟",
    "試験で不正をしたことがありますか",
    "Haben Sie je bei einer Prüfung abgeschrieben oder abschreiben lassen, und wenn ja, wie oft?",
    "error",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(part: RenderableType, width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    console(out).print(part)
    lines = [re.sub(r"\x1b\[\d*m", "", line) for line in out.getvalue().splitlines()]
    assert max(map(cell_len, lines)) <= width
    return lines


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_name_or_number_is_cut(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = table("Item", "Answer", *NUMBERS, numbers=NUMBERS)
    for name in FOREIGN:
        made.add_row(name, "No, not ever", "−1,234.5 to 6,789.0 %", "1,234,567", "<0.0001")
    lines = printed(made, width, monkeypatch)
    text = "\n".join(lines)
    assert "…" not in text
    for number in ("−1,234.5 to 6,789.0 %", "1,234,567", "<0.0001"):
        assert text.count(number) == len(FOREIGN)
    for name in FOREIGN:  # a name that is wider than the terminal goes on in the next line
        assert name in " ".join(line.strip() for line in lines)
    is_table = any(set(line) == {"─"} for line in lines)
    assert is_table == (width == 200)


def test_a_group_s_size_takes_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table("Ward", "Answer", "Estimate", numbers=["Estimate"])
    for one, answer in (("Surgery", "No"), ("n = 1,294", "Yes"), ("Day", "No"), ("n = 306", "Yes")):
        made.add_row(one, answer, "45.2 %")
    wide = "\n".join(line.rstrip() for line in printed(made, 80, monkeypatch))
    assert re.search(r"^Surgery +No .*\nn = 1,294 +Yes ", wide, re.M)
    narrow = [line.rstrip() for line in printed(made, 20, monkeypatch)]
    named = [line for line in narrow if line and not line.startswith(" ")]
    assert named == ["Surgery (n = 1,294)", "Day (n = 306)"]
