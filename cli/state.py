"""``deniable close`` and ``deniable open``: whether a survey takes reports."""

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


def _set_state(slug: str, url: str, state: State) -> None:
    with opened(url) as store:
        slug = find_slug(store, slug)
        store.set_state(slug, state)
        click.echo(f"{slug} is {state}, with {store.count(slug):,} reports.")
