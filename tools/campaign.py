"""``make campaign``: everything that takes hours, before a release.

What each part printed last stands in ``build/campaign.md``, with the day and the commit.
"""

import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TextIO

import click

from benchmarks.measuring import ROOT, machine

SUMMARY: Final = ROOT / "build" / "campaign.md"
LINES: Final = 25
"""What is kept of a part's output: its last lines, which say what was found."""

PARTS: Final[dict[str, Sequence[str]]] = {
    "tries": ("scripts/test.sh", "campaign"),  # document mutants, attacks, screens
    "mutants": (sys.executable, "-m", "tools.mutation"),
    "crashes": (sys.executable, "-m", "tests.crash"),
    "grids": (sys.executable, "-m", "tools.evidence"),
    "screenshots": (sys.executable, "-m", "tools.screenshots"),
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice([*PARTS]))
def main(parts: tuple[str, ...]) -> None:
    """Run all parts or those named, and sum them up. Exit code 1 if one failed."""
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True).strip()
    SUMMARY.parent.mkdir(exist_ok=True)
    with SUMMARY.open("w", encoding="utf-8") as summary:
        print(f"# Campaign of {datetime.now(UTC):%Y-%m-%d}, commit {commit}", file=summary)
        print(f"\n{machine()}", file=summary)
        failed = [part for part in parts or PARTS if not _passes(part, summary)]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def _passes(part: str, summary: TextIO) -> bool:
    """Run a part, show what it prints, and keep the end of it."""
    start = time.monotonic()
    last: deque[str] = deque(maxlen=LINES)
    with subprocess.Popen(
        PARTS[part], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            last.append(line)
    took = f"{(time.monotonic() - start) / 60:.0f} minutes"
    said = "passed" if running.returncode == 0 else f"failed with {running.returncode}"
    summary.write(f"\n## {part}: {said}, {took}\n\n```\n{''.join(last)}```\n")
    summary.flush()  # what is done stays known if the rest is stopped
    return running.returncode == 0


if __name__ == "__main__":
    main()
