"""The errors of a store, for both engines."""

import shlex
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FROM_LAST_BACKUP: Final = (
    "stop the server, keep the damaged store, and restore the last backup of it into a new one "
    "('deniable restore FILE STORE')"
)
"""What to do about damage if no new backup is possible."""

HOW_TO_MEND: Final = (
    "stop the server, keep the damaged store, and try 'deniable backup STORE FILE': what it writes "
    "has every report, and it refuses if one is damaged. Then take the last backup. "
    "'deniable restore FILE STORE' makes a new store of either"
)
"""What to do about damage."""


MOST_SECONDS: Final = 30
"""The most by which the clock of a server may differ from this machine's."""


class StoreError(Exception):
    """A store that cannot be used; the message says what was found and expected, and what to do."""


class StoreNotFound(StoreError):
    """There is no store at that address, and none should be made."""


class SurveyChanged(StoreError):
    """The current wording or revision is not the one that the publisher has seen."""


class StoreOutdated(StoreError):
    """The store has an older version than this program; 'deniable upgrade' changes that."""

    def __init__(self, name: str, found: int, expected: int) -> None:
        super().__init__(
            f"{name}: found a store of version {found}, expected version {expected}. Stop every "
            f"server that uses it, and run 'deniable upgrade --store {name}'"
        )


class KeyFileError(StoreError):
    """The file of private token keys is missing or faulty; for the operator."""


class StoreUnavailable(StoreError):
    """The store was opened but cannot be used now: locked, full, broken or out of reach.

    The data were not written, or at least may not be acknowledged. The message holds none of them,
    so that it may be logged.
    """


def other_version(name: object, found: int, expected: int) -> str:
    """Return the message that a store has another version than when it was opened."""
    return (
        f"{name}: found a store of version {found}, expected version {expected}: it was changed "
        "while this program ran; start the program again, in the release that changed it"
    )


def clock_apart(name: str, seconds: float) -> Iterator[str]:
    """Yield a fault if another clock is so many seconds ahead of this machine's, or behind."""
    if abs(seconds) > MOST_SECONDS:
        yield (
            f"{name}: its clock is {abs(seconds):.0f} seconds "
            f"{'ahead of' if seconds > 0 else 'behind'} this machine's, expected both to be set by "
            "time servers."
        )


def others_may_read(*files: Path) -> Iterator[str]:
    """Yield a sentence for each of these files whose mode lets others read it."""
    for file in files:
        if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
            yield f"{file}: others may read this file, expected its owner alone (chmod 600)."


def others_may_enter(folder: Path) -> str | None:
    """Say so if other accounts of this machine can reach a folder; None if it is closed to them.

    By the times of a store's files they would see when each report comes, to the moment.
    """
    here = folder.resolve()
    if not all(one.exists() and one.stat().st_mode & stat.S_IXOTH for one in (here, *here.parents)):
        return None
    close = f"chmod 700 {shlex.quote(str(here))}"
    return (
        f"{here}: other accounts of this machine may enter this folder, and see when each report "
        f"comes by the times of the store's files; close it ('{close}'), "
        "or put the store into a folder of its own"
    )
