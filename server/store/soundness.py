"""What is damaged is named, and never counted in silence."""

from __future__ import annotations

from typing import Final

from deniable.server.store.errors import HOW_TO_MEND, StoreError
from deniable.server.store.store import Store

AT_START: Final = 2.0
"""Seconds to look for damage before a server starts, or reports are counted: enough for about a
million of them."""


def make_sure(store: Store, *, seconds: float | None = None) -> None:
    """Check that a store is not damaged; parameters as in `Store.check`."""
    faults = store.check(seconds=seconds)
    if faults:
        raise StoreError(f"{'; '.join(faults)}. What to do: {HOW_TO_MEND}")
