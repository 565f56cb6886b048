"""What JSON can say besides values: in no place of a document does Python take any of it."""

import re
from collections.abc import Iterator

import pytest

from deniable.survey import Survey
from tests.client.campaign import honest_lines

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
