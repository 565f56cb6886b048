"""Many reports of known truths, drawn by the modules with the randomness of the engine."""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.client.audit.engine import Engine
from deniable.report import ID_BYTES, Report
from deniable.survey import Survey

AT_ONCE = 20_000
"""Reports of one call: a second or less, so that progress can be shown."""


@dataclass(frozen=True, eq=False)
class Run:
    """Some truths, and what was sent of each."""

    truths: npt.NDArray[np.uint8]  # the answers are read from the hex digits of the message
    answers: npt.NDArray[np.uint8]
    # Messages that were not a report's: of another length, or of another text around the id and
    # the answers.
    oddities: int
    odd: tuple[str, ...]  # some of them


def draw_truths(
    survey: Survey,
    needed: Sequence[npt.NDArray[np.float64]],
    together: Sequence[Sequence[int]],
    each: int,
    seed: int = 0,
) -> Iterator[npt.NDArray[np.uint8]]:
    """Draw truths: of each item independently of the others, in given proportions.

    Of what is randomised together, cells are drawn, as often as their rarest truth is needed.
    """
    rng = np.random.default_rng(seed)
    units = [*survey.places_together]
    cells = [np.array(group.cells) for group in survey.groups]
    for place, item in enumerate(survey.items):
        if item.group is None:
            units.append((place,))
            cells.append(np.arange(len(item.truths))[:, np.newaxis])
    wanted = [
        np.max([needed[place][of] for place, of in zip(places, those.T, strict=True)], axis=0)
        for places, those in zip(units, cells, strict=True)
    ]
    left = int(max(one.sum() for one in wanted))
    while left > 0:
        size = min(left, AT_ONCE)
        left -= size
        drawn = np.empty((size, len(needed)), dtype=np.uint8)
        for places, those, counts in zip(units, cells, wanted, strict=True):
            share = np.cumsum(counts) / counts.sum()
            drawn[:, places] = those[np.searchsorted(share[:-1], rng.random(size), side="right")]
        yield drawn
    for truths in together:
        for start in range(0, each, AT_ONCE):
            yield np.tile(np.array(truths, dtype=np.uint8), (min(AT_ONCE, each - start), 1))


def run(engine: Engine, survey: Survey, truths: npt.NDArray[np.uint8]) -> Run:
    """Let the modules report some truths."""
    head, middle, tail = _around(survey)
    job = {
        "truths": base64.b64encode(np.ascontiguousarray(truths).tobytes()).decode(),
        "head": head,
        "middle": middle,
        "tail": tail,
    }
    found = engine("sample", job)
    answers = np.frombuffer(base64.b64decode(found["answers"]), dtype=np.uint8)
    return Run(truths, answers.reshape(truths.shape), found["oddities"], tuple(found["odd"]))


def _around(survey: Survey) -> tuple[str, str, str]:
    """Return what stands in a message before its id, between id and answers, and after them."""
    report = Report(survey.slug, survey.revision, bytes(ID_BYTES), b"", survey.wave_numbers[0])
    body = report.to_json().decode()
    id = json.dumps(report.id.hex())
    head, _, rest = body.partition(id)
    middle, tail = rest[:-2], rest[-2:]
    return f'{head}"', f'"{middle}', tail
