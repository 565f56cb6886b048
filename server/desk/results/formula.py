"""Terms of a regression, in the words of the survey."""

import re
from collections.abc import Mapping
from typing import Final

from deniable.survey.items import Item

_IN_TERM: Final = re.compile(
    r"(C\()?(?P<name>[^\W\d][\w.]*)(?(1)\))(?:\[(?:T\.)?(?P<answer>[^\]]*)\])?"
)


def term_in_words(term: str, items: Mapping[str, Item]) -> str:
    """Write a term such as ``field[T.soc]:years`` as ``Field: Social sciences × Years``."""

    def said(found: re.Match[str]) -> str:
        item = items.get(found["name"])
        if item is None:
            return found[0]
        if found["answer"] is None:
            return item.text
        answers = {one.code: one.text for one in item.truths}
        answer = answers.get(found["answer"], found["answer"])
        return f"{item.text}{'' if item.text.endswith('?') else ':'} {answer}"

    return " × ".join(_IN_TERM.sub(said, part) for part in term.split(":"))
