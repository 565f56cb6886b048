"""Meetings in the store: how they begin, are led from step to step, and end.

A question of a meeting is a survey by itself (`deniable.survey.meeting`): it takes reports like any
other while the class is at it, and is deleted with its meeting. The adversary is the presenter, who
may show what a class sends, but should not learn who sent what. Direct answers are counted by whole
batches (`deniable.server.store.sql.batches`), and their totals are read only once the question is
closed.
"""

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from deniable.classroom.class_state import LEAST_DIRECT, can_be_taught
from deniable.classroom.simulations import MADE_UP
from deniable.classroom.steps import step_of
from deniable.server.desk.editor.preview import answer_trial
from deniable.server.desk.editor.starters import expected_share
from deniable.server.store import Store
from deniable.server.store.meetings import (
    FIRST_STEP,
    GUESSED,
    LIFETIME,
    Meeting,
    Played,
    new_join_code,
)
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey.kind import ASKS, Asks, MeetingQuestion
from deniable.survey.meeting import (
    asked_directly,
    asked_for_a_guess,
    can_be_played,
    in_meeting,
    played,
)
from deniable.text.languages import in_english as say

MOST_QUESTIONS: Final = 30
"""Maximum number of questions of a meeting: more than a day holds."""

SIMULATED: Final = 40
"""Simulated phones in a rehearsal."""

# Two forms that come at the same moment, from two tabs, are applied one after the other.
_one_at_a_time = threading.Lock()


def playable(survey: Survey) -> list[Survey]:
    """Return the questions of a survey that a class can answer, each as a survey of its own."""
    found = []
    for question in survey.questions:
        if can_be_played(survey, question):
            try:
                alone = played(survey, question)
            except ValueError:  # a follow-up needs what it follows, among others
                continue
            if can_be_taught(alone.items[0]):
                found.append(alone)
    return found


def begin_meeting(store: Store, owner: str, survey: Survey) -> Meeting:
    """Begin a meeting that plays the questions of a survey."""
    taken = {meeting.code for meeting in store.meetings()}
    while (code := new_join_code()) in taken:
        pass
    ends = int(time.time()) + LIFETIME
    meeting = Meeting(secrets.token_urlsafe(16), code, ends, (), owner)
    begun = with_questions(store, meeting, survey)
    store.keep_meeting(begun)
    return begun


def with_questions(store: Store, meeting: Meeting, survey: Survey) -> Meeting:
    """Register the questions of a survey in the store, and return the meeting with them."""
    found = playable(survey)
    if not found:
        raise ValueError(
            say(
                "None of its questions can be played. Expected one that is randomised and has one "
                "answer, which is no number, in a survey without waves. The reports must name the "
                "answers."
            )
        )
    first = len(meeting.questions)
    if first + len(found) > MOST_QUESTIONS:
        raise ValueError(say("A meeting has {most} questions at most.", most=MOST_QUESTIONS))
    for number, alone in enumerate(found, start=first + 1):
        _register(store, in_meeting(alone, MeetingQuestion(meeting.code, number)))
    return replace(meeting, questions=(*meeting.questions, *(Played() for _ in found)))


def change(store: Store, id: str, how: Callable[[Meeting], Meeting]) -> Meeting:
    """Change a meeting, and open the question that its step asks; an error changes nothing."""
    with _one_at_a_time:
        meeting = _asking(_without_rehearsal(store, how(store.meeting(id))))
        meeting = replace(meeting, changes=meeting.changes + 1)
        _open_and_close(store, meeting)
        store.keep_meeting(meeting)
        _let_simulated_phones_answer(store, meeting)
    return meeting


def rehearse(meeting: Meeting) -> Meeting:
    """Go to the question, which simulated phones answer until the meeting begins once more."""
    return go(meeting.changed(simulated=SIMULATED), "question")


def _let_simulated_phones_answer(store: Store, meeting: Meeting) -> None:
    """Let the simulated phones of a rehearsal, if one is on, answer what is asked now, once."""
    for slug in {meeting.first, meeting.asked} - {""}:
        if meeting.playing.simulated and _count(store, slug) == 0:
            asked = store.survey(slug)
            share = expected_share(asked.questions[0].text, GUESSED) or MADE_UP
            yes = f"{asked.items[0].id}.{asked.items[0].truths[GUESSED].code}={share:.0%}"
            rates = [] if slug == meeting.slug("prior") else [yes]
            answer_trial(store, asked, meeting.playing.simulated, rates)


def _without_rehearsal(store: Store, meeting: Meeting) -> Meeting:
    """Remove all that simulated phones sent, once a meeting is at its first step."""
    place = meeting.place
    for number, one in enumerate(meeting.questions):
        if one.simulated and meeting.step == FIRST_STEP:
            meeting = _renewed(store, replace(meeting, place=number))
    return replace(meeting, place=place)


def go(meeting: Meeting, step: str) -> Meeting:
    """Go to a step of the question that a meeting is at."""
    return replace(meeting, step=step_of(step).slug)


def go_to(meeting: Meeting, place: int) -> Meeting:
    """Go to another question, at its first step."""
    if not 0 <= place < len(meeting.questions):
        raise ValueError(say("Expected a question from 1 to {last}.", last=len(meeting.questions)))
    if place == meeting.place:
        return meeting
    return go(replace(meeting, place=place), FIRST_STEP)


def stop(meeting: Meeting, *, stopped: bool) -> Meeting:
    """Pause or resume answers: the direct ones, if the step asks for direct answers."""
    if step_of(meeting.step).phone == "direct":
        return meeting.changed(closed=stopped)
    return meeting.changed(stopped=stopped)


def ask_again(store: Store, id: str, *, anew: bool) -> Meeting:
    """Remove all reports to the current question; the devices send the same reports again.

    `anew`: devices draw fresh noise instead, and first say what that costs. Direct answers go for
    good: no device keeps them.
    """

    def renew(meeting: Meeting) -> Meeting:
        renewed = _renewed(store, meeting, anew=anew)
        return go(renewed, FIRST_STEP) if anew else renewed

    return change(store, id, renew)


def _renewed(store: Store, meeting: Meeting, *, anew: bool = False) -> Meeting:
    """Remove all reports to the current question, also those of simulated phones."""
    survey, now = store.survey(meeting.slug()), meeting.playing
    for asks in ASKS:
        with suppress(KeyError):  # it was never asked
            store.delete(meeting.slug(asks))
    counted = {"run": now.run + 1, "round": 1} if anew else {"round": now.round + 1}
    renewed = meeting.changed(**counted, stopped=False, closed=False, chosen=-1, simulated=0)
    _register(store, in_meeting(survey, renewed.question()))
    return renewed


def guesses_of(store: Store, meeting: Meeting) -> tuple[int, ...]:
    """Return the guesses, in percent and in order of size.

    Empty if fewer than `LEAST_DIRECT` people guessed: the store holds their guesses back.
    """
    try:
        counts = counts_of(store, meeting.slug("prior"))
    except KeyError:  # nobody was asked
        return ()
    return tuple(guess for guess, count in enumerate(counts) for _ in range(count))


def counts_of(store: Store, slug: str) -> tuple[int, ...]:
    """Return the count of each report to a question, as the snapshot has it."""
    survey, snapshot = store.survey(slug), store.snapshot(slug)
    waves = snapshot.tallies.get(survey.revision, {})
    counts: Mapping[int, int] = waves[1][0] if 1 in waves else {}
    return tuple(counts.get(report, 0) for report in range(survey.report_counts[0]))


def was_answered(store: Store, meeting: Meeting) -> int | None:
    """Return how many phones have answered the open question; None if no question is open."""
    return _count(store, meeting.asked) if meeting.asks else None


def given(store: Store, meeting: Meeting) -> dict[Asks, int]:
    """Return the number of answers to the current question by kind."""
    return {asks: _count(store, meeting.slug(asks)) for asks in ASKS}


def _count(store: Store, slug: str) -> int:
    try:
        return store.count(slug)
    except KeyError:  # not asked yet, or removed at this moment
        return 0


def direct_counts_of(store: Store, meeting: Meeting) -> tuple[int, ...] | None:
    """Return the count of each direct answer; None until direct answers are closed.

    Empty if nobody was asked. All are 0 if fewer than `LEAST_DIRECT` people answered: the store
    holds their answers back.
    """
    if not meeting.playing.closed:
        return None
    try:
        return counts_of(store, meeting.slug("direct"))
    except KeyError:  # closed before anybody was asked
        return ()


def _asking(meeting: Meeting) -> Meeting:
    """Set what the step asks phones: latecomers may answer while others look up."""
    phone, playing = step_of(meeting.step).phone, meeting.playing
    if phone == "guess":
        return replace(meeting, asks="prior")
    if phone == "direct":
        return replace(meeting, asks="" if playing.closed else "direct")
    return replace(meeting, asks="" if phone == "wait" or playing.stopped else "randomised")


def _open_and_close(store: Store, meeting: Meeting) -> None:
    """Open what phones are asked, and what newcomers answer first; close all else."""
    asked = {meeting.asked, meeting.first}
    # The direct or guessing question stands beside the current one.
    if meeting.asks == "direct":
        store.register(asked_directly(store.survey(meeting.slug()), LEAST_DIRECT))
    elif meeting.asks == "prior":
        store.register(asked_for_a_guess(store.survey(meeting.slug()), GUESSED, LEAST_DIRECT))
    for number, one in enumerate(meeting.questions, start=1):
        for asks in ASKS:
            slug = MeetingQuestion(meeting.code, number, one.run, asks).slug
            wanted = State.OPEN if slug in asked else State.CLOSED
            try:
                if store.state(slug) is not wanted:
                    store.set_state(slug, wanted)
            except KeyError:  # this was never asked
                continue


def _register(store: Store, survey: Survey) -> None:
    """Register a question's survey in the store, closed."""
    store.register(survey)
    store.set_state(survey.slug, State.CLOSED)
