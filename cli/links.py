"""Links of surveys that are served somewhere, named on the command line."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Final
from urllib.parse import urlsplit

import click

from deniable.cli.options import Address
from deniable.cli.survey_files import survey_path
from deniable.client.connection import Connection
from deniable.client.respondent import BrokenPromise, Respondent
from deniable.survey import Survey
from deniable.survey.address import PATTERN, address_of
from deniable.survey.document import FINGERPRINT_DIGITS, REVISION_DIGITS, fingerprint_of

_FRAGMENT: Final = re.compile(
    rf"(?:lang=[a-z]+&?)?([0-9a-f]{{{FINGERPRINT_DIGITS},{REVISION_DIGITS}}})?"
    r"&?(?:code=[A-Z-]+)?"
)
"""The language that somebody read, the first digits of the revision, and a code to answer with."""


class Link(Address):
    """The link of a survey, as respondents are given it."""

    name = "link"

    def __init__(self) -> None:
        super().__init__(path=True)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that it is an address of that form."""
        link = super().convert(value, param, ctx)
        parts = urlsplit(link)
        fragment = _FRAGMENT.fullmatch(parts.fragment)
        path = parts.path.rstrip("/") + "/"
        if not re.fullmatch(PATTERN, path) or parts.query or not fragment:
            self.fail(
                f"{value!r} is not the link of a survey, such as "
                f"{parts.scheme}://{parts.netloc}{address_of('doping')}.",
                param,
                ctx,
            )
        return parts._replace(path=path).geturl()


class FileOrLink(click.ParamType[str]):
    """A survey file, or the link of a survey."""

    name = "survey"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check it as the one or the other."""
        kind = Link() if is_link(value) else survey_path
        return str(kind.convert(value, param, ctx))


def is_link(value: str) -> bool:
    """Return whether that is an address and no file."""
    return "://" in value


def split_link(link: str) -> tuple[str, str]:
    """Return the server of a survey's link, and the survey's address there."""
    parts = urlsplit(link)
    return f"{parts.scheme}://{parts.netloc}", parts.path


def fetch_survey(link: str) -> Survey:
    """Read the survey behind a link, and check what it promises. Say if it is a trial."""
    origin, address = split_link(link)
    with closing(Connection(origin)) as connection:
        survey = Respondent(connection, address).fetch()
    fragment = _FRAGMENT.fullmatch(urlsplit(link).fragment)
    named = (fragment and fragment[1]) or ""
    if not survey.revision.startswith(named):
        raise BrokenPromise(
            f"{link}: the survey has the fingerprint {survey.fingerprint}, expected "
            f"{fingerprint_of(named)}, as the link says. Perhaps a word was corrected: ask those "
            "who made the link"
        )
    if survey.kind == "trial":
        click.echo(
            f"Note: {survey.slug!r} is a trial. Its page says on every screen that answers are "
            "made up. Devices keep nothing of it, so whoever answers it twice draws chance twice.",
            err=True,
        )
    return survey


link_type: Final = FileOrLink()
