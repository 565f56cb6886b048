"""``deniable serve``: surveys on the web, until Ctrl-C."""

from __future__ import annotations

import shutil
import sys

import click

from deniable.cli.help import ending
from deniable.cli.options import URL_VARIABLE, Address, store_option
from deniable.cli.survey_files import NamedSurvey, read_survey_files, survey_path
from deniable.plain import printable
from deniable.server.advice import advice
from deniable.server.serving import Ready, ServingError, serve
from deniable.server.store import StoreError


@click.command(
    epilog=ending(
        "deniable serve examples/doping.yaml",
        "deniable serve examples/*.yaml --host 0.0.0.0 --store /var/lib/deniable.db",
        "deniable serve survey.yaml --url https://survey.example.org",
    )
)
@click.argument("surveys", metavar="SURVEY...", nargs=-1, required=True, type=survey_path)
@store_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at; 0.0.0.0 lets phones and laptops in the same network answer.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen at; 0 for any free one.",
)
@click.option(
    "--url",
    metavar="PUBLIC_URL",
    type=Address(),
    envvar=URL_VARIABLE,
    show_envvar=True,
    help="Address at which people reach the server, if a proxy in front of it has another one.",
)
def serve_command(
    surveys: tuple[str, ...], store: str, host: str, port: int, url: str | None
) -> None:
    """Serve surveys on the web, until Ctrl-C.

    Prints a link for the respondents of each survey, and one that signs the researcher in once.
    A mistake in any file keeps the server from starting, a warning of 'deniable check' does not.
    Reports stay in the store; serving again
    goes on where it stopped.
    """
    named = read_survey_files(surveys)
    _refuse_slugs_taken_twice(named)
    for one in named:
        for warning in advice(one.survey):
            click.echo(f"{one.source}: warning: {warning}", err=True)
    try:
        serve(
            store,
            [survey.survey for survey in named],
            on_ready=_announce,
            host=host,
            port=port,
            public_url=url,
        )
    except (StoreError, ServingError) as error:
        raise click.ClickException(str(error)) from None


def _refuse_slugs_taken_twice(surveys: list[NamedSurvey]) -> None:
    first: dict[str, str] = {}
    for named in surveys:
        slug = named.survey.slug
        if slug in first:
            raise click.ClickException(
                f"{named.source}: the name {slug!r} is that of the survey in {first[slug]} too; "
                "each needs an address of its own"
            )
        first[slug] = named.source


def _announce(ready: Ready) -> None:
    """Print the links; called by the server as soon as they work."""
    # Where the program is not in PATH, as after `make run`, it is named as it was called.
    program = "deniable" if shutil.which("deniable") else sys.argv[0]
    lines = ["For respondents:"]
    lines += [f"  {title}\n    {link}" for title, link in ready.surveys]
    if ready.this_machine_only:
        lines.append("  These work on this machine only; --host 0.0.0.0 lets others answer.")
    lines += [
        f"For the researcher, to sign in once within a day ('{program} sign-in' makes another):",
        f"  {ready.sign_in}",
        "Ctrl-C stops the server; what was received stays.",
    ]
    click.echo(printable("\n".join(lines)))
