"""``deniable open``, ``pause``, ``close`` and ``wave``: the state of a survey, and its wave."""

import click

from deniable.cli.failures import blamed
from deniable.cli.help import ending
from deniable.cli.options import store_option
from deniable.cli.stores import find_slug, opened, somebody_is_there, tell_of_single_reports
from deniable.server.store import Store
from deniable.server.store.retention import keep_promises
from deniable.server.store.schedule import State, read_schedule, told_state
from deniable.text.safety import counted


@click.command(epilog=ending("deniable close survey.yaml", "collect"))
@click.argument("slug", metavar="[SURVEY]", required=False)
@store_option
@click.option(
    "--due",
    is_flag=True,
    help="Say that this machine's clock is right: end each survey whose time is over, and delete "
    "the reports whose day has come, also where the server doubted it.",
)
def close_command(slug: str | None, store: str, *, due: bool) -> None:
    """End a survey: it takes no more reports."""
    if due == bool(slug):
        raise click.UsageError("expected either the name of a SURVEY or --due.")
    if slug:
        _set_state(slug, store, State.CLOSED)
        return
    with opened(store, writes=True) as surveys:
        done = keep_promises(surveys, store, believed=True)
        click.echo("\n".join([*done, f"{surveys.name}: the clock is believed."]))


@click.command(epilog=ending("deniable open survey.yaml", "collect"))
@click.argument("slug", metavar="SURVEY")
@store_option
@click.option("--cap", metavar="N", help="Take up to so many reports: of a full survey, more.")
def open_command(slug: str, store: str, cap: str | None) -> None:
    """Open a paused, full or closed survey again."""
    _set_state(slug, store, State.OPEN, cap)


@click.command(epilog=ending("deniable pause survey.yaml", "collect"))
@click.argument("slug", metavar="SURVEY")
@store_option
def pause_command(slug: str, store: str) -> None:
    """Take no reports of a survey until you open it again."""
    _set_state(slug, store, State.PAUSED)


@click.command(epilog=ending("deniable wave survey.yaml 2", "waves"))
@click.argument("slug", metavar="SURVEY")
@click.argument("number", metavar="[NUMBER]", required=False, type=click.IntRange(min=1))
@store_option
@click.option(
    "--yes",
    is_flag=True,
    help="Begin the wave without a question. A script needs this option, because it cannot answer.",
)
def wave_command(slug: str, number: int | None, store: str, *, yes: bool) -> None:
    """Begin the next wave of a survey, or say which is on."""
    with opened(store, writes=number is not None) as reports:
        slug = find_slug(reports, slug)
        survey = reports.survey(slug)
        last = survey.waves
        if number is not None:
            if reports.wave(slug) < number <= last:
                _make_sure(reports, slug, number, yes=yes)
            with blamed():
                reports.begin_wave(slug, number)
        on = reports.wave(slug)
        count = counted(reports.count_of_wave(slug, on), "report")
        together = survey.in_waves(f" All waves together have {reports.count(slug):,}.")
        click.echo(f"{slug}: wave {on} of {last} is on, with {count} so far.{together}")
        tell_of_single_reports(reports, slug)


def _make_sure(store: Store, slug: str, number: int, *, yes: bool) -> None:
    """Ask whether the current wave shall end, unless `yes`; warn if it has no reports."""
    on = store.wave(slug)
    count = store.count_of_wave(slug, on)
    if not count:
        click.echo(
            f"Warning: wave {on} of {slug} has no reports. Nobody has answered it, and nobody can "
            "once it has ended.",
            err=True,
        )
    skipped = "".join(f" Wave {wave} will never be asked." for wave in range(on + 1, number))
    ends = f"Wave {on} of {slug} ends for good, with {counted(count, 'report')}.{skipped}"
    if yes:
        return
    if not somebody_is_there():
        raise click.UsageError(f"{ends} There is no terminal to ask at: expected --yes.")
    if not click.confirm(f"{ends} Begin wave {number}?", err=True):
        raise click.ClickException(f"nothing was changed: wave {on} of {slug} is on")


def _set_state(slug: str, url: str, state: State, cap: str | None = None) -> None:
    with opened(url, writes=True) as store:
        slug = find_slug(store, slug)
        try:
            if cap is not None:
                store.set_schedule(slug, read_schedule({"cap": cap}, store.schedule(slug)))
            store.set_state(slug, state)
        except ValueError as reason:
            raise click.ClickException(f"{slug} stays {store.state(slug)}: {reason}") from None
        told = told_state(store.state(slug), store.schedule(slug))
        click.echo(f"{slug} has {counted(store.count(slug), 'report')}. {told}")
        tell_of_single_reports(store, slug)
