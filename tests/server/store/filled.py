"""A store with something of most that one can hold."""

from deniable.server.store import State, Store
from deniable.server.store.accounts import Role, Session
from deniable.survey_file import read
from tests.kit import PANEL_TEXT, of_wave, report, surveys

SURVEY = surveys.survey(batch=10)
CHANGED = surveys.survey(title="Doping, asked again", batch=10)
PANEL = read(PANEL_TEXT).survey
KNOWN = report(SURVEY, b"\1")

COUNTS = {"doping": 40, "panel": 7}
"""How many reports there are of each survey."""


LEFT = "age:18-39+40-80"
"""Which columns of a survey left in a file."""


def fill(store: Store) -> None:
    """Put all of that into an empty store."""
    for survey in (SURVEY, CHANGED, PANEL):
        store.register(survey)
    store.insert_reports([KNOWN, *(report(SURVEY, bytes([number % 2])) for number in range(34))])
    store.insert_reports([report(CHANGED) for _ in range(5)])
    store.insert_reports([of_wave(PANEL, 1) for _ in range(3)])
    store.begin_wave("panel", 2)
    store.insert_reports([of_wave(PANEL, 2) for _ in range(4)])
    store.set_state("panel", State.CLOSED)
    assert store.keep_left("panel", LEFT, 10, "")
    store.add_user("ann", Role.ADMINISTRATOR, "a hash")
    store.add_user("Ümit 東", Role.OWNER)
    store.share("doping", "Ümit 東", Role.ANALYST)
    store.begin_session(Session(b"t", "ann", "Firefox", since=1, ends=9))
    store.add_sign_in(b"h", expires=9, now=1, user="ann")
