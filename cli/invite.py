"""``deniable invite``: codes for one report each."""

import click

from deniable.cli.failures import blamed
from deniable.cli.help import ending
from deniable.cli.options import (
    address_option,
    force_option,
    keys_option,
    output_option,
    store_option,
)
from deniable.cli.output import FileType, target
from deniable.cli.stores import find_slug, opened, told_rate
from deniable.server.store.invitations import MOST, new_codes
from deniable.server.store.keys import invite, key_file

_CODES = FileType("codes", (".csv", ".html", ".htm"))


@click.command(epilog=ending("deniable invite survey.yaml -n 200 -o codes.csv", "collect"))
@click.argument("slug", metavar="SURVEY")
@click.option(
    "--number",
    "-n",
    metavar="N",
    type=click.IntRange(1, MOST),
    help="How many codes to make. Without it, the command says how many there are.",
)
@address_option(
    "--url",
    "Address at which respondents reach the server. Then each code has a link. Slips need it.",
)
@click.option(
    "--end", is_flag=True, help="Remove all codes. Everybody with the link may answer then."
)
@output_option
@force_option
@store_option
@keys_option
def invite_command(  # noqa: PLR0913  a command has options
    *,
    slug: str,
    number: int | None,
    url: str | None,
    end: bool,
    output: str,
    force: bool,
    store: str,
    keys: str | None,
) -> None:
    """Make codes for a survey by invitation, each for one report.

    The first codes change the survey's check number, so make them before you give out its link.
    A name that ends in .html gives slips to print.
    """
    from deniable.server.desk.surveys.slips import (  # noqa: PLC0415  loads segno
        MOST_SLIPS,
        codes_csv,
        slips_page,
    )

    if end and number is not None:
        raise click.UsageError("expected one of --number and --end.")
    # A reader of the list could answer in everybody's place.
    place = target(output, _CODES, force=force, secret=True)
    as_slips = number is not None and place.ending in ("html", "htm")
    if as_slips and url is None:
        raise click.UsageError("slips need --url, the address at which respondents come.")
    if as_slips and number is not None and number > MOST_SLIPS:
        raise click.UsageError(f"expected {MOST_SLIPS:,} slips at most, found {number:,}.")
    with opened(store, writes=end or number is not None) as surveys:
        slug = find_slug(surveys, slug)
        if end:
            surveys.end_invitations(slug)
        if number is None:
            click.echo(f"{slug}: {told_rate(surveys, slug) or 'needs no code.'}")
            return
        codes = new_codes(number)
        with blamed(slug):
            invite(surveys, key_file(store, keys), slug, codes)
        survey = surveys.survey(slug)
    link = None if url is None else url + survey.path
    place.write(
        slips_page(survey, codes, link) if as_slips and link else "".join(codes_csv(codes, link))
    )
