"""Twenty cheats by somebody who had not seen the audit: `docs/security.md` and the page alone.

An operator serves another program, other headers, another document or other answers, and learns
the truth of a person, or who sent a report.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SILENCE: Final = 0
"""In place of a status: no answer at all."""

Edit = tuple[str, str, str]
"""A file of `client/browser`, what stands in it once, and what stands there instead."""


class HeldOut(NamedTuple):
    """A cheat, and what its operator learns, and how."""

    name: str
    learns: str
    edits: tuple[Edit, ...] = ()
    # The end of an address, a header, what is taken out of its value, and what is added to it.
    headers: tuple[tuple[str, str, str, str], ...] = ()
    statuses: tuple[int, ...] = ()  # of the first reports that come; then 201
    document: tuple[str, str] = ("", "")  # what stands in the document, and for one person instead
    survey: tuple[str, str] = ("", "")  # what stands in the survey file, and instead


_HEARD: Final[Edit] = (
    "page/questionnaire.js",
    "const { id, words, asked } = this.chance;",
    "const { id, words, asked } = this.chance;\n"
    "    globalThis.heard = truths.reduce((sum, one) => sum + one) % 2;",
)
"""Whether the sum of all answers is odd: of one question with two answers, the answer."""

_NAMED: Final = ("page/questionnaire.js", "const named = admission?.id ?? id;")
_BODY: Final = ("core/submission.js", "await post(fetch, address, { headers, body });")
_SETTLED: Final = ("page/choices.js", "input.checked = place === ticked;")
_POLICY: Final = ("/", "Content-Security-Policy")

HELD_OUT: Final = (
    HeldOut(
        "the report asks for no cache, or says nothing of it",
        "The truth, from whether the report has the headers Pragma and Cache-Control.",
        (
            _HEARD,
            (
                "core/submission.js",
                'cache: "no-store",',
                'cache: globalThis.heard ? "no-store" : "default",',
            ),
        ),
    ),
    HeldOut(
        "the report comes on the page's connection, or on its own",
        "The truth: requests with and without credentials use different connections.",
        (
            _HEARD,
            (
                "core/submission.js",
                'credentials: "omit",',
                'credentials: globalThis.heard ? "same-origin" : "omit",',
            ),
        ),
    ),
    HeldOut(
        "after a 503 the next try comes a little later",
        "The truth, from .4 s between the two tries. The first one it answers with 503.",
        (
            _HEARD,
            (
                "core/submission.js",
                "await wait(Math.max(",
                "await wait((globalThis.heard ? 0.4 : 0) + Math.max(",
            ),
        ),
        statuses=(503,),
    ),
    HeldOut(
        "it gives a silent server up sooner",
        "The truth, from whether the connection is closed after 4 seconds or after 5.",
        (
            _HEARD,
            (
                "core/submission.js",
                'redirect: "error",',
                'redirect: "error",\n'
                "      signal: AbortSignal.timeout(globalThis.heard ? 4000 : 5000),",
            ),
        ),
        statuses=(SILENCE,),
    ),
    HeldOut(
        "each further try has fresh noise",
        "The truth, as the mean of several reports with one id. It answers 503 to the first five.",
        (
            (
                "page/questionnaire.js",
                "return makeReport(survey, named, bytes, this.session.memory.wave?.number);",
                "const made = makeReport(survey, named, bytes, this.session.memory.wave?.number);\n"
                "    const again = () => {\n"
                "      const fresh = crypto.getRandomValues(new Uint32Array(words.length));\n"
                "      const drawn = randomise(survey, truths, fresh, this.due, this.ready, asked);\n"
                "      return JSON.stringify(makeReport(survey, named, drawn));\n"
                "    };\n"
                '    return Object.defineProperty(made, "again", { value: again });',
            ),
            (
                *_BODY,
                "await post(fetch, address, { headers, body: tries ? report.again() : body });",
            ),
        ),
        statuses=(503, 503, 503, 503, 503),
    ),
    HeldOut(
        "two questions share their chance",
        "Both truths, where two reports of the same design differ. Each report has the right law.",
        (
            (
                "core/chance.js",
                "words: drawn.words,",
                "words: drawn.words.map((_word, place) => drawn.words[place & ~1]),",
            ),
        ),
    ),
    HeldOut(
        "the chance follows from the report's id",
        "The truth of half of all reports: it computes the words again, and undoes the noise.",
        (
            (
                "core/report.js",
                'from "./refusal.js";',
                'from "./refusal.js";\nimport { sha256 } from "./sha256.js";',
            ),
            (
                "core/report.js",
                "return { id, words: drawn.subarray(ID_WORDS, ID_WORDS + items), draws };",
                "const text = (place) => new TextEncoder().encode(id + place);\n"
                "      const word = (place) => Number.parseInt(sha256(text(place)).slice(0, 8), 16);\n"
                "      const words = Uint32Array.from({ length: items }, (_none, place) => word(place));\n"
                "      return { id, words, draws };",
            ),
        ),
    ),
    HeldOut(
        "one report in 128 has no noise",
        "The truth of those whose id begins with 00 or 01.",
        (
            (
                "core/chance.js",
                "crypto.getRandomValues(words);",
                "crypto.getRandomValues(words);\n"
                "  if (words[0] < 2 ** 25) {\n"
                "    words.forEach((_word, at) => at > 3 && (words[at] = 2 ** 31 + at));\n"
                "  }",
            ),
        ),
    ),
    HeldOut(
        "the bits of the id add up to the answer",
        "The truth, from an id that looks like any other.",
        (
            (
                *_NAMED,
                "const sum = truths.reduce((all, one) => all + one) % 2;\n"
                "    const bits = [...id].reduce((all, one) => all ^ Number(`0x${one}`), sum) & 1;\n"
                "    const last = (Number(`0x${id.at(-1)}`) ^ bits).toString(16);\n"
                "    const named = admission?.id ?? id.slice(0, -1) + last;",
            ),
        ),
    ),
    HeldOut(
        "the last digit of the id tells the language",
        "Which language a person read, from the difference of the id's first and last digit.",
        (
            ("page/questionnaire.js", "import { drawnBy, say,", "import { drawnBy, locale, say,"),
            (
                *_NAMED,
                'const own = ["en", "de", "fr", "es", "ar"].indexOf(locale());\n'
                "    const last = ((Number(`0x${id[0]}`) + own) % 16).toString(16);\n"
                "    const named = admission?.id ?? id.slice(0, -1) + last;",
            ),
        ),
    ),
    HeldOut(
        "the cache keeps the answer for the next visit",
        "The truth, from whether the next visit asks for the questions once or twice.",
        (
            _HEARD,
            (
                "page/questionnaire.js",
                "this.history.end();",
                "this.history.end();\n"
                "    const kept = new Response(String(globalThis.heard));\n"
                '    void globalThis.caches?.open("1").then((all) => all.put("/1", kept));',
            ),
            (
                "core/fetching.js",
                "const answer = await fetch(address, { credentials",
                'const kept = await (await globalThis.caches?.match("/1"))?.text();\n'
                '  if (kept === "1") await fetch(address, { cache: "reload" });\n'
                "  const answer = await fetch(address, { credentials",
            ),
        ),
    ),
    HeldOut(
        "a service worker tells it later",
        "The truth, from a request for /device 20 s after the report, even if the page is closed.",
        (
            _HEARD,
            (
                "page/questionnaire.js",
                "this.history.end();",
                "this.history.end();\n"
                "    const { heard } = globalThis;\n"
                '    void navigator.serviceWorker?.getRegistration("/client/")\n'
                "      .then((all) => all?.active?.postMessage(heard));",
            ),
            (
                "page/leave.js",
                "armExit(openStorage());",
                "const later = (event) => event.waitUntil(new Promise((wake) => setTimeout(wake, 20000))\n"
                '  .then(() => event.data && fetch("/device")));\n'
                'if (globalThis.document) void navigator.serviceWorker?.register("/client/leave.js");\n'
                "else globalThis.onmessage = later;\n"
                "if (globalThis.document) armExit(openStorage());",
            ),
        ),
        (
            (
                *_POLICY,
                "; require-trusted-types-for 'script'; trusted-types 'none'",
                "; worker-src 'self'",
            ),
        ),
    ),
    HeldOut(
        "the ticked answer stands in a font of its own",
        "The truth, from a request for the font. The policy allows fonts.",
        (
            (
                "style.css",
                "* {\n  box-sizing: border-box;\n}",
                "* {\n  box-sizing: border-box;\n}\n\n"
                "@font-face {\n  font-family: Ticked;\n  src: url(/client/ticked.woff);\n}\n\n"
                '.choice:has([id$="-1"]:checked) label {\n  font-family: Ticked, system-ui;\n}',
            ),
        ),
        ((*_POLICY, "", "; font-src 'self'"),),
    ),
    HeldOut(
        "the browser complains of a style where yes is ticked",
        "The truth, from the browser's own report of what the policy forbade.",
        (
            (
                *_SETTLED,
                "input.checked = place === ticked;\n"
                '      if (input.checked && order[place]) input.setAttribute("style", "order: 0");',
            ),
        ),
        ((*_POLICY, "", "; report-uri /health"),),
    ),
    HeldOut(
        "it tells when somebody looks at another tab",
        "The truth of those who turn away before they send, from a second request for the day.",
        (
            (
                "page/questionnaire.js",
                "drawnBy((copyAnswers) => this.redraw(copyAnswers));",
                "drawnBy((copyAnswers) => this.redraw(copyAnswers));\n"
                '    document.addEventListener("visibilitychange", () => {\n'
                "      const { truths } = readAnswers(this.session.survey, this.paper.entries);\n"
                "      if (document.hidden && truths.reduce((sum, one) => sum + one) % 2)\n"
                '        void fetch("state.json", { keepalive: true });\n'
                "    });",
            ),
        ),
    ),
    HeldOut(
        "what hides the id from the signer follows from the salt",
        "Whose code a report came with: the salt can be read in the token, and gives the factor.",
        (
            (
                "core/blind.js",
                "numberOf(chance.slice(ends[1])) % modulus",
                "numberOf(digitsOf(maskOf(bytesOf(salt), key.length / 2 + 16))) % modulus",
            ),
        ),
    ),
    HeldOut(
        "a direct question looks protected",
        "The truth, which is sent as it is given. The document says so, the page does not.",
        (
            (
                "page/words.js",
                '  protection === "direct" ? say("Sent as you give it") : say(',
                "  protection && say(",
            ),
            (
                "page/form.js",
                'if (protection === "direct") return element("p", { class: "mark direct" }, mark);',
                "",
            ),
            (
                "page/review.js",
                'const direct = sent.filter(({ question }) => question.protection === "direct").length;',
                "const direct = 0;",
            ),
            (
                "page/opening.js",
                'questions.filter((one) => one.protection === "direct");',
                "questions.slice(0, 0);",
            ),
        ),
        survey=("flip: 1/4", "protection: direct"),
    ),
    HeldOut(
        "every browser gets a version of its own",
        "Who comes again: the browser names the version that it got when it asks for the next.",
        headers=(
            ("survey.json", "Cache-Control", "no-store", "private, max-age=0"),
            ("survey.json", "ETag", "", '"{number}"'),
        ),
    ),
    HeldOut(
        "each visit makes the device forget",
        "Several reports of each person who comes again, whose mean tells the truth.",
        headers=(("state.json", "Clear-Site-Data", "", '"storage"'),),
    ),
    HeldOut(
        "one person's document has a blank more",
        "Which report is theirs: it names a revision that nobody else got.",
        document=('{"', '{ "'),
    ),
)
