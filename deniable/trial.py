"""A trial of a survey: the same questions under another name, to be answered with made-up answers.

The name begins with `PREFIX`, which no survey's own name may do. So a trial is a survey of its own,
with a revision of its own: nothing can pool its reports with those of people. The adversary is an
operator who has people answer a trial again and again, for fresh noise each time. Their browsers
read the name in the document, which is what is hashed and asked. Wherever a device keeps nothing,
it also says that nothing counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from deniable.survey import Survey

PREFIX: Final = "trial-"
"""What the name of each trial begins with, and that of no other survey."""


def is_trial(slug: str) -> bool:
    """Return whether this is the name of a trial.

    Examples
    --------
    >>> is_trial("trial-nurses"), is_trial("trial"), is_trial("nurses-trial-1")
    (True, False, False)
    """
    return slug.startswith(PREFIX)


def trial_slug(slug: str) -> str:
    """Return the name of a survey's trial.

    Examples
    --------
    >>> trial_slug("nurses")
    'trial-nurses'
    """
    return f"{PREFIX}{slug}"


def survey_slug(slug: str) -> str:
    """Return the name of the survey that a trial is of; of any other survey its own.

    Examples
    --------
    >>> survey_slug("trial-nurses"), survey_slug("nurses")
    ('nurses', 'nurses')
    """
    return slug.removeprefix(PREFIX)


def trial_of(survey: Survey) -> Survey:
    """Return the trial of a survey: nothing of it differs but the name, and so the revision.

    It is by no invitation, and nothing of it is published, whatever the survey is.

    Raises
    ------
    ValueError
        If it is a trial itself.
    """
    if is_trial(survey.slug):
        raise ValueError(f"expected a survey, found {survey.slug!r}, which is a trial")
    # Made-up answers need no invitation.
    return replace(survey, slug=trial_slug(survey.slug), token_keys=(), board_key=None)
