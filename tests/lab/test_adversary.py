"""One person's answers: beliefs by Bayes' rule, losses by enumeration, neighbours by walking."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from deniable.lab import adversary, again
from deniable.lab.adversary import AFTER
from tests.lab.shown import found, values

FLIPS = ["0.01", "0.1", "0.25", "0.4", "0.5"]
PRIORS = ["0.01", "0.1", "0.5", "0.99"]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("flip", FLIPS)
def test_beliefs_stay_within_the_bounds(flip: str, prior: str) -> None:
    found, p, q = values(adversary.PAGE, flip=flip, prior=prior), Fraction(flip), Fraction(prior)
    after_yes = q * (1 - p) / (q * (1 - p) + (1 - q) * p)
    after_no = q * p / (q * p + (1 - q) * (1 - p))
    assert found["after_yes"] == pytest.approx(float(after_yes), abs=1e-8)
    assert found["after_no"] == pytest.approx(float(after_no), abs=1e-8)
    ratio, beta = float((1 - p) / p), float(q)
    assert found["epsilon"] == pytest.approx(math.log(ratio), abs=2e-6)
    assert found["lowest"] == pytest.approx(beta / (beta + ratio * (1 - beta)), abs=2e-6)
    assert found["highest"] == pytest.approx(beta / (beta + (1 - beta) / ratio), abs=2e-6)
    assert found["lowest"] - 1e-12 <= found["after_no"] <= found["after_yes"] + 1e-12
    assert found["after_yes"] <= found["highest"] + 1e-12
    # The mean of the loss, which is ±ε: Kullback and Leibler's divergence.
    assert found["mean_loss"] == pytest.approx(float(1 - 2 * p) * math.log(ratio), abs=1e-8)


DONE: dict[str, Callable[[tuple[int, ...], float], object]] = {
    "count": lambda sent, p: sum(sent),
    "nothing": lambda sent, p: sent,
    "cut": lambda sent, p: min(max(sum(sent), 8 * p), 8 - 8 * p),
    "more": lambda sent, p: sum(sent) > 4,
    "odd": lambda sent, p: sum(sent) % 2,
    "forget": lambda sent, p: 7,
}


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("flip", ["0.1", "0.25", "0.5"])
def test_nothing_that_is_done_makes_a_loss_larger(after: str, flip: str) -> None:
    p = float(flip)
    laws: list[dict[object, float]] = []
    for dot in (0, 1):
        truth = (0, 1, 0, dot, 1, 0, 0, 0)
        law: dict[object, float] = {}
        for sent in product((0, 1), repeat=8):
            wrong = sum(one != other for one, other in zip(sent, truth, strict=True))
            printed = DONE[after](sent, p)
            law[printed] = law.get(printed, 0) + p**wrong * (1 - p) ** (8 - wrong)
        laws.append(law)
    loss = max(abs(math.log(laws[1][one] / laws[0][one])) for one in laws[0])
    found = values(adversary.PAGE, flip=flip, after=after)
    assert found["loss"] == pytest.approx(loss, abs=1e-9)
    assert found["loss"] <= found["epsilon"] + 1e-9
    if after not in ("nothing", "forget", "more", "odd"):
        average = sum(float(str(one)) * chance for one, chance in laws[0].items())
        assert found["average"] == pytest.approx(average)


YES = ["Ada", "Cem", "Dot", "Fay", "Gus", "Hal"]
FOUND = {"most": ["Cem"], "threes": ["Ada", "Fay"], "count": YES}


@pytest.mark.parametrize(("rule", "found"), FOUND.items())
def test_somebody_is_found_where_the_answer_changes(rule: str, found: list[str]) -> None:
    # Of 2, 3, … 8 who say yes: half at 4, full threes at 3 and 6, and another count each time.
    shown = adversary.PAGE.shown(adversary.PAGE.read({"rule": rule}))
    _, steps = shown.records
    assert [row[-1] for row in steps.table.rows if row[-1]] == found
    assert [row[0] for row in steps.table.rows][1:] == YES
    assert [steps.table.rows[place][0] for place in steps.marked] == found
    assert all(name in shown.said[-1] for name in found)


def test_losses_add_up_unless_the_answer_is_remembered() -> None:
    found = values(again.PAGE, flip="0.25", times="10")
    assert found["epsilon_fresh"] == pytest.approx(10 * math.log(3), abs=1e-5)
    assert found["epsilon_remembered"] == pytest.approx(math.log(3), abs=1e-6)
    # The best guess at a prior of 4/5: “yes” unless all three answers are “no”.
    found = values(again.PAGE, flip="0.25", prior="0.8", times="3")
    assert [found[name] for name in ("without", "remembered")] == [0.8, 0.8]
    assert found["fresh"] == pytest.approx((0.8 * (27 + 27 + 9) + 0.2 * 27) / 64, abs=1e-8)


@pytest.mark.parametrize("seed", ["1", "7"])
def test_the_belief_in_one_person_follows_bayes_rule(seed: str) -> None:
    sent, said = found(again.PAGE, seed=seed)["answers"], values(again.PAGE, seed=seed)
    assert (len(sent), sum(sent)) == (20, said["yes"])
    odds = Fraction(3) ** (2 * sum(sent) - 20)
    assert said["believed"] == pytest.approx(float(odds / (1 + odds)), abs=1e-6)


def tables(first: str, second: str) -> str:
    return "".join(one + other for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize(
    ("first", "second", "edits", "steps"),
    [
        ("ynaaaa", "ynaaaa", 0, 0),
        # An edit is a person taken out and one put in.
        ("ynaaaa", "nnaaaa", 1, 2),
        ("yaaaaa", "anaaaa", 1, 2),
        ("ynaaaa", "nyaaaa", 2, 4),
        # No edit changes how many there are.
        ("ynaaaa", "yaaaaa", math.inf, 1),
        ("ynaaaa", "naaaaa", math.inf, 3),
        ("aaaaaa", "ynyyny", math.inf, 6),
    ],
)
def test_distances_of_tables(first: str, second: str, edits: float, steps: float) -> None:
    found = values(again.PAGE, tables=tables(first, second), what="tables")
    assert (found["edits"], found["steps"]) == (edits, steps)


def law(how: str, p: float, q: float) -> dict[str, tuple[float, float, float]]:
    """Return what is seen of a person, written down from the course."""
    q = 1 if how == "plain" else q
    absent = ((1 - q) / 2, (1 - q) / 2, q) if how == "all" else (0.0, 0.0, 1.0)
    return {
        "n": (q * (1 - p), q * p, 1 - q),
        "y": (q * p, q * (1 - p), 1 - q),
        "a": absent,
    }


PAIRS = [
    ("ynynny", "nnynny"),
    ("ynynny", "ynynna"),
    ("yyynnn", "nnnnnn"),
    ("yaynay", "nyyaan"),
    ("ynynna", "ynynny"),
]


@pytest.mark.parametrize("how", ["plain", "sampled", "all"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_loss_is_the_greatest_over_all_lists(first: str, second: str, how: str) -> None:
    p, q = 0.25, 0.67
    given = {"tables": tables(first, second), "how": how, "flip": str(p), "sampled": str(q)}
    seen, worst = law(how, p, q), 0.0
    for reports in product(range(3), repeat=6):
        chances = [
            math.prod(seen[letter][report] for letter, report in zip(table, reports, strict=True))
            for table in (first, second)
        ]
        if min(chances) > 0:
            worst = max(worst, abs(math.log(chances[0] / chances[1])))
        elif max(chances) > 0:
            worst = math.inf
    assert values(again.PAGE, what="tables", **given)["loss_here"] == pytest.approx(worst, abs=1e-5)


@pytest.mark.parametrize("flip", ["0.05", "0.25", "0.45"])
@pytest.mark.parametrize("sampled", ["0.51", "0.67", "0.99"])
def test_epsilon_is_that_of_the_formula(flip: str, sampled: str) -> None:
    p, q = float(flip), float(sampled)
    found = values(again.PAGE, what="tables", how="all", flip=flip, sampled=sampled)
    answer = math.log((1 - p) / p)
    out = max(math.log(2 * q * (1 - p) / (1 - q)), abs(math.log(2 * q * p / (1 - q))))
    assert found["epsilon_edit"] == pytest.approx(answer, abs=1e-5)
    assert found["epsilon_step"] == pytest.approx(max(out, math.log(q / (1 - q))), abs=1e-5)
    assert found["telling"] == 0
