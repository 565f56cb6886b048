"""Survey files named on the command line: all are read, and every mistake is printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from deniable import survey_file
from deniable.cli.failures import Mistakes

STDIN: Final = "-"

# A readable file, or "-"; `read_survey_files` reports mistakes in its content.
survey_path = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)


def file_of(named: str | None) -> str | None:
    """Return a survey's argument if it is a file or standard input; None for a name in a store."""
    return named if named is not None and (named == STDIN or Path(named).is_file()) else None


def read_survey_files(paths: Sequence[str]) -> list[survey_file.SurveyFile]:
    """Read survey files; `Mistakes` lists every mistake of all of them."""
    surveys, mistakes = [], []
    for path in paths:
        source = "<stdin>" if path == STDIN else path
        try:
            with click.open_file(path, "rb") as stream:
                content: bytes = stream.read()
            surveys.append(survey_file.read(survey_file.decoded(content, source), source))
        except survey_file.SurveyFileError as error:
            mistakes.append(str(error))
    if mistakes:
        raise Mistakes("\n".join(mistakes))
    return surveys


def read_survey_file(path: str) -> survey_file.SurveyFile:
    """Read one survey file, as `read_survey_files` does."""
    return read_survey_files([path])[0]
