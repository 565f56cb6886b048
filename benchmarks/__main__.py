"""``python -m benchmarks [NAME ...]``: measure, and print a table of ratios."""

from collections.abc import Callable, Sequence

import click

from benchmarks import answers, ingest, large, lecture
from benchmarks.measuring import Comparison, Figure, report
from benchmarks.peers import comparison

BENCHMARKS: dict[str, Callable[[], Sequence[Comparison | Figure]]] = {
    "ingest": ingest.run,
    "large": large.run,
    "lecture": lecture.run,
    "peers": comparison.run,
    "randomising": answers.randomising,
    "tallying": answers.tallying,
}


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(BENCHMARKS)))
@click.option("--full", is_flag=True, help="'large' with 10,000,000 reports.")
def main(names: tuple[str, ...], *, full: bool) -> None:
    """Measure the figures that the documentation quotes, all of them or those named."""
    if full:
        large.REPORTS = large.MOST
    report([comparison for name in names or BENCHMARKS for comparison in BENCHMARKS[name]()])


if __name__ == "__main__":
    main()
