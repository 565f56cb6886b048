"""The desk shows no direct answer that fewer than five people gave, in any form."""

import re

import pytest

from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import Browser, report, surveys

pytestmark = pytest.mark.promise("few")

CLUB = f"{surveys.CLUB}batch: 1\n"


@pytest.fixture
def club(store: Store) -> Survey:
    """Register a club with two doctors, and store what its members answered."""
    survey = read(CLUB).survey
    store.register(survey)
    for count, role in ((30, 0), (20, 1), (2, 2)):
        store.insert_batch([report(survey, bytes([0, role])) for _ in range(count)])
    return survey


def test_a_small_cell_is_a_dash_on_the_page_and_missing_in_every_file(
    researcher: Browser, club: Survey
) -> None:
    page = researcher.see("results.page", slug="club").text
    rows = re.findall(r'<th scope="row">(\w+)</th>\s*<td class="estimate"[^>]*>(.*?)</td>', page)
    assert ("Coach", "38.5 %") in rows
    assert {("Player", "–"), ("Doctor", "–")} < {*rows}
    assert "fewer than 5 people gave, and for others from which it could be worked out" in page
    assert "direct answers are left out where fewer than 5 people gave the same ones" in page
    estimates = researcher.see("results.estimates", slug="club", form="csv").rows
    told = {row["answer"]: row["estimate"] for row in estimates if row["item"] == "role"}
    assert (told["player"], told["doctor"]) == ("", "")
    assert float(told["coach"]) == pytest.approx(20 / 52)
    document = researcher.see("results.estimates", slug="club", form="json").json
    for row in document["estimates"]:
        if row["item"] == "role":
            known = row["answer"] == "coach"
            assert all(
                (row[key] is not None) == known
                for key in ("estimate", "standard_error", "low", "observed", "clipped")
            )
    written = researcher.see("results.reports", slug="club").rows
    assert len(written) == 52
    assert {row["role"] for row in written} == {"coach", ""}
    assert (
        "Doctor" in researcher.see("results.figure", slug="club", question="role", form="svg").text
    )


def test_one_revision_says_why_it_hides_every_direct_answer(
    researcher: Browser, store: Store, club: Survey
) -> None:
    corrected = read(CLUB.replace("flip: 1/4", "flip: 1/3")).survey
    assert corrected.revision != club.revision
    store.register(corrected)
    store.insert_batch([report(corrected, bytes([0, role])) for role in (0, 1) for _ in range(20)])
    page = researcher.see("results.page", slug="club", revision=club.revision).text
    assert "fewer than 5 people gave" not in page
    assert "These are shown for all revisions together" in page
    assert "direct answers are left out, because they are shown for all revisions" in page
    written = researcher.see("results.reports", slug="club", revision=club.revision).rows
    assert {row["role"] for row in written} == {""}


def test_without_small_cells_all_is_shown(researcher: Browser, store: Store, club: Survey) -> None:
    store.insert_batch([report(club, b"\0\2") for _ in range(3)])
    page = researcher.see("results.page", slug="club").text
    assert "fewer than 5 people gave, and" not in page
    assert "9.1 %" in page
    written = researcher.see("results.reports", slug="club").rows
    assert sum(row["role"] == "doctor" for row in written) == 5
