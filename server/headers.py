"""The headers that every response carries, errors included.

The adversary is script that does not belong to the page: another site's, or one that slipped into
it. A true answer is in the page's memory; these headers are what keeps it from leaving by fetch,
image, form, frame or referrer.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from deniable.server.failures import log_failure
from deniable.server.problems import PROBLEM_JSON, problem

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Headers = list[tuple[str, str]]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action {forms}; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_ALWAYS: Final = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    (
        "Permissions-Policy",
        "camera=(), microphone=(), geolocation=(), browsing-topics=(), payment=(), usb=()",
    ),
    # Without it granian names itself; with it nobody learns which program to look up.
    ("Server", "deniable"),
]
_RESPONDENT: Final = ("Content-Security-Policy", _POLICY.format(forms="'none'"))
_DESK: Final = ("Content-Security-Policy", _POLICY.format(forms="'self'"))
# matplotlib draws with inline styles; a figure opened by itself can do nothing but look right.
_FIGURE: Final = (
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
)
_NO_STORE: Final = ("Cache-Control", "no-store")
_TLS_ONLY: Final = ("Strict-Transport-Security", "max-age=31536000")


def add_headers(app: WSGIApplication, *, https: bool) -> WSGIApplication:
    """Give an application's every response the security headers.

    Parameters
    ----------
    app : WSGI application
        If it fails, the response is a generic error that carries the headers too.
    https : bool
        Whether people reach it by TLS; browsers are then told never to come without.

    Returns
    -------
    WSGI application
    """
    always = [*_ALWAYS, *([_TLS_ONLY] if https else [])]
    plain: Headers = [*always, _RESPONDENT]
    survey: Headers = [*plain, _NO_STORE]
    desk: Headers = [*always, _DESK, _NO_STORE]
    figure: Headers = [*always, _FIGURE, _NO_STORE]

    def with_headers(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path.startswith("/s/"):
            ours = survey
        elif path.startswith("/desk"):
            ours = figure if path.endswith(".svg") else desk
        else:
            ours = plain

        def start(status: str, headers: Headers, exc_info: Any = None) -> Any:
            return start_response(status, headers + ours, exc_info)

        try:
            return app(environ, start)
        except Exception as error:  # noqa: BLE001  the server below would print all of it
            log_failure(error)
            body = problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong on the server.")
            start(
                "500 Internal Server Error",
                [("Content-Type", PROBLEM_JSON), ("Content-Length", str(len(body)))],
            )
            return [body]

    return with_headers
