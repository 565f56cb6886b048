"""The page of a questionnaire says nothing of its survey, and can be made again of its parts."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from deniable.server.respondent.pages import parts_of
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.server.respondent.shell import page_of, shell_of
from deniable.server.store import Store
from deniable.server.store.schedule import Schedule
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests import surveys
from tests.addresses import at
from tests.server.calling import Caller

PROGRAM = load(BROWSER_FOLDER)
SHELL = shell_of(PROGRAM)

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_page_is_made_of_its_parts_alone(call: Caller, store: Store, file: Path) -> None:
    survey = read(file.read_text()).survey
    store.register(survey)
    # An access word is asked for besides, and stands in no document.
    for asks_word in (False, True):
        store.set_schedule(survey.slug, Schedule(access_word="sea-lion" if asks_word else None))
        page = call(survey.address).text
        parts = parts_of(survey, with_words=asks_word or survey.is_by_invitation)
        assert page == page_of(SHELL, PROGRAM, parts)
        assert {*Found(page).scripts} == {"leave.js", *parts}
        # What a language says is found by its place: only in one order it is the same sentence.
        assert page == page_of(SHELL, PROGRAM, reversed(parts))


def test_surveys_that_need_the_same_parts_have_the_same_page(call: Caller, store: Store) -> None:
    page = call(at("doping")).body
    store.register(surveys.survey(slug="other", title="Another title"))
    assert call(at("other")).body == page


class Found(HTMLParser):
    """What a browser with scripts reads in a page, none of it within `noscript`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.languages: list[str] = []
        self.scripts: list[str] = []
        self.feed(re.sub("<noscript>.*?</noscript>", "", text, flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag in ("p", "span"):
            self.languages.append(dict(attrs).get("lang") or "")

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["script"] and data.strip():
            names = [name for name, text in PROGRAM.files.items() if text.decode() == data]
            self.scripts += names


def test_it_holds_no_link_in_any_language() -> None:
    page = page_of(SHELL, PROGRAM, ["main.js"])
    found = Found(page)
    assert not {"a", "base", "form", "input", "img", "iframe"} & {*found.tags}
    assert found.languages == [*LANGUAGES] * 3
    unscripted = re.findall(r"<noscript>.*?</noscript>", page, re.DOTALL)
    assert re.findall(r'<a href="([^"]*)">', "".join(unscripted)) == ["unscripted"] * len(LANGUAGES)
    # One way out, in all languages, and a page that knows the survey.
    assert "".join(unscripted).count('class="exit"') == 1
    assert '<meta http-equiv="refresh" content="0; url=unscripted">' in unscripted[0]


def test_a_browser_reads_every_part_as_filed() -> None:
    assert Found(page_of(SHELL, PROGRAM, PROGRAM.files)).scripts == [*PROGRAM.files]
