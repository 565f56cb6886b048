"""``deniable tally``: the tally of a store's reports, in a file."""

import click

from deniable.cli.help import ending
from deniable.cli.options import force_option, output_option
from deniable.cli.output import FileType, target
from deniable.cli.stores import planned_for, reports_in
from deniable.cli.studies import tell_unweighted
from deniable.server.store import files_of, store_url
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
    with reports_in(url, slug) as (store, received):
        found = Tallies(received.survey, count_full(received.answers(), received.survey))
        for one in received.others:
            click.echo(f"Note: {one}", err=True)
        tell_unweighted(planned_for(store, received.survey, slug))
    place.write(found.to_json())
