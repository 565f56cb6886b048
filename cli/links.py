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
from deniable.client.respondent import Respondent
from deniable.survey import Survey

_PATH: Final = re.compile(r"/s/([^/]+)")


class Link(Address):
    """The link of a survey, as respondents are given it."""

    name = "link"

    def __init__(self) -> None:
        super().__init__(path=True)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that it is an address of that form."""
        link = super().convert(value, param, ctx)
        parts = urlsplit(link)
        if not _PATH.fullmatch(parts.path) or parts.query or parts.fragment:
            self.fail(
                f"{value!r} is not the link of a survey, such as "
                f"{parts.scheme}://{parts.netloc}/s/doping.",
                param,
                ctx,
            )
        return link


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
    """Return the server of a survey's link, and the survey's name there."""
    parts = urlsplit(link)
    return f"{parts.scheme}://{parts.netloc}", parts.path.removeprefix("/s/")


def fetch_survey(link: str) -> Survey:
    """Read the survey behind a link, and check what it promises.

    Raises
    ------
    RespondentError
        If nothing answers there, or no survey.
    """
    origin, slug = split_link(link)
    with closing(Connection(origin)) as connection:
        return Respondent(connection, slug).fetch()


link_type: Final = FileOrLink()
