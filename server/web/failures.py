"""Logging what went wrong, without logging anybody.

The adversary reads logs. An error's message may hold a value that a client sent, and Flask's own
log line names the address that was asked for; so a failure is logged as the lines of code it passed
through and the kind of error, and nothing else.
"""

from __future__ import annotations

import logging
import traceback

_log = logging.getLogger(__name__)


def log_failure(error: BaseException) -> None:
    """Log where in the code an error arose, without its message."""
    places = (
        f"  {frame.filename}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    )
    _log.error("a request failed: %s, at\n%s", type(error).__name__, "\n".join(places))
