import pytest

from deniable.server.pages import Pages
from deniable.server.rsgi import Protocol, Scope
from deniable.server.store import Store
from deniable.survey import Survey
from tests.server.calling import Answer, Caller, Start, report

PATHS = [
    "/",
    "/none",
    "/s/doping",
    "/s/none",
    "/s/doping/survey.json",
    "/s/doping/privacy",
    "/s/doping/sheet",
    "/s/doping/reports",
    "/s/none/reports",
    "/client/main.js",
    "/client/none.js",
    "/desk",
    "/desk/doping",
    "/desk/doping/reports.csv",
    "/desk/doping/sheets",
    "/desk/sign-in/x",
    "/desk/static/desk.css",
]


def policy(answer: Answer) -> dict[str, str]:
    rules = answer.headers["Content-Security-Policy"].split("; ")
    return {name: value for name, _, value in (rule.partition(" ") for rule in rules)}


@pytest.mark.parametrize("path", PATHS)
def test_every_response_carries_the_security_headers(call: Caller, path: str) -> None:
    answer = call(path)
    assert policy(answer) == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": "'self'",
        "form-action": "'self'" if path.startswith("/desk") else "'none'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "object-src": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    headers = answer.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Server"] == "deniable"
    assert "Strict-Transport-Security" not in headers
    if path.startswith(("/s/", "/desk")):
        assert headers["Cache-Control"].endswith("no-store")


def test_tls_is_held_to_where_there_is_tls(start: Start) -> None:
    call = start("https://survey.example.org")
    for path in PATHS:
        assert int(call(path).headers["Strict-Transport-Security"].split("=")[1]) >= 31_536_000


def test_a_failure_carries_the_headers_and_says_nothing(
    call: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(pages: Pages, scope: Scope, protocol: Protocol) -> None:
        raise ValueError(scope.query_string)

    monkeypatch.setattr(Pages, "answer", broken)
    answer = call("/s/x?m4rk3r")
    assert answer.status == 500
    assert policy(answer)["default-src"] == "'none'"
    assert "m4rk3r" not in answer.text
    assert "ValueError" in caplog.text
    assert "test_headers.py" in caplog.text
    assert "m4rk3r" not in caplog.text


def test_a_failing_page_is_logged_without_the_request(
    call: Caller,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(slug: str) -> str:
        raise RuntimeError(slug)

    monkeypatch.setattr(store, "current_revision", broken)
    answer = call("/s/m4rk3r?m4rk3r", headers={"User-Agent": "m4rk3r"})
    assert answer.status == 500
    assert policy(answer)["default-src"] == "'none'"
    assert "RuntimeError" in caplog.text
    assert "m4rk3r" not in caplog.text + answer.text


def test_respondents_never_get_a_cookie(call: Caller, survey: Survey) -> None:
    cookies = {"Cookie": "desk=x; __Host-desk=x; session=x"}
    answers = [call(path, headers=cookies) for path in PATHS if not path.startswith("/desk")]
    answers += [call.send(report(survey), Cookie="desk=x"), call.send(b"{", Cookie="desk=x")]
    for answer in answers:
        assert answer.set_cookies == ()
        assert "Cookie" not in answer.headers.get("Vary", "")
