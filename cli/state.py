"""``deniable close``, ``open`` and ``wave``: whether a survey takes reports, and of which wave."""

from __future__ import annotations

import sys

import click

from deniable.cli.help import ending
from deniable.cli.options import store_option
from deniable.cli.stores import find_slug, opened
from deniable.server.records import State
from deniable.server.store import Store


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
    name in the address, or its file.
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

    SURVEY is its name in the address, or its file.
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
@click.option(
    "--yes",
    is_flag=True,
    help="Begin the wave without being asked. Needed where nobody can be asked, as in a script.",
)
def wave_command(slug: str, number: int | None, store: str, *, yes: bool) -> None:
    """Begin the next wave of a survey, or say which is on.

    It takes effect at once, on a server that runs as well: reports of the wave before are refused
    from then on, and people who come back are asked again. There is no way back to an earlier wave,
    so you are asked before it ends. SURVEY is its name in the address, or its file.
    """
    with opened(store) as reports:
        slug = find_slug(reports, slug)
        last = reports.survey(slug).waves
        if last is None:
            raise click.ClickException(
                f"{slug!r} has no waves: 'waves:' in its file says how often it is asked"
            )
        if number is not None:
            if reports.wave(slug) < number <= last:
                _make_sure(reports, slug, number, yes=yes)
            try:
                reports.begin_wave(slug, number)
            except ValueError as mistake:
                raise click.ClickException(str(mistake)) from None
        on = reports.wave(slug)
        count = _reports(reports.count_of_wave(slug, on))
        click.echo(
            f"{slug}: wave {on} of {last} is on, with {count} so far. "
            f"All waves together have {reports.count(slug):,}."
        )


def _make_sure(store: Store, slug: str, number: int, *, yes: bool) -> None:
    """Ask whether the wave that is on shall end, unless the answer is known."""
    on = store.wave(slug)
    count = store.count_of_wave(slug, on)
    if not count:
        click.echo(
            f"Warning: wave {on} of {slug} has no reports. Nobody has answered it, and nobody can "
            "once it has ended.",
            err=True,
        )
    skipped = "".join(f" Wave {wave} will never be asked." for wave in range(on + 1, number))
    ends = f"Wave {on} of {slug} ends for good, with {_reports(count)}.{skipped}"
    if yes:
        return
    if not _somebody_is_there():
        raise click.UsageError(f"{ends} Nobody is there to be asked: expected --yes.")
    if not click.confirm(f"{ends} Begin wave {number}?", err=True):
        raise click.ClickException(f"nothing was changed: wave {on} of {slug} is on")


def _reports(count: int) -> str:
    return f"{count:,} report{'' if count == 1 else 's'}"


def _somebody_is_there() -> bool:
    """Return whether a person can be asked: not where the input is a file, a pipe or nothing."""
    return sys.stdin is not None and sys.stdin.isatty()


def _set_state(slug: str, url: str, state: State) -> None:
    with opened(url) as store:
        slug = find_slug(store, slug)
        store.set_state(slug, state)
        click.echo(f"{slug} is {state}, with {store.count(slug):,} reports.")
