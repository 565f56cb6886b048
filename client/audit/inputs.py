"""The inputs of a page that a person with given truths presses."""

from collections.abc import Mapping, Sequence
from typing import Any

from deniable.client.audit.chromium import Stuck
from deniable.survey.questions import Question


def plain(text: str) -> str:
    """Return a text as the page shows it: each run of spaces and line ends is one space."""
    return " ".join(text.split())


def to_press(
    question: Question,
    truths: Mapping[str, int],
    inputs: Sequence[dict[str, Any]],
    statement: str = "",
) -> tuple[list[int], str | None]:
    """Return the places of the inputs to press for these truths, and the text to type, if any."""
    labels = [one["label"] for one in inputs]
    offered = question.offered
    # Found by its place: its label is the page's own, in the survey's language.
    declining = len(offered) - 1 if question.prefer_not_to_say else None
    true = next(iter(truths.values()))
    if question.ask_if and true == question.skipped and true >= len(offered):
        return [0], None  # its label is the page's own too; it is always first
    if question.statements:
        told = [plain(one.text) for one in question.statements]
        if statement not in told:
            raise Stuck(f"{question.id}: the spinner points to none of its statements")
        # The labels of its replies are the page's own: "true" comes first.
        return [int(told.index(statement) != true)], None
    if question.offers_yes_no:
        options = {plain(text): truth for text, truth in truths.items()}
        ticked = [place for place, label in enumerate(labels) if options.get(label) == 1]
        others = [place for place, label in enumerate(labels) if place and label not in options]
        return (others[-1:] if true == declining else ticked or others[:1]), None
    if question.has_several_items:
        rows = {plain(text): truth for text, truth in truths.items()}
        ticked = []
        for row, truth in rows.items():
            places = [place for place, one in enumerate(inputs) if one["row"] == row]
            if places:  # chance drew this row
                ticked += _chosen(question, truth, labels, places)
        return ticked, None
    typed = [place for place, one in enumerate(inputs) if one["type"] == "text"]
    if typed and true != declining:
        return typed, offered[true].text
    return _chosen(question, true, labels, range(len(labels))), None


def _chosen(
    question: Question, truth: int, labels: Sequence[str], places: Sequence[int]
) -> list[int]:
    """Return the place of the input whose label says this truth, as a list."""
    text = plain(question.offered[truth].text)
    found = [place for place in places if labels[place] == text]
    if not found and question.prefer_not_to_say and truth == len(question.offered) - 1:
        found = list(places[-1:])
    if not found:
        raise Stuck(f"{question.id}: there is no answer “{text}” on the page")
    return found[:1]
