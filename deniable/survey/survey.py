"""A survey: what must hold of its questions, of the items they are compiled into, and of both.

A researcher writes questions; a browser randomises *items*. `single` and `number` questions are
one item, `many` is an item per option and `grid` an item per row. `Survey.document` is the protocol
document that server, browser and headless respondent share; the hash of its bytes is the revision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from deniable import exact
from deniable.channel import Channel
from deniable.crypto.blind import is_key
from deniable.survey import waves
from deniable.survey.about import NOTHING, About
from deniable.survey.document import (
    FINGERPRINT_DIGITS,
    canonical_json,
    fingerprint_of,
    read_items,
    read_questions,
    revision_of,
    write_items,
    write_questions,
)
from deniable.survey.items import Item
from deniable.survey.kind import Kind, Parent, kind_of, parent_document, parent_name, read_parent
from deniable.survey.questions import (
    Ask,
    Condition,
    Pages,
    Protection,
    Question,
)
from deniable.survey.repr import in_html, in_lines, short
from deniable.text.languages import LANGUAGES, Texts
from deniable.text.safety import check_plain

BATCH: Final = 10
"""By how many reports at once the desk sees more of a survey, unless the survey says otherwise."""

MAX_BATCH: Final = 1000

NEUTRAL_SITE: Final = "https://www.wikipedia.org/"
"""Where "Leave quickly" leads unless the survey says otherwise: nobody wonders about it."""

NO_EXIT: Final = "none"
"""What a survey says that needs no way to leave quickly, as it harms nobody to be seen with it."""


@dataclass(frozen=True)
class Draw:
    """One draw of what a respondent is asked: so many of these choices, all equally likely.

    Parameters
    ----------
    count : int
        How many choices are drawn.
    choices : tuple of str
        What each choice is called: the id of a question, or of one item of a question.
    places : tuple of tuples of int
        For each choice, where its items stand in a report.
    """

    count: int
    choices: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Survey:
    """Questions, their items and the promise that covers them.

    Parameters
    ----------
    slug : str
        The survey's name in its address.
    title, introduction : str
        Plain text.
    epsilon_millionths : int
        The most that answering everything that one is asked reveals, in millionths.
    questions : tuple of Question
    items : tuple of Item
        In the order of the questions.
    ask : Ask or None
        Which questions each respondent is asked some of; None if all are asked all.
    pages : Pages or None
        None leaves it to the page: each question on its own, if there are several.
    shuffled : bool
        Whether the questions come in an order drawn at random. The report keeps its order.
    exit : str or None
        Address to which "Leave quickly" leads; None for `NEUTRAL_SITE`, and `NO_EXIT` for none.
    languages : tuple of str
        In which it is asked, some of `text.languages.LANGUAGES`. All the texts above are in the
        first of them.
    translations : tuple of Texts
        In each of the others.
    original : Survey or None
        That of which this is a reading in another language, see `deniable.text.translation`.
    waves : int or None
        How often it is asked over time, each time as a wave of its own; None if it is asked once.
    comprehension : bool
        Whether two questions about the protection come before the first question. They are asked
        and answered in the page alone, and leave no trace in a report.
    batch : int
        By how many reports at once the desk sees more, 1 to `MAX_BATCH`. See
        `deniable.server.store.batches`. With 1 it sees each report as it comes.
    about : About
        Who asks, why, how long it takes, and who helps.
    token_keys : tuple of str
        Of a survey by invitation: the public key of its tokens (`crypto.blind`), one for each
        wave. No survey file names them: they are made with the first codes.
    board_key : str or None
        Of a survey whose noisy reports are published (`crypto.board`): the public key of its
        boards, empty until it has one. No survey file names it: it is made when the survey is
        served. None if they are not published.
    parent : str, MeetingQuestion or None
        Of a trial the address of its survey; of a question of a meeting, which one it is.

    Raises
    ------
    ValueError
        If a question or an item is there twice, a text holds characters that nobody sees, the
        items' ε add up to more than is promised, chance is to draw what it cannot, it could not be
        told whether a question applies, or would be told to others, a text is missing in a
        language, what waves need is missing, or there without waves, comprehension is asked of a
        protection that there is not, the batch is no such number, or a trial has keys, or there is
        not one for each wave; or if it is published and asks something directly, or is a trial, or
        what is said to be the key of its boards is no key.
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
    exit: str | None = None
    languages: tuple[str, ...] = ("en",)
    translations: tuple[Texts, ...] = ()
    original: Survey | None = field(default=None, repr=False, compare=False)
    waves: int | None = None
    comprehension: bool = False
    batch: int = BATCH
    about: About = NOTHING
    token_keys: tuple[str, ...] = ()
    board_key: str | None = None
    parent: Parent = None

    def __post_init__(self) -> None:
        """Hold the promise: integers add exactly, so nothing is lost in the sum."""
        items = {item.id for item in self.items}
        if len(items) < len(self.items) or len(self.places) < len(self.questions):
            raise ValueError("expected every question and every item once")
        if self.original is None:
            # A reading in one language has these texts, and beside them words of our own.
            self._check_texts()
        self._check_truths()
        self._check_draws()
        self._check_branching()
        self._check_languages()
        self._check_waves()
        self._check_token_keys()
        self._check_board()
        if type(self.batch) is not int or not 1 <= self.batch <= MAX_BATCH:
            raise ValueError(f"expected a batch of 1 to {MAX_BATCH} reports, found {self.batch!r}")
        if self.comprehension and all(item.epsilon is None for item in self.items):
            raise ValueError("expected something randomised that comprehension can be asked of")
        if self.spent_millionths > self.epsilon_millionths:
            raise ValueError(
                f"the items' epsilon add up to {self.spent_millionths / exact.MILLION}, "
                f"more than the {self.epsilon_millionths / exact.MILLION} promised"
            )

    def __repr__(self) -> str:
        """Say what it asks and promises, a line a question."""
        return in_lines(*self._shown)

    def _repr_html_(self) -> str:
        return in_html(*self._shown)

    @property
    def _shown(self) -> tuple[str, list[tuple[Question, float | None]]]:
        """A heading, and each question with its ε."""
        parts = [
            f"{self.slug}: {short(self.title)}",
            f"ε {self.epsilon:g}{self.beside_epsilon}",
            *([f"asks {self.ask.count} of {len(self.ask.questions)}"] if self.ask else []),
            *([f"{self.waves} waves"] if self.waves else []),
            *([" ".join(self.languages)] if len(self.languages) > 1 else []),
            f"fingerprint {self.fingerprint}",
        ]
        return "; ".join(parts), [(one, self.epsilon_of(one)) for one in self.questions]

    @property
    def epsilon(self) -> float:
        """The most that all randomised answers reveal together; `asked_directly` has no bound."""
        return self.epsilon_millionths / exact.MILLION

    @property
    def beside_epsilon(self) -> str:
        """How many questions are asked directly, which no ε bounds: ``; 1 asked directly``."""
        direct = len(self.asked_directly)
        return f"; {direct} asked directly" if direct else ""

    @property
    def kind(self) -> Kind:
        """Whether it is a survey of its own, the trial of one, or a question of a meeting."""
        return kind_of(self.parent)

    @property
    def is_by_invitation(self) -> bool:
        """Whether a report counts with a token only."""
        return bool(self.token_keys)

    @property
    def is_published(self) -> bool:
        """Whether everybody may see its noisy reports, on boards."""
        return self.board_key is not None

    def as_kept(self, other: Survey) -> Survey:
        """Return it with the keys of another revision, where it has none of its own.

        A survey file names no keys, and each survey keeps those that it has.

        Raises
        ------
        ValueError
            If they are not one for each wave.
        """
        return replace(
            self,
            token_keys=self.token_keys or other.token_keys,
            board_key=(other.board_key or "") if self.board_key == "" else self.board_key,
        )

    def is_asked_as(self, other: Survey) -> bool:
        """Whether another revision is this very one, perhaps with keys since."""
        try:
            return self.as_kept(other) == other
        except ValueError:
            return False

    def token_key(self, wave: int) -> str | None:
        """Return the key of the tokens of a wave, 0 without waves; None if it needs none."""
        place = max(wave, 1)
        return self.token_keys[place - 1] if place <= len(self.token_keys) else None

    @property
    def neutral_site(self) -> str:
        """Where "Leave quickly" leads; empty where nothing does."""
        return "" if self.exit == NO_EXIT else self.exit or NEUTRAL_SITE

    @cached_property
    def spent_millionths(self) -> int:
        """What a report really costs, in millionths: at most what is promised.

        The ε of all that is always asked, and of the dearest that chance can draw: which questions
        it drew is known from the report, and each of them is answered in full.
        """
        if self.ask is None:
            return sum(self._costs.values())
        drawn = [self._costs[id] for id in self.ask.questions]
        always = sum(self._costs.values()) - sum(drawn)
        return always + sum(sorted(drawn, reverse=True)[: self.ask.count])

    @property
    def one_report_millionths(self) -> int:
        """What one report costs in millionths; in waves less than all of them."""
        if self.waves is None:
            return self.spent_millionths
        return sum(item.one_report_millionths for item in self.randomised)

    @property
    def any_history_millionths(self) -> int | None:
        """What the reports of all waves cost in millionths, whatever changes between them.

        Even to somebody who has all that the device keeps. None if that is not bounded: where the
        permanent answers are sent as they are, a changed report shows that the answer changed.
        Without waves there is one report, and nothing can change.
        """
        if self.waves is None:
            return self.spent_millionths
        memories = [item.memory for item in self.randomised if item.memory is not None]
        return waves.total_millionths((one.any_history_millionths for one in memories), self.waves)

    @property
    def randomised(self) -> tuple[Item, ...]:
        """The items that are not sent as they are given."""
        return tuple(item for item in self.items if item.protection is Protection.RANDOMISED)

    @property
    def asked_directly(self) -> tuple[Question, ...]:
        """The questions that are sent as they are answered: no ε bounds what they reveal."""
        return tuple(one for one in self.questions if one.protection is Protection.DIRECT)

    @property
    def wave_numbers(self) -> range:
        """The waves that a report can be of, from 1; 0 alone if it is asked once."""
        return range(1) if self.waves is None else range(1, self.waves + 1)

    @property
    def row_length(self) -> int:
        """How many bytes a store and a tally keep of a report; see `deniable.report.Report.row`."""
        return len(self.items) + (self.waves is not None)

    @property
    def kept_words(self) -> int:
        """How many random words a device draws for what it keeps."""
        return sum(item.kept_words for item in self.items)

    @cached_property
    def places(self) -> dict[str, tuple[int, ...]]:
        """Where the items of each question, by its id, stand in a report."""
        places: dict[str, list[int]] = {question.id: [] for question in self.questions}
        for place, item in enumerate(self.items):
            places[item.question].append(place)
        return {id: tuple(those) for id, those in places.items()}

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """What chance decides about what is asked: questions first, then items of a question.

        An item is asked if every draw that it is in drew it, and always if it is in none.
        """
        draws = []
        if self.ask is not None:
            questions = self.ask.questions
            draws.append(
                Draw(self.ask.count, questions, tuple(self.places[id] for id in questions))
            )
        for question in self.questions:
            if question.ask is not None:
                places = self.places[question.id]
                names = tuple(self.items[place].id for place in places)
                draws.append(Draw(question.ask, names, tuple((place,) for place in places)))
        return tuple(draws)

    @cached_property
    def drawn_places(self) -> frozenset[int]:
        """Where the items stand that some respondents are not asked."""
        return frozenset(place for draw in self.draws for places in draw.places for place in places)

    @cached_property
    def asked_shares(self) -> tuple[Fraction, ...]:
        """What share of the respondents is asked each item."""
        shares = [Fraction(1)] * len(self.items)
        for draw in self.draws:
            for places in draw.places:
                for place in places:
                    shares[place] *= Fraction(draw.count, len(draw.choices))
        return tuple(shares)

    @cached_property
    def report_counts(self) -> tuple[int, ...]:
        """How many reports the channel of each item has."""
        return tuple(item.channel.reports for item in self.items)

    @cached_property
    def revision(self) -> str:
        """SHA-256 of the bytes of survey.json, 64 hex digits: of all that is asked and promised."""
        if self.original is not None:
            return self.original.revision
        return revision_of(self.to_json())

    @property
    def fingerprint(self) -> str:
        """What people compare: the first digits of the revision, in groups of four."""
        return fingerprint_of(self.revision)

    @property
    def path(self) -> str:
        """Where its page is on a server. No browser sends what stands after the hash mark to it."""
        return f"/s/{self.slug}#{self.revision[:FINGERPRINT_DIGITS]}"

    def to_json(self) -> bytes:
        """Write the protocol document: the very bytes that are served, hashed and stored."""
        return canonical_json(self.document)

    def question(self, id: str) -> Question:
        """Return the question of that id.

        Raises
        ------
        KeyError
            If there is none.
        """
        for question in self.questions:
            if question.id == id:
                return question
        raise KeyError(id)

    def items_of(self, question: Question) -> tuple[Item, ...]:
        """Return the items of a question, in order."""
        return tuple(item for item in self.items if item.question == question.id)

    def epsilon_of(self, question: Question) -> float | None:
        """Return the privacy loss of a whole question to those who are asked it.

        None if it is asked directly: no ε bounds that. Of the dearest of its items if only some of
        them are asked.
        """
        if question.protection is Protection.DIRECT:
            return None
        return self._costs[question.id] / exact.MILLION

    @cached_property
    def _costs(self) -> dict[str, int]:
        """ε of each question in millionths, by its id."""
        return {
            question.id: sum(
                sorted(
                    (self.items[place].epsilon_millionths for place in self.places[question.id]),
                    reverse=True,
                )[: question.ask]
            )
            for question in self.questions
        }

    def _check_texts(self) -> None:
        """Refuse characters that nobody sees: a terminal would obey them, or a reader be misled."""
        answers = [
            *(
                one
                for question in self.questions
                for one in (*question.answers, *question.rows, *question.statements)
            ),
            *(one for item in self.items for one in (*item.truths, *item.reports)),
        ]
        others = [texts for one in self.translations for _, texts in one.questions]
        for line in (
            *(self.slug, parent_name(self.parent), self.title, self.neutral_site, *self.places),
            *(item.id for item in self.items),
            *(text for answer in answers for text in (answer.code, answer.text)),
            *(one.title for one in self.translations),
            *(
                text
                for texts in others
                for _, text in (*texts.answers, *texts.rows, *texts.statements)
            ),
            *(text for one in self.translations for key, text in one.about if key != "consent"),
        ):
            check_plain(line)
        for paragraph in (
            self.introduction,
            *(text for question in self.questions for text in (question.text, question.hint)),
            *(item.text for item in self.items),
            *(one.introduction for one in self.translations),
            *(text for one in self.translations for _, text in one.about),
            *(text for texts in others for text in (texts.text, texts.hint)),
        ):
            check_plain(paragraph, lines=True)

    def _check_truths(self) -> None:
        """Hold items to what can be answered: who had no row could send nothing, and would tell."""
        for question in self.questions:
            codes = [truth.code for truth in question.truths]
            for place in self.places[question.id]:
                if [truth.code for truth in self.items[place].truths] != codes:
                    raise ValueError(
                        f"item {self.items[place].id!r}: expected a truth for each answer to "
                        f"{question.id!r}, and none besides"
                    )
            if question.statements and (
                question.is_number
                or question.has_several_items
                or question.shuffled
                or [statement.code for statement in question.statements] != codes
            ):
                raise ValueError(
                    f"question {question.id!r}: expected a statement for each of two answers in "
                    "their order, and no other answer"
                )
            self._check_control(question)

    def _check_control(self, question: Question) -> None:
        """Hold that known shares are those of all truths, and can tell who follows the design."""
        if not question.known:
            return
        items = self.items_of(question)
        whole = all(type(share) is int and share >= 0 for share in question.known)
        if (
            len(items) != 1
            or items[0].protection is Protection.DIRECT
            or not whole
            or len(question.known) != len(items[0].truths)
            or sum(question.known) != exact.MILLION
            or not tells_who_follows(items[0].channel, question.known)
        ):
            raise ValueError(
                f"question {question.id!r}: expected the known share of each answer to one "
                "randomised item, in millionths, such that random reports would be others"
            )

    def _check_draws(self) -> None:
        """Refuse draws that chance cannot make, and any of what is sent as it is given."""
        direct = {one.id for one in self.questions if one.protection is Protection.DIRECT}
        if self.ask is not None:
            known = self.places.keys() - direct
            if len({*self.ask.questions} & known) != len(self.ask.questions):
                raise ValueError("expected to ask some of several randomised questions, each once")
            _check_count(self.ask.count, len(self.ask.questions))
        for question in self.questions:
            if question.ask is not None:
                if question.id in direct:
                    raise ValueError(f"question {question.id!r} is direct: expected to ask it all")
                _check_count(question.ask, len(self.places[question.id]))
        choices = [choice for draw in self.draws for choice in draw.choices]
        if len({*choices}) < len(choices) or not all(self.places.values()):
            raise ValueError("expected each choice of all draws once, and items of each question")

    def _check_waves(self) -> None:
        """Hold that waves have all that they need, and nothing else has any of it."""
        remembered = [item.memory is not None for item in self.randomised]
        if self.waves is None:
            if any(remembered):
                raise ValueError("expected nothing to be remembered without waves")
            return
        if type(self.waves) is not int or not 2 <= self.waves <= waves.MAX_WAVES:
            raise ValueError(f"expected 2 to {waves.MAX_WAVES} waves, found {self.waves!r}")
        if self.draws:
            raise ValueError("expected to ask everybody everything in each of several waves")
        if not all(remembered):
            raise ValueError("expected every randomised item to be remembered from wave to wave")

    def _check_token_keys(self) -> None:
        """Hold that there is a key for each wave: one for all would let two answer the same."""
        if not self.token_keys:
            return
        if self.kind == "trial":
            raise ValueError("expected no keys of tokens in a trial")
        count = self.waves or 1
        if len({*self.token_keys}) != count or len(self.token_keys) != count:
            raise ValueError(
                f"expected as many keys of tokens as there are waves, found {len(self.token_keys)}"
            )
        if not all(is_key(key) for key in self.token_keys):
            raise ValueError("expected keys of tokens in hex digits")

    def _check_board(self) -> None:
        """Hold that nothing is published but noise: direct answers would be everybody's to read."""
        if self.board_key is None:
            return
        direct = self.asked_directly
        if direct:
            raise ValueError(
                f"question {direct[0].id!r} is direct: expected only randomised questions in a "
                "survey whose reports are published"
            )
        if self.about.delete_reports:
            raise ValueError("expected no day to delete reports that everybody has")
        if self.kind == "trial":
            raise ValueError("expected a trial whose reports are not published")
        if self.board_key != "" and not is_key(self.board_key):
            raise ValueError("expected the key of the boards in hex digits")
        if self.board_key in self.token_keys:
            raise ValueError("expected another key for boards than for tokens")

    def _check_branching(self) -> None:
        """Refuse conditions that cannot be told, or that would be told to others."""
        if not any(question.ask_if for question in self.questions):
            return
        if self.shuffled:
            raise ValueError("expected a fixed order of questions where some need earlier answers")
        items = {item.id: item for item in self.items}
        before: dict[str, Question] = {}
        for question in self.questions:
            for condition in question.ask_if:
                item = items.get(condition.item)
                needed = None if item is None else before.get(item.question)
                if needed is None:
                    raise ValueError(
                        f"question {question.id!r} needs an answer to {condition.item!r}: "
                        "expected an item of an earlier question"
                    )
                self._check_condition(question, condition, needed)
            before[question.id] = question

    def _check_condition(self, question: Question, condition: Condition, needed: Question) -> None:
        """Refuse a condition that cannot hold, or a question that gives an answer away.

        By induction, a direct question that needs direct ones only depends on no other, through
        however many questions that were skipped: each of these would have been refused.
        """
        known = [answer.code for answer in needed.offered]
        if not condition.answers or not set(condition.answers) <= set(known):
            raise ValueError(
                f"question {question.id!r} needs one of {condition.answers} of {needed.id!r}: "
                f"expected some of {', '.join(known)}"
            )
        if (question.protection, needed.protection) == (Protection.DIRECT, Protection.RANDOMISED):
            raise ValueError(
                f"question {question.id!r} is direct and needs an answer to {needed.id!r}, which "
                "is randomised: whether it was skipped would give that answer away"
            )
        if not self.drawn_places.isdisjoint(self.places[question.id] + self.places[needed.id]):
            raise ValueError(
                f"question {question.id!r} needs an answer to {needed.id!r}: expected both to be "
                "asked whole of everybody, found one that chance draws"
            )

    def _check_languages(self) -> None:
        """Refuse languages without catalogue, and texts that are not those of all questions."""
        known = dict.fromkeys(one for one in self.languages if one in LANGUAGES)
        if not known or tuple(known) != self.languages:
            expected = ", ".join(LANGUAGES)
            raise ValueError(f"expected languages of {expected}, each once, found {self.languages}")
        if len(self.translations) != len(self.languages) - 1:
            raise ValueError("expected the texts in every language but the first")
        for language, texts in zip(self.languages[1:], self.translations, strict=True):
            here = [key for key, _ in texts.about] == sorted(key for key, _ in self.about.texts)
            if not here or _codes_of_texts(texts) != sorted(_codes_of_questions(self.questions)):
                raise ValueError(f"expected in {language!r} a text for each that there is to read")

    @cached_property
    def document(self) -> dict[str, Any]:
        """The protocol document, all that is asked and promised, as JSON-ready values."""
        content: dict[str, Any] = {
            "survey": self.slug,
            "title": self.title,
            "introduction": self.introduction,
            "epsilon": self.epsilon,
            "questions": write_questions(self.questions, self.items),
            "items": write_items(self.items),
        }
        # Only what is used: a survey that uses none of it keeps the revision that it always had.
        if self.ask is not None:
            content["ask"] = {"count": self.ask.count, "questions": list(self.ask.questions)}
        if self.pages is not None:
            content["pages"] = self.pages.value
        if self.shuffled:
            content["order"] = "random"
        if self.exit is not None:
            content["exit"] = self.exit
        if self.waves is not None:
            any_history = self.any_history_millionths
            content["waves"] = {
                "count": self.waves,
                "once": self.one_report_millionths / exact.MILLION,
                "changing": None if any_history is None else any_history / exact.MILLION,
            }
        if self.languages != ("en",):
            content["languages"] = list(self.languages)
        if self.translations:
            others = zip(self.languages[1:], self.translations, strict=True)
            content["translations"] = {language: texts.document() for language, texts in others}
        if self.comprehension:
            content["comprehension"] = True
        if self.batch != BATCH:
            content["batch"] = self.batch
        if self.about != NOTHING:
            content["about"] = self.about.document()
        if self.token_keys:
            content["token_keys"] = list(self.token_keys)
        if self.board_key is not None:
            content["publish"] = self.board_key
        return content | parent_document(self.parent)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Survey:
        """Read a protocol document, and check what it promises.

        Parameters
        ----------
        document : mapping
            What `document` gave, perhaps by way of JSON.

        Returns
        -------
        Survey

        Raises
        ------
        ValueError
            If it is not such a document, if an ε is not what its weights say, or if its items
            reveal more than it promises. A server that serves a false label is found
            out here by the headless respondent, as it is in the browser.
        """
        try:
            questions = read_questions(document["questions"], document["items"])
            survey = cls(
                slug=document["survey"],
                title=document["title"],
                introduction=document["introduction"],
                epsilon_millionths=round(document["epsilon"] * exact.MILLION),
                questions=questions,
                items=read_items(document["items"], questions),
                ask=_read_ask(document["ask"]) if "ask" in document else None,
                pages=Pages(document["pages"]) if "pages" in document else None,
                shuffled="order" in document,
                exit=document.get("exit"),
                waves=document["waves"]["count"] if "waves" in document else None,
                languages=tuple(document.get("languages", ["en"])),
                translations=tuple(
                    Texts.from_document(document["translations"][language])
                    for language in document.get("languages", [])[1:]
                ),
                comprehension="comprehension" in document,
                batch=document.get("batch", BATCH),
                about=About.from_document(document.get("about", {})),
                token_keys=tuple(document.get("token_keys", ())),
                board_key=document.get("publish"),
                parent=read_parent(document.get("parent")),
            )
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
        """Read the bytes of survey.json, and check what they promise.

        Parameters
        ----------
        written : bytes
            What `to_json` gave.

        Returns
        -------
        Survey
            Its revision is the hash of these bytes, whoever sent them.

        Raises
        ------
        ValueError
            As `from_document`, or if there is another way to write the same: each survey has one
            revision, and what was not written by this project might be one person's own.
        """
        try:
            survey = cls.from_document(json.loads(written))
        except RecursionError:
            raise ValueError("expected a protocol document, found too deep a nesting") from None
        if survey.to_json() != written:
            raise ValueError("expected a protocol document in its one form, found other bytes")
        return survey


def tells_who_follows(channel: Channel, known: Sequence[int]) -> bool:
    """Return whether reports of people with these known shares differ from random ones.

    Parameters
    ----------
    channel : Channel
    known : sequence of int, shape (truths,)
        The share of each truth, in millionths.
    """
    mixed = {
        sum(share * row[report] for share, row in zip(known, channel.weights, strict=True))
        for report in range(channel.reports)
    }
    return len(mixed) > 1


def _check_count(count: int, choices: int) -> None:
    """Refuse to draw none of some choices, or all, or more."""
    if type(count) is not int or not 1 <= count < choices:
        raise ValueError(f"expected to ask at least 1 and fewer than {choices}, found {count!r}")


def _codes_of_texts(texts: Texts) -> list[tuple[str, list[list[str]]]]:
    """Return what a translation speaks of: each question's id, answers, rows and statements."""
    return [
        (
            id,
            [[code for code, _ in some] for some in (those.answers, those.rows, those.statements)],
        )
        for id, those in texts.questions
    ]


def _codes_of_questions(questions: tuple[Question, ...]) -> list[tuple[str, list[list[str]]]]:
    """Return what a translation has to speak of."""
    return [
        (
            one.id,
            [
                [] if one.is_number else sorted(answer.code for answer in one.answers),
                sorted(row.code for row in one.rows),
                sorted(statement.code for statement in one.statements),
            ],
        )
        for one in questions
    ]


def _read_ask(entry: Mapping[str, Any]) -> Ask:
    return Ask(entry["count"], tuple(entry["questions"]))
