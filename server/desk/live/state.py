"""What a meeting shows at this moment: to the projector, the presenter, and in small to phones.

`deniable.classroom` makes it of what the store knows of the class as a whole. The adversary
compares two moments: each noisy report is shown when it comes, which the class is told; of direct
answers only the number is shown until they are closed. All phones get the same bytes of it.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from deniable.classroom.class_state import Class
from deniable.classroom.scene import TO_EACH
from deniable.classroom.steps import step_of
from deniable.server.desk.editor.starters import expected_share
from deniable.server.desk.live.session import counts_of, direct_counts_of, guesses_of, was_answered
from deniable.server.store import Store
from deniable.server.store.meetings import GUESSED, Meeting
from deniable.server.web.words import Words, words
from deniable.survey import Survey
from deniable.text.translation import in_language


def moment_of(meeting: Meeting, there: Class) -> str:
    """Return what a meeting shows its class now, as JSON."""
    return _moment(replace(meeting, shown=""), there)[0]


def show_on_phones(store: Store, meeting: Meeting, there: Class) -> None:
    """Let phones show what the projector shows at this moment, below what is their own."""
    shown = _moment(replace(meeting, shown=""), there)[1]
    if shown != meeting.shown:
        store.show_on_phones(meeting.id, shown)


def class_of(store: Store, meeting: Meeting) -> Class:
    """Return what is known of the class at a meeting's current question."""
    slug, playing = meeting.slug(), meeting.playing
    survey = _survey(store, slug, store.current_revision(slug), meeting.language)
    return Class(
        survey,
        counts_of(store, slug),
        joined=meeting.joined + playing.simulated,
        chosen=playing.chosen,
        direct=direct_counts_of(store, meeting),
        came=was_answered(store, meeting),
        guesses=guesses_of(store, meeting),
        expected=expected_share(survey.questions[0].text, GUESSED),
        seed=zlib.crc32(f"{survey.slug} {playing.drawn}".encode()),
    )


def spoken_in(survey: Survey, language: str) -> Words:
    """Return the words of a meeting: in the question's first language if none was chosen."""
    return words(language or survey.languages[0])


def texts_of(shown: Class) -> frozenset[str]:
    """Return the survey's own texts that a class reads, which are never translated."""
    return frozenset({shown.survey.questions[0].text, *shown.truths})


def shown_in(survey: Survey, language: str) -> str:
    """Return the language in which a question is shown: its first one if it lacks this one."""
    return language if language in survey.languages else survey.languages[0]


def read_in(survey: Survey, language: str) -> Survey:
    """Return a survey in a language, or in its first one if it lacks this one."""
    there = shown_in(survey, language)
    return in_language(survey, there, words(there).say)


# Called several times a second: a survey is read, and a scene computed, only after a change.
@lru_cache(maxsize=64)
def _survey(store: Store, slug: str, revision: str, language: str) -> Survey:
    return read_in(store.revision(slug, revision), language)


# With many answers and people a moment takes megabytes.
@lru_cache(maxsize=16)
def _moment(meeting: Meeting, there: Class) -> tuple[str, str]:
    """Return what the projector shows, and what phones show of it, as JSON."""
    scene = step_of(meeting.step).scene(there)
    return _projector_json(meeting, there, scene), _phone_json(meeting, there, scene)


def _projector_json(meeting: Meeting, there: Class, scene: Mapping[str, Any]) -> str:
    spoken = spoken_in(there.survey, meeting.language)
    count, counted = _count_in_words(meeting, there, spoken)
    shown = {
        "scene": spoken.rendered_all(scene, texts_of(there)),
        "at": standing(meeting),
        "count": count,
        "counted": counted,
        "full": scene["layout"] == "show" and (there.came or there.n) >= there.joined,
        "where": _where(meeting, spoken),
        "language": shown_in(there.survey, meeting.language),
        "spoken": spoken.language,
    }
    return json.dumps(shown, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _phone_json(meeting: Meeting, there: Class, scene: Mapping[str, Any]) -> str:
    step = step_of(meeting.step)
    if scene["layout"] != "show" or meeting.asks == "direct":
        return "null"  # phones have something of their own to show
    said, picture, dots = scene["said"], scene["picture"] or {}, None
    formula, kept = scene["formula"], texts_of(there)
    spoken = spoken_in(there.survey, meeting.language)
    if step.slug == "sent":
        said = (TO_EACH,)  # the rest tells them to look at their phone
        formula = " ".join(map(str, _count_in_words(meeting, there, spoken)))
        kept |= {formula}  # it is in the class's language
    if picture.get("kind") == "dots":
        chosen, told = picture["chosen"], picture["told"]
        dots = {name: picture[name] for name in ("reports", "chosen")}
        dots["legends"] = [one["legend"] for one in told]
        one = None if chosen is None else told[picture["reports"][chosen]]
        said, picture = (said, {}) if one is None else ((one["said"],), one["bars"])
    shown = {
        "step": step.slug,
        "language": spoken.language,
        "title": scene["title"],
        # Who sees it has guessed, or does not want to.
        "formula": "" if step.phone == "guess" else formula,
        "said": said,
        "picture": picture or None,
        "dots": dots,
    }
    small = spoken.rendered_all(shown, kept)
    return json.dumps(small, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def standing(meeting: Meeting) -> str:
    """Return a meeting's position, by which the presenter's page knows that it has moved on."""
    now = meeting.playing
    return f"{meeting.place + 1} {meeting.step} {now.run} {now.round} {meeting.asks}"


def _count_in_words(meeting: Meeting, there: Class, spoken: Words) -> tuple[int, str]:
    """Return a count with its words: the answers to the open question, else phones or reports."""
    say = spoken.say
    if there.came is not None:
        joined = max(there.came, there.n, there.joined)
        if meeting.asks == "prior":
            return there.came, say("of {joined} guessed", joined=joined)
        return there.came, say("of {joined} answered", joined=joined)
    if step_of(meeting.step).phone == "wait":
        return there.joined, say("joined")
    return there.n, say("reports") + say(", answers are closed")


def _where(meeting: Meeting, spoken: Words) -> str:
    """Return the text beside the code: the question's number, if there are several."""
    of, phones = len(meeting.questions), meeting.playing.simulated
    if phones:
        return spoken.say("Rehearsal: {phones} simulated phones", phones=phones)
    return spoken.say("Question {place} of {of}", place=meeting.place + 1, of=of) if of > 1 else ""
