"""The privacy label: what a survey promises, in plain words and in numbers.

One object, shown as a page and as JSON, whose every number is computed from the channels that the
browser samples from.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from deniable import coins, exact
from deniable.channel import ROW_SUM
from deniable.languages import LANGUAGES, Say
from deniable.server.words import Words, words
from deniable.survey import Item, Protection, Question, Survey

ENGLISH: Final = words(LANGUAGES[0])

WEAK: Final = 5.0
"""Above this ε (odds of 148 to 1) chance hides little, and the label says so."""


@dataclass(frozen=True)
class QuestionLabel:
    r"""What is promised of one question.

    Parameters
    ----------
    id, text : str
    protection : str
        ``"randomised"`` or ``"direct"``.
    answers_sent : int
        How many randomised answers it sends: one, or one for each option or row that is asked.
    answers_drawn_from : int
        From how many these are drawn at random; the same number if all are asked.
    asked_of_all : bool
        Whether everybody is asked it, or only those for whom it is drawn.
    epsilon : float or None
        Privacy loss of all of them together; None if it is sent as it is given.
    odds_factor : str or None
        :math:`e^\epsilon` in words: by how much somebody's odds can change at most.
    least, most : int or None
        Of 100 people, how many send a given report at least and at most, whatever their truth.
    by_hand : str or None
        How each of its items is randomised by hand, in one line; None if no coin, die or card can.
    """

    id: str
    text: str
    protection: str
    answers_sent: int
    answers_drawn_from: int
    asked_of_all: bool
    epsilon: float | None
    odds_factor: str | None
    least: int | None
    most: int | None
    by_hand: str | None


@dataclass(frozen=True)
class Crowd:
    """A hundred people of one true answer, and how many of them send one of the reports.

    Parameters
    ----------
    item : str
        The item's id.
    question : str
        What is asked of them.
    truth, report : str
        The true answer, and the report that is counted.
    count : int
        How many of the hundred send it.
    sentence : str
        All of it in words.
    """

    item: str
    question: str
    truth: str
    report: str
    count: int
    sentence: str


@dataclass(frozen=True)
class WavesLabel:
    r"""What is promised where a survey is asked again.

    Parameters
    ----------
    count : int
        How often it is asked.
    epsilon_once : float
        Privacy loss of one report.
    epsilon_lasting : float
        Of all reports ever, while the answers stay the same.
    epsilon_changing : float or None
        Of the reports of all waves, whatever changes between them, even to somebody who has all
        that the device keeps; None if it is not bounded.
    statements : tuple of str
        The three of them in words, each with :math:`e^\epsilon`.
    kept : str
        What the device keeps.
    """

    count: int
    epsilon_once: float
    epsilon_lasting: float
    epsilon_changing: float | None
    statements: tuple[str, ...]
    kept: str


@dataclass(frozen=True)
class PrivacyLabel:
    r"""What is promised of a survey, after Dibia et al. (2025): unit, model, loss, repeats, limits.

    Parameters
    ----------
    survey, revision, title : str
    implication : str
        What somebody who sees everything that is stored could conclude, in plain odds.
    unit : str
        Whose data one ε covers.
    model : str
        Where the noise is added.
    mechanism : str
    asked : str
        How much of it one person is asked.
    epsilon : float
        The most that answering everything that one is asked reveals.
    odds_factor : str
        :math:`e^\epsilon` in words.
    warning : str or None
        That it is so much that chance hides little, where it is.
    repeats : str
        What happens when somebody comes back.
    never_stored : str
    limits : tuple of str
        What is not promised, and who could break it.
    crowds : tuple of Crowd
        Two of them, of the item that chance protects least; none where nothing is randomised, or
        no report is named after an answer.
    questions : tuple of QuestionLabel
    waves : WavesLabel or None
        None if it is asked once.
    """

    survey: str
    revision: str
    title: str
    implication: str
    unit: str
    model: str
    mechanism: str
    asked: str
    epsilon: float
    odds_factor: str
    warning: str | None
    repeats: str
    never_stored: str
    limits: tuple[str, ...]
    crowds: tuple[Crowd, ...]
    questions: tuple[QuestionLabel, ...]
    waves: WavesLabel | None = None

    def document(self) -> dict[str, Any]:
        """Return the label as JSON-ready values."""
        return asdict(self)


def privacy_label(survey: Survey, words: Words = ENGLISH) -> PrivacyLabel:
    """Write the privacy label of a survey.

    Parameters
    ----------
    survey : Survey
        As it reads in the language of the words.
    words : Words

    Returns
    -------
    PrivacyLabel
    """
    say = words.say
    return PrivacyLabel(
        survey=survey.slug,
        revision=survey.revision,
        title=survey.title,
        implication=_over_rounds(survey, words),
        unit=say("Everything that one person answers in this survey, from one device."),
        model=say(
            "Local differential privacy: the noise is added on your own device, before sending."
        ),
        mechanism=say(
            "Randomised response: chance decides, with published probabilities, whether your true "
            "answer or another one is sent."
        ),
        asked=_asked(survey, say) + _comprehension(survey, say),
        epsilon=survey.epsilon,
        odds_factor=odds_factor(survey.epsilon, words),
        warning=large_factor(words) if survey.epsilon > WEAK else None,
        repeats=_repeats(survey, say),
        never_stored=say(
            "With your report the server stores no IP address, no browser name, no cookie, no "
            "referring page and no time, and it does not keep the order in which reports came."
        ),
        limits=(
            say("Whoever serves this page could serve another program than the published one."),
            say(
                "The server, and whoever watches your connection, can see that somebody took part."
            ),
            say("Somebody who controls your device can see what you answer."),
        ),
        crowds=_crowds(survey, say),
        questions=tuple(_question_label(survey, question, words) for question in survey.questions),
        waves=_waves(survey, words),
    )


def _repeats(survey: Survey, say: Say) -> str:
    if survey.waves is None:
        return say(
            "Your device keeps the randomised report (not your answers) and sends the same one "
            "again if you come back, so that chance cannot be averaged away. Answering on a second "
            "device, or after clearing this browser's storage, draws new chance and adds to what "
            "is revealed."
        )
    return say(
        "You are asked again in later rounds. Coming back in the same round sends nothing new. "
        "Answering on a second device, or after clearing this browser's storage, draws new chance "
        "and adds to what is revealed."
    )


def _waves(survey: Survey, words: Words) -> WavesLabel | None:
    if survey.waves is None:
        return None
    say = words.say

    def cost(epsilon: float) -> str:
        return say(
            "{factor} (ε = {epsilon})",
            factor=odds_factor(epsilon, words),
            epsilon=words.number(epsilon),
        )

    once = survey.once_millionths / exact.MILLION
    lasting = survey.spent_millionths / exact.MILLION
    millionths = survey.changing_millionths
    changing = None if millionths is None else millionths / exact.MILLION
    return WavesLabel(
        count=survey.waves,
        epsilon_once=once,
        epsilon_lasting=lasting,
        epsilon_changing=changing,
        statements=(
            say("One report: {cost}", cost=cost(once)),
            say("All reports ever, while your answers stay the same: {cost}", cost=cost(lasting)),
            say(
                "Whatever changes, even to somebody who has your device: {cost}",
                cost=say("no limit") if changing is None else cost(changing),
            ),
        ),
        kept=say(
            "For each question your device keeps one noisy answer for each answer that you could "
            "give, drawn before you answer and whichever is true, and which round you answered "
            "last. Until a report has arrived it keeps that report too; after that, nothing on it "
            "says which of the stored reports is yours."
        ),
    )


def _implication(survey: Survey, words: Words) -> str:
    """Say what could be concluded; the respondent's device says it in the same words."""
    if all(item.epsilon is None for item in survey.items):
        return words.say(
            "Every question of this survey is sent as you give it: whoever sees what is stored can "
            "read your answers."
        )
    factor = odds_factor(survey.epsilon, words)
    if survey.epsilon > WEAK:
        return words.say(
            "Somebody who sees everything that is stored, and knows which report is yours, can "
            "guess much about your true answers, though not be certain: an even chance can become "
            "odds of {factor} to 1 at most.",
            factor=factor,
        )
    return words.say(
        "Even somebody who sees everything that is stored, and knows which report is yours, cannot "
        "be sure of your true answer to a randomised question: an even chance can become odds of "
        "{factor} to 1 at most.",
        factor=factor,
    )


def _over_rounds(survey: Survey, words: Words) -> str:
    """Say it of all reports ever, where there are several, and under which condition."""
    said = _implication(survey, words)
    if survey.waves is None:
        return said
    return f"{said} {words.say('That holds while your answers stay the same from round to round.')}"


def _crowds(survey: Survey, say: Say) -> tuple[Crowd, ...]:
    """Count the second report among people of the first answer, and of the second.

    Of the item that chance protects least, so that no other is worse than it looks.
    """
    named = [item for item in survey.items if item.flips is not None]
    if not named:
        return ()
    item = max(named, key=lambda item: item.epsilon_millionths)
    question = survey.question(item.question)
    part = "" if question.text == item.text else f" – {item.text}"
    return tuple(
        _crowd(item, truth, say("“{question}”", question=question.text) + part, say)
        for truth in (0, 1)
    )


def _crowd(item: Item, truth: int, question: str, say: Say) -> Crowd:
    truth_text, report_text = item.truths[truth].text, item.reports[1].text
    # To the nearest, halves upwards as in the browser, exactly.
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


def large_factor(words: Words = ENGLISH) -> str:
    """Warn that chance hides little, above `WEAK`; the respondent's device says it as well."""
    return words.say(
        "That is a large factor. Somebody who has all of your randomised answers can guess much "
        "from them."
    )


def odds_factor(epsilon: float, words: Words = ENGLISH) -> str:
    """Say e^ε as people say it, rounded up.

    ε itself was rounded up by at most a millionth, which is undone first, so that ln 3 is a factor
    of 3 and not of 3.1.

    Examples
    --------
    >>> odds_factor(1.098613), odds_factor(3.0), odds_factor(0.5)
    ('3', '21', '1.7')
    """
    factor = math.exp(epsilon - 1 / exact.MILLION)
    if factor >= exact.MILLION:
        return words.say("more than a million")
    return words.number(math.ceil(factor * 10) / 10 if factor < 10 else math.ceil(factor))


def _asked(survey: Survey, say: Say) -> str:
    drawn = _drawn(survey, say)
    if not any(question.ask_if for question in survey.questions):
        return drawn or say("Everybody is asked everything.")
    branching = say(
        "Some questions are asked after certain answers only. Your own device decides that. For a "
        "randomised question that you are not asked it sends a randomised answer all the same, so "
        "that your report does not show whether you were asked it."
    )
    return f"{drawn} {branching}".strip()


def _drawn(survey: Survey, say: Say) -> str:
    """Say what chance draws; nothing if it draws nothing."""
    if not survey.draws:
        return ""
    drawn = say(
        "Your own device draws them at random, before you answer, and your report shows which."
    )
    if survey.ask is None:
        asked = say("Of some questions, you are asked a part of the options or rows.")
    else:
        asked = say(
            "You are asked {count} of {all} of the randomised questions.",
            count=survey.ask.count,
            all=len(survey.ask.questions),
        )
    return f"{asked} {drawn}"


def _comprehension(survey: Survey, say: Say) -> str:
    if not survey.comprehension:
        return ""
    return " " + say(
        "Before the first question, two others let you check whether the protection is clear to "
        "you. What you answer there stays in the page, and you can pass them by."
    )


def _question_label(survey: Survey, question: Question, words: Words) -> QuestionLabel:
    items = survey.items_of(question)
    label = partial(
        QuestionLabel,
        question.id,
        question.text,
        question.protection.value,
        question.ask or len(items),
        len(items),
        survey.ask is None or question.id not in survey.ask.questions,
    )
    if question.protection is Protection.DIRECT:
        return label(epsilon=None, odds_factor=None, least=None, most=None, by_hand=None)
    epsilon = survey.epsilon_of(question)
    shares = [100 * weight / ROW_SUM for row in items[0].channel.weights for weight in row]
    return label(
        epsilon=epsilon,
        odds_factor=odds_factor(epsilon, words),
        least=round(min(shares)),
        most=round(max(shares)),
        by_hand=_by_hand(items[0], words.say),
    )


def _by_hand(item: Item, say: Say) -> str | None:
    """Say how an item is randomised by hand; all items of a question have the same channel."""
    # In waves a browser does otherwise than hands: it remembers its chance.
    possible = item.memory is None and coins.can_be_forced(item)
    procedure = coins.by_hand(item.channel) if possible else None
    if procedure is None:
        return None
    cases = procedure.cases((item.truths[0].text, item.truths[1].text), say)
    forced = " ".join(
        say("{outcome}: “{answer}”.", outcome=words[0].upper() + words[1:], answer=answer)
        for words, answer in cases
    )
    otherwise = say("Anything else: the truth.")
    return f"{procedure.action(say)}. {forced} {otherwise}"
