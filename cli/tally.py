"""``deniable tally``: the tally of a store's reports, in a file."""

import click

from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import FileType, target
from deniable.cli.stores import (
    find_slug,
    opened,
    planned_for,
    received_by,
    tell_of_single_reports,
)
from deniable.cli.tallies import tell_unweighted
from deniable.server.store import files_of, store_url
from deniable.server.store.store import AT_START
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import count_full

_TALLY = FileType("a tally file", (".json",))


@click.command(epilog=ending("deniable tally study.db --survey doping -o t.json", "large"))
@click.argument("source", metavar="STORE")
@click.option("--survey", "slug", metavar="SURVEY", help="Which survey of the store, by its name.")
@output_option
@force_option
def tally_command(*, source: str, slug: str | None, output: str, force: bool) -> None:
    """Count how often each report, and each pair of reports, came."""
    url = store_url(source)
    place = target(output, _TALLY, force=force, others=files_of(url))
    with opened(url) as store:
        store.make_sure(seconds=AT_START)
        survey = store.survey(find_slug(store, slug))
        received = received_by(store, survey, None)
        found = Tallies(survey, count_full(received.answers(), survey))
        tell_of_single_reports(store, survey.slug)
        for one in received.others:
            click.echo(f"Note: {one}", err=True)
        tell_unweighted(planned_for(store, survey, None))
    place.write(found.to_json())
