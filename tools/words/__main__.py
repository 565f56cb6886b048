"""Bring the catalogues up to date; with ``--check`` only print the sentences to translate."""

import sys

from deniable.text.languages import LANGUAGES
from tools import words

if "--check" in sys.argv:
    for one in LANGUAGES[1:]:
        for text in words.unseen(one):
            print(f"{one}: {text}")
else:
    words.update()
