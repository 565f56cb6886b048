"""The desk's zip for a paper: what it holds, and what its page asks and says."""

import io
import re
import sys
import zipfile
from collections import Counter

import pytest

from deniable.server.desk.editor.lint_worker import Checker
from deniable.server.desk.results import export_zip
from deniable.server.store import Store
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import Answer, Browser, report, url_for
from tests.server.desk.results.test_public import CLUB

pytestmark = pytest.mark.promise("archive")

TOGETHER = "[player doctor]+coach"
"""With the coaches the doctor would follow, as the table of the question shows these alone."""


@pytest.fixture
def club(store: Store) -> Survey:
    """Register a club with one doctor, and store what its members answered."""
    survey = store.register(read(CLUB).survey)
    for count, role in ((30, 0), (20, 1), (1, 2)):
        store.insert_reports([report(survey, bytes([0, role])) for _ in range(count)])
    return survey


def files(answer: Answer) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def test_results_lead_to_the_zip(researcher: Browser, club: Survey) -> None:
    link = re.search(
        r'<a id="paper" href="([^"]+)"',
        researcher.see("results.page", slug="club", level="90").text,
    )
    assert link
    page = researcher(link[1].replace("&amp;", "&"))
    assert page.status == 200
    assert 'value="90" selected' in page.text
    target = re.search(r'formaction="([^"]+)"', page.text)
    assert target
    answer = researcher(f"{target[1]}?level=90&revision={club.revision}")
    assert answer.headers["Content-Type"] == "application/zip"
    assert f"club-{club.revision[:8]}.zip" in answer.headers["Content-Disposition"]
    assert b",0.9,feldman-cousins," in files(answer)["estimates.csv"]


def test_only_ticked_direct_columns_are_in_it(researcher: Browser, club: Survey) -> None:
    parcel = files(researcher.see("export.download", slug="club"))
    assert "had not ended" in parcel["README.md"].decode()
    reports = parcel["reports.csv"]
    assert reports.split(b"\r\n")[0] == b"doped_noisy"
    role = {"direct": "role", "groups.role": TOGETHER}
    reports = files(researcher.see("export.download", slug="club", **role))["reports.csv"]
    header, *cells = reports.decode().splitlines()
    assert header == "doped_noisy,role"
    assert Counter(line.partition(",")[2] for line in cells) == {
        "[player doctor]": 31,
        "coach": 20,
    }


def test_the_page_offers_groups_that_hold(researcher: Browser, club: Survey, store: Store) -> None:
    page = researcher.see("export.page", slug="club").text
    assert 'id="few"' not in page
    assert 'id="holds"' not in page
    refused = researcher.see("export.page", slug="club", direct="role")
    assert refused.status == 422
    assert 'value="role" checked' in refused.text
    (said,) = re.findall(r'role="alert" id="few">(.*?)</p>', refused.text)
    assert said == (
        "Too few people to show role: some of these answers were given together by fewer than 5 "
        f"people; in groups they can: role:{TOGETHER}."
    )
    assert researcher.see("export.download", slug="club", direct="role").status == 422
    held = researcher.see("export.page", slug="club", direct="role", **{"groups.role": TOGETHER})
    assert held.status == 200
    assert f"gave each combination of <code>role:{TOGETHER}</code>" in held.text
    assert f'name="groups.role" type="text" value="{TOGETHER}"' in held.text
    # A look at the page chooses nothing, a file does.
    assert store.left("club") == ("", 0)
    researcher.see("export.download", slug="club", direct=f"role:{TOGETHER}")
    assert store.left("club") == (f"role:{TOGETHER}", 5)
    assert f"already hold <code>role:{TOGETHER}</code>" in (
        researcher.see("export.page", slug="club").text
    )
    store.insert_reports([report(club, bytes([0, 2])) for _ in range(6)])
    page = researcher.see("export.page", slug="club", direct="role").text
    assert "gave each combination of <code>role</code>" in page


SPUN = """
version: 1
survey: spun
title: Spun
questions:
  - id: took
    text: Which is true?
    type: single
    answers: [No, Yes]
    style: statement
    statements: {no: I took nothing, yes: I took something}
    flip: 1/4
  - {id: told, text: Told the superviser, type: single, answers: [No, Yes], flip: 1/4}
"""


def test_each_result_says_its_people_and_revisions(researcher: Browser, store: Store) -> None:
    another = SPUN.replace("told, text: Told the", "knew, text: Known to the") + "exit: none\n"
    before, after = read(SPUN).survey, read(another).survey
    for survey, count in ((before, 40), (after, 22)):
        store.register(survey)
        store.insert_reports([report(survey, bytes([0, 1])) for _ in range(count)])
    store.set_public("spun", public=True)
    store.set_state("spun", State.CLOSED)
    both = f"{after.shown_number} and {before.shown_number}"
    for page in (url_for("results.page", slug="spun"), "/public/spun"):
        text = researcher(page).text
        assert re.findall(r'data-n="(\d+)"', text) == ["62", "22"], page
        assert "No: “I took nothing”; Yes: “I took something”" in text, page
    card = researcher.see("results.page", slug="spun").text
    assert "22 of 62 people" in card
    compared = researcher.see(
        "analyses.page", kind="cross", slug="spun", first="took", second="knew"
    ).text
    assert f"revisions {both}" in compared
    parcel = files(researcher.see("export.download", slug="spun"))
    assert "had not ended" not in parcel["README.md"].decode()
    assert (
        f"62 reports: 22 to revision {after.shown_number}, 40 to" in parcel["methods.md"].decode()
    )
    alone = files(researcher.see("export.download", slug="spun", revision=after.revision))[
        "methods.md"
    ]
    assert f"22 reports: all to revision {after.shown_number}." in alone.decode()


@pytest.mark.parametrize("wanted", ["direct=doped", "direct=no", "level=50"])
def test_what_cannot_be_chosen_is_refused(researcher: Browser, club: Survey, wanted: str) -> None:
    for address in ("paper", "paper.zip"):
        assert (
            researcher(url_for("results.page", slug="club") + f"/{address}?{wanted}").status == 422
        )
    assert researcher.see("export.download", slug="nothing").status == 404


def test_a_missing_extra_says_whom_to_ask(
    researcher: Browser, club: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    page = researcher.see("export.page", slug="club").text
    assert "ask who runs this server to install the extra parquet." in page
    assert page.count("to install the extra") == 1
    assert "pip install" not in page


def test_a_busy_packer_leaves_the_desk_usable(
    researcher: Browser, club: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zips are made in a process of their own, for which few wait."""
    monkeypatch.setattr(export_zip, "the_packer", lambda: Checker(waiting=0))
    refused = researcher.see("export.download", slug="club")
    assert (refused.status, "The desk is busy" in refused.text) == (503, True)
    assert researcher.see("results.page", slug="club").status == 200
