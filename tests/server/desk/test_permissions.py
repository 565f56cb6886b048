"""Every route of the desk, tried by everybody: who may do what."""

import html
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from werkzeug.routing import Rule

from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth import passwords as credentials
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk.editor.preview import begin_trial
from deniable.server.desk.editor.starters import BLANK
from deniable.server.desk.live.session import begin_meeting
from deniable.server.desk.permissions import Right, Route
from deniable.server.desk.results.compare import ANALYSES
from deniable.server.store import Draft, Store
from deniable.server.store.accounts import Role, Scope
from deniable.survey import Survey
from tests.kit import (
    ORIGIN,
    PANEL_TEXT,
    RESPONDENTS,
    Browser,
    Caller,
    Start,
    first_of,
    of_wave,
    panel,
    surveys,
    url_for,
)
from tests.kit.fixtures import signed_in
from tests.server.desk.auth.test_accounts import QUICK
from tools.rights import lines

pytestmark = pytest.mark.promise("rights")

DRAFT = url_for("editor.page", draft="0123")
"""Where the draft of the owner is."""

MEETING = "/desk/meetings/"
"""Below this, where the meeting of the owner is."""

Kept = Callable[[], dict[str, list[object]]]

NAMES = ["analyst", "analyst-elsewhere", "owner", "owner-elsewhere", "administrator"]

EVERYBODY = {"nobody", *NAMES}
OWNERS = {"owner", "administrator"}
READERS = {"analyst", *OWNERS}
WRITERS = {"owner-elsewhere", *OWNERS}

WHO = {
    Right.EVERYBODY: EVERYBODY,
    Right.PUBLIC: EVERYBODY,
    Right.SIGNED_IN: {*NAMES},
    Right.WRITE: WRITERS,
    Right.DRAFT: OWNERS,
    Right.MEETING: OWNERS,
    Right.READ: READERS,
    Right.READ_SURVEY: READERS,
    Right.CHANGE: OWNERS,
    Right.CHANGE_SURVEY: OWNERS,
    Right.REGISTER: OWNERS,
    Right.ADMINISTER: {"administrator"},
}
"""Who has each right, of what the store below holds."""

KEPT = (Path(__file__).parent / "rights.txt").read_text().splitlines()
"""Whom each route is for, as somebody approved it when ``python -m tools.rights`` printed it."""

WHO_MAY = {
    (method, address): WHO[Right(right)]
    for method, right, address in (re.split(" {2,}", line) for line in KEPT)
}

# Good for every form that there is: whoever may send one changes something.
FORM = {
    "state": "closed",
    "public": "yes",
    "wave": "2",
    "confirmed": "yes",
    "name": "owner-elsewhere",
    "role": "analyst",
    "session": "00",
    "revision": panel().revision,
    "text": "title: typed",
    "people": "20",
    "typed": "panel",
    "survey": "elsewhere",
    "do": "step",
    "step": "question",
}


def refusal(who: str, endpoint: str, path: str) -> int:
    """Return with which status somebody is refused."""
    if who == "nobody" or path.startswith("/api/"):
        return 401  # a cookie opens nothing there
    # Nobody learns which surveys others have, and whoever writes drafts not which others write.
    unknown = path.startswith(url_for("results.page", slug="panel")) and who.endswith("elsewhere")
    theirs = path.startswith((DRAFT, MEETING)) and who == "owner-elsewhere"
    return 404 if unknown or theirs else 403


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare passwords, of which there are none here, in no time."""
    monkeypatch.setattr(credentials, "_OF_NOBODY", QUICK.hash("nobody's"))


@pytest.fixture
def survey() -> Survey:
    return surveys.survey(slug="elsewhere")


@pytest.fixture
def store(store: Store) -> Store:
    """Put a survey that is shared beside the one that is not, and the accounts."""
    store.register(panel(), PANEL_TEXT)
    store.set_public("panel", public=True)
    store.add_user("administrator", Role.ADMINISTRATOR)
    for name in NAMES[:-1]:
        role, _, elsewhere = name.partition("-")
        store.add_user(name, Role(role))
        store.share(elsewhere or "panel", name, Role(role))
    store.keep_draft(Draft("0123", BLANK, "owner"))
    begin_meeting(store, "owner", surveys.survey())
    return store


def came(store: Store, desk: Caller, who: str) -> tuple[Browser, str]:
    """Return the browser of somebody who has come to the desk, and the token of its forms."""
    if who == "nobody":
        browser = Browser(desk)
        return browser, browser.token(url_for("auth.sign_in_page", token="x"))
    browser = signed_in(store, desk, who)
    return browser, browser.token(url_for("account.page"))


def requests(store: Store) -> list[tuple[str, str, str, set[str]]]:
    """List the endpoint, method and path of every route, and for whom it is."""
    question = panel().questions[0].id
    values = {"slug": "panel", "question": question, "token": "x", "draft": "0123"}
    values |= {"page": "coins", "module": "channel", "meeting": store.meetings()[0].id}
    values |= {"document": "ethics", "path": "docs/index"}
    files = {"lab.static": "lab.css", "desk.classroom": "stage.css"}
    files |= {"manual.picture": "results.png"}
    rules = create_desk_app(store, RESPONDENTS).url_map
    forms = {"results.figure": "svg", "results.trend": "svg"}
    forms |= {"planner.packet_file": "md", "editor.packet_file": "md"}
    return [
        (
            rule.endpoint,
            method,
            rules.bind("localhost").build(
                rule.endpoint,
                {
                    name: {**values, "kind": kind, "form": forms.get(rule.endpoint, "csv")}.get(
                        name, files.get(rule.endpoint, "desk.css")
                    )
                    for name in rule.arguments
                },
                method,
            ),
            WHO_MAY[method, rule.rule],
        )
        for rule in rules.iter_rules()
        for method in sorted((rule.methods or set()) & {"GET", "POST", "PUT", "PATCH", "DELETE"})
        for kind in (ANALYSES if "kind" in rule.arguments else [""])
    ]


@pytest.fixture
def kept(store: Store) -> Iterator[Kept]:
    """Give a function that reads all that the store holds, but for the test's own sessions."""
    tables = ("surveys", "users", "shares", "reports", "held", "tallies", "drafts", "meetings")
    with closing(sqlite3.connect(store.name)) as db:
        yield lambda: {one: db.execute(f"SELECT * FROM {one}").fetchall() for one in tables}  # noqa: S608


def test_every_route_s_rights_are_as_approved(store: Store) -> None:
    assert [*lines(create_desk_app(store, RESPONDENTS).url_map.iter_rules())] == KEPT


@pytest.mark.promise("signed-in")
@pytest.mark.parametrize("who", first_of(["nobody", *NAMES], 5))
def test_nobody_does_what_is_not_theirs(store: Store, desk: Caller, kept: Kept, who: str) -> None:
    """Each route in turn, as a form of the desk's own page would ask for it."""
    survey = panel()
    store.insert_reports([of_wave(survey, 1) for _ in range(20)])
    begin_trial(store, survey)
    # Whoever is removed, and what is deleted, is so last.
    last = ["editor.remove", "live.remove", "people.remove", "surveys.delete"]
    tried = sorted(requests(store), key=lambda one: one[0] in last and last.index(one[0]) + 1)
    visitor, token = came(store, desk, who)
    before = kept()
    for endpoint, method, path, may in tried:
        form = None if method == "GET" else {"csrf_token": token, **FORM}
        answer = visitor(path, method=method, form=form)
        if who in may and (may == EVERYBODY or not path.startswith("/api/")):
            # What was asked for may still be wrong: that is for the page to say.
            assert answer.status not in (403, 404, 500), (endpoint, method)
            assert b'data-page="not-allowed"' not in answer.body
            if method != "GET":  # it may have signed them out
                visitor, token = came(store, desk, who)
            before = kept()
        else:
            wanted = refusal(who, endpoint, path)
            assert answer.status == wanted, (endpoint, method)
            for other in ("HEAD", "OPTIONS") if method == "GET" else ():
                assert visitor(path, method=other).status == wanted, (endpoint, other)
            assert kept() == before, (endpoint, method)
            assert survey.title.encode() not in answer.body


# A token of less than all is held back by its scope alone, whoever has it.
@pytest.mark.promise("tokens")
@pytest.mark.parametrize(
    ("who", "scope"),
    first_of(
        [*((who, Scope.ALL) for who in NAMES), *((who, Scope.READ) for who in NAMES[::-1])], 6
    ),
)
def test_no_script_exceeds_its_person_or_token(
    store: Store, desk: Caller, kept: Kept, who: str, scope: Scope
) -> None:
    """Each route in turn, by a token: those of the API, and those of pages, which take none."""
    survey = panel()
    store.insert_reports([of_wave(survey, 1) for _ in range(20)])
    token = make_token(store, who, "script", scope)
    written = Path("tests/vectors/survey.yaml").read_bytes()
    bodies = {"api.state": b'{"state": "closed"}', "api.register": written}
    # What phones show is written when the projector is looked at, whoever looks.
    desk(url_for("projector.scene", meeting=store.meetings()[0].id))
    for endpoint, method, path, allowed in requests(store):
        before = kept()
        answer = desk(
            path,
            bodies.get(endpoint, b""),
            method=method,
            headers={"Authorization": f"Bearer {token}"},
        )
        changes = method != "GET"
        may = who in allowed and (scope is Scope.ALL or not changes)
        if allowed == EVERYBODY and not changes:
            assert answer.status in (200, 302), endpoint
        elif not path.startswith("/api/"):
            # A form of the desk does not even get so far as to ask who it is.
            assert answer.status == (403 if changes else 401), endpoint
        elif may:
            assert answer.status in (200, 422), (endpoint, answer.text)
        else:
            elsewhere = who.endswith("elsewhere") and endpoint != "api.register"
            assert answer.status == (404 if elsewhere else 403), endpoint
            assert answer.headers["Content-Type"] == "application/problem+json"
        if not (may and path.startswith("/api/")):
            assert kept() == before, endpoint
            assert (survey.title.encode() in answer.body) == (endpoint.startswith("public."))
        assert not (answer.set_cookies and path.startswith("/api"))
    assert store.state("panel") == ("closed" if who in OWNERS and scope is Scope.ALL else "open")


@pytest.mark.parametrize("kind", [Route, Rule])
def test_a_route_that_says_nothing_is_for_nobody(store: Store, kind: type[Rule]) -> None:
    app = create_desk_app(store, RESPONDENTS)
    app.url_rule_class = kind
    app.add_url_rule(url_for("results.page", slug="panel") + "/later", "later", lambda: "shown")
    client = app.test_client()
    assert client.get(url_for("results.page", slug="panel") + "/later").status_code == 401
    link = new_link(store, ORIGIN, "administrator").removeprefix(ORIGIN)
    app.config["WTF_CSRF_ENABLED"] = False
    assert client.post(link, headers={"Origin": ORIGIN}).status_code == 303
    assert client.get(url_for("surveys.index")).status_code == 200
    answer = client.get(url_for("results.page", slug="panel") + "/later")
    assert answer.status_code == 403
    assert "shown" not in answer.text


@pytest.mark.promise("forged")
def test_every_form_needs_its_token_and_its_origin(store: Store, desk: Caller) -> None:
    ada = signed_in(store, desk, "administrator")
    token = ada.token()
    tried = [
        path
        for endpoint, method, path, _ in requests(store)
        if method != "GET" and not endpoint.startswith("api.")
    ]
    assert len(tried) > 10
    for path in tried:
        assert ada(path, method="POST", form=FORM).status == 400, path
        assert ada(path, method="POST", form={**FORM, "csrf_token": "x"}).status == 400, path
        elsewhere = Browser(desk, RESPONDENTS)
        elsewhere.cookie = ada.cookie
        assert elsewhere(path, method="POST", form={**FORM, "csrf_token": token}).status == 403
    assert ada.see("surveys.index").status == 200


def test_surveys_that_are_not_shared_are_not_listed(store: Store, desk: Caller) -> None:
    titles = {"panel": panel().title, "elsewhere": surveys.survey().title}
    for name, seen in {
        "analyst": {"panel"},
        "analyst-elsewhere": {"elsewhere"},
        "owner": {"panel"},
        "administrator": {"panel", "elsewhere"},
    }.items():
        text = signed_in(store, desk, name)(url_for("surveys.index")).text
        assert {slug for slug in titles if f'href="/desk/surveys/{slug}"' in text} == seen


def test_an_analyst_is_offered_what_is_allowed(store: Store, desk: Caller) -> None:
    analyst = signed_in(store, desk, "analyst")
    for path in (
        url_for("surveys.index"),
        url_for("results.page", slug="panel"),
        url_for("account.page"),
    ):
        text = analyst(path).text
        for target in linked(text, "href"):
            assert analyst(target).status == 200, (path, target)
        own = {
            url_for("auth.sign_out"),
            *(f"/desk/account/{one}" for one in ("password", "sessions")),
        }
        own |= {
            url_for("account.new_token"),
            url_for("account.new_token") + "#tokens",
            url_for("account.end_token"),
        }
        assert linked(text, "action") <= own
    assert url_for("surveys.set_state", slug="panel") not in analyst.see("surveys.index").text
    assert (
        url_for("sharing.page", slug="panel")
        in signed_in(store, desk, "owner")(url_for("results.page", slug="panel")).text
    )


def linked(text: str, attribute: str) -> set[str]:
    """Return the addresses of the desk to which links, or forms, of a page lead."""
    return {html.unescape(one) for one in re.findall(f'{attribute}="(/desk[^"]*)"', text)}


def test_an_analyst_s_account_owns_nothing(store: Store, desk: Caller) -> None:
    store.share("panel", "analyst", Role.OWNER)
    analyst = signed_in(store, desk, "analyst")
    assert analyst.send("surveys.set_state", slug="panel", state="closed").status == 403
    assert analyst.see("results.page", slug="panel").status == 200
    owner = signed_in(store, desk, "owner")
    assert owner.send("sharing.share", slug="panel", name="analyst", role="owner").status == 400
    assert (
        owner.send("sharing.share", slug="panel", name="analyst", role="administrator").status
        == 400
    )


def test_shares_work_and_end_at_once(store: Store, desk: Caller) -> None:
    owner, other = (signed_in(store, desk, name) for name in ("owner", "owner-elsewhere"))
    assert other.see("results.page", slug="panel").status == 404
    owner.send("sharing.share", slug="panel", name="owner-elsewhere", role="analyst")
    assert other.see("results.page", slug="panel").status == 200
    assert other.see("sharing.page", slug="panel").status == 403
    owner.send("sharing.share", slug="panel", name="owner-elsewhere", role="owner")
    assert other.see("sharing.page", slug="panel").status == 200
    # An owner may stop being one.
    assert (
        other.send("sharing.share", slug="panel", name="owner-elsewhere", role="none").status == 303
    )
    assert other.see("results.page", slug="panel").status == 404


def test_without_accounts_whoever_has_a_link_administers(start_desk: Start, store: Store) -> None:
    for name in NAMES:
        store.remove_user(name)
    first, second = (signed_in(store, start_desk()) for _ in range(2))
    assert first.see("people.page").status == 200
    assert first.send("people.add", name="ada", role="administrator").status == 303
    # The session goes on, and so do others that were anybody's: all are the first account's now.
    for browser in (first, second):
        assert "ada" in browser.see("account.page").text
        assert browser.see("people.page").status == 200
