"""``python -m benchmarks.coverage [NAME ...]``: print the tables of ``docs/coverage.md``."""

from collections.abc import Callable, Iterator
from typing import Final

import click

from benchmarks.coverage import (
    always_valid,
    asked,
    associations,
    doors,
    group_means,
    lists,
    mixed,
    people,
    profile,
    regressions,
    shares,
    small_samples,
    verdicts,
    weights,
)

SECTIONS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "shares": shares.lines,
    "small-samples": small_samples.lines,
    "group-means": group_means.lines,
    "mixed": mixed.lines,
    "lists": lists.lines,
    "associations": associations.lines,
    "doors": doors.lines,
    "verdicts": verdicts.lines,
    "people": people.lines,
    "weights": weights.lines,
    "asked": asked.lines,
    "always-valid": always_valid.lines,
    "profile": profile.lines,
    "regressions": regressions.lines,
}


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(SECTIONS)))
def main(names: tuple[str, ...]) -> None:
    """Print the tables, all of them (most of two hours) or those named."""
    for name in names or SECTIONS:
        for line in (*SECTIONS[name](), ""):
            print(line, flush=True)


if __name__ == "__main__":
    main()
