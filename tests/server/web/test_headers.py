import re

import pytest
from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.server.respondent.catalogues import spoken
from deniable.server.respondent.joining import joined, without_comments
from deniable.server.respondent.program import BROWSER_FOLDER, integrity
from deniable.server.store import Store
from deniable.server.web.wsgi import Pages
from deniable.survey.address import PATTERN
from tests.kit import Answer, Caller, Start, at, url_for

RESPONDENTS_PATHS = [
    "/none",
    at("doping"),
    at("none"),
    at("doping", "survey.json"),
    at("doping", "privacy"),
    at("doping", "sheet"),
    at("doping", "poster"),
    at("doping", "reports"),
    at("none", "reports"),
    "/client/main.js",
    "/client/none.js",
    url_for("surveys.index"),
]

DESK_PATHS = [
    "/",
    "/none",
    at("doping"),
    url_for("surveys.index"),
    url_for("results.page"),
    url_for("results.reports"),
    url_for("invitations.page"),
    url_for("auth.sign_in_page", token="x"),
    url_for("desk.static", filename="desk.css"),
]

EVERYWHERE = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "object-src": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}

SCRIPTS = {
    name: integrity(text.encode())
    for name, text in (joined(BROWSER_FOLDER) | spoken(BROWSER_FOLDER)).items()
}

STYLES = " ".join(
    f"'{integrity(without_comments(file.read_text()).encode())}'"
    for file in sorted(BROWSER_FOLDER.glob("*.css"))
)

OF_RESPONDENTS = EVERYWHERE | {
    "style-src": STYLES,
    "connect-src": "'self'",
    "img-src": "data:",
    "form-action": "'none'",
}


def policy(answer: Answer) -> dict[str, str]:
    rules = answer.headers["Content-Security-Policy"].split("; ")
    return {name: value for name, _, value in (rule.partition(" ") for rule in rules)}


def check_headers(answer: Answer) -> None:
    headers = answer.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Server"] == "deniable"
    assert "Strict-Transport-Security" not in headers


@pytest.mark.parametrize("path", ["/", "/j", "/j/BCDFG"])
def test_a_code_is_typed_without_a_program(respondents: Caller, path: str) -> None:
    answer = respondents(path)
    allowed = {"script-src": "'none'", "form-action": "'self'"}
    assert policy(answer) == OF_RESPONDENTS | allowed
    check_headers(answer)
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_the_phone_s_language_is_spoken_for_codes(respondents: Caller) -> None:
    typed, other = policy(respondents("/join")), policy(respondents(RESPONDENTS_PATHS[0]))
    assert typed == other | {"form-action": "'self'"}


@pytest.mark.parametrize("path", RESPONDENTS_PATHS)
def test_every_response_carries_the_security_headers(respondents: Caller, path: str) -> None:
    answer = respondents(path)
    rules = policy(answer)
    if path.endswith(".json"):
        # Data loads nothing: a list of scripts and styles would be most of such an answer.
        assert rules == EVERYWHERE | {"form-action": "'none'"}
        assert len(answer.headers["Content-Security-Policy"]) < 250
    elif path == at("doping"):
        # The page of questions runs what it needs, and nothing else.
        own = {
            f"'{one}'"
            for one in re.findall(r"sha256-[^']*", answer.headers["Content-Security-Policy"])
        }
        needed = ("leave.js", "onward.js", "pin.js", "main.js")
        assert rules["script-src"].split() == [f"'{SCRIPTS[one]}'" for one in needed]
        assert len(own) == len(needed) + 1  # the style
    else:
        assert sorted(rules["script-src"].split()) == sorted(f"'{one}'" for one in SCRIPTS.values())
        assert rules == OF_RESPONDENTS | {"script-src": rules["script-src"]}
    check_headers(answer)
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    if re.match(PATTERN, path):
        assert answer.headers["Cache-Control"].endswith("no-store")


@pytest.mark.parametrize(
    "path", [at("doping", "reports"), at("none", "reports"), at("doping", "tokens")]
)
def test_an_answer_to_what_was_sent_loads_nothing(respondents: Caller, path: str) -> None:
    answer = respondents(path, method="POST")
    assert policy(answer) == EVERYWHERE | {"form-action": "'none'"}
    check_headers(answer)
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.promise("desk-scripts")
@pytest.mark.parametrize("path", DESK_PATHS)
def test_every_response_of_the_desk_carries_its_own(desk: Caller, path: str) -> None:
    answer = desk(path)
    # Scripts are files of the desk, never a page's own markup, and reach no other origin.
    rules = [f"{kind}-src" for kind in ("script", "style", "connect", "font", "img")]
    own = dict.fromkeys([*rules, "form-action"], "'self'")
    assert policy(answer) == EVERYWHERE | own
    check_headers(answer)
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"].endswith("no-store")


def test_a_doubled_slash_leads_nowhere(respondents: Caller, desk: Caller) -> None:
    evil = {"Host": "evil.example"}
    for path in (f"/{at('none')}", f"{at('doping')}/privacy", "/client//leave.js", "//", "///x"):
        assert respondents(path).status == respondents(path, headers=evil).status == 404
    near = respondents(f"/{at('doping')}", headers=evil)
    assert (near.status, "Location" in near.headers, "evil" in near.text) == (200, False, False)
    assert desk(f"/{url_for('surveys.index')}").status == 404
    assert "Location" not in desk("/desk//surveys").headers


@pytest.mark.promise("odd-requests")
@pytest.mark.parametrize(
    "sent",
    [
        {"Accept": ",".join(f"a/{n};q=0.{n % 9}" for n in range(4000))},
        {"accept-language": "a," * 600},
        {"Accept": "a," * 300, "Accept-Encoding": "b," * 300},
        {"If-None-Match": '"a", ' * 300},
    ],
)
def test_a_long_list_is_refused_unread(
    respondents: Caller, desk: Caller, monkeypatch: pytest.MonkeyPatch, sent: dict[str, str]
) -> None:
    monkeypatch.setattr(Pages, "_call", None)
    pages = (
        (respondents, at("doping", "privacy")),
        (respondents, "/"),
        (desk, url_for("surveys.index")),
    )
    for program, path in pages:
        answer = program(path, headers=sent)
        check_headers(answer)
        assert (answer.status, answer.json["status"]) == (431, 431)
        assert "at most 1024 characters" in answer.json["detail"]


def test_tls_is_held_to_where_there_is_tls(start: Start, start_desk: Start) -> None:
    respondents, desk = start("https://survey.example.org"), start_desk("https://desk.example.org")
    answers = [respondents(path) for path in RESPONDENTS_PATHS] + [
        desk(path) for path in DESK_PATHS
    ]
    for answer in answers:
        assert int(answer.headers["Strict-Transport-Security"].split("=")[1]) >= 31_536_000


def test_a_failure_carries_the_headers_and_says_nothing(
    respondents: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(pages: Pages, scope: Scope, protocol: Protocol) -> None:
        raise ValueError(scope.query_string)

    monkeypatch.setattr(Pages, "answer", broken)
    answer = respondents(f"{at('x')}?m4rk3r")
    assert answer.status == 500
    assert policy(answer)["default-src"] == "'none'"
    assert "m4rk3r" not in answer.text
    assert "ValueError" in caplog.text
    assert "test_headers.py" in caplog.text
    assert "m4rk3r" not in caplog.text


@pytest.mark.promise("no-sender")
def test_a_failing_page_is_logged_without_the_request(
    respondents: Caller,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(slug: str) -> str:
        raise RuntimeError(slug)

    monkeypatch.setattr(store, "slug_at", broken)
    answer = respondents(f"{at('m4rk3r')}?m4rk3r", headers={"User-Agent": "m4rk3r"})
    assert answer.status == 500
    assert policy(answer)["default-src"] == "'none'"
    assert "RuntimeError" in caplog.text
    assert "m4rk3r" not in caplog.text + answer.text
