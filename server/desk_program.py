"""The program for researchers: the desk, on an origin of its own.

Its adversaries are those of `desk`, and the desk itself. Whatever it computes, however long that
takes, and whatever script an attacker might run in its pages, it reaches neither what a
respondent's browser keeps nor the process that takes reports.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from functools import cache, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.server.desk.csrf import is_known
from deniable.server.desk.headers import DeskHeaders
from deniable.server.desk.results.warmup import prepare
from deniable.server.settings import Settings
from deniable.server.store import Store, open_store
from deniable.server.store.keys import NO_KEYS, KeyFile, key_file, trouble_of
from deniable.server.web.gateway import Gateway
from deniable.server.web.headers import is_https
from deniable.server.web.health import Health
from deniable.server.web.names import name_asked
from deniable.server.web.response import Response
from deniable.server.web.wsgi import Pages
from deniable.server.worker import Program, run

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from flask import Flask


_NOT_THIS_NAME: Final = Response(
    HTTPStatus.MISDIRECTED_REQUEST,
    [("Content-Type", "text/plain; charset=utf-8")],
    b"The desk is not reached by this name. Use the address that 'deniable serve' prints, or start "
    b"it with --desk-url and the address that people use.\n",
)


def create_desk_program(
    store: Store,
    respondents_url: str,
    keys: KeyFile = NO_KEYS,
    *,
    url: str | None = None,
    prepared: bool = False,
) -> Gateway:
    """Compose the program for researchers."""
    loading = threading.Lock()

    @cache
    def make() -> Flask:
        # The analysis takes several times as long to load as the rest of the server.
        from deniable.server.desk.app import create_desk_app  # noqa: PLC0415

        return create_desk_app(store, respondents_url, keys, url=url)

    def application() -> Flask:
        with loading:  # one thread makes it, others wait
            return make()

    def desk(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # The first request makes it, so that the server starts soon.
        return application().wsgi_app(environ, start_response)

    if prepared:
        # Daemonic, so that a server that stops does not wait for it.
        work = partial(prepare, store, application)
        threading.Thread(target=work, name="preparing", daemon=True).start()
    pages = Pages(desk)
    health = Health(partial(asyncio.to_thread, trouble_of, store))

    async def answer(scope: Scope, protocol: Protocol) -> Response:
        if not is_known(name_asked(scope), url):
            return _NOT_THIS_NAME
        return await pages.answer(scope, protocol)

    headers = DeskHeaders(https=is_https(url), respondents_url=respondents_url)
    return Gateway(answer, lambda path, *_: headers.of(path), health)


def open_program(settings: Settings) -> Program:
    """Open the store, and compose the program on it."""
    if settings.audit:
        from deniable.server.desk.audit import keep  # noqa: PLC0415  as the application

        keep(settings.audit)
    store = open_store(settings.store_url, create=False)
    keys = key_file(settings.store_url, settings.keys)
    # At the start, although the first page would make it: if the store is lost before the desk was
    # ever opened, this file shows that there was one (`deniable.cli.upgrade.upgrade_to_serve`).
    keys.cookie_key()
    gateway = create_desk_program(
        store,
        settings.respondents_url,
        keys,
        url=settings.url,
        prepared=True,
    )
    return Program(gateway, store.close)


if __name__ == "__main__":
    run(open_program)
