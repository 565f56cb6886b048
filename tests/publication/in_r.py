"""R, which runs the program of the zip."""

import subprocess
from pathlib import Path
from typing import Final

from deniable import publication
from tests.kit import needs

PROGRAM: Final = Path(publication.__file__).with_name("reproduce.R")


def run(*arguments: object, cwd: str | None = None) -> subprocess.CompletedProcess[str]:
    rscript = needs.program("Rscript", "sudo apt-get install r-base-core")
    return subprocess.run(
        [rscript, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        timeout=300,
    )


def evaluated(program: str) -> list[float]:
    """Source the program of the zip, run some lines after it, and return the numbers they print."""
    ended = run("-e", f'options(digits = 15); source("{PROGRAM}")\n{program}')
    assert ended.returncode == 0, ended.stderr
    said = ended.stdout.replace("TRUE", "1").replace("FALSE", "0").split()
    return [*map(float, said)]
