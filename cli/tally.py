"""``deniable tally``: from the reports of a store or an export to their tally."""

from pathlib import Path

import click
from click.core import ParameterSource

from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import Kind, target
from deniable.cli.stores import find_slug, opened, tell_of_single_reports
from deniable.server.store import files_of, store_url
from deniable.server.store.store import AT_START
from deniable.study.tallies import engines, parquet
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import count_full

_TALLY = Kind("a tally file", (".json",))


@click.command(
    epilog=ending(
        "deniable tally study.db --survey doping -o t.json",
        "deniable tally /srv/lake/survey=doping -o t.json",
        "deniable estimate --tally t.json",
    )
)
@click.argument("source")
@click.option(
    "--survey", "slug", metavar="SURVEY", help="Which survey of a store or an export, by its name."
)
@click.option(
    "--engine",
    type=click.Choice(engines.NAMES),
    default=engines.NAMES[0],
    show_default=True,
    help="What counts an export. Each is a package of its own.",
)
@click.option(
    "--master",
    metavar="MASTER",
    default=engines.LOCAL,
    show_default=True,
    help="With --engine spark: who divides the work. All its machines must see the export.",
)
@output_option
@force_option
@click.pass_context
def tally_command(
    ctx: click.Context,
    *,
    source: str,
    slug: str | None,
    engine: str,
    master: str,
    output: str,
    force: bool,
) -> None:
    """Count how often each report, and each pair of reports, came.

    SOURCE is a store, or an export (the folder that 'export --parquet' wrote).

    The tally is all that 'estimate' needs. It does not grow with the reports. Counts of direct
    answers are in it as they are, also of few people; 'estimate' hides those.
    """
    is_export = Path(source).is_dir()
    used = [source] if is_export else files_of(store_url(source))
    place = target(output, _TALLY, force=force, others=used)
    for name in ("engine", "master"):
        if not is_export and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} needs an export.")
    if is_export:
        found = _from_export(_folder(Path(source), slug), engine, master)
    else:
        found = _from_store(source, slug)
    place.write(found.to_json())


def _from_export(folder: Path, engine: str, master: str) -> Tallies:
    try:
        current, revisions = parquet.read(folder)
        with engines.opened(engine, master) as opened_engine:
            return engines.tally(current, revisions, opened_engine)
    except (ValueError, ImportError) as mistake:
        raise click.ClickException(str(mistake)) from None


def _from_store(url: str, slug: str | None) -> Tallies:
    with opened(store_url(url)) as store:
        store.make_sure(seconds=AT_START)
        named = find_slug(store, slug)
        counted = [
            (survey, count_full(chunks, survey)) for survey, chunks in store.by_revision(named)
        ]
        tell_of_single_reports(store, named)
        return Tallies(store.survey(named), tuple(counted))


def _folder(folder: Path, slug: str | None) -> Path:
    """Find the export of a survey, in its own folder or in the one that holds it."""
    if folder.name.startswith("survey="):
        return folder
    found = sorted(folder.glob("survey=*" if slug is None else f"survey={slug}"))
    if len(found) != 1:
        there = ", ".join(one.name.partition("=")[2] for one in found) or "none"
        raise click.ClickException(f"{folder}: expected the export of one survey, found {there}")
    return found[0]
