"""Headless respondents over several waves, and the modules that do the same."""

import itertools
import json
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from deniable.client.connection import Connection
from deniable.client.memory import Kept
from deniable.client.panel import simulate_panel
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.respondent import (
    BrokenPromise,
    Refused,
    Respondent,
    draw_report,
)
from deniable.client.simulation import simulate
from deniable.server.store import open_store
from tests.client.in_node import altered, failures
from tests.client.test_respondent import answered_by, talking
from tests.kit import at, lent, panel, surveys

NEVER = 1e-6


def test_what_is_kept_is_drawn_for_every_truth() -> None:
    survey = panel()
    kept = []
    for truths in ([0, 0, 0, 0], [1, 2, 4, 1]):
        device = Kept()
        draw_report(survey, truths, seeded_words(5, 0), device, 1)
        kept.append(device.answers)
    assert kept[0] == kept[1]
    assert {id: len(answers) for id, answers in kept[0].items()} == {
        "doped": 2,
        "sleep": 3,
        "hours": 5,
    }


def test_without_a_redraw_what_is_kept_is_sent() -> None:
    survey = panel("0")
    device, words = Kept(), seeded_words(6, 0)
    sent = [
        draw_report(survey, [doped, sleep, 3, 1], words, device, wave)
        for wave, (doped, sleep) in enumerate([(0, 2), (1, 2), (0, 0)], start=1)
    ]
    kept = device.answers
    for report, (wave, doped, sleep) in zip(sent, [(1, 0, 2), (2, 1, 2), (3, 0, 0)], strict=True):
        assert report.wave == wave
        assert report.answers == bytes(
            [kept["doped"][doped], kept["sleep"][sleep], kept["hours"][3], 1]
        )
    assert len({report.id for report in sent}) == 3


def test_only_what_is_missing_is_drawn() -> None:
    survey = panel()
    device = Kept({"doped": (1, 0)})
    draw_report(survey, [0, 0, 0, 0], seeded_words(7, 0), device, 1)
    assert device.answers["doped"] == (1, 0)
    assert set(device.answers) == {"doped", "sleep", "hours"}


DIRECT_ROW = [0, 0, 2**32]


def send_it_as_it_is(item: dict[str, Any]) -> None:
    item["permanent"] = item["permanent"][:2]
    item["weights"] = [*item["permanent"], DIRECT_ROW]
    item["redraw"] = 0


def shorten(item: dict[str, Any]) -> None:
    item["permanent"].pop()
    item["weights"][2] = DIRECT_ROW


LIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "the last answer sent as it is, nothing drawn again": send_it_as_it_is,
    "the last answer sent as it is, some drawn again": shorten,
    "an honest row that is drawn anew": lambda item: item["permanent"].pop(),
    "a row too many": lambda item: item["permanent"].append(item["permanent"][0]),
    "a column too many": lambda item: [row.append(0) for row in item["permanent"]],
    "a column too few": lambda item: [row.pop() for row in item["permanent"]],
    "a ragged row": lambda item: item["permanent"][1].append(0),
    "no noisy answers": lambda item: item.pop("permanent"),
    "no rows": lambda item: item.update(permanent=[]),
    "no redraw": lambda item: item.pop("redraw"),
    "less of one report": lambda item: item.update(once=item["once"] - 1e-6),
    "one report in text": lambda item: item.update(once="cheap"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_document_lying_about_waves_gets_no_answer(lie: str) -> None:
    document = json.loads(json.dumps(panel().document))
    LIES[lie](document["items"][1])
    with talking([answered_by(document)], panel()) as (respondent, bodies):
        with pytest.raises(BrokenPromise):
            respondent.fetch()
        assert bodies == [b""]


def test_a_respondent_answers_wave_after_wave() -> None:
    survey = panel()
    device = Kept()
    with lent([survey]) as (server, path), closing(Connection(server.url)) as connection:
        respondent = Respondent(connection, at("panel"))
        assert respondent.wave() == 1
        first = respondent.answer([0, 1, 2, 0], kept=device)
        kept = dict(device.answers)
        with closing(open_store(f"sqlite:///{path}")) as store:
            store.begin_wave("panel", 2)
            assert respondent.wave() == 2
            second = respondent.answer([0, 1, 2, 0], kept=device)
            with pytest.raises(Refused, match="That wave is over"):
                respondent.send(draw_report(survey, [0, 1, 2, 0], wave=1))
            assert device.answers == kept
            assert (first.wave, second.wave) == (1, 2)
            assert store.count("panel") == 2


@pytest.mark.parametrize("redraw", ["0", "1/5"])
def test_a_made_up_panel_follows_its_devices(redraw: str) -> None:
    survey = panel(redraw)
    item = survey.items[0]
    assert item.memory is not None
    permanent, again = item.memory.permanent.probabilities, item.memory.instantaneous.probabilities
    n = 40_000
    population = read_population(survey, ["doped.yes=0%"])
    answered = simulate_panel(population, n, words=seeded_words(8, 0), chunk=15_000)
    columns: dict[int, list[np.ndarray]] = {}
    for responses in answered:
        assert not responses.truths[:, 0].any()
        columns.setdefault(responses.wave, []).append(responses.answers[:, 0])
    assert [len(parts) for parts in columns.values()] == [3, 3, 3]
    together = np.stack([np.concatenate(parts) for parts in columns.values()], axis=1)
    for sent in itertools.product((0, 1), repeat=3):
        chance = sum(permanent[0][b] * np.prod([again[b][a] for a in sent]) for b in (0, 1))
        low, high = np.asarray(binom.ppf([NEVER / 16, 1 - NEVER / 16], n, chance))
        assert low <= (together == sent).all(axis=1).sum() <= high


def test_who_changes_is_drawn_anew_from_the_population() -> None:
    survey = panel()
    population = read_population(survey, ["doped.yes=50%"])
    waves = {
        responses.wave: responses.truths[:, 0]
        for responses in simulate_panel(
            population, 20_000, Fraction(1, 2), seeded_words(9, 0), chunk=20_000
        )
    }
    # Half are drawn anew, of whom half come out the same.
    for one, two in ((1, 2), (2, 3)):
        moved = (waves[one] != waves[two]).sum()
        low, high = np.asarray(binom.ppf([NEVER / 4, 1 - NEVER / 4], 20_000, 0.25))
        assert low <= moved <= high


def test_a_panel_of_one_wave_is_a_simulation() -> None:
    population = read_population(surveys.survey())
    (found,) = simulate_panel(population, 50, words=seeded_words(9, 0))
    (same,) = simulate(population, 50, seeded_words(9, 0))
    assert found.wave == 1
    assert (found.answers == same.answers).all()
    assert (found.truths == same.truths).all()


MUTANTS = {
    "fresh chance in place of what is kept": (
        "core/waves.js",
        "maps[place].map((noisy) =>",
        "maps[place].map((_noisy, noisy) =>",
    ),
    "the same word for two draws": ("core/waves.js", "words[next++]", "words[place]"),
    "no redraw": (
        "core/waves.js",
        "sent === noisy ? same : redraw",
        "sent === noisy ? 2 ** 32 : 0",
    ),
    "a threshold too low": ("core/channel.js", "(sum) => sum > word", "(sum) => sum >= word"),
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_modules_that_differ_are_found(tmp_path: Path, mutant: tuple[str, str, str]) -> None:
    assert failures(panel(), altered(tmp_path, mutant)) != []
