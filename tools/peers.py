"""The peers (other packages) in an environment of their own, and a process there that runs them."""

import json
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.measuring import ROOT

FOLDER: Final = ROOT / ".venv-peers"

_COMMON: Final = ("numpy==2.4.6", "scipy==1.17.1")

PACKAGES: Final = {
    "multi-freq": ("multi-freq-ldpy==0.2.5", "numba==0.68.1", "xxhash==3.8.2"),
    # It imports statsmodels and bitarray without requiring them.
    "pure-ldp": (
        "pure-ldp==1.2.0",
        "statsmodels==0.15.0",
        "bitarray==3.12.3",
        "numba==0.68.1",
        "xxhash==3.8.2",
    ),
    # Its newest version does not work with scikit-learn from 1.6 on.
    "diffprivlib": ("diffprivlib==0.6.5", "scikit-learn==1.5.2"),
    "OpenDP": ("opendp==0.16.0",),
    # No benchmark: the slow tests open an export in it.
    "Datasette": ("datasette==0.65.5",),
}
"""Each peer's packages, in versions that work together, by the first word of its methods' names."""


def install(*peers: str) -> dict[str, str]:
    """Install the named peers, or all; return why a peer could not be installed, by its name."""
    wanted = peers or tuple(PACKAGES)
    if not _python().exists():
        try:
            venv.create(FOLDER, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            return dict.fromkeys(wanted, f"its environment cannot be made: {error}")
    # Keeps tools that read the tree out of the folder, whatever the project's own settings say.
    (FOLDER / ".gitignore").write_text("*\n")
    reasons = {peer: _install(PACKAGES[peer]) for peer in wanted}
    return {peer: reason for peer, reason in reasons.items() if reason}


def _install(packages: tuple[str, ...]) -> str:
    """Install packages; return pip's error, or an empty text."""
    pip = [str(_python()), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    done = subprocess.run(
        [*pip, "install", *_COMMON, *packages], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return errors[-1] if errors else f"pip ended with {done.returncode}"


@contextmanager
def running() -> Iterator[Callable[..., dict[str, Any]]]:
    """Yield a function that asks a process in the peers' environment, which ends with the block."""
    worker = ROOT / "benchmarks" / "peers_worker.py"
    # -P keeps the worker's folder, whose modules are not the peers', out of its path.
    with subprocess.Popen(
        [str(_python()), "-P", str(worker)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        asking, answering = process.stdin, process.stdout
        assert asking is not None
        assert answering is not None

        def ask(**question: Any) -> dict[str, Any]:
            asking.write(json.dumps(question) + "\n")
            asking.flush()
            said: dict[str, Any] = json.loads(answering.readline() or '{"error": "it has ended"}')
            if "error" in said:
                raise RuntimeError(said["error"])
            return said

        try:
            yield ask
        finally:
            asking.close()


def _python() -> Path:
    return FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


if __name__ == "__main__":
    for name, reason in install(*sys.argv[1:]).items():
        print(f"Going on without {name}: {reason}", file=sys.stderr)
