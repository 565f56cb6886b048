"""Verifying and auditing a server's program."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from itertools import repeat

import pytest

from deniable import __version__
from deniable.cli import audit
from deniable.cli.auditing import PageVerdict
from deniable.cli.verify import NOT_JUDGED, compare
from deniable.client.audit import chromium
from deniable.client.connection import Connection, Response
from deniable.server.loopback import loopback
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.survey_file import read
from tests.cli.conftest import DOPING, Run
from tests.client.test_respondent import scripted
from tests.kit import Running, at

SURVEY = read(DOPING).survey
FILES = sorted(load(BROWSER_FOLDER).files)
ALTERED = (at("doping").rstrip("/"), at("doping", "?utm_source=x"))
"""Links that were altered on their way."""

PAGES = (
    *("", "/survey.json", "/state.json", "/privacy", "/privacy.json", "/sheet", "/unscripted"),
    *("/device", *ALTERED),
)
"""What a respondent of this survey can come to; the device's page is of all surveys."""


@pytest.fixture(scope="module")
def link() -> Iterator[str]:
    """Serve the survey by this release; what a test alters is altered on the way from there."""
    with loopback(SURVEY) as link:
        yield link


own_link = link
"""Of another server, with which the first one is compared."""


@pytest.fixture(scope="module")
def answers() -> dict[object, Response]:
    return {}


@pytest.fixture
def asked_once(
    own_link: str, answers: dict[object, Response], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ask both servers once for whatever all tests compare: they answer the same again."""
    monkeypatch.setattr("deniable.server.loopback.loopback", lambda *_, **__: nullcontext(own_link))
    get = Connection.get

    def kept(self: Connection, path: str, headers: Mapping[str, str] | None = None) -> Response:
        asked = (self.origin, path, *sorted((headers or {}).items()))
        if asked not in answers:
            answers[asked] = get(self, path, headers)
        return answers[asked]

    monkeypatch.setattr(Connection, "get", kept)


@pytest.mark.promise("verify")
def test_the_server_of_this_release_passes(run: Run, server: Running) -> None:
    lines = run("verify", server.links[0]).stdout.splitlines()
    verdicts = [re.split(r"  +", line)[-1].strip() for line in lines[4:-2]]
    assert set(verdicts) == {"the same"}
    assert len(verdicts) == len(PAGES) + len(FILES)
    assert lines[-1] == f"Yes: this is the program of deniable {__version__}."
    run("close", "doping")
    assert "the same" in run("verify", server.links[0]).stdout


Change = Callable[[str, Mapping[str, str], Response], Response]
"""From an address, the headers of a request and the honest answer to another one."""


def other(monkeypatch: pytest.MonkeyPatch, origin: str, change: Change) -> None:
    """Let the server at an origin answer otherwise."""
    get = Connection.get

    def changed(self: Connection, path: str, headers: Mapping[str, str] | None = None) -> Response:
        answer = get(self, path, headers)
        return change(path, headers or {}, answer) if self.origin == origin else answer

    monkeypatch.setattr(Connection, "get", changed)


def replaced(path: str, old: bytes, new: bytes) -> Change:
    def change(asked: str, _: Mapping[str, str], answer: Response) -> Response:
        if asked != path:
            return answer
        assert old in answer.body
        return replace(answer, body=answer.body.replace(old, new))

    return change


def instead(path: str, answer: Response) -> Change:
    return lambda asked, _, honest: answer if asked == path else honest


def header(path: str, name: str, value: str) -> Change:
    def change(asked: str, _: Mapping[str, str], answer: Response) -> Response:
        kept = [one for one in answer.headers if one[0] != name]
        added = replace(answer, headers=(*kept, (name, value)))
        return added if asked.endswith(path) else answer

    return change


def without(path: str, name: str) -> Change:
    def change(asked: str, _: Mapping[str, str], answer: Response) -> Response:
        kept = tuple(one for one in answer.headers if one[0] != name)
        return replace(answer, headers=kept) if asked == path else answer

    return change


def for_some(word: str, change: Change) -> Change:
    """Alter it only for those whose request says something."""

    def changed(asked: str, headers: Mapping[str, str], answer: Response) -> Response:
        said = " ".join(headers.values())
        return change(asked, headers, answer) if word in said else answer

    return changed


PAGE, QUESTIONS = at("doping"), at("doping", "survey.json")
POLICY = "Content-Security-Policy"
A_SCRIPT = (b"</body>", b'<script src="/x.js"></script></body>')

DIFFERENCES: dict[str, tuple[Change, str, str]] = {
    "a module": (
        replaced("/client/main.js", b"sum > word", b"sum >= word"),
        "main.js",
        "return sums.findIndex((sum) => sum > word);",
    ),
    "a script more": (
        replaced(at("doping"), *A_SCRIPT),
        "the page",
        'found “<script src="/x.js"></script></body></html>”',
    ),
    **{
        f"a script on {path}": (
            replaced(path, *A_SCRIPT),
            path,
            'found “<script src="/x.js"></script></body>”',
        )
        for path in (
            *(at("doping", "privacy"), "/device", at("doping", "sheet")),
            *(at("doping", "unscripted"), *ALTERED),
        )
    },
    **{
        f"a redirect of {path}": (
            instead(path, Response(308, b"", (("Location", f"{at('doping')}#5a5a"),))),
            path,
            "found 308 to “/KVYTHNR/#5a5a”",
        )
        for path in ALTERED
    },
    "an altered link that leads to another survey": (
        replaced(ALTERED[1], b'onward" href="/KVYTHNR/"', b'onward" href="/BBBBBBB/"'),
        ALTERED[1],
        'onward" href="/BBBBBBB/',
    ),
    "a style in the page": (
        replaced(PAGE, b"</style>", b"p { color: red }</style>"),
        "the page",
        "p { color: red }</style>",
    ),
    "a module in the page": (replaced(PAGE, b"sum > word", b"sum >= word"), "the page", "line "),
    "no module": (instead("/client/device.js", Response(404, b"")), "device.js", "found 404"),
    "other bytes": (
        replaced("/client/device.js", b"function", b"\x1b[2J"),
        "device.js",
        "\N{REPLACEMENT CHARACTER}[2J",
    ),
    **{
        f"{name} of {path}": (
            header(path, name, value),
            f"{shown}: {name.lower()}",
            f"expected {expected}, found “{value}”",
        )
        for path, shown, name, value, expected in (
            (PAGE, "the page", "Set-Cookie", "who=person-0001", "none"),
            ("/survey.json", QUESTIONS, "Set-Cookie", "who=person-0001", "none"),
            (PAGE, "the page", "Refresh", "2; url=https://other.example/", "none"),
            ("/survey.json", QUESTIONS, "Alt-Svc", 'h3="anna.example:443"', "none"),
            (PAGE, "the page", "X-XSS-Protection", "1; report=/told", "none"),
            (PAGE, "the page", "Cache-Control", "max-age=31536000", "“no-store”"),
        )
    },
    **{
        f"{name} of {path}": (header(path, name, value), f"{shown}: {name.lower()}", f"“{value}”")
        for path, shown, name, value in (
            ("/client/main.js", "main.js", "ETag", '"person-0001"'),
            (PAGE, "the page", POLICY, "default-src *"),
            ("/device", "/device", POLICY, "default-src *"),
        )
    },
    "no rules": (without(PAGE, POLICY), "the page: content-security-policy", "found none"),
    "another page for a phone": (
        for_some("Firefox", replaced(PAGE, *A_SCRIPT)),
        "the page",
        "(as Firefox on a phone, in German)",
    ),
    "another page for a language": (
        for_some("en-US", replaced(PAGE, *A_SCRIPT)),
        "the page",
        "(as Chromium in English)",
    ),
    "another page for who was here before": (
        for_some("person-0001", replaced(at("doping", "survey.json"), b"doping", b"d0ping")),
        at("doping", "survey.json"),
        "(as Safari with cookies, in Arabic)",
    ),
}


@pytest.mark.promise("verify")
@pytest.mark.usefixtures("asked_once")
@pytest.mark.parametrize("difference", DIFFERENCES)
def test_differences_are_found(link: str, monkeypatch: pytest.MonkeyPatch, difference: str) -> None:
    change, name, said = DIFFERENCES[difference]
    other(monkeypatch, link.removesuffix(at("doping")), change)
    wrong = next(one for one in compare(link) if one.difference)
    assert wrong.name == name
    assert said in (wrong.difference or "")
    assert wrong.expected != wrong.found


@pytest.mark.promise("verify")
@pytest.mark.usefixtures("asked_once")
@pytest.mark.parametrize("difference", ["other bytes", f"Set-Cookie of {PAGE}"])
def test_a_difference_is_named_and_fails(
    run: Run, link: str, monkeypatch: pytest.MonkeyPatch, difference: str
) -> None:
    change, name, said = DIFFERENCES[difference]
    other(monkeypatch, link.removesuffix(at("doping")), change)
    printed = run("verify", link, exits=1).stdout
    (row,) = [line for line in printed.splitlines() if line.rstrip().endswith("DIFFERS")]
    assert row.startswith(f"{name} ")
    assert said in printed
    assert "\x1b" not in printed
    assert printed.splitlines()[-1].startswith("No: 1 of ")
    assert " differ. This is not the program of deniable" in printed
    found = json.loads(run("verify", link, "--format", "json", exits=1).stdout)
    assert (found["verdict"], found["same"]) == ("no", False)
    (wrong,) = [one for one in found["compared"] if one["difference"]]
    assert wrong["name"] == name


@pytest.mark.promise("verify")
@pytest.mark.usefixtures("asked_once")
def test_what_proxies_add_is_no_difference(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def added(_path: str, _: Mapping[str, str], answer: Response) -> Response:
        values = [value for name, value in answer.headers if name == "ETag"]
        tags = [("ETag", f"W/{value.removeprefix('W/')}") for value in values]
        kept = [one for one in answer.headers if one[0] not in ("ETag", "Server", "Date")]
        more = [("Date", "Sun, 22 Nov 2026 05:19:14 GMT"), ("Via", "1.1 proxy"), ("Server", "x")]
        more += [("X-Cache", "MISS"), ("X-Frame-Options", "DENY"), ("Keep-Alive", "timeout=5")]
        more.append(("X-Request-ID", "f3a9"))
        return replace(answer, headers=(*kept, *tags, *more))

    other(monkeypatch, link.removesuffix(at("doping")), added)
    assert [one for one in compare(link) if one.difference] == []


@pytest.mark.promise("verify")
@pytest.mark.usefixtures("asked_once")
def test_unknown_headers_are_unjudged(run: Run, link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other(monkeypatch, link.removesuffix(at("doping")), header("", "X-New", "1"))
    lines = run("verify", link, exits=3).stdout.splitlines()
    (row,) = [line for line in lines if line.rstrip().endswith("NOT JUDGED")]
    assert row.startswith("the page: x-new ")
    assert "the page: x-new: expected none, found “1”" in lines
    assert lines[-1].startswith(f"Not judged: deniable {__version__} does not know what a browser")
    found = json.loads(run("verify", link, "--format", "json", exits=3).stdout)
    assert (found["verdict"], found["same"]) == ("not judged", False)
    (wrong,) = [one for one in found["compared"] if one["verdict"] != "yes"]
    assert (wrong["name"], wrong["verdict"]) == ("the page: x-new", "not judged")
    # What differs decides, and what is not judged is named all the same.
    other(monkeypatch, link.removesuffix(at("doping")), header(at("doping"), "Link", "</x>"))
    lines = run("verify", link, exits=1).stdout.splitlines()
    assert lines[-2].startswith("No: 1 of ")
    assert lines[-1].startswith("Not judged either: ")


@pytest.mark.promise("verify")
def test_the_hashes_of_the_release(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = load(BROWSER_FOLDER).hashes
    lines = run("verify", "--hashes").stdout.splitlines()
    assert [line.split() for line in lines[4:]] == [list(one) for one in hashes.items()]
    found = json.loads(run("verify", "--hashes", "--format", "json").stdout)
    scripts = {address.removeprefix("/client/"): one for address, one in found["hashes"].items()}
    assert found["release"] == __version__
    assert scripts == {name: one for name, one in hashes.items() if name.endswith(".js")}
    styles = {one for name, one in hashes.items() if name.endswith(".css")}
    assert found["any_hashes"] == sorted(styles)


@pytest.mark.promise("verify")
@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (404, b"", "answered 404"),
        (200, b"<!doctype html><p>Hello", "survey.json: "),
        (200, b'{"survey": "doping"}', "expected a protocol document"),
    ],
)
def test_what_is_no_survey_is_named(run: Run, status: int, body: bytes, said: str) -> None:
    with scripted(repeat((status, {}, body))) as (origin, _):
        link = f"{origin}{at('doping')}"
        error = run("verify", link, exits=1).stderr
    assert said in error
    assert link in error


def finding(monkeypatch: pytest.MonkeyPatch, *failures: str, unknown: tuple[str, ...] = ()) -> None:
    verdict = PageVerdict("Chromium 1", 600, {}, failures, unknown)
    monkeypatch.setattr(audit, "audit_page", lambda *_: verdict)


@pytest.mark.promise("audit")
def test_an_honest_page_holds(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch)
    lines = run("audit", "doping.yaml", "--seed", 5).stdout.splitlines()
    assert lines[0] == "doping.yaml: Doping in [bold]your[/bold] sport :smile: (doping)"
    assert "Seed: 5." in lines
    assert "Page: 600 visits in Chromium 1, each exactly as expected." in lines
    assert "What one visit of 130 shows is found with a chance of 99%." in lines
    assert lines[-1] == "Everything holds."


@pytest.mark.promise("audit")
def test_what_is_wrong_is_the_exit_code(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, "a message is \x1b[31mwrong", unknown=("x-new",))
    result = run("audit", "doping.yaml", exits=1)
    assert "\x1b" not in result.stdout + result.stderr
    assert "NOT all as expected." in result.stdout
    assert "FAILS: a message is" in result.stdout
    found = json.loads(run("audit", "doping.yaml", "--format", "json", exits=1).stdout)
    assert (found["holds"], found["visits"], found["not_judged"]) == (False, 600, ["x-new"])


@pytest.mark.promise("audit")
def test_an_unknown_header_is_not_judged(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, unknown=("x-new",))
    words = " ".join(run("audit", "doping.yaml", exits=NOT_JUDGED).stdout.split())
    assert "does not know what a browser does by the header x-new" in words
    assert words.endswith("All that was looked at holds.")


@pytest.mark.promise("audit")
def test_a_seed_is_a_fresh_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch)
    seeds = {run("audit", "doping.yaml").stdout.splitlines()[2] for _ in range(2)}
    assert len(seeds) == 2


@pytest.mark.promise("audit")
def test_a_missing_browser_says_how_to_get_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "_BROWSERS", ("no-such-browser",))
    assert "found no Chromium in PATH" in run("audit", "doping.yaml", exits=1).stderr
