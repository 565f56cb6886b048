"""Bring the catalogues up to date: ``python -m tests.words``; ``--check`` only looks at them."""

import sys

from deniable.text.languages import LANGUAGES
from tests import words

if "--check" in sys.argv:
    found = [f"{one}: {text}" for one in LANGUAGES[1:] for text in words.unseen(one)]
    sys.exit("\n".join(["to be looked at:", *found]) if found else 0)
words.update()
