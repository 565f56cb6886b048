"""The respondents' pages as an application: no cookie, compressed, of parts that fit."""

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask import session

from deniable.server.respondent.app import create_respondents_app
from deniable.server.respondent.pages import parts_of
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.server.respondent.shell import page_of, shell_of
from deniable.server.store import Store
from deniable.server.store.schedule import Schedule
from deniable.survey import Survey
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.kit import Caller, at, report, surveys, url_for
from tests.server.web.test_headers import RESPONDENTS_PATHS

PATHS = ["/", "/device", at("doping", "privacy.json"), *RESPONDENTS_PATHS]

COOKIES = [
    "desk=x",
    "__Host-desk=x; session=eyJyZXNlYXJjaGVyIjp0cnVlfQ.aaaaaa.bbbbbb",
    "lang=ar; " + "; ".join(f"c{number}={'x' * 100}" for number in range(50)),
    "\xff=;;;==",
]


@pytest.mark.promise("no-cookies")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("cookie", COOKIES)
def test_no_page_reads_or_sets_cookies(respondents: Caller, path: str, cookie: str) -> None:
    without, with_one = respondents(path), respondents(path, headers={"Cookie": cookie})
    assert with_one == without
    assert with_one.set_cookies == ()
    assert "Cookie" not in with_one.headers.get("Vary", "")


@pytest.mark.promise("no-cookies")
@pytest.mark.parametrize("cookie", COOKIES)
def test_nor_does_the_intake(
    respondents: Caller, survey: Survey, cookie: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for body in (report(survey), report(survey), b"{"):
        first, again = respondents.send(body), respondents.send(body, Cookie=cookie)
        assert first.set_cookies == again.set_cookies == ()
        assert again == respondents.send(body)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("header", ["User-Agent", "Accept-Language", "Referer", "X-Forwarded-For"])
def test_no_page_gets_to_see_who_asks(store: Store, respondents: Caller, header: str) -> None:
    for path in PATHS:
        assert respondents(path, headers={header: "ar"}) == respondents(path)


def test_there_is_no_session_to_write(store: Store) -> None:
    app = create_respondents_app(store)
    with (
        app.test_request_context("/"),
        pytest.raises(RuntimeError, match="no secret key was set"),
    ):
        session["who"] = "me"


PAGES = (at("doping"), at("doping", "survey.json"), at("doping", "privacy"), "/client/main.js")


@pytest.mark.parametrize("path", PAGES)
def test_the_content_is_the_same(respondents: Caller, path: str) -> None:
    plain = respondents(path, headers={"Accept-Encoding": "identity"})
    packed = respondents(path, headers={"Accept-Encoding": "gzip, deflate, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < 0.6 * len(plain.body)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip;q=0, *"])
def test_not_for_who_does_not_take_it(respondents: Caller, accepted: str) -> None:
    answer = respondents("/client/main.js", headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in answer.headers
    assert b"function openPage(" in answer.body


def test_the_same_bytes_for_everybody(respondents: Caller) -> None:
    """No time of compression, and nothing else of who asked."""
    answers = {
        respondents("/client/main.js", headers={"Accept-Encoding": "gzip"}).body for _ in range(2)
    }
    assert len(answers) == 1
    assert next(iter(answers))[4:8] == bytes(4)


def test_what_a_browser_has_is_not_sent_again(respondents: Caller) -> None:
    gzipped = {"Accept-Encoding": "gzip"}
    tag = respondents("/client/main.js", headers=gzipped).headers["ETag"]
    assert tag.startswith("W/")
    again = respondents("/client/main.js", headers={**gzipped, "If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        url_for("surveys.index"),
        url_for("auth.password_page"),
        url_for("results.page", slug="none"),
    ],
)
def test_nothing_of_the_desk(desk: Caller, path: str) -> None:
    """A form's token stands there, beside text of others' choosing."""
    answer = desk(path, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers


PROGRAM = load(BROWSER_FOLDER)
SHELL = shell_of(PROGRAM)

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_page_is_made_of_its_parts_alone(respondents: Caller, store: Store, file: Path) -> None:
    survey = read(file.read_text()).survey
    store.register(survey)
    # An access word is asked for besides, and stands in no document.
    for asks_word in (False, True):
        store.set_schedule(survey.slug, Schedule(access_word="sea-lion" if asks_word else None))
        page = respondents(survey.address).text
        parts = parts_of(survey, with_words=asks_word or survey.is_by_invitation)
        assert page == page_of(SHELL, PROGRAM, parts)
        assert {*Found(page).scripts} == {"leave.js", *parts}
        # What a language says is found by its place: only in one order it is the same sentence.
        assert page == page_of(SHELL, PROGRAM, reversed(parts))


def test_surveys_of_equal_parts_share_a_page(respondents: Caller, store: Store) -> None:
    page = respondents(at("doping")).body
    store.register(surveys.survey(slug="other", title="Another title"))
    assert respondents(at("other")).body == page


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
