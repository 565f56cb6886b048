"""``deniable close``, ``open`` and ``wave``: whether a survey takes reports, and of which wave."""

from __future__ import annotations

import click

from deniable.cli.help import ending
from deniable.cli.options import store_option
from deniable.cli.stores import find_slug, opened
from deniable.server.records import State


@click.command(
    epilog=ending(
        "deniable close doping",
    )
)
@click.argument("slug", metavar="SURVEY")
@store_option
def close_command(slug: str, store: str) -> None:
    """Close a survey to further reports.

    It takes effect at once, on a server that runs as well. What was received stays. SURVEY is its
    name in the address.
    """
    _set_state(slug, store, State.CLOSED)


@click.command(
    epilog=ending(
        "deniable open doping",
    )
)
@click.argument("slug", metavar="SURVEY")
@store_option
def open_command(slug: str, store: str) -> None:
    """Open a closed survey again.

    SURVEY is its name in the address.
    """
    _set_state(slug, store, State.OPEN)


@click.command(
    epilog=ending(
        "deniable wave panel",
        "deniable wave panel 2",
    )
)
@click.argument("slug", metavar="SURVEY")
@click.argument("number", metavar="[NUMBER]", required=False, type=click.IntRange(min=1))
@store_option
def wave_command(slug: str, number: int | None, store: str) -> None:
    """Begin the next wave of a survey, or say which is on.

    It takes effect at once, on a server that runs as well: reports of the wave before are refused
    from then on, and people who come back are asked again. There is no way back to an earlier wave.
    SURVEY is its name in the address.
    """
    with opened(store) as reports:
        slug = find_slug(reports, slug)
        last = reports.survey(slug).waves
        if last is None:
            raise click.ClickException(
                f"{slug!r} has no waves: 'waves:' in its file says how often it is asked"
            )
        if number is not None:
            try:
                reports.begin_wave(slug, number)
            except ValueError as mistake:
                raise click.ClickException(str(mistake)) from None
        count = reports.count(slug)
        click.echo(
            f"{slug}: wave {reports.wave(slug)} of {last} is on, with {count:,} reports so far."
        )


def _set_state(slug: str, url: str, state: State) -> None:
    with opened(url) as store:
        slug = find_slug(store, slug)
        store.set_state(slug, state)
        click.echo(f"{slug} is {state}, with {store.count(slug):,} reports.")
