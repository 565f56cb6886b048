"""A survey and its reports from a desk, over its API.

The adversary is the network, and a server that only looks like the desk. The token goes to the
address that was named and to no other: a redirection is not followed, and without TLS nothing is
sent anywhere but to this machine. The survey is known by its hash, its words by their number.
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from deniable import survey_file
from deniable.analysis.counts.reports_csv import read_reports
from deniable.survey import Survey
from deniable.survey.grouped import ColumnsRead
from deniable.text.doors import RefusalError, placed

TOKEN_VARIABLE: Final = "DENIABLE_TOKEN"  # noqa: S105  the name of one
"""In the environment: the token, if none is given."""

MOST_BYTES: Final = 2**24
"""Of each answer of a desk at most, but for its reports."""

MOST_BYTES_OF_REPORTS: Final = 2**30
"""Of them at most: some ten million with five answers."""

_SECONDS: Final = 60.0


def read_from_desk(
    survey: str | Path | Survey, url: str, token: str | None = None
) -> tuple[Survey, Iterator[bytes], survey_file.PlanFields, ColumnsRead]:
    """Read a survey, its reports, the named file's plan or the desk's, and its columns."""
    desk = _Desk(url, token or os.environ.get(TOKEN_VARIABLE, ""))
    named, plan = None, None
    if isinstance(survey, Survey):
        named = survey
    elif Path(survey).is_file():
        file = survey_file.read(survey_file.decoded(Path(survey).read_bytes(), str(survey)))
        named, plan = file.survey, file.plan
    slug = str(survey) if named is None else named.slug
    there = desk.survey(slug)
    revision = there["revision"] if named is None else named.revision
    if revision not in there["revisions"]:
        raise ValueError(f"{desk.name} has another survey {slug!r}: not this revision of it")
    chosen = "" if revision == there["revision"] else f"?revision={revision}"
    with placed(f"{desk.name} sent no survey"):
        found = Survey.from_json(desk.get(f"/surveys/{slug}/document{chosen}"))
    if found.revision != revision or (named is None and found.check_number != there["number"]):
        raise ValueError(f"{desk.name} sent another survey than the one that it named")
    if named and not any(named.is_asked_as(one) for one in (found, *found.earlier)):
        raise ValueError(f"{desk.name} has another survey {slug!r}: never in these words")
    path = f"/surveys/{slug}/reports.csv{chosen}"
    text = desk.get(path, most=MOST_BYTES_OF_REPORTS).decode()
    plan = plan or survey_file.plan_of(json.dumps({"plan": there["plan"]}))
    columns = ColumnsRead(found)
    reports = read_reports(io.StringIO(text, newline=""), found, found=columns)
    return found, reports, plan, columns


class _Desk:
    def __init__(self, url: str, token: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self.name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        if parts.scheme != "https" and not _is_this_machine(parts.hostname or ""):
            raise ValueError(
                f"{self.name}: expected https://, so that nobody on the way reads the token"
            )
        if parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError(f"expected the address of a desk alone, such as {self.name}")
        if not token:
            variable = f"{TOKEN_VARIABLE} in the environment"
            raise RefusalError(
                f"{self.name}: a token is needed, which your account's page of the desk makes",
                python=f"give it as token=…, or as {variable}",
                command=f"give it as {variable}",
            )
        if not (token.isascii() and token.isprintable()):
            raise ValueError(f"{self.name}: the token holds characters that no token has")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._opener = urllib.request.build_opener(_NoRedirection)

    def survey(self, slug: str) -> dict[str, Any]:
        """Return the desk's description of a survey."""
        content = self.get("/surveys")
        try:
            there: dict[str, Any] = {str(one["slug"]): one for one in json.loads(content)}
        except (ValueError, TypeError, KeyError):
            raise self._is_none() from None
        if slug not in there:
            raise ValueError(
                f"{self.name}: there is no survey {slug!r} for this token; there are "
                f"{', '.join(there) or 'none'}"
            )
        return dict(there[slug])

    def get(self, path: str, *, most: int = MOST_BYTES) -> bytes:
        """Send a GET request to the desk; return the body of the answer."""
        request = urllib.request.Request(f"{self.name}/api/v1{path}", headers=self._headers)  # noqa: S310  checked
        try:
            with self._opener.open(request, timeout=_SECONDS) as response:
                content: bytes = response.read(most + 1)
        except urllib.error.HTTPError as error:
            with error:
                if error.headers.get_content_type() != "application/problem+json":
                    raise self._is_none() from None
                detail = json.loads(error.read(MOST_BYTES)).get("detail", "")
            raise ValueError(f"{self.name}: {detail}") from None
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "reason", error)
            raise ValueError(f"{self.name}: nobody answers there ({why})") from None
        if len(content) > most:
            raise ValueError(f"{self.name}: expected at most {most:,} bytes of {path}, found more")
        return content

    def _is_none(self) -> ValueError:
        return ValueError(
            f"{self.name} is not a desk; people answer surveys at another address than the desk's"
        )


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Takes the token nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
