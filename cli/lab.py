"""``deniable lab``: the pages of the lab alone."""

from pathlib import Path

import click

from deniable.cli.help import ending
from deniable.cli.options import port_option


@click.command(epilog=ending("deniable lab --serve", "first-lesson"))
@click.option("--serve", "serving", is_flag=True, help="Serve the lab alone, until Ctrl-C.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="With --serve: where it listens. 0.0.0.0 lets other machines reach it.",
)
@port_option("With --serve: the port, or 0 for any free port.")
@click.option(
    "--export",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write the lab as files that need no server, with some settings of each page.",
)
def lab_command(*, serving: bool, host: str, port: int, folder: Path | None) -> None:
    """List, serve or export the lab's pages."""
    if serving and folder is not None:
        raise click.UsageError("give one of --serve and --export")
    # Here and not above: they load the analysis, which the help of all commands does not need.
    if serving:
        from deniable.server.addresses import Place  # noqa: PLC0415
        from deniable.server.serving import serve_lab  # noqa: PLC0415

        serve_lab(Place(host, port), lambda url: click.echo(f"The lab: {url}/lab"))
    elif folder is not None:
        _export(folder)
    else:
        from deniable.lab.pages import PAGES  # noqa: PLC0415

        for page in PAGES.values():
            click.echo(f"/lab/{page.slug:<14} {page.summary}")


def _export(folder: Path) -> None:
    from deniable.lab.pages import PAGES  # noqa: PLC0415
    from deniable.server.lab_program import write_site  # noqa: PLC0415

    try:
        pages = write_site(folder)
        click.echo(f"{len(PAGES)} pages take a minute or two, and longer on a busy machine.")
        click.echo(f"{folder} is there when all of them are written.")
        for place, (slug, page) in enumerate(pages, 1):
            size = f"{page.answers:>4} settings, {len(page.file) / 1000:4.0f} kB"
            click.echo(f"{place:>2} of {len(PAGES)}: {slug:<14} {size}")
    except FileExistsError:
        raise click.ClickException(f"{folder} is there already: name a new folder") from None
    except OSError as error:
        raise click.ClickException(f"{folder} could not be written: {error.strerror}") from None
    click.echo(f"Open {folder / 'index.html'}, or put {folder} on any web space.")
