"""``deniable delete``: a survey with all its reports, or reports that are due for deletion."""

import click

from deniable.cli.help import ending
from deniable.cli.options import store_option
from deniable.cli.stores import find_slug, opened, somebody_is_there
from deniable.server.store import Store
from deniable.server.store.retention import keep_promises
from deniable.survey.kind import trial_slug
from deniable.text.safety import counted


@click.command(epilog=ending("deniable delete survey.yaml", "collect"))
@click.argument("slug", metavar="[SURVEY]", required=False)
@store_option
@click.option(
    "--yes",
    is_flag=True,
    help="Delete without a question. A script needs this option, because it cannot answer.",
)
@click.option(
    "--due",
    is_flag=True,
    help="Delete the reports of each survey whose day has come ('delete_reports' in its file), by "
    "the clock of this machine, also where the server doubted it.",
)
def delete_command(slug: str | None, store: str, *, yes: bool, due: bool) -> None:
    """Delete a survey for good, with all its revisions and reports."""
    if due == bool(slug):
        raise click.UsageError("expected either the name of a SURVEY or --due.")
    if due:
        with opened(store, writes=True) as surveys:
            done = keep_promises(surveys, store, believed=True)
            click.echo("\n".join(done) or f"{surveys.name}: no day has come. Nothing was deleted.")
        return
    with opened(store, writes=True) as surveys:
        found = find_slug(surveys, slug)
        if not yes:
            _confirm(surveys, found)
        clean = surveys.delete(found)
        click.echo(f"{surveys.name}: the survey {found!r} is deleted.")
    if not clean:
        click.echo(
            "Another program was reading the store, so its traces on disk are not overwritten yet. "
            "A server does this when no reports come for a while, or when it stops.",
            err=True,
        )


def _confirm(surveys: Store, slug: str) -> None:
    """Make the user type the survey's name, because deletion is final."""
    count = surveys.count(slug)
    reports = counted(count, "report")
    if not somebody_is_there():
        raise click.ClickException(
            f"this would delete {slug!r} with {reports} for good. Give --yes if you want that"
        )
    trial = trial_slug(slug) in {record.survey.slug for record in surveys.surveys()}
    click.echo(
        f"{surveys.name}: this deletes {slug!r} with {reports}{', and its trial,' * trial} for "
        "good. Backups, exported files and what devices remember stay.",
        err=True,
    )
    if click.prompt("Type the name of the survey to delete it", err=True).strip() != slug:
        raise click.ClickException("that is another name; nothing was deleted")
