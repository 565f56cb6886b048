"""A shim between a program and its disk and clock, compiled where a C compiler is there."""

import mmap
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from enum import IntEnum
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")

_NUMBERS = struct.Struct("=qqq")


class Mode(IntEnum):
    """How the disk behaves, as in the C file."""

    WELL = 0
    STALLED = 1
    FULL = 2
    READ_ONLY = 3


class Harm:
    """What the programs that were started with `environment` suffer."""

    def __init__(self, folder: Path) -> None:
        library, control = folder / "shim.so", folder / "control"
        compiler = shutil.which("cc") or "cc"
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True
        )
        control.write_bytes(bytes(_NUMBERS.size))
        control.chmod(0o666)  # the database runs as another user
        with control.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _NUMBERS.size)
        self.environment: Mapping[str, str] = {
            "LD_PRELOAD": str(library),
            "DENIABLE_HARM": str(control),
        }

    @property
    def syncs(self) -> int:
        return int(_NUMBERS.unpack(self._shared)[2])

    def disk(self, mode: Mode) -> AbstractContextManager[None]:
        """Let the disk behave so."""
        return self._written(0, mode)

    def clock(self, seconds: int) -> AbstractContextManager[None]:
        """Let the clock be wrong by so many seconds."""
        return self._written(1, seconds)

    @contextmanager
    def _written(self, place: int, number: int) -> Iterator[None]:
        """Write one of the shared numbers for a while, which is 0 where all is well."""
        struct.pack_into("=q", self._shared, 8 * place, number)
        try:
            yield
        finally:
            struct.pack_into("=q", self._shared, 8 * place, 0)


def can_be_compiled() -> bool:
    return shutil.which("cc") is not None
