"""``python -m benchmarks [NAME ...]``: measure, and print a table of ratios."""

from __future__ import annotations

import click

from benchmarks import ingest, peers, phone, randomising, tallying
from benchmarks.measuring import report

BENCHMARKS = {
    "ingest": ingest.run,
    "peers": peers.run,
    "phone": phone.run,
    "randomising": randomising.run,
    "tallying": tallying.run,
}


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(BENCHMARKS)))
def main(names: tuple[str, ...]) -> None:
    """Measure the figures that the documentation quotes, all of them or those named."""
    report([comparison for name in names or BENCHMARKS for comparison in BENCHMARKS[name]()])


if __name__ == "__main__":
    main()
