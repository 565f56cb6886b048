"""``deniable lab``: the pages of the lab as a notebook."""

from __future__ import annotations

import json
from typing import Final

import click

from deniable.cli.help import ending
from deniable.cli.options import force_option
from deniable.cli.output import Kind, target

_NOTEBOOK: Final = Kind(
    "a Jupyter notebook",
    (".ipynb",),
    "the pages themselves are shown by: deniable serve",
)


@click.command(epilog=ending("deniable lab", "deniable lab --notebook lab.ipynb"))
@click.option(
    "--notebook",
    "output",
    metavar="FILE",
    help="Write the Python lines of all pages into one notebook (- is standard output).",
)
@force_option
def lab_command(output: str | None, *, force: bool) -> None:
    """List the pages of the lab, or write their Python as a notebook.

    The lab shows each idea behind the protection as something to try. `deniable serve` shows its
    pages at the desk's address, at /lab. Nobody needs to sign in for them.
    """
    # Here and not above: they load the analysis, which the help of all commands does not need.
    from deniable.lab.notebook import notebook  # noqa: PLC0415
    from deniable.lab.pages import PAGES  # noqa: PLC0415

    if output is None:
        for page in PAGES.values():
            click.echo(f"/lab/{page.slug:<14} {page.summary}")
        return
    place = target(output, _NOTEBOOK, force=force, option="--notebook")
    place.write(json.dumps(notebook(), indent=1, ensure_ascii=False) + "\n")
