"""Files are written whole or not at all."""

import os
import threading
from pathlib import Path
from typing import BinaryIO

import pytest

from deniable.cli.output import show, write, writing
from deniable.results.text import table


def test_a_failure_leaves_the_old_file_and_nothing_else(folder: Path) -> None:
    target = folder / "out.csv"
    target.write_text("old")
    target.chmod(0o640)
    before = sorted(folder.iterdir())

    def fill(file: BinaryIO) -> None:
        file.write(b"ne")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"), writing(str(target), force=True) as file:
        fill(file)
    assert target.read_text() == "old"
    assert sorted(folder.iterdir()) == before


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "real.csv").write_text("old")
    (folder / "link.csv").symlink_to("real.csv")
    write("link.csv", "new", force=True)
    assert (folder / "link.csv").is_symlink()
    assert (folder / "real.csv").read_text() == "new"


def test_a_named_pipe_is_written_to(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((folder / "pipe").read_text()))
    reader.start()
    write("pipe", "through")
    reader.join(timeout=10)
    assert got == ["through"]
    assert (folder / "pipe").is_fifo()


def test_nothing_that_is_printed_does_anything(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table("Of\x1b[2J others")
    rows.add_row("an\u202eanswer")
    show("-", "a title\x1b[8m", rows)
    said = capsys.readouterr().out
    assert not {"\x1b", "\u202e"} & set(said)
    assert said.count("\N{REPLACEMENT CHARACTER}") == 3
