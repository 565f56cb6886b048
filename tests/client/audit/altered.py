"""Copies of the browser's modules, each altered in one way that an audit must find."""

import shutil
from pathlib import Path

from deniable.client.audit.engine import BROWSER_FOLDER

MUTANTS = {
    "Math.random": (
        "core/report.js",
        "randomness(drawn);",
        "drawn.forEach((_word, place) => (drawn[place] = Math.random() * 2 ** 32));",
    ),
    "an off-by-one threshold": ("core/channel.js", "sum > word", "sum >= word"),
    "% 3": (
        "core/channel.js",
        "return firstExceeding(cumulative(weights[truth]), word);",
        "return word % 3 < 2 ? truth : (truth + 1 + (word % 2)) % weights[0].length;",
    ),
    "a truth in the length": (
        "core/report.js",
        "return sample(item.weights, truth, words[place])",
        "return sample(item.weights, truth, words[place]) + 256 * truth",
    ),
    "a length that varies": (
        "core/report.js",
        'const answers = bytes.map((byte) => hex(byte, 2)).join("");',
        'const answers = bytes.map((byte) => hex(byte, 2)).join("") + "0".repeat(bytes[0]);',
    ),
    "a draw used twice": ("core/report.js", "words[place]", "words[0]"),
    "a second draw": (
        "core/report.js",
        "    randomness(drawn);",
        "    randomness(drawn); randomness(drawn);",
    ),
    "noise drawn anew when it is sent": (
        "core/report.js",
        "  const bytes = survey.items.map((item, place) => {",
        (
            "  words = crypto.getRandomValues(new Uint32Array(words.length));\n"
            "  const bytes = survey.items.map((item, place) => {"
        ),
    ),
    "asked or not by what is true": (
        "core/report.js",
        "if (asked[place] === false) return NOT_DRAWN;",
        "if (asked[place] === false && truths[place] === 0) return NOT_DRAWN;",
    ),
    "a set drawn by what is true": (
        "core/report.js",
        "if (asked[place] === false) return NOT_DRAWN;",
        "if (asked[(place + truths[0]) % asked.length] === false) return NOT_DRAWN;",
    ),
    "each answer of a group drawn apart": (
        "core/report.js",
        "survey.together ? withGroups(survey, truths, words, bytes, ready) :",
        "",
    ),
    "a group drawn by what is true": (
        "core/together.js",
        "    if (asked.length === 0) continue;",
        (
            "    if (asked.length === 0) continue;\n"
            "    if (truths[places[0]] > 0) {\n"
            "      places.forEach((place) => (sent[place] = NOT_DRAWN));\n"
            "      continue;\n    }"
        ),
    ),
    "a cell kept by what is true": (
        "core/together.js",
        "firstExceeding(row, words[first])]",
        "truth > 1 ? truth : firstExceeding(row, words[first])]",
    ),
    "an order drawn apart": (
        "core/chance.js",
        "    ...shuffles.map(([, count]) => count),\n  ]);",
        (
            "    ...shuffles.map(([, count]) => count),\n  ]);\n"
            "  randomness(new Uint32Array(shuffles.length));"
        ),
    ),
    "a second request": (
        "core/submission.js",
        "    return await fetch(address, {",
        "    await fetch(`${address}/copy`, what);\n    return await fetch(address, {",
    ),
    "a header that tells": (
        "core/submission.js",
        '"Content-Type": "application/json"',
        '"Content-Type": "application/json", "X-Last": body.slice(-4)',
    ),
    "a field more": (
        "core/submission.js",
        "JSON.stringify(report)",
        "JSON.stringify({ ...report, language: 'en' })",
    ),
}
"""What is changed: the file, the text, and what takes its place."""

OF_CHANCE = {
    "asked or not by what is true",
    "a set drawn by what is true",
    "an order drawn apart",
}
"""Those that show only where chance decides what is asked, or in which order."""

OF_GROUPS = {
    "each answer of a group drawn apart",
    "a group drawn by what is true",
    "a cell kept by what is true",
}
"""Those that show only where questions are randomised as one answer."""


def altered(folder: Path, mutant: str | None) -> Path:
    """Copy the modules into a folder, with one alteration, or with none yet."""
    copy = folder / "browser"
    shutil.copytree(BROWSER_FOLDER, copy)
    if mutant is not None:
        name, text, other = MUTANTS[mutant]
        alter(copy / name, text, other)
    return copy


def alter(file: Path, text: str, other: str) -> None:
    """Put a text in the place of another one, which must be there."""
    source = file.read_text()
    assert text in source
    file.write_text(source.replace(text, other))
