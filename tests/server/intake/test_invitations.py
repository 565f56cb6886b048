"""Invitations at the intake: a code beside each report, spent with it and kept with none."""

import asyncio
from pathlib import Path

from deniable.server.intake.group_commit import GroupCommit
from deniable.server.store import Outcome, Store
from deniable.server.store.invitations import new_codes
from deniable.server.store.terms import Terms
from deniable.survey import Survey
from tests.server.calling import Caller, report
from tests.server.intake.test_endpoint import assert_problem

CODES = new_codes(3)


def test_a_code_is_good_for_one_report(call: Caller, store: Store, survey: Survey) -> None:
    store.invite("doping", CODES[:2])
    mine = report(survey)
    for headers in ({}, {"Survey_Code": CODES[2]}, {"Survey_Code": "é"}):
        answer = call.send(mine, **headers)
        assert_problem(answer, 401)
        assert answer.headers["WWW-Authenticate"] == "Survey-Code"
    assert call.send(mine, Survey_Code=CODES[0].lower()).status == 201
    # Sent again, since the answer was lost: whatever comes beside it.
    assert call.send(mine, Survey_Code=CODES[0]).status == 200
    assert call.send(mine).status == 200
    answer = call.send(report(survey), Survey_Code=CODES[0])
    assert_problem(answer, 403)
    assert "has been used" in answer.text
    assert CODES[0] not in answer.text
    assert answer.headers["WWW-Authenticate"] == "Survey-Code"
    assert store.count("doping") == 1


def test_a_code_and_a_word_are_both_asked(call: Caller, store: Store, survey: Survey) -> None:
    store.set_terms("doping", Terms(pin="sea-lion"))
    store.invite("doping", CODES)
    mine = report(survey)
    answer = call.send(mine, Survey_Code=CODES[0])
    assert answer.headers["WWW-Authenticate"] == "Survey-Pin"
    assert call.send(mine, Survey_Code=CODES[0], Survey_Pin="sea-lion").status == 201


def test_of_two_reports_with_one_code_in_one_commit_one_is_stored(
    store: Store, survey: Survey
) -> None:
    store.invite("doping", CODES)
    commit = GroupCommit(store)

    async def send() -> list[Outcome]:
        pending = (commit.submit(report(survey), CODES[0]) for _ in range(4))
        return await asyncio.gather(*pending)

    outcomes = asyncio.run(send())
    commit.close()
    assert sorted(outcome.name for outcome in outcomes) == ["SPENT", "SPENT", "SPENT", "STORED"]


def test_a_code_is_never_written_down(
    call: Caller, store: Store, survey: Survey, tmp_path: Path
) -> None:
    store.invite("doping", CODES)
    call.send(report(survey), Survey_Code=CODES[0])
    held = b"".join(file.read_bytes() for file in sorted(tmp_path.glob("store.db*")))
    assert held
    for code in CODES:
        assert code.encode() not in held
        assert code.replace("-", "").encode() not in held
