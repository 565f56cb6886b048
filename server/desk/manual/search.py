"""The search of the manual: it ranks sections by which of the words they have, and where."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import islice
from typing import Final

from deniable.server.desk.manual import pages
from deniable.server.desk.manual.pages import Section

MOST_FOUND: Final = 30

_WORD: Final = re.compile(r"[\w/]+")
_ENDING: Final = re.compile(r"(?<=\w\w\w\w)(?:ings?|ed|es|s)$")

_EMPTY: Final = frozenset(
    "a an and are as at be by can do does for from have how i if in is it me my of on or our that"  # noqa: SIM905
    " the this to us use was we what when where which who will with you your".split()
)
"""Words that say nothing about what somebody looks for."""

_OURS: Final = {
    "anonymous": "invitation",
    "checkbox": "tick",
    "choice": "several",
    "committee": "board",
    "create": "write",
    "demo": "try",
    "dice": "die",
    "edit": "mistake",
    "epsilon": "ε",
    "existing": "elsewhere",
    "frequency": "often",
    "install": "installing",
    "irb": "board",
    "legal": "law",
    "longitudinal": "panel",
    "multiple": "several",
    "permission": "account",
    "phone": "device",
    "print": "paper",
    "pupil": "class",
    "questionnaire": "survey",
    "repeat": "again",
    "replication": "journal",
    "reproduce": "journal",
    "reproducibility": "journal",
    "sample": "people",
    "sensitive": "shameful",
    "size": "many",
    "student": "class",
    "subpoena": "court",
    "suitable": "fit",
    "teach": "lesson",
    "teaching": "lesson",
}
"""Words by which people search, and the manual's word for it."""

_MOST_WORDS: Final = 5
"""Words that are looked for, at most: the first ones."""

_MOST_TYPOS: Final = 2
"""Words without any section that are mended, at most."""

_MOST_LETTERS: Final = 3
"""A word is mended by words that are shorter or longer by fewer letters."""

_LAST: Final = {"CHANGELOG", "CONTRIBUTING", "SECURITY"} | {
    f"docs/{name}"
    for name in (
        *("promises", "data-model", "contributors"),
        *(f"reference/{one}" for one in ("analysis", "commands", "http", "python")),
    )
}
"""Lists of names, and pages for those who change the program."""


def find(wanted: str) -> list[Section]:
    """Return the sections that have at least half of the words, the best first."""
    words = _words(wanted)
    patterns = [_pattern(word) if _is_known(word) else None for word in words]
    there = [(one, _weights(one, patterns)) for one in _texts()]
    rarity = [
        math.log((1 + len(there)) / (1 + sum(weights[at] > 0 for _, weights in there)))
        for at in range(len(words))
    ]
    phrase = " ".join(words)
    ranked = []
    for place, (one, weights) in enumerate(there):
        found = sum(weight > 0 for weight in weights)
        if not found or 2 * found < len(words):
            continue
        score = sum(rare * weight for rare, weight in zip(rarity, weights, strict=True))
        score *= 1 + (len(words) > 1 and phrase in one.text)
        is_last = one.is_last and (len(words) < 2 or phrase not in one.heading)
        ranked.append((is_last, -score, place, one.section))
    return [one for *_, one in sorted(ranked, key=lambda row: row[:3])[:MOST_FOUND]]


def around(section: Section, wanted: str) -> str:
    """Return an excerpt of a section, around the first of the wanted words."""
    text, words = section.text, _words(wanted)
    patterns = [re.compile(re.escape(" ".join(words))), *map(_pattern, words)]
    found = [match.start() for one in patterns if (match := one.search(text.lower()))]
    begin = max(next(iter(found), 0) - 80, 0)
    shown = text[begin : begin + 240]
    return f"{'… ' * (begin > 0)}{shown}{' …' * (begin + 240 < len(text))}"


@dataclass(frozen=True)
class _Text:
    """A section in small letters. `is_last`: whether its page comes after all others."""

    section: Section
    heading: str
    title: str
    text: str
    is_last: bool


@cache
def _texts() -> list[_Text]:
    return [
        _Text(one, one.title.lower(), pages.title_of(name).lower(), one.text.lower(), is_last)
        for name in sorted(pages.names())
        for is_last in [name in _LAST or pages.is_reference(name)]
        for one in pages.sections(name)
    ]


# A few are kept, because the excerpt of each result asks for them again.
@lru_cache(maxsize=64)
def _words(wanted: str) -> tuple[str, ...]:
    """Return the words that say what somebody looks for, with typos mended.

    Anybody may search, so the dearest search may cost little more than an ordinary one: each
    further word costs as much, and mending a typo more.
    """
    words = [one for one in _WORD.findall(wanted.lower()) if one not in _EMPTY]
    words, typos = [*dict.fromkeys(words)][:_MOST_WORDS], 0
    for place, word in enumerate(words):
        if typos < _MOST_TYPOS and not _is_known(word):
            words[place] = _mended(word)
            typos += 1
    return tuple(words)


def _is_known(word: str) -> bool:
    """Return whether some section has a word, which costs less than to look through them all."""
    return _pattern(word).search(_all_words()) is not None


@cache
def _all_words() -> str:
    return "\n".join(word for words in _vocabulary().values() for word in words)


def _mended(word: str) -> str:
    """Return the most similar word of the manual that begins alike, or else the word itself."""
    near = [one for one in _vocabulary()[word[0]] if abs(len(one) - len(word)) < _MOST_LETTERS]
    return next(iter(get_close_matches(word, near, n=1, cutoff=0.8)), word)


@cache
def _vocabulary() -> Mapping[str, list[str]]:
    """Return the words of the manual by their first letters."""
    found: dict[str, list[str]] = defaultdict(list)
    for word in sorted({word for one in _texts() for word in _WORD.findall(one.text)}):
        found[word[0]].append(word)
    return found


# None is kept: anybody may search, for ever other words.
def _pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word, its other forms and ours for it; a short word is whole."""
    stem = _ENDING.sub("", word)
    forms = {stem, _OURS.get(stem, stem), _OURS.get(word.removesuffix("s"), stem)}
    end = r"s?(?!\w)" if len(word) < 4 else ""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(forms)))}){end}")


def _weights(one: _Text, patterns: list[re.Pattern[str] | None]) -> list[float]:
    """Weigh each word by how often a section has it, up to 4 times, and more in headings.

    None stands for a word that no section has.
    """
    return [
        0.0
        if pattern is None
        else 3 * bool(pattern.search(one.heading))
        + 2 * bool(pattern.search(one.title))
        + sum(1 for _ in islice(pattern.finditer(one.text), 4)) / 2
        for pattern in patterns
    ]
