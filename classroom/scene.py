"""From a class's totals to the numbers and sentences of a step."""

from __future__ import annotations

from typing import Any

from deniable.classroom.shown import Class


def scene(shown: Class, step: str) -> dict[str, Any]:
    """Return what the projector shows of a class at a step.

    Parameters
    ----------
    shown : Class
        A survey of one randomised question with one item, not in waves (`check_playable`), and
        what is known of the class.
    step : str
        A slug of `deniable.classroom.steps.STEPS`.

    Returns
    -------
    dict
        Ready for JSON, with plain English sentences:

        - ``step``, ``title``: of the step;
        - ``question``: its text, and ``answers``, their texts;
        - ``n``: how many reports there are, ``paper`` of them on paper; ``joined``, if known;
        - ``said``: what is to be seen, in sentences, each to be read aloud;
        - ``formula``: the arithmetic of the step in a line, or nothing;
        - ``picture``: None or one of three kinds, told by its ``kind``: ``rows`` (bars with
          intervals), ``dots`` (one a report, and what each report makes one believe), ``lines``;
        - ``table``: ``columns`` and ``rows`` of texts, the same numbers to be read.

    Raises
    ------
    ValueError
        If there is no such step, the survey cannot be played, or the totals are not its.
    """
    raise NotImplementedError


def notes(shown: Class, step: str) -> dict[str, Any]:
    """Return what the presenter reads at a step, and nobody else sees.

    Parameters
    ----------
    shown : Class
    step : str

    Returns
    -------
    dict
        ``step``, ``title``, ``minutes``; ``points``, what to say, with the arithmetic of this
        class; ``next``, the title of what comes next, or nothing.

    Raises
    ------
    ValueError
        As `scene` does.
    """
    raise NotImplementedError


def check_playable(survey: object) -> None:
    """Refuse a survey that cannot be played.

    Raises
    ------
    ValueError
        Unless it has one question with one randomised item, and no waves.
    """
    raise NotImplementedError
