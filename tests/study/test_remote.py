"""A study over the network: equal to that of a file, and nothing but a desk is believed."""

import csv
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import numpy as np
import pytest
from click.testing import CliRunner, Result

import deniable
from deniable.cli.main import commands
from deniable.results.files import Row
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import Store, StoreError, open_store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.study import Study, remote
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import PUBLIC, RESPONDENTS, report
from tests.kit.threads import Quiet
from tests.kit.threads import serving as served
from tests.study.test_study import NURSES

FILE = NURSES + "batch: 1\nplan: {people: 900, within: 2.5}\n"
SURVEY = read(FILE).survey


@contextmanager
def serving(app: Any) -> Iterator[str]:
    class Handler(Quiet, WSGIRequestHandler):
        """Answers by the application."""

    with served(make_server("127.0.0.1", 0, app, handler_class=Handler)) as url:
        yield url


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    random = np.random.default_rng(7)
    with closing(open_store(f"sqlite:///{tmp_path_factory.mktemp('desk')}/store.db")) as opened:
        opened.register(SURVEY, FILE)
        # Three wards and two lengths of service, so that no combination is rare.
        rows = [[*random.integers([2, 2, 3]), 5 * int(random.integers(2))] for _ in range(600)]
        opened.insert_reports([report(SURVEY, bytes(row)) for row in rows])
        yield opened


@pytest.fixture(scope="module")
def desk(store: Store) -> Iterator[str]:
    with serving(create_desk_app(store, RESPONDENTS)) as url:
        yield url


@pytest.fixture(scope="module")
def token(store: Store) -> str:
    return make_token(store, NOBODY, "notebook", Scope.READ)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "nurses.yaml"
    path.write_text(FILE)
    return path


def analyses(study: Study) -> list[Sequence[Row]]:
    found = (
        study.shares(),
        study.by("ward", "error"),
        study.cross("error", "signed"),
        study.regress("error ~ years"),
    )
    return [one.export.rows for one in found]


@pytest.mark.slow
def test_it_is_the_store_s_study(
    store: Store, desk: str, token: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = deniable.open("nurses", f"sqlite:///{store.name}")
    monkeypatch.setenv("DENIABLE_TOKEN", token)
    for found in (
        deniable.open("nurses", desk, token=token),
        deniable.open(file, f"{desk}/"),
        deniable.open(SURVEY, desk),
    ):
        assert found.survey == local.survey
        assert found.planned == local.planned
        assert found.plan().export == found.plan(900, within=0.025).export
        assert sorted(map(bytes, found.answers)) == sorted(map(bytes, local.answers))
        for mine, theirs in zip(analyses(found), analyses(local), strict=True):
            assert [row.keys() for row in mine] == [row.keys() for row in theirs]
            for row, other in zip(mine, theirs, strict=True):
                for name, value in row.items():
                    wanted: object = other[name]
                    if isinstance(value, float):
                        wanted = pytest.approx(wanted, nan_ok=True)
                    assert value == wanted, name


def test_the_plan_of_a_named_file_counts(desk: str, token: str, file: Path) -> None:
    at_the_desk = deniable.open("nurses", desk, token=token)
    file.write_text(FILE.replace("900", "77"))
    assert at_the_desk.planned.people == 900
    assert deniable.open(file, desk, token=token).planned.people == 77


def test_an_older_revision_and_another_survey(
    tmp_path: Path, desk: str, token: str, file: Path
) -> None:
    corrected = NURSES.replace("title: T", "title: Other errors")
    for other, said in (
        (NURSES + "batch: 20\n", "not this revision"),
        (corrected + "batch: 1\n", "these words"),
    ):
        file.write_text(other)
        with pytest.raises(ValueError, match=said):
            deniable.open(file, desk, token=token)
    with closing(open_store(f"sqlite:///{tmp_path}/other.db")) as store:
        newer = read(f"{corrected}batch: 1\nexit: none\n").survey
        for survey in (SURVEY, newer):
            store.register(survey)
            store.insert_reports([report(survey, bytes(4)) for _ in range(20)])
        mine = make_token(store, NOBODY, "notebook", Scope.READ)
        with serving(create_desk_app(store, RESPONDENTS)) as url:
            assert deniable.open("nurses", url, token=mine).n == 40
            alone = deniable.open(SURVEY, url, token=mine)
            assert (alone.survey.revision, alone.n) == (SURVEY.revision, 20)
            # Of one revision no direct answers leave: those of the other would follow.
            assert [item.id for item in alone.survey.items] == ["error", "signed"]


@pytest.mark.promise("tokens")
@pytest.mark.parametrize(
    ("survey", "url", "typed", "said"),
    [
        ("nurses", None, "no-such-token", "The token is wrong"),
        ("nurses", None, "", "a token is needed.*DENIABLE_TOKEN"),
        ("nurses", None, "a\nb", "characters"),
        ("nurse", None, None, "no survey 'nurse'.*there are nurses"),
        ("nurses", "http://desk.example.org", None, "expected https://"),
        ("nurses", "https://a:b@127.0.0.1:1", None, "address of a desk alone"),
        ("nurses", "http://127.0.0.1:1/desk/surveys/nurses", None, "address of a desk alone"),
        ("nurses", "http://127.0.0.1:1", None, "nobody answers"),
    ],
)
def test_what_is_wrong_is_said(
    desk: str,
    token: str,
    monkeypatch: pytest.MonkeyPatch,
    survey: str,
    url: str | None,
    typed: str | None,
    said: str,
) -> None:
    monkeypatch.delenv("DENIABLE_TOKEN", raising=False)
    shown = token if typed is None else typed
    with pytest.raises(ValueError, match=said) as error:
        deniable.open(survey, url or desk, token=shown)
    assert not shown or shown not in str(error.value)


def answering(status: str, body: bytes, **headers: str) -> Callable[..., list[bytes]]:
    seen: list[str] = []

    def app(environ: dict[str, Any], start: Any) -> list[bytes]:
        seen.append(environ["PATH_INFO"])
        start(status, [(name.replace("_", "-"), value) for name, value in headers.items()])
        return [body]

    app.seen = seen  # type: ignore[attr-defined]
    return app


@pytest.mark.promise("tokens")
def test_only_a_desk_is_believed(desk: str, token: str) -> None:
    elsewhere = answering("200 OK", b"{}", Content_Type="application/json")
    with serving(elsewhere) as target:
        leading = answering("302 Found", b"", Location=f"{target}/api/v1/surveys/nurses")
        for app in (
            answering("200 OK", b"<!doctype html>", Content_Type="text/html"),
            answering("404 Not Found", b"", Content_Type="text/html"),
            answering("200 OK", b"[1]", Content_Type="application/json"),
            leading,
        ):
            with serving(app) as url, pytest.raises(ValueError, match="is not a desk"):
                deniable.open("nurses", url, token=token)
        assert elsewhere.seen == [], "the token goes nowhere else"  # type: ignore[attr-defined]


@pytest.mark.parametrize("ends", ["/surveys", "/document", "/reports.csv"])
def test_an_endless_answer_is_cut_off(
    ends: str, token: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest, sent = create_desk_app(store, RESPONDENTS), 0
    monkeypatch.setattr(remote, "MOST_BYTES_OF_REPORTS", remote.MOST_BYTES)

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(2**11):
            sent += 1
            yield b" " * 2**16

    def app(environ: dict[str, Any], start: Any) -> Any:
        if environ["PATH_INFO"].endswith(ends):
            start("200 OK", [("Content-Type", "application/json")])
            return pieces()
        return honest(environ, start)

    with serving(app) as url, pytest.raises(ValueError, match=r"at most 16,777,216 bytes .*more"):
        deniable.open("nurses", url, token=token)
    assert sent < 2**10


def test_a_file_finds_its_revision_in_a_store(tmp_path: Path, file: Path) -> None:
    url = f"sqlite:///{tmp_path}/some.db"
    with closing(open_store(url)) as store:
        store.register(replace(SURVEY, token_keys=(PUBLIC[0],)))
        with pytest.raises(StoreError, match="has no survey 'wards': it has nurses"):
            deniable.open("wards", url)
        # The file has no keys.
        for named in (file, SURVEY, "nurses"):
            assert deniable.open(named, url).survey == store.survey("nurses")
        file.write_text(NURSES.replace("flip: 1/4", "flip: 1/3"))
        with pytest.raises(StoreError, match="another survey 'nurses': not this revision of it"):
            deniable.open(file, url)


def test_a_survey_is_known_by_its_hash(desk: str, token: str, store: Store) -> None:
    honest = create_desk_app(store, RESPONDENTS)

    def lying(lie: bytes, environ: dict[str, Any], start: Any) -> Any:
        if environ["PATH_INFO"].endswith("/document"):
            start("200 OK", [("Content-Type", "application/json")])
            return [lie]
        return honest(environ, start)

    lies = (replace(SURVEY, batch=20).to_json(), SURVEY.to_json().replace(b"Which", b"Whose"))
    names: tuple[str | Survey, ...] = ("nurses", SURVEY)
    for lie, named in itertools.product(lies, names):
        with serving(partial(lying, lie)) as url, pytest.raises(ValueError, match="another survey"):
            deniable.open(named, url, token=token)


def typed(command: str) -> Result:
    return CliRunner().invoke(commands, command.split())


def test_the_command_line_takes_a_desk_for_reports(
    desk: str, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DENIABLE_TOKEN", token)
    study = deniable.open("nurses", desk)
    written = typed(f"estimate nurses --reports {desk} --format csv").stdout
    rows = [row for row in csv.DictReader(written.splitlines()) if row["item"] == "error"]
    (yes,) = [one for one in study.shares("error").export.rows if one["answer"] == "yes"]
    assert float(rows[1]["estimate"]) == pytest.approx(yes["estimate"])
    assert "600" in typed(f"analyse nurses --reports {desk} --item error").stdout
    monkeypatch.setenv("DENIABLE_TOKEN", "wrong")
    refused = typed(f"estimate nurses --reports {desk}")
    assert refused.exit_code == 1
    assert "token is wrong" in refused.stderr
