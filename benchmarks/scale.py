"""``python -m benchmarks.scale``: time, memory and bytes by the number of reports.

Every step is a command in a process of its own, as for users. CPU seconds and memory are the
process's, as the system counts them.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from benchmarks.measuring import folder, machine
from deniable.results.text import console, table

REPORTS: Final = (100_000, 1_000_000, 10_000_000)
ITEMS: Final = 5
COLUMNS: Final = (
    *("Reports", "B/report", "Parquet", "simulate", "export", "tally", "estimate", "most, MB"),
)


@dataclass(frozen=True)
class Step:
    """The cost of a command."""

    cpu: float  # seconds
    megabytes: float  # at most, of memory


def survey_of(items: int) -> str:
    """Write the file of a survey with this number of items, of four answers each."""
    head = f"version: 1\nsurvey: many\ntitle: Many\nepsilon: {items}\nquestions:\n"
    return head + "".join(
        f"  - {{id: q{number}, text: Q, type: single, answers: [A, B, C, D]}}\n"
        for number in range(items)
    )


def run(*words: object) -> Step:
    """Run a `deniable` command, and measure its CPU time and memory."""
    process = subprocess.Popen(
        [sys.executable, "-m", "deniable.cli.main", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return Step(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def measure(place: Path, reports: int) -> list[str]:
    """Run all steps on simulated reports; return a row of the table."""
    survey, store, lake = place / "many.yaml", place / "many.db", place / "lake"
    survey.write_text(survey_of(ITEMS))
    steps = [
        run("simulate", survey, "-n", reports, "--store", store, "--seed", 1),
        run("export", "--store", store, "--parquet", lake),
        run("tally", store, "-o", place / "tally.json"),
        run("estimate", "--tally", place / "tally.json"),
    ]
    exported = sum(one.stat().st_size for one in lake.rglob("*.parquet"))
    return [
        f"{reports:,}",
        f"{store.stat().st_size / reports:.1f}",
        f"{exported / reports:.2f}",
        *(f"{step.cpu:.1f}" for step in steps),
        f"{max(step.megabytes for step in steps):.0f}",
    ]


@click.command()
@click.option("-n", "most", default=REPORTS[-1], show_default=True, help="Reports at most.")
def main(most: int) -> None:
    """Measure how each part grows."""
    rows = table(*COLUMNS, numbers=COLUMNS)
    for reports in REPORTS:
        if reports <= most:
            with folder() as place:
                rows.add_row(*measure(place, reports))
    out = console(sys.stdout)
    out.print("B/report: bytes of a report in a SQLite store; Parquet: in the export.")
    out.print("simulate to estimate: CPU seconds of the command.\n")
    out.print(rows)
    out.print()
    out.print(machine())


if __name__ == "__main__":
    main()
