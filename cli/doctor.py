"""``deniable doctor``: the faults of a deployment that this program cannot prevent by itself."""

from __future__ import annotations

from pathlib import Path

import click

from deniable.cli.diagnosis import of_addresses, of_another, of_server, of_store, out_of_reach
from deniable.cli.help import ending
from deniable.cli.options import keys_option, server_type, store_type
from deniable.server.store.errors import others_may_read


@click.command(
    epilog=ending("deniable doctor https://survey.example.org --store study.db", "operators")
)
@click.argument("urls", metavar="URL...", type=server_type, nargs=-1, required=True)
@click.option(
    "--store",
    metavar="STORE",
    type=store_type,
    help="Also look at the place of this store, or at the settings of its database.",
)
@click.option(
    "--audit",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also look at who may read the desk's file of what accounts did ('serve --audit').",
)
@keys_option
@click.pass_context
def doctor_command(
    ctx: click.Context,
    *,
    urls: tuple[str, ...],
    store: str | None,
    audit: Path | None,
    keys: str | None,
) -> None:
    """Check a deployment: its answers and its store."""
    faults = [fault for url in urls for fault in of_server(url)] or [*of_addresses(urls)]
    if store is not None:
        # The contents of a damaged store cannot be compared with the server's.
        found = [*of_store(store, keys)]
        faults += found or [one for url in urls for one in of_another(url, store)]
        for note in out_of_reach(store):
            click.echo(f"Note: {note}", err=True)
    faults += others_may_read(*([audit] if audit else []))
    for fault in faults:
        click.echo(fault)
    if faults:
        ctx.exit(1)
    looked = ", ".join([*urls, *(str(one) for one in (store, audit) if one)])
    click.echo(f"All is well: {looked}.")
