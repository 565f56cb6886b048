"""One person's truths, the words that replace chance, and the report that must be sent."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.client.respondent import draw_report
from deniable.survey import Survey


@dataclass(frozen=True)
class Tape:
    """One person's truths, and the words that replace chance."""

    truths: tuple[int, ...]  # one for each item
    # For the id, each item, the noise that a device keeps, each choice of a draw, and each place
    # in a random order, in this order.
    words: tuple[int, ...]
    wave: int = 0  # the current one, as a report writes it (`Survey.on_wire`)


def expected_body(survey: Survey, tape: Tape) -> str:
    """Return the body that the headless respondent sends for a tape."""
    words = np.array(tape.words, dtype=np.uint32)

    def handed_out(count: int) -> npt.NDArray[np.uint32]:
        # The headless respondent sees no order, and draws none.
        expected = count + sum(words_for_orders(survey))
        if words.size != expected:
            raise ValueError(f"expected a tape of {expected} words, found {words.size}")
        return words[:count]

    return draw_report(survey, tape.truths, handed_out, wave=tape.wave).to_json().decode()


def words_for_orders(survey: Survey) -> list[int]:
    """Return how many words each random order takes: the questions', then each question's own."""
    counts = [len(survey.questions)] if survey.shuffled else []
    for question in survey.questions:
        if question.shuffled:
            own = survey.places[question.id] if question.has_several_items else question.answers
            counts.append(len(own))
    return counts
