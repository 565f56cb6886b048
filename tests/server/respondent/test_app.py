"""The respondents' pages as an application: no cookie, no session, and nobody who asks."""

import pytest
from flask import session

from deniable.server.respondent.app import create_respondents_app
from deniable.server.store import Store
from deniable.survey import Survey
from tests.addresses import at
from tests.server.calling import Caller, report
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
def test_no_page_depends_on_a_cookie_or_sets_one(call: Caller, path: str, cookie: str) -> None:
    without, with_one = call(path), call(path, headers={"Cookie": cookie})
    assert with_one == without
    assert with_one.set_cookies == ()
    assert "Cookie" not in with_one.headers.get("Vary", "")


@pytest.mark.promise("no-cookies")
@pytest.mark.parametrize("cookie", COOKIES)
def test_nor_does_the_intake(
    call: Caller, survey: Survey, cookie: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for body in (report(survey), report(survey), b"{"):
        first, again = call.send(body), call.send(body, Cookie=cookie)
        assert first.set_cookies == again.set_cookies == ()
        assert again == call.send(body)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("header", ["User-Agent", "Accept-Language", "Referer", "X-Forwarded-For"])
def test_no_page_gets_to_see_who_asks(store: Store, call: Caller, header: str) -> None:
    for path in PATHS:
        assert call(path, headers={header: "ar"}) == call(path)


def test_there_is_no_session_to_write(store: Store) -> None:
    app = create_respondents_app(store)
    with (
        app.test_request_context("/"),
        pytest.raises(RuntimeError, match="no secret key was set"),
    ):
        session["who"] = "me"
