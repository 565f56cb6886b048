"""Writing that a power cut does not undo."""

import os
import sys


def sync(descriptor: int) -> None:
    """Wait until what was written to a file is on the disk."""
    # On macOS fsync leaves it in the cache of the disk.
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415  Windows has none, and imports this module

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:  # a file system that knows only fsync
            pass
        else:
            return
    os.fsync(descriptor)
