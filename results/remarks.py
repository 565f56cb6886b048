"""What a page of results says of single estimates: a sentence each, and only where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from deniable.analysis.findings import ItemResults, Mean, QuestionResults, Share, Verdict

_BEYOND: Final = "Further outside {} than chance explains. Was the design followed?"
_OUTSIDE: Final = "Outside {}. This can happen by chance, so it is not cut off."
_WIDE: Final = (
    "Wider than the spread of the reports suggests, because a sample this small may miss some "
    "people with very different answers."
)
_UNFIT: Final = "No share fits these reports."


def remarks(question: QuestionResults, verdict: Verdict) -> tuple[str, ...]:
    """Return what is to be said of a question's estimates.

    Parameters
    ----------
    question : QuestionResults
    verdict : Verdict
        Of the whole survey.

    Returns
    -------
    tuple of str
        Each begins with all answers of an item that it is about.
    """
    said = list[str]()
    for item in question.items:
        item_name = f"{item.item.text}: " if len(question.items) > 1 else ""
        said += [f"{item_name}{one}" for one in _of_item(item, verdict)]
    return tuple(said)


def _of_item(item: ItemResults, verdict: Verdict) -> Iterator[str]:
    if item.mean is not None:
        sentence = _of_mean(item.mean, verdict)
        if sentence:
            yield f"Mean: {sentence}"
    if item.tells_shares:
        yield from _joined((one, _of_share(one, verdict)) for one in item.shares)
    for one in _joined((one, _of_applicable(one)) for one in item.applicable):
        yield f"Among those to whom it applies: {one}"


def _of_mean(mean: Mean, verdict: Verdict) -> str:
    answers = "the range of the answers"
    if verdict.rejects(mean.p_value):
        return _BEYOND.format(answers)
    if mean.outside:
        return _OUTSIDE.format(answers)
    return _WIDE if mean.wide else ""


def _of_share(share: Share, verdict: Verdict) -> str:
    if verdict.rejects(share.p_value):
        return _BEYOND.format("0–100 %")
    return _OUTSIDE.format("0–100 %") if share.outside else ""


def _of_applicable(share: Share) -> str:
    if share.low is None and share.estimate is not None:
        return _UNFIT
    return _OUTSIDE.format("0–100 %") if share.outside else ""


def _joined(said: Iterable[tuple[Share, str]]) -> Iterator[str]:
    """Say each sentence once, of all answers that it is about."""
    of: dict[str, list[str]] = {}
    for share, sentence in said:
        if sentence:
            of.setdefault(sentence, []).append(share.answer.text)
    for sentence, answers in of.items():
        yield f"{', '.join(answers)}: {sentence}"
