"""A survey's reports out of a store, as partitioned Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from deniable.cli.stores import tell_of_single_reports
from deniable.server.store import Store, SurveyCopy
from deniable.study.tallies import parquet
from deniable.study.tallies.hiding import Hiding
from deniable.text.safety import counted


def export_parquet(
    store: Store, slug: str, folder: Path, parts: int, least: int, *, force: bool
) -> None:
    """Write all of a survey's reports below a folder, and say how many there are."""
    place = folder / f"survey={slug}"
    if place.exists() and not force:
        raise click.ClickException(f"{place}: exists already; --force replaces it")
    store.make_sure()
    answered = [one for one in store.revisions(slug) if store.count(slug, one)]
    hiding = Hiding(
        [(store.revision(slug, one), store.answers(slug, one)) for one in answered], least
    )
    try:
        with store.copying(slug) as copy:
            count = parquet.write(place, copy.revision, _received(copy, hiding), parts)
    except ImportError as missing:
        raise click.ClickException(str(missing)) from None
    tell_of_single_reports(store, slug)
    click.echo(f"Wrote {counted(count, 'report')} into {place}.")


def _received(copy: SurveyCopy, hiding: Hiding) -> Iterator[parquet.Received]:
    for one in copy.revisions:
        yield parquet.Received(one.survey, one.held, one.reports, hiding.of(one.survey))
