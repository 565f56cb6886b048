"""What JSON can say besides values: in no place of a document is any of it taken for a value."""

import copy
import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from deniable.server.respondent.program import BROWSER_FOLDER
from deniable.survey import Survey
from tests.client.campaign import ROOT, honest, honest_lines
from tests.kit import needs

DOUBLE_LOW_LINE = "\u0333"
ODD = (
    *("-0", "-0.0", "0.0", "1e999", "-1e999", "NaN", "-Infinity", "true", "null", "[]", "{}"),
    r'"\ud800"',
    f'"x{5 * DOUBLE_LOW_LINE}"',
)
TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(:?)|-?\d[\d.eE+-]*|true|false|null')


def altered(written: str) -> Iterator[str]:
    """Write each key twice, each value as something odd, and each number in another form."""
    for token in TOKEN.finditer(written):
        before, old, after = written[: token.start()], token[0], written[token.end() :]
        if token[2]:
            yield f"{before}{old}0,{old}{after}"
            yield f"{before}{old}null,{old}{after}"
            continue
        others = {*ODD, f"{old}.0", f"{old}e0", f"0{old}"} if token[1] is None else {*ODD}
        yield from (before + odd + after for odd in sorted(others - {old}))


def told_for_nothing(document: dict[str, Any]) -> Iterator[str]:
    """Send the answers to a question as they are, at an epsilon of 0 by tables of -0."""
    for question in document["questions"]:
        changed = copy.deepcopy(document)
        for item in changed["items"]:
            if item["question"] != question["id"] or item["epsilon"] is None:
                continue
            count = len(item["truths"])
            whole = [[2**32 if x == y else "-0" for x in range(count)] for y in range(count)]
            item |= {"reports": item["truths"], "weights": whole, "epsilon": 0}
            if "permanent" in item:
                item |= {"permanent": whole, "redraw": "-0", "once": 0}
        yield json.dumps(changed, ensure_ascii=False).replace('"-0"', "-0")


def refused(written: str) -> bool:
    try:
        Survey.from_json(written.encode())
    except ValueError:
        return True
    return False


@pytest.mark.promise("document")
@pytest.mark.parametrize(
    "every", [97, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_odd_json_is_refused_wherever_it_stands(every: int) -> None:
    for lines in honest_lines():
        assert not refused(lines)
        taken = [one for one in [*altered(lines)][::every] if not refused(one)]
        assert not taken, taken[0]


def test_a_hole_is_no_json() -> None:
    (first, *_) = honest_lines()
    for hole in (first.replace(",", ",,", 1), first.replace("[", "[,", 1)):
        assert refused(hole)


@pytest.mark.promise("document")
@pytest.mark.parametrize(
    "every", [97, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_what_the_page_takes_of_it_is_as_it_says(every: int) -> None:
    """Such as 2e0 for 2: then each truth has a report, drawn as often as is said."""
    texts = [*honest_lines(), *(json.dumps(one, ensure_ascii=False) for one in honest())]
    odd = [one for text in texts for one in [*altered(text)][::every]]
    odd += [one for document in honest() for one in told_for_nothing(document)]
    found = subprocess.run(
        [
            needs.program("node", "make install"),
            ROOT / "tests" / "client" / "browser" / "oddities.js",
            *(f"{BROWSER_FOLDER.resolve().as_uri()}/", "10000"),
        ],
        input=json.dumps([*texts, *odd]),
        capture_output=True,
        text=True,
        check=True,
    )
    *broken, told = map(json.loads, found.stdout.splitlines())
    assert not broken, broken[0]
    # Each honest document is taken, and what is taken besides is written otherwise, and no more.
    assert told["refused"] > 4 * told["accepted"]
    assert len(texts) <= told["accepted"]
    assert told["read"] <= 2 * len(texts), told
