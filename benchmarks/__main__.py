"""``python -m benchmarks [NAME ...]``: measure, and print a table of ratios."""

from collections.abc import Callable, Sequence

import click

from benchmarks import answers, ingest, peers
from benchmarks.measuring import Comparison, report

BENCHMARKS: dict[str, Callable[[], Sequence[Comparison]]] = {
    "ingest": ingest.run,
    "peers": peers.run,
    "randomising": answers.randomising,
    "tallying": answers.tallying,
}


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(BENCHMARKS)))
def main(names: tuple[str, ...]) -> None:
    """Measure how fast it is beside others, in all ways or those named."""
    report([comparison for name in names or BENCHMARKS for comparison in BENCHMARKS[name]()])


if __name__ == "__main__":
    main()
