"""Write the test vectors that the samplers in Python and in JavaScript must both reproduce.

Run ``python -m tests.vectors.make`` after a change of the protocol. The expected reports come from
a third, naive sampler: subtract weights from the word until it would fall below zero.
"""

import hashlib
import itertools
import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from deniable import Survey, designs
from deniable.channel import ROW_SUM, Channel
from deniable.survey.document import canonical_json
from deniable.survey.questions import FIXED, Ask
from deniable.survey_file import read
from deniable.text.sureness import implication, sureness, told
from tests import surveys
from tests.surveys_together import DRAWN, IN_WAVES, TOGETHER, together

FOLDER = Path(__file__).parent
COINS = (3 * 2**30, 2**30)
"""Of 2^32, how often a yes comes from yes and from no: 3 to 1, two coins."""

NINE = (9 * 2**28, 2**28)

NINETEEN = (19 * 2**27, 2**27)

NINETY_NINE = (99 * 2**25, 2**25)

MORE = 2**14
"""So much weight is more than rounding: some millionths of a row's largest weight."""

WAVES = """\
version: 1
survey: s
title: T
waves: {{count: 2, redraw: {redraw}}}
questions: [{{id: a, text: A, type: single, answers: [No, Yes], flip: 1/4}}]
"""

WAVES_OTHER = "{id: b, text: B, type: single, answers: [No, Yes], flip: 1/4}"

KINDS = """\
version: 1
survey: s
title: T
questions: [{{id: a, text: A, type: single, {asked}}}]
"""

CORRECTED = """\
version: 1
survey: lab
title: {en: Lab, de: Labor}
languages: [en, de]
purpose: {en: To lern, de: Um zu lernen}
consent: {en: I take part, de: Ich nehme teil}
questions:
  - id: told
    text: {en: "Did a superviser know?", de: "Wusste es jemand?"}
    type: single
    answers: {no: {en: No, de: Nein}, yes: {en: Yes, de: Ja}}
    flip: 1/4
  - id: others
    text: {en: "Did others?", de: "Taten es andere?"}
    type: many
    answers: {a: {en: Anna, de: Anna}, b: {en: Ben, de: Ben}}
    flip: 1/4
"""

MEND = {"en": {"questions/told/text": "Did a supervisor know?"}}

CORRECTIONS: list[tuple[str, bool, list[Any]]] = [
    ("none", True, []),
    ("a word", True, [MEND]),
    (
        "both languages, and back",
        True,
        [
            {"de": {"questions/others/answers/a": "Anne"}, "en": {"about/purpose": "To learn"}},
            {"de": {"questions/others/answers/a": "Anna"}},
        ],
    ),
    (
        "another language",
        True,
        [
            MEND,
            {
                "fr": {
                    "about/consent": "Je participe",
                    "about/purpose": "Pour",
                    "introduction": "",
                    "questions/others/answers/a": "Anna",
                    "questions/others/answers/b": "Ben",
                    "questions/others/hint": "",
                    "questions/others/text": "D’autres ?",
                    "questions/told/answers/no": "Non",
                    "questions/told/answers/yes": "Oui",
                    "questions/told/hint": "",
                    "questions/told/text": "Su ?",
                    "title": "Labo",
                },
                "languages": ["en", "de", "fr"],
            },
        ],
    ),
    ("one language less", True, [{"languages": ["en"]}]),
    ("eight", True, [{"en": {"title": f"Lab {number}"}} for number in range(7)]),
    ("nine", False, [{"en": {"title": f"Lab {number}"}} for number in range(8)]),
    (
        "answers that change places",
        False,
        [{"en": {"questions/told/answers/no": "Yes", "questions/told/answers/yes": "No"}}],
    ),
    (
        "one after the other",
        False,
        [
            {"de": {"questions/told/answers/no": "Nie"}},
            {"de": {"questions/told/answers/yes": "Nein"}},
        ],
    ),
    ("seen alike", False, [{"en": {"questions/told/answers/yes": " N\u200bo"}}]),
    ("another question", False, [{"en": {"questions/others/text": "Did a superviser know?"}}]),
    ("another option", False, [{"en": {"questions/others/answers/a": "Ben"}}]),
    ("seen nearly alike", False, [{"en": {"questions/told/answers/yes": "NO.\u2800"}}]),
    ("the same between signs", False, [{"en": {"questions/told/answers/yes": "“·No` –”"}}]),
    ("a word of another language", False, [{"en": {"questions/told/answers/yes": "nein"}}]),
    ("two hints alike", True, [{"en": {"questions/told/hint": "A", "questions/others/hint": "A"}}]),
    ("consent in a language that is read", False, [{"de": {"about/consent": "Ja"}}]),
    (
        "consent in a language that was taken away",
        False,
        [{"languages": ["en"]}, {"de": {"about/consent": "Ja"}, "languages": ["en", "de"]}],
    ),
    ("a language that comes back", True, [{"languages": ["en"]}, {"languages": ["en", "de"]}]),
    *(
        (text, False, [{"de": {"questions/told/answers/yes": f"{text.lower()}."}}])
        for text in itertools.chain(*FIXED.values())
    ),
    (
        "an answer that nobody sees",
        False,
        [{"en": {"questions/told/answers/yes": " \u200b\u2800"}}],
    ),
    ("a question that nobody sees", False, [{"en": {"questions/told/text": ""}}]),
    ("a hint that nobody sees", True, [{"en": {"questions/told/hint": " "}}]),
    ("one mark alone", True, [{"en": {"questions/others/answers/a": "?"}}]),
    ("another question in a hint", False, [{"en": {"questions/told/hint": "did others"}}]),
    (
        "a hint that becomes another question",
        False,
        [
            {"en": {"questions/told/hint": "Think of both years."}},
            {"en": {"questions/others/text": "Think of both years"}},
        ],
    ),
    (
        "its own question in a hint",
        True,
        [{"en": {"questions/told/hint": "Did a superviser know?"}}],
    ),
    ("a place of the law", False, [{"en": {"questions/told/protection": "direct"}}]),
    ("no place", False, [{"en": {"questions/told/answers/z": "Never"}}]),
    ("a number as a text", False, [{"en": {"title": 1}}]),
    ("another first language", False, [{"languages": ["de", "en"]}]),
]
"""What is corrected, wording by wording, and whether every device accepts it."""

_MENDED = '"questions/told/text":"Did a supervisor know?"'

_UNSAID = [
    ('"questions/told/text":"Did a superviser know?",', ""),
    ('"questions/told/text":"Wusste es jemand?",', ""),
    (_MENDED, '"title":"Labs"'),
]

LAWS: list[tuple[str, list[tuple[str, str]]]] = [
    ("places that are not their own", [("questions/told/answers/yes", "y")]),
    ("a code with a slash", [("yes", "b/yes")]),
    ("an id with a slash", [("told", "a/b")]),
    (
        "an item with a text of its own",
        [('"text":"@questions/told/text","tr', '"text":"Sure?","tr')],
    ),
    ("an item with another's text", [('told/text","tr', 'others/text","tr')]),
    (
        "an item that points elsewhere, to the same text",
        [
            ('"text":"@questions/told/text","tr', '"text":"@title","tr'),
            (_MENDED, f'{_MENDED},"title":"Did a supervisor know?"'),
        ],
    ),
    ("a question with a text of its own", [('"@questions/told/text"', '"Sure?"'), *_UNSAID]),
    (
        "an answer called otherwise in an item",
        [
            (
                '"truths":[{"code":"no","text":"@questions/told/answers/no"',
                '"truths":[{"code":"no","text":"Yes"',
            )
        ],
    ),
    ("a yes that points to a place", [('"text":"Yes"', '"text":"@title"')]),
    ("a law with languages", [('"survey":"lab"', '"languages":["en"],"survey":"lab"')]),
]
"""What is written otherwise in the law and the words, so that every device refuses both."""


def naive_numbers(lines: list[str]) -> list[str]:
    """Hash line after line, by bytes."""
    found = [hashlib.sha256(lines[0].encode()).digest()]
    for line in lines[1:]:
        found.append(hashlib.sha256(found[-1].hex().encode() + b"\n" + line.encode()).digest())
    return [one.hex() for one in found[1:]]


def corrected_cases() -> list[dict[str, Any]]:
    """Correct a survey, each time as its lines say."""
    survey = read(CORRECTED).survey
    cases = []
    for name, fits, patches in CORRECTIONS:
        lines = [*survey.lines, *(canonical_json(patch).decode() for patch in patches)]
        written = "\n".join(lines)
        case = {"name": name, "fits": fits, "written": written, "numbers": naive_numbers(lines)}
        if fits:
            found = Survey.from_json(written.encode())
            case |= {"revision": survey.revision, "document": found.document}
            case["marks"] = [one.questions[0].text for one in found.earlier]
        cases.append(case)
    for name, changes in LAWS:
        written = "\n".join([*survey.lines, canonical_json(MEND).decode()])
        for old, new in changes:
            assert old in written
            written = written.replace(old, new)
        cases.append({"name": name, "fits": False, "written": written})
    return cases


GIVEN_IN_EXAMS: list[list[int | None]] = [
    # year, repeated, helped, help.notes, help.phone, assistant, exams: what is left out is skipped
    [0, None, 0, None, None, None, None],
    [0, None, 2, None, None, None, None],
    [0, None, 1, 1, 0, None, 4],
    [1, 0, 1, 1, 1, 1, 0],
    [2, 1, 1, 0, 1, 0, 2],
    [2, 0, 0, None, None, None, None],
    [1, 0, 0, 2, 2, 1, 2],
]
"""Answers to the survey with branches, skipping by hand what does not apply after the others.

The last of them are impossible, and sent as they are said."""


def naive_sample(row: tuple[int, ...], word: int) -> int:
    """Find the report that a word stands for, by subtraction."""
    for report, weight in enumerate(row):
        word -= weight
        if word < 0:
            return report
    raise AssertionError("the weights sum to less than the word")


def words_for(channel: Channel, generator: random.Random) -> list[int]:
    """Words at both sides of every threshold, and some others."""
    edges = {0, 2**32 - 1}
    for sums in channel.cumulative:
        edges |= {word for sum_ in sums for word in (sum_ - 1, sum_) if 0 <= word < 2**32}
    return [*sorted(edges)[:40], *(generator.getrandbits(32) for _ in range(40))]


def naive_asked(survey: Survey, words: list[int]) -> list[bool] | None:
    """Say which items are asked, draw by draw; None if two words of a draw are alike."""
    left = list(words)
    asked = [True] * len(survey.items)
    of_question = {one.id: [i.id for i in survey.items_of(one)] for one in survey.questions}
    groups = [
        (one.ask, [[id] for id in of_question[one.id]]) for one in survey.questions if one.ask
    ]
    if survey.ask:
        groups.insert(0, (survey.ask.count, [of_question[id] for id in survey.ask.units]))
    for count, choices in groups:
        own = [left.pop(0) for _ in choices]
        if len(set(own)) < len(own):
            return None
        for word, ids in zip(own, choices, strict=True):
            if sum(other < word for other in own) >= count:
                asked = [
                    a and item.id not in ids for a, item in zip(asked, survey.items, strict=True)
                ]
    assert not left
    return asked


def naive_chosen(
    count: int, chances: list[int], word: int, before: list[int]
) -> tuple[list[int], Fraction]:
    """Draw a set by its chance among those with all that was drawn before; and how likely it is."""
    kept = before[:count]
    sets = [
        some for some in itertools.combinations(range(len(chances)), count) if {*kept} <= {*some}
    ]
    likely = [Fraction(math.prod(chances[one] for one in some)) for some in sets]
    below = Fraction(0)
    for some, one in zip(sets, likely, strict=True):
        below += one / sum(likely)
        if word < below * ROW_SUM:
            return [*kept, *(each for each in some if each not in kept)], one / sum(likely)
    raise AssertionError


def draw_cases() -> list[dict[str, Any]]:
    """Draw by words around the ends of each set, and beside what was drawn before."""
    cases = []
    for count, chances in [(1, [1, 2]), (2, [3, 1, 1, 2]), (3, [99, 1, 50, 7]), (1, [5] * 9 + [4])]:
        edges = [one * ROW_SUM // 12 for one in range(12)]
        words = sorted({0, ROW_SUM - 1, *edges, *(one + 1 for one in edges)})
        for before in [[], [1], [1, 0, 1]]:
            kept = list(dict.fromkeys(before))
            chosen = [naive_chosen(count, chances, word, kept)[0] for word in words]
            cases.append(
                {
                    "count": count,
                    "chances": chances,
                    "before": kept,
                    "words": words,
                    "chosen": chosen,
                }
            )
    return cases


def asking_case(survey: Survey, generator: random.Random, *, alike: bool) -> dict[str, Any]:
    """Draw what one respondent is asked and answers; with two words alike if that is wanted."""
    choices = sum(len(draw.choices) for draw in survey.draws)
    words = [generator.getrandbits(32) for _ in range(len(survey.items) + choices)]
    if alike:
        words[-1] = words[-2]
    truths = [generator.randrange(item.channel.truths) for item in survey.items]
    asked = naive_asked(survey, words[len(survey.items) :])
    answers = None
    if asked is not None:
        answers = bytes(
            naive_sample(item.channel.weights[truth], word) if is_asked else 254
            for item, truth, word, is_asked in zip(
                survey.items, truths, words[: len(survey.items)], asked, strict=True
            )
        ).hex()
    return {"words": words, "truths": truths, "answers": answers}


def branching_case(
    survey: Survey, given: list[int | None], generator: random.Random
) -> dict[str, Any]:
    """Randomise one respondent's answers, each that is left out as the last of its truths."""
    words = [generator.getrandbits(32) for _ in survey.items]
    truths = [
        item.channel.truths - 1 if truth is None else truth
        for item, truth in zip(survey.items, given, strict=True)
    ]
    answers = bytes(
        naive_sample(item.channel.weights[truth], word)
        for item, truth, word in zip(survey.items, truths, words, strict=True)
    )
    return {"given": given, "words": words, "truths": truths, "answers": answers.hex()}


def read_survey(text: str) -> Survey:
    return read(text).survey


def together_case(survey: Survey, generator: random.Random) -> dict[str, Any]:
    """Randomise one respondent's answers, of the group by the word of its first question."""
    (group,), (places,) = survey.groups, survey.places_together
    kept = [0 if one.memory is None else one.kept_words for one in survey.items]
    size = len(survey.items) + sum(kept) + len(survey.draws)
    words = [generator.getrandbits(32) for _ in range(size)]
    truths = [generator.randrange(item.channel.truths) for item in survey.items]
    cell = generator.randrange(len(group.cells))

    def drawn(place: int, channel: Channel, truth: int) -> int:
        item, start = survey.items[place], len(survey.items) + sum(kept[:place])
        if item.memory is not None:
            word = words[start + truth]
            truth = naive_sample(item.memory.permanent.weights[truth], word)
            channel = item.memory.instantaneous
        return naive_sample(channel.weights[truth], words[place])

    answers = [
        0 if item.group else drawn(place, item.channel, truths[place])
        for place, item in enumerate(survey.items)
    ]
    sent = group.cells[drawn(places[0], group.channel, cell)]
    for at, place in enumerate(places):
        truths[place], answers[place] = group.cells[cell][at], sent[at]
    for draw in survey.draws:
        chosen, _ = naive_chosen(draw.count, [*draw.chances], words[-1], [])
        for unit in {*range(len(draw.choices))} - {*chosen}:
            for place in draw.places[unit]:
                answers[place] = 254
    return {"words": words, "truths": truths, "answers": bytes(answers).hex()}


def asked(*chances: tuple[int, int], more: int = 0) -> Survey:
    """Ask a yes-or-no question for each pair; the first yes of the last has so much more weight."""
    last = (chances[-1][0] + more, chances[-1][1])
    return surveys.survey(
        *(
            surveys.single(f"q{place}", channel=Channel([2**32 - one, one] for one in (other, own)))
            for place, (own, other) in enumerate([*chances[:-1], last])
        )
    )


Bounds = tuple[int, int, int, int | None, int | None]


def surenesses() -> list[tuple[str, Survey, Bounds, str]]:
    """How sure somebody can get, worked out by hand; and the tier of one answer.

    From one answer, from all, by the best guess; of all waves from one and from all.
    """
    nineteen_ninths = (19 * 2**27, 9 * 2**27)
    four = asked(COINS, COINS, NINE)
    drawn = replace(four, ask=Ask(1, ("q1", "q2")), epsilon_millionths=3_295_838)
    two_options = surveys.many("q", ["A", "B"])
    one_option = (replace(two_options[0], ask=1), two_options[1])
    with_direct = surveys.survey(surveys.single(direct=True, id="age"), surveys.single("q"))
    fifth, tenth = (designs.warner(flip=flip) for flip in ("1/5", "1/10"))
    never = designs.custom([["3/4", "1/4", 0], ["1/4", "3/4", 0]])
    waves = {redraw: read(WAVES.format(redraw=redraw)).survey for redraw in ("1/4", "1/5", "0")}
    panel = read(WAVES.format(redraw="1/4").replace("]\n", f", {WAVES_OTHER}]\n")).survey
    spun = read(
        KINDS.format(
            asked="answers: [No, Yes], style: statement, flip: 1/4, "
            "statements: {no: I did not, yes: I did}"
        )
    ).survey
    three = read(KINDS.format(asked="answers: [A, B, C], epsilon: 1.098612")).survey
    number = KINDS.replace("type: single", "type: number, min: 0, max: 4")
    numbers = read(number.format(asked="family: k_ary, epsilon: 1.098612")).survey
    codes = designs.custom([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]])
    again = replace(asked(NINE, NINE), same_fact=("q0", "q1"))
    beside = replace(asked(COINS, COINS, COINS), same_fact=("q0", "q2"))
    once = replace(beside, ask=Ask(1, ("q0", "q2")))
    hint, strong, close = "hint", "strong hint", "close to proof"
    none = (None, None)
    return [
        ("two coins", asked(COINS), (75, 75, 75, *none), hint),
        ("two coins and one weight more", asked(COINS, more=1), (75, 75, 75, *none), hint),
        (
            "a flip of 1/5",
            surveys.survey(surveys.single(channel=fifth)),
            (80, 80, 80, *none),
            strong,
        ),
        (
            "a flip of 1/10",
            surveys.survey(surveys.single(channel=tenth)),
            (90, 90, 90, *none),
            strong,
        ),
        ("two coins and a bit more", asked(COINS, more=MORE), (76, 76, 76, *none), strong),
        # 9 in 16 and 1 in 16 of yes: half of 1 and their distance of a half.
        ("nine", asked(NINE), (90, 90, 75, *none), strong),
        ("nine and a bit more", asked(NINE, more=MORE), (91, 91, 76, *none), close),
        # 19 and 1 of 32: half of 1 and 18/32 is 78.1.
        ("nineteen", asked(NINETEEN), (95, 95, 79, *none), close),
        ("nineteen and a bit more", asked(NINETEEN, more=MORE), (96, 96, 79, *none), close),
        # 99 and 1 of 128: half of 1 and 98/128 is 88.3.
        ("ninety-nine", asked(NINETY_NINE), (99, 99, 89, *none), close),
        ("ninety-nine and more", asked(NINETY_NINE, more=MORE), (100, 100, 89, *none), close),
        ("two coins twice", asked(COINS, COINS), (75, 90, 75, *none), hint),
        ("19/9 times 9", asked(NINE, nineteen_ninths), (90, 95, 75, *none), strong),
        # 19 to 9 of 32 are 10/32, and 9 to 1 of 16 a half.
        ("and more", asked(NINE, nineteen_ninths, more=MORE), (90, 96, 75, *none), strong),
        ("all less than a coin", asked((2**31 + MORE, 2**31)), (51, 51, 51, *none), hint),
        # q0 always at 3, and q1 at 3 or q2 at 9: 27 at most, and not 81.
        ("the dearest that is drawn", drawn, (90, 97, 75, *none), strong),
        # An option is an answer.
        ("two options, both", surveys.survey(two_options), (75, 90, 75, *none), hint),
        ("two options, one drawn", surveys.survey(one_option), (75, 75, 75, *none), hint),
        (
            "a report that nobody sends",
            surveys.survey(surveys.single(channel=never)),
            (75, 75, 75, *none),
            hint,
        ),
        # e to 1, 2.72 of 3.72.
        ("beside a direct question", with_direct, (74, 74, 74, *none), hint),
        # In each of two waves 3 to 1 or 4 to 1, whatever is true.
        ("waves", waves["1/4"], (75, 75, 75, 90, 90), hint),
        ("waves with less chance", waves["1/5"], (75, 75, 75, 95, 95), hint),
        ("waves without a limit", waves["0"], (75, 75, 75, 100, 100), hint),
        # 9 to 1 twice.
        ("waves of two questions", panel, (75, 90, 75, 90, 99), hint),
        # 9 to 1 twice is 81 to 1.
        ("one fact twice", again, (90, 99, 75, *none), strong),
        # 3 to 1 twice is 9 to 1, and 27 to 1 with the third.
        ("one fact twice, and another", beside, (75, 97, 75, *none), hint),
        # One of the two that ask about it, and the third: 3 to 1 twice.
        ("one fact, of which chance draws one question", once, (75, 90, 75, *none), hint),
        ("a spinner", spun, (75, 75, 75, *none), hint),
        # 3 to 1 to 1: half of 1 and 2/5.
        ("three answers", three, (75, 75, 70, *none), hint),
        # 3 to 1 to 1 to 1 to 1: half of 1 and 2/7 is 64.3.
        ("a number", numbers, (75, 75, 65, *none), hint),
        # Twice as likely at both ends: half of 1 and a quarter.
        ("codes", surveys.survey(surveys.single(channel=codes)), (67, 67, 63, *none), hint),
        # Four cells, 3 to 1 to 1 to 1: half of 1 and a third.
        (
            "two questions as one",
            read(together(2, 2, epsilon="1.098612")).survey,
            (75, 75, 67, *none),
            hint,
        ),
    ]


ONE_FACT = {"one fact twice": (99, 2), "one fact twice, and another": (90, 2)}
"""How sure somebody can get of a fact that is asked again, and how often it is, by hand."""


def enumerated(generator: random.Random) -> list[dict[str, Any]]:
    """Make 200 surveys by chance, and look at every report of every person of each.

    Of one answer, of all, and by the best guess; by Bayes, and not by ratios.
    """
    return [_enumerated_one(generator, drawn=number % 4 == 3) for number in range(200)]


def _enumerated_one(generator: random.Random, *, drawn: bool) -> dict[str, Any]:
    tables = [_random_table(generator) for _ in range(generator.randint(1 + drawn, 4))]
    count = generator.randint(1, len(tables) - 1) if drawn else len(tables)
    one = max(_posterior([table]) for table in tables)
    together = max(_posterior(asked) for asked in itertools.combinations(tables, count))
    guess = max(
        Fraction(sum(map(max, zip(a, b, strict=True))), 2 * ROW_SUM)
        for table in tables
        for a, b in itertools.combinations(table, 2)
    )
    numbers = [math.ceil(100 * share - Fraction(1, 10_000)) for share in (one, together, guess)]
    return {"tables": tables, "ask": count if drawn else 0, "numbers": numbers}


def _random_table(generator: random.Random) -> list[list[int]]:
    """Make a table of 2 or 3 truths, and 2 or 3 reports."""
    truths, reports = generator.choice([(2, 2), (2, 2), (2, 3), (3, 3)])
    rows = [[generator.randint(1, 8) for _ in range(reports)] for _ in range(truths)]
    weights = [[one * ROW_SUM // sum(row) for one in row] for row in rows]
    return [[*row[:-1], ROW_SUM - sum(row[:-1])] for row in weights]


def _posterior(tables: Sequence[list[list[int]]]) -> Fraction:
    """Return the most that 1 in 2 becomes, of any two truths and by any reports of all of them."""
    most = Fraction(1, 2)
    for reports in itertools.product(*(range(len(table[0])) for table in tables)):
        chances = [
            math.prod(row[report] for row, report in zip(rows, reports, strict=True))
            for rows in itertools.product(*tables)
        ]
        most = max(most, Fraction(max(chances), max(chances) + min(chances)))
    return most


def main() -> None:
    """Write the vectors, each into a file of its own beside this one."""
    generator = random.Random("deniable")  # fixed, so that the file is repeatable
    channels = {
        "two coins": designs.truth_or_random(),
        "Warner, flip 3/10": designs.warner(flip="3/10"),
        "forced response, 2/3 and 1/2": designs.forced_response(truth="2/3", yes="1/2"),
        "5 answers at epsilon 1": designs.k_ary(5, 1),
        "255 answers at epsilon 2": designs.k_ary(255, 2),
        "three reports of two truths": designs.custom([["1/2", "1/3", "1/6"], [0, "1/4", "3/4"]]),
        "epsilon 20": designs.k_ary(2, 20),
    }
    cases = []
    for name, channel in channels.items():
        truths = [0, 127, 254] if channel.truths > 10 else range(channel.truths)
        words = words_for(channel, generator)
        cases.append(
            {
                "name": name,
                "weights": channel.weights if channel.truths < 10 else None,
                "k_ary": None if channel.truths < 10 else [channel.truths, *channel.weights[0][:2]],
                "epsilon": None if channel.revealing_reports else channel.epsilon,
                "words": words,
                "reports": {
                    truth: [naive_sample(channel.weights[truth], word) for word in words]
                    for truth in truths
                },
            }
        )
    (FOLDER / "samplers.json").write_text(json.dumps(cases, indent=None) + "\n")

    (FOLDER / "wordings.json").write_text(json.dumps(corrected_cases(), ensure_ascii=False) + "\n")

    survey = read((FOLDER / "survey.yaml").read_text()).survey
    tape = [generator.getrandbits(32) for _ in survey.items]
    answered = [generator.randrange(item.channel.truths) for item in survey.items]
    answers = bytes(
        naive_sample(item.channel.weights[truth], word)
        for item, truth, word in zip(survey.items, answered, tape, strict=True)
    )
    case = {
        "document": survey.document,
        "written": survey.to_json().decode(),
        "revision": survey.revision,
        "words": tape,
        "truths": answered,
        "answers": answers.hex(),
        "epsilon_spent": str(
            sum(Fraction(item.epsilon_millionths, 10**6) for item in survey.items)
        ),
    }
    (FOLDER / "survey.json").write_text(json.dumps(case, ensure_ascii=False) + "\n")

    survey = read((FOLDER / "asking.yaml").read_text()).survey
    case = {
        "document": survey.document,
        "revision": survey.revision,
        "cases": [asking_case(survey, generator, alike=number == 0) for number in range(12)],
        "draws": draw_cases(),
    }
    (FOLDER / "asking.json").write_text(json.dumps(case, ensure_ascii=False) + "\n")

    survey = read((FOLDER / "branching.yaml").read_text()).survey
    case = {
        "document": survey.document,
        "revision": survey.revision,
        "cases": [branching_case(survey, given, generator) for given in GIVEN_IN_EXAMS],
    }
    (FOLDER / "branching.json").write_text(json.dumps(case, ensure_ascii=False) + "\n")

    case = {
        "surveys": [
            {
                "document": survey.document,
                "revision": survey.revision,
                "cells": survey.groups[0].cells,
                "cases": [together_case(survey, generator) for _ in range(30)],
            }
            for survey in map(read_survey, (together(2, 2), TOGETHER, DRAWN, IN_WAVES))
        ]
    }
    (FOLDER / "together.json").write_text(json.dumps(case) + "\n")

    sure = []
    for name, survey, (one, all_, guess, changed, changing), tier in surenesses():
        found = sureness(survey)
        fact, times = ONE_FACT.get(name, (None, 0))
        sure.append(
            {
                "name": name,
                "document": survey.document,
                "one": one,
                "all": all_,
                "guess": guess,
                "fact": fact,
                "times": times,
                "changed": changed,
                "changing": changing,
                "tier": tier,
                "answers": 0 if found is None else found.answers,
                "colours": [line.colour.value for line in told(survey)],
                "sentences": implication(survey),
            }
        )
    (FOLDER / "enumerated.json").write_text(json.dumps(enumerated(random.Random("bounds"))) + "\n")
    (FOLDER / "sureness.json").write_text(json.dumps(sure, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
