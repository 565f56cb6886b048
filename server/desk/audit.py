"""The desk's audit log: who signed in, published, downloaded or removed what, and when.

A download is a file that a browser saves or a script fetches, not the same numbers on a page.

The log names accounts and surveys, never a respondent. The steps of a meeting are not logged,
because their times would be those of reports.

The adversary has an account and sends crafted fields: to end a log line and forge another, or to
fill the disk. So a form's field is logged only if it could be a name.
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
"""The endpoints whose requests are logged."""

_FILES: Final = frozenset({"results", "analyses", "export", "api"})
"""The Blueprints whose every download is logged, by its file name."""

_SAID: Final = ("name", "role", "state")
"""The fields of a form that are logged: an account's name and role, a survey's state."""

_NAME: Final = re.compile(r"[\w.@+-]{1,64}", re.ASCII)

_NO_NAME: Final = re.compile(r"[^\w.@+-]", re.ASCII)

_LONGEST: Final = 128
"""Maximum number of characters of a file's name that are logged."""

_log = logging.getLogger(__name__)
_log.propagate = False


class _File(WatchedFileHandler):
    """A log file that only its owner can read, also after a rotation."""

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).touch(0o600)
        return super()._open()


def keep(file: str) -> None:
    """Write the log to a file, reopened after a rotation."""
    handler = _File(file, encoding="utf-8")
    form = logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    form.converter = time.gmtime
    handler.setFormatter(form)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)


def note(response: Response) -> Response:
    """Log who did what, if it succeeded; log wrong passwords too, whose number is limited."""
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
        said += [_NO_NAME.sub("_", file)[:_LONGEST]] * bool(file)  # it may contain a formula
        _log.info("%s", " ".join([name or "(no account)", str(request.endpoint), *said]))
    return response
