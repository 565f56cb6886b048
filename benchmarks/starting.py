"""``python -m benchmarks.starting``: the processor time that a server takes until it is ready.

What it prints is quoted in ``docs/speed.md``. The user and system time of every process of
``deniable serve`` is read when the server says that it is ready, and those of the desk once more
after somebody has signed in and looked at a page of results. Linux only: it reads ``/proc``.
"""

from __future__ import annotations

import os
import re
import signal
import statistics
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.measuring import ROOT, RUNS, folder

SURVEY: Final = ROOT / "examples" / "doping.yaml"

PARENT: Final = "`deniable serve` itself: reads the surveys, starts the others"
PROGRAMS: Final = {
    "deniable.server.respondents_program": "the respondents' program",
    "deniable.server.desk_program": "the desk",
}
LOOKED_AT: Final = "the desk, once its first page of results is shown"


def run() -> dict[str, list[float]]:
    """Start a server several times, on a store that exists, and return seconds by process."""
    times: dict[str, list[float]] = {}
    with folder() as path:
        for warm in (True, *[False] * RUNS):
            for name, seconds in _once(path / "store.db").items():
                if not warm:
                    times.setdefault(name, []).append(seconds)
    return times


def _once(store: Path) -> dict[str, float]:
    command = ["-m", "deniable.cli.main", "serve", str(SURVEY), "--store", str(store)]
    process = subprocess.Popen(
        [sys.executable, *command, "--port", "0"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        printed = "".join(iter(process.stdout.readline, _LAST))
        ready = {PARENT: _cpu(process.pid)} | {
            name: sum(map(_cpu, _tree(pid)))
            for pid in _children(process.pid)
            for module, name in PROGRAMS.items()
            if module in _command(pid)
        }
        ready["all together"] = sum(ready.values())
        _look(*re.findall(r"(http://\S+)/desk/sign-in/(\S+)", printed)[0])
        (desk,) = [pid for pid in _children(process.pid) if "desk_program" in _command(pid)]
        return {**ready, LOOKED_AT: sum(map(_cpu, _tree(desk)))}
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        process.stdout.close()


_LAST: Final = "Ctrl-C stops the server; what was received stays.\n"


def _look(origin: str, token: str) -> None:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    link = f"{origin}/desk/sign-in/{token}"
    with opener.open(link, timeout=60) as page:
        (form_token,) = re.findall(r'name="csrf_token" value="([^"]+)"', page.read().decode())
    button = urllib.request.Request(link, f"csrf_token={form_token}".encode(), {"Origin": origin})
    opener.open(button, timeout=60).close()
    for path in ("/desk/surveys/doping", "/desk/surveys/doping/figures/doped.svg"):
        with opener.open(origin + path, timeout=60) as page:
            page.read()


def _children(parent: int) -> list[int]:
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def _tree(process: int) -> Iterator[int]:
    yield process
    for child in _children(process):
        yield from _tree(child)


def _command(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8")


def _cpu(process: int) -> float:
    """Return the user and system time of a process until now, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the table."""
    print("| process | seconds of CPU (median of five, least to most) |")
    print("|---|---|")
    for name, times in run().items():
        middle, least, most = statistics.median(times), min(times), max(times)
        print(f"| {name} | {middle:.2f} ({least:.2f} to {most:.2f}) |")


if __name__ == "__main__":
    main()
