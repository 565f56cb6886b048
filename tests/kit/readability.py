"""The readability of an English text: the school grade of Flesch and Kincaid.

References
----------
Kincaid, J. P., Fishburne, R. P., Rogers, R. L. and Chissom, B. S. (1975). Derivation of new
readability formulas for Navy enlisted personnel. Naval Technical Training Command, research branch
report 8-75.
"""

import re
from typing import Final

_IRREGULAR: Final = {
    "area": 3,
    "create": 2,
    "created": 3,
    "every": 2,
    "everyone": 3,
    "everything": 3,
    "id": 2,
    "idea": 2,
    "ip": 2,
    "javascript": 3,
    "json": 2,
    "million": 2,
    "somebody": 3,
    "someone": 2,
    "something": 2,
    "sometimes": 2,
    "suit": 1,
    "therefore": 2,
}
"""Syllables of words that the rules below count wrongly."""

_SILENT: Final = re.compile(
    r"[^aeiouyl]e$|[aeiouy]le$"  # noise, while; not table
    r"|[^aeiouytd]ed$"  # used; not wanted
    r"|[^aeiouyscxzgh]es$|[^csptw]hes$"  # times, clothes; not pages, boxes
    r"|[^aeiouy]ely$|[^aeiouy]eless$"  # likely, useless
)
"""A silent e."""

_APART: Final = re.compile(r"(?<![ctsg])i[ao]|ien(?!ce)|ier$|uou|eing|yi")
"""Vowels side by side that are two syllables: variable, client, earlier, being, lying."""


def syllables(word: str) -> int:
    """Return the number of syllables of an English word, at least one.

    Runs of vowels are counted, without a silent e.

    Examples
    --------
    >>> [syllables(word) for word in ("noise", "randomised", "differential", "table", "wanted")]
    [1, 3, 4, 2, 2]
    """
    word = re.sub(r"[^a-z]", "", word.lower().split("’")[0])
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    runs = len(re.findall(r"[aeiouy]+", word))
    return max(runs - len(_SILENT.findall(word)) + len(_APART.findall(word)), 1)


def grade(text: str) -> float:
    """Return the Flesch-Kincaid grade of a text: 8 is what people of 13 or 14 years read.

    Examples
    --------
    >>> round(grade("The cat sat on the mat."), 2)
    -1.45
    """
    sentences = [part for part in re.split(r"[.?!:]+(?:\s|$)", text) if re.search(r"\w", part)]
    words = re.findall(r"[\w’']+", text)
    # 0.39 words per sentence + 11.8 syllables per word - 15.59
    return (
        0.39 * len(words) / len(sentences) + 11.8 * sum(map(syllables, words)) / len(words) - 15.59
    )
