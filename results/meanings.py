"""The meaning of each column of a table of findings, in a sentence that pages show on demand."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]+)?")

COLUMNS: Final = {
    "Effective n": "How many people, each drawn alone and counting alike, would tell as much.",
    "deff": "The design effect: how many times as many people it takes as if all counted alike.",
    "Ratio": "How many times as great it is in the first group as in the second.",
    "Observed": "What share was reported, with its noise: no estimate.",
    "Estimate": "A share or mean of people, with the noise removed.",
    "# % interval": "The range that covers the true value, # times in 100.",
    "SE": "The standard error: how far the estimate typically is from the true value.",
    "Standard error (SE)": "How far the estimate typically is from the true value.",
    "ML": "The maximum-likelihood estimate, which is never below 0 or above 100 %.",
    "Maximum likelihood (ML)": "The estimate that is never below 0 or above 100 %.",
    "Share": "The share of people to whom both answers apply, with the noise removed.",
    "Difference": "How much the estimate of the first group is above that of the second.",
    "Change": "The later wave's estimate minus the earlier one's; in a plan, its interval.",
    "Waves": "From which wave to which.",
    "p": "How often a test would find as much or more if there were no difference.",
    "Coefficient": "How much the linear predictor changes with one more unit of the term.",
    "z": "The coefficient in standard errors.",
    "Odds ratio": "By what factor the odds change with one more unit of the term.",
    "its # % interval": "The range that covers the true odds ratio, # times in 100.",
    "People for ±#": "How many people it takes for an interval that reaches # points.",
    "People for its own ±": "How many people it takes for the ± that is planned for it alone.",
    "Power": "How often a test tells two groups apart whose shares differ as planned.",
    "People to tell the groups apart": "How many people it takes for the power that is wanted.",
    "× direct": "How many times as many people it takes as with a direct question.",
    "ε": "The bound on what reports reveal: no guess changes its odds by more than e^ε.",
    "Flip": "The chance that the report of a two-answer question is not the truth.",
    "# in # becomes": "How sure somebody can get who thought so before: at most so many in 100.",
    "Interval": "How far the widest interval reaches, in points to each side.",
    "People": "How many people that takes.",
    "One answer": "How sure somebody can get from one answer, in 100, who thought 50.",
    "All answers": "How sure somebody can get from all answers, in 100, who thought 50.",
    "Pairs": "Who answers both of two questions that are drawn.",
    "If they change": "How sure somebody can get, in 100, if answers change between the waves.",
    "# of #": "The most that so many invented reports can move the estimate.",
}
"""Meanings by heading; # is any number, the same one in both."""


def meaning(heading: str) -> str:
    """Return the meaning of a column; empty if `COLUMNS` has none.

    Examples
    --------
    >>> meaning("90 % interval")
    'The range that covers the true value, 90 times in 100.'
    """
    number = _NUMBER.search(heading)
    said = COLUMNS.get(_NUMBER.sub("#", heading.replace(",", "")), "")
    return said if number is None else said.replace("#", number[0])
