"""Twenty cheats by somebody who had seen `docs/security.md` and the page, and nothing of the audit.

They were written and seen to work in a browser before their author read `tests.cheats`, so the
share of them that is found says how the checks do against what nobody had in mind.
"""

from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Final

SURVEY: Final = Path(__file__).parents[2] / "examples" / "doping.yaml"

NOTHING: Final = "nothing"
"""What the audit says where it finds nothing wrong."""

PAIRS: Final = 4
"""Pairs of visits of each program; of one that only a statistic finds, `MORE` quick ones."""

MORE: Final = 48

PAUSE: Final = "how soon it sends depends on what is true"


@dataclass(frozen=True)
class Cheat:
    """A way to cheat."""

    # Of the browser's modules: the file, a text that is there once, and what takes its place.
    edits: tuple[tuple[str, str, str], ...]
    said: str  # what an audit of the page says, in part; `NOTHING` where it cannot find it
    is_allowed: bool = False  # whether the page comes with a policy that allows everything
    # What is sent besides, or instead: the end of an address, the name and the value.
    headers: tuple[tuple[str, str, str], ...] = ()
    # Of the page's markup: a text that is there once behind the parts, and what takes its place.
    markup: tuple[str, str] = ("", "")
    survey: Path = SURVEY
    # What is taken out of the policy, and what it ends with instead.
    policy: tuple[str, str] = ("", "")
    # Of the survey file, and of the document that every second visitor gets: a text, and another.
    law: tuple[str, str] = ("", "")
    document: tuple[str, str] = ("", "")
    is_by_invitation: bool = False
    was_missed: bool = False  # whether the audit did not find it at first

    @property
    def pairs(self) -> int:
        """How many pairs of visits find it."""
        return MORE if self.said == PAUSE else PAIRS


Edit = tuple[str, str, str]


def _with(file: str, text: str, more: str) -> Edit:
    """Add something behind a text."""
    return file, text, f"{text}\n" + indent(more, "    ")


_QUESTIONNAIRE: Final = "page/questionnaire.js"
_NAMED: Final = (_QUESTIONNAIRE, "const named = admission?.id ?? id;")
_OTHER_ID: Final = "const named = admission?.id ?? id.slice(0, -1) + last.toString(16);"
_SENT: Final = (_QUESTIONNAIRE, "this.history.end();")
_SUM: Final = "truths.reduce((sum, one) => sum + one) % 2"
_HEARD: Final = _with(
    _QUESTIONNAIRE, "const { id, words, asked } = this.chance;", f"globalThis.heard = {_SUM};"
)
"""Whether the sum of all answers is odd: of one question with two answers, the answer."""

_ONES: Final = "[...id].reduce((all, one) => all ^ Number(`0x${one}`), " + _SUM + ") & 1"
_WORD: Final = "Number.parseInt(sha256(new TextEncoder().encode(id + at)).slice(0, 8), 16)"
_AGAIN: Final = """Object.defineProperty(made, "again", { value: () => {
  const fresh = crypto.getRandomValues(new Uint32Array(words.length));
  const drawn = randomise(survey, truths, fresh, this.due, this.ready, asked);
  return JSON.stringify(makeReport(survey, named, drawn));
} })"""


def _posting(text: str, other: str) -> tuple[Edit, Edit]:
    """Send the report otherwise, by what is true."""
    return _HEARD, ("core/submission.js", text, other)


HELD_OUT: Final[dict[str, Cheat]] = {
    # By whether it has the headers Pragma and Cache-Control.
    "a report that asks for no cache": Cheat(
        _posting('cache: "no-store",', 'cache: globalThis.heard ? "no-store" : "default",'),
        "a request differs in more than its message",
        was_missed=True,
    ),
    # What goes without credentials uses other connections.
    "a report on a connection of its own": Cheat(
        _posting('credentials: "omit",', 'credentials: globalThis.heard ? "include" : "omit",'),
        "by which connection it sends depends on what is true",
        was_missed=True,
    ),
    # The server answers the first try with 503.
    "a second try that comes .4 s later": Cheat(
        _posting("wait(Math.max(", "wait((globalThis.heard ? 0.4 : 0) + Math.max("),
        "how long it waits before it sends depends on what is true",
        was_missed=True,
    ),
    # The server gives the first try no answer, and sees when the connection ends.
    "patience with a silent server": Cheat(
        _posting(
            'redirect: "error",',
            'redirect: "error", signal: AbortSignal.timeout(globalThis.heard ? 4000 : 5000),',
        ),
        "it sets a clock by AbortSignal.timeout",
    ),
    # The server answers five tries with 503, and takes the mean.
    "fresh noise in each further try": Cheat(
        (
            (
                _QUESTIONNAIRE,
                "return makeReport(survey, named, bytes, memory.wave?.number);",
                f"const made = makeReport(survey, named, bytes);\n  return {_AGAIN};",
            ),
            (
                "core/submission.js",
                "body: JSON.stringify(report) });",
                "body: JSON.stringify(tries ? report.again() : report) });",
            ),
        ),
        "it draws random words after the first answer",
        was_missed=True,
    ),
    # Where two reports differ, both are true.
    "one word of chance for two questions": Cheat(
        (
            (
                "core/chance.js",
                "words: drawn.words,",
                "words: drawn.words.map((_word, place) => drawn.words[place & ~1]),",
            ),
        ),
        "a message is",
        survey=SURVEY.with_name("ward.yaml"),
    ),
    # The server computes the words again: half of all reports are true, and it knows which.
    "chance that follows from the report's id": Cheat(
        (
            (
                "core/report.js",
                'import { Refusal } from "./refusal.js";',
                'import { Refusal } from "./refusal.js";\nimport { sha256 } from "./sha256.js";',
            ),
            (
                "core/report.js",
                "words: drawn.subarray(ID_WORDS, ID_WORDS + items)",
                f"words: Uint32Array.from({{ length: items }}, (_none, at) => {_WORD})",
            ),
        ),
        "a message is",
    ),
    # The id of such a report begins with 00 or 01.
    "no noise, once in 128 times": Cheat(
        (
            _with(
                "core/chance.js",
                "crypto.getRandomValues(words);",
                "if (words[0] < 2 ** 25)\n"
                "  words.forEach((_word, at) => at > 3 && (words[at] = 2 ** 31 + at));",
            ),
        ),
        NOTHING,
        was_missed=True,
    ),
    "the sum of the id's bits": Cheat(
        (
            (
                *_NAMED,
                f"const last = Number(`0x${{id.at(-1)}}`) ^ ({_ONES});\n  {_OTHER_ID}",
            ),
        ),
        "a message is",
    ),
    # It tells which language somebody read.
    "the difference of the id's first and last digit": Cheat(
        (
            (_QUESTIONNAIRE, "import { drawnBy, say,", "import { drawnBy, locale, say,"),
            (
                *_NAMED,
                (
                    'const own = ["en", "de", "fr", "es", "ar"].indexOf(locale());\n  '
                    f"const last = (Number(`0x${{id[0]}}`) + own) % 16;\n  {_OTHER_ID}"
                ),
            ),
        ),
        "a message is",
        survey=SURVEY.with_name("journeys.yaml"),
    ),
    # The next visit asks for the questions twice.
    "a cache that the next visit looks at": Cheat(
        (
            _HEARD,
            _with(
                *_SENT,
                "const kept = new Response(String(globalThis.heard));\n"
                'void globalThis.caches?.open("1").then((all) => all.put("/1", kept));',
            ),
            (
                "core/fetching.js",
                "const answer = await fetch(address, { credentials",
                (
                    'const kept = await (await globalThis.caches?.match("/1"))?.text();\n  '
                    'if (kept === "1") await fetch(address, { cache: "reload" });\n  '
                    "const answer = await fetch(address, { credentials"
                ),
            ),
        ),
        "it keeps a cookie, database or cache",
    ),
    # It asks for a page 20 seconds later, also where the survey's is closed.
    "a service worker that is the page's own script": Cheat(
        (
            _HEARD,
            _with(
                *_SENT,
                "const { heard } = globalThis;\n"
                'void navigator.serviceWorker?.getRegistration("/client/")\n'
                ".then((all) => all?.active?.postMessage(heard));",
            ),
            (
                "page/leave.js",
                "armExit(openStorage());",
                """if (globalThis.document) {
  void navigator.serviceWorker?.register("/client/leave.js");
  armExit(openStorage());
} else globalThis.onmessage = (event) => event.waitUntil(
  new Promise((wake) => setTimeout(wake, 20000)).then(() => event.data && fetch("/device")));""",
            ),
        ),
        "it opens a service_worker of its own",
        policy=(
            "; require-trusted-types-for 'script'; trusted-types 'none'",
            "; worker-src 'self'",
        ),
    ),
    "a font for the answer that is ticked": Cheat(
        (
            _with(
                "style.css",
                "* {\n  box-sizing: border-box;\n}",
                "@font-face { font-family: Ticked; src: url(/client/ticked.woff); }\n"
                '.choice:has([id$="-1"]:checked) label { font-family: Ticked, system-ui; }',
            ),
        ),
        "ticked.woff while questions are answered",
        policy=("", "; font-src 'self'"),
    ),
    # The browser itself sends what the policy forbade.
    "a complaint of the browser": Cheat(
        (
            _with(
                "page/choices.js",
                "input.checked = place === ticked;",
                'if (input.checked && order[place]) input.setAttribute("style", "order: 0");',
            ),
        ),
        "/health while questions are answered",
        policy=("", "; report-uri /health"),
    ),
    "a request when somebody looks at another tab": Cheat(
        (
            _with(
                _QUESTIONNAIRE,
                "drawnBy((copyAnswers) => this.redraw(copyAnswers));",
                """document.addEventListener("visibilitychange", () => {
  const { truths } = readAnswers(this.session.survey, this.paper.entries);
"""
                f'  if (document.hidden && {_SUM}) void fetch("state.json", {{ keepalive: true }});'
                "\n});",
            ),
        ),
        "state.json while questions are answered",
        was_missed=True,
    ),
    # The salt can be read in the token, so the signer knows which code it came with.
    "blinding that follows from the salt": Cheat(
        (
            (
                "core/blind.js",
                "numberOf(chance.slice(ends[1])) % numberOf(key)",
                "numberOf(digitsOf(masked(new Array(272).fill(0), bytesOf(salt)))) % numberOf(key)",
            ),
        ),
        "what it has signed is not its id, hidden by chance alone",
        was_missed=True,
        is_by_invitation=True,
    ),
    # The document says that it is sent as it is given, and the page does not.
    "a direct question that looks protected": Cheat(
        (
            ("page/form.js", 'if (question.protection === "direct") return', "if (!survey) return"),
            (
                "page/review.js",
                'const direct = sent.filter(({ question }) => question.protection === "direct")',
                "const direct = []",
            ),
            (
                "page/opening.js",
                'sentOf(entries).filter(({ question }) => question.protection === "direct");',
                "sentOf(entries).slice(0, 0);",
            ),
        ),
        NOTHING,
        was_missed=True,
        law=("flip: 1/4", "protection: direct"),
    ),
    # It comes back with the next request for the document.
    "a version of the document for each browser": Cheat(
        (),
        "a header came that is not harmless: cache-control",
        headers=(
            ("survey.json", "Cache-Control", "private, max-age=0"),
            ("survey.json", "ETag", '"{number}"'),
        ),
    ),
    # Several reports of one person have a mean.
    "a device that forgets at each visit": Cheat(
        (),
        "a header came that is not harmless: clear-site-data",
        headers=(("state.json", "Clear-Site-Data", '"storage"'),),
    ),
    # The report names the hash of what was served.
    "a blank more in one person's document": Cheat((), "a message is", document=('{"', '{ "')),
}
