"""Simulated people who answer a survey wave by wave; devices of the same people keep noise."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from deniable.channel import ROW_SUM
from deniable.client.asking import draw_asked
from deniable.client.population import Population
from deniable.client.randomiser import randomise
from deniable.client.randomness import WordSource, os_words
from deniable.client.simulation import CHUNK, Bytes, Responses, answers_of, simulate, true_and_said
from deniable.report import NOT_DRAWN
from deniable.survey.items import Item
from deniable.survey.together import Group


def simulate_panel(
    population: Population,
    n: int,
    change: Fraction = Fraction(0),
    words: WordSource = os_words,
    chunk: int = CHUNK,
    slips: Fraction = Fraction(),
) -> Iterator[Responses]:
    """Let n people answer every wave of a survey: the same people, or others, as it says."""
    survey = population.survey
    if not survey.keeps_noise:
        for wave in survey.wave_numbers:
            for answered in simulate(population, n, words, chunk, slips):
                yield replace(answered, wave=wave)
        return
    truths = population.draw(n, words)
    kept = _remember(population, n, words)
    asked = draw_asked(survey, n, words)

    def sent(place: int, drawn: Item | Group, own: Bytes) -> Bytes:
        if isinstance(drawn, Item) and drawn.group is not None:
            return own  # the group draws it
        if drawn.memory is None:
            return randomise(drawn.channel, own, words(n))
        noisy = kept[place][np.arange(n), own]
        return randomise(drawn.memory.instantaneous, noisy, words(n))

    for wave in survey.wave_numbers:
        if wave > 1:
            fresh = population.draw(n, words)
            moved = words(truths.size).reshape(truths.shape) < round(change * ROW_SUM)
            truths = np.where(moved, fresh, truths)
        # A person who is not asked a question has a truth all the same, for when it applies.
        true, said = true_and_said(survey, truths, words, slips)
        answers = answers_of(survey, true, said, sent)
        answers[~asked] = NOT_DRAWN
        for start in range(0, n, chunk):
            part = slice(start, start + chunk)
            yield Responses(true[part], answers[part], wave)


def _remember(population: Population, n: int, words: WordSource) -> list[Bytes]:
    """Draw the noise that devices keep: an array of shape (n, truths or cells) for each item."""
    kept = []
    for item in population.survey.items:
        noisy = np.empty((n, item.kept_words), dtype=np.uint8)
        if item.memory is not None:
            for truth in range(item.kept_words):
                every = np.full(n, truth, dtype=np.uint8)
                noisy[:, truth] = randomise(item.memory.permanent, every, words(n))
        kept.append(noisy)
    return kept
