"""What every store promises of what the desk keeps: drafts and meetings."""

from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server.store import Draft, Outcome, Store, StoreError
from deniable.server.store.accounts import NOBODY, Role
from deniable.server.store.meetings import MOST_JOINED, Meeting, Played, is_join_code, new_join_code
from deniable.survey import Survey
from deniable.survey.meeting import asked_directly, in_meeting, played
from tests.kit import report, surveys
from tests.server.store.engines import Engine

TYPED = "title: « not yet: a survey\n  - \U0001f600"


@pytest.mark.promise("stores")
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


@pytest.mark.promise("stores")
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


@pytest.mark.promise("stores")
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


@pytest.mark.promise("stores")
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


MEETING = Meeting("a", "K7M4RX", 1000, (Played(), Played(run=2, drawn=4)))


def question(meeting: Meeting, *, direct: bool = False) -> Survey:
    """Return the question that a meeting is at."""
    survey = surveys.survey()
    asked = in_meeting(played(survey, survey.questions[0]), meeting.question())
    return asked_directly(asked, 10) if direct else asked


def test_a_meeting_is_kept_as_it_stands(store: Store) -> None:
    store.keep_meeting(MEETING)
    assert store.meeting("a") == store.meeting_of_code("K7M4RX") == MEETING
    later = replace(MEETING, place=1, step="x", language="de", ends=7).changed(
        chosen=3, stopped=True
    )
    store.keep_meeting(later)
    assert store.meetings() == [later]
    assert later.playing == Played(run=2, stopped=True, drawn=4, chosen=3)
    for ask in (store.meeting, store.meeting_of_code, store.remove_meeting):
        with pytest.raises(KeyError):
            ask("\0nothing")


def test_phones_are_counted_and_nothing_kept(store: Store) -> None:
    store.keep_meeting(MEETING)
    for _ in range(2):
        store.count_in("K7M4RX", 15)
    store.count_in("NNNNNN", 1)
    store.show_on_phones("a", "{}")
    store.keep_meeting(replace(MEETING, step="x"))  # the desk writes another part of it
    assert store.meeting("a") == replace(MEETING, step="x", joined=30, shown="{}")
    for phones in (MOST_JOINED - 31, 10**9, 1):  # whoever has the code can say so again and again
        store.count_in("K7M4RX", phones)
        assert store.meeting("a").joined == MOST_JOINED - (phones == MOST_JOINED - 31)


def test_a_code_leads_to_one_meeting(store: Store) -> None:
    store.keep_meeting(MEETING)
    with pytest.raises(ValueError, match="another meeting"):
        store.keep_meeting(replace(MEETING, id="b"))
    assert all(is_join_code(new_join_code()) for _ in range(20))
    assert not any(map(is_join_code, ("", "K7M4R", "K7M4RO", "k7m4rx", "K7M4RX1")))


def test_meetings_are_somebody_s(store: Store) -> None:
    store.keep_meeting(MEETING)
    store.add_user("ada", Role.ADMINISTRATOR)
    store.add_user("olu", Role.OWNER)
    with pytest.raises(KeyError):
        store.keep_meeting(replace(MEETING, owner="eve"))
    store.keep_meeting(replace(MEETING, id="b", code="CCCCCC", owner="olu"))
    assert [[one.id for one in store.meetings(who)] for who in ("ada", "olu")] == [["a"], ["b"]]
    store.remove_user("olu")
    assert store.meeting("b").owner == NOBODY


@pytest.mark.promise("meeting-ends")
def test_with_a_meeting_all_its_questions_go(store: Store, engine: Engine, tmp_path: Path) -> None:
    mark = "a meeting that nobody may find "
    first = replace(MEETING, code="K7M4RX", language=mark)
    second = replace(MEETING, id="b", code="K7M4RR")
    for meeting in (first, second):
        store.keep_meeting(meeting)
        for direct in (False, True):
            asked = question(meeting, direct=direct)
            store.register(asked)
            assert store.insert_reports([report(asked)]) == [Outcome.STORED]
    # Each noisy report is seen as it comes; those that are sent as they are, ten at least.
    assert store.snapshot(first.slug()).count() == 1
    assert store.snapshot(first.slug("direct")).count() == 0
    assert mark.encode() in engine.image(tmp_path)
    assert store.remove_meeting("a")
    assert [one.survey.slug for one in store.surveys()] == [
        "doping",
        second.slug(),
        second.slug("direct"),
    ]
    assert store.meetings() == [second]
    image = engine.image(tmp_path)
    assert mark.encode() not in image
    assert first.slug().encode() not in image


def test_surveys_and_meetings_keep_their_places(store: Store, survey: Survey) -> None:
    asked = question(MEETING)
    store.register(asked)
    assert (store.survey(asked.slug).kind, store.survey(survey.slug).kind) == ("meeting", "survey")
    plain, other = replace(asked, parent=None), replace(asked, parent="doping")
    for one in (plain, other, replace(asked, slug=survey.slug)):
        with pytest.raises(StoreError, match="something else than this"):
            store.register(one)
    # Its name alone makes it nobody's trial and no meeting's: they leave it where it is.
    named = [replace(survey, slug=slug) for slug in ("trial-doping", "meeting-k7m4rx-1-1")]
    for one in named:
        store.register(one)
    store.keep_meeting(MEETING)
    store.remove_meeting(MEETING.id)
    store.delete(survey.slug)
    assert {one.survey.slug for one in store.surveys()} == {one.slug for one in named}


@pytest.mark.promise("rows")
def test_it_keeps_which_columns_left(store: Store, survey: Survey) -> None:
    assert store.left(survey.slug) == ("", 0)
    assert store.keep_left(survey.slug, "sex", 5, "")
    # Another file left meanwhile, so that the choice has to be made anew.
    assert not store.keep_left(survey.slug, "ward", 5, "")
    assert store.keep_left(survey.slug, "sex,ward", 10, "sex")
    assert store.keep_left(survey.slug, "sex,ward,age", 5, "sex,ward")
    assert store.left(survey.slug) == ("sex,ward,age", 10), "the number never falls"
    store.register(survey)
    assert store.left(survey.slug) == ("sex,ward,age", 10)
    with pytest.raises(KeyError):
        store.left("nothing")
