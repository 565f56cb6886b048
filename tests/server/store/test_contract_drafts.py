"""What every store promises of the surveys that people write, whichever engine it has."""

from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server.store import Draft, Store
from deniable.server.store.accounts import Role
from deniable.survey import Survey
from tests.server.store.engines import Engine

pytestmark = pytest.mark.promise("stores")

TYPED = "title: « not yet: a survey\n  - \U0001f600"


def test_a_draft_is_kept_as_it_was_typed(store: Store) -> None:
    draft = Draft("d", TYPED)
    store.keep_draft(draft)
    assert store.draft("d") == draft
    changed = replace(draft, text="", survey="doping")
    store.keep_draft(changed)
    assert store.drafts() == [store.draft("d")] == [changed]
    for use in (store.draft, store.remove_draft):
        with pytest.raises(KeyError):
            use("e")


def test_drafts_are_somebody_s(store: Store) -> None:
    store.keep_draft(Draft("b", "nobody's"))
    with pytest.raises(KeyError):
        store.keep_draft(Draft("c", "", "olu"))
    # The first account takes over what was nobody's.
    store.add_user("ada", Role.ADMINISTRATOR)
    store.add_user("olu", Role.OWNER)
    with pytest.raises(KeyError):
        store.keep_draft(Draft("c", "nobody's again"))
    store.keep_draft(Draft("a", "olu's", "olu"))
    assert [one.id for one in store.drafts()] == ["a", "b"]
    assert [one.text for one in store.drafts("ada")] == ["nobody's"]
    assert [one.text for one in store.drafts("olu")] == ["olu's"]
    # With an account its drafts are gone.
    store.remove_user("olu")
    assert [one.id for one in store.drafts()] == ["b"]


@pytest.mark.promise("drafts")
def test_removed_drafts_leave_the_disk(store: Store, engine: Engine, tmp_path: Path) -> None:
    mark = "a thought that nobody was to see "
    for number in range(3):  # some longer than a page, which lie elsewhere
        store.keep_draft(Draft(f"d{number}", mark * (1 + 500 * number)))
    store.keep_draft(Draft("stays", "this stays"))
    assert mark.encode() in engine.image(tmp_path)
    for number in range(3):
        store.remove_draft(f"d{number}")
    image = engine.image(tmp_path)
    assert mark.encode() not in image
    assert b"this stays" in image


def test_a_revision_keeps_its_file(store: Store, survey: Survey) -> None:
    assert store.source("doping", survey.revision) == ""
    for text, then in (("# first", "# first"), ("", "# first"), (TYPED, TYPED)):
        store.register(survey, text)
        assert store.source("doping", survey.revision) == then
    changed = replace(survey, title="Doping, asked again")
    store.register(changed)
    assert store.source("doping", changed.revision) == ""
    store.register(survey)
    assert store.source("doping", survey.revision) == TYPED
    for slug, revision in (("doping", "none"), ("none", survey.revision)):
        with pytest.raises(KeyError):
            store.source(slug, revision)
