"""The program for respondents: their pages and the intake, on an origin of their own.

Its adversaries are those of `respondent` and `intake`. This process has no sign-in, no cookie and
no estimate, and loads nothing of the desk.
"""

import asyncio
from collections.abc import Callable, Collection
from typing import Final

from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.server.half_hours import HalfHours
from deniable.server.intake import networks
from deniable.server.intake.access_word import AccessWords
from deniable.server.intake.endpoint import Intake
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.intake.rate_limit import RateLimit
from deniable.server.intake.request_head import Checks, sent_to
from deniable.server.intake.tokens import TokenEndpoint
from deniable.server.metrics import PATH as METRICS
from deniable.server.metrics import Metrics
from deniable.server.respondent.app import create_respondents_app
from deniable.server.respondent.compression import stop_packing
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.respondent.meeting_step import Steps, step_of
from deniable.server.respondent.pages import pack_stored, parts_of
from deniable.server.settings import IN_A_CLASS, Settings
from deniable.server.store import Store, open_store
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.keys import NO_KEYS, KeyFile, key_file, trouble_of
from deniable.server.web.gateway import Gateway
from deniable.server.web.headers import is_https
from deniable.server.web.health import Health
from deniable.server.web.names import led_to, name_asked
from deniable.server.web.response import Response
from deniable.server.web.tls import is_loopback
from deniable.server.web.wsgi import Pages
from deniable.server.worker import Program, run
from deniable.survey.address import address_meant

_READ: Final = ("host", "accept", "accept-encoding", "if-none-match")
"""The headers of a request that the pages get. No cookie, language or browser is among them: pages
that cannot know their visitor cannot depend on it."""


def create_respondents_program(  # noqa: PLR0913  its parts and settings
    store: Store,
    commit: GroupCommit,
    keys: KeyFile = NO_KEYS,
    *,
    url: str | None = None,
    names: Collection[str] = (),
    desk_url: str | None = None,
    reports_per_minute: int = 0,
    behind_proxy: bool = False,
    metrics: Metrics | None = None,
    steps: Steps | None = None,
) -> Gateway:
    """Compose the program for respondents; with `names`, other names lead to `url`."""
    catalogue = Catalogue(store)
    checks = Checks(_pause(catalogue, reports_per_minute, behind_proxy=behind_proxy))
    intake = Intake(catalogue, commit, AccessWords(store), checks)
    tokens = TokenEndpoint(catalogue, commit, checks, keys)

    async def trouble() -> str | None:
        # The pages read, the writer writes: a store may be able to do only one of them.
        read = await asyncio.to_thread(trouble_of, store, keys)
        return read or await commit.trouble()

    health = Health(trouble, networks.is_this_machine)
    pages = Pages(create_respondents_app(store, catalogue, url).wsgi_app, _READ)

    steps = steps or Steps(store)

    async def answer(scope: Scope, protocol: Protocol) -> Response:
        path = scope.path
        if url and names and not is_known(scope):
            return led_to(url, scope)
        # Reports go to the intake: the hot path touches nothing else. A person who opens their
        # address by hand gets a page.
        address, sent = sent_to(path)
        asks = scope.headers.get
        # Our proxies hand on no Accept; of programs, only browsers send the other.
        is_browser = "text/html" in (asks("accept") or "") or asks("sec-fetch-site")
        by_hand = scope.method == "GET" and is_browser
        if sent == "reports" and not by_hand:
            return await intake.answer(address, scope, protocol)
        if metrics is not None and path == METRICS and networks.is_this_machine(scope):
            return metrics.answer()
        if (code := step_of(path)) is not None and scope.method == "GET":
            return await steps.answer(code, scope.query_string)
        if sent == "tokens":
            return await tokens.answer(address, scope, protocol)
        return await pages.answer(scope, protocol)

    def is_known(scope: Scope) -> bool:
        name = name_asked(scope)
        return name in names or (is_loopback(name) and networks.is_this_machine(scope))

    def is_trial(address: str) -> bool:
        survey = catalogue.last_at(address)
        return survey is not None and survey.kind == "trial"

    def parts_at(address: str) -> tuple[str, ...] | None:
        survey = catalogue.last_at(address)
        # With words, because an access word may be set or removed at any time.
        return None if survey is None else parts_of(survey, with_words=True)

    headers = RespondentHeaders(
        https=is_https(url), desk_url=desk_url, is_trial=is_trial, parts_at=parts_at
    )
    return Gateway(
        answer,
        headers.of,
        health,
        count=None if metrics is None else metrics.count,
        # For a link whose site ends with a slash, too.
        takes_doubled=lambda path: address_meant(path) is not None,
    )


def _pause(
    catalogue: Catalogue, per_minute: int, *, behind_proxy: bool
) -> Callable[[str, Scope], int] | None:
    """Return a function that gives the seconds until a request may come again; None for no limit.

    A class has its own limit: its phones share an address, and answer at the same moment. So a
    class and a survey do not use up each other's limit.
    """
    if per_minute == 0:
        return None
    in_class = max(per_minute, IN_A_CLASS)
    limit, of_meetings = RateLimit(per_minute), RateLimit(in_class, in_class)
    network_of = networks.behind_proxy if behind_proxy else networks.sender

    def pause(slug: str, scope: Scope) -> int:
        survey = catalogue.last(slug) or catalogue.found(slug)
        in_a_class = survey is not None and survey.kind == "meeting"
        return (of_meetings if in_a_class else limit).take(network_of(scope))

    return pause


def open_program(settings: Settings) -> Program:
    """Open the store, and compose the program on it."""
    store = open_store(settings.store_url, create=False)
    keys = key_file(settings.store_url, settings.keys)
    commit = GroupCommit(store, follows=settings.follows)
    steps = Steps(store)
    metrics = Metrics(settings.metrics) if settings.metrics else None

    def close() -> None:
        """Store waiting reports, wipe out the order of arrival and leave no log."""
        stop_packing()
        steps.close()
        commit.close()
        store.close()

    def leave() -> bool:
        """Store waiting reports; return whether an order of arrival is left."""
        steps.close()
        has_order = commit.leave()
        store.close()
        return has_order

    gateway = create_respondents_program(
        store,
        commit,
        keys,
        url=settings.url,
        names=settings.names,
        desk_url=settings.desk_url,
        reports_per_minute=settings.reports_per_minute,
        behind_proxy=settings.behind_proxy,
        metrics=metrics,
        steps=steps,
    )
    pack_stored(store)
    return Program(gateway, close, leave, commit.inherit_order)


if __name__ == "__main__":
    run(open_program, HalfHours().wait)
