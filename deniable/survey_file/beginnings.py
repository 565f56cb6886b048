"""Kinds of questions that a form adds, and what is written for each of them."""

from __future__ import annotations

from typing import Any, Final

KINDS: Final = {
    "single": "One answer of several",
    "yes_no": "Yes or no",
    "many": "Any of several",
    "number": "A number",
    "grid": "The same answers for several rows",
    "statement": "Two statements and a spinner",
    "direct": "One answer, sent as it is given",
}
"""Questions that can be added, by what is written for them."""

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
"""What is written for each of them."""
