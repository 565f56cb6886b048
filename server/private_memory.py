"""Memory of a server's process, which no other process of its user may read or keep.

It holds what came with requests: addresses, browsers, reports. A crash would write all of it to a
file, and any program of the same user could read it. So each process forbids both by itself, since
`serve` and `ask` run without a service manager, too. The superuser can still read it.
"""

import ctypes
import resource
import sys
from typing import Final

_SET_DUMPABLE: Final = 4
"""PR_SET_DUMPABLE of prctl(2). Forked processes inherit it, programs that are started do not."""


def keep_memory_private() -> None:
    """Let a crash of this process leave no file, and no process of its user read its memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
