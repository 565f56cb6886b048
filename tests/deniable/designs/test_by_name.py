import inspect
from fractions import Fraction

import pytest

from deniable import designs
from deniable.channel import Channel
from deniable.designs.by_name import READERS

THIRDS = ["1/3", "1/3", "1/3"]

EXAMPLES: dict[str, dict[str, object]] = {
    "warner": {"flip": "1/4"},
    "mirrored": {"flip": "1/4"},
    "truth_or_random": {"truth": "1/2", "k": "2"},
    "truth_or_lie": {"truth": "3/4"},
    "forced_response": {"truth": "2/3", "yes": "1/2"},
    "forced_response_k": {"truth": "1/2", "forced": THIRDS},
    "unrelated_question": {"truth": "1/2", "rate": "1/12"},
    "soberanis_cruz": {"truth": "0.7", "rate": "0.5"},
    "devore": {"truth": "0.7"},
    "mangat": {"truth": "0.7"},
    "mangat_singh": {"truth": "0.55", "sensitive": "0.7"},
    "mangat_singh_singh": {"truth": "0.6", "rate": "0.5"},
    "mangat_unrelated": {"truth": "0.5", "sensitive": "0.5", "rate": "0.5"},
    "singh_joarder": {"sensitive": "0.6"},
    "kuk": {"yes": "0.6", "no": "0.2", "draws": "25"},
    "disguised": {"red": "0.8"},
    "christofides": {"cards": ["0.1", "0.2", "0.3", "0.2", "0.2"]},
    "crosswise": {"rate": "1/4"},
    "triangular": {"rate": "1/4"},
    "k_ary": {"k": "5", "epsilon": "1"},
    "block_design": {"k": "5", "epsilon": "1", "blocks": "planar-13"},
    "best_k_ary": {"k": "13", "epsilon": "1"},
    "laplace": {"levels": "5", "epsilon": "1"},
    "two_point": {"levels": "5", "epsilon": "1"},
    "piecewise": {"levels": "5", "epsilon": "1"},
    "square_wave": {"levels": "5", "epsilon": "1"},
    "minimax": {"levels": "5", "epsilon": "1"},
    "best_numeric": {"levels": "5", "epsilon": "1", "distribution": "false"},
    "participation": {"flip": "1/4", "sampled": "2/3"},
    "custom": {"table": [["2/3", "1/3"], ["1/4", "3/4"]]},
}


@pytest.mark.parametrize("name", designs.BY_NAME)
def test_every_design_can_be_named_with_its_numbers_as_a_file_has_them(name: str) -> None:
    assert name in EXAMPLES, f"expected an example of {name} in EXAMPLES"
    channel = designs.from_mapping({name: EXAMPLES[name]})
    assert designs.from_mapping({name: EXAMPLES[name]}, channel.truths) == channel
    made_by = designs.BY_NAME[name]
    found = getattr(designs, made_by.__name__, None)
    assert found is made_by, f"expected {name} in deniable/designs/__init__.py"
    declared = inspect.signature(designs.BY_NAME[name]).parameters.values()
    assert {parameter.annotation for parameter in declared} <= set(READERS)


def test_what_is_named_is_what_is_built() -> None:
    def built(name: str) -> Channel:
        return designs.from_mapping({name: EXAMPLES[name]})

    assert built("mirrored") == built("warner") == designs.warner("0.25")
    assert built("kuk") == designs.kuk("0.6", "0.2", 25)
    assert built("christofides") == designs.christofides(["1/10", "1/5", "3/10", "1/5", "1/5"])
    assert built("forced_response_k") == designs.forced_response_k("1/2", THIRDS)
    assert built("block_design") == designs.block_design(5, 1, "planar-13")
    assert built("custom") == designs.custom([["2/3", "1/3"], ["1/4", "3/4"]])
    assert built("best_numeric") == designs.best_numeric(5, 1, distribution=False)
    assert built("best_numeric") != designs.best_numeric(5, 1)


def test_numbers_may_be_written_in_any_way() -> None:
    for flip in ("3/10", "0.3", 0.3, Fraction(3, 10)):
        assert designs.from_mapping({"warner": {"flip": flip}}) == designs.warner("3/10")
    for draws in (3, "3", 3.0, "3.0"):
        design = {"kuk": {"yes": "1/2", "no": 0, "draws": draws}}
        assert designs.from_mapping(design).reports == 4


def test_the_number_of_answers_may_be_left_out_where_it_is_known() -> None:
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
        ("warner", {"flip": "0.6"}, 2, "^warner: expected a flip probability"),
        ("warner", {"flip": "often"}, 2, "^warner: flip: expected a number.*found 'often'"),
        ("warner", {"flip": True}, 2, "^warner: flip: expected a number.*found True"),
        ("warner", {"flip": ["1/4"]}, 2, "^warner: flip: expected a number"),
        ("k_ary", {"k": "2.5", "epsilon": 1}, 2, "^k_ary: k: expected a whole number, found '2.5'"),
        ("custom", {"table": "1/2"}, 2, "^custom: table: expected a list of rows"),
        ("custom", {"table": ["1/2", "1/2"]}, 2, "^custom: table: expected a list of numbers"),
        ("custom", {"table": [["1", "0"], ["a", "1"]]}, 2, "table: expected a number such as"),
        ("christofides", {"cards": "1/2"}, 2, "^christofides: cards: expected a list of numbers"),
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
        ("warner", [], "expected either flip or epsilon"),
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
        ("mangat_singh", ["1/2", -1], "share of cards with the sensitive statement"),
        ("mangat_singh_singh", ["1/2", 7], "rate of the unrelated question"),
        ("mangat_unrelated", ["1/2", 7, "1/2"], "share of cards with the sensitive question"),
        ("singh_joarder", ["-1/2"], "share of cards with the sensitive statement"),
        ("kuk", ["0.6", "0.2", 0], "expected 1 to 254 draws, found 0"),
        ("kuk", ["0.6", "0.2", 255], "expected 1 to 254 draws, found 255"),
        ("kuk", ["0.6", "3/5", 2], "two packs with different shares of red, found 3/5"),
        ("kuk", [2, "0.2"], "share of red cards for a yes"),
        ("kuk", ["0.6", 2], "share of red cards for a no"),
        ("disguised", [2], "share of red cards in the yes pack"),
        ("disguised", ["1/2"], "nothing could be learned"),
        ("christofides", [["1/4", "1/2", "1/4"]], "the same from both ends, found 1/4, 1/2, 1/4"),
        ("christofides", [["1/4", "1/2"]], "sum to 1, found 3/4"),
        ("participation", ["1/4", "1/2"], "above 1/2, found 1/2"),
        ("participation", ["1/4", 2], "the probability of being sampled between 0 and 1"),
        ("participation", ["1/2", "3/4"], "expected a flip probability"),
        ("block_design", [1, 1], "expected 2 to 255 answers, found 1"),
        ("block_design", [256, 1], "expected 2 to 255 answers, found 256"),
        ("block_design", [10, 0], "expected an epsilon above 0, found 0"),
        ("block_design", [10, "1e-9"], "epsilon of 1e-09 is too close to no information"),
        ("block_design", [250, 1, "planar-13"], r"for 250 .* \(paley-251, .*found 'planar-13'"),
        ("best_k_ary", [1, 1], "2 to 255 answers, found 1"),
        ("best_k_ary", [10, 0], "expected an epsilon above 0, found 0"),
    ],
)
def test_a_parameter_out_of_range_is_named(
    name: str, arguments: list[object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        designs.BY_NAME[name](*arguments)
