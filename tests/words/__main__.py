"""Bring the catalogues up to date: ``python -m tests.words``."""

from tests import words

words.update()
