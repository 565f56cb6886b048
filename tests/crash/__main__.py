"""``python -m tests.crash``: crash the server and its database again and again, and count."""

import os
import random
import sys
import time

import click
import pytest
from rich.console import Console

from deniable.results.text import console, table
from tests.crash import campaign, stops
from tests.crash.places import SITES, site

NUMBERS = ("times", "acknowledged", "refused", "unanswered", "lost", "doubled")


@click.command()
@click.option("--kills", default=100, show_default=True, help="How often something is killed.")
@click.option(
    "--stops", "stopped", default=500, show_default=True, help="How often the server is stopped."
)
@click.option(
    "--reports", default=100_000, show_default=True, help="Reports that are acknowledged meanwhile."
)
@click.option(
    "--engine", "engines", type=click.Choice(list(SITES)), multiple=True, help="Only this one."
)
@click.option("--seed", type=int, help="Of the moments; drawn unless it is given.")
def main(
    *, kills: int, stopped: int, reports: int, engines: tuple[str, ...], seed: int | None
) -> None:
    """Kill and stop servers and databases at random moments, and let the world misbehave.

    Everybody sends each report until it is acknowledged. Then the store is compared with what they
    sent and what they were told. Exit code 1 if anything was lost, doubled, or wrong.
    """
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed
    out = console(sys.stdout)
    results = [_run(name, (kills, stopped, reports), seed, out) for name in engines or SITES]
    sys.exit(0 if all(results) else 1)


def _run(name: str, numbers: tuple[int, int, int], seed: int, out: Console) -> bool:
    start = time.monotonic()
    try:
        counts, harmed = _crash(name, numbers, seed)
    except pytest.skip.Exception as missing:
        out.print(f"{SITES[name].name}: {missing}\n")
        return False
    without = "" if harmed else "; no C compiler: nothing was done to disk and clock"
    rows = table("what was done", *NUMBERS, numbers=NUMBERS)
    for one in counts:
        cells = (getattr(one, column) for column in NUMBERS)
        rows.add_row(one.done, *(f"{number:,}" for number in cells))
    out.print(f"{SITES[name].name} (seed {seed}, {time.monotonic() - start:.0f} s{without})\n")
    out.print(rows)
    for one in counts:
        for fault in one.wrong:
            out.print(f"WRONG: {one.done}: {fault}")
        if one.left:
            out.print(f"WRONG: {one.done}: {one.left} reports were never acknowledged")
    out.print("")
    return all(one.is_good for one in counts)


def _crash(
    name: str, numbers: tuple[int, int, int], seed: int
) -> tuple[list[campaign.Count], bool]:
    """Return what was counted, and whether disk and clock misbehaved."""
    kills, stopped, reports = numbers
    counts = []
    if kills:
        with site(name) as place:
            counts += campaign.kill(place, kills, reports, random.Random(seed))
    if stopped:
        with site(name) as place:
            counts += stops.stop(place, stopped, random.Random(seed))
    with site(name) as place:
        return counts + campaign.suffer(place), place.harm is not None


if __name__ == "__main__":
    main()
