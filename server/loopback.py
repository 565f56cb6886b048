"""A survey's pages on this machine alone, for a browser or a check by a command.

The pages and headers are the same as in service; a thread serves them from a store in a temporary
folder. There is no intake, so no report is taken.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from werkzeug.serving import WSGIRequestHandler, make_server

from deniable.report import ID_BYTES, Report
from deniable.server.respondent.app import create_respondents_app
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.respondent.pages import parts_of
from deniable.server.store import temporary_store
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State
from deniable.survey import Survey

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


@contextmanager
def loopback(
    survey: Survey,
    *,
    state: State = State.OPEN,
    schedule: Schedule = NO_SCHEDULE,
    wave: int = 1,
) -> Iterator[str]:
    """Serve a survey's pages until the block ends; yield their address."""
    with temporary_store() as store:
        store.register(survey)
        store.set_schedule(survey.slug, schedule)
        if state is State.FULL:
            answers, first = bytes(len(survey.items)), survey.on_wire(1)
            store.set_schedule(survey.slug, replace(schedule, cap=survey.batch))
            store.insert_reports(
                [
                    Report(survey.slug, survey.revision, number.to_bytes(ID_BYTES), answers, first)
                    for number in range(survey.batch)
                ]
            )
        if state in (State.PAUSED, State.CLOSED):
            store.set_state(survey.slug, state)
        if 1 < wave <= survey.waves:
            store.begin_wave(survey.slug, wave)
        app = _with_headers(create_respondents_app(store).wsgi_app, survey)
        server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
        thread = threading.Thread(target=server.serve_forever, name="loopback", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{survey.address}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:
        """Log nothing of a request."""


def _with_headers(app: WSGIApplication, survey: Survey) -> WSGIApplication:
    """Add the respondents' program's headers to each response."""

    def parts_at(address: str) -> tuple[str, ...] | None:
        return parts_of(survey, with_words=True) if address == survey.address else None

    headers = RespondentHeaders(https=False, parts_at=parts_at)

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        def start(status: str, given: list[tuple[str, str]], exc_info: Any = None) -> Any:
            return start_response(status, given + headers.of(environ["PATH_INFO"]), exc_info)

        return app(environ, start)

    return wrapped
