"""The respondents' addresses: pages, altered links, and headers of browsers."""

import gzip
import re
import threading
from dataclasses import replace
from pathlib import Path

import brotli
import pytest

from deniable.server.respondent import compression
from deniable.server.respondent.known_headers import Verdict, judge, known_headers
from deniable.server.respondent.pages import pack_stored, parts_of
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.server.respondent.shell import page_of, shell_of
from deniable.server.store import Store
from deniable.server.store.schedule import Schedule
from deniable.survey import Survey
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.kit import Caller, at, report, surveys, url_for
from tests.server.respondent.test_program import Loads
from tests.server.web.test_headers import RESPONDENTS_PATHS
from tools.weight import BUDGET, EXAMPLE, weighed

PATHS = ["/", "/device", at("doping", "privacy.json"), *RESPONDENTS_PATHS]

COOKIES = [
    "desk=x",
    "__Host-desk=x; session=eyJyZXNlYXJjaGVyIjp0cnVlfQ.aaaaaa.bbbbbb",
    "lang=ar; " + "; ".join(f"c{number}={'x' * 100}" for number in range(50)),
    "\xff=;;;==",
]


@pytest.mark.promise("no-cookies")
@pytest.mark.parametrize("cookie", COOKIES)
def test_no_page_reads_or_sets_cookies(respondents: Caller, cookie: str) -> None:
    for path in PATHS:
        without, with_one = respondents(path), respondents(path, headers={"Cookie": cookie})
        assert with_one == without, path
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


PAGES = (at("doping"), at("doping", "survey.json"), at("doping", "privacy"), "/client/main.js")


WELL_PACKED = PAGES[:2]
"""All that a phone loads before the first question."""


def packed_in_time() -> None:
    """Wait until all that was to be packed by brotli is packed."""
    for _ in range(2):  # the first may have added some
        compression._packing.submit(int).result()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0.5, gzip;q=0.8", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.8, gzip;q=0.5", "br"),
    ],
)
def test_the_content_is_the_same(
    respondents: Caller, path: str, accepted: str, coding: str
) -> None:
    plain = respondents(path, headers={"Accept-Encoding": "identity"})
    respondents(path, headers={"Accept-Encoding": accepted})
    packed_in_time()
    packed = respondents(path, headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == (coding if path in WELL_PACKED else "gzip")
    unpack = {"gzip": gzip.decompress, "br": brotli.decompress}
    assert unpack[packed.headers["Content-Encoding"]](packed.body) == plain.body
    assert len(packed.body) < 0.6 * len(plain.body)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]


@pytest.mark.parametrize("coding", BUDGET)
def test_a_phone_loads_little_before_the_first_question(coding: str) -> None:
    root = Path(__file__).parents[3]
    bodies, heads = weighed(read((root / EXAMPLE).read_text()).survey, coding)
    assert len(bodies) == 3
    assert sum(bodies.values()) + heads <= BUDGET[coding]


def test_the_first_visitor_gets_what_was_packed_at_the_start(
    respondents: Caller, store: Store
) -> None:
    compression._brotli.cache_clear()
    pack_stored(store)
    packed_in_time()
    for path in WELL_PACKED:
        answer = respondents(path, headers={"Accept-Encoding": "gzip, br"})
        assert answer.headers["Content-Encoding"] == "br"


def test_nobody_waits_for_brotli(respondents: Caller) -> None:
    compression._brotli.cache_clear()
    done = threading.Event()
    compression._packing.submit(done.wait)
    try:
        for accepted, coding in (("gzip, br", "gzip"), ("br", None)):
            answer = respondents(at("doping"), headers={"Accept-Encoding": accepted})
            assert answer.headers.get("Content-Encoding") == coding
    finally:
        done.set()


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


def scripts(page: str) -> list[str]:
    """Return the names of the scripts that stand in a page, in order."""
    return [file.removeprefix("/client/") for file, _ in Loads(page).files]


EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_page_is_made_of_its_parts_alone(respondents: Caller, store: Store, file: Path) -> None:
    survey = store.register(read(file.read_text()).survey)
    # An access word is asked for besides, and stands in no document.
    for asks_word in (False, True):
        store.set_schedule(survey.slug, Schedule(access_word="sea-lion" if asks_word else None))
        page = respondents(survey.address).text
        parts = parts_of(survey, with_words=asks_word or survey.is_by_invitation)
        assert page == page_of(SHELL, PROGRAM, parts)
        assert {*scripts(page)} == {"leave.js", *parts}
        # What a language says is found by its place: only in one order it is the same sentence.
        assert page == page_of(SHELL, PROGRAM, reversed(parts))


def test_surveys_of_equal_parts_share_a_page(respondents: Caller, store: Store) -> None:
    page = respondents(at("doping")).body
    store.register(surveys.survey(slug="other", title="Another title"))
    assert respondents(at("other")).body == page


def test_it_holds_no_link_in_any_language() -> None:
    page = page_of(SHELL, PROGRAM, ["main.js"])
    # What a browser with scripts shows.
    shown = re.sub("<(script|noscript)>.*?</\\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(a|base|form|input|img|iframe)\b", shown)
    said = re.findall(r"<(?:p|span)\b([^>]*)", shown)
    assert [re.findall('lang="(.*?)"', one) for one in said] == [[one] for one in LANGUAGES] * 3
    unscripted = re.findall(r"<noscript>.*?</noscript>", page, re.DOTALL)
    assert re.findall(r'<a href="([^"]*)">', "".join(unscripted)) == ["unscripted"] * len(LANGUAGES)
    # One way out, in all languages, and a page that knows the survey.
    assert "".join(unscripted).count('class="exit"') == 1
    assert '<meta http-equiv="refresh" content="0; url=unscripted">' in unscripted[0]


def test_a_browser_reads_every_part_as_filed() -> None:
    assert scripts(page_of(SHELL, PROGRAM, PROGRAM.files)) == [*PROGRAM.files]


LETTERS = at("doping").strip("/")

ALTERED = [
    *("?fbclid=IwAR0_person17", "?utm_source=person17", "?", "?person17", "%3Fperson17"),
    *("/?person17", "//", "///?person17", "/%23a7b29b806efaa7dc", "/%23lang=de&code=WORD"),
    *("", ".", ")", "/).", "/,", "\u00bb", "/%E2%80%9D", "/\u2026", "/&utm_source=person17", "%20"),
]


@pytest.mark.promise("check-number")
@pytest.mark.parametrize("letters", [LETTERS, LETTERS.lower(), f"/{LETTERS.title()}"])
def test_an_altered_link_leads_on_unrepeated(respondents: Caller, letters: str) -> None:
    for end in ALTERED:
        answer = respondents(f"/{letters}{end}")
        assert (answer.status, answer.headers.get("Location")) == (200, None), end
        assert 'data-page="onward"' in answer.text
        # The same for everybody, to the letter: nothing of the link is in it.
        assert answer.body == respondents(at("doping").lower()).body
        assert re.findall(r'class="action onward" href="([^"]*)"', answer.text) == [at("doping")]
        assert answer.headers["Cache-Control"] == "no-store"
        assert 'data-program=""' not in answer.text  # no question can be asked there


@pytest.mark.promise("check-number")
def test_neither_title_nor_other_site_is_named(respondents: Caller) -> None:
    answer = respondents(f"{at('doping')}?x", headers={"Host": "evil.example"})
    assert "Doping" not in answer.text
    assert "evil" not in f"{answer.text}{answer.headers}"


@pytest.mark.promise("check-number")
@pytest.mark.parametrize(
    "path",
    [
        *(f"/{LETTERS[:-1]}", f"/{LETTERS}B", f"/{LETTERS}x", f"/x/{LETTERS}", f"/{LETTERS}/x?y"),
        *(
            at("n0ne").lower(),
            f"{at('n0ne')}?x",
            "/s/doping",
            "/s/doping?x",
            f"//{LETTERS}/privacy",
        ),
    ],
)
def test_no_other_address_leads_to_a_survey(respondents: Caller, path: str) -> None:
    assert respondents(path).status == 404


@pytest.mark.promise("check-number")
def test_a_named_survey_has_such_addresses_too(respondents: Caller, store: Store) -> None:
    store.register(replace(surveys.survey(slug="told"), is_named=True))
    for path in ("/s/told", "/s/told.", "/S/told/", "/s/told/?x"):
        assert 'href="/s/told/"' in respondents(path).text
    assert respondents("/s/Told/").status == 404


@pytest.mark.promise("check-number")
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_is_sent_to_such_an_address(respondents: Caller, method: str) -> None:
    assert respondents(at("doping").rstrip("/"), method=method).status in (404, 405)


@pytest.mark.promise("check-number")
def test_the_page_s_own_is_asked_as_before(respondents: Caller) -> None:
    assert 'data-page="survey"' in respondents(at("doping")).text
    for end in ("survey.json?x", "privacy?x", "sheet?x", "state.json?x"):
        assert respondents(at("doping", end)).status == 200


@pytest.mark.promise("check-number")
def test_it_is_said_in_each_language(respondents: Caller, store: Store) -> None:
    journeys = read(Path("examples/journeys.yaml").read_text(encoding="utf-8")).survey
    store.register(journeys)
    text = respondents(f"{journeys.address}?x").text
    for language in journeys.languages:
        assert f'id="lang={language}"' in text
    assert "main.js" in text
    # One language needs no program but the one that takes along the end of the link.
    assert "main.js" not in respondents(f"{at('doping')}?x").text


HARMLESS = [
    ("content-security-policy", "default-src 'none'\n; é"),  # judged by what it allows
    ("x-content-type-options", "nosniff"),
    ("x-content-type-options", "NOSNIFF"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("content-type", "text/html; charset=utf-8"),
    ("content-type", "text/html"),  # of a proxy, whose server is away
    ("content-type", "application/problem+json"),
    ("content-encoding", "br"),
    ("content-length", "0"),
    ("connection", "Upgrade, Keep-Alive"),
    ("date", "Sun, 22 Nov 2026 05:19:14 GMT"),
    ("via", "1.1 Caddy"),
    ("server", "nginx/1.26 (Debian)"),
    ("vary", "Accept, Accept-Encoding"),
    ("retry-after", "5"),
    ("www-authenticate", "Survey-Code"),
    ("x-request-id", "6f3a"),
    ("strict-transport-security", "max-age=31536000"),
    ("strict-transport-security", "max-age=63072000; includeSubDomains; preload"),
]
ALTERED_PROGRAM = [
    ("x-content-type-options", "nosniff, x"),
    ("cross-origin-opener-policy", 'same-origin; report-to="x"'),
    ("cross-origin-opener-policy", "unsafe-none"),
    ("cache-control", "max-age=31536000"),
    ("content-type", "multipart/x-mixed-replace; boundary=x"),
    ("content-type", "text/html; charset=utf-7"),
    ("content-encoding", "dcb"),
    ("etag", '"person-0001"'),
    ("etag", f'"{"0" * 40}"'),
    ("content-length", "\N{ARABIC-INDIC DIGIT ONE}"),
    ("date", "Sun, 22 Nov 2026 05:19:14 GMT\n"),
    ("www-authenticate", 'Basic realm="anna"'),
    ("x-xss-protection", "1; report=/told"),
    ("referrer-policy", "unsafe-url"),
    ("permissions-policy", "x" * 9),
]
TELLING = [
    *("speculation-rules", "use-as-dictionary", "accept-ch", "critical-ch", "set-cookie"),
    *("alt-svc", "link", "nel", "report-to", "reporting-endpoints", "refresh", "clear-site-data"),
    *("content-security-policy-report-only", "last-modified", "service-worker-allowed"),
    *("cross-origin-opener-policy-report-only", "origin-trial"),
]
UNKNOWN = [("x-new", "1"), ("__proto__", "1"), ("constructor", "1"), ("", "")]

CASES = [
    *((*one, Verdict.YES) for one in HARMLESS),
    *((*one, Verdict.NO) for one in ALTERED_PROGRAM),
    *((name, "1", Verdict.NO) for name in TELLING),
    *((*one, Verdict.NOT_JUDGED) for one in UNKNOWN),
]


@pytest.mark.promise("verify")
@pytest.mark.parametrize(("name", "value", "verdict"), CASES)
def test_headers_are_judged_by_name_and_value(name: str, value: str, verdict: Verdict) -> None:
    assert judge(name, value) is verdict


@pytest.mark.promise("verify")
def test_no_header_is_both() -> None:
    known = known_headers()
    assert not {*known["harmless"]} & {*known["telling"]}
    assert {"content-security-policy", "referrer-policy"} <= {*known["harmless"]}


@pytest.mark.promise("verify")
@pytest.mark.parametrize(
    "path",
    [
        *(
            at("doping"),
            at("doping", "survey.json"),
            at("doping", "privacy"),
            at("doping", "privacy.json"),
        ),
        *(
            at("doping", "sheet"),
            at("none"),
            "/device",
            "/",
            "/j",
            "/j/x",
            "/join",
            "/none",
            "/health",
        ),
        *(f"/client/{name}" for name in load(BROWSER_FOLDER).files),
    ],
)
def test_whatever_the_release_sends_is_harmless(respondents: Caller, path: str) -> None:
    for accepted in ("gzip, br", "gzip", "identity"):
        answer = respondents(path, headers={"Accept-Encoding": accepted})
        for name, value in answer.headers.items():
            assert judge(name.lower(), value) is Verdict.YES, (name, value)
