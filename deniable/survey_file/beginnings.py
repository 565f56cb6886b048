"""Kinds of questions that a form can add, and the keys that it writes for each."""

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
"""The label of each kind of question in the form."""

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
