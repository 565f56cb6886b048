"""The headless respondent and `simulate --url` behind a network that lies, and then the truth."""

import re
from collections.abc import Iterator
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from click.testing import CliRunner

from deniable import Survey
from deniable.cli.destinations import THREADS
from deniable.cli.main import commands
from deniable.client import connection as connections
from deniable.client.connection import Connection
from deniable.client.memory import Kept
from deniable.client.respondent import BrokenPromise, Refused, Respondent, RespondentError
from deniable.server.store import Store, open_store, store_url
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import invite, key_file
from deniable.survey_file import read
from tests.cli.conftest import DOPING
from tests.client.test_respondent import TRUTHS
from tests.kit import LIES, Network, lent, network

pytestmark = pytest.mark.promise("our-word")

NO_ANSWER = ("reset", "lost", "half", "silence")
"""Lies after which nobody has answered."""

HASTY = (0.01, 0.01)

QUICK = ("200 other", "429", "half", "lost")
"""The lies that differ in kind."""


ASKED = ("survey.json", "state.json", "tokens", "reports")


def cases() -> Iterator[ParameterSet]:
    """Yield what is asked for with what comes instead: what differs little in the slow tests."""
    for about in ASKED:
        for lie in LIES:
            is_quick = lie in QUICK if about == "reports" else lie == "404"
            if about != "tokens":
                yield pytest.param(about, lie, marks=[] if is_quick else [pytest.mark.slow])


def given() -> Iterator[ParameterSet]:
    for about in ASKED:
        yield pytest.param(about, 9e9, QUICK, id=f"{about}-some")
        for times in (1, 9e9):
            yield pytest.param(about, times, LIES, marks=pytest.mark.slow)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a fraction of a second where a person would wait for seconds."""
    monkeypatch.setattr(connections, "TIMEOUT", 0.5)
    given = {**(Connection.__init__.__kwdefaults__ or {}), "waits": HASTY}
    monkeypatch.setattr(Connection.__init__, "__kwdefaults__", given)


@pytest.mark.parametrize(("about", "times", "lies"), [*given()])
def test_a_report_arrives_once_whatever_answers(
    survey: Survey, about: str, times: float, lies: tuple[str, ...]
) -> None:
    with (
        lent([survey]) as (server, path),
        network(server.port) as between,
        closing(open_store(store_url(str(path)))) as store,
    ):
        codes = new_codes(len(lies)) if about == "tokens" else []
        if codes:
            invite(store, key_file(store_url(str(path))), survey.slug, codes)
        for number, (lie, code) in enumerate(zip_longest(lies, codes), 1):
            with closing(Connection(between.url)) as connection:
                respondent, kept = Respondent(connection, survey.address), Kept()
                between.asked.clear()
                between.lie(lie, about, times)
                said: RespondentError | None = None
                try:
                    respondent.answer(TRUTHS, kept=kept, code=code)
                except RespondentError as error:
                    said = error
                assert between.count(about) <= 6, lie
                between.tell_truth()
                if said is None:
                    assert times == 1, lie
                else:
                    assert not isinstance(said, Refused | BrokenPromise), lie
                    assert lie in NO_ANSWER or "something between us answered" in str(said)
                    assert kept.unsent is not None or about.endswith("json"), lie
                    respondent.answer(TRUTHS, kept=kept, code=code)
                assert store.count(survey.slug) == number, lie


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Network, Store, Path]]:
    file = tmp_path_factory.mktemp("survey") / "doping.yaml"
    file.write_text(DOPING)
    with (
        lent([read(DOPING).survey]) as (server, path),
        network(server.port) as between,
        closing(open_store(store_url(str(path)))) as store,
    ):
        yield between, store, file


@pytest.mark.parametrize(("about", "lie"), [*cases()])
def test_simulate_says_what_arrived(
    behind: tuple[Network, Store, Path], about: str, lie: str
) -> None:
    between, store, file = behind
    between.tell_truth()
    before = store.count("doping")
    send = ["simulate", str(file), "-n", "20", "--add", "--url", between.url]
    between.lie(lie, about)
    said = CliRunner().invoke(commands, send)
    between.tell_truth()
    assert said.exit_code == 1, said.output
    assert lie in NO_ANSWER or "something between us answered" in said.output
    stored = store.count("doping") - before
    if about == "reports":
        assert re.search(r"^0 of 20 reports are known to be stored", said.output, re.MULTILINE)
    # Of these our server has stored what each connection sent: nobody knows it.
    assert 0 <= stored <= THREADS if lie in ("lost", "half") else stored == 0
    # For once, all arrive.
    between.lie(lie, "reports", 1)
    said = CliRunner().invoke(commands, send)
    assert said.exit_code == 0, said.output
    assert store.count("doping") == before + stored + 20
