"""Freeze a report that waits on a device, with the survey as the store has it.

An upgrade must take it: it is what a phone of a panel holds for months. From the first release on
``waiting.json`` is never written again; a later release adds a file of its own. Until then, run
``python -m tests.vectors.waiting`` after a change of the wire.
"""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

from deniable.survey import Survey
from tests import vectors
from tests.kit import needs

FILE: Final = Path(__file__).parent / "waiting.json"

_ROOT: Final = Path(__file__).parents[2]

_DEVICE: Final = """
import { storageOf, visit } from "./tests/client/browser/device.js";
import { survey } from "./tests/client/browser/vectors.js";
const storage = storageOf();
const report = visit(storage, survey.document, {
  truths: survey.truths, words: Uint32Array.from(survey.words), outcome: "unreachable",
});
console.log(JSON.stringify({ storage: { ...storage }, body: JSON.stringify(report) }));
"""


def read() -> dict[str, Any]:
    """Read what was frozen: the rows of the store, storage and report of the device."""
    frozen: dict[str, Any] = json.loads(FILE.read_text())
    return frozen


def make() -> None:
    survey = Survey.from_json(vectors.survey()["written"].encode())
    device = subprocess.run(
        [needs.program("node", "make install"), "--input-type=module", "-e", _DEVICE],
        cwd=_ROOT,
        capture_output=True,
        check=True,
    )
    kept = {
        "slug": survey.slug,
        "revision": survey.revision,
        "state": "open",
        "check_number": survey.check_number,
    }
    revision = {
        "number": 1,
        "revision": survey.revision,
        "survey": survey.slug,
        "document": survey.to_json().decode(),
        "waves": 0,
        "batch": survey.batch,
    }
    sums = {"revision": 1, "reports": 0, "tallies": 0}
    rows = {"surveys": kept, "revisions": revision, "checksums": sums}
    frozen = {"rows": rows, **json.loads(device.stdout)}
    FILE.write_text(json.dumps(frozen, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    make()
