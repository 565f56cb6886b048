"""``deniable collect``: when a survey takes reports, how many, and with which access word."""

from __future__ import annotations

import time

import click

from deniable.cli.failures import blamed
from deniable.cli.help import ending
from deniable.cli.options import store_option
from deniable.cli.stores import find_slug, opened, told_rate
from deniable.server.store.schedule import State, read_schedule, told_of_cap, told_schedule

_NONE = "none"


@click.command(
    epilog=ending("deniable collect survey.yaml --until 2026-12-14T20:00 --cap 500", "collect")
)
@click.argument("slug", metavar="SURVEY")
@click.option(
    "--from", "opens", metavar="TIME", help="It takes no reports before: 2026-12-01T08:00."
)
@click.option(
    "--until",
    "closes",
    metavar="TIME",
    help="It closes then, by itself; a day alone means its end.",
)
@click.option(
    "--cap",
    metavar="N",
    help="It takes so many reports at most, in all revisions and waves together: then it waits "
    "until you raise the cap or close it. This must be a multiple of the survey's batch.",
)
@click.option(
    "--access-word",
    metavar="WORD",
    help="An access word that all respondents share. The page asks for it before the questions.",
)
@store_option
def collect_command(
    *,
    slug: str,
    opens: str | None,
    closes: str | None,
    cap: str | None,
    access_word: str | None,
    store: str,
) -> None:
    """Set when a survey takes reports, or show it.

    Times are those of this machine's clock, unless they end with a time zone: +01:00 or Z. The
    word 'none' takes a term away.
    """
    given = {"opens": opens, "closes": closes, "cap": cap, "access_word": access_word}
    typed = {
        name: "" if text == _NONE else text for name, text in given.items() if text is not None
    }
    with opened(store, writes=bool(typed)) as reports:
        slug = find_slug(reports, slug)
        with blamed(slug):
            before = reports.schedule(slug)
            if (changed := read_schedule(typed, before)) != before:
                reports.set_schedule(slug, changed)
        schedule, state = reports.schedule(slug), reports.state(slug)
        click.echo(f"{slug}:")
        invited = reports.survey(slug).is_by_invitation
        warnings = told_of_cap(schedule, is_by_invitation=invited)
        for line in [*told_schedule(schedule, state), *warnings]:
            click.echo(f"  {line}")
        if rate := told_rate(reports, slug):
            click.echo(f"  It {rate}")
        # Removing a term does not reopen a survey that it closed: people may know of the end.
        if state is State.CLOSED and not schedule.is_over(time.time()):
            click.echo(f"  It stays closed until 'deniable open {slug}' opens it.")
