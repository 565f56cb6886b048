"""``deniable board verify``: a stranger counts again, and what an operator alters is named."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from deniable.cli.board import _rows, _unsigned
from deniable.client.connection import Connection, Response
from deniable.crypto.board import Entry, board_of, sign_board
from deniable.report import Report
from deniable.server.intake.publishing import board_key, publish_board
from deniable.server.store import State, Store, open_store
from deniable.server.store.keys import register
from deniable.survey import Survey
from deniable.survey.revisions import follow
from deniable.survey_file import read
from tests.addresses import at
from tests.blind_keys import DrawnBefore
from tests.cli.conftest import Run, Server
from tests.server.calling import report

pytestmark = pytest.mark.promise("board")

FILE = """version: 1
survey: seen
title: Seen
epsilon: 1
batch: 1
publish: true
questions:
  - id: doped
    type: single
    text: Did you?
    answers: {no: No, yes: Yes}
"""


def test_a_stranger_counts_again(
    run: Run,
    serve: Callable[..., Server],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("seen.yaml").write_text(FILE)
    # The server finds the survey with a key that was drawn before.
    keys = DrawnBefore(Path("real.db.keys"))
    store = open_store("sqlite:///real.db")
    register(store, keys, read(FILE).survey)
    server = serve("seen.yaml", "--store", "sqlite:///real.db")
    link = f"{server.origin}{at('seen')}"
    empty = run("board", "verify", link, exits=1)
    assert "no board is published yet" in empty.stderr
    run("simulate", "seen.yaml", "-n", "20", "--rate", "doped.yes=30%", "--url", link, "--add")
    Path("mine.json").write_text(json.dumps(_receipt(server.origin, store.survey("seen"))))
    store.set_state("seen", State.CLOSED)
    while store.due_boards():
        publish_board(store, keys, "seen")
    told = json.loads(run("board", "verify", link, "--format", "json").stdout)
    assert (told["reports"], told["without_token"], told["issued"]) == (21, 21, 0)
    assert told["closed"] is True
    # The estimate is the one that another command gives.
    estimates = json.loads(
        run("estimate", "seen", "--store", "sqlite:///real.db", "--format", "json").stdout
    )
    assert _near(estimates, float(told["estimates"][told["revision"]]["0"]["doped"][1]))
    printed = run("board", "verify", link, "--receipt", "mine.json").stdout
    assert "hold" in printed
    assert "The survey had ended" in printed
    assert "receipt finds" in printed
    assert "The hash" not in printed
    last = told["boards"][-1]
    assert last in run("board", "verify", link, "--kept", last).stdout
    _compare(run, server, link, store)
    other = run("board", "verify", link, "--kept", "0" * 64, exits=1)
    assert "they were made anew since you kept it" in other.stderr
    _attacks(run, link, told["revision"], monkeypatch)
    # Signed by the right key, and wrong all the same.
    material = store.board_material("seen")
    survey = store.survey("seen")
    less = board_of(
        "seen",
        material.entries[1:],
        before=material.before,
        closed=True,
        issued=0,
        spent=0,
        surveys=material.surveys,
    )
    signature = sign_board(board_key(keys, survey), less)
    number = material.number
    _serving(monkeypatch, f"/boards/{number}.json", lambda _: less.to_json())
    _serving(
        monkeypatch,
        "/boards.json",
        lambda body: json.dumps(
            {**json.loads(body), "signatures": [*json.loads(body)["signatures"], signature.hex()]}
        ).encode(),
    )
    dropped = run("board", "verify", link, exits=1)
    assert f"board {number}: report" in dropped.stderr
    assert "was dropped or changed" in dropped.stderr
    store.close()


def _receipt(origin: str, survey: Survey) -> dict[str, str]:
    """Send a report, and return what the server acknowledges it with."""
    mine = report(survey)
    headers = {"Content-Type": "application/json"}
    asked = Request(f"{origin}{at('seen')}reports", mine.to_json(), headers)
    with urlopen(asked) as answer:
        return {**json.loads(mine.to_json()), "signature": json.load(answer)["receipt"]}


def _compare(run: Run, server: Server, link: str, store: Store) -> None:
    """Compare what the desk shows to everybody, and what it would show if it lied."""
    store.set_public("seen", public=True)
    with urlopen(f"{server.desk}/public/seen/results.json") as answer:
        shown = json.load(answer)
    asked = ("board", "verify", link, "--results", "shown.json")
    Path("shown.json").write_text(json.dumps(shown))
    assert "follow from the last board" in run(*asked).stdout
    better = [{**shown["estimates"][0], "estimate": 0.9}, *shown["estimates"][1:]]
    for change, told in (
        ({"estimates": better}, "do not give these results"),
        ({"estimates": []}, "do not give these results"),
        ({"n": 22}, "are of 22 reports, and the last board gives results of 21"),
        ({"revision": "0" * 64}, "are of another revision"),
    ):
        Path("shown.json").write_text(json.dumps({**shown, **change}))
        assert told in run(*asked, exits=1).stderr
    Path("shown.json").write_text("[]")
    assert "expected the results of a public page" in run(*asked, exits=1).stderr


def test_an_estimate_stands_beside_the_answer_of_its_own_revision() -> None:
    asked = read(FILE).survey
    turned = read(FILE.replace("no: No, yes: Yes", "yes: Yes, no: No")).survey
    known = {one.revision: one for one in (asked, turned)}
    assert len(known) == 2
    sent = [Entry(Report("seen", one, bytes(16), b"\1"), b"") for one in known]
    board = board_of("seen", sent, before=None, closed=True, issued=0, spent=0, surveys=known)
    rows = [(answer, float(value) > 0.5) for *_, answer, value in _rows(known, board)]
    assert rows == [("no", False), ("yes", True), ("yes", False), ("no", True)]


def test_words_that_came_after_the_last_board_are_told() -> None:
    """An operator can add lines to a law that nobody is asked any more: no board signs them."""
    asked = read(FILE).survey
    corrected = follow(read(FILE.replace("Did you?", "Did you, ever?")).survey, asked)
    again = follow(read(FILE.replace("Did you?", "Did you at all?")).survey, corrected)
    other = read(FILE.replace("yes: Yes", "yes: Yes, once: Once")).survey
    sent = [Entry(Report("seen", one.revision, bytes(16), b"\1"), b"") for one in (asked, other)]

    def told(then: Survey, now: Survey, current: Survey) -> list[str]:
        known = {one.revision: one for one in (then, other)}
        board = board_of("seen", sent, before=None, closed=True, issued=0, spent=0, surveys=known)
        return [*_unsigned(current, {now.revision: now, other.revision: other}, board)]

    assert told(again, again, again) == []
    (one,) = told(corrected, again, again)
    assert "corrected after the last board: " in one
    assert "“Did you, ever?” became “Did you at all?”" in one
    assert "nobody is asked these questions any more" in told(corrected, again, other)[0]
    assert len(told(asked, again, other)) == 2


def _near(estimates: object, share: float) -> bool:
    """Return whether a share is among the estimates, to the digits of a board."""
    if isinstance(estimates, Mapping):
        return any(_near(one, share) for one in estimates.values())
    if isinstance(estimates, list):
        return any(_near(one, share) for one in estimates)
    return isinstance(estimates, float) and abs(estimates - share) <= 1e-4


def _attacks(run: Run, link: str, revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server answer otherwise, one answer at a time."""
    attacks: dict[str, tuple[Callable[[bytes], bytes], str]] = {
        "/boards/1.json": (lambda body: body.replace(b"reports", b"Reports"), "is not signed"),
        "/boards.json": (lambda _: b"[]", "expected revisions and signatures"),
        "/survey.json": (
            lambda body: body.replace(b'"publish"', b'"publiSh"'),
            "does not agree with itself",
        ),
        f"/revisions/{revision}.json": (
            lambda body: body.replace(b"Did you?", b"Did he?"),
            "has other words than survey.json",
        ),
    }
    for path, (change, said) in attacks.items():
        with monkeypatch.context() as patched:
            _serving(patched, path, change)
            assert said in run("board", "verify", link, exits=1).stderr
    wrong = Path("receipt.json")
    wrong.write_text("{}")
    told = run("board", "verify", link, "--receipt", str(wrong), exits=1).stderr
    assert "receipt.json: expected a receipt" in told


def _serving(patched: pytest.MonkeyPatch, path: str, change: Callable[[bytes], bytes]) -> None:
    get = Connection.get

    def altered(self: Connection, asked: str, headers: Mapping[str, str] | None = None) -> Response:
        answer = get(self, asked, headers)
        if not asked.endswith(path):
            return answer
        return replace(answer, status=200, body=change(answer.body))

    patched.setattr(Connection, "get", altered)
