"""Check that a store file's place keeps the promises that SQLite cannot."""

import re
import shutil
import stat
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from deniable.server.store.durable import sync
from deniable.server.store.errors import others_may_enter, others_may_read

LEAST_FREE: Final = 10**9
"""Free bytes that the disk must have; or twice the store, if more, because it is rewritten."""

_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
_OVER_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs"}
    | {"smbfs", "afpfs", "webdav"}  # as macOS calls them
)
_NO_BARRIER: Final = frozenset({"nobarrier", "barrier=0"})

_MOUNTS: Final = Path("/proc/self/mounts")
_MOUNT: Final = "/sbin/mount"
_TOLD: Final = re.compile(r".+ on (/.*) \((\w+)(?:, )?(.*)\)")
"""A line of macOS's `mount`: ``//host/share on /Volumes/share (smbfs, nodev, nosuid)``."""

_TOO_FAST: Final = 10e-6
"""Seconds that fsync takes at least on a real disk."""


def faults(path: Path) -> Iterator[str]:
    """Yield a sentence for each fault of a store's place."""
    yield from _permission_faults(path)
    yield from _mount_faults(path)
    yield from _fsync_faults(path.parent)
    free, needed = shutil.disk_usage(path.parent).free, max(LEAST_FREE, 2 * path.stat().st_size)
    if free < needed:
        yield (
            f"{path.parent}: {free / 1e9:.1f} GB are free on this disk, expected at least "
            f"{needed / 1e9:.1f} GB."
        )


def _permission_faults(path: Path) -> Iterator[str]:
    yield from others_may_read(path, Path(f"{path}-wal"), Path(f"{path}-shm"))
    mode = stat.S_IMODE(path.parent.stat().st_mode)
    if mode & 0o022 and not mode & stat.S_ISVTX:
        yield (
            f"{path.parent}: others may write this folder and so replace the store, expected its "
            "owner alone (chmod go-w)."
        )
    if told := others_may_enter(path.parent):
        yield f"{told}."


def _mount_faults(path: Path) -> Iterator[str]:
    kind, options = _mount_of(path.resolve().parent)
    if kind in _IN_MEMORY:
        yield f"{path}: lies in memory ({kind}), where a restart loses all; expected a disk."
    if kind in _OVER_NETWORK:
        yield (
            f"{path}: lies on a network file system ({kind}), where SQLite's locks do not hold; "
            "expected a disk of this machine, or PostgreSQL."
        )
    if options & _NO_BARRIER:
        yield (
            f"{path}: its file system is mounted without barriers, so that a power cut loses what "
            "was acknowledged; expected barriers."
        )


def is_over_network(path: Path) -> bool:
    """Return whether a file is on a network file system, as far as the system says."""
    return _mount_of(path.resolve().parent)[0] in _OVER_NETWORK


def _mount_of(folder: Path) -> tuple[str, frozenset[str]]:
    """Return the kind and options of a folder's file system; empty if unknown."""
    found: tuple[str, frozenset[str]] = ("", frozenset())
    longest = -1
    for place, kind, options in _mounts():
        # Of several at one place, the last covers the others.
        if folder.is_relative_to(place) and len(place) >= longest:
            longest, found = len(place), (kind, frozenset(options))
    return found


def _mounts() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the place, kind and options of each file system."""
    try:
        lines = _MOUNTS.read_text().splitlines()
    except FileNotFoundError:
        with suppress(OSError):
            told = subprocess.run([_MOUNT], capture_output=True, text=True, check=False).stdout  # noqa: S603  nothing that somebody typed
            for place, kind, options in _TOLD.findall(told):
                yield place, kind, options.split(", ")
        return
    for line in lines:
        _, place, kind, options, *_ = line.split()
        yield place.replace("\\040", " "), kind, options.split(",")


def _fsync_faults(folder: Path) -> Iterator[str]:
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            times = []
            for _ in range(15):
                file.write(bytes(4096))
                start = time.perf_counter()
                sync(file.fileno())
                times.append(time.perf_counter() - start)
    except OSError as error:
        yield f"{folder}: cannot be written durably ({error.strerror})."
        return
    if statistics.median(times) < _TOO_FAST:
        yield (
            f"{folder}: fsync returns within {statistics.median(times) * 1e6:.1f} µs, so it asks "
            "no disk; expected one that waits until reports are on it."
        )
