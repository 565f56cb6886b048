"""The steps of a study, from the first draft to the paper: their states, and what comes next.

A step is done by what was kept or done, and never by a look at its page: see `_MISSING`. Analyse
and Paper leave no trace in the store: the session keeps that somebody has seen reports, or has
taken the zip.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from flask import request, session, url_for

from deniable.analysis.planning.advice import people_expected
from deniable.publication.board.blanks import open_blanks
from deniable.server.desk.context import catalogue, store
from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.editor.preview import changes_since, trial_named
from deniable.server.desk.editor.starters import PLACEHOLDERS
from deniable.server.desk.permissions import draft_tried, signed_in
from deniable.server.store import Draft
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey.kind import survey_tried, trial_slug
from deniable.survey.trial import trial_of
from deniable.survey_file import SurveyFileError, plan_of

TITLES: Final = ("Write", "Plan", "Ethics", "Try", "Open", "Collect", "Analyse", "Paper")

_EDIT: Final = "editor.edit"
_OF_SURVEY: Final = (
    *(_EDIT, "planner.page", "planner.ethics", "preview.page"),
    *("collection.page", "status.page", "results.page", "export.page"),
)
_OF_DRAFT: Final = (
    *("editor.page", "editor.plan", "editor.ethics", "editor.try_out", "publishing.page"),
)

_MISSING: Final = {
    "Write": "words of your own in place of the first ones, and no mistake",
    "Plan": "people, and a ± or a limit on sureness, kept in the survey file",
    "Ethics": "words for the open blanks of the packet",
    "Try": "an answer to the trial as the draft is now",
    "Open": "a survey that is published and open",
    "Collect": "the end of its collection",
    "Analyse": "a look at the results, once there are reports",
    "Paper": "the zip, downloaded once there are reports",
}
"""What is missing of each step while it is not done."""

_MISSED: Final = "a plan that reaches what it wants"

_WORDS: Final = {
    State.PLANNED: "See when it opens",
    State.PAUSED: "Open again",
    State.FULL: "Take more reports, or close it",
    State.WAITING: "See why it waits",
}
"""What an owner does next in each state that takes no reports, and is no end."""

_SEEN: Final = "seen"
_MOST_SEEN: Final = 24
"""Maximum number of steps in the cookie of a session, which keeps the last ones."""

_OF_OWNERS: Final = {_EDIT, "collection.page"}
_OF_TRIALS: Final = {"preview.page", "status.page", "results.page", "export.page"}

_SHOWN: Final = {
    **dict(zip(_OF_SURVEY, TITLES, strict=True)),
    **dict(zip(_OF_DRAFT, TITLES, strict=False)),
    **{"editor": "Write", "planner": "Plan", "preview": "Try", "status": "Collect"},
    **dict.fromkeys(("publishing", "collection", "invitations"), "Open"),
    **dict.fromkeys(("planner.preregistration", "editor.preregistration"), "Ethics"),
    **dict.fromkeys(("results", "analyses", "margins.page", "margins.keep"), "Analyse"),
    "export": "Paper",
}
"""The step that a page belongs to, by its endpoint or its blueprint."""


@dataclass(frozen=True)
class Step:
    """A step of a study.

    `href`: empty if the step cannot be taken yet. `state`: done, next, to do, or empty if unknown;
    of a plan also missed.
    `note`: a remark, such as that a draft has changed since its trial. `missing`: what would make
    it done, empty if it is, or if that is unknown.
    """

    title: str
    href: str
    state: str
    is_form: bool = False
    note: str = ""
    missing: str = ""

    @property
    def here(self) -> str:
        """The step's `aria-current`: "page" on its page, "true" on its other pages, or empty."""
        endpoint = request.endpoint or ""
        if self.title != (_SHOWN.get(endpoint) or _SHOWN.get(endpoint.partition(".")[0])):
            return ""
        return "page" if self.href.partition("?")[0] == request.path else "true"


@dataclass(frozen=True)
class Next:
    """The next thing to do, in words, and its address."""

    words: str
    href: str


def steps_of(survey: Survey, revision: str | None = None) -> list[Step]:
    """Return the steps of a survey or a trial that the signed-in person may take."""
    owns, is_trial = signed_in().may_change(survey), survey.kind == "trial"
    found = {} if is_trial else _states(survey)
    revision, before = revision or None, []
    if is_trial and owns:
        # The way back: the steps of the draft or the survey that is tried.
        if draft := draft_tried(survey):
            before = steps_of_draft(draft, str(survey.parent))[:5]
        elif tried := catalogue.found(survey_tried(survey.slug, survey.parent)):
            before = steps_of(tried)[:5]
    passed = {one.title for one in before}
    return before + [
        Step(
            title,
            url_for(page, slug=survey.slug, revision=None if page == _EDIT else revision),
            found.get(title, ""),
            page == _EDIT,
            missing=_missing(found, title),
        )
        for title, page in zip(TITLES, _OF_SURVEY, strict=True)
        if (owns or page not in _OF_OWNERS) and (not is_trial or page in _OF_TRIALS)
        if title not in passed
    ]


def steps_of_draft(draft: Draft, slug: str) -> list[Step]:
    """Return the steps of a draft; `slug`: its survey's name, empty while it has mistakes."""
    survey = catalogue.found(draft.survey)
    if survey is not None and not signed_in().may_change(survey):
        survey = None
    text = draft.text if slug else ""
    trial, notes, steps = trial_named(slug, draft.id), {}, []
    tried = catalogue.found(trial)
    if survey and text and store.source(survey.slug, survey.revision) == text:
        found = _states(survey)
    else:
        if tried and changes_since(draft, tried):
            notes["Try"] = "changed since"
        found = _step_states(
            {
                "Write": bool(text) and not any(one in text for one in PLACEHOLDERS),
                "Try": _is_answered(tried),
                "Open": False,
            },
            text,
            # A change of a published survey can be published as soon as it has no mistake.
            "Open" if survey and slug else None,
        )
        if survey:
            notes["Open"] = "with a change"
            # Collection goes on while a correction of the published survey is written.
            if (collecting := _states(survey)["Collect"]) == "next":
                collecting, notes["Collect"] = "", "goes on"
            found["Collect"] = collecting
    for title, page, own in zip(TITLES, _OF_SURVEY, (*_OF_DRAFT, "", "", ""), strict=True):
        begins = own == "editor.try_out" and tried is None
        if own and (begins or own != "editor.try_out"):
            href = url_for(own, draft=draft.id)
        elif own:
            href = url_for(page, slug=trial, draft=draft.id)
        else:
            href = url_for(page, slug=survey.slug) if survey else ""
        note, missing = notes.get(title, ""), _missing(found, title)
        steps.append(Step(title, href, found[title], begins, note, missing))
    return steps


def _missing(states: Mapping[str, str], title: str) -> str:
    state = states.get(title, "done")
    return _MISSED if state == "missed" else "" if state == "done" else _MISSING[title]


def next_of(survey: Survey, state: State, reports: int) -> Next:
    """Return the signed-in person's next thing to do for a survey."""
    owns, slug = signed_in().may_change(survey), survey.slug
    if survey.kind == "trial":
        return Next("Go on trying", url_for("preview.page", slug=slug))
    if owns and state in _WORDS:
        words = _WORDS[state]
        return Next(words, url_for("collection.page", slug=slug))
    if owns and state is State.OPEN and not reports:
        return Next("Give out the link", url_for("collection.page", slug=slug))
    if state.has_ended:
        return Next("Analyse", url_for("results.page", slug=slug))
    return Next("See how it goes", url_for("status.page", slug=slug))


def _states(survey: Survey) -> dict[str, str]:
    """Return the state of each step of a published survey."""
    state, text = store.state(survey.slug), store.source(survey.slug, survey.revision)
    tried = catalogue.found(trial_slug(survey.slug))
    facts = {
        "Write": True,
        # The trial of a changed draft has the same name, but another revision.
        "Try": _is_answered(tried) and tried.revision == trial_of(survey).revision,
        "Open": state in (State.OPEN, State.FULL) or state.has_ended,
        "Collect": state.has_ended,
        "Analyse": _is_seen(survey, "Analyse"),
        "Paper": _is_seen(survey, "Paper"),
    }
    following = next((one for one in TITLES[4:] if not facts[one]), "")
    return _step_states(facts, text, following)


def _is_seen(survey: Survey, title: str) -> bool:
    """Return whether this session has done a step, or does it now by the page of results."""
    is_here = _SHOWN.get((request.endpoint or "").partition(".")[0]) == title == "Analyse"
    if is_here and (request.view_args or {}).get("slug") == survey.slug:
        keep_done(survey.slug, title)
    return f"{title} {survey.slug}" in session.get(_SEEN, [])


def keep_done(slug: str, title: str) -> None:
    """Keep in the session that somebody has done a step of a survey that has reports."""
    step, done = f"{title} {slug}", session.get(_SEEN, [])
    if step not in done and store.snapshot(slug).count():
        session[_SEEN] = [*done, step][-_MOST_SEEN:]


def _step_states(facts: dict[str, bool], text: str, following: str | None = None) -> dict[str, str]:
    """Return the state of each step; by default, the `following` is the first that is not done.

    Ethics can be done, but never holds up: a board may have a packet of its own. `text`: the survey
    file, of which Plan and Ethics are.
    """
    facts = {**facts, "Plan": _is_planned(text)}
    if following is None:
        following = next(title for title in TITLES if title != "Ethics" and not facts[title])
    facts = {**facts, "Ethics": _is_filled(text)}
    place = TITLES.index(following) if following else len(TITLES)
    return {
        title: "missed"
        if title == "Plan" and facts[title] and _is_missed(text)
        else "done"
        if facts.get(title)
        else "next"
        if title == following
        # A step that was skipped, or leaves no trace, has no state.
        else ("to do" if TITLES.index(title) > place else "")
        for title in TITLES
    }


def _is_planned(text: str) -> bool:
    plan = plan_of(text)
    wanted = (plan.within, plan.within_of, plan.one, plan.all)
    return plan.people is not None and any(wanted)


def _is_missed(text: str) -> bool:
    """Return whether a survey does not reach what its plan wants; False if it cannot be checked."""
    cost = the_checker().check(text, people_expected(plan_of(text)))["cost"]
    return bool(cost and cost["missed"])


def _is_answered(trial: Survey | None) -> TypeGuard[Survey]:
    """Return whether somebody has answered a trial, which the form begins by itself."""
    return trial is not None and store.snapshot(trial.slug).count() > 0


def _is_filled(text: str) -> bool:
    try:
        return bool(text) and not open_blanks(text)
    except SurveyFileError:  # a trial's page is shown also while its draft has mistakes
        return False
