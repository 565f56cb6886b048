"""Writes that survive a power cut."""

import os
import sys


def sync(descriptor: int) -> None:
    """Wait until all writes to a file are on the disk."""
    # On macOS fsync leaves data in the disk's cache.
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415  Windows has none, and imports this module

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:  # a file system that has only fsync
            pass
        else:
            return
    os.fsync(descriptor)
