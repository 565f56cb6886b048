import inspect
import re
from fractions import Fraction
from pathlib import Path

import pytest

from deniable import Channel, designs
from deniable.designs.by_name import READERS
from tests.promises import ROOT

THIRDS = ["1/3", "1/3", "1/3"]


@pytest.mark.parametrize("name", designs.BY_NAME)
def test_every_design_is_named_as_in_a_file(name: str) -> None:
    example = designs.NAMED[name].example
    channel = designs.from_mapping({name: example})
    assert designs.from_mapping({name: example}, channel.truths) == channel
    made_by = designs.BY_NAME[name]
    found = getattr(designs, made_by.__name__, None)
    assert found is made_by, f"expected {made_by.__name__} in __all__ of {made_by.__module__}"
    declared = inspect.signature(made_by).parameters.values()
    assert {parameter.annotation for parameter in declared} <= set(READERS)


def test_the_manual_forgets_no_design() -> None:
    page = (ROOT / "docs" / "designs.md").read_text()
    tests = [path for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__)]
    tested = "".join(path.read_text() for path in tests)
    known = {design.__name__ for design in designs.BY_NAME.values()}
    assert {name for name in known if f"`{name}" not in page} == set(), "expected it in the table"
    assert {name for name in known if not re.search(rf"\b{name}\b", tested)} == set()


def test_what_is_named_is_what_is_built() -> None:
    def built(name: str, **parameters: object) -> Channel:
        return designs.from_mapping({name: parameters})

    assert built("mirrored", flip="1/4") == built("warner", flip="1/4") == designs.warner("0.25")
    assert built("kuk", yes="0.6", no="0.2", draws="25") == designs.kuk("0.6", "0.2", 25)
    cards = ["0.1", "0.2", "0.3", "0.2", "0.2"]
    assert built("christofides", cards=cards) == designs.christofides(
        ["1/10", "1/5", "3/10", "1/5", "1/5"]
    )
    assert built("forced_response_k", truth="1/2", forced=THIRDS) == designs.forced_response_k(
        "1/2", THIRDS
    )
    blocks = {"k": "5", "epsilon": "1", "blocks": "planar-13"}
    assert built("block_design", **blocks) == designs.block_design(5, 1, "planar-13")
    table = [["2/3", "1/3"], ["1/4", "3/4"]]
    assert built("custom", table=table) == designs.custom(table)
    number = {"levels": "5", "epsilon": "1", "distribution": "false"}
    assert built("best_numeric", **number) == designs.best_numeric(5, 1, distribution=False)
    assert built("best_numeric", **number) != designs.best_numeric(5, 1)


def test_numbers_may_be_written_in_any_way() -> None:
    for flip in ("3/10", "0.3", 0.3, Fraction(3, 10)):
        assert designs.from_mapping({"warner": {"flip": flip}}) == designs.warner("3/10")
    for draws in (3, "3", 3.0, "3.0"):
        design = {"kuk": {"yes": "1/2", "no": 0, "draws": draws}}
        assert designs.from_mapping(design).reports == 4


def test_a_known_number_of_answers_may_be_omitted() -> None:
    assert designs.from_mapping({"k_ary": {"epsilon": "1"}}, 5) == designs.k_ary(5, 1)
    assert designs.from_mapping({"laplace": {"epsilon": "1"}}, 7) == designs.laplace(7, 1)
    assert designs.from_mapping({"truth_or_random": {}}, 3) == designs.truth_or_random(k=3)
    assert designs.from_mapping({"warner": {"flip": "3/10"}}, 2) == designs.warner("0.3")
    with pytest.raises(ValueError, match="k_ary needs the parameter 'k'"):
        designs.from_mapping({"k_ary": {"epsilon": "1"}})


@pytest.mark.parametrize(
    ("name", "parameters", "answers", "message"),
    [
        ("wanner", {}, 2, "found no design 'wanner': did you mean 'warner'"),
        ("beetroot", {}, 2, "found no design 'beetroot': there are warner, .*, mirrored"),
        ("warner", {}, 2, "^warner: expected either flip or epsilon, found neither"),
        ("warner", {"flip": "0.3", "epsilon": "1"}, 2, "either flip or epsilon, found both"),
        ("warner", {"p": "0.3"}, 2, "warner has no parameter 'p': expected flip, epsilon"),
        ("forced_response", {"truth": "1/2"}, 2, "forced_response needs the parameter 'yes'"),
        ("warner", {"flip": "0.3"}, 3, "for 2 answers, but the question has 3"),
        ("k_ary", {"epsilon": "1", "k": "4"}, 3, "for 4 answers, but the question has 3"),
        ("warner", {"flip": "often"}, 2, "^warner: flip: expected a number.*found 'often'"),
        ("k_ary", {"k": "2.5", "epsilon": 1}, 2, "^k_ary: k: expected a whole number, found '2.5'"),
        ("custom", {"table": "1/2"}, 2, "^custom: table: expected a list of rows"),
        ("custom", {"table": ["1/2", "1/2"]}, 2, "^custom: table: expected a list of numbers"),
        ("block_design", {"epsilon": 1, "blocks": 7}, 2, "^block_design: blocks: expected a name"),
        ("best_numeric", {"epsilon": 1, "distribution": "no"}, 5, "distribution: expected true or"),
    ],
)
def test_a_mistake_names_the_design_and_the_parameter(
    name: str, parameters: dict[str, object], answers: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        designs.from_mapping({name: parameters}, answers)


@pytest.mark.parametrize("design", [{}, {"warner": {}, "kuk": {}}, "warner", ["warner"], None])
def test_a_design_is_one_name_with_its_parameters(design: object) -> None:
    with pytest.raises(ValueError, match="expected one design with its parameters"):
        designs.from_mapping(design)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="warner: expected parameters by name, found 'flip'"):
        designs.from_mapping({"warner": "flip"})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("warner", [0.5], "up to but not including 1/2"),
        ("warner", [0.7], "the chance that the report is not the truth"),
        ("truth_or_lie", ["1/2"], "above 1/2"),
        ("forced_response", [0, "1/2"], "above 0, found 0"),
        ("forced_response", ["1/2", 2], "share of forced answers that are yes"),
        ("unrelated_question", ["1/2", "3/2"], "the rate of the unrelated question between 0 and"),
        ("soberanis_cruz", [0, "1/2"], "nothing could be learned"),
        ("devore", [0], "nothing could be learned"),
        ("crosswise", ["1/2"], "nothing could be learned"),
        ("crosswise", [2], "rate of the harmless question"),
        ("triangular", [1], "nothing could be learned"),
        ("triangular", [-1], "rate of the harmless question"),
        ("mangat", [0], "nothing could be learned"),
        ("mangat", ["6/5"], "probability of telling the truth between 0 and 1"),
        ("mangat_singh", [0, "1/2"], "nothing could be learned"),
        ("mangat_singh", [2, "1/2"], "share of cards that ask for the truth"),
        ("mangat_unrelated", ["1/2", 7, "1/2"], "share of cards with the sensitive question"),
        ("singh_joarder", ["-1/2"], "share of cards with the sensitive statement"),
        ("kuk", ["0.6", "0.2", 0], "expected 1 to 254 draws, found 0"),
        ("kuk", ["0.6", "3/5", 2], "two packs with different shares of red, found 3/5"),
        ("kuk", [2, "0.2"], "share of red cards for a yes"),
        ("disguised", [2], "share of red cards in the yes pack"),
        ("disguised", ["1/2"], "nothing could be learned"),
        ("christofides", [["1/4", "1/2", "1/4"]], "the same from both ends, found 1/4, 1/2, 1/4"),
        ("christofides", [["1/4", "1/2"]], "sum to 1, found 3/4"),
        ("participation", ["1/4", "1/2"], "above 1/2, found 1/2"),
        ("participation", ["1/4", 2], "the probability of being sampled between 0 and 1"),
        ("block_design", [256, 1], "expected 2 to 255 answers, found 256"),
        ("block_design", [10, 0], "expected an epsilon above 0, found 0"),
        ("block_design", [10, "1e-9"], "epsilon of 1e-09 is too close to no information"),
        ("block_design", [250, 1, "planar-13"], r"for 250 .* \(paley-251, .*found 'planar-13'"),
    ],
)
def test_an_extreme_parameter_is_named(name: str, arguments: list[object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        designs.BY_NAME[name](*arguments)
