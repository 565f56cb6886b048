"""The handout's numbers, worked out once more."""

import math

from deniable.classroom.handout import make_handout


def test_its_numbers_are_those_of_two_coins() -> None:
    handout = make_handout()
    assert handout["epsilon"] == f"{math.log(3):.3f}"
    assert handout["sent"].rows == (
        ("no is true", "75 %", "25 %"),
        ("yes is true", "25 %", "75 %"),
    )
    for before, no, yes in handout["beliefs"].rows:
        belief = float(before.removesuffix(" %")) / 100
        odds = belief / (1 - belief)
        for shown, after in ((no, odds / 3), (yes, odds * 3)):
            assert abs(float(shown.removesuffix(" %")) / 100 - after / (1 + after)) < 0.0005 + 1e-9
    for people, width in handout["widths"].rows:
        n = int(people.replace(",", ""))
        # 1.96 times the root of 1/4 over n, with half a report of 1/n, and divided by 1 − 2p; of up
        # to 100 people every count is gone through.
        reach = (196 * math.sqrt(0.25 / n) + 50 / n) / 0.5
        expected = {10: 63, 30: 37, 100: 20}.get(n, round(reach))
        assert width == f"± {expected} points"


def test_its_example_is_the_arithmetic_of_a_class_of_thirty() -> None:
    handout = make_handout()
    assert (handout["yes"], handout["n"]) == (12, 30)
    share = (12 / 30 - 1 / 4) / (1 - 2 / 4)
    assert handout["example"][-1].endswith(f"= {round(100 * share)} %")
