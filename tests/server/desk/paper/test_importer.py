"""Sheets of paper become reports: whole, fresh ids, and only what a sheet can hold."""

import io
import re
import threading
import time
from pathlib import Path

import pytest

from deniable.report import NOT_ASKED, ValueMistake
from deniable.server.desk.paper.importer import (
    EnteredBeforeError,
    EntryError,
    enter_sheets,
    read_sheets,
    sheet_columns,
)
from deniable.server.store import Store
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey_file import read
from tests.addresses import at
from tests.server.calling import RESPONDENTS, Answer, report
from tests.server.desk.test_pages import Browser
from tests.server.desk.urls import url_for
from tests.server.respondent.test_sheet import BY_DISC, PAPER
from tests.server.stored import reports_in

pytestmark = pytest.mark.promise("paper")

HEADER = "doped_noisy,offered.epo_noisy,offered.steroids_noisy,years,group"
ROWS = ["no,no,yes,0,young", "yes,no,no,12,old", "no,no,yes,0,young"]
WHOLE = "\r\n".join([HEADER, *ROWS, ""])
ENTERED = url_for("sheets.enter", slug="paper")
BY_MACHINE = "  - {id: sold, text: Sold, type: single, answers: [No, Yes], epsilon: 4}\n"
BYTES = [b"\0\0\1\xff\xff\0\0", b"\1\0\0\xff\xff\x0c\1", b"\0\0\1\xff\xff\0\0"]


@pytest.fixture
def paper(store: Store) -> Survey:
    """Register a survey of which a sheet asks a part."""
    survey = read(PAPER).survey
    store.register(survey)
    return survey


def stored(store: Store, survey: Survey) -> list[bytes]:
    whole = b"".join(store.answers(survey.slug, survey.revision))
    return [whole[at : at + len(survey.items)] for at in range(0, len(whole), len(survey.items))]


def test_a_row_is_a_sheet_and_what_it_does_not_ask_was_not_asked(paper: Survey) -> None:
    assert ",".join(sheet_columns(paper)) == HEADER
    assert read_sheets(WHOLE.splitlines(), paper) == BYTES
    assert {BYTES[0][3], BYTES[0][4]} == {NOT_ASKED}


def test_the_format_is_that_of_an_export(store: Store, paper: Survey) -> None:
    header = (
        "years,group,doped_noisy,drug_noisy,sold_noisy,offered.epo_noisy,offered.steroids_noisy"
    )
    assert read_sheets([header, "12,old,yes,,,no,no"], paper) == [BYTES[1]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([HEADER], "expected a row for each sheet, found none"),
        (["doped_noisy", "no"], "found no column 'offered.epo_noisy'.*no column 'years'"),
        ([HEADER, ROWS[0], "no,no,,0,young"], r"line 3: column 'offered.steroids_noisy': .*''"),
        ([HEADER, "no,no,yes,,young"], "line 2: column 'years': .*found ''"),
        (
            [HEADER + ",sold_noisy", ROWS[0] + ",yes"],
            "line 2: column 'sold_noisy': expected one of '', found 'yes'",
        ),
    ],
)
def test_mistakes_are_named_by_line_and_column(
    paper: Survey, lines: list[str], message: str
) -> None:
    with pytest.raises(EntryError, match=message):
        read_sheets(lines, paper)


def test_another_encoding_is_named(paper: Survey) -> None:
    latin = io.TextIOWrapper(io.BytesIO(b"doped_noisy\xe9"), encoding="utf-8")
    with pytest.raises(EntryError, match="expected a CSV in UTF-8"):
        read_sheets(latin, paper)


def test_every_sheet_is_a_report_of_its_own(store: Store, paper: Survey) -> None:
    enter_sheets(store, paper, BYTES)
    enter_sheets(store, paper, BYTES, again=True)
    assert sorted(stored(store, paper)) == sorted(2 * BYTES)
    ids = reports_in(store, paper.slug)
    assert len(ids) == 6
    assert {len(id) for id in ids} == {16}


def test_no_trace_is_left_of_the_order_of_the_pile(
    store: Store, paper: Survey, tmp_path: Path
) -> None:
    pile = [bytes([0, 0, 0, 255, 255, years % 61, 0]) for years in range(600)]
    enter_sheets(store, paper, pile)
    # The log of writes is empty, and what is read comes in the order of random keys. Two random
    # orders of 600 agree with chance 1/600!.
    assert (tmp_path / "store.db-wal").stat().st_size == 0
    assert stored(store, paper) != pile


def test_what_no_sheet_can_hold_is_refused_whole(store: Store, paper: Survey) -> None:
    for wrong in (b"\0\0\1\0\xff\0\0", b"\0\xff\1\xff\xff\0\0", b"\0\0\1\xff\xff\0"):
        with pytest.raises(ValueMistake):
            enter_sheets(store, paper, [BYTES[0], wrong])
    assert store.count(paper.slug) == 0


def test_a_revision_that_was_never_served_takes_no_sheet(store: Store, paper: Survey) -> None:
    other = read(PAPER.replace("1/4", "1/8")).survey
    with pytest.raises(EntryError, match=f"no revision {other.revision}"):
        enter_sheets(store, other, BYTES)


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', page)
    assert found
    return found[1]


def upload(
    researcher: Browser, survey: Survey, content: str | bytes, **instead: str | None
) -> Answer:
    """Fill in the form as a browser does, with other values `instead`."""
    data = content.encode() if isinstance(content, str) else content
    form = {"revision": survey.revision, **instead}
    return researcher.upload(url_for("sheets.upload", slug="paper"), "sheets", data, **form)


def enter(researcher: Browser, survey: Survey, content: str | bytes, **form: str) -> Answer:
    """Look at sheets, and enter them."""
    look = upload(researcher, survey, content)
    assert look.status == 200, look.text
    return researcher.post(ENTERED, carried=hidden(look.text, "carried"), **form)


def test_the_desk_takes_sheets_and_the_estimates_include_them(
    researcher: Browser, store: Store, paper: Survey
) -> None:
    store.insert_batch([report(paper) for _ in range(20)])
    answer = enter(researcher, paper, WHOLE)
    assert answer.status == 303
    assert answer.headers["Location"] == url_for("sheets.page", slug="paper")
    assert "Entered 3 sheets. With them the desk shows 13 reports" in (
        researcher.see("sheets.page", slug="paper").text
    )
    assert len(stored(store, paper)) == 23
    text = researcher.see("results.page", slug="paper").text
    # Of the reports ten are held back. The sheets are not: whoever entered them knows them, so that
    # no stranger's report could hide among them.
    assert 'data-n="13"' in text  # of what sheets ask
    assert 'data-n="10"' in text  # of what they do not
    rows = researcher.see("results.estimates", slug="paper", form="csv").rows
    counts = {row["item"]: row["n"] for row in rows}
    assert (counts["doped"], counts["sold"], counts["drug"]) == ("13", "10", "10")


def test_estimates_of_sheets_alone_are_shown(
    researcher: Browser, store: Store, paper: Survey
) -> None:
    enter(researcher, paper, WHOLE)
    assert researcher.see("results.page", slug="paper").status == 200
    assert researcher.see("results.figure", slug="paper", question="sold", form="svg").status == 200


def test_the_empty_file_has_the_columns(researcher: Browser, paper: Survey) -> None:
    answer = researcher.see("sheets.empty", slug="paper")
    assert answer.text == f"{HEADER}\r\n"
    assert f"paper-{paper.revision[:8]}-sheets.csv" in answer.headers["Content-Disposition"]
    assert upload(researcher, paper, f"{answer.text}{ROWS[0]}\r\n").status == 200


def test_the_page_says_the_codes_and_where_to_print(researcher: Browser, paper: Survey) -> None:
    text = researcher.see("sheets.page", slug="paper").text
    assert f'href="{RESPONDENTS}{at("paper", "sheet")}"' in text
    assert "<code>no</code>, <code>yes</code>" in text
    assert "<code>0</code> to <code>60</code>" in text
    assert 'href="/desk/surveys/paper/sheets' in researcher.see("results.page", slug="paper").text


def test_a_reply_to_a_statement_is_entered_by_the_code_of_what_is_sent(
    researcher: Browser, store: Store
) -> None:
    survey = read(BY_DISC).survey
    store.register(survey)
    said = "<code>no</code> (Not true of me), <code>yes</code> (True of me)"
    assert said in researcher.see("sheets.page", slug="disc").text
    assert read_sheets(["took_noisy", "yes", "no"], survey) == [b"\1", b"\0"]


def test_a_mistake_is_said_and_nothing_is_entered(
    researcher: Browser, store: Store, paper: Survey
) -> None:
    answer = upload(researcher, paper, f"{HEADER}\n{ROWS[0]}\nperhaps,no,no,0,old\n")
    assert answer.status == 422
    assert "Nothing was entered" in answer.text
    assert "Line 3: column &#39;doped_noisy&#39;" in answer.text
    assert upload(researcher, paper, b"\xff\xfe").status == 422
    look = upload(researcher, paper, WHOLE)
    store.set_state("paper", State.CLOSED)
    closed = researcher.post(ENTERED, carried=hidden(look.text, "carried"))
    assert closed.status == 422
    assert "closed" in closed.text
    assert store.count("paper") == 0
    store.set_state("paper", State.OPEN)
    assert researcher.post(ENTERED, carried=hidden(look.text, "carried")).status == 303
    assert store.count("paper") == 3


def test_all_wrong_cells_are_named_at_once(
    researcher: Browser, store: Store, paper: Survey
) -> None:
    wrong = [HEADER, "No,no,yes,0,young", ROWS[0], "no,no,maybe,99,young", "no,no"]
    answer = upload(researcher, paper, "\n".join(wrong).replace(",", ";"))
    assert answer.status == 422
    assert 'data-mistakes="4"' in answer.text
    for place in (
        "Line 2: column &#39;doped_noisy&#39;",
        "Line 4: column &#39;offered.steroids_noisy&#39;",
        "Line 4: column &#39;years&#39;",
        "Line 5: expected 5 cells, found 2",
    ):
        assert place in answer.text
    many = upload(researcher, paper, "\n".join([HEADER, *["x,no,no,0,old"] * 70]))
    assert 'data-mistakes="70"' in many.text
    assert many.text.count("<li>Line") == 50
    assert store.count("paper") == 0


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_look_counts_what_was_typed_and_stores_nothing(
    researcher: Browser, store: Store, paper: Survey, tmp_path: Path, separator: str
) -> None:
    before = kept(tmp_path)
    look = upload(researcher, paper, WHOLE.replace(",", separator))
    assert look.status == 200
    assert 'data-sheets="3"' in look.text
    for column, counts in {
        "doped_noisy": "<code>no</code>: 2, <code>yes</code>: 1",
        "offered.steroids_noisy": "<code>no</code>: 1, <code>yes</code>: 2",
        "years": "<code>0</code>: 2, <code>12</code>: 1",
        "group": "<code>young</code>: 2, <code>old</code>: 1",
    }.items():
        row = look.text.partition(f'<th scope="row"><code>{column}</code>')[2].partition("</tr>")[0]
        assert counts in row
    # Not even for a moment: neither in the store, nor in a file beside it.
    assert kept(tmp_path) == before
    assert researcher.post(ENTERED, carried=hidden(look.text, "carried")).status == 303
    assert sorted(stored(store, paper)) == sorted(BYTES)


def kept(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if "-shm" not in file.name}


def test_what_was_not_looked_at_is_not_entered(
    researcher: Browser, store: Store, paper: Survey
) -> None:
    good = hidden(upload(researcher, paper, WHOLE).text, "carried")
    for carried in ("", "x", good[:-1], f"{good}x", good.replace(good[20], "A", 1) + "A"):
        answer = researcher.post(ENTERED, carried=carried)
        assert answer.status == 422
        assert "Choose the file again" in answer.text
    elsewhere = read(PAPER.replace("survey: paper", "survey: paper2")).survey
    store.register(elsewhere)
    assert researcher.send("sheets.enter", slug="paper2", carried=good).status == 422
    assert store.count("paper") == store.count("paper2") == 0


def test_a_look_counts_once(researcher: Browser, store: Store, paper: Survey) -> None:
    carried = hidden(upload(researcher, paper, WHOLE).text, "carried")
    answers: list[int] = []

    def press() -> None:
        answers.append(researcher.post(ENTERED, carried=carried).status)

    clicks = [threading.Thread(target=press) for _ in range(4)]
    for click in clicks:
        click.start()
    for click in clicks:
        click.join()
    assert answers == [303] * 4
    assert store.count("paper") == 3


def test_the_same_sheets_are_known_when_they_come_again(
    researcher: Browser, store: Store, paper: Survey
) -> None:
    enter(researcher, paper, WHOLE)
    again = "\n".join([HEADER, ROWS[1], ROWS[0], ROWS[2]]).replace(",", ";")
    look = upload(researcher, paper, again)
    assert 'id="again"' in look.text
    refused = enter(researcher, paper, again)
    assert refused.status == 422
    assert "Nothing was entered: these very sheets" in refused.text
    assert store.count("paper") == 3
    assert enter(researcher, paper, again, again="yes").status == 303
    assert store.count("paper") == 6
    # A sheet more or less makes it another pile.
    assert 'id="again"' not in upload(researcher, paper, f"{again}\n{ROWS[0]}").text
    with pytest.raises(EnteredBeforeError):
        enter_sheets(store, paper, BYTES)


def test_the_last_entry_can_be_taken_back(researcher: Browser, store: Store, paper: Survey) -> None:
    store.insert_batch([report(paper) for _ in range(20)])
    before = reports_in(store, "paper")
    shown = store.snapshot("paper")
    enter(researcher, paper, WHOLE)
    page = researcher.see("sheets.page", slug="paper").text
    assert 'id="entered" data-sheets="3"' in page
    entry = re.findall(r'name="entry" value="(\w+)"', page)[0]
    back = url_for("sheets.undo", slug="paper")
    researcher.post(back, entry="x")
    assert store.count("paper") == 23
    researcher.post(back, entry=entry)
    assert "Removed 3 sheets" in researcher.see("sheets.page", slug="paper").text
    assert reports_in(store, "paper") == before
    assert store.snapshot("paper") == shown
    # It is no longer known, and cannot be taken back twice.
    researcher.post(back, entry=entry)
    assert reports_in(store, "paper") == before
    assert 'id="again"' not in upload(researcher, paper, WHOLE).text


def test_an_entry_can_be_taken_back_until_the_next_one_for_an_hour(
    researcher: Browser, store: Store, paper: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def last() -> list[str]:
        page = researcher.see("sheets.page", slug="paper").text
        return re.findall(r'name="entry" value="(\w+)"', page)

    assert last() == []
    enter(researcher, paper, WHOLE)
    (first,) = last()
    enter(researcher, paper, f"{HEADER}\n{ROWS[1]}\n")
    (second,) = last()
    researcher.send("sheets.undo", slug="paper", entry=first)
    assert store.count("paper") == 4
    assert last() == [second]
    now = time.monotonic()
    monkeypatch.setattr("deniable.server.desk.paper.undo.time.monotonic", lambda: now + 3601)
    assert last() == []
    researcher.send("sheets.undo", slug="paper", entry=second)
    assert store.count("paper") == 4


def test_sheets_go_to_the_revision_that_was_printed(
    researcher: Browser, store: Store, paper: Survey
) -> None:
    revised = read(PAPER.replace("1/4", "1/8")).survey
    store.register(revised)
    page = researcher.see("sheets.page", slug="paper").text
    assert f'value="{revised.revision}" selected' in page
    assert enter(researcher, paper, WHOLE).status == 303
    assert (store.count("paper", paper.revision), store.count("paper", revised.revision)) == (3, 0)
    assert upload(researcher, paper, WHOLE, revision="0" * 64).status == 404


def test_a_survey_that_hands_cannot_do_says_so(researcher: Browser, store: Store) -> None:
    store.register(read(PAPER[: PAPER.index("  - ")] + BY_MACHINE).survey)
    text = researcher.see("sheets.page", slug="paper").text
    assert "No question of this survey can be answered on paper" in text
    assert '<input type="file"' not in text
