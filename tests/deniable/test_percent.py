"""Percent as people type them on a command line: 20 or 20%, and never silently a part of 1."""

from fractions import Fraction

import pytest

from deniable.exact import percent


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("20", "1/5"),
        ("20%", "1/5"),
        (" 2.5 % ", "1/40"),
        ("0", "0"),
        ("0%", "0"),
        ("1%", "1/100"),
        ("0.5%", "1/200"),
        ("1.5", "3/200"),
        ("200/3%", "2/3"),
        ("100", "1"),
    ],
)
def test_it_is_read_exactly(written: str, part: str) -> None:
    assert percent(written) == Fraction(part)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("0.2", "20%"), ("1", "100%"), (".05", "5%"), ("2/3", "66.67%"), ("0.001", "0.1%")],
)
def test_what_may_be_a_part_of_1_is_asked_back(written: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"found '{written}': did you mean {meant}\\?"):
        percent(written)


@pytest.mark.parametrize("written", ["", "%", "x", "nan", "20%%", "1e99999"])
def test_what_is_no_number_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="expected percent such as 20 or 20%, found"):
        percent(written)


@pytest.mark.parametrize("written", ["-1", "101", "150%", "-0.5"])
def test_what_is_beyond_the_whole_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=f"from 0 to 100, found '{written}'"):
        percent(written)
