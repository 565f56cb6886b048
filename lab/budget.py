"""Spending a budget: questions, noisy answers, and what is left."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from deniable.lab.exercises import Exercise, Guess, Pick
from deniable.lab.inputs import Choice, Slider, Trail
from deniable.lab.page import Page, Settings, Shown, Value, fill
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number

PEOPLE: Final = 1000

_QUESTIONS: Final = Choice(
    "question",
    "Next question (of 1,000 made-up people)",
    {
        "smokers": "How many smoke?",
        "others": "How many smoke, not counting Ada?",
        "bikes": "How many come by bike?",
        "age": "What is the average age?",
        "salary": "What is the average salary (thousands)?",
    },
)
_EACH: Final = Slider("each", "ε of the next question", "0.05", "1", "0.05", "0.2")

_STEPS: Final = {"smokers": 1.0, "others": 1.0, "bikes": 1.0, "age": 0.1, "salary": 0.2}
"""By how much one person can move each: ages are up to 100, salaries up to 200."""

_CODE: Final = """\
from fractions import Fraction

import numpy as np

budget, seed = Fraction("{budget}"), {seed}
chance = np.random.default_rng(seed)
smokes = chance.random(1000) < 0.3  # made-up people; the first one is Ada
smokes[0] = True
truth = {{
    "smokers": smokes.sum(),
    "others": smokes[1:].sum(),
    "bikes": (chance.random(1000) < 0.4).sum(),
    "age": chance.normal(45, 15, 1000).clip(0, 100).mean(),
    "salary": (40 * np.exp(0.6 * chance.standard_normal(1000))).clip(0, 200).mean(),
}}
step = {{"smokers": 1, "others": 1, "bikes": 1, "age": 0.1, "salary": 0.2}}  # of one person
left = [budget]  # after each question


def ask(question, epsilon):
    noise = np.random.default_rng([seed, len(left)])  # fresh noise, even for the same question
    enough = Fraction(epsilon) <= left[-1]
    left.append(left[-1] - (Fraction(epsilon) if enough else 0))
    answer = truth[question] + noise.laplace(scale=step[question] / float(epsilon))
    return answer if enough else None


{asks}
remaining = left[-1]
spent = budget - remaining
"""


@dataclass(frozen=True)
class Asked:
    """A question and what came of it."""

    question: str
    epsilon: Fraction
    answer: float | None  # none if the budget was too small for it
    truth: float
    scale: float
    left: Fraction  # of the budget, afterwards

    @property
    def within(self) -> float:
        """What the noise exceeds in one of twenty answers."""
        return self.scale * math.log(20)


def made_up(seed: int) -> dict[str, float]:
    """Make up 1,000 people, and return the true answers."""
    chance = np.random.default_rng(seed)
    smokes = chance.random(PEOPLE) < 0.3
    smokes[0] = True  # Ada
    return {
        "smokers": float(smokes.sum()),
        "others": float(smokes[1:].sum()),
        "bikes": float((chance.random(PEOPLE) < 0.4).sum()),
        "age": float(chance.normal(45, 15, PEOPLE).clip(0, 100).mean()),
        "salary": float((40 * np.exp(0.6 * chance.standard_normal(PEOPLE))).clip(0, 200).mean()),
    }


def answered(words: str, budget: Fraction, seed: int) -> list[Asked]:
    """Answer questions until the budget is gone."""
    truth, left, found = made_up(seed), budget, []
    for place, word in enumerate(words.split(), 1):
        question, _, given = word.partition(":")
        epsilon = Fraction(given)
        enough = epsilon <= left
        left -= epsilon if enough else 0
        scale = _STEPS[question] / float(epsilon)
        noise = float(np.random.default_rng([seed, place]).laplace(scale=scale))
        answer = truth[question] + noise if enough else None
        found.append(Asked(question, epsilon, answer, truth[question], scale, left))
    return found


def compute(settings: Settings) -> Shown:
    """Return the answers to what was asked, and what is left."""
    budget, seed = Fraction(settings["budget"]), int(Fraction(settings["seed"]))
    asked = answered(str(settings["asked"]), budget, seed)
    left = asked[-1].left if asked else budget
    refused = sum(one.answer is None for one in asked)
    each, question = Fraction(settings["each"]), str(settings["question"])
    within = _STEPS[question] / float(each) * math.log(20)
    asks = [
        'answer_{} = ask("{}", "{}")'.format(place, *word.split(":"))
        for place, word in enumerate(str(settings["asked"]).split(), 1)
    ]
    return Shown(
        said=(
            (
                _said(len(asked), asked[-1])
                if asked
                else "Nothing was asked so far. Choose a question, and press “Ask”."
            ),
            f"Of ε = {number(float(budget), 2)}, {number(float(left), 2)} is left.",
            f"{refused} of {len(asked)} questions got no answer." if refused else "",
            (
                f"The next answer will be within ± {number(within, 1)} of the truth, 19 times of "
                "20."
                if each <= left
                else "The next question costs more than is left. It will get no answer."
            ),
        ),
        values=(
            Value("remaining", "ε that is left", float(left), number(float(left), 2)),
            Value("spent", "ε spent", float(budget - left), number(float(budget - left), 2)),
            *(
                Value(
                    f"answer_{place}",
                    f"No. {place}: {_QUESTIONS.options[one.question]}",
                    one.answer,
                    f"{number(one.answer, 1)} ± {number(one.within, 1)}",
                )
                for place, one in enumerate(asked, 1)
                if one.answer is not None
            ),
        ),
        code=fill(_CODE, settings, asks="\n".join(asks)),
        pictures=(_left(asked, budget), _off(asked), _shares(budget, each)),
    )


def _said(place: int, one: Asked) -> str:
    question, epsilon = _QUESTIONS.options[one.question], number(float(one.epsilon))
    if one.answer is None:
        return f"No. {place}, “{question}”: no answer, as less than ε = {epsilon} was left."
    return (
        f"No. {place}, “{question}”: {number(one.answer, 1)}, for ε = {epsilon}. The truth is "
        f"{number(one.truth, 1)}."
    )


def _left(asked: list[Asked], budget: Fraction) -> Picture:
    after = (float(budget), *(float(one.left) for one in asked))
    refused = [place for place, one in enumerate(asked, 1) if one.answer is None]
    series = [
        Series("left", "line", tuple(range(len(after))), after, 0),
        Series("", "dots", tuple(range(len(after))), after, 0),
    ]
    if refused:
        at = tuple(after[place] for place in refused)
        series.append(Series("no answer", "dots", tuple(refused), at, 1))
    rows = [("at first", "", "", "", "", number(float(budget), 2))]
    for place, one in enumerate(asked, 1):
        noisy = "none" if one.answer is None else number(one.answer, 1)
        rows.append(
            (
                f"No. {place}: {_QUESTIONS.options[one.question]}",
                number(float(one.epsilon)),
                noisy,
                number(one.within, 1),
                number(one.truth, 1),
                number(float(one.left), 2),
            )
        )
    return Picture(
        id="left",
        caption=(
            "What is left of the budget after each question. At zero, nobody gets an answer any "
            "more, for ever."
        ),
        x="Questions",
        y="ε that is left",
        series=tuple(series),
        table=Table(("Question", "ε", "Answer", "±", "Truth", "Left"), tuple(rows)),
        x_range=(0, max(len(asked), 10)),
        y_range=(0, float(budget)),
    )


def _off(asked: list[Asked]) -> Picture:
    off = {
        place: (one.answer - one.truth) / one.within
        for place, one in enumerate(asked, 1)
        if one.answer is not None
    }
    most = max(len(asked), 10) + 0.5
    return Picture(
        id="off",
        caption=(
            "How far off each answer was, measured by its ±. Most lie between the two lines. Only "
            "this page knows: whoever asks does not see it."
        ),
        x="Question",
        y="Error ÷ its ±",
        series=(
            Series("19 of 20 within", "line", (0.5, most), (1.0, 1.0), 2),
            Series("", "line", (0.5, most), (-1.0, -1.0), 2),
            *(Columns([*off], {"answers": [*off.values()]}, (1,), "dots").series if off else ()),
        ),
        table=Table(
            ("Question", "Error ÷ its ±"),
            tuple((str(place), number(error, 2)) for place, error in off.items())
            or (("none", ""),),
        ),
        x_range=(0.5, most),
        y_range=(
            min([-1.5, *off.values()]),
            max([1.5, *off.values()]),
        ),
    )


def _shares(budget: Fraction, each: Fraction) -> Picture:
    many = range(1, 21)
    within = Columns(many, {"± of each count": [math.log(20) * k / float(budget) for k in many]})
    return Picture(
        id="shares",
        drag=Drag("each", float(budget), power=-1),
        caption=(
            "The whole budget, shared by so many counts: the more you ask, the less you learn "
            "from each. The dot is for the ε of the next question."
        ),
        x="Counts that share the budget",
        y="± of each",
        series=(
            *within.series,
            *(
                [Series("", "dots", (float(budget / each),), (math.log(20) / float(each),), 1)]
                if budget / each <= many[-1]
                else []
            ),
        ),
        table=Table(
            ("Counts", "ε of each", "±"),
            tuple(
                (str(k), number(float(budget) / k), number(math.log(20) * k / float(budget), 1))
                for k in (1, 2, 3, 5, 10, 20)
            ),
        ),
        x_range=(0, many[-1]),
    )


PAGE: Final = Page(
    slug="budget",
    title="Spending a budget",
    summary="Ask a secret table until the budget is gone, and learn to spend it well.",
    paragraphs=(
        (
            "Here is a table of 1,000 made-up people, which you cannot see. You may ask about it. "
            "Each answer has noise and costs some ε, as much as you like to pay. Pay more, and the "
            "noise is less. What is left stands below. You may choose each question after you "
            "have seen the answers so far."
        ),
        (
            "When the budget is gone, the table is closed, for you and for everybody else: else "
            "the answers together would give people away. What you do with the answers is free. "
            "You may round them, add them up or print them."
        ),
    ),
    sources=(
        (
            "F. McSherry (2009). Privacy integrated queries: an extensible platform for "
            "privacy-preserving data analysis. SIGMOD."
        ),
        (
            "I. Dinur and K. Nissim (2003). Revealing information while preserving privacy. PODS. "
            "(Why there must be an end.)"
        ),
    ),
    inputs=(
        _QUESTIONS,
        _EACH,
        Trail(
            "asked",
            "Asked so far: a question and its ε each",
            _QUESTIONS,
            _EACH,
            20,
            "smokers:0.2 others:0.2",
        ),
        Slider("budget", "Budget ε in all", "0.2", "3", "0.1", "1"),
        Slider("seed", "Data (made up; each number is other people)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "Find out whether Ada smokes: ask how many smoke, then how many without her. Does it "
            "work?",
            "No. Without noise the difference would be 1 or 0. But each answer has noise of ± 15, "
            "and the difference has more. With the whole budget on these two questions, it is "
            "still ± 6 each.",
            {"asked": "smokers:0.2 others:0.2"},
            check=Pick("No, the noise is larger than the difference", ("Yes",)),
        ),
        Exercise(
            "Ask the same question five times with ε = 0.2 and take the average. Or ask it once "
            "with ε = 1. Which is better, for the same budget?",
            "Once. The average of five has noise of the variance 2 × 5² ÷ 5 = 10, and the one "
            "answer of 2 × 1² = 2. Noise that is averaged away is paid for, too.",
            {"asked": "smokers:0.2 smokers:0.2 smokers:0.2 smokers:0.2 smokers:0.2"},
            check=Pick("Once with ε = 1", ("Five times with ε = 0.2", "Both are the same")),
        ),
        Exercise(
            "The average age costs as much as a count. Why is it known so much better?",
            "One of 1,000 people moves the average by 100 ÷ 1,000 = 0.1 years at most. So ε = 0.2 "
            "leaves ± 1.5 years. Ask about averages of many, and the noise is small.",
            {"asked": "age:0.2"},
            check=Pick(
                "One person moves it by 0.1 years only", ("Ages are no secret", "It is asked first")
            ),
        ),
        Exercise(
            "Somebody asks a question again. Must the second answer cost ε again?",
            "Only if it has new noise. The table may keep its first answer and give it again. That "
            "tells nothing new, so it is free.",
            {"asked": "bikes:0.2 bikes:0.2"},
            check=Pick("No, if the first answer is kept and given again", ("Yes, always",)),
        ),
        Exercise(
            "You have ε = 1 for a whole year. How would you spend it?",
            "Think before you ask. Put a little into rough counts that show where to look, and "
            "most into the one or two numbers that you will publish. Leave some for a mistake. "
            "And use again what you have: to work with an answer is free.",
        ),
    ),
    topics=("interactive queries on a budget",),
    guess=Guess(
        "How many of 1,000 people smoke? For ε = 0.2 you may ask the table.",
        "answer_1",
        0,
        1000,
        "people",
        scale=1,
        step=10,
    ),
)
