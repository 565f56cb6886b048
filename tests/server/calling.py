"""Calling a WSGI application without a network, and writing reports to call it with."""

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.test import EnvironBuilder, run_wsgi_app

from deniable.report import Report
from deniable.survey import Survey


@dataclass(frozen=True)
class Answer:
    """A response as the client gets it."""

    status: int
    headers: Mapping[str, str]
    set_cookies: tuple[str, ...]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Caller:
    """Calls an application, keeping no cookies.

    Parameters
    ----------
    app : WSGI application
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    def __call__(
        self,
        path: str,
        body: bytes = b"",
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        chunked: bool = False,
    ) -> Answer:
        """Make a request; with `chunked` its length is not declared."""
        given = dict(headers or {})
        length = None if chunked else given.pop("Content-Length", str(len(body)))
        environ = EnvironBuilder(path, method=method, headers=list(given.items())).get_environ()
        environ["wsgi.input"] = io.BytesIO(body)
        environ["wsgi.input_terminated"] = True
        environ.pop("CONTENT_LENGTH", None)
        if length is not None:
            environ["CONTENT_LENGTH"] = length
        pieces, status, sent = run_wsgi_app(self._app, environ, buffered=True)
        return Answer(
            status=int(status.split()[0]),
            headers={name: value for name, value in sent if name != "Set-Cookie"},
            set_cookies=tuple(sent.getlist("Set-Cookie")),
            body=b"".join(pieces),
        )

    def send(self, report: Report | bytes, slug: str = "doping", **headers: str) -> Answer:
        """Post a report, or what somebody takes for one."""
        body = report.to_json() if isinstance(report, Report) else report
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self(
            f"/s/{slug}/reports",
            body,
            method="POST",
            headers={"Content-Type": "application/json", **given},
        )


def report(survey: Survey, answers: bytes | None = None, id: bytes | None = None) -> Report:
    """Write a report with a random id; of zeros, unless told otherwise."""
    return Report(
        survey=survey.slug,
        revision=survey.revision,
        id=id or os.urandom(16),
        answers=bytes(len(survey.items)) if answers is None else answers,
    )
