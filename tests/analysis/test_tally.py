import numpy as np
import pytest

from deniable.analysis import count_reports
from tests.analysis.surveys import EVERY_KIND

ITEMS = len(EVERY_KIND.items)


def test_reports_are_counted_by_item_over_chunks() -> None:
    chunks = [bytes([0, 1, 0, 2, 0, 1, 2, 1, 1, 0, 2, 1, 0, 0]), b"", bytes([1, 0, 0, 1, 0, 1, 2])]
    tally = count_reports(chunks, EVERY_KIND)
    assert tally.n == 3
    assert tally.revision == EVERY_KIND.revision
    assert [count.tolist() for count in tally.counts] == [
        [1, 2],
        [1, 2],
        [3, 0],
        [0, 1, 2],
        [2, 1, 0],
        [1, 2],
        [1, 0, 2],
    ]


def test_the_unasked_are_counted_in_no_report() -> None:
    tally = count_reports([bytes([255, 1, 0, 0, 0, 0, 255]), bytes(ITEMS)], EVERY_KIND)
    assert tally.n == 2
    assert [int(count.sum()) for count in tally.counts] == [1, 2, 2, 2, 2, 2, 1]


def test_no_reports_are_a_tally_of_zeros() -> None:
    tally = count_reports([], EVERY_KIND)
    assert tally.n == 0
    assert not any(count.any() for count in tally.counts)


def test_many_reports_in_one_chunk() -> None:
    random = np.random.default_rng(7)
    answers = random.integers(0, 2, size=(300_000, ITEMS), dtype=np.uint8)
    tally = count_reports([answers.tobytes()], EVERY_KIND)
    for count, column in zip(tally.counts, answers.T, strict=True):
        assert count[1] == column.sum()
        assert count[0] == len(column) - column.sum()


@pytest.mark.parametrize(
    ("position", "byte", "item"), [(0, 2, "doped"), (3, 3, "often.season"), (5, 254, "age")]
)
def test_a_byte_of_no_report_is_refused(position: int, byte: int, item: str) -> None:
    answers = bytearray(ITEMS)
    answers[position] = byte
    with pytest.raises(ValueError, match=f"item '{item}': expected reports below .*found {byte}$"):
        count_reports([bytes(ITEMS), bytes(answers)], EVERY_KIND)


def test_a_chunk_of_half_reports_is_refused() -> None:
    with pytest.raises(ValueError, match="whole answers of 7 bytes each, found 8 bytes"):
        count_reports([bytes(ITEMS), bytes(ITEMS + 1)], EVERY_KIND)
