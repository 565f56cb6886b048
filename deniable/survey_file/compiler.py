"""From the text of a survey file to a survey: read everything, and find all mistakes.

No check knows a line: `_read_changed` finds the line of each mistake at the end, by its path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from deniable.survey import BATCH, Survey
from deniable.survey.about import NOTHING, About
from deniable.survey.items import Item
from deniable.survey.questions import Pages
from deniable.survey_file.branching import check_asked_before, read_conditions
from deniable.survey_file.channels import (
    Draft,
    charge,
    check_control,
    check_family,
    check_reports,
    drop_statements,
)
from deniable.survey_file.located import Mistake, Path, SurveyFileError, Wrong, parse, value_of
from deniable.survey_file.plan import check_columns, check_plan
from deniable.survey_file.rules import (
    MAX_ITEMS,
    branch,
    cannot_be_told,
    check_texts_differ,
    has_room,
    read_question,
)
from deniable.survey_file.schema import (
    EXPECTED,
    PARTS,
    LinkedFields,
    PacketFields,
    PlanFields,
    QuestionFields,
    SurveyFields,
    required,
)
from deniable.survey_file.spending import Spending, spend
from deniable.survey_file.texts import (
    check_translated,
    in_its_language,
    in_language,
    read_languages,
    texts_of,
)
from deniable.survey_file.together import check_same_fact, read_groups
from deniable.survey_file.values import OTHER_KEYS, describe, is_linked
from deniable.survey_file.waves import check_waves, with_memory
from deniable.text.near import meant
from deniable.text.safety import seen

Fields = TypeVar("Fields", bound=BaseModel)

_SHARING: Final = {"epsilon", "ask", "chances"}
"""Keys of a survey that decide how the questions share ε."""

_IS_DICTIONARY: Final = (
    "expected a survey with the key 'questions', found the key “columns” of a data dictionary, "
    "which comes after its data file"
)


@dataclass(frozen=True)
class SurveyFile:
    """The content of a survey file.

    `notes`: warnings about valid parts that may not be as intended. `sharing`: the ids of the
    questions that share the survey's ε. `split`: how they share it: ``"equal"``, ``"weight"``,
    ``"even"`` or ``"optimal"``. `plan`: the expectations of the study, which are in no document.
    `text`, `source`: the text of the file, and its name.
    """

    survey: Survey
    notes: tuple[Mistake, ...]
    sharing: tuple[str, ...]
    split: str
    plan: PlanFields
    text: str = field(repr=False)
    source: str

    def asking_everybody(self) -> Survey:
        """Compile the same questions without `ask_if`."""

        def change(fields: SurveyFields) -> SurveyFields:
            asked = [one.model_copy(update={"ask_if": None}) for one in fields.questions or ()]
            return fields.model_copy(update={"questions": asked})

        return _read_changed(self.text, self.source, change).survey

    def under(self, split: str = "equal", ask: int | None = None) -> Survey:
        """Compile the same questions with another `split` and `ask`."""
        return self._with(ask=ask, chances=None, split=split)

    def skipping(self, *, offered: bool) -> Survey:
        """Compile the same questions with another `skip`."""
        return self._with(skip=offered)

    def _with(self, **keys: object) -> Survey:
        def change(fields: SurveyFields) -> SurveyFields:
            return fields.model_copy(update=keys)

        return _read_changed(self.text, self.source, change).survey


def read(text: str, source: str = "survey") -> SurveyFile:
    """Read a survey file, or raise a `SurveyFileError` with every mistake in it.

    `text`: YAML. `source`: the name of the file, for errors.
    """
    return _read_changed(text, source, lambda fields: fields)


@lru_cache(maxsize=256)
def plan_of(text: str) -> PlanFields:
    """Return the `plan` of a survey file, as far as it can be read."""
    return _read_extra_key(text, "plan", PlanFields)


@lru_cache(maxsize=256)
def packet_of(text: str) -> BaseModel:
    """Return the `packet` of a survey file for the ethics packet, as far as it can be read."""
    return _read_extra_key(text, "packet", PacketFields)


def _read_extra_key(text: str, key: str, part: type[Fields]) -> Fields:
    """Read a key of a survey file that is in no document."""
    value = value_of(text)
    return fields_of(part, value.get(key) if isinstance(value, dict) else None)[0]


def _read_changed(
    text: str, source: str, change: Callable[[SurveyFields], SurveyFields]
) -> SurveyFile:
    """Read a survey file after changing some keys of the survey."""
    document = parse(text, source)
    value = document.value
    if isinstance(value, dict) and "columns" in value and "questions" not in value:
        wrong = Wrong(("columns",), _IS_DICTIONARY, at_key=True)
        raise SurveyFileError(source, [*document.mistakes, document.mistake(wrong)])
    reading = _reading_of(value, change)
    plan, spending = reading.fields.plan or PlanFields(), reading.spending
    found, survey = [*reading.wrong], None
    if all(one.is_note for one in found) and not document.mistakes:
        survey = _survey(reading)
        found += check_columns(plan, survey)
    notes = sorted(document.mistake(one) for one in found if one.is_note)
    mistakes = [document.mistake(one) for one in found if not one.is_note]
    if survey is None or mistakes:
        raise SurveyFileError(source, [*document.mistakes, *mistakes])
    return SurveyFile(survey, tuple(notes), spending.sharing, spending.split, plan, text, source)


@dataclass(frozen=True)
class _Reading:
    """All that could be read of a survey, and all mistakes.

    `languages`: the main one first. `others`: the fields in each language but the first.
    """

    fields: SurveyFields
    wrong: Sequence[Wrong]
    drafts: Sequence[Draft]
    items: Sequence[Item]
    spending: Spending
    languages: tuple[str, ...]
    others: Sequence[SurveyFields]


def _reading_of(value: Any, change: Callable[[SurveyFields], SurveyFields]) -> _Reading:
    """Read all that can be read of a survey, and find all mistakes."""
    if isinstance(value, dict) and "languages" in value:
        languages, (fields, *others), wrong = _fields_in_languages(value)
    else:
        languages, others = ("en",), list[SurveyFields]()
        fields, wrong = fields_of(SurveyFields, value)
    fields = change(fields)
    if fields.questions == []:
        wrong.append(Wrong(("questions",), "expected at least one question, found none"))
    fields, found = _offer_skip(fields)
    wrong += found
    drafts, found = _drafts(fields.questions or [])
    wrong += found
    groups = list[list[Draft]]()
    if fields.together:
        groups, found = read_groups(fields.together, drafts)
        wrong += found
        # After a mistake, such as an `ask_if` that always holds, an answer may be in no cell of its
        # group, and an item without a row for each answer is an error.
        groups = groups if all(one.is_note for one in wrong) else []
    if fields.same_fact is not None:
        wrong += check_same_fact(fields.same_fact, drafts)
    for draft in drafts:
        draft.channels, found = charge(draft)
        wrong += found
    # Where nothing is shared, `spend` would find the same, and its many rules need not be known.
    spending = Spending(sum(draft.cost for draft in drafts), (), fields.split or "equal", None)
    if _SHARING & fields.model_fields_set or any(draft.shares for draft in drafts):
        spending, found = spend(fields, drafts, groups)
        wrong += found
    wrong += _check_drafts(fields, drafts, spending)
    if fields.plan is not None:
        wrong += check_plan(fields.plan, fields.questions or [], drafts)
    # Before items are compiled: an item with statements that no spinner can show is an error.
    for draft in drafts:
        wrong += drop_statements(draft, has_waves="waves" in fields.model_fields_set)
    items: Sequence[Item] = [item for draft in drafts for item in draft.items]
    if fields.waves is not None:
        wrong += check_waves(fields.waves, drafts)
        items, found = with_memory(items, fields.waves)
        wrong += found
    return _Reading(fields, wrong, drafts, items, spending, languages, others)


def _fields_in_languages(
    value: dict[str, Any],
) -> tuple[tuple[str, ...], list[SurveyFields], list[Wrong]]:
    """Read a survey in each of its languages."""
    languages, wrong = read_languages(value["languages"])
    wrong += check_translated(value, languages, sure=not wrong)
    read = list[SurveyFields]()
    for language in languages:
        fields, found = fields_of(SurveyFields, in_language(value, language))
        # `_drafts` checks the questions in the first language.
        for place, question in enumerate(fields.questions or () if read else ()):
            found += [one.below("questions", place) for one in check_texts_differ(question)]
        wrong += [in_its_language(one, value, language) for one in found]
        read.append(fields)
    return languages, read, wrong


def _offer_skip(fields: SurveyFields) -> tuple[SurveyFields, list[Wrong]]:
    """Offer to decline each question with room for it that does not say otherwise."""
    questions = fields.questions or []
    if not fields.skip or len(questions) < 2:  # leaving the page skips the only one
        return fields, []
    offer = {"prefer_not_to_say": True}
    offered = [
        one.model_copy(update=offer) if one.prefer_not_to_say is None and has_room(one) else one
        for one in questions
    ]
    wrong = []
    if not any(one.prefer_not_to_say for one in offered):
        said = "no question's design has room for one more answer, so none can be skipped"
        wrong.append(Wrong(("skip",), said, is_note=True))
    return fields.model_copy(update={"questions": offered}), wrong


def _drafts(questions: Sequence[QuestionFields]) -> tuple[list[Draft], list[Wrong]]:
    """Read the questions; return a draft of each that can be read, and mistakes."""
    drafts, wrong = list[Draft](), list[Wrong]()
    places: dict[str, Path] = {}
    texts: dict[str, str] = {}
    for place, fields in enumerate(questions):
        here: Path = ("questions", place)
        # The same question may be asked twice, such as “How often?”, but not by a hidden character.
        text = fields.text or ""
        if (other := texts.setdefault(seen(text), text)) != text:
            wrong.append(Wrong((*here, "text"), cannot_be_told(other, text)))
        if fields.id is not None and (first := places.setdefault(fields.id, here)) != here:
            said = "expected an id of its own, found that of an earlier question:"
            wrong.append(Wrong((*here, "id"), said, beside=[(*first, "id")]))
        question, found = read_question(fields)
        if question is not None and fields.ask_if is not None:
            earlier = [draft.question for draft in drafts]
            unread = {str(one.id) for one in questions[:place]} - {one.id for one in earlier}
            conditions, more = read_conditions(fields.ask_if, question, earlier, unread)
            found += [one.below("ask_if") for one in more]
            question, more = branch(question, conditions)
            found += more
        if question is not None:
            drafts.append(Draft(here, fields, question))
        wrong += [one.below(*here) for one in found]
    count = sum(len(draft.question.parts) for draft in drafts)
    if count > MAX_ITEMS:
        said = f"expected at most {MAX_ITEMS} items (options and rows), found {count}"
        wrong.append(Wrong(("questions",), said))
    return drafts, wrong


def _check_drafts(
    fields: SurveyFields, drafts: Sequence[Draft], spending: Spending
) -> Iterator[Wrong]:
    """Find mistakes between the questions, and between them and the survey."""
    for draft in drafts:
        if draft.question.ask or (spending.ask and draft.shares):
            yield from check_reports(draft)
        if draft.question.ask_if:
            yield from check_asked_before(draft, drafts, fields.order)
        found = check_family(draft.fields, draft.question)
        yield from (one.below(*draft.place) for one in found)
        yield from check_control(draft)
    if fields.comprehension and drafts and not any(draft.is_randomised for draft in drafts):
        said = "every question is direct, so there is no protection to ask about: leave it out"
        yield Wrong(("comprehension",), said)


def _survey(reading: _Reading) -> Survey:
    """Make the survey from a reading without mistakes."""
    fields, about = reading.fields, _about(reading.fields)
    questions = tuple(draft.question for draft in reading.drafts)
    keys = [key for key, _ in about.texts]
    return Survey(
        slug=fields.survey or "",
        title=fields.title or "",
        introduction=fields.introduction or "",
        epsilon_millionths=reading.spending.promised,
        questions=questions,
        items=tuple(reading.items),
        ask=reading.spending.ask,
        pages=None if fields.pages is None else Pages(fields.pages),
        shuffled=fields.order is not None,
        hides_branch=fields.branch is not None,
        exit=fields.exit,
        waves=(fields.waves and fields.waves.count) or 1,
        same_people=fields.waves is None or fields.waves.same_people,
        languages=reading.languages,
        translations=tuple(texts_of(one, _about(one), questions, keys) for one in reading.others),
        comprehension=bool(fields.comprehension),
        advance=fields.advance is not None,
        same_fact=tuple(fields.same_fact or ()),
        is_named=fields.address is not None,
        batch=fields.batch or BATCH,
        about=about,
        before=(),
    )


def _about(fields: SurveyFields) -> About:
    about, known = dict[str, Any](), asdict(NOTHING)
    for key, given in fields:
        if isinstance(given, LinkedFields):
            about |= {key: given.text or "", f"{key}_link": given.link or ""}
        elif given is not None and key in known:
            about[key] = given
    return About(**about)


def fields_of(model: type[Fields], value: Any) -> tuple[Fields, list[Wrong]]:
    """Read each key by itself: a key with a mistake is reported, and read as if it were empty."""
    if not isinstance(value, dict):
        return model(), [Wrong((), f"expected keys and values, found {describe(value)}")]
    wrong = [*_absent(model, value)]
    try:
        return model.model_validate(value), wrong
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
    left: Any = deepcopy(value)
    for error in errors:
        loc = error["loc"]
        # After "questions" come the question's place and its key; after "waves" the key itself.
        first = str(loc[0])
        inside = min(2 if first == "questions" else 1, len(loc) - 1) if first in PARTS else 0
        part = PARTS[first] if inside else model
        if part is LinkedFields and not is_linked(value[first]):
            inside = 0
        wrong.append(_wrong(part, str(loc[inside]), dict(error)))
        *way, last = loc[: inside + 1]
        holder: Any = left
        for step in way:
            holder = holder[step]
        if error["type"] == "extra_forbidden":
            del holder[last]
        else:
            holder[last] = {} if isinstance(holder, list) else None
    return model.model_validate(left), wrong


def _absent(model: type[BaseModel], value: Any) -> Iterator[Wrong]:
    """Find missing required keys, and keys without a value."""
    if not isinstance(value, dict):
        return
    for key in required(model):
        if key not in value:
            yield Wrong((key,), f"expected the key {key!r}, found none")
    for key in value.keys() & model.model_fields.keys() - {"languages"}:
        if value[key] is None:
            yield Wrong((key,), f"expected a value for {key!r}, found nothing")
    for key in PARTS.keys() & value.keys() & model.model_fields.keys():
        part, one = PARTS[key], value[key]
        if part is QuestionFields:
            listed = enumerate(one if isinstance(one, list) else ())
            ways: list[tuple[Path, Any]] = [((key, place), each) for place, each in listed]
        else:
            # `contact` and `help` may be a text without a link.
            ways = [((key,), one)] if part is not LinkedFields or is_linked(one) else []
        for way, each in ways:
            yield from (found.below(*way) for found in _absent(part, each))


def _wrong(model: type[BaseModel], key: str, error: dict[str, Any]) -> Wrong:
    """Translate an error of pydantic into a mistake in plain words."""
    loc, given = error["loc"], error["input"]
    if error["type"] == "extra_forbidden":
        keys, other = sorted(model.model_fields), OTHER_KEYS.get(key.lower())
        hint = f"did you mean {other!r}?" if other in keys else meant(key, keys, "expected")
        return Wrong(loc, f"unknown key {key!r}: {hint}", at_key=True)
    if error["type"] == "value_error":
        listed = given if key in ("answers", "rows", "statements") else ()
        pairs = listed.items() if isinstance(listed, dict) else enumerate([*(listed or ())])
        bad = [step for step, one in pairs if not (isinstance(one, str) and one.strip())]
        return Wrong((*loc, *bad[:1]), str(error["ctx"]["error"]))
    usual = "keys and values" if error["type"] == "model_type" else "another kind of value"
    expected = EXPECTED.get(key, usual)
    return Wrong(loc, f"expected {expected}, found {describe(given)}")
