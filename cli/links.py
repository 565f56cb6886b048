"""Links of surveys on a server, named on the command line."""

import re
from contextlib import closing
from typing import Final
from urllib.parse import urlsplit

import click

from deniable.cli.options import address_type
from deniable.cli.survey_files import survey_path
from deniable.client.connection import Connection
from deniable.client.respondent import BrokenPromise, Respondent
from deniable.survey import Survey
from deniable.survey.address import PATTERN, address_of
from deniable.survey.document import REVISION_DIGITS, SHOWN_DIGITS, as_shown

_FRAGMENT: Final = re.compile(
    rf"(?:lang=[a-z]+&?)?([0-9a-f]{{{SHOWN_DIGITS},{REVISION_DIGITS}}})?"
    r"&?(?:code=[A-Z-]+)?"
)
"""The reader's language, the first digits of the revision, and an invitation code."""


def link_type(value: str) -> str:
    """Check the link of a survey, in the form that respondents get."""
    parts = urlsplit(address_type(value))
    fragment = _FRAGMENT.fullmatch(parts.fragment)
    path = parts.path.rstrip("/") + "/"
    if not re.fullmatch(PATTERN, path) or parts.query or not fragment:
        raise click.BadParameter(
            f"{value!r} is not the link of a survey, such as "
            f"{parts.scheme}://{parts.netloc}{address_of('doping')}."
        )
    return parts._replace(path=path).geturl()


def file_or_link_type(value: str) -> str:
    """Check a survey file or the link of a survey."""
    return link_type(value) if is_link(value) else str(survey_path.convert(value, None, None))


def is_link(value: str) -> bool:
    """Return whether a value is an address and no file."""
    return "://" in value


def split_link(link: str) -> tuple[str, str]:
    """Return the server of a link, and the address there, with a slash at its end."""
    parts = urlsplit(link)
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/") + "/"


def fetch_survey(link: str) -> Survey:
    """Read the survey behind a link, check its check number, and print a note if it is a trial."""
    origin, address = split_link(link)
    with closing(Connection(origin)) as connection:
        survey = Respondent(connection, address).fetch()
    fragment = _FRAGMENT.fullmatch(urlsplit(link).fragment)
    named = (fragment and fragment[1]) or ""
    if not any(number.startswith(named) for number in survey.check_numbers):
        raise BrokenPromise(
            f"{link}: the survey has the check number {survey.shown_number}, expected "
            f"{as_shown(named)}, as the link says. Perhaps a word was corrected: ask those "
            "who made the link"
        )
    if survey.kind == "trial":
        click.echo(
            f"Note: {survey.slug!r} is a trial. Its page says on every screen that answers are "
            "made up. Devices keep nothing of it, so anyone who answers it twice draws chance "
            "twice.",
            err=True,
        )
    return survey
