"""Numbers as the pages of the lab write them."""

import math
import re


def number(value: float, digits: int = 3) -> str:
    """Write a number with at most `digits` decimals; infinity as ∞.

    >>> number(1.0986123), number(2.0), number(-0.5), number(math.inf)
    ('1.099', '2', '−0.5', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text == "-0":
        text = "0"
    return text.replace("-", "−")


def three_digits(value: float) -> str:
    """Write a number with three significant digits, or with all its digits before the point.

    >>> three_digits(1.7046), three_digits(52_345.6), three_digits(0.01236)
    ('1.7', '52,346', '0.0124')
    """
    return number(value, max(0, 2 - math.floor(math.log10(max(abs(value), 1e-6)))))


def percent(value: float, digits: int = 1) -> str:
    """Write a share in percent.

    >>> percent(0.25), percent(0.9512)
    ('25 %', '95.1 %')
    """
    return f"{number(100 * value, digits)} %"


def points(value: float, digits: int = 1) -> str:
    """Write a distance between two shares.

    >>> points(0.3578), points(0.01)
    ('35.8 points', '1 point')
    """
    text = number(100 * value, digits)
    return f"{text} point" if text == "1" else f"{text} points"


def unbroken(text: str) -> str:
    r"""Keep each number and its percent sign on one line.

    >>> unbroken("95 %, and 5")
    '95\xa0%, and 5'
    """
    return re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", text)
