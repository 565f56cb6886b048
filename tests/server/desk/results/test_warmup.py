"""Whether the first page of a large survey is ready before it is asked for."""

import asyncio
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest

from deniable.analysis.results import Results, summarise
from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk.results import warmup as preparing
from deniable.server.desk_program import create_desk_program
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.records import SurveyRecord
from deniable.study import counted
from deniable.survey import Survey
from tests.kit import ORIGIN, Browser, Caller, report, url_for

REPORTS = 100


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note whose results are computed."""
    slugs: list[str] = []

    def noted(survey: Survey, *arguments: Any, **named: Any) -> Results:
        slugs.append(survey.slug)
        return summarise(survey, *arguments, **named)

    monkeypatch.setattr(counted, "summarise", noted)
    monkeypatch.setattr(counted, "SUMMARIES", counted.Summaries())
    return slugs


@pytest.fixture
def start(store: Store, loop: asyncio.AbstractEventLoop) -> Callable[[], Caller]:
    """Start a desk, and wait until it has prepared what it prepares."""

    def started() -> Caller:
        desk = Caller(create_desk_program(store, ORIGIN, prepared=True), loop)
        for thread in threading.enumerate():
            if thread.name == "preparing":
                thread.join()
        return desk

    return started


def signed_in(store: Store, desk: Caller) -> Browser:
    browser = Browser(desk)
    browser.sign_in(new_link(store, ORIGIN))
    return browser


@pytest.mark.parametrize("missing", [0, 1])
def test_the_results_of_large_surveys_alone_are_computed_before_their_pages(
    store: Store,
    survey: Survey,
    start: Callable[[], Caller],
    computed: list[str],
    monkeypatch: pytest.MonkeyPatch,
    missing: int,
) -> None:
    store.insert_batch([report(survey) for _ in range(REPORTS)])
    monkeypatch.setattr(preparing, "LARGE", store.snapshot(survey.slug).count() + missing)
    desk = signed_in(store, start())
    assert computed == ([] if missing else [survey.slug])
    assert desk(url_for("results.page", slug=survey.slug)).status == HTTPStatus.OK
    assert computed == [survey.slug]


def test_a_store_that_cannot_be_read_keeps_no_desk_from_starting(
    store: Store, start: Callable[[], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    def surveys() -> list[SurveyRecord]:
        raise StoreUnavailable("the disk cannot be read or written")

    monkeypatch.setattr(store, "surveys", surveys)
    assert start()(url_for("surveys.index"), method="GET").status == HTTPStatus.UNAUTHORIZED
