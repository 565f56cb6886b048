"""The upgrade of an older store to this version: exclusively, and after a backup that is kept.

A migration may change names that a running server of an older release needs: the server would
refuse respondents' reports for good. So only this function migrates a store, and only while nobody
else has it open.
"""

from pathlib import Path

from deniable.server.store.backups import keep
from deniable.server.store.errors import HOW_TO_MEND, StoreError
from deniable.server.store.opening import age_of, alone
from deniable.server.store.sql.database import Busy
from deniable.server.store.sql.reading import count_anew


def upgrade(url: str) -> Path | None:
    """Bring a store to this program's version, completely or not at all; return its backup."""
    age = age_of(url)
    if age.found == age.expected:
        return None
    try:
        with alone(url) as store:
            if store.version == age.expected:
                return None  # another process was faster
            kept = _unused(store.place, store.version)
            keep(store, kept)
            try:
                store.migrate()
                _, faults = count_anew(store.db)
                if faults:
                    raise StoreError(
                        f"{store.name}: {'; '.join(faults)}. Nothing was changed. What to do: "
                        f"{HOW_TO_MEND}"
                    )
            except BaseException:
                kept.unlink()  # the store has not changed
                raise
    except Busy:
        raise StoreError(
            f"{age.name}: another program has this store open, of version {age.found}. Stop the "
            "server ('deniable serve') and every other program that uses it, and try again: what "
            "an older server takes from a newer store would be lost"
        ) from None
    return kept


def _unused(place: Path, version: int) -> Path:
    """Return a free path for a backup of this version."""
    path, number = Path(f"{place}.v{version}.backup"), 1
    while path.exists():
        number += 1
        path = Path(f"{place}.v{version}-{number}.backup")
    return path
