"""What was reported is not reported again: pooled revisions count nobody twice."""

import dataclasses
import unicodedata
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from deniable.analysis.counts.pooling import pool_tallies
from deniable.analysis.counts.tally import count_reports
from deniable.client.connection import Connection
from deniable.client.memory import Kept
from deniable.client.randomness import seeded_words
from deniable.client.respondent import Respondent, RespondentError, draw_report
from deniable.report import NOT_ASKED, ValueMistake
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey.revisions import marks
from deniable.text.safety import seen
from tests.client.test_respondent import lose
from tests.kit import lent, panel, surveys

pytestmark = pytest.mark.promise("once")


def reworded(survey: Survey, place: int, change: Callable[[str], str]) -> Survey:
    """Change the text of a question of one item, under a new id if people see it."""
    question, item = survey.questions[place], survey.items[place]
    text = change(question.text)
    questions, items = list(survey.questions), list(survey.items)
    id = question.id if seen(text) == seen(question.text) else f"{question.id}_anew"
    questions[place] = dataclasses.replace(question, id=id, text=text)
    items[place] = dataclasses.replace(item, id=id, question=id, text=text)
    return dataclasses.replace(survey, questions=tuple(questions), items=tuple(items), before=None)


def three() -> Survey:
    return surveys.survey(
        surveys.single("doped"), surveys.single("knew"), surveys.single("age", direct=True)
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\u200b",
        lambda text: text + "\ufe0f",
        lambda text: text + "\u3164\U0001d159",
        lambda text: f" {text}\n".replace(" ", "\u00a0 "),
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace("W", "\uff37"),
    ],
    ids=["zero width", "variation", "filler", "blanks", "decomposed", "full width"],
)
def test_what_nobody_sees_makes_no_other_question(change: Callable[[str], str]) -> None:
    survey = three()
    assert marks(reworded(survey, 0, change)) == marks(survey)
    assert marks(reworded(survey, 0, lambda text: f"{text} Really?")) != marks(survey)


def test_two_that_read_alike_are_two() -> None:
    survey = surveys.survey(surveys.single("doped"), surveys.single("knew"))
    alike = reworded(survey, 1, lambda _: survey.questions[0].text)
    assert len(set(marks(alike))) == 2
    device = Kept()
    assert device.due(alike).tolist() == [True, True]
    # Who answered one is not asked again by a revised survey that asks it twice.
    device.note(survey, np.array([True, False]))
    assert device.due(alike).tolist() == [False, False]


@pytest.mark.promise("counted-once")
def test_people_who_answer_every_revision_are_counted_once(tmp_path: Path) -> None:
    """Five hundred of them: n stays 500, of every question, the direct one as well."""
    survey = three()
    typo = reworded(survey, 0, lambda text: text + "\u200b")
    other = reworded(survey, 1, lambda _: "In other words?")
    n, words = 500, seeded_words(11, 0)
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}", create=True)) as store:
        revisions = [survey, typo, other]
        for revision in revisions:
            store.register(revision)
        for _ in range(n):
            device, reports = Kept(), []
            for revision in revisions:
                try:
                    reports.append(draw_report(revision, [0, 1, 0], words, device))
                except RespondentError:
                    assert revision is typo
            for report in reports:
                report.check(survey if report.revision == survey.revision else other)
            store.insert_batch(reports)
        tallies = [count_reports(store.answers(one.slug, one.revision), one) for one in revisions]
    assert [tally.n for tally in tallies] == [n, 0, n]
    answered = [[int(count.sum()) for count in tally.counts] for tally in tallies]
    assert answered == [[n, n, n], [0, 0, 0], [0, n, 0]]
    pooled = pool_tallies(other, zip(revisions, tallies, strict=True))
    assert [int(count.sum()) for count in pooled.counts] == [n, n, n]


def test_within_a_wave_only_news_is_reported() -> None:
    survey = panel()
    device, words = Kept(), seeded_words(12, 0)
    draw_report(survey, [0, 0, 0, 0], words, device, 1)
    revised = reworded(survey, 1, lambda _: "Did you sleep?")
    again = draw_report(revised, [0, 0, 0, 0], words, device, 1)
    again.check(revised)
    assert [byte == NOT_ASKED for byte in again.answers] == [True, False, True, True]
    with pytest.raises(ValueMistake, match="expected an answer to something"):
        again._replace(answers=bytes([NOT_ASKED] * 4)).check(revised)
    with pytest.raises(RespondentError, match="all was reported before"):
        draw_report(revised, [0, 0, 0, 0], words, device, 1)
    later = draw_report(revised, [0, 0, 0, 0], words, device, 2)
    assert NOT_ASKED not in later.answers


def test_only_what_was_reported_is_left_out_later() -> None:
    device = Kept()
    survey = three()
    device.note(survey, np.array([True, False, False]))
    assert device.due(survey).tolist() == [False, True, True]


def test_a_server_takes_only_what_is_new() -> None:
    survey = three()
    other = reworded(survey, 2, lambda _: "How old were you?")
    device = Kept()
    with lent([survey]) as (server, path), closing(Connection(server.url)) as connection:
        respondent = Respondent(connection, survey.address)
        first = respondent.answer([0, 1, 0], kept=device)
        assert NOT_ASKED not in first.answers
        with pytest.raises(RespondentError, match="all was reported before"):
            respondent.answer([0, 1, 0], kept=device)
        with closing(open_store(f"sqlite:///{path}")) as store:
            store.register(other)
            second = respondent.answer([0, 1, 0], kept=device)
            assert second.answers == bytes([NOT_ASKED, NOT_ASKED, 0])
            assert store.count(survey.slug) == 2


def test_unarrived_reports_are_sent_again_alike() -> None:
    survey = three()
    device = Kept()
    with lent([survey]) as (server, path), closing(Connection(server.url)) as connection:
        respondent = Respondent(connection, survey.address)
        send = respondent.send

        respondent.send = lose  # type: ignore[method-assign, assignment]
        with pytest.raises(RespondentError, match="lost"):
            respondent.answer([0, 1, 0], kept=device)
        waiting = device.unsent
        respondent.send = send  # type: ignore[method-assign]
        assert respondent.answer([1, 0, 1], kept=device) == waiting
        assert device.unsent is None
        with closing(open_store(f"sqlite:///{path}")) as store:
            assert store.count(survey.slug) == 1
