"""What is wrong in a survey file, collected at the places where it stands."""

from __future__ import annotations

from deniable.survey_file.located import Document, Mistake, Path


class Complaints:
    r"""Collects mistakes and notes at one place of a document, and at those below it.

    `document`: whose own mistakes come first.

    Examples
    --------
    >>> from deniable.survey_file.located import parse
    >>> complaints = Complaints(parse("waves:\n  count: 1", "example.yaml"))
    >>> complaints.at("waves", "count").add("expected 2 or more, found 1")
    >>> complaints.mistakes
    [Mistake(line=2, column=10, message='expected 2 or more, found 1')]
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self.place: Path = ()
        self.mistakes = list(document.mistakes)
        self.notes: list[Mistake] = []

    def at(self, *keys: str | int) -> Complaints:
        """Return the same complaints at a place below: what is added there is found here."""
        below = Complaints(self._document)
        below.place = (*self.place, *keys)
        below.mistakes, below.notes = self.mistakes, self.notes
        return below

    def has(self, key: str) -> bool:
        """Return whether a key is written here, readable or not."""
        return self._document.has((*self.place, key))

    def add(self, message: str, *, at_key: bool = False) -> None:
        """Complain of the value that stands at this place, or of its key.

        Where nothing stands there, the complaint is of what is nearest above it.
        """
        self.mistakes.append(self._document.mistake(self.place, message, at_key=at_key))

    def note(self, message: str) -> None:
        """Note what is no mistake here, but perhaps not what was meant."""
        self.notes.append(self._document.mistake(self.place, message))

    @property
    def line(self) -> int:
        """On which line the value at this place begins, counted from 1."""
        return self._document.line(self.place)
