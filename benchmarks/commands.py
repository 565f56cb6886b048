"""``python -m benchmarks.commands``: how long the command line takes to say something.

Each line is run several times, as somebody types it; the slowest help is found among all commands.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import click

from benchmarks.measuring import ROOT, RUNS
from deniable.cli.main import commands

CHECK = ("check", "examples/doping.yaml")


def seconds(*words: str) -> float:
    """Return how long a command takes, from its start to its end."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "deniable", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    names = commands.list_commands(click.Context(commands))
    slowest = max(names, key=lambda name: min(seconds(name, "--help") for _ in range(2)))
    print("| command | seconds (median of five, least to most) |\n|---|---|")
    for words in (["--version"], ["--help"], [slowest, "--help"], CHECK):
        times = [seconds(*words) for _ in range(RUNS)]
        print(f"| `deniable {' '.join(words)}` | {statistics.median(times):.2f} ", end="")
        print(f"({min(times):.2f} to {max(times):.2f}) |")


if __name__ == "__main__":
    main()
