import io

import numpy as np
import pytest

from deniable.analysis.counts.data_file import code_reports, read_cells


def test_columns_are_read_by_name_and_trimmed() -> None:
    file = io.StringIO('\ufeffid,"rr.q1",age\n1, 1 ,20\n\n2,NA,"a, b"\n')
    assert [*read_cells(file, ["age", "rr.q1"])] == [["20", "1"], ["a, b", "NA"]]


def test_the_first_column_follows_a_byte_order_mark() -> None:
    assert [*read_cells(io.StringIO("\ufeffq\n1\n"), ["q"])] == [["1"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "line 1: expected a column 'q', found 'a', 'b'"),
        ("q,q\n1,2\n", "line 1: expected a column 'q', found 2 of that name"),
        ("", "line 1: expected a column 'q', found none"),
        ("q,b\n1,2\n3\n", "line 3: expected 2 cells, found 1"),
        ('q\n"open\n', "line 2: unexpected end of data"),
        ("a,b,c,d,e,f,g,h\n", "'f' and 2 more"),
    ],
)
def test_a_file_s_mistake_names_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        [*read_cells(io.StringIO(text), ["q"])]


@pytest.mark.parametrize(
    ("cells", "reports", "codes"),
    [
        (["0", "1", "1", "NA"], 2, ("0", "1")),
        (["No", "yes", "yes", ""], 2, ("No", "yes")),
        (["FALSE", "TRUE", "TRUE", "."], 2, ("FALSE", "TRUE")),
        (["1", "2", "3", "nan"], 3, ("1", "2", "3")),
        (["1", "3", "3", "N/A"], 4, ("0", "1", "2", "3")),
        (["1", "4", "4", "null"], 4, ("1", "2", "3", "4")),
    ],
)
def test_reports_are_recognised(cells: list[str], reports: int, codes: tuple[str, ...]) -> None:
    column = code_reports(cells, reports)
    assert column.codes == codes
    assert [codes[report] for report in column.reports[:3]] == cells[:3]
    assert column.missing == 1
    assert column.counts().tolist() == [cells.count(code) for code in codes]


def test_codes_are_given_and_counted_among_rows() -> None:
    column = code_reports(["b", "a", "NA", "b", "c"], 3, ["c", "b", "a"])
    assert column.reports.tolist() == [1, 2, -1, 1, 0]
    assert column.counts(np.array([True, True, True, False, False])).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("cells", "codes", "message"),
    [
        (
            ["1", "2"],
            None,
            "expected 0 to 1 or no and yes, found '1', '2'; see row 2 below the header: give",
        ),
        (["0", "2"], None, "cannot tell which of the 2 reports"),
        (["maybe"], None, "found 'maybe'"),
        (["a", "b"], ["a", "c"], "expected cells of 'a', 'c' or empty ones, found 'b'"),
        (["a", "b"], ["a"], "expected 2 different codes"),
        (["a", "b"], ["a", "a"], "expected 2 different codes"),
    ],
)
def test_bad_reports_are_named(cells: list[str], codes: list[str] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        code_reports(cells, 2, codes)


def test_a_column_of_nothing_has_no_reports() -> None:
    column = code_reports(["", "NA"], 3)
    assert (column.codes, column.missing) == (("0", "1", "2"), 2)
    assert column.counts().tolist() == [0, 0, 0]
