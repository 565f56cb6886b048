"""How a report is drawn, in words and with the numbers of the design, for readers of no formula."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question
from deniable.text.languages import Say, in_english

_SHOWN: Final = 4
"""Answers up to which each is worked out; of more, only the first and the last."""

_NUMBER: Final = "{number}"
"""A sentence that no language has to translate."""

_NAMED: Final = 3
"""Codes that a sentence names: the likeliest ones."""


def randomisation(survey: Survey, question: Question, say: Say = in_english) -> Iterator[str]:
    """Say what the device does with an answer to a question, and what 100 people then send."""
    item = survey.items_of(question)[0]
    if question.protection is Protection.DIRECT:
        yield say("Nothing is drawn: the device sends the answer that is given.")
        return
    if item.has_spinner:
        yield say(
            "The device draws one of the two statements by chance and shows it. The person says "
            "whether it is true of them, and that reply is sent. It does not say which statement "
            "was drawn."
        )
    elif item.group is not None:
        yield from _together(survey, item, say)
    elif item.reports_name_truths:
        yield say("The device draws by chance whether it sends the true answer or another one.")
    else:
        yield say("The device draws one of {count} codes, and sends it.", count=len(item.reports))
        if item.channel.ratio is not None:
            yield say(
                "How often it draws each code depends on the true answer, and every code can come "
                "from every answer."
            )
    yield from (_say_of_100(item, place, say) for place in _worked_truths(item))
    if item.memory is not None:
        yield say(
            "It draws once which answer it keeps, and in each wave anew what it sends of that. The "
            "numbers are those of one wave."
        )


def _worked_truths(item: Item) -> Sequence[int]:
    places = range(len(item.truths))
    return places if len(places) <= _SHOWN else (0, len(places) - 1)


def _say_of_100(item: Item, truth: int, say: Say) -> str:
    """Say what 100 people with the same true answer send."""
    row = item.channel.probabilities[truth].tolist()
    answer = item.truths[truth]
    true = item.in_full(answer) if item.statements else quoted(answer.text)
    if not item.reports_name_truths:
        likely = sorted(range(len(row)), key=lambda place: -row[place])[:_NAMED]
        sent = [
            say("code {code}: {count}", code=place + 1, count=_count(row[place], say))
            for place in likely
        ]
        if rest := len(row) - len(likely):
            left = _count(1 - sum(row[place] for place in likely), say)
            sent.append(say("the other {rest} codes together: {count}", rest=rest, count=left))
    else:
        others = [place for place in range(len(row)) if place != truth]
        sent = [f"{quoted(answer.text)}: {_count(row[truth], say)}"]
        if len(others) > 1 and len({_count(row[place], say) for place in others}) == 1:
            each = _count(row[others[0]], say)
            sent.append(
                say("each of the {others} other answers: {count}", others=len(others), count=each)
            )
        else:
            named = (f"{quoted(item.truths[place].text)}: " for place in others)
            counts = (_count(row[place], say) for place in others)
            sent.extend(map("".join, zip(named, counts, strict=True)))
    sends = "; ".join(sent)
    return say(
        "Of 100 people for whom {true} is true, about so many send {sends}.", true=true, sends=sends
    )


def _together(survey: Survey, item: Item, say: Say) -> Iterator[str]:
    assert item.group is not None  # noqa: S101  for the type checker
    group = item.group
    names = ", ".join(quoted(survey.question(id).text) for id in group.questions)
    kept, *others = sorted(group.channel.probabilities[0].tolist(), reverse=True)
    yield say(
        "The answers to {questions} are drawn as one. Of 100 people with the same true answers, "
        "about {kept} send these, and {count} each of the {others} other combinations that can be "
        "true. Of this question alone:",
        questions=names,
        kept=_count(kept, say),
        count=_count(others[0], say),
        others=len(others),
    )


def quoted(text: str) -> str:
    """Quote a text in a left-to-right sentence, isolated if it runs from right to left."""
    turns = any(unicodedata.bidirectional(one) in ("R", "AL") for one in text)
    return f"\N{FIRST STRONG ISOLATE}“{text}”\N{POP DIRECTIONAL ISOLATE}" if turns else f"“{text}”"


def _count(share: float, say: Say) -> str:
    """Write a share as a number of 100 people, with at most one decimal."""
    if 0 < share < 0.0005:
        return say("fewer than 0.1")
    return say(_NUMBER, number=round(100 * share, 1))
