"""Exactness: the same known words to the browser's modules, in Node, and to the reference sampler.

A statistic cannot tell a good generator from a predictable one, nor see that one word of 2^32 is
read wrongly. Here nothing is left to chance: the words on both sides of every threshold of every
truth, handed out in place of random ones, must give the very message that the headless respondent
makes of them.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np

from deniable.channel import ROW_SUM, Channel
from deniable.client.audit.tape import Tape, expected_body, words_for_orders
from deniable.report import ID_BYTES
from deniable.server.respondent.program import BROWSER_FOLDER
from deniable.survey import Survey
from deniable.survey.items import Item
from tests.kit import needs

AWAY: Final = 100
"""Tapes without a boundary word."""

_PROGRAM: Final = Path(__file__).with_suffix(".js")


def altered(folder: Path, edit: tuple[str, str, str]) -> Path:
    """Copy the modules into a folder, with one edit: the file, the text, and another."""
    copy = folder / "browser"
    shutil.copytree(BROWSER_FOLDER, copy)
    # Tells every version of Node that these files are modules.
    (folder / "package.json").write_text('{"type": "module"}')
    name, text, other = edit
    source = (copy / name).read_text(encoding="utf-8")
    assert source.count(text) == 1, text
    (copy / name).write_text(source.replace(text, other), encoding="utf-8")
    return copy


def failures(survey: Survey, folder: Path = BROWSER_FOLDER) -> list[str]:
    """Play every tape to the modules, and say what they send otherwise than they should."""
    made = [*tapes(survey)]
    job = {"survey": {**survey.document, "revision": survey.revision}}
    ran = subprocess.run(
        [needs.program("node", "make install"), _PROGRAM, folder],
        input=json.dumps({**job, "cases": [asdict(tape) for tape in made]}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found, rests = [], set()
    for tape, outcome in zip(made, json.loads(ran.stdout), strict=True):
        expected = expected_body(survey, tape)
        failure = _failure(outcome, expected)
        if failure is None:
            rests.add(outcome["requests"][0]["rest"])
        else:
            found.append(f"{tape}: {failure}")
    return [*found, *(["requests differ in more than their messages"] if len(rests) > 1 else [])]


def _failure(outcome: dict[str, Any], expected: str) -> str | None:
    """Say what is wrong with what came of a tape, if anything is."""
    if outcome["problem"] is not None:
        return str(outcome["problem"])
    bodies = [one["body"] for one in outcome["requests"]]
    return None if bodies == [expected] else f"it sends {bodies}, expected {expected}"


def boundary_words(channel: Channel, truth: int) -> list[int]:
    """Return the words on both sides of every threshold of a truth, the ends among them."""
    thresholds = {0, *accumulate(channel.weights[truth])}
    words = {word for threshold in thresholds for word in (threshold - 1, threshold)}
    return sorted(word for word in words if 0 <= word < ROW_SUM)


def tapes(survey: Survey, seed: int = 0) -> Iterator[Tape]:
    """Write tapes, so that every item meets every boundary word of every truth."""
    rng = np.random.default_rng(seed)
    waiting = [list(_boundaries(item)) for item in survey.items]
    turn = 0
    while any(waiting):
        yield _tape(survey, waiting, turn, rng)
        turn += 1
    for further in range(AWAY):
        yield _tape(survey, waiting, turn + further, rng)


def _tape(
    survey: Survey,
    waiting: Sequence[list[tuple[int, int | None, int | None]]],
    turn: int,
    rng: np.random.Generator,
) -> Tape:
    """Write a tape with the last boundary word that waits of each item that is asked."""
    order, asked = _chosen(survey, turn)
    truths, words, kept = [], [], []
    for item, left, is_asked in zip(survey.items, waiting, asked, strict=True):
        if left and is_asked:
            truth, word, kept_word = left.pop()
        else:
            truth, word = int(rng.integers(item.longitudinal.truths)), int(rng.integers(ROW_SUM))
            kept_word = None
        truths.append(truth)
        words.append(int(rng.integers(ROW_SUM)) if word is None else word)
        others = rng.integers(ROW_SUM, size=item.kept_words).tolist()
        if item.memory is not None and kept_word is not None:
            others[truth] = kept_word
        kept += others
    for group, places in zip(survey.groups, survey.places_together, strict=True):
        for place, truth in zip(places, group.cells[truths[places[0]]], strict=True):
            truths[place] = truth
    id = rng.integers(ROW_SUM, size=ID_BYTES // 4).tolist()
    wave = survey.on_wire(survey.wave_numbers[turn % survey.waves])
    return Tape(tuple(truths), (*id, *words, *kept, *order, *_places(survey)), wave)


def _boundaries(item: Item) -> Iterator[tuple[int, int | None, int | None]]:
    """Yield each truth with each of its boundary words.

    Of what is remembered there are two draws: each boundary of the one that is kept, and each of
    the one from every answer that can be kept. Where a word is None it may be anything. Of what is
    randomised together the truths are the cells, and only the first question's word counts.
    """
    if item.group is not None and item.question != item.group.questions[0]:
        return
    if item.memory is None:
        channel = item.longitudinal
        for truth in range(channel.truths):
            # Where a spinner points depends on no truth, and so does no threshold of it.
            for word in boundary_words(channel, 1 if item.has_spinner else truth):
                yield truth, word, None
        return
    permanent, again = item.memory.permanent, item.memory.instantaneous
    for truth in range(permanent.truths):
        for word in boundary_words(permanent, truth):
            yield truth, None, word
    for answer in range(permanent.reports):
        truth = max(range(permanent.truths), key=lambda one: permanent.weights[one][answer])
        if permanent.weights[truth][answer]:
            for word in boundary_words(again, answer):
                yield truth, word, permanent.cumulative[truth][answer] - 1


def _places(survey: Survey) -> list[int]:
    """Return words that leave every order as it is: what stands where is no part of a report."""
    return [place for count in words_for_orders(survey) for place in range(count)]


def _chosen(survey: Survey, turn: int) -> tuple[list[int], list[bool]]:
    """Return words that draw other choices at each turn, and which items are asked then."""
    order: list[int] = []
    asked = [True] * len(survey.items)
    turns = 1
    for draw in survey.draws:
        count = len(draw.choices)
        # The first draw is of units; those after it turn once it has been all the way round.
        shift, turns = turn // turns, len(draw.sets) if draw.chances else count
        if draw.chances:
            chosen = draw.sets[shift % turns]
            order.append(draw.ends[shift % turns] - 1)
        else:
            places = [(place + shift) % count for place in range(count)]
            order += [(place + 1) * (ROW_SUM // (count + 1)) for place in places]
            chosen = tuple(at for at, place in enumerate(places) if place < draw.count)
        for at, items in enumerate(draw.places):
            if at not in chosen:
                for item in items:
                    asked[item] = False
    return order, asked
