"""``python -m benchmarks.starting``: the processor time that a server takes until it is ready."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from benchmarks.measuring import ROOT, RUNS, folder, markdown, spread
from benchmarks.servers import children, command, cpu, sign_in, tree

SURVEY: Final = ROOT / "examples" / "doping.yaml"

PARENT: Final = "`deniable serve` itself: reads the surveys, starts the others"
PROGRAMS: Final = {
    "deniable.server.respondents_program": "the respondents' program",
    "deniable.server.desk_program": "the desk",
}

_LAST: Final = "Ctrl-C stops the server; what was received stays.\n"


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
    words = ["-m", "deniable.cli.main", "serve", str(SURVEY), "--store", str(store), "--port", "0"]
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        printed = "".join(iter(process.stdout.readline, _LAST))
        started = {
            name: pid
            for pid in children(process.pid)
            for module, name in PROGRAMS.items()
            if module in command(pid)
        }
        ready = {PARENT: cpu([process.pid])} | {
            name: cpu(tree(pid)) for name, pid in started.items()
        }
        ready["all together"] = sum(ready.values())
        (link,) = re.findall(r"http://\S+/desk/sign-in/\S+", printed)[:1]
        desk = sign_in(link)
        for path in ("/desk/surveys/doping", "/desk/surveys/doping/figures/doped.svg"):
            desk.open(link.partition("/desk")[0] + path, timeout=60).read()
        looked = "the desk, after it has shown its first page of results"
        return {**ready, looked: cpu(tree(started["the desk"]))}
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        process.stdout.close()


if __name__ == "__main__":
    heads = ["process", "seconds of CPU (median of five, least to most)"]
    print(*markdown(heads, ([name, spread(times)] for name, times in run().items()), 2), sep="\n")
