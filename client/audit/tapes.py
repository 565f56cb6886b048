"""Exactness: the same known words to the modules and to the reference sampler.

A statistic cannot tell a good generator from a predictable one, nor see that one word of 2^32 is
read wrongly. Here nothing is left to chance: the words on both sides of every threshold of every
truth, handed out in place of random ones, must give the very message that the headless respondent
makes of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable.channel import ROW_SUM, Channel
from deniable.client.audit.engine import Engine
from deniable.client.respondent import draw_report
from deniable.report import ID_BYTES, NOT_ASKED, NOT_DRAWN
from deniable.survey import Survey
from deniable.survey.items import Item

_ID_WORDS: Final = ID_BYTES // 4
AWAY: Final = 100
"""Tapes without a boundary word."""

_AT_ONCE: Final = 500
_BEFORE_ANSWERS: Final = '"answers":"'
_AFTER_ANSWERS: Final = '"}'

# More than these are not worth printing: the first says where to look.
_MOST_FAILURES: Final = 5


@dataclass(frozen=True)
class Tape:
    """What is true of somebody, and the words that take the place of chance."""

    truths: tuple[int, ...]  # one for each item
    # Of the id, of each item, of what a device keeps, of each choice of what is asked, and of each
    # place in a random order.
    words: tuple[int, ...]
    wave: int = 0  # that is on; 0 in a survey without waves


@dataclass(frozen=True)
class ExactVerdict:
    """What became of the tapes."""

    tapes: int
    length: int  # of the expected message in bytes, the same for every truth
    failures: tuple[str, ...]  # the first few; empty if every message was the expected one


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
    id = rng.integers(ROW_SUM, size=_ID_WORDS).tolist()
    wave = survey.wave_numbers[turn % len(survey.wave_numbers)]
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


def words_for_orders(survey: Survey) -> list[int]:
    """Return how many words each random order takes: of the questions, then of each one's own."""
    counts = [len(survey.questions)] if survey.shuffled else []
    for question in survey.questions:
        if question.shuffled:
            own = survey.places[question.id] if question.has_several_items else question.answers
            counts.append(len(own))
    return counts


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


def check_tapes(
    engine: Engine,
    survey: Survey,
    done: Callable[[int], None] = lambda _: None,
    seed: int = 0,
) -> ExactVerdict:
    """Play every tape to the modules, and compare what they would send with what they should."""
    failures: list[str] = []
    played = length = 0
    rest: str | None = None
    for batch in _batches(tapes(survey, seed)):
        cases = [asdict(tape) for tape in batch]
        outcomes = engine("exact", {"cases": cases})["outcomes"]
        for tape, outcome in zip(batch, outcomes, strict=True):
            expected = expected_body(survey, tape)
            length = len(expected)
            failure = _failure(survey, tape, outcome, expected)
            if failure is None:
                (request,) = outcome["requests"]
                rest = request["rest"] if rest is None else rest
                if request["rest"] != rest:
                    failure = f"the request differs in more than its message: {request['rest']}"
            if failure is not None and failure not in failures:
                failures.append(failure)
        played += len(batch)
        done(len(batch))
        if len(failures) >= _MOST_FAILURES:
            break
    return ExactVerdict(played, length, tuple(failures[:_MOST_FAILURES]))


def expected_body(survey: Survey, tape: Tape) -> str:
    """Return the message that the headless respondent makes of a tape."""
    words = np.array(tape.words, dtype=np.uint32)

    def handed_out(count: int) -> npt.NDArray[np.uint32]:
        # Who answers without a page sees no order, and draws none.
        expected = count + sum(words_for_orders(survey))
        if words.size != expected:
            raise ValueError(f"expected a tape of {expected} words, found {words.size}")
        return words[:count]

    return draw_report(survey, tape.truths, handed_out, wave=tape.wave).to_json().decode()


def _failure(survey: Survey, tape: Tape, outcome: dict[str, Any], expected: str) -> str | None:
    """Say what is wrong with what came of a tape, if anything is."""
    if outcome["problem"] is not None:
        return str(outcome["problem"])
    requests = outcome["requests"]
    if len(requests) != 1:
        return f"a report is sent by {len(requests)} requests, expected one"
    body = requests[0]["body"]
    if len(body) != len(expected):
        return f"a message has {len(body)} bytes, expected {len(expected)} whatever is true: {body}"
    return None if body == expected else _difference(survey, tape, body, expected)


def _difference(survey: Survey, tape: Tape, body: str, expected: str) -> str:
    """Name the item that is sent wrongly, or show the message if it is wrong elsewhere."""
    (around, answers), (right_around, right_answers) = _parts(body), _parts(expected)
    if around == right_around:
        for place, (sent, right) in enumerate(zip(answers, right_answers, strict=True)):
            if sent != right:
                item = survey.items[place]
                word = tape.words[_ID_WORDS + place]
                return (
                    f"{item.id}: of “{item.truths[tape.truths[place]].text}” and the word {word} "
                    f"it sends {_byte(sent)}, expected {_byte(right)}"
                )
    return f"a message is {body}, expected {expected}"


def _parts(body: str) -> tuple[str, bytes]:
    """Split a message into what stands around its answers, and its answers."""
    around, _, rest = body.rpartition(_BEFORE_ANSWERS)
    digits = rest.removesuffix(_AFTER_ANSWERS)
    try:
        return f"{around}…", bytes.fromhex(digits)
    except ValueError:
        return body, b""


def _byte(value: int) -> str:
    return {NOT_ASKED: "“not asked”", NOT_DRAWN: "“not drawn”"}.get(value, f"report {value}")


def _batches(made: Iterator[Tape]) -> Iterator[list[Tape]]:
    batch: list[Tape] = []
    for tape in made:
        batch.append(tape)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
