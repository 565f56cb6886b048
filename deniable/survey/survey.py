"""The class `Survey`: questions, the items into which they are compiled, and the rules of both.

A researcher writes questions; a browser randomises *items*. `single` and `number` questions are
one item, `many` is an item per option and `grid` an item per row. `Survey.document` is the protocol
document that server, browser and headless respondent share, served as `survey.wordings` describes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, TypeVar

from deniable import exact
from deniable.survey import checks, corrections, wordings
from deniable.survey.about import NOTHING, About
from deniable.survey.address import address_of
from deniable.survey.document import SHOWN_DIGITS, as_shown, revision_of, write_item, write_question
from deniable.survey.draws import Draw, add, dearest, draws_of, most_asked
from deniable.survey.follow_ups import FollowUp, direct_follow_ups
from deniable.survey.items import Item
from deniable.survey.kind import Kind, Parent, kind_of, parent_document, parent_name
from deniable.survey.questions import Ask, Pages, Protection, Question
from deniable.survey.reading import read_fields
from deniable.survey.together import Group
from deniable.survey.waves import OTHERS
from deniable.text.brief import in_html, in_lines
from deniable.text.languages import Texts
from deniable.text.safety import check_plain

NEUTRAL_SITE: Final = "https://www.wikipedia.org/"
"""The default address of "Leave quickly": an inconspicuous site."""

NO_EXIT: Final = "none"
"""The exit of a survey without "Leave quickly": being seen with it harms nobody."""


T = TypeVar("T")


@dataclass(frozen=True)
class Survey:
    """Questions, their items and the promise that covers them.

    Parameters
    ----------
    epsilon_millionths : int
        The promised ε of all randomised answers of one respondent, in millionths.
    ask : Ask or None
        The draw of units; None if everybody is asked all.
    pages : Pages or None
        None leaves it to the page: each question on its own, if there are several.
    shuffled : bool
        Whether the questions come in an order drawn at random. The report keeps its order.
    hides_branch : bool
        Whether a device decides who sees a follow-up, see `is_shown_to_all`.
    exit : str or None
        Address to which "Leave quickly" leads; None for `NEUTRAL_SITE`, and `NO_EXIT` for none.
    languages : tuple of str
        The languages of the survey, some of `text.languages.LANGUAGES`. All its own texts are in
        the first of them, and `translations` in each of the others.
    original : Survey or None
        For a translation, the survey in its first language, see `deniable.text.translation`.
    waves : int
        How often it is asked over time.
    same_people : bool
        Whether the same people answer all waves, so that their devices keep noise, see
        `deniable.survey.waves`. Otherwise a device answers one wave alone.
    comprehension : bool
        Whether two questions about the protection come first. They leave no trace in a report.
    advance : bool
        Whether a tap on the answer to a question with two leads on.
    same_fact : tuple of str
        The ids of questions that ask about one fact, each with fresh chance.
    is_named : bool
        Whether its address shows its slug, which may tell its topic.
    batch : int
        By how many new reports at once the desk's view grows, 1 to `MAX_BATCH`.
    token_keys : tuple of str
        For a survey by invitation: the public key of its tokens (`crypto.blind`), one for each
        wave, made with the first codes. No survey file names them.
    parent : str, MeetingQuestion or None
        For a trial the slug of its survey; for a question of a meeting, which one it is.
    before : tuple of str or None
        The lines of its earlier wordings, see `survey.wordings`. None if its structure holds texts,
        as that of a trial or of a meeting's question always does.
    """

    slug: str
    title: str
    introduction: str
    epsilon_millionths: int
    questions: tuple[Question, ...]
    items: tuple[Item, ...]
    ask: Ask | None = None
    pages: Pages | None = None
    shuffled: bool = False
    hides_branch: bool = False
    exit: str | None = None
    languages: tuple[str, ...] = ("en",)
    translations: tuple[Texts, ...] = ()
    original: Survey | None = field(default=None, repr=False, compare=False)
    waves: int = 1
    same_people: bool = True
    comprehension: bool = False
    advance: bool = False
    same_fact: tuple[str, ...] = ()
    is_named: bool = False
    batch: int = checks.BATCH
    about: About = NOTHING
    token_keys: tuple[str, ...] = ()
    parent: Parent = None
    before: tuple[str, ...] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        items = {item.id for item in self.items}
        if len(items) < len(self.items) or len(self.places) < len(self.questions):
            raise ValueError("expected every question and every item once")
        checks.check_truths(self.questions, self.items)
        if self.original is None:
            # A translation has these texts, and words of our own besides.
            for line in (self.slug, parent_name(self.parent), self.title, self.neutral_site):
                check_plain(line)
            check_plain(self.introduction, lines=True)
            checks.check_texts(self.questions, self.items, self.translations)
            checks.check_names(self.questions, self.items)
        checks.check_draws(self.draws, self.items)
        if not all(self.places.values()):
            raise ValueError("expected items of each question")
        checks.check_branching(self.questions, self.items, self.draws)
        checks.check_groups(self.groups, self.questions, self.items, self.draws)
        if self.shuffled and any(question.ask_if for question in self.questions):
            raise ValueError("expected a fixed order of questions where some need earlier answers")
        checks.check_languages(self.languages, self.translations, self.questions, self.about)
        checks.check_waves(self.waves, self.items, same_people=self.same_people)
        checks.check_same_fact(self.same_fact, self.questions)
        checks.check_token_keys(self.token_keys, self.waves, self.kind)
        checks.check_batch(self.batch)
        if self.comprehension and all(item.epsilon is None for item in self.items):
            raise ValueError("expected a randomised question for the comprehension check")
        if self.spent_millionths > self.epsilon_millionths:
            raise ValueError(
                f"the items' epsilon add up to {self.spent_millionths / exact.MILLION}, "
                f"more than the {self.epsilon_millionths / exact.MILLION} promised"
            )

    def __repr__(self) -> str:
        return in_lines(self)

    def _repr_html_(self) -> str:
        return in_html(self)

    @property
    def epsilon(self) -> float:
        """The promised ε of all randomised answers together; `asked_directly` has no bound."""
        return self.epsilon_millionths / exact.MILLION

    @property
    def kind(self) -> Kind:
        """Its kind: a survey of its own, the trial of one, or a question of a meeting."""
        return kind_of(self.parent)

    @property
    def shown_batch(self) -> int:
        """By how many new reports at once the desk's view grows; a trial hides no respondent."""
        return 1 if self.kind == "trial" else self.batch

    @property
    def is_by_invitation(self) -> bool:
        """Whether a report needs a token."""
        return bool(self.token_keys)

    def as_kept(self, other: Survey) -> Survey:
        """Return the survey with the keys of another revision if it has none, as from a file."""
        return replace(self, token_keys=self.token_keys or other.token_keys)

    def is_asked_as(self, other: Survey) -> bool:
        """Return whether two revisions differ at most in their keys."""
        try:
            return self.as_kept(other) == other
        except ValueError:
            return False

    def token_key(self, wave: int) -> str | None:
        """Return the key of the tokens of a wave, as reports write it; None if none is needed."""
        place = max(wave, 1)
        return self.token_keys[place - 1] if place <= len(self.token_keys) else None

    @property
    def neutral_site(self) -> str:
        """The address of "Leave quickly"; empty without that button."""
        return "" if self.exit == NO_EXIT else self.exit or NEUTRAL_SITE

    @cached_property
    def spent_millionths(self) -> int:
        """The actual ε of all reports of one respondent, in millionths: at most the promised ε.

        It covers the items that are always asked and the dearest units of a draw: a report shows
        which units were drawn. In waves it holds while the answers stay the same.
        """
        return self.dearest(lambda item: item.epsilon_millionths, add) or 0

    @property
    def one_report_millionths(self) -> int:
        """The ε of one report in millionths; in waves less than that of all reports."""
        return self.dearest(lambda item: item.one_report_millionths, add) or 0

    @property
    def any_history_millionths(self) -> int | None:
        """The ε of the reports of all waves in millionths, whatever changes between them.

        It holds even against an adversary with the device's memory. None with a redraw of 0: a
        changed report then shows that the answer changed.
        """
        once = self.dearest(lambda item: item.any_history_millionths, add)
        return None if once is None else self.waves * once

    @property
    def randomised(self) -> tuple[Item, ...]:
        """The randomised items."""
        return tuple(item for item in self.items if item.protection is Protection.RANDOMISED)

    @property
    def asked_directly(self) -> tuple[Question, ...]:
        """The direct questions: no ε bounds what they reveal."""
        return tuple(one for one in self.questions if one.protection is Protection.DIRECT)

    @cached_property
    def follow_ups(self) -> tuple[Question, ...]:
        """The questions that need an answer to a randomised one."""
        needed = {item.id for item in self.randomised}
        return tuple(q for q in self.questions if needed & {one.item for one in q.ask_if})

    @cached_property
    def direct_follow_ups(self) -> tuple[FollowUp, ...]:
        """The direct questions that need answers to other direct ones."""
        return direct_follow_ups(self.questions, self.items)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The questions that are randomised as one answer, group by group."""
        return tuple(dict.fromkeys(one.group for one in self.items if one.group is not None))

    @cached_property
    def places_together(self) -> tuple[tuple[int, ...], ...]:
        """For each of `groups`, the places of its items in a report."""
        return tuple(
            tuple(place for id in group.questions for place in self.places[id])
            for group in self.groups
        )

    def is_shown_to_all(self, question: Question) -> bool:
        """Return whether everybody sees a follow-up and says whether it applies.

        Otherwise an observer of the screen would learn the earlier answer.
        """
        return not self.hides_branch and question in self.follow_ups

    @property
    def wave_numbers(self) -> range:
        """The numbers of its waves, from 1."""
        return range(1, self.waves + 1)

    @property
    def is_repeated(self) -> bool:
        """Whether it has several waves, so that its reports and results name theirs."""
        return self.waves > 1

    @property
    def keeps_noise(self) -> bool:
        """Whether devices keep noisy answers from one wave to the next."""
        return self.is_repeated and self.same_people

    def if_repeated(self, told: T) -> T | None:
        """Return what is told about waves; None if the survey is asked once."""
        return told if self.is_repeated else None

    def in_waves(self, text: str) -> str:
        """Return a text about waves; empty if the survey is asked once."""
        return self.if_repeated(text) or ""

    def if_kept(self, text: str) -> str:
        """Return a text about noise that devices keep; empty if they keep none."""
        return text if self.keeps_noise else ""

    def on_wire(self, wave: int) -> int:
        """Return a wave as its reports write it: 0, which stands nowhere, if there is one wave."""
        return self.if_repeated(wave) or 0

    @cached_property
    def waves_on_wire(self) -> dict[int, int]:
        """Its waves, by their numbers as reports write them."""
        return {self.on_wire(wave): wave for wave in self.wave_numbers}

    @property
    def row_length(self) -> int:
        """How many bytes of a report a store and a tally keep; see `deniable.report.Report.row`."""
        return len(self.items) + self.is_repeated

    @property
    def kept_words(self) -> int:
        """How many random words a device draws for its storage."""
        return sum(item.kept_words for item in self.items)

    @cached_property
    def places(self) -> dict[str, tuple[int, ...]]:
        """The places in a report of the items of each question, by its id."""
        places: dict[str, list[int]] = {question.id: [] for question in self.questions}
        for place, item in enumerate(self.items):
            places[item.question].append(place)
        return {id: tuple(those) for id, those in places.items()}

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """The draws of what a respondent is asked: first of units, then of items of a question.

        An item is asked if each draw with it drew it; an item in no draw is always asked.
        """
        return draws_of(self.ask, self.questions, self.items)

    @property
    def units(self) -> Draw | None:
        """The draw of units; None if everybody is asked all."""
        return None if self.ask is None else self.draws[0]

    def most_asked(self, question: Question) -> int:
        """Return the most items of a question that one respondent is asked."""
        return most_asked(self.ask, question, self.items_of(question))

    def dearest(self, cost: Callable[[Item], T], join: Callable[[Iterable[T], int | None], T]) -> T:
        """Return the cost of the dearest questions of one respondent, see `draws.dearest`."""
        # One ε covers the first question of a group and the others.
        covered = {id for group in self.groups for id in group.questions[1:]}
        apart = [one for one in self.questions if one.id not in covered]
        return dearest(apart, self.items, self.units, cost, join)

    @cached_property
    def drawn_places(self) -> frozenset[int]:
        """The places in a report of the items that some respondents are not asked."""
        return frozenset().union(*(draw.all_places for draw in self.draws))

    @cached_property
    def asked_shares(self) -> tuple[Fraction, ...]:
        """The share of the respondents who are asked each item."""
        return tuple(self.share_asked((place,)) for place in range(len(self.items)))

    def share_asked(self, places: Collection[int]) -> Fraction:
        """Return the share of the respondents who are asked all items at these places."""
        return math.prod((draw.share(places) for draw in self.draws), start=Fraction(1))

    @cached_property
    def report_counts(self) -> tuple[int, ...]:
        """How many reports the channel of each item has."""
        return tuple(item.channel.reports for item in self.items)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The served document, line by line: the structure, and each wording."""
        if self.original is not None:
            return self.original.lines
        return wordings.write(self.document, self.before if self.kind == "survey" else None)

    @cached_property
    def revision(self) -> str:
        """SHA-256 of its structure, in 64 hex digits: all questions and promises, but no words."""
        return revision_of(self.lines[0].encode())

    @cached_property
    def check_numbers(self) -> tuple[str, ...]:
        """The check number of each wording, from the first on."""
        return wordings.chain(self.lines)

    @property
    def check_number(self) -> str:
        """The check number of the current wording: a hash over every served byte."""
        return self.check_numbers[-1]

    @property
    def shown_number(self) -> str:
        """The first digits of the check number, in groups of four, for people to compare."""
        return as_shown(self.check_number)

    @cached_property
    def earlier(self) -> tuple[Survey, ...]:
        """The survey in each earlier wording, from the first on."""
        return tuple(map(self.from_document, corrections.read(self.to_json()).earlier))

    @property
    def address(self) -> str:
        """The path of its page on a server."""
        return address_of(self.slug, self.kind, named=self.is_named)

    @property
    def path(self) -> str:
        """The address, with the check number as fragment, which no browser sends to a server."""
        return f"{self.address}#{self.check_number[:SHOWN_DIGITS]}"

    def to_json(self) -> bytes:
        """Write the protocol document: the exact bytes that are served, hashed and stored."""
        return "\n".join(self.lines).encode()

    def question(self, id: str) -> Question:
        """Return the question with this id, or raise a `KeyError`."""
        return {question.id: question for question in self.questions}[id]

    def items_of(self, question: Question) -> tuple[Item, ...]:
        """Return the items of a question, in order."""
        return tuple(item for item in self.items if item.question == question.id)

    def epsilon_of(self, question: Question) -> float | None:
        """Return the privacy loss of a whole question for a respondent who is asked it.

        None if it is direct; that of its dearest items if only some of them are asked.
        """
        if question.protection is Protection.DIRECT:
            return None
        items = (item.epsilon_millionths for item in self.items_of(question))
        return (add(items, self.most_asked(question)) or 0) / exact.MILLION

    @cached_property
    def document(self) -> dict[str, Any]:
        """The protocol document, all questions and promises, as JSON-ready values."""
        content: dict[str, Any] = {
            "survey": self.slug,
            "title": self.title,
            "introduction": self.introduction,
            "epsilon": self.epsilon,
            "questions": [write_question(question, self.items) for question in self.questions],
            "items": [write_item(item) for item in self.items],
        }
        several = zip(self.languages[1:], self.translations, strict=True)
        any_history = self.any_history_millionths
        # Only features in use: a survey without a new feature keeps its revision.
        used = {
            "ask": self.ask and self.ask.document(),
            "together": [group.document() for group in self.groups] or None,
            "pages": self.pages and self.pages.value,
            "order": "random" if self.shuffled else None,
            "branch": "hidden" if self.hides_branch else None,
            "comprehension": self.comprehension or None,
            "advance": "auto" if self.advance else None,
            "same_fact": list(self.same_fact) or None,
            "address": "named" if self.is_named else None,
            "exit": self.exit,
            "token_keys": list(self.token_keys) or None,
            "waves": self.if_repeated(
                {
                    "count": self.waves,
                    "once": self.one_report_millionths / exact.MILLION,
                    "changing": None if any_history is None else any_history / exact.MILLION,
                }
                if self.same_people
                else {"count": self.waves, "people": OTHERS}
            ),
            "languages": list(self.languages) if self.languages != ("en",) else None,
            "translations": {language: texts.document() for language, texts in several} or None,
            "batch": self.batch if self.batch != checks.BATCH else None,
            "about": self.about.document() or None,
        }
        content |= {key: value for key, value in used.items() if value is not None}
        return content if self.parent is None else content | parent_document(self.parent)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Survey:
        """Read a protocol document, and check its promise.

        Raises
        ------
        ValueError
            If it is no such document, or reveals more than it promises: so the headless respondent
            detects a false label, as the browser does.
        """
        try:
            survey = cls(**read_fields(document))
        except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as mistake:
            raise ValueError(f"expected a protocol document, found a bad part: {mistake}") from None
        if survey.document != document:
            raise ValueError(
                "the protocol document does not agree with itself: the epsilon of one of its items "
                "is not what its weights say, or it has parts that no such document has"
            )
        return survey

    @classmethod
    def from_json(cls, written: bytes) -> Survey:
        """Read the bytes of survey.json; a ``ValueError`` as `from_document`, `corrections.read`.

        Bytes that are not in canonical form are an error, too: a server could mark one person by
        another form.
        """
        found = corrections.read(written)
        survey = replace(cls.from_document(found.current), before=found.before)
        if survey.to_json() != written or (found.before and not survey.earlier):
            raise ValueError("expected a protocol document in its one form, found other bytes")
        return survey
