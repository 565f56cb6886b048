"""Log errors without data of a request.

The adversary reads logs. An error's message may hold a value that a client sent, and Flask's own
log line names the request's address; so a failure is logged as the lines of code that it passed
through and the kind of error, and nothing else.
"""

import logging
import os
import traceback
from typing import Final

_JOURNAL: Final = {logging.ERROR: "<3>", logging.WARNING: "<4>", logging.INFO: "<6>"}
"""Line prefixes that systemd's journal reads as the priority (sd-daemon(3))."""

_log = logging.getLogger(__name__)


def log_failure(error: BaseException) -> None:
    """Log where in the code an error arose, without its message."""
    places = (
        f"  {frame.filename}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    )
    _log.error("a request failed: %s, at\n%s", type(error).__name__, "\n".join(places))


def log_with_levels() -> None:
    """Begin each line of a program's log with its level."""
    if "JOURNAL_STREAM" in os.environ:
        for level, name in _JOURNAL.items():
            logging.addLevelName(level, name)
    logging.basicConfig(format="%(levelname)s %(message)s")
    logging.getLogger("deniable").setLevel(logging.INFO)
