"""Signing in at the desk by a link, and the session that it begins."""

import time

import pytest

from deniable.server.desk.auth import login_links
from deniable.server.store import Store
from deniable.server.store.schedule import State
from tests.kit import Browser, Caller, Start, path_of, url_for
from tests.kit.fixtures import signed_in
from tests.server.desk.test_pages import DESK_ON_TLS, without_tokens


@pytest.mark.promise("links")
def test_a_link_works_once(store: Store, desk: Caller) -> None:
    link = login_links.new_link(store, "http://localhost")
    first, second = Browser(desk), Browser(desk)
    assert first.sign_in(link).status == 303
    refused = second.sign_in(link)
    assert (refused.status, refused.set_cookies) == (401, ())
    assert "It was used already, or it is older than a day." in refused.text
    assert first.see("surveys.index").status == 200
    assert second.see("surveys.index").status == 401
    # What to do next is said in the language of the reader's browser.
    second.language = "de-AT,en"
    assert "wenn Sie den Knopf drücken" in second(path_of(link)).text
    refused = second.sign_in(link)
    assert 'lang="de"' in refused.text
    assert "Oder holen Sie sich einen neuen Link, wie es unten steht." in refused.text
    # Where it was used, it leads where it led.
    again = first.sign_in(f"{link}?meeting=one")
    assert (again.status, again.headers["Location"]) == (303, url_for("live.page", meeting="one"))


@pytest.mark.promise("links")
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_looking_at_a_link_leaves_it(store: Store, desk: Caller, method: str) -> None:
    link = login_links.new_link(store, "http://localhost")
    preview = Browser(desk)
    for _ in range(2):
        assert preview(path_of(link), method=method).status == 200
        assert preview.see("surveys.index").status == 401
    assert Browser(desk).sign_in(link).status == 303


@pytest.mark.promise("links")
def test_a_link_s_page_tells_nothing(store: Store, desk: Caller) -> None:
    good, used = (login_links.new_link(store, "http://localhost") for _ in range(2))
    Browser(desk).sign_in(used)
    shown = []
    for link in (good, used, "http://localhost/desk/sign-in/made-up"):
        answer = desk(path_of(link))
        page = without_tokens(answer.text)
        shown.append((answer.status, answer.headers.keys(), len(answer.body), page))
    assert shown[0] == shown[1] == shown[2]
    assert shown[0][0] == 200


@pytest.mark.promise("links")
def test_links_last_a_day(store: Store, visitor: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    late, in_time = (login_links.new_link(store, "http://x") for _ in range(2))
    monkeypatch.setattr(time, "time", lambda: now + login_links.LIFETIME - 2)
    assert visitor.sign_in(in_time).status == 303
    monkeypatch.setattr(time, "time", lambda: now + login_links.LIFETIME)
    assert Browser(visitor._call).sign_in(late).status == 401


@pytest.mark.parametrize("token", ["x", "%ff%ed%a0%80", "0" * 900, "%00"])
def test_a_made_up_link_is_refused(visitor: Browser, token: str) -> None:
    refused = visitor.sign_in(f"http://localhost/desk/sign-in/{token}")
    assert refused.status == 401
    assert "deniable sign-in" in refused.text


def check_is_signed_out(browser: Browser, token: str, store: Store) -> None:
    """Try to read and to change something, with a token of forms that is good."""
    form = {"csrf_token": token, "state": "closed"}
    changed = browser(url_for("surveys.set_state"), method="POST", form=form)
    for answer in (browser.see("results.reports"), changed):
        assert answer.status == 401
        assert "deniable sign-in --desk-url http://localhost<" in answer.text
        assert "Doping" not in answer.text
    assert store.state("doping") is State.OPEN


@pytest.mark.promise("signed-in")
@pytest.mark.parametrize("cookie", ["", "desk=eyJyZXNlYXJjaGVyIjp0cnVlfQ.aaaaaa.bbbbbb"])
def test_nobody_is_signed_in_without_a_session(visitor: Browser, store: Store, cookie: str) -> None:
    token = visitor.token(url_for("auth.sign_in_page", token="x"))
    visitor.cookie = cookie or visitor.cookie
    assert visitor.see("results.page", slug="none").status == 401
    if not cookie:
        check_is_signed_out(visitor, token, store)


@pytest.mark.promise("sessions")
def test_signing_out_ends_copied_cookies(store: Store, researcher: Browser) -> None:
    elsewhere = signed_in(store, researcher._call)
    token, copy = researcher.token(), Browser(researcher._call)
    copy.cookie = researcher.cookie
    assert copy.see("results.reports").status == 200
    researcher.send("auth.sign_out")
    check_is_signed_out(copy, token, store)
    # The same researcher at another device stays where they are.
    assert elsewhere.see("results.reports").status == 200
    assert elsewhere.send("surveys.set_state", state="closed").status == 303


@pytest.mark.promise("sessions")
def test_a_session_ends_after_twelve_hours(
    store: Store, visitor: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in = time.time()

    def wait_until(seconds: float) -> None:
        monkeypatch.setattr(time, "time", lambda: signed_in + seconds)

    wait_until(0)
    visitor.sign_in(login_links.new_link(store, "http://localhost"))
    wait_until(11 * 3600)
    # The first page that has a form writes its token into the cookie, which is signed anew.
    token = visitor.token()
    wait_until(12 * 3600 - 1)
    answer = visitor.see("surveys.index")
    # Looking at a page makes no cookie last longer.
    assert (answer.status, answer.set_cookies) == (200, ())
    wait_until(12 * 3600)
    check_is_signed_out(visitor, token, store)


def test_signing_in_again_ends_the_session_of_before(store: Store, researcher: Browser) -> None:
    copy = Browser(researcher._call)
    copy.cookie = researcher.cookie
    researcher.sign_in(login_links.new_link(store, "http://localhost"))
    assert researcher.see("surveys.index").status == 200
    assert copy.see("surveys.index").status == 401


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        (None, {"desk", "HttpOnly", "SameSite=Strict", "Path=/desk"}),
        (
            DESK_ON_TLS,
            {"__Host-desk", "HttpOnly", "SameSite=Strict", "Path=/", "Secure"},
        ),
    ],
)
def test_the_cookie_is_the_researcher_s_alone(
    store: Store, start_desk: Start, url: str | None, wanted: set[str]
) -> None:
    browser = Browser(start_desk(url))
    answer = browser.sign_in(login_links.new_link(store, "http://localhost"))
    (cookie,) = answer.set_cookies
    parts = {part.split("=")[0] if "desk=" in part else part for part in cookie.split("; ")}
    assert wanted <= parts | {part for part in cookie.split("; ") if part.startswith("Path")}
    assert "Domain" not in cookie
