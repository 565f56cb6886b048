"""The rules between the keys of a question, and the question that the keys describe."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from deniable import exact
from deniable.designs import families
from deniable.roles import yes_of
from deniable.survey.items import NOISY
from deniable.survey.questions import (
    DOES_NOT_APPLY,
    PREFER_NOT_TO_SAY,
    Answer,
    Condition,
    Protection,
    Question,
    QuestionType,
)
from deniable.survey_file.located import Wrong
from deniable.survey_file.schema import QuestionFields
from deniable.survey_file.values import Choices
from deniable.text.safety import alike

MAX_TRUTHS: Final = 255
"""The most truths: a byte can report so many besides "not asked"."""

MAX_ANSWERS: Final = 254
"""The most answers: a report is one byte, 255 is "not asked", one is for "Skipped"."""

MAX_ITEMS: Final = 1000
"""The most items of one survey: more would spread any budget too thin for estimates."""

_CODE: Final = re.compile(r"\w[\w-]{0,63}")
_NUMERAL: Final = re.compile(r"-?\d+(?:\.\d+)?")

ONLY_FOR: Final = {
    "rows": {QuestionType.GRID},
    **{key: {QuestionType.NUMBER} for key in ("min", "max", "step", "levels")},
    "ask": {QuestionType.MANY, QuestionType.GRID},
    **{key: {*QuestionType} - {QuestionType.NUMBER} for key in ("order", "answers")},
    **{key: {QuestionType.SINGLE} for key in ("style", "statements", "known")},
    "yes": {QuestionType.SINGLE, QuestionType.GRID},
}
OFFERING_YES_NO: Final = {one.value for one in QuestionType if one.offers_yes_no}

COSTS: Final = ("flip", "epsilon", "design")
"""The keys of a question that decide its cost."""
_CHOICES: Final = ("family", "levels")
"""The keys that decide which channel an epsilon picks."""
_NOT_BY_STATEMENT: Final = {
    "prefer_not_to_say": "declining would be a third answer, and the spinner has two statements",
    "ask_if": "where it is skipped would be a third answer, and the spinner has two statements",
    "order": "chance decides which of the two statements is shown",
}
"""The keys that a question with `style: statement` cannot have, and why."""
_NOT_KNOWN: Final = {
    "prefer_not_to_say": "nobody knows how many would decline",
    "ask_if": "the share is known of all people, and not of those to whom the question applies",
}
"""The keys that a question with `known` cannot have, and why."""


def read_question(
    fields: QuestionFields, most: int = MAX_ANSWERS
) -> tuple[Question | None, list[Wrong]]:
    """Read a question, and find mistakes between its keys; None if too much is missing.

    `most`: the most answers that it may have.
    """
    wrong = [*_check_keys(fields)]
    answers = rows = None
    try:
        if fields.type is QuestionType.NUMBER:
            answers = _levels(fields)
        elif fields.type is not None:
            # One option is a choice too: it is ticked or not.
            fewest = 1 if QuestionType(fields.type).offers_yes_no else 2
            answers = _answers(fields, "answers", (fewest, most))
    except Wrong as found:
        wrong.append(found)
    try:
        rows = _answers(fields, "rows", (1, MAX_ANSWERS)) if fields.type in ONLY_FOR["rows"] else ()
    except Wrong as found:
        wrong.append(found)
    wrong += _check_choices(fields, answers)
    if fields.type is None or answers is None or rows is None or fields.id is None:
        return None, wrong
    question = Question(
        id=fields.id,
        text=fields.text or "",
        type=fields.type,
        answers=answers,
        rows=rows,
        protection=Protection(fields.protection or Protection.RANDOMISED),
        prefer_not_to_say=bool(fields.prefer_not_to_say),
        hint=fields.hint or "",
        shuffled=fields.order is not None,
    )
    for read in (_with_yes, _with_statements, _with_known, _with_ask):
        question, found_too = read(fields, question)
        wrong += found_too
    return question, wrong


_QUOTED: Final = re.compile("[\u2018\u201c\u201e\xab].*[\u2019\u201c\u201d\xbb]")
"""A text in the quotation marks of word processors."""

_NO_ROOM: Final = ("design", "style", "statements", "known", "yes")
"""The keys of a question whose design has no room for one more answer."""


def has_room(fields: QuestionFields) -> bool:
    """Return whether a question is protected by a design with room for one more answer."""
    if fields.protection == Protection.DIRECT.value or any(
        getattr(fields, key) for key in _NO_ROOM
    ):
        return False
    if fields.type is QuestionType.NUMBER:  # the usual designs of a number randomise numbers alone
        return fields.family == families.BESIDES
    answers = fields.answers or ()
    return PREFER_NOT_TO_SAY not in answers and len(answers) < MAX_ANSWERS


Read: TypeAlias = tuple[Question, list[Wrong]]
"""A question with one more of its keys, and the mistakes in that key."""


def _with_yes(fields: QuestionFields, question: Question) -> Read:
    """Read the code of the answer that is the yes of the design, unless the type has none."""
    if fields.yes is None or fields.type not in ONLY_FOR["yes"]:
        return question, []
    if len(question.offered) != 2:
        said = f"a yes is one of two answers, found {len(question.offered)}: leave it out"
        return question, [Wrong(("yes",), said)]
    by_text = {answer.text: answer.code for answer in question.offered}
    known = {**by_text, **{code: code for code in by_text.values()}}
    if fields.yes not in known:
        said = f"expected one of {', '.join(by_text.values())}, found {fields.yes!r}"
        return question, [Wrong(("yes",), said)]
    return replace(question, yes=known[fields.yes]), []


def _with_ask(fields: QuestionFields, question: Question) -> Read:
    """Read the number of its items that each respondent is asked."""
    ask, items = fields.ask, len(question.parts)
    if ask is None or question.protection is Protection.DIRECT:
        return question, []
    if ask > items:
        said = f"expected at most {items}, the number of options or rows, found {ask}"
        return question, [Wrong(("ask",), said)]
    if ask == items:
        said = "'ask' has no effect: there are no more options or rows than that"
        return question, [Wrong(("ask",), said, is_note=True)]
    return replace(question, ask=ask), []


def branch(question: Question, conditions: tuple[Condition, ...]) -> Read:
    """Add conditions to a question, which give it the answer "does not apply"."""
    # Known shares are those of all people, and have none for "does not apply".
    branched, wrong = replace(question, ask_if=conditions, known=()), []
    last = branched.truths[-1]
    if len(branched.truths) > MAX_TRUTHS:
        said = (
            f"expected at most {MAX_TRUTHS - 2} answers besides 'skipped' and 'does not "
            f"apply', found {len(question.answers)}: a report is one byte"
        )
        return question, [Wrong(("max" if question.is_number else "answers",), said)]
    if last.code == DOES_NOT_APPLY and any(
        alike(one.text) == alike(last.text) for one in question.offered
    ):
        said = (
            f"'ask_if' adds the answer {last.text!r} by itself: leave yours out, or give it the "
            f"code {DOES_NOT_APPLY!r}"
        )
        wrong.append(Wrong(("answers",), said))
    if question.yes and len(branched.truths) != 2:
        said = f"a yes is one of two answers, and 'ask_if' adds {last.text!r}: leave it out"
        branched = replace(branched, yes="")
        wrong.append(Wrong(("yes",), said))
    return branched, wrong


def _check_keys(fields: QuestionFields) -> Iterator[Wrong]:
    """Find keys that do not go together."""
    written = fields.model_fields_set
    if fields.id is not None and fields.id.endswith(NOISY):
        said = f"an id must not end in {NOISY!r}, which marks the columns of noisy reports"
        yield Wrong(("id",), said)
    for key, types in ONLY_FOR.items():
        if key in written and fields.type is not None and fields.type not in types:
            said = f"{key!r} is for {' and '.join(sorted(types))}, not for {fields.type}"
            yield Wrong((key,), said)
    for key in ("min", "max") if fields.type is QuestionType.NUMBER else ():
        if key not in written:
            yield Wrong((key,), f"a number needs the key {key!r}, found none")
    if fields.protection == "direct":
        for key in (*COSTS, *_CHOICES, "weight", "ask", "style", "yes"):
            if key in written:
                said = f"a direct question is sent as it is given: leave {key!r} out"
                yield Wrong((key,), said)
    yield from _check_costs(written)


def _check_costs(written: Set[str]) -> Iterator[Wrong]:
    """Find keys that contradict another key about the cost of a question."""
    costs = [key for key in COSTS if key in written]
    for key in costs[1:]:
        found = f"found {key!r} besides {costs[0]!r}"
        yield Wrong((key,), f"expected one of flip, epsilon and design, {found}")
    for key in _CHOICES:
        for cost in ("flip", "design"):
            if key in written and cost in written:
                yield Wrong(
                    (key,),
                    f"{key!r} has no effect together with {cost!r}, which decides the channel: "
                    "leave one of them out",
                )
    if "weight" in written and costs:
        yield Wrong(
            ("weight",),
            f"a question with its own {costs[0]!r} does not share the survey's epsilon: leave "
            "'weight' out",
        )


def _answers(
    fields: QuestionFields, key: str, between: tuple[int, int]
) -> tuple[Answer, ...] | None:
    """Read the texts of answers or rows, and make a code for each that has none."""
    choices: Choices | None = getattr(fields, key)
    if choices is None:
        if key not in fields.model_fields_set:
            raise Wrong((key,), f"expected the key {key!r}, found none")
        return None
    fewest, most = between
    if not fewest <= len(choices) <= most:
        reason = (
            "a report is one byte, so its length says nothing"
            if len(choices) > most
            else "with fewer, there is no choice"
        )
        found = f"found {len(choices)}: {reason}"
        raise Wrong((key,), f"expected {fewest} to {most} {key}, {found}")
    if isinstance(choices, dict):
        return tuple(Answer(code, text) for code, text in choices.items())
    return tuple(map(Answer, codes(choices), choices))


def _check_choices(fields: QuestionFields, answers: Sequence[Answer] | None) -> Iterator[Wrong]:
    """Find invalid and reserved codes, and repeated texts."""
    for key in ("answers", "rows"):
        choices = getattr(fields, key)
        for code in choices if isinstance(choices, dict) else ():
            if not _CODE.fullmatch(code):
                said = f"expected a code of letters, digits, _ and -, found {code!r}"
                yield Wrong((key, code), said, at_key=True)
    yield from check_texts_differ(fields)
    yield from _find_quoted(fields)
    if fields.prefer_not_to_say and any(one.code == PREFER_NOT_TO_SAY for one in answers or ()):
        said = f"the code {PREFER_NOT_TO_SAY!r} belongs to 'prefer_not_to_say: true'"
        yield Wrong(("answers",), said)


def _find_quoted(fields: QuestionFields) -> Iterator[Wrong]:
    """Find answers or rows in the quotation marks of word processors, which YAML does not know."""
    for key in ("answers", "rows"):
        choices = getattr(fields, key) or ()
        for step in choices if isinstance(choices, dict) else range(len(choices)):
            text = choices[step]
            if _QUOTED.fullmatch(text):
                said = (
                    f'the quotation marks of {text} are part of the words: those of YAML are " '
                    "and '"
                )
                yield Wrong((key, step), said, is_note=True)


def check_texts_differ(fields: QuestionFields) -> Iterator[Wrong]:
    """Find texts of two answers or rows that people cannot tell apart."""
    for key in ("answers", "rows"):
        choices = getattr(fields, key) or ()
        steps = choices if isinstance(choices, dict) else range(len(choices))
        known: dict[str, str] = {}
        for step in steps:
            text = choices[step]
            if alike(text) in known:
                yield Wrong((key, step), cannot_be_told(known[alike(text)], text))
            known.setdefault(alike(text), text)


def cannot_be_told(one: str, other: str) -> str:
    """Say that two texts look alike, with the characters of the second if they are others."""
    said = f"expected texts that people can tell apart, found {one!r} and {other!r}"
    return said if one == other else f"{said}, which is {other!a}"


def _with_statements(fields: QuestionFields, question: Question) -> Read:
    """Read the statement of each answer, unless the question cannot have statements."""
    written = fields.model_fields_set & {"style", "statements"}
    if not written or fields.type not in ONLY_FOR["statements"]:
        return question, []
    texts = fields.statements
    known = [answer.code for answer in question.answers]
    if isinstance(texts, list) and len(texts) == len(known):
        texts = dict(zip(known, texts, strict=True))
    wrong = [*_check_statements(fields, question, texts)]
    if wrong or question.protection is Protection.DIRECT or not isinstance(texts, dict):
        return question, wrong
    return replace(question, statements=tuple(Answer(code, texts[code]) for code in known)), []


def _check_statements(
    fields: QuestionFields, question: Question, texts: Choices | None
) -> Iterator[Wrong]:
    written = fields.model_fields_set
    if "style" not in written:
        yield Wrong(("statements",), "these have no effect without 'style: statement'")
    for key, reason in _NOT_BY_STATEMENT.items():
        # A key with the value false counts as absent.
        if getattr(fields, key):
            yield Wrong((key,), f"{reason}: leave {key!r} or 'style' out", at_key=True)
    known = [answer.code for answer in question.answers]
    if len(known) != 2:
        said = f"expected two answers with a statement each, found {len(known)} answers"
        yield Wrong(("answers",), said)
    elif texts is None and "statements" not in written:
        yield Wrong(("statements",), "expected the key 'statements', found none")
    elif texts is not None and {*texts} != {*known}:
        found = ", ".join(texts) if isinstance(texts, dict) else len(texts)
        said = f"expected a statement for each of {' and '.join(known)}, found {found}"
        yield Wrong(("statements",), said)
    elif isinstance(texts, dict) and len({*texts.values()}) < len(texts):
        yield Wrong(("statements",), "expected two different statements, found the same twice")
    elif yes_of(question) == 0:
        yield Wrong(
            ("answers",),
            "expected no before yes with 'style: statement': the reply “True of me” is reported by "
            "the second answer's code",
        )


def _with_known(fields: QuestionFields, question: Question) -> Read:
    """Read the known share of each answer, in millionths, unless the question is no control."""
    if fields.known is None or fields.type not in ONLY_FOR["known"]:
        return question, []
    codes = [answer.code for answer in question.answers]
    place = yes_of(question)
    yes = "yes" if place is None else codes[place]
    given = fields.known if isinstance(fields.known, dict) else {yes: fields.known}
    missing = [code for code in codes if code not in given]
    wrong = [*_check_known(fields, question, given, missing)]
    if wrong:
        return question, wrong
    millionths = {code: round(share * exact.MILLION) for code, share in given.items()}
    # The rest takes up the rounding error, or the greatest share, where it matters least.
    [rest] = missing or [max(given, key=given.__getitem__)]
    others = sum(share for code, share in millionths.items() if code != rest)
    millionths[rest] = exact.MILLION - others
    return replace(question, known=tuple(millionths[code] for code in codes)), []


def _check_known(
    fields: QuestionFields,
    question: Question,
    given: Mapping[str, Fraction],
    missing: Sequence[str],
) -> Iterator[Wrong]:
    for key, reason in _NOT_KNOWN.items():
        if getattr(fields, key):
            yield Wrong((key,), f"{reason}: leave {key!r} or 'known' out", at_key=True)
    if question.protection is Protection.DIRECT:
        said = "a direct question shows nothing of who follows the instructions: leave it out"
        yield Wrong(("known",), said)
    codes = [answer.code for answer in question.answers]
    unknown = [code for code in given if code not in codes]
    rest = 1 - sum(given.values())
    if unknown:
        found = f"that of {unknown[0]!r}" if isinstance(fields.known, dict) else "a number alone"
        shares = f"the shares of {', '.join(codes)}, such as {{{codes[-1]}: 1/12}}"
        yield Wrong(("known",), f"expected {shares}, found {found}")
    elif len(missing) > 1 or rest < 0 or (rest and not missing):
        yield Wrong(
            ("known",),
            "expected the shares of all answers, which sum to 1, or of all but one, whose share is "
            f"the rest; found {', '.join(given)}, which sum to {float(1 - rest):g}",
        )


def codes(texts: list[str]) -> list[str]:
    """Make a short, unique code of each text, for the columns and cells of an export.

    >>> codes(["Does not apply", "20 to 29", "-1", "C", "C++"])
    ['does_not_apply', '20_to_29', '-1', 'c', 'c_2']
    """
    made: dict[str, None] = {}
    repeats: dict[str, int] = {}  # the last number of each code: a search for each takes hours
    for number, text in enumerate(texts, start=1):
        plain = unicodedata.normalize("NFKC", text).strip()
        numeral = _NUMERAL.fullmatch(plain)
        base = plain if numeral else re.sub(r"\W+", "_", plain.lower()).strip("_")[:48]
        base = base or f"answer_{number}"
        repeat = repeats.get(base, 1)
        code = base if repeat == 1 else f"{base}_{repeat}"
        while code in made:
            repeat += 1
            code = f"{base}_{repeat}"
        made[code], repeats[base] = None, repeat
    return [*made]


def _levels(fields: QuestionFields) -> tuple[Answer, ...] | None:
    """List the values of a number question as answers; None if a bound or the step is missing."""
    written = fields.model_fields_set
    if fields.min is None or fields.max is None or (fields.step is None and "step" in written):
        return None
    step, span = fields.step or Fraction(1), fields.max - fields.min
    if span <= 0:
        raise Wrong(("max",), f"expected max above min = {decimal(fields.min)}")
    steps = span / step
    if steps.denominator != 1:
        raise Wrong(
            ("step" if "step" in written else "max",),
            f"expected a whole number of steps from min to max, found {float(steps):.6g}: "
            f"choose another step{_fitting(span)}",
        )
    if steps + 1 > MAX_ANSWERS:
        raise Wrong(
            ("max",),
            f"expected at most {MAX_ANSWERS} values from min to max, found {steps + 1}: "
            f"choose a larger step{_fitting(span)}",
        )
    values = (decimal(fields.min + step * place) for place in range(int(steps) + 1))
    return tuple(Answer(value, value) for value in values)


def _fitting(span: Fraction) -> str:
    """Suggest the least round step that divides a span, if there is one."""
    round_ = (Fraction(n) * 10**power for power in range(12) for n in (1, 2, Fraction(5, 2), 5))
    fitting = (one for one in round_ if span / one < MAX_ANSWERS and not span % one)
    return f", such as {decimal(found)}" if (found := next(fitting, None)) else ""


def decimal(number: Fraction) -> str:
    """Write a number plainly: 3, 2.5, or 1/3 where decimals do not end.

    >>> decimal(Fraction(5, 2)), decimal(Fraction(40)), decimal(Fraction(1, 3))
    ('2.5', '40', '1/3')
    """
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(number)
    return f"{(Decimal(number.numerator) / Decimal(number.denominator)).normalize():f}"
