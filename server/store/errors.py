"""What can be wrong with a store, whichever engine it has."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FROM_LAST_BACKUP: Final = (
    "stop the server, keep the damaged store, and restore the last backup of it into a new one "
    "('deniable restore FILE STORE')"
)
"""What to do about damage where there can be no new backup."""

HOW_TO_MEND: Final = (
    "stop the server, keep the damaged store, and try 'deniable backup STORE FILE': what it writes "
    "has every report, and it refuses if one is damaged. Then take the last backup. "
    "'deniable restore FILE STORE' makes a new store of either"
)
"""What to do about damage."""


class StoreError(Exception):
    """A store that cannot be used; says what was found, what was expected and what to do."""


class StoreNotFound(StoreError):
    """There is no store at that address, and none was to be made."""


class SurveyChanged(StoreError):
    """Another wording or revision is current than whoever publishes has seen."""


class StoreOutdated(StoreError):
    """The store is of an older version than this program's, which 'deniable upgrade' changes."""

    def __init__(self, name: str, found: int, expected: int) -> None:
        super().__init__(
            f"{name}: found a store of version {found}, expected version {expected}. Stop every "
            f"server that uses it, and run 'deniable upgrade --store {name}'"
        )


class KeyFileError(StoreError):
    """The private keys of tokens are not there, or not as they have to be; for the operator."""


class StoreUnavailable(StoreError):
    """The store was opened, but cannot do now what is asked: locked, full, broken or out of reach.

    What was to be written is not there, or at least may not be acknowledged. The message holds
    nothing of what was to be written, so that it may stand in a log.
    """


def other_version(name: object, found: int, expected: int) -> str:
    """Say that a store is of another version than when it was opened."""
    return (
        f"{name}: found a store of version {found}, expected version {expected}: it was changed "
        "while this program ran; start the program again, in the release that changed it"
    )


def others_may_read(*files: Path) -> Iterator[str]:
    """Say of which of these files the mode lets others read them."""
    for file in files:
        if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
            yield f"{file}: others may read this file, expected its owner alone (chmod 600)."
