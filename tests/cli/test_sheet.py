"""Paper sheets: printed, and scanned in."""

import csv
import io
import json
from contextlib import closing
from pathlib import Path

import pytest

from deniable.analysis.counts.reports_csv import columns, csv_of
from deniable.paper import printed
from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import DOPING, ROOT, Run


def test_writes_a_page_to_print(run: Run, folder: Path) -> None:
    run("sheet", "doping.yaml", "-o", "sheet.html")
    page = (folder / "sheet.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Doping in [bold]your[/bold] sport :smile:" in page
    assert "Toss a coin twice" in page
    assert "<style>" in page
    assert run("sheet", "doping.yaml").stdout == page


def test_a_survey_that_hands_cannot_do_is_refused(run: Run) -> None:
    result = run("sheet", "-", typed=DOPING.replace("1/4", "0.0189"), exits=1)
    assert result.stdout == ""
    assert "No coin, die or disc has the chances of doped. 'deniable check' names" in result.stderr
    swapped = "design: {custom: {table: [[.25, .75], [.75, .25]]}}"
    result = run("sheet", "-", typed=DOPING.replace("flip: 1/4", swapped), exits=1)
    assert result.stderr.endswith("No coin, die or disc has the chances of doped.\n")


def test_is_in_one_of_the_survey_s_languages(run: Run) -> None:
    journeys = str(ROOT / "examples" / "journeys.yaml")
    assert "How we get around the city" in run("sheet", journeys, "-n", "1").stdout
    german = run("sheet", journeys, "-n", "1", "--language", "de").stdout
    assert '<html lang="de">' in german
    assert "Kreuzen Sie ein Kästchen an." in german
    assert "How we get" not in german
    assert 'dir="rtl"' in run("sheet", journeys, "-n", "1", "--language", "ar").stdout
    refused = run("sheet", journeys, "-n", "1", "--language", "fr", exits=1).stderr
    assert "expected a language of en, de, ar, found 'fr'" in refused


def test_what_chance_draws_is_left_out_and_named(run: Run) -> None:
    """In a sheet's five languages, by `check`, by `sheet`; both questions of a group among them."""
    # No hand can randomise a number of 61 values.
    text = (ROOT / "examples" / "exams.yaml").read_text().replace("max: 5", "max: 60")
    Path("wide.yaml").write_text(text)
    exams = "wide.yaml"
    said = "No sheet asks helped, help, exams: each person is asked only some of these"
    told = run("sheet", exams)
    assert said in told.stderr
    assert "Not asked on this sheet, because each person is asked only some of these" in told.stdout
    left_out = told.stdout.partition('class="left-out"')[2]
    assert all(text in left_out for text in ("have you used help", "What was it", "In how many"))
    assert said in run("check", exams).stdout
    for language in ("de", "fr", "es", "ar"):
        there = run("sheet", "-", typed=f"languages: [{language}]\n{text}").stdout
        assert there.count('class="left-out"') == 1
        assert "each person is asked" not in there


@pytest.fixture
def ward(run: Run) -> None:
    """Write the example, and 300 reports to it: into a store, and as a CSV of codes."""
    run("new", "ward", "-o", "ward.yaml")
    rates = ("--rate", "error.yes=30%", "--rate", "signed.yes=10%", "--rate", "ward.surgery=60%")
    run("simulate", "ward.yaml", "-n", "300", "--seed", "7", *rates, "--store", "ward.db")
    with closing(open_store("sqlite:///ward.db")) as store:
        survey = store.survey("ward")
        kept = "".join(csv_of(store.rows("ward", survey.revision), survey))
    Path("codes.csv").write_text(kept, newline="")


def typed() -> str:
    """Return the same reports as somebody types them who reads them off sheets."""
    survey = read(Path("ward.yaml").read_text()).survey
    texts = {
        name: {item.reports[at].code: text for text, at in printed(survey, item).items()}
        for name, item in zip(columns(survey), survey.items, strict=True)
    }
    assert texts["error_noisy"] == {"no": "No", "yes": "Yes"}
    file = io.StringIO(newline="")
    table = csv.writer(file)
    table.writerow(texts)
    with Path("codes.csv").open(newline="") as codes:
        for row in csv.DictReader(codes):
            table.writerow(texts[name][code] for name, code in row.items())
    return file.getvalue()


@pytest.mark.usefixtures("ward")
def test_sheets_give_the_estimates_of_the_same_reports(run: Run) -> None:
    Path("sheets.csv").write_text("\ufeff" + typed())
    form = ("--format", "json")
    of_sheets = json.loads(run("estimate", "ward.yaml", "--reports", "sheets.csv", *form).stdout)
    of_reports = json.loads(run("estimate", "ward", "--store", "ward.db", *form).stdout)
    assert of_sheets["n"] == 300
    assert of_sheets["estimates"] == of_reports["estimates"]
    # Some of them came by phone.
    head, *rows = typed().splitlines(keepends=True)
    Path("some.csv").write_text("".join([head, *rows[:120]]))
    Path("others.csv").write_text("".join([head, *rows[120:]]))
    both = ("--reports", "some.csv", "--reports", "others.csv")
    of_both = json.loads(run("estimate", "ward.yaml", *both, *form).stdout)
    assert of_both["estimates"] == of_sheets["estimates"]
