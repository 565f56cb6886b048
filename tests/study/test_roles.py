"""Which of two labels is the design's yes: every door tells it by words, and by no order.

The oracle is a closed form: of two truths and two reports there is one unbiased estimate, and of
more reports the reversed table gives the reversed shares. The data are counts, so nothing is left
to chance.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import deniable
from deniable import coins, designs
from deniable.analysis.counts.labels import in_order
from deniable.analysis.estimation import estimate
from deniable.channel import Channel
from deniable.roles import says_yes, speak, treats_alike
from deniable.server.respondent.sheet import lay_out
from deniable.study.collected import of_design
from deniable.study.study import Study
from deniable.study.tables import table_of
from deniable.survey import Survey
from deniable.survey_file import SurveyFileError, read
from tests.kit import first_of, surveys

UNLIKE: dict[str, Mapping[str, object]] = {
    **{name: row.example for name, row in designs.NAMED.items()},
    "forced_response": {"truth": "2/3", "yes": "1/4"},
    "kuk": {"yes": "0.7", "no": "0.2", "draws": "3"},
}
"""Each design with a yes, by parameters that treat yes and no differently where there are such."""

DESIGNS = ["forced_response", *sorted(designs.HAVE_YES - {"forced_response"})]
PAIRS = [("No", "Yes"), ("nein", "Ja"), ("لا", "نعم"), ("FALSE", "True"), ("0", "1")]
"""What is no, and what is yes."""


def channel_of(name: str) -> Channel:
    return designs.from_mapping({name: UNLIKE[name]})


def counts_of(channel: Channel) -> list[int]:
    """Return reports as they might come: mostly as of yes."""
    return [40 + 300 * weight // 2**32 for weight in channel.weights[1]]


def share_of(channel: Channel) -> float:
    """Return the share of yes in these reports, by the design as its paper has it."""
    return float(estimate(counts_of(channel), channel).theta[1])


def words_of(channel: Channel, no: str, yes: str) -> list[str]:
    if speak(channel):
        return [no, yes]
    return ["different", "same"] if channel.reports == 2 else [*map(str, range(channel.reports))]


def cells_of(channel: Channel, words: Sequence[str]) -> list[str]:
    return [one for one, count in zip(words, counts_of(channel), strict=True) for _ in range(count)]


def by_label(study: Study) -> dict[str, float]:
    texts = {one.code: one.text for one in study.item("q").truths}
    return {
        texts[str(row["answer"])]: float(str(row["estimate"]))
        for row in study.shares("q", method="wald").export.rows
    }


def collected(folder: Path, cells: Sequence[str], entry: dict[str, Any]) -> Study:
    (folder / "data.csv").write_text("q\n" + "".join(f"{cell}\n" for cell in cells))
    (folder / "d.yaml").write_text(yaml.safe_dump({"columns": {"q": entry}}, allow_unicode=True))
    return deniable.open(folder / "data.csv", folder / "d.yaml")


@pytest.mark.parametrize("name", first_of(DESIGNS, 2))
def test_no_order_in_a_dictionary_changes_an_estimate(name: str, tmp_path: Path) -> None:
    channel = channel_of(name)
    for no, yes in PAIRS:
        words = words_of(channel, no, yes)
        entry: dict[str, Any] = {"design": {name: UNLIKE[name]}}
        if "same" in words:
            entry["reports"] = words
        by_code = {"a": no, "b": yes}
        of_code = dict(zip([no, yes], by_code, strict=True))
        for answers in ([no, yes], [yes, no], by_code, dict([*by_code.items()][::-1])):
            cells = cells_of(channel, words)
            if isinstance(answers, dict):
                cells = [of_code.get(cell, cell) if speak(channel) else cell for cell in cells]
            found = by_label(collected(tmp_path, cells, {**entry, "answers": answers}))
            assert found[yes] == pytest.approx(share_of(channel), abs=1e-12), answers
            assert found[no] == pytest.approx(1 - share_of(channel), abs=1e-12), answers


@pytest.mark.parametrize("name", first_of(DESIGNS, 2))
def test_words_that_say_nothing_need_a_yes(name: str, tmp_path: Path) -> None:
    channel = channel_of(name)
    words = words_of(channel, "Stayed", "Took part")
    entry: dict[str, Any] = {"design": {name: UNLIKE[name]}}
    if "same" in words:
        entry["reports"] = words
    for answers in (["Stayed", "Took part"], ["Took part", "Stayed"]):
        entry["answers"] = answers
        if treats_alike(channel):
            study = collected(tmp_path, cells_of(channel, words), entry)
        else:
            with pytest.raises(SurveyFileError, match=r"expected 'yes: (stayed|took_part)' or"):
                collected(tmp_path, cells_of(channel, words), entry)
            named = {**entry, "yes": "took_part"}
            study = collected(tmp_path, cells_of(channel, words), named)
            assert "; yes of the design: “Took part”" in str(study.shares("q", method="wald"))
        assert by_label(study)["Took part"] == pytest.approx(share_of(channel), abs=1e-12)


@pytest.mark.parametrize("name", first_of(DESIGNS, 2))
def test_no_order_of_codes_changes_an_estimate(name: str) -> None:
    channel = channel_of(name)
    if not speak(channel):
        return
    design = {name: UNLIKE[name]}
    for no, yes in (*PAIRS, ("A2", "A1"), ("1", "2")):
        cells = cells_of(channel, [no, yes])
        table = table_of("\n".join(["q", *cells, ""]).encode())
        said = None if says_yes(no) is not None and says_yes(yes) else yes
        for codes in ([no, yes], [yes, no]):
            study = of_design(table, "data.csv", design, "q", codes=codes, yes=said)
            assert by_label(study)["yes"] == pytest.approx(share_of(channel), abs=1e-12)
            assert f"; yes of the design: “{yes}”" in str(study.shares("q", method="wald"))
            if said is not None:
                with pytest.raises(ValueError, match=f"expected yes='{codes[0]}' or yes="):
                    of_design(table, "data.csv", design, "q", codes=codes)
            # The Python door: counts by their labels, in the order of their codes.
            counts = dict(zip([no, yes], counts_of(channel), strict=True))
            if said is None:
                found = in_order(counts, [channel.reports], [codes])
                assert np.array_equal(found, counts_of(channel))


def file_of(name: str, answers: Sequence[str], yes: str = "") -> Survey:
    design = yaml.safe_dump({name: UNLIKE[name]}, default_flow_style=True, width=10**6).strip()
    said = f", yes: {yes}" if yes else ""
    text = surveys.file_of(
        f"id: q, text: Q, type: single, answers: [{', '.join(answers)}], design: {design}{said}",
        "id: x, text: X, type: single, answers: [a, b], protection: direct",
    )
    return read(text).survey


def asked() -> list[str]:
    """Return the designs with a yes by which a browser may ask."""
    found = []
    for name in DESIGNS:
        channel = channel_of(name)
        if not channel.revealing_reports and channel.reports < 20:
            found.append(name)
    return found


@pytest.mark.parametrize("name", first_of(asked(), 2))
def test_a_survey_s_yes_is_what_says_it(name: str) -> None:
    """A device that answers yes draws by the design's row of yes, wherever Yes stands."""
    channel = channel_of(name)
    usual = file_of(name, ["No", "Yes"])
    assert usual.items[0].channel == channel  # what is hashed stays what it was
    for answers, yes in ((["Yes", "No"], ""), (["Took part", "Stayed"], "took_part")):
        survey = file_of(name, answers, yes)
        item = survey.items[0]
        of_yes, of_no = item.channel.weights
        reports = [1, 0] if item.channel.reports == 2 else [*range(item.channel.reports)]
        assert [of_yes[at] for at in reports] == [*channel.weights[1]]
        assert [of_no[at] for at in reports] == [*channel.weights[0]]
        if speak(channel):
            assert [one.code for one in item.reports] == [one.code for one in item.truths]
        counts = [counts_of(channel)[at] for at in reports]
        sent = np.repeat(np.arange(len(counts)), counts).astype(np.uint8)
        study = Study(
            survey,
            np.stack([sent, np.arange(len(sent), dtype=np.uint8) % 2], axis=1),
            np.zeros(len(sent), dtype=np.int64),
            "memory",
        )
        assert by_label(study)[answers[0]] == pytest.approx(share_of(channel), abs=1e-12)
        assert Survey.from_json(survey.to_json()) == survey
        law = str(study.shares("q", method="wald")).splitlines()[1]
        wanted = f"P(yes | no) {channel.probabilities[0, 1]:.4f}"
        assert channel.reports > 2 or wanted in law
        assert ("yes of the design: “" + answers[0] in law) is not treats_alike(channel)
        every = str(study.shares(method="wald"))
        assert (f"\nYes of the design: q “{answers[0]}”\n" in every) is not treats_alike(channel)


@pytest.mark.parametrize("name", first_of(asked(), 2))
def test_yes_is_forced_alike_in_any_order(name: str) -> None:
    channel = channel_of(name)
    for answers in (["No", "Yes"], ["Yes", "No"]):
        item = file_of(name, answers).items[0]
        made = coins.procedure_of(item)
        if made is None:
            continue
        forced = {one.text: Fraction(0) for one in item.truths}
        for rule, one in zip((made.no, made.yes), item.truths, strict=True):
            forced[one.text] = Fraction(len(rule.outcomes), made.outcomes)
        yes_if_no, no_if_yes = channel.weights[0][1], channel.weights[1][0]
        assert round(forced["Yes"] * 2**32) == pytest.approx(yes_if_no, abs=1)
        assert round(forced["No"] * 2**32) == pytest.approx(no_if_yes, abs=1)
        (sheet, _) = lay_out(file_of(name, answers)).questions
        assert sheet.procedure is not None
        cases = dict(sheet.procedure.cases((sheet.answers[0], sheet.answers[1])))
        assert {*cases.values()} <= {"No", "Yes"}
        assert sheet.procedure == made


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("answers: [No, Yes], yes: maybe", "expected one of no, yes, found 'maybe'"),
        ("answers: [No, Yes, Maybe], yes: yes", "a yes is one of two answers, found 3"),
        (
            "answers: [Yes, No], style: statement, statements: [I, Not I]",
            "expected no before yes with 'style: statement'",
        ),
    ],
)
def test_what_is_no_yes_is_refused(question: str, said: str) -> None:
    with pytest.raises(SurveyFileError, match=said):
        read(surveys.file_of(f"id: q, text: Q, type: single, flip: 1/4, {question}"))


def test_regressions_are_of_yes_in_any_order() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 600).astype(np.uint8)
    said = (rng.random(600) < 0.3 + 0.3 * x).astype(np.uint8)
    found = []
    for answers, sent in ((["No", "Yes"], said), (["Yes", "No"], 1 - said)):
        survey = file_of("forced_response", answers)
        study = Study(survey, np.stack([sent, x], axis=1), np.zeros(600, dtype=np.int64), "memory")
        result = study.regress("q ~ x")
        assert "of the logit of a true yes" in str(result)
        found.append([(row["term"], row["coefficient"]) for row in result.export.rows])
    assert [term for term, _ in found[0]] == [term for term, _ in found[1]]
    first, second = ([one for _, one in each] for each in found)
    assert first == pytest.approx(second, abs=1e-9)
