"""What accounts did at the desk: who signed in, published, downloaded or removed what, and when.

A download is a file that a browser keeps, or a script gets. The same numbers on a page are no file.

It names accounts and surveys, and nobody who answers: leading a meeting is not noted, because its
time would be that of a report.

The adversary has an account, and sends fields of their own: to end a line and begin a false one, or
to fill the disk. So nothing of a form is noted that could not be a name.
"""

import logging
import re
import time
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Final

from flask import Response, g, request
from werkzeug.http import parse_options_header

ACTS: Final = frozenset(
    {
        *("auth.redeem", "auth.sign_in_by_password", "auth.sign_out"),
        *("account.change_password", "account.end_sessions"),
        *("account.new_token", "account.end_token"),
        *("people.add", "people.change_role", "people.renew", "people.remove", "sharing.share"),
        *("publishing.send", "api.register", "surveys.set_state", "api.state"),
        *("surveys.set_public", "surveys.begin_wave", "collection.set_schedule"),
        *("margins.keep", "invitations.invite", "invitations.end"),
        *("api.tally", "surveys.delete", "editor.remove"),
    }
)
"""The endpoints that are noted."""

_FILES: Final = frozenset({"results", "analyses", "export", "api"})
"""The rooms of which every file that is offered for keeping is noted, by its name."""

_SAID: Final = ("name", "role", "state")
"""Of a form: whose role, or which state."""

_NAME: Final = re.compile(r"[\w.@+-]{1,64}", re.ASCII)

_NO_NAME: Final = re.compile(r"[^\w.@+-]", re.ASCII)

_LONGEST: Final = 128
"""Characters that are noted of a file's name."""

_log = logging.getLogger(__name__)
_log.propagate = False


class _File(WatchedFileHandler):
    """Of its owner alone, also after it was rotated."""

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).touch(0o600)
        return super()._open()


def keep(file: str) -> None:
    """Have acts written into a file, also after it was rotated."""
    handler = _File(file, encoding="utf-8")
    form = logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    form.converter = time.gmtime
    handler.setFormatter(form)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)


def note(response: Response) -> Response:
    """Note who did what, if it was done; and which password was wrong, of how many is limited."""
    refused = request.endpoint == "auth.sign_in_by_password" and response.status_code == 401
    _, kept = parse_options_header(response.headers.get("Content-Disposition"))
    file = kept.get("filename", "") if request.blueprint in _FILES else ""
    if (file or request.endpoint in ACTS) and (response.status_code < 400 or refused):
        person = g.get("person")
        name = g.get("begun") or (person.name if person and not refused else "")
        given = request.view_args or {}
        words = [given.get("slug"), given.get("name"), *map(request.form.get, _SAID)]
        words = ["refused"] if refused else words  # a name as typed may be a password
        typed = dict.fromkeys(str(word or "").strip() for word in words)
        said = [word for word in typed if _NAME.fullmatch(word) and word != name]
        said += [_NO_NAME.sub("_", file)[:_LONGEST]] * bool(file)  # a formula can stand in it
        _log.info("%s", " ".join([name or "(no account)", str(request.endpoint), *said]))
    return response
