"""Corrections of a survey's words, and structures that every device refuses."""

import hashlib
import itertools
from typing import Any

from deniable import Survey
from deniable.survey.document import canonical_json
from deniable.survey.questions import FIXED
from deniable.survey_file import read

CORRECTED = """\
version: 1
survey: lab
title: {en: Lab, de: Labor}
languages: [en, de]
purpose: {en: To lern, de: Um zu lernen}
consent: {en: I take part, de: Ich nehme teil}
organisation: {en: Us, de: Wir}
contact: {text: {en: Write, de: Schreiben}, link: "mailto:a@example.org"}
complaints: {text: {en: Complain, de: Beschweren}, link: "mailto:b@example.org"}
approval: {en: Board 1, de: Kommission 1}
results: {en: On our site, de: Auf unserer Seite}
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
                    "about/approval": "Comité 1",
                    "about/complaints": "Se plaindre",
                    "about/consent": "Je participe",
                    "about/contact": "Écrire",
                    "about/organisation": "Nous",
                    "about/purpose": "Pour",
                    "about/results": "Sur notre site",
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
    ("a place of the structure", False, [{"en": {"questions/told/protection": "direct"}}]),
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
    ("a structure with languages", [('"survey":"lab"', '"languages":["en"],"survey":"lab"')]),
]
"""What is written otherwise in the structure and the words, so that every device refuses both."""


def naive_numbers(lines: list[str]) -> list[str]:
    found = [hashlib.sha256(lines[0].encode()).digest()]
    for line in lines[1:]:
        found.append(hashlib.sha256(found[-1].hex().encode() + b"\n" + line.encode()).digest())
    return [one.hex() for one in found[1:]]


def corrected_cases() -> list[dict[str, Any]]:
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
