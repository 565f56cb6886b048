"""Which answer is the yes of a design stands above its results, where its words do not say it."""

import re

import pytest

from deniable.server.store import Store
from deniable.survey_file import read
from tests.kit import Browser, Caller, report, url_for

TEXT = """\
version: 1
survey: rooms
title: Rooms
batch: 10
questions:
  - {id: part, text: Part, type: single, answers: [Stayed, Took part], yes: took_part, DESIGN}
  - {id: plain, text: Plain, type: single, answers: [No, Yes], DESIGN}
  - {id: alike, text: Alike, type: single, answers: [Stayed, Took part], flip: 1/4}
  - {id: ward, text: Ward, type: single, answers: [Surgery, Care], protection: direct}
"""

DESIGN = "design: {forced_response: {truth: 2/3, yes: 1/4}}"
"""It treats a yes and a no differently."""

SAID = ["Yes of the design: “Took part”."]


def said(page: str) -> list[str]:
    return re.findall(r'<p class="hint attached">([^<]*)</p>', page)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", SAID),
        ("/compare?item=part&by=ward", SAID),
        ("/compare?item=plain&by=ward", []),
        ("/compare?item=alike&by=ward", []),
        ("/cross?first=plain&second=part", SAID),
        ("/regress?formula=part%20~%20ward", SAID),
    ],
)
def test_a_yes_of_other_words_is_named_above_what_is_shown(
    researcher: Browser, store: Store, desk: Caller, address: str, expected: list[str]
) -> None:
    survey = read(TEXT.replace("DESIGN", DESIGN)).survey
    store.register(survey)
    store.insert_batch(
        [report(survey, bytes([k % 3 == 0, k % 2, k % 2, k % 5 < 2])) for k in range(200)]
    )
    page = researcher(url_for("results.page", slug="rooms") + address).text
    assert said(page) == expected
    if expected and address:
        assert page.index("hint attached") < page.index("<table")
    if not address:
        assert page.index("hint attached") < page.index("headlines")
        assert said(researcher(url_for("status.page", slug="rooms")).text) == SAID
        store.set_public("rooms", public=True)
        assert said(desk("/public/rooms").text) == SAID
