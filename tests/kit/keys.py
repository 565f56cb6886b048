"""Keys of tokens that were drawn once, since drawing takes a while, and tokens by them."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from deniable.crypto.blind import PrivateKey, blind, mark_of, unblind
from deniable.report import Report
from deniable.server.store import Store
from deniable.server.store.keys import KeyFile

_FILE = Path(__file__).parents[1] / "vectors" / "blind-keys.json"

KEYS = [
    PrivateKey(int(entry["p"], 16), int(entry["q"], 16))
    for entry in map(json.loads, _FILE.read_text().splitlines())
]
PUBLIC = [key.public for key in KEYS]
MARKS = [mark_of(key) for key in PUBLIC]


class DrawnBefore(KeyFile):
    """A key file whose keys need not be drawn."""

    def __init__(self, path: Path) -> None:
        path.write_text(_FILE.read_text())
        path.chmod(0o600)
        super().__init__(path)

    def make(self, number: int) -> tuple[str, ...]:
        return tuple(PUBLIC[:number])


def by_invitation(store: Store, slug: str, codes: Sequence[str]) -> None:
    """Invite to a survey with keys that were drawn before."""
    waves = store.survey(slug).waves
    store.invite(slug, codes, PUBLIC[:waves])


def token(report: Report, key: PrivateKey = KEYS[0]) -> str:
    """Make a token for a report, as whoever has the key can."""
    hidden = blind(key.public, report.id)
    return unblind(key.public, hidden, key.sign(hidden.blinded)).hex()


def draw_no_keys(patch: pytest.MonkeyPatch) -> None:
    """Let invitations use those keys, in turn, in place of new ones."""
    drawn = itertools.cycle(KEYS)
    patch.setattr("deniable.server.store.keys.new_key", lambda: next(drawn))
