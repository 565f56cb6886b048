"""The privacy label: what a survey promises, in plain words and in numbers.

It is one object, shown as a page and as JSON; all its numbers are computed from the channels that
the browser samples from.
"""

import math
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from deniable import coins, exact, paper
from deniable.channel import ROW_SUM
from deniable.disc import disc_for
from deniable.server.web.words import Words, words
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question
from deniable.text.languages import LANGUAGES, Say
from deniable.text.sureness import (
    Sureness,
    Told,
    implication,
    loss_if_forgotten,
    sureness,
    sureness_of,
    told,
)
from deniable.text.wording import seen_by_researchers, time_tells

ENGLISH: Final = words(LANGUAGES[0])


@dataclass(frozen=True)
class QuestionLabel:
    r"""The promise of one question."""

    id: str
    text: str
    protection: str  # `"randomised"` or `"direct"`
    # How many answers it sends: one, or one for each option or row that is asked.
    answers_sent: int
    # From how many items these are drawn at random; the same number if all are asked.
    answers_drawn_from: int
    asked_of_all: bool  # whether everybody is asked it; false if it is drawn
    epsilon: float | None  # privacy loss of all its answers together; None for a direct question
    # How sure, in 100, one answer can make a person who thought it 50:50.
    in_hundred: int | None
    # Of 100 people with one truth, how many send one report: the least and the most over all pairs.
    least: int | None
    most: int | None
    # How each of its items is randomised by hand, in one line; None if no coin, die or disc can, in
    # surveys with waves, and for direct questions.
    by_hand: str | None


@dataclass(frozen=True)
class Crowd:
    """A hundred people with one true answer, and how many of them send one of the reports."""

    item: str  # the item's id
    question: str  # its text
    truth: str  # the true answer, and the report that is counted
    report: str
    count: int  # how many of the hundred send it
    sentence: str  # the whole crowd in words


@dataclass(frozen=True)
class WavesLabel:
    r"""The promise of a survey with waves."""

    count: int  # number of waves
    epsilon_one_report: float  # privacy loss of one report
    epsilon_longitudinal: float  # of all reports ever, while the answers stay the same
    # Privacy loss of the reports of all waves, whatever answers change, even to a person who has
    # all that the device keeps; None if it is not bounded.
    epsilon_any_history: float | None
    epsilon_forgotten: float  # of the reports of all waves, if browsers forget what they keep
    statements: tuple[str, ...]  # these ε in words
    kept: str  # what the device keeps


@dataclass(frozen=True)
class PrivacyLabel:
    """The promise of a survey, after Dibia et al. (2025): unit, model, loss, repeats, limits."""

    survey: str
    revision: str
    title: str
    implication: tuple[str, ...]  # what anybody could learn about the answers, in plain words
    told: tuple[Told, ...]  # the bounds in it, each with its colour
    average: str  # how often a guess is right; empty if nothing is randomised
    # The numbers in `implication`, and the tier of its words; None if nothing is randomised.
    sureness: Sureness | None
    unit: str  # whose data one ε covers
    model: str  # where the noise is added
    mechanism: str
    asked: str  # how much of the survey one person is asked
    epsilon: float  # largest privacy loss of one person who answers every question
    repeats: str  # what happens when a respondent comes back
    never_stored: str
    seen: str  # whether readers of the results learn when a report came
    counted: str  # what the server counts about a sender, and for how long
    limits: tuple[str, ...]  # what is not promised, and who could break the promise
    # Two crowds of the least protected item, of a number only if there is no other. Empty if
    # nothing is randomised, or no report is named after an answer.
    crowds: tuple[Crowd, ...]
    questions: tuple[QuestionLabel, ...]
    waves: WavesLabel | None = None  # None without waves

    @property
    def tier(self) -> str | None:
        """Return the tier of how surely one answer can be inferred; None if none is randomised."""
        return None if self.sureness is None else self.sureness.tier.value

    def document(self) -> dict[str, Any]:
        """Return the label as JSON-ready values."""
        return {**asdict(self), "tier": self.tier}


def privacy_label(survey: Survey, words: Words = ENGLISH) -> PrivacyLabel:
    """Write the privacy label of a survey."""
    say, found = words.say, sureness(survey)
    return PrivacyLabel(
        survey=survey.slug,
        revision=survey.revision,
        title=survey.title,
        implication=implication(survey, say),
        told=told(survey, say),
        average="" if found is None else found.average(say),
        sureness=found,
        unit=say("Everything that one person answers in this survey on one device."),
        model=say(
            "Local differential privacy: your own device adds the noise before it sends anything."
        ),
        mechanism=say(
            "Randomised response: chance decides whether your true answer or another one is sent. "
            "The probabilities are published."
        )
        + _together(survey, say),
        asked=_what_is_asked(survey, say) + _comprehension(survey, say),
        epsilon=survey.epsilon,
        repeats=_coming_back(survey, say),
        never_stored=say(
            "The server stores no IP address, browser name, cookie, referring page or time with "
            "your report. It does not keep the order in which reports arrived."
        ),
        seen=seen_by_researchers(survey.batch, say),
        counted=say(
            "To slow down anyone who sends very many reports, the server counts how many come from "
            "one network. It forgets this within an hour and keeps no address."
        ),
        limits=(
            say(
                "The people who run this site could send your browser a different program from "
                "the published one."
            ),
            say(
                "The server can see that someone took part. So can anyone who watches your "
                "connection."
            ),
            say("Someone who controls your device can see what you answer."),
        ),
        crowds=_crowds(survey, say),
        questions=tuple(_question_label(survey, question, words) for question in survey.questions),
        waves=_waves(survey, words),
    )


def _together(survey: Survey, say: Say) -> str:
    """Return which answers are sent as one, and what that means for one of them."""
    texts = {question.id: question.text for question in survey.questions}
    return "".join(
        " "
        + say(
            "Chance decides once for these answers together: {questions}. Someone who knows all of "
            "them but one can learn as much about that one as about all.",
            questions=", ".join(say("“{question}”", question=texts[id]) for id in group.questions),
        )
        for group in survey.groups
    )


def _coming_back(survey: Survey, say: Say) -> str:
    if survey.keeps_noise:
        return say(
            "You are asked again in later waves. If you come back in the same wave, nothing new is "
            "sent. If you answer on a second device, or after this browser’s storage was cleared, "
            "new chance is drawn and more is revealed."
        )
    return say(
        "Your device remembers which questions you reported, and how much that can reveal. It "
        "keeps your report only until the report has arrived. If you come back, no question is "
        "sent twice, so that nobody can average the chance away. If you answer on a second device, "
        "or after this browser’s storage was cleared, new chance is drawn and more is revealed."
    )


def _waves(survey: Survey, words: Words) -> WavesLabel | None:
    if not survey.keeps_noise:
        return None
    say = words.say

    def cost(epsilon: float) -> str:
        return f"ε = {words.number(epsilon)}"

    one_report = survey.one_report_millionths / exact.MILLION
    longitudinal = survey.spent_millionths / exact.MILLION
    millionths = survey.any_history_millionths
    any_history = None if millionths is None else millionths / exact.MILLION
    forgotten = math.ceil(loss_if_forgotten(survey) * exact.MILLION) / exact.MILLION
    return WavesLabel(
        count=survey.waves,
        epsilon_one_report=one_report,
        epsilon_longitudinal=longitudinal,
        epsilon_any_history=any_history,
        epsilon_forgotten=forgotten,
        statements=(
            say("Protected answers of one report: {cost}", cost=cost(one_report)),
            say(
                "All your protected answers, as long as they stay the same: {cost}",
                cost=cost(longitudinal),
            ),
            say("The same, if your browser forgets between waves: {cost}", cost=cost(forgotten)),
            say(
                "Whatever changes, even for someone who has your device: {cost}",
                cost=say("no limit") if any_history is None else cost(any_history),
            ),
        ),
        kept=say(
            "For each question, your device keeps one randomised answer for every answer that you "
            "could give. It draws them before you answer, and keeps them all, whichever answer is "
            "true. It also keeps the number of the wave that you answered last. It keeps a report "
            "only until the report has arrived. After that, nothing on your device says which of "
            "the stored reports is yours."
        ),
    )


def _crowds(survey: Survey, say: Say) -> tuple[Crowd, ...]:
    """Count the second report among people with the first true answer, and with the second.

    Of the least protected item; of a number only if there is no other, as in the browser.
    """
    named = [item for item in survey.items if item.flips is not None]
    if not named:
        return ()
    in_words = [item for item in named if not survey.question(item.question).is_number]
    item = max(in_words or named, key=lambda item: item.epsilon_millionths)
    question = survey.question(item.question)
    part = "" if question.text == item.text else f" – {item.text}"
    return tuple(
        _crowd(item, truth, say("“{question}”", question=question.text) + part, say)
        for truth in (0, 1)
    )


def _crowd(item: Item, truth: int, question: str, say: Say) -> Crowd:
    truth_text, report_text = item.truths[truth].text, item.reports[1].text
    # Rounded exactly, halves upwards as in the browser.
    count = (200 * item.channel.weights[truth][1] + ROW_SUM) // (2 * ROW_SUM)
    return Crowd(
        item=item.id,
        question=question,
        truth=truth_text,
        report=report_text,
        count=count,
        sentence=say(
            "Of 100 people whose true answer is “{truth}”, {count} send “{report}”.",
            truth=truth_text,
            count=count,
            report=report_text,
        ),
    )


def _what_is_asked(survey: Survey, say: Say) -> str:
    drawn = _what_is_drawn(survey, say)
    if not any(question.ask_if for question in survey.questions):
        return drawn or say("Everyone is asked every question.")
    shown = [survey.is_shown_to_all(question) for question in survey.questions if question.ask_if]
    said = []
    if any(shown):
        said.append(
            say(
                "A question that follows from a protected answer is shown to everybody, and you "
                "say whether it applies to you. So no screen shows what you answered before."
            )
        )
    decided = say(
        "Some questions are asked only after certain answers. Your own device decides that. If "
        "you are not asked a randomised question, your device sends a randomised answer to it all "
        "the same. So your report does not show whether you were asked."
    )
    if not all(shown):
        said.append(decided)
    if survey.follow_ups:
        said.append(time_tells(survey, say))
    return " ".join([drawn, *said]).strip()


def _what_is_drawn(survey: Survey, say: Say) -> str:
    """Say which questions chance draws; empty if it draws none."""
    if not survey.draws:
        return ""
    drawn = say(
        "Your own device chooses them at random before you answer. Your report shows which ones "
        "it chose."
    )
    if survey.ask is None:
        asked = say("For some questions, you are asked only some of the options or rows.")
    else:
        counts = {"count": survey.ask.count, "all": len(survey.ask.units)}
        if all(unit in survey.places for unit in survey.ask.units):
            asked = say("You are asked {count} of {all} of the randomised questions.", **counts)
        else:
            asked = say("You are asked {count} of {all} parts of the questions.", **counts)
        if survey.ask.chances:
            drawn += " " + say("Some are chosen more often than others.")
    if paper.draws_on_sheet(survey):
        drawn += " " + on_paper(say)
    return f"{asked} {drawn}"


def on_paper(say: Say) -> str:
    """Return how items are drawn on paper, without a device."""
    return say(
        "On paper, chance draws what each sheet asks. The people who run this survey print these "
        "sheets."
    )


def _comprehension(survey: Survey, say: Say) -> str:
    if not survey.comprehension:
        return ""
    return " " + say(
        "Before the survey starts, two questions let you check that you understand the "
        "protection. Your answers to these two stay on the page. You can skip them."
    )


def _question_label(survey: Survey, question: Question, words: Words) -> QuestionLabel:
    items = survey.items_of(question)
    drawn = frozenset() if survey.units is None else survey.units.all_places
    label = partial(
        QuestionLabel,
        question.id,
        question.text,
        question.protection.value,
        survey.most_asked(question),
        len(items),
        drawn.isdisjoint(survey.places[question.id]),
    )
    if question.protection is Protection.DIRECT:
        return label(epsilon=None, in_hundred=None, least=None, most=None, by_hand=None)
    shares = [100 * weight / ROW_SUM for row in items[0].channel.weights for weight in row]
    return label(
        epsilon=survey.epsilon_of(question),
        in_hundred=sureness_of(survey, question),
        least=round(min(shares)),
        most=round(max(shares)),
        by_hand=_by_hand(items[0], words.say),
    )


def _by_hand(item: Item, say: Say) -> str | None:
    """Return how an item is randomised by hand; all items of a question have the same channel."""
    if item.has_spinner:
        return say(
            "The printed sheet has a disc with two parts, one for each statement. Spin a paper "
            "clip on it, and say whether the statement where it stops is true of you."
        )
    # Nobody can repeat by hand the kept noise of waves.
    if item.memory is not None:
        return None
    procedure = coins.procedure_of(item)
    if procedure is None:
        disc_said = say(
            "The printed sheet has a disc with several parts. Spin a paper clip on it. The part "
            "where it stops says what to tick: your true answer, or one that chance chose."
        )
        return disc_said if disc_for(item) else None
    cases = procedure.cases((item.truths[0].text, item.truths[1].text), say)
    forced = " ".join(
        say("{outcome}: “{answer}”.", outcome=words[0].upper() + words[1:], answer=answer)
        for words, answer in cases
    )
    otherwise = say("Anything else: your true answer.")
    return f"{procedure.action(say)}. {forced} {otherwise}"
