"""``python -m benchmarks.commands``: how long the command line takes to say something."""

from __future__ import annotations

import subprocess
import sys
import time

import click

from benchmarks.measuring import ROOT, RUNS, markdown, spread
from deniable.cli.main import commands


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
    lines = (["--version"], ["--help"], [slowest, "--help"], ["check", "examples/doping.yaml"])
    rows = [
        (f"`deniable {' '.join(words)}`", spread([seconds(*words) for _ in range(RUNS)]))
        for words in lines
    ]
    print("\n".join(markdown(("Command", "Seconds (least to most)"), rows)))


if __name__ == "__main__":
    main()
