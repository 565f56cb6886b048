"""The gateway: every request enters here, and every response leaves with the security headers.

Reports go to the intake, which is all that the hot path touches; everything else goes to the pages.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from deniable.server.app import create_app, is_https
from deniable.server.catalogue import Catalogue
from deniable.server.failures import log_failure
from deniable.server.group_commit import GroupCommit
from deniable.server.headers import SecurityHeaders
from deniable.server.intake import Intake, survey_of
from deniable.server.pages import Pages
from deniable.server.problems import problem
from deniable.server.response import Response
from deniable.server.rsgi import Protocol, Scope
from deniable.server.store import Store

_FAILED: Final = problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong on the server.")


class Gateway:
    """The application that granian runs.

    Parameters
    ----------
    intake : Intake
    pages : Pages
    headers : SecurityHeaders
    """

    def __init__(self, intake: Intake, pages: Pages, headers: SecurityHeaders) -> None:
        self._intake = intake
        self._pages = pages
        self._headers = headers

    async def __call__(self, scope: Scope, protocol: Protocol) -> None:
        """Answer a request."""
        path = scope.path
        try:
            response = await self._answer(path, scope, protocol)
        except Exception as error:  # noqa: BLE001  the server below would print all of it
            log_failure(error)
            response = _FAILED
        protocol.response_bytes(
            int(response.status), response.headers + self._headers.of(path), response.body
        )

    async def _answer(self, path: str, scope: Scope, protocol: Protocol) -> Response:
        slug = survey_of(path)
        if slug is None:
            return await self._pages.answer(scope, protocol)
        return await self._intake.answer(slug, scope, protocol)


def create_gateway(store: Store, commit: GroupCommit, *, public_url: str | None = None) -> Gateway:
    """Compose the whole server.

    Parameters
    ----------
    store : Store
    commit : GroupCommit
        The writer to that store.
    public_url : str, optional
        As in `create_app`.

    Returns
    -------
    Gateway
    """
    catalogue = Catalogue(store)
    pages = create_app(store, public_url=public_url, catalogue=catalogue)
    return Gateway(
        Intake(catalogue, commit),
        Pages(pages.wsgi_app),
        SecurityHeaders(https=is_https(public_url)),
    )
