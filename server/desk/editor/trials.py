"""Trials in the store: begun, answered by made-up people, and ended.

A trial is a survey by itself (`deniable.survey.trial`), so it holds what was made up only. The
adversary is a mistake: made-up answers that are counted with those of people.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import Final

from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey.kind import trial_slug
from deniable.survey.trial import trial_of

MOST_PEOPLE: Final = 5_000
"""That answer a trial at once: a page of the desk waits for them."""


def begin_trial(store: Store, survey: Survey) -> Survey:
    """Begin the trial of a survey or draft, or renew it, which deletes what was there of it.

    The trial of a draft needs a share of its own, and a name that is no colleague's.
    """
    trial = trial_of(survey)
    end_trial(store, survey.slug)
    store.register(trial)
    return trial


def end_trial(store: Store, slug: str) -> None:
    """Delete the trial of a survey with its reports, if there is one."""
    with suppress(KeyError):
        store.delete(trial_slug(slug))


def answer_trial(store: Store, trial: Survey, people: int) -> None:
    """Let made-up people answer a trial, in the wave that is on if there are waves.

    Each answer is as likely as any other to be true of them. Their devices randomise as real ones.
    """
    if trial.kind != "trial":
        raise ValueError(f"expected a trial, found {trial.slug!r}")
    if not 1 <= people <= MOST_PEOPLE:
        raise ValueError(f"expected 1 to {MOST_PEOPLE:,} people, found {people}")
    # Only here: the rest of the desk needs no client.
    from deniable.client.panel import simulate_panel  # noqa: PLC0415
    from deniable.client.population import read_population  # noqa: PLC0415
    from deniable.client.simulation import draw_ids, make_reports, simulate  # noqa: PLC0415

    population = read_population(trial, ())
    if trial.waves is None:
        answered = simulate(population, people)
    else:
        on = store.wave(trial.slug)
        answered = (one for one in simulate_panel(population, people) if one.wave == on)
    answers = chain.from_iterable(
        make_reports(trial, draw_ids(len(one.answers)), one.answers, one.wave) for one in answered
    )
    store.insert_batch([*answers])
