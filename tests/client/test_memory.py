"""What a device remembers: across revisions, waves and questions that it was not asked."""

import dataclasses
import itertools
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom

from deniable.analysis.counts.pooling import match, pool_tallies
from deniable.analysis.counts.rows import split_rows
from deniable.analysis.counts.tally import count_reports
from deniable.client.asking import asked_by, choose, draw_asked
from deniable.client.connection import Connection
from deniable.client.memory import Kept
from deniable.client.panel import simulate_panel
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.respondent import Refused, Respondent, RespondentError, draw_report
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.report import NOT_ASKED, NOT_DRAWN, ValueMistake
from deniable.server.store import open_store
from deniable.survey import Draw, Survey
from deniable.survey.revisions import marks
from deniable.survey_file import read
from deniable.text.safety import seen
from tests import vectors
from tests.client.test_respondent import lose
from tests.kit import at, lent, others, panel, surveys


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


@pytest.mark.promise("once")
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


@pytest.mark.promise("once")
def test_two_that_read_alike_are_two() -> None:
    survey = surveys.survey(surveys.single("doped"), surveys.single("knew"))
    alike = reworded(survey, 1, lambda _: survey.questions[0].text)
    assert len(set(marks(alike))) == 2
    device = Kept()
    assert device.due(alike).tolist() == [True, True]
    # Who answered one is not asked again by a revised survey that asks it twice.
    device.note(survey, np.array([True, False]))
    assert device.due(alike).tolist() == [False, False]


@pytest.mark.promise("once")
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
            store.insert_reports(reports)
        tallies = [count_reports(store.rows(one.slug, one.revision), one) for one in revisions]
    assert [tally.n for tally in tallies] == [n, 0, n]
    answered = [[int(count.sum()) for count in tally.counts] for tally in tallies]
    assert answered == [[n, n, n], [0, 0, 0], [0, n, 0]]
    pooled = pool_tallies(other, zip(revisions, tallies, strict=True))
    assert [int(count.sum()) for count in pooled.counts] == [n, n, n]


@pytest.mark.promise("once")
def test_of_other_people_a_device_answers_one_wave() -> None:
    survey, device, words = others(), Kept(), seeded_words(15, 0)
    draw_report(survey, [0, 0, 0, 0], words, device, 2)
    assert not device.answers
    for wave in (1, 2, 3):
        with pytest.raises(RespondentError, match="all was reported before"):
            draw_report(survey, [1, 1, 1, 1], words, device, wave)


@pytest.mark.promise("counted-once")
@pytest.mark.parametrize(
    "survey", [panel(), others(), dataclasses.replace(others(), waves=1, same_people=True)]
)
def test_further_waves_count_nobody_twice(survey: Survey) -> None:
    longer = dataclasses.replace(survey, waves=4, same_people=survey.keeps_noise)
    assert match(longer, survey).left_out == ()  # so both revisions' reports count together
    device, words = Kept(), seeded_words(19, 0)
    draw_report(survey, [0, 0, 0, 0], words, device, survey.on_wire(1))
    with pytest.raises(RespondentError, match="all was reported before"):
        draw_report(longer, [1, 1, 1, 1], words, device, 1)


@pytest.mark.promise("once")
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


@pytest.mark.promise("once")
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


@pytest.fixture(scope="module")
def asking() -> Survey:
    return read(vectors.asking_file()).survey


@pytest.mark.parametrize(("count", "choices"), [(1, 2), (1, 4), (2, 4), (3, 4)])
def test_every_choice_comes_as_often(count: int, choices: int) -> None:
    # A proof, not a statistic: only the order of the words matters, so what holds for all words
    # of 5 values holds for those of 2^32.
    words = np.array(list(itertools.product(range(5), repeat=choices)), dtype=np.uint32)
    draw = Draw(count, tuple("abcdef"[:choices]), tuple((place,) for place in range(choices)))
    chosen, valid = choose(draw, words)
    assert valid.tolist() == [len(set(row)) == choices for row in words.tolist()]
    sets = Counter(map(tuple, chosen[valid].tolist()))
    assert len(set(sets.values())) == 1
    assert set(sets) == {
        tuple(place in some for place in range(choices))
        for some in itertools.combinations(range(choices), count)
    }


def test_shared_words_give_the_shared_bytes(asking: Survey) -> None:
    cases = vectors.asking()["cases"]
    id = [1, 2, 3, 4]
    for case in cases[1:]:
        report = draw_report(asking, case["truths"], vectors.source_of([*id, *case["words"]]))
        assert report.answers.hex() == case["answers"]
        assert report.id.hex() == "00000001000000020000000300000004"
        report.check(asking)


def test_equal_words_are_all_drawn_again(asking: Survey) -> None:
    alike, other, *_ = vectors.asking()["cases"]
    assert alike["answers"] is None
    choices = np.array(alike["words"][len(asking.items) :], dtype=np.uint32)
    assert asked_by(asking, choices) is None
    tapes = [[9, 9, 9, 9, *alike["words"]], [1, 2, 3, 4, *other["words"]]]
    report = draw_report(asking, other["truths"], vectors.source_of(*tapes))
    assert report.answers.hex() == other["answers"]
    assert report.id.hex() == "00000001000000020000000300000004"


def test_simulated_reports_can_all_be_drawn(asking: Survey) -> None:
    (responses,) = simulate(read_population(asking), 500, seeded_words(3))
    for report in make_reports(asking, draw_ids(500), responses.answers):
        report.check(asking)
    assert not (responses.truths == NOT_DRAWN).any()
    # To what is counted, or written to a file, that is the same as not asked.
    counted, _ = split_rows(responses.answers.tobytes(), asking)
    assert ((counted == NOT_ASKED) == (responses.answers == NOT_DRAWN)).all()


def test_simulated_people_are_asked_in_shares(asking: Survey) -> None:
    """Each of 13 counts within 5.8 standard errors: a false alarm in 1e7; the seed is fixed."""
    n = 60_000
    asked = draw_asked(asking, n, seeded_words(11))
    shares = np.array(asking.asked_shares, dtype=float)
    errors = np.sqrt(n * shares * (1 - shares))
    assert (np.abs(asked.sum(axis=0) - n * shares) <= 5.8 * errors).all()
    # Which questions: all six pairs of the four equally often, at 1e-6.
    firsts = asked[:, [0, 1, 5, 8]].copy()
    firsts[:, 1] = asked[:, 1:5].any(axis=1)
    firsts[:, 2] = asked[:, 5:8].any(axis=1)
    pairs = Counter(map(tuple, firsts.tolist()))
    assert len(pairs) == 6
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-6
    # Which options, of those who are asked two of four.
    options = Counter(map(tuple, asked[firsts[:, 1], 1:5].tolist()))
    assert len(options) == 6
    assert stats.chisquare(list(options.values())).pvalue > 1e-6


def test_equal_words_are_drawn_again_for_those_alone(asking: Survey) -> None:
    source = seeded_words(4)
    # Words of five values: of most people two of the four are alike at first.
    asked = draw_asked(asking, 300, lambda count: source(count) % np.uint32(5))
    questions = np.array(
        [asked[:, places].any(axis=1) for places in asking.draws[0].places], dtype=int
    )
    assert (questions.sum(axis=0) == 2).all()


def test_a_survey_that_asks_all_draws_no_words(survey: Survey) -> None:
    assert draw_asked(survey, 7, vectors.source_of()).all()


NEVER = 1e-6


def test_what_is_kept_is_drawn_for_every_truth() -> None:
    survey = panel()
    kept = []
    for truths in ([0, 0, 0, 0], [1, 2, 4, 1]):
        device = Kept()
        draw_report(survey, truths, seeded_words(5, 0), device, 1)
        kept.append(device.answers)
    assert kept[0] == kept[1]
    assert {id: len(answers) for id, answers in kept[0].items()} == {
        "doped": 2,
        "sleep": 3,
        "hours": 5,
    }


def test_without_a_redraw_what_is_kept_is_sent() -> None:
    survey = panel("0")
    device, words = Kept(), seeded_words(6, 0)
    sent = [
        draw_report(survey, [doped, sleep, 3, 1], words, device, wave)
        for wave, (doped, sleep) in enumerate([(0, 2), (1, 2), (0, 0)], start=1)
    ]
    kept = device.answers
    for report, (wave, doped, sleep) in zip(sent, [(1, 0, 2), (2, 1, 2), (3, 0, 0)], strict=True):
        assert report.wave == wave
        assert report.answers == bytes(
            [kept["doped"][doped], kept["sleep"][sleep], kept["hours"][3], 1]
        )
    assert len({report.id for report in sent}) == 3


def test_a_respondent_answers_wave_after_wave() -> None:
    survey = panel()
    device = Kept()
    with lent([survey]) as (server, path), closing(Connection(server.url)) as connection:
        respondent = Respondent(connection, at("panel"))
        assert respondent.wave(survey) == 1
        first = respondent.answer([0, 1, 2, 0], kept=device)
        kept = dict(device.answers)
        with closing(open_store(f"sqlite:///{path}")) as store:
            store.begin_wave("panel", 2)
            assert respondent.wave(survey) == 2
            second = respondent.answer([0, 1, 2, 0], kept=device)
            with pytest.raises(Refused, match="That wave is over"):
                respondent.send(draw_report(survey, [0, 1, 2, 0], wave=1))
            assert device.answers == kept
            assert (first.wave, second.wave) == (1, 2)
            assert store.count("panel") == 2


@pytest.mark.parametrize("redraw", ["0", "1/5"])
def test_a_made_up_panel_follows_its_devices(redraw: str) -> None:
    survey = panel(redraw)
    item = survey.items[0]
    assert item.memory is not None
    permanent, again = item.memory.permanent.probabilities, item.memory.instantaneous.probabilities
    n = 40_000
    population = read_population(survey, ["doped.yes=0%"])
    answered = simulate_panel(population, n, words=seeded_words(8, 0), chunk=15_000)
    columns: dict[int, list[np.ndarray]] = {}
    for responses in answered:
        assert not responses.truths[:, 0].any()
        columns.setdefault(responses.wave, []).append(responses.answers[:, 0])
    assert [len(parts) for parts in columns.values()] == [3, 3, 3]
    together = np.stack([np.concatenate(parts) for parts in columns.values()], axis=1)
    for sent in itertools.product((0, 1), repeat=3):
        chance = sum(permanent[0][b] * np.prod([again[b][a] for a in sent]) for b in (0, 1))
        low, high = np.asarray(binom.ppf([NEVER / 16, 1 - NEVER / 16], n, chance))
        assert low <= (together == sent).all(axis=1).sum() <= high


def test_who_changes_is_drawn_anew_from_the_population() -> None:
    survey = panel()
    population = read_population(survey, ["doped.yes=50%"])
    waves = {
        responses.wave: responses.truths[:, 0]
        for responses in simulate_panel(
            population, 20_000, Fraction(1, 2), seeded_words(9, 0), chunk=20_000
        )
    }
    # Half are drawn anew, of whom half come out the same.
    for one, two in ((1, 2), (2, 3)):
        moved = (waves[one] != waves[two]).sum()
        low, high = np.asarray(binom.ppf([NEVER / 4, 1 - NEVER / 4], 20_000, 0.25))
        assert low <= moved <= high


def test_a_panel_of_one_wave_is_a_simulation() -> None:
    population = read_population(surveys.survey())
    (found,) = simulate_panel(population, 50, words=seeded_words(9, 0))
    (same,) = simulate(population, 50, seeded_words(9, 0))
    assert found.wave == 1
    assert (found.answers == same.answers).all()
    assert (found.truths == same.truths).all()
