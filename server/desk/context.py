"""What a request of the desk works with: the store, its surveys, keys and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, cast

from flask import Flask, abort, current_app, request
from werkzeug.local import LocalProxy

from deniable.server.desk.auth.throttle import Attempts
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.keys import KeyFile
from deniable.survey import Survey

_NAME: Final = "desk"


@dataclass(frozen=True)
class Context:
    """What one desk was started with, and what it counts in memory."""

    store: Store
    catalogue: Catalogue
    keys: KeyFile
    respondents_url: str
    url: str | None
    passwords: Attempts
    tokens: Attempts

    def attach(self, app: Flask) -> None:
        """Give it to the requests of an application."""
        app.extensions[_NAME] = self


def context() -> Context:
    """Return that of the desk whose request is handled."""
    found: Context = current_app.extensions[_NAME]
    return found


store = cast("Store", LocalProxy(lambda: context().store))
catalogue = cast("Catalogue", LocalProxy(lambda: context().catalogue))
keys = cast("KeyFile", LocalProxy(lambda: context().keys))


def respondents_url() -> str:
    """Return the address at which respondents reach their program, without a last slash."""
    return context().respondents_url.rstrip("/")


def desk_url() -> str:
    """Return the address at which people reach the desk, without a last slash."""
    return (context().url or request.url_root).rstrip("/")


def link_of(survey: Survey) -> str:
    """Return the respondents' link of a survey."""
    return respondents_url() + survey.path


def find_survey(slug: str, revision: str | None = None) -> Survey:
    """Return a revision of a survey, by default the current one, or answer 404.

    The guard has seen that there is such a survey; another process may have deleted it since.
    """
    try:
        return catalogue.current(slug) if revision is None else catalogue.revision(slug, revision)
    except KeyError:
        abort(HTTPStatus.NOT_FOUND)
