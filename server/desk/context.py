"""What a request of the desk works with: the store, its surveys, keys and addresses."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final, ParamSpec, TypeVar, cast

import segno
from flask import Response, abort, current_app, flash, redirect, request, url_for
from werkzeug.local import LocalProxy
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.auth.throttle import Attempts
from deniable.server.store import Store
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.keys import KeyFile
from deniable.server.web.words import Words, words
from deniable.survey import Survey
from deniable.text.languages import LANGUAGES

DESK: Final = "desk"
"""The key of the `Context` in `app.extensions`."""

_Asked = ParamSpec("_Asked")
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Context:
    """What a desk was started with, and its counters in memory."""

    store: Store
    catalogue: Catalogue
    keys: KeyFile
    respondents_url: str
    url: str | None
    passwords: Attempts
    tokens: Attempts


def context() -> Context:
    """Return the context of the current request's desk."""
    found: Context = current_app.extensions[DESK]
    return found


store = cast("Store", LocalProxy(lambda: context().store))
catalogue = cast("Catalogue", LocalProxy(lambda: context().catalogue))
keys = cast("KeyFile", LocalProxy(lambda: context().keys))


def respondents_url() -> str:
    """Return the address at which respondents reach their program, without a trailing slash."""
    return context().respondents_url.rstrip("/")


def words_asked_for() -> Words:
    """Return the words of the language that the address names, or else the browser prefers."""
    # Best first; "de-AT" counts as German.
    listed = [code.partition("-")[0].lower() for code, _ in request.accept_languages]
    asked = [request.args.get("language"), *listed, LANGUAGES[0]]
    return words(next(one for one in asked if one in LANGUAGES))


def desk_url() -> str:
    """Return the address at which people reach the desk, without a trailing slash."""
    return (context().url or request.url_root).rstrip("/")


def link_of(survey: Survey) -> str:
    """Return the respondents' link of a survey."""
    return respondents_url() + survey.path


def find_survey(slug: str, revision: str | None = None) -> Survey:
    """Return a revision of a survey, by default the current one, or answer 404."""
    if revision is None:
        return or_404(catalogue.current, slug)
    return or_404(catalogue.revision, slug, revision)


def or_404(find: Callable[_Asked, _Found], *asked: _Asked.args, **more: _Asked.kwargs) -> _Found:
    """Return what `find` finds; answer 404 on its `KeyError`."""
    try:
        return find(*asked, **more)
    except KeyError:
        abort(HTTPStatus.NOT_FOUND)


def see_other(endpoint: str, told: str = "", **values: Any) -> BaseResponse:
    """Redirect from a form to a page, which shows the message `told` if there is one."""
    if told:
        flash(told)
    return redirect(url_for(endpoint, **values), HTTPStatus.SEE_OTHER)


def attachment(content: str | bytes | Iterator[str], media_type: str, name: str) -> Response:
    """Return a file as a download."""
    response = Response(content, mimetype=media_type)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def moment(seconds: int) -> datetime:
    """Return a moment in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def qr_code(text: str) -> Response:
    """Return a QR code as SVG."""
    drawn = io.BytesIO()
    square = segno.make(text, micro=False)
    square.save(drawn, kind="svg", border=4, light="#fff", xmldecl=False, omitsize=True)
    return Response(drawn.getvalue(), mimetype="image/svg+xml")
