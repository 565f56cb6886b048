"""Reports are read strictly, and errors repeat nothing of what was sent."""

import json
import re

import pytest

from deniable import Survey, report
from deniable.report import NOT_ASKED, Report, ReportError, SyntaxMistake, ValueMistake
from deniable.survey_file import read
from tests import vectors
from tests.kit import surveys

pytestmark = pytest.mark.promise("counted-once")

ID = "00112233445566778899aabbccddeeff"
REVISION = "5a" * 32
GOOD = {"survey": "doping", "revision": REVISION, "id": ID, "answers": "010001"}


def test_a_report_goes_over_the_wire_and_back() -> None:
    report = Report("doping", REVISION, bytes.fromhex(ID), b"\x01\x00\x01")
    assert report.to_json() == (
        b'{"survey":"doping",'
        b'"revision":"5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",'
        b'"id":"00112233445566778899aabbccddeeff","answers":"010001"}'
    )
    assert Report.from_json(report.to_json()) == report
    in_wave = report._replace(wave=11)
    assert b'","wave":"0b","answers":"010001"}' in in_wave.to_json()
    for written in (in_wave.to_json(), in_wave.to_json().replace(b",", b", ")):
        assert Report.from_json(written) == in_wave


def test_a_row_has_a_byte_an_item() -> None:
    once, panel = surveys.survey(), surveys.panel()
    for survey, wave, row in ((once, 0, b"\1"), (panel, 3, b"\1\2\4\1\2")):
        report = Report(survey.slug, survey.revision, bytes(16), row[: len(survey.items)], wave)
        assert report.row == row
        assert len(row) == survey.row_length


def test_a_wave_must_be_one_of_the_survey() -> None:
    once, panel = surveys.survey(), surveys.panel()
    good = surveys.of_wave(panel, 3)
    good.check(panel)
    for wave in (0, 4):
        with pytest.raises(ValueMistake, match="expected a wave from 01 to 03"):
            good._replace(wave=wave).check(panel)
    with pytest.raises(ValueMistake, match="expected no wave"):
        Report(once.slug, once.revision, bytes(16), b"\0", 1).check(once)


def test_the_shared_survey_gives_the_shared_bytes(survey: Survey) -> None:
    case = vectors.survey()
    answers = bytes(
        item.channel.sample(truth, word)
        for item, truth, word in zip(survey.items, case["truths"], case["words"], strict=True)
    )
    assert answers.hex() == case["answers"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"\xff",
        json.dumps(GOOD).encode("utf-16"),
        json.dumps({**GOOD, "more": ""}).encode(),
        json.dumps({key: GOOD[key] for key in ("survey", "id", "answers")}).encode(),
        json.dumps({**GOOD, "id": 7}).encode(),
        json.dumps({**GOOD, "answers": ["01"]}).encode(),
        json.dumps(GOOD)[:-1].encode() + b', "answers": "000000"}',
        json.dumps(GOOD)[:-1].encode() + b', "age": NaN}',
        b"[" * 100_000,
        b'{"survey": ' + b"1" * 10_000 + b"}",
        json.dumps(GOOD).encode() + b"x",
    ],
)
def test_what_is_no_report_is_refused(body: bytes) -> None:
    with pytest.raises(SyntaxMistake):
        Report.from_json(body)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", ID[:-2]),
        ("id", ID.upper()),
        ("id", ID[:-1] + "\u0663"),
        ("id", ID[:-1] + "\n"),
        ("answers", "0"),
        ("answers", "0G"),
        ("wave", "0001"),
        ("wave", "0G"),
    ],
)
def test_digits_are_read_strictly(key: str, value: str) -> None:
    with pytest.raises(ValueMistake) as mistake:
        Report.from_json(json.dumps({**GOOD, key: value}).encode())
    assert value not in str(mistake.value)


def test_a_report_must_fit_its_survey(survey: Survey) -> None:
    def report(answers: bytes, revision: str = survey.revision, slug: str = "doping") -> Report:
        return Report(slug, revision, bytes(16), answers)

    report(bytes([1, 1, 1, 1, 3, 2])).check(survey)
    # All but one question was reported before, under an earlier revision.
    report(bytes([NOT_ASKED, NOT_ASKED, 1, NOT_ASKED, NOT_ASKED, NOT_ASKED])).check(survey)
    for wrong, message in [
        (report(bytes([1, 1, 1, 1, 3])), "expected answers to 6 items, found 5"),
        (report(bytes([1, 1, 1, 1, 3, 2, 0])), "expected answers to 6 items, found 7"),
        (report(bytes([1, 1, 1, 1, 4, 2])), "item 5: expected a number below 4"),
        (report(bytes([1, 1, 1, 1, 3, 254])), "item 6: expected a number below 3"),
        (report(bytes([NOT_ASKED] * 6)), "expected an answer to something, found none"),
        (report(bytes(6), revision="x"), "expected the survey and revision"),
        (report(bytes(6), slug="x"), "expected the survey and revision"),
    ]:
        with pytest.raises(ValueMistake, match=message):
            wrong.check(survey)


# Two of doped (0), offered (1-4, two of them), knew (5-7, one of them) and years (8); then caught
# (9-11, one of them) and age (12).


@pytest.mark.parametrize(
    "answers",
    [
        "00 fe fe fe fe fe fe fe 03 fe 01 fe 02",
        "fe fe fe fe fe 02 fe fe 0a 00 fe fe 01",
        # What was drawn as well was reported before, under an earlier revision.
        "00 fe fe fe fe fe fe fe ff fe 01 fe 02",
        "00 00 ff fe fe fe fe fe fe fe 01 fe 02",
        "fe fe fe fe fe fe ff fe ff fe ff fe 00",
    ],
)
def test_not_drawn_is_taken_where_it_can_be(answers: str) -> None:
    survey = read(vectors.asking_file()).survey
    Report("asking", survey.revision, bytes(16), bytes.fromhex(answers)).check(survey)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("00 00 fe fe 01 fe fe fe 03 fe 01 fe 02", "chance can draw together"),
        ("00 fe fe fe fe fe fe fe fe fe 01 fe 02", "chance can draw together"),
        ("00 fe fe fe fe fe fe fe 03 00 01 fe 02", "chance can draw together"),
        ("ff ff ff ff ff ff ff ff ff ff 01 ff 02", "chance can draw together"),
        ("02 fe fe fe fe fe fe fe 03 fe 01 fe 02", "item 1: expected a number below 2"),
        ("fe fe fe fe fe fe ff fe ff fe ff fe ff", "expected an answer to something, found none"),
    ],
)
def test_what_chance_cannot_have_drawn_is_refused(answers: str, message: str) -> None:
    survey = read(vectors.asking_file()).survey
    report = Report("asking", survey.revision, bytes(16), bytes.fromhex(answers))
    with pytest.raises(ValueMistake, match=message):
        report.check(survey)


def test_the_expression_reads_what_json_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte of a report is changed in some ways: both readers say the same of each."""
    written = Report("doping", "0" * 64, bytes(range(16)), b"\x01\x02").to_json()
    nothing = re.compile(rb"(?!)")

    def read(body: bytes) -> object:
        try:
            return Report.from_json(body)
        except ReportError as error:
            return type(error), str(error)

    changed = [written, written + b"\n", b" " + written]
    others = (b"", b'"', b"\\", b"A", b"g", b"\x00", b"\x7f", b"\xc3", b"0")
    changed += [
        written[:place] + byte + written[place + 1 :]
        for place in range(len(written))
        for byte in others
    ]
    fast = [read(body) for body in changed]
    monkeypatch.setattr(report, "_WRITTEN", nothing)
    assert fast == [read(body) for body in changed]
    assert sum(isinstance(one, Report) for one in fast) > 100
