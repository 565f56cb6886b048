"""The mistakes in a survey file's text; if there are none, what the survey costs.

The checks run in a process of their own (`lint_worker`), one text after the other: a survey that
takes long to compile stalls no page of the desk, and can be ended. The desk's analyses and plans
run there too.
"""

import json
import os
import pickle
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any, BinaryIO, Final, TypeAlias

from deniable.analysis.planning.advice import advice, is_too_wide, redraw_for, width_words
from deniable.analysis.planning.budgets import Precision, measure_of, people_for, precision
from deniable.exact import MILLION
from deniable.server.desk.editor.fields import where
from deniable.server.desk.editor.spoken import names_of, spoken
from deniable.server.web.failures import log_failure
from deniable.survey import Survey
from deniable.survey.draws import linked, unit_ids
from deniable.survey.questions import Protection, Question
from deniable.survey_file import Mistake, PlanFields, SurveyFile, SurveyFileError, read
from deniable.survey_file.located import parse, value_of
from deniable.text.sureness import Sureness, at_most, implication, sureness, sureness_of, tier_of
from deniable.text.wording import TELLS_NOTHING, brief_loss, loss_in_all

Checked: TypeAlias = dict[str, Any]
"""The lint result: numbers and sentences as the page shows them, to be written as JSON.

``mistakes`` and ``notes`` have ``line``, ``column``, ``place``, ``message`` and, in the form's
words, ``where`` and ``said``. ``cost`` is None if there is a mistake. ``failed`` says why a text
could not be checked, and is empty if it was.
"""

_GOALS: Final = ("one_met", "all_met", "sure_met", "width_met")

_LONGEST: Final = 200
"""Seconds after which the process ends itself, so that no text can keep it for ever."""

_MEMORY: Final = 2**30
"""Bytes: the desk's whole service has twice as much."""

_LOOK: Final = 0.05
"""Seconds between two checks of this process's memory, where the system enforces no limit."""

_MISTAKES: Final = (ValueError, ArithmeticError)
"""What the analysis raises for a choice that cannot be analysed."""

TOO_MUCH: Final = "It needs more memory than the desk gives. {}"

_PLACE: Final = "The server's log names the place in the code."
FAILED: Final = f"The desk could not check this text. {_PLACE}"
NOT_COMPUTED: Final = f"The desk could not compute this. {_PLACE}"

_OFTEN: Final = 0.02
"""Questions that are drawn nearly as often as each other are drawn equally often."""

_PART: Final = 2**16
"""Bytes that are read at once from a call that does not fit into memory."""


def failure(why: str) -> Checked:
    """Return the lint result of a text that could not be checked."""
    return {"failed": why, "mistakes": [], "notes": [], "cost": None}


def check(text: str, respondents: int) -> Checked:
    """Check the text of a survey file, for an expected number of respondents."""
    try:
        file = _compile(text)
    except SurveyFileError as error:
        return {**failure(""), "mistakes": _mistakes_with_places(text, error.mistakes)}
    value = parse(text, "").value
    return {
        **failure(""),
        "notes": _mistakes_with_places(text, file.notes),
        "cost": _cost(file, respondents, value),
    }


@lru_cache(maxsize=4)
def _compile(text: str) -> SurveyFile:
    # Compiled once for all numbers of respondents.
    return read(text)


def _mistakes_with_places(text: str, found: Iterable[Mistake]) -> list[dict[str, Any]]:
    value = value_of(text)
    return [
        {"line": one.line, "column": one.column, "place": [*one.place], "message": one.message}
        | {"where": where(one.place), "said": spoken(one.message, value, one.place)}
        for one in found
    ]


def _cost(file: SurveyFile, respondents: int, value: Any) -> dict[str, Any]:
    survey, plan = file.survey, file.plan
    found = sureness(survey)
    measure = measure_of(plan)
    items = precision(survey, respondents, measure)
    told = advice(survey, respondents, names_of(value), measure)
    questions = [
        # All items of a question have the same channel, and the same number of respondents.
        _question(survey, question, items[survey.places[question.id][0]], plan)
        | {"named": f"{n}. {question.text}"}
        for n, question in enumerate(survey.questions, start=1)
    ]
    cost: Checked = {
        "survey": survey.slug,
        "title": survey.title,
        "respondents": respondents,
        "promised": f"{survey.epsilon:.3f}",
        "shared": _shared(file, respondents, value, questions),
        "spent": _spent(survey),
        "direct": len(survey.asked_directly),
        "units": [] if survey.units is None else [*survey.units.choices],
        "drawn": drawn_from(file),
        "skip": _price_of_skip(file, respondents),
        "sharing": len(file.sharing),
        "sure": None if found is None else at_most(found.all),
        "one": None if found is None else at_most(found.one),
        "changed": "" if found is None or found.changed is None else change_in_words(found),
        "one_met": "" if found is None else met(found.one, plan.one),
        "all_met": "" if found is None else met(found.all, plan.all),
        "width_met": _all_met(items, questions, plan),
        "colour": "" if found is None else found.colour.value,
        "told": [*implication(survey)],
        "questions": questions,
        "warnings": [
            {"said": spoken(one.said, value), "helps": spoken(one.helps, value)}
            | {"place": [*one.place], "where": where(one.place)}
            for one in told
        ],
    }
    for one in cost["warnings"]:
        if one["place"] == ["waves", "redraw"]:
            take, price = _redrawn(file, respondents, value, items)
            one["helps"] += f" {price}"
            if take:
                one["take"] = take
    hosts: list[Checked] = [cost, *questions]
    said = (one[goal] for one in hosts for goal in _GOALS if goal in one)
    cost["missed"] = any("missed" in one for one in said)
    return cost


def _shared(file: SurveyFile, respondents: int, value: Any, questions: list[Checked]) -> str:
    """Say how precise the first question that shares ε is, and with one more like it."""
    if not file.sharing:
        return ""
    id, *others = file.sharing
    count, survey = len(file.survey.questions), file.survey
    number = [one.id for one in survey.questions].index(id)
    another = {**value["questions"][number], "id": "one_more_like_it"}
    now = questions[number]["width"].partition(";")[0]
    every = f"The {len(file.sharing)}" if others else "All"
    rest = "what is left of " * (len(file.sharing) + len(survey.asked_directly) < count)
    said = f"{every} protected questions of a person share {rest}ε {brief_loss(survey.epsilon)}. "
    said += f"Question {number + 1}: {now} with {respondents:,} people"
    try:
        # As JSON, which is YAML that is soon read.
        asked = [*value["questions"], another]
        more = read(json.dumps({**value, "questions": asked})).survey
    except ValueError:  # such as one item too many
        return f"{said}."
    found = precision(more, respondents, measure_of(file.plan))
    then = _width(found[more.places[id][0]]).partition(";")[0]
    skips = {one.prefer_not_to_say for one in (survey.question(id), more.question(id))}
    skip = ": both then offer Skip" if len(skips) == 2 else ""
    return f"{said}, and {then} with one more question like it{skip}."


def _redrawn(
    file: SurveyFile, respondents: int, value: Any, now: Sequence[Precision]
) -> tuple[str, str]:
    """Return the `redraw` that is advised, and what it does to the question that it widens most.

    It is empty where it would leave a question of no use.
    """
    redraw = f"{redraw_for(file.survey)[0]}"
    other = read(json.dumps({**value, "waves": {**value["waves"], "redraw": redraw}})).survey
    then = precision(other, respondents, measure_of(file.plan))
    was, found = max(zip(now, then, strict=True), key=lambda pair: points(pair[1]))
    number = [one.id for one in other.questions].index(found.item.question) + 1
    if is_too_wide(found):
        return "", "It leaves an interval of no use. Ask other people each time, and nobody twice."
    price = f"The widest interval is then that of question {number}: {width_words(found)}"
    return redraw, f"{price}, now {width_words(was)}."


def _price_of_skip(file: SurveyFile, respondents: int) -> str:
    """Say how many people more it takes to offer a skip; empty where there is no choice."""
    try:
        without, offered = file.skipping(offered=False), file.skipping(offered=True)
    except SurveyFileError:  # such as a redraw that takes the skip as a third answer
        return ""
    if without.document == offered.document:
        return ""
    # Of each question, because the widest interval may be of one that a skip does not change.
    measure = replace(measure_of(file.plan), counted=False)
    reached = {
        one.item.question: one.widest / (one.span or 1)
        for one in precision(without, respondents, measure)
        if one.item.protection is Protection.RANDOMISED
    }
    people = people_for(offered, reached, measure)
    return (
        f"To be as precise as {respondents:,} people without it, you need {people:,} "
        f"with it, {people / respondents:.1f} times as many."
    )


def change_in_words(found: Sureness) -> str:
    """Say how much a change between waves reveals, which is another bound than the wanted one."""
    if found.unlimited:
        return "can be seen"
    return f"{at_most(found.changed or 0)}; of all answers {at_most(found.changing or found.all)}"


def _spent(survey: Survey) -> str:
    """Say the ε of all protected answers of a respondent, and the promised ε if it differs."""
    parts = [item.epsilon for item in survey.items if item.epsilon is not None]
    spent = loss_in_all(survey.spent_millionths / MILLION, parts)
    promised = brief_loss(survey.epsilon)
    return f"ε {spent} in all" + f", of {promised} promised" * (not spent.endswith(promised))


def drawn_from(file: SurveyFile) -> str:
    """Say which units chance draws from, and how many; empty if everybody is asked all."""
    survey, whole = file.survey, file.survey.units
    if survey.ask is None or whole is None:
        return ""
    groups = [one.questions for one in survey.groups]
    units = [*unit_ids(survey.questions, file.sharing, groups, whole.choices)]
    numbers = {one.id: f"{number}" for number, one in enumerate(survey.questions, start=1)}
    parts = []
    for id, number in numbers.items():
        own = [one for one in units if one.partition(".")[0] == id]
        both = " and ".join(numbers[one] for one in linked(survey.questions, id, groups))
        if own == [id]:
            parts.append(f"question {number}" if both == number else f"questions {both} at once")
        elif own:
            parts.append(f"each of the {len(own)} options or rows of question {number}")
    said = f"Chance draws from {len(units)}: {', '.join(parts)}."
    drawn = {*chain(*whole.places)}
    often = {
        number: survey.asked_shares[place]
        for id, number in numbers.items()
        if (place := survey.places[id][0]) in drawn
    }
    most, least = max(often, key=often.__getitem__), min(often, key=often.__getitem__)
    if often[most] - often[least] < _OFTEN:
        return said
    return (
        f"{said} Question {most} is asked of {round(100 * often[most])} in 100 people, question "
        f"{least} of {round(100 * often[least])}."
    )


def met(found: float, wanted: float | Fraction | None) -> str:
    """Say whether a goal is met, in words that follow the value found; empty without a goal."""
    if wanted is None:
        return ""
    return f"{float(wanted):g} wanted: {'met' if found <= wanted else 'missed'}"


def _all_met(items: Iterable[Precision], questions: list[Checked], plan: PlanFields) -> str:
    """Say whether all intervals are as narrow as wanted, and which questions' are not."""
    said = met(max(map(points, items), default=0), plan.within)
    wide = [one["named"].partition(".")[0] for one in questions if "missed" in one["width_met"]]
    if plan.within_of:
        said = f"each its own wanted: {'missed' if wide else 'met'}"
    return f"{said} by question {', '.join(wide)}" if wide else said


def points(found: Precision) -> float:
    """Return how far the interval reaches, in points; for a number, in hundredths of its span."""
    if found.item.protection is Protection.DIRECT:
        return 0
    return 100 * found.widest / (found.span or 1)


def _question(
    survey: Survey, question: Question, found: Precision, plan: PlanFields
) -> dict[str, Any]:
    number, epsilon = sureness_of(survey, question), survey.epsilon_of(question)
    return {
        "id": question.id,
        "skips": question.prefer_not_to_say,
        "epsilon": "direct" if epsilon is None else f"{epsilon:.6f}",
        "sure": "as given" if number is None else at_most(number),
        "colour": "" if number is None else tier_of(number).colour.value,
        "sure_met": "" if number is None else met(number, plan.one),
        "width": _width(found),
        "width_met": "" if number is None else _width_met(found, plan),
        "span": found.span,
        "example": "" if number is None else _example(found),
        "too_wide": is_too_wide(found),
    }


def _width(found: Precision) -> str:
    width = width_words(found)
    if found.shares is not None:
        return width
    return f"{width}; no shares, so no crossing or regression"


def _width_met(found: Precision, plan: PlanFields) -> str:
    """Say whether an interval is as narrow as wanted; for a number, in the number's own unit."""
    unit = (found.span or 100) / 100
    of_all = None if plan.within is None else float(plan.within) * unit
    said = met(points(found) * unit, (plan.within_of or {}).get(found.item.question, of_all))
    return said and f"±{said}"


def _example(found: Precision) -> str:
    """Give the interval of a share of 40 %, as an example; empty for a number's mean."""
    if found.span is not None or found.widest >= TELLS_NOTHING:
        return ""
    low, high = max(40 - 100 * found.widest, 0), 40 + 100 * found.widest
    return f"If 40 % come out, the interval is at most {low:.1f} to {high:.1f} %."


def computed(pickled: bytes) -> tuple[str, bytes]:
    """Call a pickled function; return its error as a sentence, or its pickled result."""
    # Imported only here: it loads Flask, as the called functions do.
    from deniable.server.desk.results.files import sentence  # noqa: PLC0415

    try:
        found = pickle.loads(pickled)()  # noqa: S301  the desk, which started this, wrote it
    except _MISTAKES as mistake:
        # The library behind formulas turns it into a mistake of the formula.
        if any(isinstance(one, MemoryError) for one in _causes(mistake)):
            raise MemoryError from None
        return sentence(mistake), b""
    return "", pickle.dumps(found)


def _causes(mistake: BaseException | None) -> Iterator[BaseException]:
    while mistake is not None:
        yield mistake
        mistake = mistake.__context__


def document(text: str) -> Checked:
    """Compile a text: its protocol document, which a text with mistakes does not have."""
    try:
        return {**failure(""), "document": _compile(text).survey.to_json().decode()}
    except SurveyFileError:
        return failure("")


def answer(request: dict[str, Any]) -> Checked:
    """Answer a request: check a text for so many people, or compile it."""
    return check(**request) if "respondents" in request else document(**request)


def _answered(line: bytes, requests: BinaryIO) -> tuple[bytes, bytes]:
    """Return the answer to one request: a line of JSON, and the result of a call."""
    failed = FAILED
    try:
        request, found = json.loads(line), b""
        if "call" in request:
            failed = NOT_COMPUTED
            said, found = computed(_read_bytes(requests, request["call"]))
            answered: Checked = {"failed": said, "found": len(found)}
        else:
            answered = answer(request)
        return json.dumps(answered).encode() + b"\n", found
    except MemoryError:
        failed = TOO_MUCH
    except Exception as error:  # noqa: BLE001  the next request must find a process that runs
        log_failure(error)
    return json.dumps(failure(failed)).encode() + b"\n", b""


def _read_bytes(requests: BinaryIO, size: int) -> bytes:
    """Read `size` bytes; consume them all if they do not fit, as the next request follows."""
    try:
        given = requests.read(size)
    except MemoryError:
        while size:
            size -= len(requests.read(min(size, _PART)))
        raise
    return given


def answer_all(requests: BinaryIO, answers: BinaryIO, seconds: float = 0) -> None:
    """Answer requests until there are no more.

    Each is a line of JSON. A call follows its line, as many bytes as the line says; so does the
    result of a call.

    `seconds`: processor time after which a request ends the process; 0 for no limit.
    """
    for line in requests:
        # By then the desk has given up and ended this process, or has itself ended.
        signal.alarm(_LONGEST)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        answers.writelines(_answered(line, requests))
        answers.flush()
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)


def bound_memory(most: int) -> None:
    """Limit this process's memory to `most` bytes; if it needs more, it fails or ends."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    else:  # macOS takes a limit and does not keep it
        threading.Thread(target=_end_beyond, args=(most,), daemon=True).start()


def _end_beyond(most: int) -> None:
    unit = 1 if sys.platform == "darwin" else 1024
    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit <= most:
        time.sleep(_LOOK)
    os.abort()


if __name__ == "__main__":
    bound_memory(_MEMORY)
    answer_all(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[1]))
