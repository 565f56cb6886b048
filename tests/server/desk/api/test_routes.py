"""What scripts ask of the desk over HTTP."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth.api_tokens import LIFETIME, make_token
from deniable.server.desk.auth.throttle import FOR_ONE_NAME
from deniable.server.desk.editor.lint_worker import Checker
from deniable.server.desk.editor.preview import begin_trial
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Role, Scope
from deniable.server.store.invitations import new_codes
from deniable.server.store.schedule import Schedule, State
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import (
    MARKS,
    PANEL_TEXT,
    PUBLIC,
    RESPONDENTS,
    Answer,
    Browser,
    Caller,
    Start,
    disk_of,
    of_wave,
    panel,
    report,
    url_for,
)

WARD = """\
version: 1
survey: ward
title: On the ward
batch: 1
questions:
  - {id: error, text: "An error?", type: single, answers: [No, Yes], flip: 1/5}
  - {id: signed, text: "Signed?", type: single, answers: [No, Yes], flip: 1/4}
  - {id: ward, text: "Which ward?", type: single, answers: {a: A, b: B, c: C, d: D},
     protection: direct}
  - {id: years, text: "Years?", type: number, min: 0, max: 3, protection: direct}
"""
PROBLEM = "application/problem+json"


@pytest.fixture
def survey() -> Survey:
    return read(WARD).survey


@pytest.fixture
def store(store: Store, survey: Survey) -> Store:
    """Add reports to the store, two of which say what few people say."""
    rows = [bytes([k % 2, k % 5 == 0, k % 3, k % 2]) for k in range(90)]
    rows += [bytes([1, 255, 3, 1])] * 2
    store.insert_reports([report(survey, row) for row in rows])
    return store


@pytest.fixture
def desk(start_desk: Start) -> Caller:
    """Compose a desk that has not seen the wrong tokens of other tests."""
    return start_desk()


class Script:
    """A script with a token."""

    def __init__(self, desk: Caller, token: str) -> None:
        self._call = desk
        self._headers = {"Authorization": f"Bearer {token}"}

    def __call__(self, path: str, body: str = "", *, method: str = "GET") -> Answer:
        return self._call(f"/api/v1{path}", body.encode(), method=method, headers=self._headers)

    def put(self, path: str, body: str) -> Answer:
        return self(path, body, method="PUT")


@pytest.fixture
def script(store: Store, desk: Caller) -> Script:
    return Script(desk, make_token(store, NOBODY, "tests", Scope.ALL))


def told(answer: Answer, status: int = 200) -> dict[str, object]:
    assert answer.status == status, answer.text
    document: dict[str, object] = answer.json
    if status >= 400:
        assert answer.headers["Content-Type"] == PROBLEM
        assert document["status"] == status
    return document


@pytest.mark.parametrize(
    "file",
    [
        "estimates.csv",
        "estimates.json?level=99&method=wald",
        "reports.csv",
    ],
)
def test_files_are_those_of_the_desk(researcher: Browser, script: Script, file: str) -> None:
    shown, got = (
        researcher(url_for("results.page", slug="ward") + f"/{file}"),
        script(f"/surveys/ward/{file}"),
    )
    assert (got.status, got.body) == (200, shown.body)
    assert got.headers["Content-Type"] == shown.headers["Content-Type"]


def test_a_tally_counts_reports_and_hides_few_people(store: Store, script: Script) -> None:
    found = told(script("/surveys/ward/tally"))
    assert (found["survey"], found["n"], found["wave"]) == ("ward", 92, 1)
    items = {item["item"]: item for item in found["items"]}  # type: ignore[attr-defined]
    rows = b"".join(store.snapshot_rows("ward", store.current_revision("ward")))
    error = Counter(rows[0::4])
    assert items["error"]["counts"] == {"no": error[0], "yes": error[1]}
    assert items["signed"]["asked"] == 90
    # Two people of one ward; another is hidden, so that they do not follow from the rest.
    assert items["ward"]["counts"] == {"a": None, "b": 30, "c": 30, "d": None}
    assert items["years"]["counts"] == {"0": 45, "1": 47, "2": 0, "3": 0}


def test_a_wave_and_a_revision_are_chosen(store: Store, script: Script) -> None:
    survey = store.register(panel())
    store.insert_reports([of_wave(survey, 1) for _ in range(20)])
    store.begin_wave("panel", 2)
    store.insert_reports([of_wave(survey, 2) for _ in range(11)])
    assert told(script("/surveys/panel"))["wave"] == 2
    counts = [told(script(f"/surveys/panel/tally{choice}"))["n"] for choice in ("", "?wave=1")]
    assert counts == [11, 20]
    told(script("/surveys/panel/tally?wave=4"), 422)
    rows = script("/surveys/panel/estimates.csv").rows
    assert {row["wave"] for row in rows} == {"1", "2"}
    changed = store.register(read(PANEL_TEXT + "exit: none\n").survey)
    assert script("/surveys/panel/document").body == changed.to_json()
    old = f"?revision={survey.revision}"
    assert script(f"/surveys/panel/document{old}").body == survey.to_json()
    told(script(f"/surveys/panel/document?revision={'0' * 64}"), 404)
    listed = told(script("/surveys/panel"))
    assert listed["revisions"] == [changed.revision, survey.revision]
    assert listed["reports"] == 31


def test_a_survey_by_invitation_has_a_response_rate(store: Store, script: Script) -> None:
    asked = store.register(panel())
    assert script("/surveys/panel").json["response"] is None
    store.invite("panel", new_codes(4), PUBLIC[: asked.waves])
    store.insert_reports([of_wave(store.survey("panel"), 1)], [MARKS[0]])
    rate = {"wave": 1, "answered": 1, "invited": 4, "share": 0.25}
    assert script("/surveys/panel").json["response"] == rate


def test_a_survey_is_closed_and_opened(store: Store, script: Script) -> None:
    for state in ("closed", "open"):
        assert told(script.put("/surveys/ward/state", json.dumps({"state": state})))[
            "state"
        ] == store.state("ward")
        assert store.state("ward") == state
    # One that would close again at once stays closed, and the script reads why.
    store.set_schedule("ward", Schedule(closes=1))
    refused = told(script.put("/surveys/ward/state", json.dumps({"state": "open"})), 409)
    assert "its time to close is over" in str(refused)
    assert store.state("ward") is State.CLOSED
    for wrong in (
        "",
        "[]",
        '{"state": "shut"}',
        '{"state": ["open"]}',
        '{"state": "open", "a": 1}',
    ):
        told(script.put("/surveys/ward/state", wrong), 422)


def test_a_sent_survey_file_belongs_to_its_sender(store: Store, desk: Caller) -> None:
    store.add_user("ada", Role.ADMINISTRATOR)
    scripts = {}
    for name, role in {"olu": Role.OWNER, "eli": Role.OWNER, "ana": Role.ANALYST}.items():
        store.add_user(name, role)
        scripts[name] = Script(desk, make_token(store, name, "tests", Scope.ALL))
    told(scripts["ana"].put("/surveys/panel", PANEL_TEXT), 403)
    new = told(scripts["olu"].put("/surveys/panel", PANEL_TEXT), 201)
    assert new["survey"]["revision"] == panel().revision  # type: ignore[index]
    assert store.state("panel") is State.OPEN
    assert store.shares("panel") == {"olu": Role.OWNER}
    changed = PANEL_TEXT + "exit: none\n"
    assert told(scripts["olu"].put("/surveys/panel", changed))["survey"]["role"] == "owner"  # type: ignore[index]
    assert len(store.revisions("panel")) == 2
    # As when it is published at the desk: its text can be edited there, and its trial stays.
    assert store.source("panel", store.current_revision("panel")) == changed
    begin_trial(store, store.survey("panel"))
    told(scripts["olu"].put("/surveys/panel", changed))
    assert "trial.panel" in {record.survey.slug for record in store.surveys()}
    # Nobody else can put another file in its place.
    told(scripts["eli"].put("/surveys/panel", PANEL_TEXT), 403)
    assert store.survey("panel").revision == read(changed).survey.revision
    store.begin_wave("panel", 3)
    refused = told(
        scripts["olu"].put("/surveys/panel", PANEL_TEXT.replace("count: 3", "count: 2")), 409
    )
    assert "wave 3" in str(refused)


def test_all_mistakes_refuse_a_survey_file(script: Script) -> None:
    detail = str(
        told(script.put("/surveys/panel", PANEL_TEXT.replace("title: A panel\n", "")), 422)
    )
    assert "title" in detail
    several = str(told(script.put("/surveys/panel", PANEL_TEXT.replace("single", "sngle")), 422))
    assert all(f"{line}:" in several for line in (8, 9, 11))
    told(script.put("/surveys/other", PANEL_TEXT), 422)
    told(script("/surveys/other"), 404)
    bad = script._call(
        "/api/v1/surveys/x", b"\xff", method="PUT", headers={**script._headers, "X": ""}
    )
    told(bad, 422)


def test_a_slow_survey_file_is_given_up(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    checker = Checker(seconds=0.01)  # as long as a process takes to start at least
    monkeypatch.setattr("deniable.server.desk.api.routes.the_checker", lambda: checker)
    assert "longer than" in str(told(script.put("/surveys/panel", PANEL_TEXT), 503)["detail"])
    told(script("/surveys/panel"), 404)


def test_every_error_below_the_api_is_a_problem(
    script: Script, desk: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = desk("/api/v1/surveys")
    assert "Bearer" in str(told(unknown, 401)["detail"])
    assert unknown.headers["WWW-Authenticate"] == 'Bearer realm="deniable"'
    for path in (
        "/surveys/none",
        "/surveys/none/tally",
        "/surveys/ward/tally?revision=x",
        "/nothing",
    ):
        told(script(path), 404)
    for path in ("/surveys", "/surveys/ward", "/openapi.json"):
        answer = script(path, method="DELETE")
        told(answer, 405)
        assert "GET" in answer.headers["Allow"]
    told(script.put("/surveys/ward", " " * 2**17), 413)
    for wrong in (
        "tally?level=95",
        "estimates.json?level=94",
        "estimates.json?level=95&level=95",
        "estimates.json?revison=x",
    ):
        told(script(f"/surveys/ward/{wrong}"), 422)
    detail = told(script("/surveys/ward/estimates.json?metod=wald"), 422)["detail"]
    assert "expected revision, level, method" in str(detail)
    monkeypatch.setattr("deniable.server.desk.api.routes.columns", lambda _: 1 / 0)
    told(script("/surveys/ward/tally"), 500)


@pytest.mark.promise("guesses")
def test_only_wrong_tokens_are_slowed_down(script: Script, desk: Caller) -> None:
    wrong = Script(desk, "wrong")
    for _ in range(FOR_ONE_NAME.at_once):
        answer = wrong("/surveys")
        told(answer, 401)
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
    answer = wrong("/surveys")
    told(answer, 429)
    assert int(answer.headers["Retry-After"]) > 0
    for number in range(40):
        Script(desk, f"wrong {number}")("/surveys")
    assert Script(desk, "another")("/surveys").status == 429
    assert script("/surveys").status == 200
    # And scripts keep nobody from signing in.
    assert desk(url_for("auth.password_page")).status == 200


def test_a_token_is_shown_once_and_ended_there(
    store: Store, researcher: Browser, desk: Caller, tmp_path: Path
) -> None:
    page = url_for("account.new_token")
    made = researcher.post(page, called="nightly", may="read")
    assert made.status == 201
    token = made.text.split('<code id="token">')[1].split("<")[0]
    script = Script(desk, token)
    assert script("/surveys/ward").status == 200
    told(script.put("/surveys/ward/state", '{"state": "closed"}'), 403)
    shown = researcher.see("account.page").text
    assert "nightly" in shown
    assert token not in shown
    assert token.encode() not in disk_of(store)
    assert researcher.post(page, called="nightly", may="all").status == 422
    assert researcher.post(page, called=" ", may="all").status == 422
    assert researcher.post(page, called="more", may="more").status == 400
    (listed,) = store.tokens(NOBODY, int(time.time()))
    for wrong in ("00", "x"):
        assert researcher.post(f"{page}/end", ended=wrong).status == 400
    assert researcher.post(f"{page}/end", ended=listed.token_hash.hex()).status == 303
    assert script("/surveys/ward").status == 401


def test_a_token_ends_with_its_year_or_account(
    store: Store, desk: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_user("ada", Role.ADMINISTRATOR)
    store.add_user("olu", Role.OWNER)
    store.share("ward", "olu", Role.OWNER)
    scripts = [Script(desk, make_token(store, name, "t", Scope.ALL)) for name in ("ada", "olu")]
    store.set_role("olu", Role.ANALYST)
    told(scripts[1].put("/surveys/ward/state", '{"state": "closed"}'), 403)
    assert scripts[1]("/surveys").status == 200
    store.remove_user("olu")
    assert [one("/surveys").status for one in scripts] == [200, 401]
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + LIFETIME + 1)
    assert scripts[0]("/surveys").status == 401


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a\x07b"])
def test_a_token_has_a_readable_name(store: Store, name: str) -> None:
    with pytest.raises(ValueError, match="character"):
        make_token(store, NOBODY, name, Scope.READ)


def test_the_document_describes_every_route_and_no_other(store: Store, script: Script) -> None:
    document = told(script("/openapi.json"))
    described = {
        (method.upper(), path)
        for path, methods in document["paths"].items()  # type: ignore[attr-defined]
        for method in methods
    }
    routes = {
        (method, rule.rule.removeprefix("/api/v1").replace("<", "{").replace(">", "}"))
        for rule in create_desk_app(store, RESPONDENTS).url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v1/") and rule.endpoint != "api.openapi"
    }
    assert described == routes
    assert document["openapi"] == "3.1.0"
