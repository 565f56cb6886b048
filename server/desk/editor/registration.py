"""Puts a survey under its name: published, or tried before it is.

The desk's pages and scripts do it by these rules alone. The adversary is a colleague who gives a
survey, or a trial, the name of somebody else's.
"""

from __future__ import annotations

import threading

from deniable.server.desk.editor.trials import begin_trial, end_trial
from deniable.server.desk.permissions import Person
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Role
from deniable.server.store.keys import KeyFile, register
from deniable.survey import Survey
from deniable.survey.kind import trial_slug

# Two people who take a name at the same moment: one of them comes second, and is told.
_one_at_a_time = threading.Lock()


class TakenError(ValueError):
    """A survey has the name of a survey, or of a trial, that is not theirs who want it."""


class ChangedError(ValueError):
    """Another revision is current than whoever publishes has seen."""


def current_of(store: Store, slug: str) -> str:
    """Return the current revision of a survey; empty if there is no such survey."""
    try:
        return store.current_revision(slug)
    except KeyError:
        return ""


def publish(
    store: Store,
    keys: KeyFile,
    person: Person,
    survey: Survey,
    source: str,
    *,
    seen: str | None = None,
) -> bool:
    """Make this the current revision of a survey, and end its trial.

    Return whether it is new: who publishes a new survey owns it. Only `seen`, empty for none, may
    be current before, if it is given.
    """
    with _one_at_a_time:
        current = current_of(store, survey.slug)
        if current:
            _refuse_a_taken(store, person, survey.slug)
        if seen not in (None, current):
            raise ChangedError
        register(store, keys, survey, source)
        end_trial(store, survey.slug)
        if not current:
            _own(store, person, survey.slug)
    return not current


def begin_trial_of(store: Store, person: Person, survey: Survey) -> Survey:
    """Begin the trial of what somebody writes, whether it is published already or not."""
    with _one_at_a_time:
        name = trial_slug(survey.slug)
        is_published = bool(current_of(store, survey.slug))
        if is_published or current_of(store, name):
            _refuse_a_taken(store, person, survey.slug if is_published else name)
        trial = begin_trial(store, survey)
        if not is_published:
            _own(store, person, name)
    return trial


def _refuse_a_taken(store: Store, person: Person, slug: str) -> None:
    if not person.may_change(store.survey(slug)):
        raise TakenError


def _own(store: Store, person: Person, slug: str) -> None:
    if person.name != NOBODY:
        store.share(slug, person.name, Role.OWNER)
