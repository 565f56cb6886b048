"""``deniable export --zip`` and ``--datasette``: files for a paper's readers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click
from click.exceptions import Exit

from deniable.analysis.counts.rows import Rows
from deniable.cli.columns import columns_to_leave, said_of_columns
from deniable.cli.failures import blamed
from deniable.cli.output import STDOUT, FileType, Target, target
from deniable.cli.stores import find_slug, opened, received_by
from deniable.cli.studies import Named, rows_of
from deniable.cli.survey_files import STDIN, file_of
from deniable.publication.database import database_file, metadata_file
from deniable.publication.material import Material
from deniable.publication.parcel import CANNOT, left_out, zip_of
from deniable.publication.weighting import Margins
from deniable.server.store import files_of
from deniable.study.addresses import is_desk
from deniable.survey import Survey
from deniable.survey.grouped import Columns, read_columns, whole
from deniable.survey_file import SurveyFileError, plan_of, read

_ZIP: Final = FileType("a zip", (".zip",))
_DATABASE: Final = FileType("a database", (".db",))
_METADATA: Final = FileType("what Datasette says of it", (".yaml",))


@dataclass(frozen=True)
class Choices:
    """The author's choices of what is published."""

    direct: Sequence[str]  # direct columns that are published, as `read_columns` reads them
    small_cells: bool  # whether combinations that few people gave are published as well
    level: float  # of the intervals


def publish(
    survey: str | None,
    reports: str | None,
    store: str,
    revision: str | None,
    into: tuple[str, str],
    choices: Choices,
    *,
    force: bool,
) -> None:
    """Write a zip, or a database with its metadata; print notes for the authors."""
    option, file = into
    if file == STDOUT:
        raise click.UsageError(f"{option} expects the name of a file.")
    if reports is not None and survey is None:
        raise click.UsageError("--reports needs the file of the survey.")
    read = [file_of(survey), reports, *(files_of(store) if reports is None else ())]
    kind = _ZIP if option == "--zip" else _DATABASE
    place = target(file, kind, force=force, others=read, option=option)
    failed: list[str] = []
    written: list[tuple[Target, Callable[[Material], str | bytes]]] = [
        (place, partial(zip_of, failed=failed))
    ]
    if option == "--datasette":
        beside = str(Path(file).with_suffix(".metadata.yaml"))
        said = target(beside, _METADATA, force=force, others=[*read, file], option=option)
        written = [(place, database_file), (said, lambda one: metadata_file(one, Path(file).stem))]
    if reports is None:
        with opened(store) as found:
            survey = survey or find_slug(found, None)
    assert survey is not None  # noqa: S101  for mypy: with a CSV it was given
    _write(Named(survey, reports, store, revision), choices, written)
    if option == "--zip":
        for missing in left_out():
            click.echo(f"Note: {missing}", err=True)
    for name in failed:
        click.echo(f"{file}: has no {name}: {CANNOT}.", err=True)
    if failed:
        raise Exit(1)


def _write(
    named: Named,
    choices: Choices,
    written: Sequence[tuple[Target, Callable[[Material], str | bytes]]],
) -> None:
    rows = rows_of(named, small_cells=choices.small_cells)
    of_file = _written(named.survey, rows.survey)
    with blamed():
        direct = _columns(rows, named, choices.direct)  # before any file is made
        origin, response, revisions = _origin(rows.survey, named)
        material = Material(
            whole(rows.survey),
            rows,
            direct,
            level=choices.level,
            origin=origin,
            response=response,
            revisions=revisions,
            written=of_file,
            margins=_margins(of_file, rows.survey.slug, named),
        )
        contents = [make(material) for _, make in written]
    for (place, _), content in zip(written, contents, strict=True):
        place.write(content)
    for line in _lines(material, choices):
        click.echo(line, err=True)


def _columns(rows: Rows, named: Named, direct: Sequence[str]) -> Columns:
    """Return the columns that are asked for; of a store, keep that they left."""
    if not direct or named.reports is not None:
        return read_columns(",".join(direct), rows.survey)
    return columns_to_leave(named.store, rows, direct)


def _margins(of_file: bytes | None, slug: str, named: Named) -> Margins:
    """Return the population's margins: of the named file, or else of the store's current file."""
    if of_file is not None:
        return plan_of(of_file.decode("utf-8-sig")).population
    if named.reports is not None or named.revision is not None:
        return {}
    with opened(named.store) as found:
        return plan_of(found.source(slug, found.current_revision(slug))).population


def _origin(survey: Survey, named: Named) -> tuple[str, str, tuple[tuple[str, int], ...]]:
    """Say where the reports come from, and of a store the response rate; count each revision's."""
    if is_desk(named.reports):
        return "These are the reports that the desk showed when this was written.", "", ()
    if named.reports is not None:
        return "These are the reports of a CSV that its author had.", "", ()
    with opened(named.store) as found:
        has_ended = found.state(survey.slug).has_ended
        received = received_by(found, survey, named.revision)
        parts = ["These are all reports that the store had when this was written."]
        if not has_ended:
            parts.append("The survey had not ended then, so that more reports may have come since.")
        invited = found.invited(survey.slug)
        response = invited.told_of_paper(survey) if invited else ""
        return " ".join([*parts, *received.others]), response, received.counts


def _written(survey: str, asked: Survey) -> bytes | None:
    """Return the survey file if one was named and it asks the same survey; else None."""
    if file_of(survey) is None or survey == STDIN:
        return None
    content = Path(survey).read_bytes()
    try:
        same = read(content.decode("utf-8-sig")).survey.is_asked_as(asked)
    except (SurveyFileError, UnicodeDecodeError):
        return None
    return content if same else None


def _lines(material: Material, choices: Choices) -> Iterator[str]:
    if isinstance(material.weighting, str) and material.weighting:
        yield f"Note: nothing is weighted: {material.weighting}."
    if choices.small_cells:
        yield from said_of_columns(material.rows, material.direct, choices.direct or ("",))
