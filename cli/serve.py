"""``deniable serve``: surveys on the web, until Ctrl-C."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Final

import click

from deniable import survey_file
from deniable.analysis.planning.advice import advice
from deniable.cli.help import ending
from deniable.cli.options import (
    DEFAULT_STORE,
    DESK_URL,
    address_option,
    keys_option,
    name_type,
    port_option,
    store_option,
)
from deniable.cli.stores import look_at_folder
from deniable.cli.survey_files import read_survey_files, survey_path
from deniable.cli.upgrade import upgrade_to_serve
from deniable.server.addresses import LAST_PORT, Place, port_after
from deniable.server.serving import Ready, serve
from deniable.server.settings import REPORTS_PER_MINUTE, Settings
from deniable.server.store import files_of
from deniable.server.web.failures import log_with_levels
from deniable.server.web.tls import WITHOUT_TLS, is_alterable
from deniable.survey import BATCH
from deniable.text.safety import printable

_ALL_FROM_THE_PROXY: Final = (
    "warning: with a proxy in front (--url), all reports come from its address, so all respondents "
    "together can send {:,} a minute. --behind-proxy counts each network on its own"
)


@click.command(epilog=ending("deniable serve survey.yaml", "operators"))
@click.argument("surveys", metavar="[SURVEY]...", nargs=-1, type=survey_path)
@store_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address at which respondents' pages listen. With 0.0.0.0, phones and laptops in the same "
    "network can answer.",
)
@port_option(
    "Port at which respondents' pages listen, or 0 for any free port.",
)
@address_option(
    "--url",
    "Address at which respondents reach their pages, if a proxy stands in front of them.",
)
@click.option(
    "--also",
    metavar="NAME",
    type=name_type,
    multiple=True,
    envvar="DENIABLE_ALSO",
    show_envvar=True,
    help="A further name at which respondents reach their pages, such as an onion service's. At "
    "any other name than this and that of --url, a page leads to --url. May be repeated.",
)
@click.option(
    "--desk-host",
    default="127.0.0.1",
    show_default=True,
    help="Address at which the researcher's desk listens. By default only this machine reaches it.",
)
@click.option(
    "--desk-port",
    type=click.IntRange(0, LAST_PORT),
    help="Port at which the desk listens, or 0 for any free port.  [default: the one after --port]",
)
@address_option(
    "--desk-url",
    "Address at which you reach the desk, if a proxy stands in front of it. With https it "
    "needs a host of its own.",
)
@click.option(
    "--reports-per-minute",
    metavar="N",
    type=click.IntRange(min=0),
    default=REPORTS_PER_MINUTE,
    show_default=True,
    help="Reports that are taken from one network in a minute: from an IPv4 address, or the /56 of "
    "an IPv6 address. The page of further senders waits and tries again. 0 "
    "takes any number. No address is stored or logged.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Count by the address that a proxy in front of the respondents' pages adds to "
    "X-Forwarded-For. Only for a server that nobody can reach without that proxy.",
)
@click.option(
    "--only",
    type=click.Choice(["respondents", "desk"]),
    help="Start only one of the two programs, as an intake on a further host does, or a service of "
    "its own. Give the other one's address by --desk-url or --url.",
)
@click.option(
    "--audit",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Add a line to this file for what accounts do at the desk: signing in, wrong passwords, "
    "roles, publishing, downloads, removals; not for commands such as 'user add'. Its owner alone "
    "can read it, and it names nobody who answers.",
)
@click.option(
    "--metrics",
    metavar="N",
    type=click.IntRange(min=BATCH),
    help="Tell programs of this machine at /metrics of the respondents' program how many answers "
    "it gave, by status: as a minute begins, in whole batches of N, so that nobody who sends none "
    "can time a report. Counts begin anew each half hour, and the last N to 2 N - 1 of each are "
    "never told. Give the largest 'batch' of your surveys, or 10.",
)
@click.option(
    "--drain",
    metavar="SECONDS",
    type=click.FloatRange(0, 60),
    default=0,
    show_default=True,
    help="Answer for so long after somebody asked the server to stop. For the last two thirds its "
    "/health is 503, so that a proxy sends people to another one.",
)
@keys_option
def serve_command(  # noqa: PLR0913  a command has options
    *,
    surveys: tuple[str, ...],
    store: str,
    host: str,
    port: int,
    url: str | None,
    also: tuple[str, ...],
    desk_host: str,
    desk_port: int | None,
    desk_url: str | None,
    reports_per_minute: int,
    behind_proxy: bool,
    only: str | None,
    audit: Path | None,
    metrics: int | None,
    drain: float,
    keys: str | None,
) -> None:
    """Serve surveys on the web, until Ctrl-C.

    Surveys in the store are served too. Without any file, write surveys at the desk.
    """
    log_with_levels()
    if also and url is None:
        raise click.UsageError("--also needs --url: without it, pages are at every name.")
    if url is not None and reports_per_minute and not behind_proxy and only != "desk":
        click.echo(_ALL_FROM_THE_PROXY.format(reports_per_minute), err=True)
    named = read_survey_files(surveys)
    _refuse_slugs_taken_twice(named)
    for one in named:
        for warning in advice(one.survey):
            click.echo(f"{one.source}: warning: {warning}", err=True)
    look_at_folder(store, host, url)
    if told := upgrade_to_serve(store, keys):
        click.echo(told, err=True)
    serve(
        store,
        [survey.survey for survey in named],
        on_ready=_announce,
        respondents=Place(host, port, url, also),
        desk=Place(desk_host, port_after(port) if desk_port is None else desk_port, desk_url),
        settings=Settings(
            reports_per_minute=reports_per_minute,
            behind_proxy=behind_proxy,
            keys=keys,
            drain=drain,
            metrics=metrics or 0,
            audit=_create_audit_file(audit),
        ),
        sources={one.survey.slug: one.text for one in named},
        only=only,
    )


def _create_audit_file(audit: Path | None) -> str | None:
    """Create the audit file, if missing, readable by its owner alone; return its path."""
    if audit is None:
        return None
    try:
        audit.touch(0o600)
    except OSError as error:
        raise click.ClickException(f"{audit}: cannot be written: {error.strerror}") from error
    return str(audit.absolute())


def _refuse_slugs_taken_twice(surveys: list[survey_file.SurveyFile]) -> None:
    first: dict[str, str] = {}
    for named in surveys:
        slug = named.survey.slug
        if slug in first:
            raise click.ClickException(
                f"{named.source}: the survey in {first[slug]} has the name {slug!r} too; each "
                "survey needs an address of its own"
            )
        first[slug] = named.source


def _announce(ready: Ready) -> None:
    """Print warnings and links; the server calls this as soon as the links work."""
    for survey in ready.going_back:
        click.echo(
            f"warning: {survey.slug}: this file is an earlier revision than the one that was asked "
            "until now. People are asked this file from now on. If the survey was changed on the "
            "desk, the draft there has the later text: publish it again",
            err=True,
        )
    for survey in ready.corrected:
        click.echo(
            f"warning: {survey.slug}: words of this file were corrected since. People go on "
            "reading the corrected ones; the desk has their text",
            err=True,
        )
    # If the program is not in PATH, as after `make run`, print the path it was called by.
    program = "deniable" if shutil.which("deniable") else sys.argv[0]
    where = "" if ready.desk_url == DESK_URL else f" --desk-url {ready.desk_url}"
    store = click.get_current_context().params["store"]
    if store != DEFAULT_STORE and files_of(store):  # a database's address may hold a password
        where += f" --store {shlex.quote(store)}"
    lines = []
    if ready.only != "desk":
        lines += _for_respondents(ready)
    if ready.only != "respondents":
        lines += _for_researchers(ready, f"'{program} sign-in{where}")
    lines.append("Ctrl-C stops the server; what was received stays.")
    click.echo(printable("\n".join(lines)))


def _for_respondents(ready: Ready) -> list[str]:
    lines = ["For respondents:"]
    if not ready.surveys:
        lines.append(f"  {ready.respondents_url} (the links of your surveys are on the desk)")
    for survey, told, link in ready.surveys:
        lines.append(f"  {survey.title} (check number {survey.shown_number})")
        lines += [f"    {line}" for line in (told, link) if line]
    if ready.this_machine_only:
        lines.append("  These work on this machine only; --host 0.0.0.0 lets others answer.")
    if is_alterable(ready.respondents_url):
        lines += textwrap.wrap(WITHOUT_TLS, 80, initial_indent="  ", subsequent_indent="  ")
    return lines


def _for_researchers(ready: Ready, command: str) -> list[str]:
    if ready.sign_in is None:
        return [
            "For the people who have an account:",
            f"  {ready.desk_url}/desk",
            f"  {command} NAME' makes a link that signs one of them in.",
        ]
    return [
        "For the researcher, to sign in once within a day:",
        f"  {ready.sign_in}",
        f"  {command}' makes another link.",
    ]
