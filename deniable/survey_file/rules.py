"""What must hold between the keys of a question, and the question that they describe."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from deniable import exact
from deniable.designs import families
from deniable.designs.families import Family
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
from deniable.survey_file.located import Complaints
from deniable.survey_file.schema import QuestionFields
from deniable.survey_file.values import Choices

MAX_TRUTHS: Final = 255
"""As many as a byte can report besides "not asked"."""

MAX_ANSWERS: Final = 254
"""A report is one byte, 255 says "not asked", and one answer is left for "prefer not to say"."""

MAX_ITEMS: Final = 1000
"""Items of one survey: more would spread any budget so thin that nothing could be learned."""

_CODE: Final = re.compile(r"\w[\w-]{0,63}")
_NUMERAL: Final = re.compile(r"-?\d+(?:\.\d+)?")

ONLY_FOR: Final = {
    "rows": {QuestionType.GRID},
    "min": {QuestionType.NUMBER},
    "max": {QuestionType.NUMBER},
    "step": {QuestionType.NUMBER},
    "levels": {QuestionType.NUMBER},
    "ask": {QuestionType.MANY, QuestionType.GRID},
    "order": {QuestionType.SINGLE, QuestionType.MANY, QuestionType.GRID},
    "answers": {QuestionType.SINGLE, QuestionType.MANY, QuestionType.GRID},
    "style": {QuestionType.SINGLE},
    "statements": {QuestionType.SINGLE},
    "known": {QuestionType.SINGLE},
    "yes": {QuestionType.SINGLE, QuestionType.GRID},
}
OFFERING_YES_NO: Final = {one.value for one in QuestionType if one.offers_yes_no}

KINDS: Final = {
    "single": "One answer of several",
    "yes_no": "Yes or no",
    "many": "Any of several",
    "number": "A number",
    "grid": "The same answers for several rows",
    "statement": "Two statements and a spinner",
    "direct": "One answer, sent as it is given",
}
"""Questions that can be added, by what is written for them."""

BEGINNINGS: Final[dict[str, dict[str, Any]]] = {
    "single": {"type": "single", "answers": ["First answer", "Second answer"]},
    "yes_no": {"type": "single", "answers": ["No", "Yes"]},
    "many": {"type": "many", "answers": ["First option", "Second option"]},
    "number": {"type": "number", "min": "0", "max": "10"},
    "grid": {"type": "grid", "answers": ["Never", "Once", "More often"], "rows": ["First row"]},
    "statement": {
        "type": "single",
        "answers": ["No", "Yes"],
        "style": "statement",
        "statements": ["I have never …", "I have …"],
    },
    "direct": {
        "type": "single",
        "answers": ["First answer", "Second answer"],
        "protection": "direct",
    },
}
"""What is written for each of them."""

_COSTS: Final = ("flip", "epsilon", "design")
_CHOICES: Final = ("family", "levels")
"""Keys that say which channel an epsilon picks."""
_NOT_BY_STATEMENT: Final = {
    "prefer_not_to_say": "declining would be a third answer, and the spinner has two statements",
    "ask_if": "where it is skipped would be a third answer, and the spinner has two statements",
    "order": "chance decides which of the two statements is shown",
}
"""Keys that a question has not that is asked by `style: statement`, and why."""
_NOT_KNOWN: Final = {
    "prefer_not_to_say": "nobody knows how many would decline",
    "ask_if": "the share is known of all people, and not of those to whom the question applies",
}
"""Keys that a question has not whose shares are known, and why."""


def read_question(
    fields: QuestionFields,
    written: frozenset[str],
    complaints: Complaints,
    most: int = MAX_ANSWERS,
) -> Question | None:
    """Check a question's keys against one another; None if too much is missing for a question.

    `most`: so many answers it may have at most.
    """
    if fields.id is not None and fields.id.endswith(NOISY):
        complaints.at("id").add(
            f"an id must not end in {NOISY!r}, which marks the columns of noisy reports"
        )
    _check_keys(fields, written, complaints)
    if fields.type is None:
        return None
    if fields.type is QuestionType.NUMBER:
        answers = _values(fields, written, complaints)
    else:
        answers = _answers(fields.answers, "answers", (2, most), written, complaints)
    rows: tuple[Answer, ...] | None = ()
    if fields.type is QuestionType.GRID:
        rows = _answers(fields.rows, "rows", (1, MAX_ANSWERS), written, complaints)
    declines = bool(fields.prefer_not_to_say)
    if declines and any(answer.code == PREFER_NOT_TO_SAY for answer in answers or ()):
        complaints.at("answers").add(
            f"the code {PREFER_NOT_TO_SAY!r} belongs to 'prefer_not_to_say: true'"
        )
    if answers is None or rows is None or fields.id is None or fields.text is None:
        return None
    question = Question(
        id=fields.id,
        text=fields.text,
        type=fields.type,
        answers=answers,
        rows=rows,
        protection=Protection(fields.protection or Protection.RANDOMISED),
        prefer_not_to_say=declines,
        hint=fields.hint or "",
        shuffled=fields.order is not None,
    )
    if fields.yes is not None and fields.type in ONLY_FOR["yes"]:
        question = replace(question, yes=_yes(fields.yes, question, complaints.at("yes")))
    if not {"style", "statements"}.isdisjoint(written):
        statements = _statements(fields, question, written, complaints)
        question = replace(question, statements=statements)
    if fields.known is not None and question.type is QuestionType.SINGLE:
        question = replace(question, known=_known_shares(fields, question, complaints))
    return _asking(fields.ask, question, complaints)


def _yes(written: str, question: Question, here: Complaints) -> str:
    """Return the code of the answer that is the yes of the design; nothing where none can be."""
    if len(question.offered) != 2:
        here.add(f"a yes is one of two answers, found {len(question.offered)}: leave it out")
        return ""
    by_text = {answer.text: answer.code for answer in question.offered}
    known = {**by_text, **{code: code for code in by_text.values()}}
    if written not in known:
        here.add(f"expected one of {', '.join(by_text.values())}, found {written!r}")
    return known.get(written, "")


def _asking(ask: int | None, question: Question, complaints: Complaints) -> Question:
    """Return the question, of which some items are asked only."""
    items = len(question.parts)
    if ask is None or question.protection is Protection.DIRECT or ask == items:
        return question
    if ask > items:
        complaints.at("ask").add(
            f"expected at most {items}, the number of options or rows, found {ask}"
        )
        return question
    return replace(question, ask=ask)


def branch(
    question: Question, conditions: tuple[Condition, ...], complaints: Complaints
) -> Question:
    """Let a question apply to some only, which gives it one more answer."""
    branched = replace(question, ask_if=conditions)
    last = branched.truths[-1]
    if len(branched.truths) > MAX_TRUTHS:
        complaints.at("max" if question.is_number else "answers").add(
            f"expected at most {MAX_TRUTHS - 2} answers besides 'prefer not to say' and 'does not "
            f"apply', found {len(question.answers)}: a report is one byte",
        )
        return question
    if last.code == DOES_NOT_APPLY and any(one.text == last.text for one in question.offered):
        complaints.at("answers").add(
            f"ask_if adds the answer {last.text!r} by itself: leave yours out, or give it the code "
            f"{DOES_NOT_APPLY!r}",
        )
    return branched


def read_family(fields: QuestionFields, question: Question, complaints: Complaints) -> Family:
    """Read the family from which an ε picks the channel of each of a question's items."""
    values = len(question.answers)
    if not question.is_number:
        besides = int(question.prefer_not_to_say)
        answers = len(question.truths) - besides
        return Family(
            _family(fields, "k_ary", families.ANSWERS, complaints), answers, None, besides
        )
    besides = len(question.truths) - values
    name = _family(fields, families.BESIDES if besides else "best", families.NUMBERS, complaints)
    if besides and name != families.BESIDES:
        key = "prefer_not_to_say" if question.prefer_not_to_say else "ask_if"
        complaints.at("family").add(
            f"{name} randomises numbers, and {question.truths[-1].text.lower()!r} is not one: "
            f"expected {families.BESIDES} with {key}, or leave one of them out",
        )
        name = families.BESIDES
    levels = fields.levels or min(values, families.DEFAULT_LEVELS)
    if not 2 <= levels <= values:
        complaints.at("levels").add(
            f"expected 2 to {values} levels, the number of values, found {levels}"
        )
        levels = values
    return Family(name, values, levels, besides)


def _family(
    fields: QuestionFields, usual: str, known: Container[str], complaints: Complaints
) -> str:
    """Return the name of the family, the usual one if it does not fit this type of question."""
    if fields.family is None or fields.family in known:
        return fields.family or usual
    complaints.at("family").add(
        f"the family {fields.family!r} is for the type number, not for {fields.type}: expected "
        "k_ary or best"
    )
    return usual


def _check_keys(fields: QuestionFields, written: frozenset[str], complaints: Complaints) -> None:
    """Complain of keys that do not go together."""
    for key, types in ONLY_FOR.items():
        if key in written and fields.type is not None and fields.type not in types:
            complaints.at(key).add(
                f"{key!r} is for {' and '.join(sorted(types))}, not for {fields.type}"
            )
    costs = [key for key in _COSTS if key in written]
    for key in costs[1:]:
        found = f"found {key!r} besides {costs[0]!r}"
        complaints.at(key).add(f"expected one of flip, epsilon and design, {found}")
    for key in _CHOICES:
        for cost in ("flip", "design"):
            if key in written and cost in written:
                complaints.at(key).add(
                    f"{key!r} has no effect together with {cost!r}, which decides the channel: "
                    "leave one of them out"
                )
    if "weight" in written and costs:
        complaints.at("weight").add(
            f"a question with its own {costs[0]!r} does not share the survey's epsilon: leave "
            "weight out"
        )
    if fields.protection == "direct":
        for key in (*_COSTS, *_CHOICES, "weight", "ask", "style", "yes"):
            if key in written:
                complaints.at(key).add(
                    f"a direct question is sent as it is given: leave {key!r} out"
                )


def _answers(
    choices: Choices | None,
    key: str,
    between: tuple[int, int],
    written: frozenset[str],
    complaints: Complaints,
) -> tuple[Answer, ...] | None:
    """Read the texts of answers or rows, and give a code to each that has none."""
    if choices is None:
        if key not in written:
            complaints.at(key).add(f"expected the key {key!r}, found none")
        return None
    fewest, most = between
    if not fewest <= len(choices) <= most:
        reason = (
            "a report is one byte, so its length says nothing"
            if len(choices) > most
            else "with fewer, there is no choice"
        )
        complaints.at(key).add(f"expected {fewest} to {most} {key}, found {len(choices)}: {reason}")
        return None
    if isinstance(choices, dict):
        answers = tuple(Answer(code, text) for code, text in choices.items())
        for answer in answers:
            if not _CODE.fullmatch(answer.code):
                complaints.at(key).add(
                    f"expected a code of letters, digits, _ and -, found {answer.code!r}"
                )
    else:
        answers = tuple(map(Answer, codes(choices), choices))
    texts = [answer.text for answer in answers]
    for text in dict.fromkeys(text for text in texts if texts.count(text) > 1):
        complaints.at(key).add(
            f"expected every text once, found {text!r} {texts.count(text)} times"
        )
    return answers


def _statements(
    fields: QuestionFields, question: Question, written: frozenset[str], complaints: Complaints
) -> tuple[Answer, ...]:
    """Read the statement of each answer; none where the question cannot be asked by them."""
    before = len(complaints.mistakes)
    if "style" not in written:
        complaints.at("statements").add("these have no effect without 'style: statement'")
    for key, reason in _NOT_BY_STATEMENT.items():
        # Written as false it is not there.
        if getattr(fields, key):
            complaints.at(key).add(f"{reason}: leave {key!r} or 'style' out", at_key=True)
    known = [answer.code for answer in question.answers]
    texts = fields.statements
    if isinstance(texts, list) and len(texts) == len(known):
        texts = dict(zip(known, texts, strict=True))
    if len(known) != 2:
        complaints.at("answers").add(
            f"expected two answers with a statement each, found {len(known)} answers"
        )
    elif texts is None and "statements" not in written:
        complaints.at("statements").add("expected the key 'statements', found none")
    elif texts is not None and {*texts} != {*known}:
        found = ", ".join(texts) if isinstance(texts, dict) else len(texts)
        complaints.at("statements").add(
            f"expected a statement for each of {' and '.join(known)}, found {found}"
        )
    elif isinstance(texts, dict) and len({*texts.values()}) < len(texts):
        complaints.at("statements").add("expected two different statements, found the same twice")
    elif yes_of(question) == 0:
        complaints.at("answers").add(
            "expected no before yes with 'style: statement': the reply “True of me” is reported by "
            "the second answer's code"
        )
    fits = (question.type, question.protection) == (QuestionType.SINGLE, Protection.RANDOMISED)
    if not fits or not isinstance(texts, dict) or len(complaints.mistakes) > before:
        return ()
    return tuple(Answer(code, texts[code]) for code in known)


def _known_shares(
    fields: QuestionFields, question: Question, complaints: Complaints
) -> tuple[int, ...]:
    """Read the known share of each answer, in millionths; none where it cannot be a control."""
    here, before = complaints.at("known"), len(complaints.mistakes)
    for key, reason in _NOT_KNOWN.items():
        if getattr(fields, key):
            complaints.at(key).add(f"{reason}: leave {key!r} or 'known' out", at_key=True)
    if question.protection is Protection.DIRECT:
        here.add("a direct question shows nothing of who follows the instructions: leave it out")
    codes = [answer.code for answer in question.answers]
    place = yes_of(question)
    yes = "yes" if place is None else codes[place]
    given = fields.known if isinstance(fields.known, dict) else {yes: fields.known}
    unknown = [code for code in given if code not in codes]
    if unknown:
        here.add(
            f"expected the shares of {', '.join(codes)}, such as {{{codes[-1]}: 1/12}}, found "
            + (f"that of {unknown[0]!r}" if isinstance(fields.known, dict) else "a number alone")
        )
    shares = {code: share for code, share in given.items() if share is not None}
    missing = [code for code in codes if code not in shares]
    rest = 1 - sum(shares.values())
    if not unknown and (len(missing) > 1 or rest < 0 or (rest and not missing)):
        here.add(
            "expected the shares of all answers, which sum to 1, or of all but one, whose share is "
            f"the rest; found {', '.join(shares)}, which sum to {float(1 - rest):g}"
        )
    if len(complaints.mistakes) > before:
        return ()
    found = {**shares, **dict.fromkeys(missing, rest)}
    millionths = [round(found[code] * exact.MILLION) for code in codes]
    # What rounding leaves is the greatest one's, where it weighs least.
    millionths[millionths.index(max(millionths))] += exact.MILLION - sum(millionths)
    return tuple(millionths)


def codes(texts: list[str]) -> list[str]:
    """Make a short code of each text, all different, for the columns and cells of an export.

    >>> codes(["Does not apply", "20 to 29", "-1", "C", "C++"])
    ['does_not_apply', '20_to_29', '-1', 'c', 'c_2']
    """
    made: dict[str, None] = {}
    repeats: dict[str, int] = {}  # the last of each, or thousands of equal texts take hours
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


def _values(
    fields: QuestionFields, written: frozenset[str], complaints: Complaints
) -> tuple[Answer, ...] | None:
    """List the values of a number, each an answer."""
    for key in ("min", "max"):
        if key not in written:
            complaints.at(key).add(f"a number needs the key {key!r}, found none")
    if fields.min is None or fields.max is None or (fields.step is None and "step" in written):
        return None
    step = fields.step or Fraction(1)
    if fields.max <= fields.min:
        complaints.at("max").add(f"expected max above min = {decimal(fields.min)}")
        return None
    steps = (fields.max - fields.min) / step
    if steps.denominator != 1:
        complaints.at("step" if "step" in written else "max").add(
            f"expected a whole number of steps from min to max, found {float(steps):.6g}: "
            f"choose another step{_fitting(fields.max - fields.min)}",
        )
        return None
    if steps + 1 > MAX_ANSWERS:
        complaints.at("max").add(
            f"expected at most {MAX_ANSWERS} values from min to max, found {steps + 1}: "
            f"choose a larger step{_fitting(fields.max - fields.min)}",
        )
        return None
    values = (decimal(fields.min + step * place) for place in range(int(steps) + 1))
    return tuple(Answer(value, value) for value in values)


def _fitting(span: Fraction) -> str:
    """Name the least round step that goes into a span, if there is one."""
    round_ = (Fraction(n) * 10**power for power in range(12) for n in (1, 2, Fraction(5, 2), 5))
    fitting = (one for one in round_ if span / one < MAX_ANSWERS and not span % one)
    return f", such as {decimal(found)}" if (found := next(fitting, None)) else ""


def decimal(number: Fraction) -> str:
    """Write a number plainly: 3, 2.5, or 1/3 where decimals would not end.

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
