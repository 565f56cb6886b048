"""Surveys that a server made worse, as the genuine program in Node judges them."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deniable.server.respondent.program import BROWSER_FOLDER
from deniable.survey.kind import MeetingQuestion
from deniable.survey.meeting import in_meeting, played
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.kit import PUBLIC, needs

ROOT = Path(__file__).parent.parent.parent

HONEST = [
    """\
version: 1
survey: page
title: On one page
introduction: Some words.
epsilon: 4
pages: one
exit: https://example.org/
comprehension: true
advance: auto
address: named
questions:
  - {id: doped, text: Doped, hint: Ever, type: single, answers: [No, Yes], prefer_not_to_say: true}
  - {id: took, text: Took, type: many, answers: [Iron, Gold]}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
""",
    """\
version: 1
survey: part
title: A part of it, in any order
epsilon: 3
batch: 5
order: random
ask: 1
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes], order: random}
  - {id: took, text: Took, type: many, answers: [Iron, Gold, Lead], ask: 1}
""",
    """\
version: 1
survey: next
title: Other people each time
epsilon: 2
waves: {count: 3, people: others}
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
""",
    """\
version: 1
survey: some
title: A part of it, with what follows
epsilon: 2
ask: 1
chances: {stole: 3, took.gold: 2}
same_fact: [stole, again]
questions:
  - {id: stole, text: Stole, type: single, answers: [No, Yes]}
  - {id: again, text: Again, type: single, answers: [No, Yes], ask_if: {stole: yes}}
  - {id: took, text: Took, type: many, answers: [Iron, Gold]}
""",
    """\
version: 1
survey: after
title: One after the other
branch: hidden
epsilon: 3
questions:
  - {id: stole, text: Stole, type: single, answers: [No, Yes]}
  - {id: born, text: Born in May, type: single, answers: [No, Yes], known: 1/12}
  - {id: works, text: Works, type: single, answers: [No, Yes], protection: direct}
  - {id: pays, text: Pays, type: single, answers: [No, Yes], protection: direct,
     ask_if: {works: yes}}
  - {id: again, text: Again, type: single, answers: [No, Yes], ask_if: {stole: yes, works: yes}}
""",
    """\
version: 1
survey: panel
title: Again and again
epsilon: 3
waves: {count: 2, redraw: 1/8}
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: slept, text: Slept, type: single, answers: [Well, So so, Badly]}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
""",
    """\
version: 1
survey: pair
title: Two as one
epsilon: 3
together: [doped, knew]
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes], prefer_not_to_say: true}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
  - {id: knew, text: Known, type: single, answers: [No, Yes], ask_if: {doped: yes}}
  - {id: slept, text: Slept, type: single, answers: [Well, Badly]}
""",
    """\
version: 1
survey: drawn
title: Two as one or another
epsilon: 2
ask: 1
chances: {doped: 2}
together: [doped, knew]
questions:
  - {id: slept, text: Slept, type: single, answers: [Well, Badly]}
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: knew, text: Known, type: single, answers: [No, Yes]}
""",
    """\
version: 1
survey: twice
title: Two as one again
epsilon: 3
waves: {count: 2, redraw: 1/8}
together: [doped, knew]
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: slept, text: Slept, type: single, answers: [Well, Badly]}
  - {id: knew, text: Known, type: single, answers: [No, Yes], ask_if: {doped: yes}}
""",
    """\
version: 1
survey: words
title: {en: Words, de: Worte}
languages: [en, de]
introduction: {en: Some, de: Einige}
organisation: {en: Us, de: Wir}
contact: {text: {en: Ask, de: Frag}, link: "mailto:study@example.org"}
minutes: 2
purpose: {en: To know, de: Wissen}
help: {text: {en: Talk, de: Reden}, link: "tel:+49-30-23125-000"}
consent: {en: "I know.", de: "Ich."}
epsilon: 5
questions:
  - id: fear
    text: {en: Afraid, de: Angst}
    hint: {en: At all, de: Jemals}
    type: grid
    rows: {day: {en: By day, de: Tags}, night: {en: By night, de: Nachts}}
    answers: {no: {en: "No", de: Nein}, yes: {en: "Yes", de: Ja}}
  - {id: drinks, text: {en: Drinks, de: Glas}, type: number, min: 0, max: 2, family: k_ary,
     prefer_not_to_say: true}
""",
    """\
version: 1
survey: spun
title: {en: Spun, de: Gedreht}
languages: [en, de]
epsilon: 3
questions:
  - {id: stole, text: {en: Stole, de: Geklaut}, type: single, style: statement,
     answers: [{en: "No", de: Nein}, {en: "Yes", de: Ja}],
     statements: [{en: I never did, de: Nie}, {en: I did, de: Einmal}]}
  - {id: told, text: {en: Told, de: Erzählt}, type: single, ask_if: {stole: yes},
     answers: [{en: "No", de: Nein}, {en: "Yes", de: Ja}]}
""",
    """\
version: 1
survey: cards
title: Reports that are no answers
epsilon: 4
same_fact: [stole, lied]
questions:
  - {id: stole, text: Stole, type: single, answers: [No, Yes],
     design: {custom: {table: [[1/2, 1/3, 1/6], [1/4, 1/4, 1/2]]}}}
  - {id: lied, text: Lied, type: single, answers: [No, Yes],
     design: {forced_response: {truth: 2/3, yes: 1/4}}}
""",
]
"""Together they have every key that a document can have; small, so that whole reports can be gone
through."""


def honest() -> list[dict[str, Any]]:
    """Return their documents.

    Two are by invitation, which no survey file says. Nor does it say that one is a trial, and
    another a question of a meeting.
    """
    surveys = [read(text).survey for text in HONEST]
    alone = played(surveys[-1], surveys[-1].questions[0])
    others = [trial_of(surveys[-1]), in_meeting(alone, MeetingQuestion("K7M4RX", 1))]
    documents = [one.document for one in others] + [
        replace(
            survey,
            token_keys=tuple(PUBLIC[: survey.waves]) if survey.slug in ("panel", "cards") else (),
        ).document
        for survey in surveys
    ]
    # The page takes a unit by the name of a follow-up too, and an ε above that of what is asked.
    (some,) = (each for each in documents if each["survey"] == "some")
    units = ["again", *some["ask"]["questions"][1:]]
    return [*documents, {**some, "epsilon": 3, "ask": {**some["ask"], "questions": units}}]


def honest_lines() -> list[str]:
    """Return the structures of those that are asked as they are, with their words."""
    return [read(text).survey.to_json().decode() for text in HONEST]


@dataclass(frozen=True)
class Mutant:
    """A document, and what the program in the browser makes of it.

    Of lines: as they are written, the document in its last wording, and the number of each.
    """

    document: Any
    refusal: str | None
    broken: tuple[str, ...]
    written: str = ""
    numbers: tuple[str, ...] = ()


@dataclass
class Campaign:
    """Mutants, made one after another as they are asked for."""

    seed: int
    count: int
    worded: bool = False
    mutated: Counter[str] = field(default_factory=Counter)
    whole: int = 0

    def __iter__(self) -> Iterator[Mutant]:
        """Yield the mutants; after the last one it is known what was mutated."""
        script = ROOT / "tests" / "client" / "browser" / "campaign.js"
        address = f"{BROWSER_FOLDER.resolve().as_uri()}/"
        process = subprocess.Popen(
            [
                needs.program("node", "make install"),
                *(str(script), address, str(self.seed), str(self.count)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(honest_lines() if self.worded else honest()))
            process.stdin.close()
            for line in process.stdout:
                told = json.loads(line)
                if "mutated" in told:
                    self.mutated, self.whole = Counter(told["mutated"]), told["whole"]
                    continue
                yield Mutant(
                    told.get("document"),
                    told.get("refusal"),
                    tuple(told.get("broken", ())),
                    told.get("written", ""),
                    tuple(told.get("numbers", ())),
                )
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
