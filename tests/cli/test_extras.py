"""A missing extra is named by every command that needs it, with what to type."""

import sys
from pathlib import Path

import pytest

from deniable.extras import NEEDS, how_to_get
from tests.cli.conftest import Run

ZIP = "export doping.yaml --reports noise.csv --zip paper.zip --force"
PARQUET = "export doping --store s.db --parquet lake"

NEEDING = [
    ("parquet", "pyarrow", ZIP, 0),
    ("parquet", "pyarrow", "analyse data.parquet --column x --design truth_or_random", 1),
    ("parquet", "pyarrow", PARQUET, 1),
    ("postgres", "psycopg", "estimate doping --store postgresql://localhost/none", 1),
]


@pytest.mark.parametrize(("extra", "package", "command", "exits"), NEEDING)
def test_a_command_without_its_extra_says_what_to_type(
    run: Run, monkeypatch: pytest.MonkeyPatch, extra: str, package: str, command: str, exits: int
) -> None:
    run("simulate", "doping.yaml", "-n", 20, "-o", "noise.csv")
    run("simulate", "doping.yaml", "-n", 20, "--store", "s.db")
    Path("data.parquet").touch()
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    if extra == "postgres":  # what is loaded already was imported with it
        monkeypatch.setitem(sys.modules, "deniable.server.store.postgres.engine", None)
    said = run(*command.split(), exits=exits).stderr
    assert f"install the extra {extra}: {how_to_get(extra)}" in said
    assert sum(f"the extra {one}:" in said for one in NEEDS) <= 2, "none that is there"
