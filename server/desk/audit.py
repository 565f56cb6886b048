"""What accounts did at the desk: who signed in, published, downloaded or removed what, and when.

It names accounts and surveys, and nobody who answers: entering a sheet of paper and leading a
meeting are not noted, because the time of either would be that of a report.
"""

from __future__ import annotations

import logging
import time
from logging.handlers import WatchedFileHandler
from typing import Final

from flask import Response, g, request

from deniable.text.safety import printable

ACTS: Final = frozenset(
    {
        *("auth.redeem", "auth.sign_in_by_password", "auth.sign_out"),
        *("account.change_password", "account.end_sessions"),
        *("account.new_token", "account.end_token"),
        *("people.add", "people.change_role", "people.renew", "people.remove", "sharing.share"),
        *("publishing.send", "api.register", "surveys.set_state", "api.set_state"),
        *("surveys.set_public", "surveys.begin_wave", "collection.set_schedule"),
        *("margins.keep", "invitations.invite", "invitations.end"),
        *("results.reports", "results.estimates", "export.download"),
        *("api.reports_csv", "api.reports_jsonl"),
        *("surveys.delete", "editor.remove"),
    }
)
"""The endpoints that are noted."""

_SAID: Final = ("name", "role", "state")
"""Of a form: whose role, or which state."""

_log = logging.getLogger(__name__)
_log.propagate = False


def keep(file: str) -> None:
    """Have acts written into a file, also after it was rotated."""
    handler = WatchedFileHandler(file, encoding="utf-8")
    form = logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    form.converter = time.gmtime
    handler.setFormatter(form)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)


def note(response: Response) -> Response:
    """Note who did what, if it was done."""
    if request.endpoint in ACTS and response.status_code < 400:
        person = g.get("person")
        name = g.get("begun") or (person.name if person else "")
        given = request.view_args or {}
        words = [given.get("slug"), given.get("name"), *map(request.form.get, _SAID)]
        said = " ".join(str(word) for word in dict.fromkeys(words) if word and word != name)
        _log.info("%s", printable(f"{name or '(no account)'} {request.endpoint} {said}".rstrip()))
    return response
