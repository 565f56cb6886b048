"""Kinds of questions that a form can add, and the keys that it writes for each."""

from __future__ import annotations

from typing import Any, Final

KINDS: Final = {
    "yes_no": "Yes or no",
    "single": "One of several",
    "many": "Any of several",
    "number": "A number",
    "grid": "Grid of rows",
    "statement": "Two statements",
    "direct": "Sent as given",
}
"""The label of each kind of question in the form."""

KINDS_TOLD: Final = {
    "yes_no": "“Have you ever …?”",
    "single": "“How often?”: never, once, often",
    "many": "“Which of these?”: ticks",
    "number": "hours, drinks, euros",
    "grid": "one scale for a list of things",
    "statement": "which of two sentences is true, drawn by a spinner",
    "direct": "not protected, to compare groups: age, ward",
}
"""What each kind of question is for, in a few words."""

BEGINNINGS: Final[dict[str, dict[str, Any]]] = {
    "single": {"type": "single", "answers": ["First answer", "Second answer"]},
    "yes_no": {"type": "single", "answers": ["No", "Yes"]},
    "many": {"type": "many", "answers": ["First option", "Second option"]},
    "number": {"type": "number", "min": "0", "max": "10"},
    "grid": {"type": "grid", "answers": ["Never", "Once", "More often"], "rows": ["First row"]},
    "statement": {
        "type": "single",
        "answers": ["No", "Yes"],
        "style": "statement",
        "statements": ["I have never …", "I have …"],
    },
    "direct": {
        "type": "single",
        "answers": ["First answer", "Second answer"],
        "protection": "direct",
    },
}
"""The keys that the form writes for each kind."""
