"""The steps of a study, whose states are facts of the store, and the list of surveys."""

import re
from dataclasses import replace
from html import unescape

import pytest

from deniable.publication.board.blanks import BLANKS, REGISTERED
from deniable.server.desk.editor.preview import answer_trial, begin_trial
from deniable.server.desk.editor.starters import BLANK
from deniable.server.desk.steps import TITLES, _is_planned
from deniable.server.store import Store
from deniable.server.store.accounts import Role
from deniable.server.store.schedule import Schedule, State
from deniable.survey_file import read
from tests.kit import Browser, report, url_for
from tests.kit.fixtures import signed_in

EXAM = """\
version: 1
survey: exam
title: Exam
epsilon: 1
batch: 1
questions:
  - {id: cheated, text: "Cheated?", type: single, answers: [No, Yes]}
"""
FILLED = f"{EXAM}plan: {{people: 800, within: 9}}\npacket:\n" + "".join(
    f"  {blank.key}: Said\n"
    for blank in BLANKS
    if blank.section != REGISTERED and blank.key != "consent"
)
PLANNED = f"{EXAM}plan: {{people: 800, until: 2031-02-03, one: 75}}\n"


def steps(page: str) -> dict[str, str]:
    """Return the state of each step that a page shows, with `*` at the one it belongs to."""
    (bar,) = re.findall(r'<nav class="steps".*?</nav>', page, re.S)
    found = {}
    for start, title, inside in re.findall(r"<li(.*?)data-step=\"(\w+)\">(.*?)</li>", bar, re.S):
        state = re.search(r'data-state="([^"]+)"', start)
        found[title] = (state[1] if state else "") + "*" * ("aria-current" in inside)
    return found


def shown(page: str) -> str:
    """Write the states in the order of the steps, each by its first letter."""
    found = steps(page)
    assert tuple(found) == TITLES
    return " ".join(state[:1] + "*" * state.endswith("*") or "-" for state in found.values())


@pytest.mark.parametrize(
    ("text", "state", "reports", "wanted", "next_words"),
    [
        (EXAM, State.OPEN, 0, "d - - - d n t* t", "Give out the link"),
        (PLANNED, State.OPEN, 7, "d d - - d n d* t", "See how it goes"),
        (PLANNED, State.PAUSED, 7, "d d - - n t d* t", "Open again"),
        (PLANNED, State.CLOSED, 7, "d d - - d d d* n", "Analyse"),
    ],
)
def test_each_step_says_where_a_survey_stands(
    researcher: Browser, store: Store, text: str, state: State, reports: int,
    wanted: str, next_words: str,
) -> None:  # fmt: skip
    survey = store.register(read(text).survey, text)
    if reports:
        store.insert_reports([report(survey) for _ in range(reports)])
    store.set_state("exam", state)
    assert shown(researcher.see("results.page", slug="exam").text) == wanted
    listed = researcher.see("surveys.index").text
    (row,) = re.findall(r'<tr data-survey="exam">.*?</tr>', listed, re.S)
    assert next_words in row
    assert (f"{reports} of 800" in row) == (text == PLANNED)
    assert ("2031-02-03" in row) == (text == PLANNED)
    status = researcher.see("status.page", slug="exam").text
    assert ('id="wanted-by">2031-02-03<' in status) == (text == PLANNED)
    assert ("nobody surer than 75 in 100 of one answer" in status) == (text == PLANNED)


def test_every_page_marks_its_step(researcher: Browser, store: Store) -> None:
    survey = store.register(read(EXAM).survey, EXAM)
    store.insert_reports([report(survey) for _ in range(20)])
    for page in (
        *("planner.ethics", "planner.preregistration"),
        *("planner.page", "preview.page", "collection.page", "invitations.page", "status.page"),
        *("analyses.page", "margins.page", "export.page"),
    ):
        found = steps(researcher.see(page, slug="exam", kind="compare").text)
        assert sum(state.endswith("*") for state in found.values()) == 1, page
    # A page beside the steps marks none.
    for page in ("sharing.page", "surveys.delete_page"):
        shown = researcher.see(page, slug="exam").text
        assert '<button type="button" popovertarget="steps">Steps</button>' in shown
        assert not any(state.endswith("*") for state in steps(shown).values()), page


def test_a_plan_that_misses_is_marked(researcher: Browser, store: Store) -> None:
    """Of a published survey and of its draft; with more people it holds."""
    text = f"{EXAM}plan: {{people: 800, within: 3}}\n"
    store.register(read(text).survey, text)
    page = researcher.see("results.page", slug="exam").text
    assert steps(page)["Plan"] == "missed"
    mark = '<span aria-hidden="true">! </span>Plan<span class="unseen">: missed</span>'
    assert mark in page
    assert 'title="Missing: a plan that reaches what it wants"' in page
    draft = researcher.send("editor.edit", slug="exam").headers["Location"]
    for people, state in ((800, "missed"), (8000, "done")):
        kept = text.replace("800", str(people)).replace("exam", "another")
        researcher.post(draft, text=kept)
        assert steps(researcher(draft).text)["Plan"] == state
        undone = re.findall(r'id="undone">(.*?)</div>', researcher(f"{draft}/publish").text, re.S)
        assert (">Plan: missed<" in str(undone)) == (state == "missed")


def test_a_draft_goes_from_mistake_to_survey(researcher: Browser, store: Store) -> None:
    drafts = url_for("editor.drafts")
    draft = researcher.post(drafts, example="").headers["Location"]
    address = draft.partition("?")[0]

    def keep(text: str) -> str:
        answer = researcher.post(address, text=text)
        assert answer.status == 303
        return shown(researcher(address).text)

    assert keep("survey: [") == "n* t t t t t t t"
    # What is still to be written is no step that was taken.
    assert keep(BLANK) == "n* t t t t t t t"
    for old, new in (("Exam\n", "My survey\n"), ("Cheated?", "Your question …?")):
        assert keep(EXAM.replace(old, new)).startswith("n* ")
    # A look at the page of the plan changes nothing, and the title says what is missing.
    for _ in range(2):
        assert keep(EXAM) == "d* n t t t t t t"
        assert 'title="Missing: people, and a ±' in researcher(f"{address}/plan").text
    assert keep(PLANNED) == "d* d - n t t t t"
    # The planner keeps the people that were typed there, and then nothing is to be kept.
    keep(f"{EXAM}plan: {{until: 2031-02-03}}\n")
    page = researcher(f"{address}/plan?n=700").text
    (peopled,) = re.findall(r'<textarea name="text" hidden>\n(.*?)</textarea>', page, re.S)
    keep(unescape(peopled))
    page = researcher(f"{address}/plan").text
    assert ('value="700"' in page, "Keep in the draft" in page) == (True, False)
    assert shown(page) == "d m* - n t t t t"  # 5 points take more than 700 people
    page = researcher(f"{address}/plan?n=700&epsilon=2").text
    assert "Keep in the draft: ε 2<" in page
    (kept,) = re.findall(r'<textarea name="text" hidden>\n(.*?)</textarea>', page, re.S)
    assert read(unescape(kept)).survey.epsilon == 2
    keep(PLANNED)
    # Ethics is done when no blank of the packet is open; the file's own consent is none.
    assert keep(f"{FILLED}consent: I agree.\n") == "d* d d n t t t t"
    assert keep(FILLED) == keep(PLANNED) == "d* d - n t t t t"
    survey, id = read(PLANNED).survey, address.rsplit("/", 1)[1]
    answer_trial(store, begin_trial(store, survey, id), 5)
    assert shown(researcher(address).text) == "d* d - d n t t t"
    assert f'href="/desk/surveys/trial.exam.{id}/trial' in researcher(f"{address}/plan").text
    there = researcher.see("results.page", slug=f"trial.exam.{id}").text
    assert f'href="{url_for("publishing.page", draft=id)}"' in there
    assert shown(there) == "d d - d n - ** -"
    store.register(survey, PLANNED)
    answer_trial(store, begin_trial(store, survey), 5)
    store.keep_draft(replace(store.draft(id), survey="exam"))
    page = researcher(address).text
    assert shown(page) == "d* d - d d n t t"
    assert 'href="/desk/surveys/exam/status"' in page


def test_a_correction_leaves_its_survey_there(researcher: Browser, store: Store) -> None:
    survey = store.register(read(PLANNED).survey, PLANNED)
    store.insert_reports([report(survey)])

    def stands() -> str:
        return shown(researcher.see("status.page", slug="exam").text)

    answer_trial(store, begin_trial(store, survey), 5)
    assert stands() == "d d - d d n* t t"
    draft = researcher.send("editor.edit", slug="exam").headers["Location"].partition("?")[0]
    researcher.post(draft, text=PLANNED.replace("epsilon: 1", "epsilon: 2"))
    # It is open and has reports, whatever is written of it.
    assert shown(page := researcher(draft).text) == "d* m - d n - t t"  # 88 in 100, 75 wanted
    assert "Collect <small>goes on</small>" in page
    assert researcher.post(f"{draft}/try").status == 303
    answer_trial(store, store.survey("trial.exam"), 5)
    assert stands() == "d d - - d n* t t"
    store.set_state("exam", State.CLOSED)
    assert shown(researcher(draft).text) == "d* m - d n d t t"
    # From a trial's results one goes back to what is tried.
    there = researcher.see("results.page", slug="trial.exam").text
    assert url_for("publishing.page", draft=draft.rsplit("/", 1)[1]) not in there
    assert f'href="{url_for("collection.page", slug="exam")}"' in there


def test_a_changed_draft_keeps_its_tick(researcher: Browser, store: Store) -> None:
    draft = researcher.post(url_for("editor.drafts"), example="").headers["Location"]
    draft = draft.partition("?")[0]
    researcher.post(draft, text=PLANNED)
    there = researcher.post(f"{draft}/try").headers["Location"]
    page = researcher(there).text
    assert "Begin the trial again" in page
    # The form begins a trial by itself: one without answers is not tried.
    assert shown(page) == "d d - n* t t t t"
    answer_trial(store, store.survey(there.split("/")[3]), 5)
    # What people are not asked is no change, and whoever comes back from the editor loses nothing.
    researcher.post(draft, text=f"{PLANNED}# A remark\n", then="try")
    assert researcher.post(f"{draft}/try", then="try").status == 303
    page = researcher(there).text
    assert "5 simulated reports" in page
    assert shown(page) == "d d - d* n t t t"
    assert "changed since" not in researcher(f"{draft}/plan").text
    researcher.post(draft, text=PLANNED.replace("Cheated?", "Copied?"))
    page = researcher(there).text
    assert "changed the draft since: cheated: text." in page
    assert f'action="{draft}/try"' in page
    assert shown(page) == "d d - d* n t t t"
    for other in (page, researcher(draft).text):
        assert ": done</span> <small>changed since</small>" in other
    assert researcher.post(f"{draft}/try").status == 303
    page = researcher(there).text
    assert "changed since" not in page
    assert "0 simulated reports" in page
    researcher.post(draft, text="survey: [")
    assert "it has mistakes now" in researcher(there).text


@pytest.mark.slow
def test_the_list_is_sorted_without_reading_files(
    researcher: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in range(60):
        text = PLANNED.replace("exam", f"exam-{place}").replace("Exam", f"Exam {59 - place:02}")
        store.register(read(text).survey, text)
    store.set_state("exam-59", State.CLOSED)
    store.set_schedule("exam-58", Schedule(cap=1))

    def listed(by: str) -> list[str]:
        text = researcher(f"{url_for('surveys.index')}?by={by}").text
        return re.findall(r'<tr data-survey="([^"]+)"', text)

    assert listed("title").index("exam-59") == 1  # after Doping
    assert listed("state")[-1] == "exam-59"
    assert listed("nonsense") == listed("state")
    assert listed("date")[-1] == "doping"
    assert len(listed("reports")) == 61

    def refuse(*_: object) -> str:
        raise AssertionError

    monkeypatch.setattr(Store, "source", refuse)
    assert 'value="copy:exam-7"' in researcher(url_for("editor.drafts")).text


def test_a_list_begins_a_survey_by_one_button(researcher: Browser, store: Store) -> None:
    """Who has no survey yet sees the ways to begin one."""
    button, cards = f'href="{url_for("editor.drafts")}#new">New survey</a>', 'id="write"'
    listed = researcher.see("surveys.index").text
    assert button in listed
    assert cards not in listed
    store.delete("doping")
    empty = researcher.see("surveys.index").text
    assert button not in empty
    assert cards in empty


def test_an_analyst_sees_their_own_steps(start_desk: object, store: Store) -> None:
    store.register(read(EXAM).survey, EXAM)
    for name, role in {"root": Role.ADMINISTRATOR, "olu": Role.ANALYST}.items():
        store.add_user(name, role)
    store.share("exam", "olu", Role.ANALYST)
    olu = signed_in(store, start_desk(), "olu")  # type: ignore[operator]
    found = steps(olu.see("results.page", slug="exam").text)
    assert {"Write", "Open"}.isdisjoint(found)
    assert {"Plan", "Collect", "Paper"} < {*found}


def test_results_that_were_seen_are_done(researcher: Browser, store: Store) -> None:
    survey = store.register(read(EXAM).survey, EXAM)
    store.insert_reports([report(survey) for _ in range(7)])
    store.set_state("exam", State.CLOSED)

    def shown_there() -> str:
        return shown(researcher.see("status.page", slug="exam").text)

    assert shown_there().endswith("n t")
    researcher.see("results.page", slug="exam")
    assert shown_there().endswith("d n")
    # The page of the paper is a look; the zip is the step.
    researcher.see("export.page", slug="exam")
    assert shown_there().endswith("d n")
    researcher.see("export.download", slug="exam")
    assert shown_there().endswith("d d")


@pytest.mark.parametrize(
    ("plan", "is_kept"),
    [
        ("people: 800", False),
        ("within: 5", False),
        ("people: 800, until: 2031-02-03", False),
        ("people: 800, within: 5", True),
        ("people: 800, within_of: {cheated: 5}", True),
        ("people: 800, one: 75", True),
        ("people: 800, all: 90", True),
    ],
)
def test_only_a_plan_that_is_kept_is_ticked(plan: str, *, is_kept: bool) -> None:
    assert _is_planned(f"{EXAM}plan: {{{plan}}}\n") == is_kept
