"""``deniable tally``: from reports to their tally, and from tallies of parts to one of all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import Kind, target
from deniable.cli.stores import find_slug, opened, tell_of_single_reports
from deniable.cli.tallies import read_tally
from deniable.server.store import files_of, store_url
from deniable.server.store.store import AT_START
from deniable.study.tallies import engines, file, parquet, shards
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import count_full

_TALLY = Kind("a tally file", (".json",))


@click.command(
    epilog=ending(
        "deniable tally study.db --survey doping -o t.json",
        "deniable tally /srv/lake/survey=doping -o t.json",
        "deniable tally /srv/lake/survey=doping --shards 00-7f -o a.json",
        "deniable tally a.json b.json -o t.json",
        "deniable estimate --tally t.json",
    )
)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
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
@click.option(
    "--shards",
    "wanted",
    metavar="RANGES",
    help="Of an export: only the reports whose ids begin so, such as 00-7f.",
)
@output_option
@force_option
@click.pass_context
def tally_command(  # noqa: PLR0913  a command has options
    ctx: click.Context,
    *,
    sources: tuple[str, ...],
    slug: str | None,
    engine: str,
    master: str,
    wanted: str | None,
    output: str,
    force: bool,
) -> None:
    """Count how often each report, and each pair of reports, came.

    Each SOURCE is a store, an export (the folder that 'export --parquet' wrote), or the file of a
    tally (its name ends in .json). Several are added up. They must be of the same survey, and no
    report may be in two of them: each tally says which part of the ids it has counted, and two that
    have a part in common are refused.

    The tally is all that 'estimate' needs. It does not grow with the reports. Counts of direct
    answers are in it as they are, also of few people; 'estimate' hides those.
    """
    parts = None
    if wanted is not None:
        try:
            parts = shards.read(wanted)
        except ValueError as mistake:
            raise click.UsageError(f"--shards: {mistake}.") from None
    used: list[str] = []
    for one in sources:
        used += [one] if _is_file(one) else files_of(store_url(one))
    place = target(output, _TALLY, force=force, others=used)
    exports = [one for one in sources if Path(one).is_dir()]
    for name in ("engine", "master", "wanted"):
        if not exports and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{'shards' if name == 'wanted' else name} needs an export.")
    found = _all(sources, slug, parts or shards.ALL, (engine, master))
    try:
        place.write(file.add(found).to_json())
    except ValueError as mistake:
        raise click.ClickException(str(mistake)) from None


def _all(
    sources: Sequence[str], slug: str | None, wanted: shards.Shards, engine: tuple[str, str]
) -> list[tuple[str, Tallies]]:
    found = []
    for one in sources:
        if Path(one).is_dir():
            found.append((one, _from_export(_folder(Path(one), slug), wanted, engine)))
        elif _is_file(one):
            found.append((one, read_tally(one, slug)))
        else:
            found.append((one, _from_store(one, slug)))
    return found


def _from_export(folder: Path, wanted: shards.Shards, engine: tuple[str, str]) -> Tallies:
    try:
        exported = parquet.read(folder)
        with engines.opened(*engine) as opened_engine:
            return engines.tally(exported, opened_engine, wanted)
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
        return Tallies(store.survey(named), shards.ALL, tuple(counted))


def _folder(folder: Path, slug: str | None) -> Path:
    """Find the export of a survey, in its own folder or in the one that holds it."""
    if folder.name.startswith("survey="):
        return folder
    found = sorted(folder.glob("survey=*" if slug is None else f"survey={slug}"))
    if len(found) != 1:
        there = ", ".join(one.name.partition("=")[2] for one in found) or "none"
        raise click.ClickException(f"{folder}: expected the export of one survey, found {there}")
    return found[0]


def _is_file(source: str) -> bool:
    return Path(source).suffix.lower() == ".json" or Path(source).is_dir()
