"""Reports to several revisions: what is counted together, and what is not."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from deniable.analysis.counts.pooling import match, pool_answers, pool_rows, pool_tallies
from deniable.analysis.counts.tally import count_reports, count_waves
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import others, panel
from tests.kit.surveys import file_of

WRITTEN = file_of(
    "id: doped, text: Have you doped?, type: single, answers: [No, Yes]",
    "id: how, text: How often?, type: number, min: 0, max: 3, ask_if: {doped: yes}",
    "id: level, text: Where do you compete?, type: single, answers: [here, there, elsewhere], "
    "protection: direct",
    head="introduction: A first try.\nepsilon: 4",
    slug="study",
)

Change = Callable[[str], str]


def survey(change: Change = str) -> Survey:
    return read(change(WRITTEN)).survey


def replaced(old: str, new: str) -> Change:
    assert old in WRITTEN
    return lambda text: text.replace(old, new)


def reworded_under_another_law(text: str) -> str:
    return text.replace("Have you doped?", "Have you ever doped?") + "\nbatch: 20"


def at_the_end(text: str) -> str:
    """Ask the first question last: a report has its bytes elsewhere."""
    *head, first, second, third = text.replace(", ask_if: {doped: yes}", "").splitlines()
    return "\n".join([*head, second, third, first])


@pytest.mark.parametrize(
    ("change", "left_out"),
    [
        (str, []),
        (replaced("A first try", "A try"), []),
        (replaced("title: T", "title: The study"), []),
        (replaced("Have you doped?", "Have  you doped?\u200b"), []),
        (replaced("Have you doped?", "Have you ever doped?"), []),
        (reworded_under_another_law, ["doped"]),
        (replaced("epsilon: 4", "epsilon: 5"), ["doped", "how"]),
        (replaced("[here, there, elsewhere]", "[here, elsewhere, there]"), ["level"]),
        (replaced("max: 3", "max: 4"), ["how"]),
        (replaced("{doped: yes}", "{doped: no}"), ["how"]),
        (replaced(", protection: direct", ""), ["doped", "how", "level"]),
    ],
)
def test_what_is_asked_alike_is_counted_together(change: Change, left_out: list[str]) -> None:
    here, there = survey(), survey(change)
    for one, other in ((here, there), (there, here)):
        found = match(one, other)
        assert list(found.left_out) == left_out
        assert found.is_pooled == (len(left_out) < 3)


def test_a_byte_is_the_same_item_everywhere() -> None:
    moved = survey(at_the_end)
    here = survey(replaced(", ask_if: {doped: yes}", ""))
    assert [item.id for item in moved.items] == ["how", "level", "doped"]
    answers = bytes([2, 0, 1, 3, 2, NOT_ASKED])
    pooled = b"".join(match(here, moved).answers([answers[:3], answers[3:]]))
    assert pooled == bytes([1, 2, 0, NOT_ASKED, 3, 2])


def test_pooled_tallies_are_sums() -> None:
    here, corrected, other = (
        survey(),
        survey(lambda text: f"{text}\nbatch: 30"),
        survey(reworded_under_another_law),
    )
    draw = np.random.default_rng(3)
    chunks = {
        one.revision: np.column_stack(
            [draw.integers(item.channel.reports, size=50 + 7 * place) for item in one.items]
        )
        .astype(np.uint8)
        .tobytes()
        for place, one in enumerate((here, corrected, other))
    }
    revisions = (here, corrected, other)
    tally = pool_tallies(
        here, ((one, count_reports([chunks[one.revision]], one)) for one in revisions)
    )
    assert tally.n == 50 + 57 + 64
    assert [int(count.sum()) for count in tally.counts] == [107, 171, 171]
    read_again = count_reports(
        pool_answers(here, ((one, [chunks[one.revision]]) for one in revisions)), here
    )
    assert read_again.n == tally.n
    for one, another in zip(read_again.counts, tally.counts, strict=True):
        np.testing.assert_array_equal(one, another)


def test_other_questions_revisions_are_not_pooled() -> None:
    here = survey()
    another = "id: a, text: Another, type: single, answers: [No, Yes]"
    other = read(file_of(another, head="epsilon: 4", slug="study")).survey
    empty = count_reports([], here)
    assert pool_tallies(here, [(here, empty), (other, count_reports([b"\1"], other))]).n == 0
    assert list(pool_answers(here, [(other, [b"\1"])])) == []


def test_waves_are_pooled_one_by_one() -> None:
    here = panel()
    assert match(here, dataclasses.replace(here, introduction="Anew.")).left_out == ()
    question, item = here.questions[0], here.items[0]
    reworded = dataclasses.replace(
        here,
        batch=here.batch + 1,
        questions=(dataclasses.replace(question, text="Anew?"), *here.questions[1:]),
        items=(dataclasses.replace(item, text="Anew?"), *here.items[1:]),
    )
    assert match(here, reworded).left_out == (item.id,)
    longer = dataclasses.replace(here, waves=4)
    answers = bytes(4), bytes([1, 1, 1, 1])
    sent = [(here, [answers[0] + b"\2"]), (longer, [answers[1] + b"\3"])]
    for of, waves in ((longer, [3, 4]), (here, [3])):  # it has no wave 4
        assert [*count_waves(pool_answers(of, sent), of)] == waves
        assert pool_rows(of, sent).waves.tolist() == waves


def test_a_wave_of_others_goes_on_from_a_survey_asked_once() -> None:
    later = others()
    once = dataclasses.replace(later, waves=1, same_people=True)
    assert match(later, once).left_out == ()
    pooled = b"".join(pool_answers(later, [(once, [bytes(4)]), (later, [bytes(4) + b"\1"])]))
    assert pooled == bytes(4) + b"\0" + bytes(4) + b"\1"
    # Devices that keep noise report again: between the two a person would be counted twice.
    assert not match(panel(), once).is_pooled
    assert not match(later, panel()).is_pooled


def test_what_became_of_the_reports_is_said() -> None:
    here = survey()
    other = survey(lambda text: f"{text}\nbatch: 20")
    told = match(here, other).told(2008)
    assert told.startswith(f"2,008 reports to revision {other.shown_number} (other there: batch)")
    other = survey(reworded_under_another_law)
    assert match(here, other).told(1).endswith("doped: text): counted in this, but for doped.")
