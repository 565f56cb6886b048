"""What the page of results says of a control question, and of invented reports."""

import re

import pytest

from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.analysis.test_control import TEXT
from tests.kit import Browser, report

HOURS = '  - {id: hours, text: "Hours?", type: number, min: 0, max: 3, protection: direct}\n'


@pytest.fixture
def ward(store: Store) -> Survey:
    survey = read(TEXT.replace("1/5", "1/4") + HOURS + "batch: 1\n").survey
    store.register(survey)
    rows = [bytes([k % 2, k % 10 < 3, k % 4]) for k in range(200)]
    store.insert_batch([report(survey, row) for row in rows])
    return survey


def cells(page: str, item: str) -> list[list[str]]:
    table = page.partition('id="invented"')[2]
    rows = re.findall(rf'<tr><th scope="row">{re.escape(item)}(?:, mean)?</th>(.*?)</tr>', table)
    return [re.findall("<td[^>]*>(.*?)</td>", row) for row in rows]


def test_invented_reports_move_an_estimate_by_their_part_and_what_undoes_the_noise(
    ward: Survey, researcher: Browser
) -> None:
    page = researcher.see("results.page", slug="ward").text
    # 2 and 10 of 200 reports; a flip of 1/4 doubles what each counts for.
    assert cells(page, "An error?") == [["2.0 points", "10.0 points"]]
    # A direct answer counts for itself, and a mean for the range of its values.
    assert cells(page, "Hours?") == [["1.0 points", "5.0 points"], ["0.03", "0.15"]]
    typed = researcher.see("results.page", slug="ward", invented="30").text
    assert cells(typed, "An error?") == [["2.0 points", "10.0 points", "30.0 points"]]
    for wrong in ("0", "201", "-1", "x", "9" * 9):
        assert researcher.see("results.page", slug="ward", invented=wrong).status == 422


def test_the_page_says_how_many_followed_the_instructions(
    ward: Survey, researcher: Browser
) -> None:
    (told,) = re.findall(
        "<p data-followed>(.*?)</p>", researcher.see("results.page", slug="ward").text
    )
    # .3 of yes, where those who follow send .2917 and the others .5.
    assert "96.0 %" in told
    assert "data-followed" not in researcher.see("results.page").text
