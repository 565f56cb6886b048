"""What is true of somebody, the words that take the place of chance, and what must be sent."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.client.respondent import draw_report
from deniable.survey import Survey


@dataclass(frozen=True)
class Tape:
    """What is true of somebody, and the words that take the place of chance."""

    truths: tuple[int, ...]  # one for each item
    # Of the id, of each item, of what a device keeps, of each choice of what is asked, and of each
    # place in a random order.
    words: tuple[int, ...]
    wave: int = 0  # that is on; 0 in a survey without waves


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


def words_for_orders(survey: Survey) -> list[int]:
    """Return how many words each random order takes: of the questions, then of each one's own."""
    counts = [len(survey.questions)] if survey.shuffled else []
    for question in survey.questions:
        if question.shuffled:
            own = survey.places[question.id] if question.has_several_items else question.answers
            counts.append(len(own))
    return counts
