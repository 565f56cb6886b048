"""The rules between the parts of a survey: each check raises a `ValueError` if broken.

A document can come from anybody, so nothing here relies on the checks of `deniable.survey_file`,
which tell the author of a file what to change where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from deniable import exact
from deniable.channel import MAX_REPORTS, Channel
from deniable.crypto.blind import is_key
from deniable.survey.about import About
from deniable.survey.draws import Draw, check_chances
from deniable.survey.items import Item, numbered, with_replies
from deniable.survey.kind import Kind
from deniable.survey.questions import Condition, Protection, Question
from deniable.survey.together import MAX_CELLS, Group, cells_of
from deniable.survey.waves import MAX_WAVES
from deniable.text.languages import LANGUAGES, QuestionTexts, Texts
from deniable.text.safety import check_plain

BATCH: Final = 10
"""The default batch: by how many new reports at once the desk's view of a survey grows."""

MAX_BATCH: Final = 1000


def check_batch(batch: int) -> None:
    """Reject a batch that is no whole number from 1 to `MAX_BATCH`."""
    if type(batch) is not int or not 1 <= batch <= MAX_BATCH:
        raise ValueError(f"expected a batch of 1 to {MAX_BATCH} reports, found {batch!r}")


def check_texts(
    questions: Sequence[Question], items: Sequence[Item], translations: Sequence[Texts]
) -> None:
    """Reject invisible characters: a terminal would obey them, or they would mislead a reader."""
    answers = [
        *(one for each in questions for one in (*each.answers, *each.rows, *each.statements)),
        *(one for item in items for one in (*item.truths, *item.reports)),
    ]
    others = [texts for one in translations for texts in one.questions.values()]
    for line in (
        *(question.id for question in questions),
        *(item.id for item in items),
        *(text for answer in answers for text in (answer.code, answer.text)),
        *(one.title for one in translations),
        *(text for one in others for some in _by_code(one) for text in some.values()),
        *(text for one in translations for key, text in one.about.items() if key != "consent"),
    ):
        check_plain(line)
    for paragraph in (
        *(text for one in questions for text in (one.text, one.hint)),
        *(text for one in others for text in (one.text, one.hint)),
        *(item.text for item in items),
        *(one.introduction for one in translations),
        *(text for one in translations for key, text in one.about.items() if key == "consent"),
    ):
        check_plain(paragraph, lines=True)


def _by_code(texts: QuestionTexts) -> tuple[Mapping[str, str], ...]:
    return texts.answers, texts.rows, texts.statements


def check_names(questions: Sequence[Question], items: Sequence[Item]) -> None:
    """Check that items have the words of their questions: devices recognise items by these."""
    for question in questions:
        for item in (item for item in items if item.question == question.id):
            named = item.truths if item.reports_name_truths else numbered(item.channel.reports)
            if (
                (item.id, item.text) not in question.parts
                or item.truths != question.truths
                or item.reports != with_replies(question, named)
            ):
                raise ValueError(
                    f"item {item.id!r}: expected the words of question {question.id!r}, found "
                    f"{item.text!r}: {', '.join(one.text for one in item.truths + item.reports)}"
                )


def check_truths(questions: Sequence[Question], items: Sequence[Item]) -> None:
    """Check that each answer is a truth of its items: without a row, silence would reveal it.

    Check also the statements, the yes and the known shares of questions.
    """
    for question in questions:
        codes = [truth.code for truth in question.truths]
        own = [item for item in items if item.question == question.id]
        for item in own:
            if [truth.code for truth in item.truths] != codes:
                raise ValueError(
                    f"item {item.id!r}: expected a truth for each answer to {question.id!r}, and "
                    "none besides"
                )
        if len({(item.channel, item.memory) for item in own}) > 1:
            raise ValueError(
                f"question {question.id!r}: expected one table for all its items, because what its "
                "page says of chance holds for each"
            )
        if question.statements and (
            question.is_number
            or question.has_several_items
            or question.shuffled
            or [statement.code for statement in question.statements] != codes
        ):
            raise ValueError(
                f"question {question.id!r}: expected a statement for each of two answers in their "
                "order, and no other answer"
            )
        if question.yes and (len(codes) != 2 or question.yes not in codes):
            raise ValueError(
                f"question {question.id!r}: expected the code of one of two answers as its yes, "
                f"found {question.yes!r}"
            )
        if question.known and (len(own) != 1 or not _are_control_shares(question.known, own[0])):
            raise ValueError(
                f"question {question.id!r}: expected the known share of each answer to one "
                "randomised item, in millionths, such that random reports would be others"
            )


def _are_control_shares(known: Sequence[int], item: Item) -> bool:
    """Whether shares of an item's truths, in millionths, are valid and do not look random."""
    return (
        item.protection is Protection.RANDOMISED
        and all(type(share) is int and share >= 0 for share in known)
        and len(known) == len(item.truths)
        and sum(known) == exact.MILLION
        and tells_who_follows(item.channel, known)
    )


def tells_who_follows(channel: Channel, known: Sequence[int]) -> bool:
    """Return whether the reports of people with these known shares are not uniformly random."""
    mixed = {
        sum(share * row[report] for share, row in zip(known, channel.weights, strict=True))
        for report in range(channel.reports)
    }
    return len(mixed) > 1


def check_draws(draws: Sequence[Draw], items: Sequence[Item]) -> None:
    """Reject impossible draws, and draws of direct items."""
    choices = [choice for draw in draws for choice in draw.choices]
    if len({*choices}) < len(choices):
        raise ValueError("expected to ask each choice of all draws once")
    for draw in draws:
        own = [place for places in draw.places for place in places]
        if len({*own}) < len(own) or not all(draw.places):
            raise ValueError("expected to ask some of several units, each item in one of them")
        if type(draw.count) is not int or not 1 <= draw.count < len(draw.choices):
            raise ValueError(
                f"expected to ask at least 1 and fewer than {len(draw.choices)}, "
                f"found {draw.count!r}"
            )
        check_chances(draw.chances, draw.count, len(draw.choices))
        for item in (items[place] for place in own):
            if item.protection is Protection.DIRECT:
                raise ValueError(f"item {item.id!r} is direct: expected to ask everybody")
            if item.channel.reports == MAX_REPORTS:
                raise ValueError(
                    f"item {item.id!r}: expected at most {MAX_REPORTS - 1} reports where chance "
                    f"draws what is asked, found {MAX_REPORTS}"
                )


def check_groups(
    groups: Sequence[Group],
    questions: Sequence[Question],
    items: Sequence[Item],
    draws: Sequence[Draw],
) -> None:
    """Reject groups whose cells are not the possible answers, or that a draw could split."""
    units = [{*places} for draw in draws for places in draw.places]
    for group in groups:
        members = [one for one in questions if one.id in group.questions]
        own = [place for place, item in enumerate(items) if item.question in group.questions]
        if (
            len(members) < 2
            or tuple(one.id for one in members) != group.questions
            or [items[place].question for place in own] != [*group.questions]
            or any(items[place].group != group for place in own)
            or not all(unit.isdisjoint(own) or unit.issuperset(own) for unit in units)
            or not len(group.cells) <= MAX_CELLS
            or group.cells != cells_of(members)
        ):
            raise ValueError(
                f"{group.questions}: expected questions that are randomised together to have one "
                f"item each, {MAX_CELLS} cells at most, and to be drawn together"
            )


def check_branching(
    questions: Sequence[Question], items: Sequence[Item], draws: Sequence[Draw]
) -> None:
    """Reject conditions on answers that a device may lack, and conditions that reveal an answer.

    By induction, a direct question that needs only direct ones does not depend on a randomised one
    through any chain of skipped questions: each such link would have been rejected.
    """
    drawn = [{*places} for draw in draws for places in draw.places]
    places = {item.id: place for place, item in enumerate(items)}
    before: dict[str, Question] = {}
    for question in questions:
        for condition in question.ask_if:
            place = places.get(condition.item)
            needed = None if place is None else before.get(items[place].question)
            if needed is None:
                raise ValueError(
                    f"question {question.id!r} needs an answer to {condition.item!r}: "
                    "expected an item of an earlier question"
                )
            _check_condition(question, condition, needed)
            own = {place for place, one in enumerate(items) if one.question == question.id}
            apart = any(place in unit and not own <= unit for unit in drawn)
            if question.ask is not None or apart:
                raise ValueError(
                    f"question {question.id!r} needs an answer to {needed.id!r}: expected "
                    "chance to draw both or neither"
                )
        before[question.id] = question


def _check_condition(question: Question, condition: Condition, needed: Question) -> None:
    """Reject a condition that cannot hold, or a direct question that needs a randomised answer."""
    known = [answer.code for answer in needed.offered]
    if not condition.answers or not {*condition.answers} <= {*known}:
        raise ValueError(
            f"question {question.id!r} needs one of {condition.answers} of {needed.id!r}: "
            f"expected some of {', '.join(known)}"
        )
    if would_reveal(question, needed):
        raise ValueError(
            f"question {question.id!r} is direct and needs an answer to {needed.id!r}, which is "
            "randomised: whether it was skipped would give that answer away"
        )


def would_reveal(question: Question, needed: Question) -> bool:
    """Return whether a question, by being skipped, shows a server a randomised answer it needs."""
    return question.protection is Protection.DIRECT and needed.protection is Protection.RANDOMISED


def check_waves(waves: int, items: Sequence[Item], *, same_people: bool) -> None:
    """Check that randomised items have a memory if the same people answer several waves."""
    randomised = (item for item in items if item.protection is Protection.RANDOMISED)
    remembered = [item.memory is not None for item in randomised]
    if type(waves) is not int or not 1 <= waves <= MAX_WAVES:
        raise ValueError(f"expected 1 to {MAX_WAVES} waves, found {waves!r}")
    if waves == 1 and not same_people:
        raise ValueError("expected waves for other people to answer, found one")
    if not {*remembered} <= {waves > 1 and same_people}:
        raise ValueError(
            "expected every randomised item to be remembered from wave to wave, and none in a "
            "survey that is asked once, or other people each time"
        )


def check_same_fact(same_fact: Sequence[str], questions: Sequence[Question]) -> None:
    """Check that two or more questions of one randomised answer each ask about the same fact."""
    asked = {
        one.id
        for one in questions
        if one.protection is Protection.RANDOMISED and not one.has_several_items
    }
    if same_fact and not (len(same_fact) == len({*same_fact}) > 1 and asked.issuperset(same_fact)):
        raise ValueError(
            f"expected two questions or more of one randomised answer each that ask about the same "
            f"fact, found {', '.join(map(str, same_fact))}"
        )


def check_token_keys(keys: Sequence[str], waves: int, kind: Kind) -> None:
    """Check that each wave has its own key: with one key, a token would be valid in any wave."""
    if not keys:
        return
    if kind == "trial":
        raise ValueError("expected no keys of tokens in a trial")
    if not len({*keys}) == len(keys) == waves:
        raise ValueError(f"expected as many keys of tokens as there are waves, found {len(keys)}")
    if not all(is_key(key) for key in keys):
        raise ValueError("expected keys of tokens: 512 hex digits, odd, without a small factor")


def check_languages(
    languages: tuple[str, ...],
    translations: Sequence[Texts],
    questions: Sequence[Question],
    about: About,
) -> None:
    """Reject languages without a catalogue, and translations that lack a text or have another."""
    known = dict.fromkeys(one for one in languages if one in LANGUAGES)
    if not known or tuple(known) != languages:
        expected = ", ".join(LANGUAGES)
        raise ValueError(f"expected languages of {expected}, each once, found {languages}")
    if len(translations) != len(languages) - 1:
        raise ValueError("expected the texts in every language but the first")
    codes = sorted(
        (
            one.id,
            [
                [] if one.is_number else sorted(answer.code for answer in one.answers),
                sorted(row.code for row in one.rows),
                sorted(statement.code for statement in one.statements),
            ],
        )
        for one in questions
    )
    for language, texts in zip(languages[1:], translations, strict=True):
        found = [(id, [*map(list, _by_code(one))]) for id, one in texts.questions.items()]
        if found != codes or [*texts.about] != sorted(dict(about.texts)):
            raise ValueError(f"expected in {language!r} a text for each that there is to read")
