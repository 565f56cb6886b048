"""Files of reports: those of a survey, and columns of others."""

import csv
import io
import random
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import designs, identity
from deniable.analysis.counts import reports_csv
from deniable.analysis.counts.data_file import code_reports, read_cells
from deniable.analysis.counts.reports_csv import columns, csv_of, read_reports
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests.analysis.surveys import AGE, DOPED, EVERY_KIND, survey
from tests.kit.surveys import EXAMPLES, TOGETHER

SMALL = survey((DOPED, designs.warner(flip="1/4")), (AGE, identity(2)))

reports = st.lists(
    st.tuples(
        *(st.sampled_from([*range(item.channel.reports), 255]) for item in EVERY_KIND.items)
    ).map(bytes)
)


def test_rows_are_sorted_by_value_and_hold_codes() -> None:
    assert "".join(csv_of([b"\x01\x00", b"\x00\x01\x00\xff", b"\x01\x00"], SMALL)) == (
        "doped_noisy,age\r\nno,old\r\nno,\r\nyes,young\r\nyes,young\r\n"
    )


@settings(derandomize=True)
@given(reports, st.randoms(use_true_random=False))
def test_sorted_reports_all_come_back(answers: list[bytes], shuffler: random.Random) -> None:
    text = "".join(csv_of(answers, EVERY_KIND))
    shuffled = answers.copy()
    shuffler.shuffle(shuffled)
    assert "".join(csv_of([b"".join(shuffled)], EVERY_KIND)) == text
    again = read_reports(io.StringIO(text, newline=""), EVERY_KIND)
    assert b"".join(again) == b"".join(sorted(answers))


def test_a_common_report_is_written_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports_csv, "AT_A_TIME", 4)
    texts = [*csv_of([b"\x00\x01" * 9, b"\x01\x00"], SMALL)]
    assert "".join(texts) == "doped_noisy,age\r\n" + "no,old\r\n" * 9 + "yes,young\r\n"
    assert [text.count("\n") for text in texts] == [1, 4, 4, 2]


def test_a_file_longer_than_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports_csv, "AT_A_TIME", 2)
    text = "doped_noisy,age\n" + "yes,old\n" * 5
    assert [len(chunk) for chunk in _read(text)] == [4, 4, 2]


def test_one_unasked_item_is_no_blank_line() -> None:
    alone = survey((DOPED, designs.warner(flip="1/4")))
    text = "".join(csv_of([b"\xff\x01"], alone))
    assert b"".join(read_reports(io.StringIO(text, newline=""), alone)) == b"\x01\xff"


def test_codes_with_commas_and_quotes_come_back() -> None:
    odd = replace(DOPED.answers[0], code='no, "never"')
    strange = survey((replace(DOPED, answers=(odd, DOPED.answers[1])), designs.warner(flip="1/4")))
    text = "".join(csv_of([b"\x00\x01"], strange))
    assert list(csv.reader(io.StringIO(text))) == [
        ["doped_noisy"],
        ['no, "never"'],
        ["yes"],
    ]
    again = read_reports(io.StringIO(text, newline=""), strange)
    assert b"".join(again) == b"\x00\x01"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected names of columns, such as 'doped_noisy', 'age', found none"),
        ("doped,age\n", "line 1: found no column 'doped_noisy', an unknown .* .did you mean"),
        ("no,old\n", "line 1: expected names of columns, such as 'doped_noisy', 'age', found 'no'"),
        ("doped_noisy,age,age\n", "line 1: found column 'age' twice"),
        ("doped_noisy,age,id\n", "line 1: found an unknown column 'id'"),
        ("doped_noisy,age\nyes,old\nmaybe,old\n", "line 3: .*'', 'No', 'Yes', found 'maybe'"),
        ("doped_noisy,age\nyes\n", "line 2: expected 2 cells, found 1"),
        ('doped_noisy,age\nyes,"ol"d\n', "line 2: "),
    ],
)
def test_a_mistake_is_located(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        list(_read(text))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_are_separated_as_the_first_line_is(separator: str) -> None:
    lines = ["doped_noisy,age", "yes,old", ",young"]
    text = "\n".join(lines).replace(",", separator)
    assert b"".join(_read(text)) == b"".join(_read("\n".join(lines)))


def test_a_sheet_s_words_are_read_as_codes() -> None:
    printed = "doped_noisy,age\nYes,20 or older\nNo,young\n,20 or older\n"
    assert b"".join(_read(printed)) == b"\1\1\0\0\xff\1"


def test_unasked_columns_are_missing_together() -> None:
    hard = designs.warner(epsilon=4)  # no hand can make it
    mixed = survey(
        (DOPED, designs.warner(flip="1/4")),
        (replace(DOPED, id="odd"), hard),
        (replace(DOPED, id="odder"), hard),
    )
    found = b"".join(read_reports(["doped_noisy\n", "Yes\n", "No\n"], mixed))
    assert found == b"\1\xff\xff\0\xff\xff"
    with pytest.raises(ValueError, match="line 1: found no column 'odder_noisy'"):
        list(read_reports(["doped_noisy,odd_noisy\n", "yes,no\n"], mixed))
    with pytest.raises(ValueError, match="line 1: expected names of columns"):
        list(read_reports(["\n", "yes\n"], mixed))


def test_answers_of_one_report_are_true_together() -> None:
    exams = read((EXAMPLES / "exams.yaml").read_text()).survey
    head = ",".join(columns(exams))
    with pytest.raises(ValueError, match="line 3: expected answers to helped and help that can"):
        list(read_reports([f"{head}\n", "\n", "first,no,no,notes_of_my_own,\n"], exams))


def test_of_many_codes_only_some_are_listed() -> None:
    years = tuple(Answer(str(year), str(year)) for year in range(61))
    asked = replace(AGE, id="years", answers=years)
    with pytest.raises(ValueError, match=r"expected one of '0', .*'6', …, '' \(62 in all\), found"):
        list(read_reports(["years", "99"], survey((asked, identity(61)))))


def test_two_items_cannot_share_a_column() -> None:
    direct = replace(AGE, id="doped_noisy")
    twins = survey((DOPED, designs.warner(flip="1/4")), (direct, identity(2)))
    with pytest.raises(ValueError, match=re.escape("share the column 'doped_noisy'")):
        columns(twins)


def _read(text: str) -> list[bytes]:
    return list(read_reports(io.StringIO(text, newline=""), SMALL))


def test_parts_of_answers_come_back_if_possible() -> None:
    """Reports to another revision count for a part of a group that is randomised as one."""
    pair = read(TOGETHER).survey
    rows = [b"\x01\x00\xff", b"\x01\x00\x01", b"\xff\x00\x01"]
    text = "".join(csv_of(rows, pair))
    assert b"".join(read_reports(io.StringIO(text, newline=""), pair)) == b"".join(sorted(rows))
    with pytest.raises(ValueError, match=r"line 2: .*doped and knew that can all be true"):
        [*read_reports(["doped_noisy,slept_noisy,knew_noisy", "no,no,yes"], pair)]


def test_columns_are_read_by_name_and_trimmed() -> None:
    file = io.StringIO('\ufeffid,"rr.q1",age\n1, 1 ,20\n\n2,NA,"a, b"\n')
    assert [*read_cells(file, ["age", "rr.q1", "id"])] == [["20", "1", "1"], ["a, b", "NA", "2"]]


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


@pytest.mark.parametrize("first", ["sep=;", "\ufeffsep=;", '"sep=;"', "SEP=;"])
def test_a_line_that_tells_excel_the_separator_is_no_header(first: str) -> None:
    text = f"{first}\nage;q\n20;1\n"
    assert [*read_cells(io.StringIO(text), ["q", "age"])] == [["1", "20"]]
    with pytest.raises(ValueError, match="line 3: expected 2 cells, found 1"):
        [*read_cells(io.StringIO(f"{first}\nage;q\n20\n"), ["q"])]
    assert [*read_cells(io.StringIO("sep=\n1\n"), ["sep="])] == [["1"]]


@pytest.mark.parametrize(
    ("cells", "reports", "codes"),
    [
        (["0", "1", "1", "NA"], 2, ("0", "1")),
        (["FALSE", "TRUE", "TRUE", "."], 2, ("FALSE", "TRUE")),
        (["1", "2", "3", "nan"], 3, ("1", "2", "3")),
        (["1", "4", "4", "null"], 4, ("1", "2", "3", "4")),
    ],
)
def test_reports_are_recognised(cells: list[str], reports: int, codes: tuple[str, ...]) -> None:
    column = code_reports(cells, reports)
    assert column.codes == codes
    assert [codes[report] for report in column.reports[:3]] == cells[:3]
    assert (~column.answered).sum() == 1
    assert column.counts().tolist() == [cells.count(code) for code in codes]


def test_codes_are_given_and_counted_among_rows() -> None:
    column = code_reports(["b", "a", "NA", "b", "c"], 3, ["c", "b", "a"])
    assert column.reports.tolist() == [1, 2, -1, 1, 0]
    assert column.counts(np.array([True, True, True, False, False])).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("cells", "codes", "message"),
    [
        (["1", "2"], None, "0 to 1 or no and yes, found '1', '2'; see row 2 below the head"),
        (["0", "1", "x"], None, "yes, found 'x'; see row 3 below the header: mend it, or give"),
        (["maybe"], None, "found 'maybe'"),
        (["a", "b"], ["a", "c"], "expected cells of 'a', 'c' or empty ones, found 'b'"),
        (["a", "b"], ["a", "a"], "expected 2 different codes"),
    ],
)
def test_bad_reports_are_named(cells: list[str], codes: list[str] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        code_reports(cells, 2, codes)


def test_a_column_of_nothing_has_no_reports() -> None:
    column = code_reports(["", "NA"], 3)
    assert column.codes == ("0", "1", "2")
    assert not column.answered.any()
    assert column.counts().tolist() == [0, 0, 0]
