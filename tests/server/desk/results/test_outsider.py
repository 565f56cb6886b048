"""A lone person is looked for in small surveys, in every way that the desk can be asked.

The surveys have waves, chance that draws what is asked, two questions as one, follow-ups of
follow-ups, and reports with gaps to a second revision. 10 to 60 people answer, one alone with an
answer to a direct question. The outsider reads pages, files, the API, a database for Datasette and
a study in a notebook, and looks for all data sets that would look the same, by integer programming.
Seeds are fixed and nothing is left to chance: there is no false alarm.
"""

import csv
import io
import itertools
import json
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np
import pytest

from deniable.analysis.counts.pooling import pool_rows
from deniable.analysis.counts.reports_csv import read_reports
from deniable.analysis.privacy.disclosure import LEAST, Shown, published_answers
from deniable.publication.database import database_file
from deniable.publication.estimates import lay_out_weighted
from deniable.publication.material import Material
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.study.remote import read_from_desk
from deniable.survey import Survey
from tests.kit import Answer, Browser, Caller, first_of, url_for
from tests.server.desk.results.outsider import (
    DIRECT,
    Counts,
    Outsider,
    collected,
    collected_with_gaps,
    come,
)

pytestmark = pytest.mark.promise("few")

OF_GROUPS = {"share", "share_if_applies", "mean"}
DIFFERENCES = {"difference", "difference_of_means"}
TESTS = {"test_of_equal_shares", "test_of_equal_means", "test_of_independence"}
"""What rows of a comparison tell: of a group, of two of them, and of all."""

TENTHS = {24, 29, 30, 31, 32}
"""Of which surveys two looks tell the tenth's answer."""

UNWEIGHTED = {45, 53}
"""Of which surveys no weighted number is told of everybody: too many are few."""


def learn_all(
    outsider: Outsider, store: Store, researcher: Browser, api: Callable[[str], Answer]
) -> None:
    """Learn all that the desk shows now."""
    survey = outsider.survey
    ids = [item.id for item in survey.items]
    for wave in range(survey.waves):
        query = f"?wave={wave + 1}" if survey.is_repeated else "?"
        tally = api(f"/tally{query}").json
        outsider.learn(tally["n"], wave)
        for item in tally["items"]:
            for code, count in item["counts"].items():
                if count is not None:
                    outsider.learn(count, wave, (item["item"], code))
        page = url_for("results.page", slug="small")
        hidden = sum(count is None for item in tally["items"] for count in item["counts"].values())
        assert len(re.findall(r'"estimate"[^>]*>–', researcher(page + query).text)) >= hidden
        for one, other in itertools.permutations(ids, 2):
            compared = researcher(f"{page}/compare.json{query}&item={one}&by={other}")
            crossed = researcher(f"{page}/cross.json{query}&first={one}&second={other}")
            learn_groups(outsider, wave, (one, other), compared, crossed)
            told = people_of(compared, crossed, tally, by=other)
            for address in (
                f"correlate.json{query}&first={one}&second={other}" if one < other else "",
                f"ratios.json{query}&item={one}&by={other}" if other in DIRECT else "",
                f"regress.json{query}&formula={one}~{other}" if one in DIRECT else "",
            ):
                answer = researcher(f"{page}/{address}") if address else None
                if answer is not None and answer.status == 200:
                    assert answer.json["n"] in told, address
                    assert answer.json.get("n_by_group", told[-1]) == told[-1], address
    learn_estimates(outsider, researcher.see("results.estimates", slug="small", form="csv").rows)
    text = api("/reports.csv").text
    assert text == researcher.see("results.reports", slug="small").text
    rows = np.frombuffer(b"".join(read_reports(io.StringIO(text), survey)), np.uint8)
    # Whatever a notebook says, weighed or not, follows from what it gets: the rows of the file.
    assert b"".join(in_notebook(survey, api)) == rows.tobytes()
    learn_rows(outsider, [*csv.DictReader(io.StringIO(text))])
    assert len(rows) == outsider.people @ (outsider.is_late <= outsider.look) * survey.row_length
    material = Material(survey, pool_rows(survey, store.by_revision("small")), outsider.direct)
    with closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(database_file(material))
        for table, learn in (("reports", learn_rows), ("estimates", learn_estimates)):
            found = db.execute(f"SELECT * FROM {table}")  # noqa: S608  names of ours
            names = [name for name, *_ in found.description]
            cells = (["" if cell is None else str(cell) for cell in one] for one in found)
            learn(outsider, [dict(zip(names, one, strict=True)) for one in cells])


def in_notebook(survey: Survey, api: Callable[[str], Answer]) -> Iterator[bytes]:
    """Return the reports that `deniable.open` gets, which asks for nothing but these three."""

    def get(_: object, path: str, **__: object) -> bytes:
        if path == "/surveys":
            return json.dumps([api("").json]).encode()
        path = path.removeprefix("/surveys/small")
        assert path in {"/document", "/reports.csv"}
        return api(path).body

    with mock.patch("deniable.study.remote._Desk.get", get):
        found, reports, _ = read_from_desk("small", "http://127.0.0.1", "a-token")
    assert found == survey
    return reports


def learn_rows(outsider: Outsider, rows: Sequence[Mapping[str, str]]) -> None:
    """Learn how many rows there are of each kind that tells a direct answer."""
    told = Counter(tuple(row.items()) for row in rows)
    for row, count in told.items():
        answers = {name.removesuffix("_noisy"): code for name, code in row}
        wave = int(answers.pop("wave", "1").removeprefix("wave_")) - 1
        if any(answers[name] for name in outsider.direct):
            outsider.learn(count, wave, *answers.items())


def learn_estimates(outsider: Outsider, rows: Sequence[Mapping[str, str]]) -> None:
    """Learn shares of direct answers, among all and among those whom a question applies to."""
    for row in rows:
        if row["item"] not in DIRECT or not row["estimate"] or row.get("since"):
            continue
        wave, answer = int(row.get("wave") or 1) - 1, (row["item"], row["answer"])
        if row["statistic"] == "share":
            outsider.learn(float(row["estimate"]) * float(row["n"]), wave, answer)
        elif row["statistic"] == "mean":  # which tells the sum, and its error that of the squares
            numbers = np.arange(4)
            gave = np.stack([outsider.gave(wave, (row["item"], str(one))) for one in numbers])
            known = float(row["estimate"]) * float(row["n"])
            assert abs(numbers @ gave @ outsider.people - known) < 1e-6
            outsider.equations += [numbers @ gave, numbers**2 @ gave]
        else:
            skipped = outsider.gave(wave, (row["item"], "does_not_apply"))
            unasked = outsider.gave(wave, (row["item"], ""))
            applies = outsider.gave(wave) - unasked - skipped
            equation = outsider.gave(wave, answer) - float(row["estimate"]) * applies
            assert abs(equation @ outsider.people) < 1e-6
            outsider.equations.append(equation)


def learn_groups(
    outsider: Outsider, wave: int, pair: tuple[str, str], compared: Answer, crossed: Answer
) -> None:
    """Learn all of a question in each direct group that is shown, and all pairs of answers."""
    codes = {item.id: [a.code for a in item.reports] for item in outsider.survey.items}
    shown = groups_of(compared) if pair[1] in DIRECT else {}
    for group in codes[pair[1]] if crossed.status == 200 and {*pair} <= {*DIRECT} else shown:
        cells = [outsider.gave(wave, (pair[0], a), (pair[1], group)) for a in codes[pair[0]]]
        assert sum(cells) @ outsider.people == shown.get(group, 0)
        outsider.equations += cells


def people_of(compared: Answer, crossed: Answer, tally: Any, by: str) -> list[object]:
    """Return of how many people something is told already, and last how many in each group.

    Whatever else is told of exactly these people follows from how many gave which pair of answers.
    """
    n = [found.json["n"] for found in (compared, crossed) if found.status == 200]
    n += [c for one in tally["items"] if one["item"] == by for c in one["counts"].values() if c]
    return [*n, groups_of(compared) if by in DIRECT else {}]


def groups_of(compared: Answer) -> dict[str, int]:
    """Return how many people each group has that is shown, of randomised groups nothing.

    Differences and tests are of exactly these people, and differences follow from their shares.
    """
    rows = compared.json["estimates"] if compared.status == 200 else []
    of_groups = [row for row in rows if row["statistic"] in OF_GROUPS]
    shown = {row["group"]: row["n"] for row in of_groups if row.get("n")}
    told = {
        (row["group"], row["answer"]): row["estimate"]
        for row in of_groups
        if row["statistic"] != "share_if_applies"
    }
    for row in rows:
        if row["statistic"] in DIFFERENCES:
            one, other = ((row[side], row["answer"]) for side in ("group", "minus"))
            assert abs(told[one] - told[other] - row["estimate"]) < 1e-9, row
            assert not shown or row["n"] == shown[one[0]] + shown[other[0]], row
        elif row["statistic"] not in OF_GROUPS:
            assert row["statistic"] in TESTS, row
            assert row.get("n") in (None, sum(shown.values())), row
    return shown


def learn_weighted(outsider: Outsider, researcher: Browser, store: Store) -> int:
    """Weigh to margins of the outsider's own; return how many numbers told of everybody.

    Who chooses the margins freely learns each count of an answer in each part of them. What
    leaves people out has to be told of the rows of the file, which are learned already.
    """
    told, page = 0, url_for("results.page", slug="small")
    estimates = url_for("results.estimates", slug="small", form="csv")
    keep, in_file = url_for("margins.keep", slug="small"), rows_in_file(outsider, researcher)
    for name, wave in itertools.product(outsider.direct, range(outsider.survey.waves)):
        query = f"?wave={wave + 1}" if outsider.survey.is_repeated else "?"
        codes = [a.code for item in outsider.survey.items if item.id == name for a in item.truths]
        parts = {code: outsider.gave(wave, (name, code)) for code in codes}
        there = [row for row in researcher(estimates + query).rows if row["item"] == name]
        for people in (
            [code for code, part in parts.items() if part @ outsider.people],
            [
                row["answer"]
                for row in there
                if row["answer"] and row["estimate"] not in ("", "0.0")
            ],
            [code for code, part in parts.items() if part @ in_file],
        ):
            known = {code: parts[code] for code in people}
            shares = 1 / np.arange(2, len(known) + 2)
            shares /= shares.sum()
            form = {f"{name}:{c}": f"{100 * s}" for c, s in zip(known, shares, strict=True)}
            if researcher.post(keep, **form).status == 303:
                break
        else:
            continue
        check_zip(outsider, store, {name: dict(zip(known, shares, strict=True))})
        weighed = Weighed(outsider, in_file, dict(zip(known, shares, strict=True)), known)
        for row in researcher(estimates + query).rows:
            # The file is of all waves, each weighted by itself.
            if row.get("wave", str(wave + 1)) != str(wave + 1) or row.get("since"):
                continue
            if row["statistic"] == "share" and row["observed"]:
                asked = outsider.gave(wave) - outsider.gave(wave, (row["item"], ""))
                answer = outsider.gave(wave, (row["item"], row["answer"]))
                is_said = bool(row.get("design_effect"))
                told += weighed.learn(float(row["observed"]), is_said, asked, asked, answer)
        for one, by in itertools.permutations(outsider.direct, 2):
            found = researcher(f"{page}/compare.json{query}&item={one}&by={by}")
            for row in found.json["estimates"] if found.status == 200 else ():
                if row["group"] and row["statistic"] == "share":
                    group = outsider.gave(wave, (by, row["group"]))
                    answer = outsider.gave(wave, (one, row["answer"]))
                    is_said = bool(row.get("design_effect"))
                    all_ = outsider.gave(wave)
                    told += weighed.learn(row["estimate"], is_said, all_, group, answer)
    researcher.post(keep, remove="yes")
    return told


def check_zip(outsider: Outsider, store: Store, margins: Mapping[str, Mapping[str, float]]) -> None:
    """Check that a zip's weights and weighted estimates follow from the rows that it holds."""
    rows = pool_rows(outsider.survey, store.by_revision("small"))
    shown = replace(rows, answers=published_answers(rows, rows.direct), least=1)
    found = []
    for those in (rows, shown):
        one = Material(outsider.survey, those, outsider.direct, margins=margins)
        of = one.weighting
        written = of if isinstance(of, str) else lay_out_weighted(one, of).rows
        found.append(repr((one.weights, written)))
    assert found[0] == found[1]


@dataclass
class Weighed:
    """Margins that were kept: the share of each part of them, and which kinds are in it."""

    outsider: Outsider
    in_file: Counts
    shares: Mapping[str, float]
    parts: Mapping[str, Counts]

    def learn(
        self, told: float, is_said: bool, asked: Counts, group: Counts, answer: Counts
    ) -> bool:
        """Learn how many gave an answer in each part, if what is told is weighted, of everybody.

        `is_said`: whether it is said to be: what is not said to be is not, if it is the plain one.
        """
        everybody = asked * self.outsider.people
        plain = (group * answer @ everybody) / (group @ everybody)
        is_weighted = bool(abs(self.share(everybody, group, answer) - told) < 1e-9)
        is_weighted = is_weighted and (is_said or bool(abs(plain - told) > 1e-9))
        if is_weighted:
            both = itertools.product((asked * group, asked * group * answer), self.parts.values())
            self.outsider.equations += [those * part for those, part in both]
        in_file = self.share(asked * self.in_file, group, answer)
        assert is_weighted or abs(plain - told) < 1e-9 or abs(in_file - told) < 1e-9
        return bool(is_weighted)

    def share(self, people: Counts, group: Counts, answer: Counts) -> float:
        """Return the weighted share of an answer in a group, if some people are weighted."""
        of = [
            (self.shares[code] / float(part @ people or 1), part)
            for code, part in self.parts.items()
        ]
        whole = sum(weight * (part * group @ people) for weight, part in of) or math.nan
        return float(sum(weight * (part * group * answer @ people) for weight, part in of) / whole)


def rows_in_file(outsider: Outsider, researcher: Browser) -> Counts:
    """Count the rows that tell direct answers, by kind."""
    found = np.zeros(len(outsider.kinds), np.int64)
    for row in researcher.see("results.reports", slug="small").rows:
        answers = {name.removesuffix("_noisy"): code for name, code in row.items()}
        wave = int(answers.pop("wave", "1").removeprefix("wave_")) - 1
        if any(answers[name] for name in outsider.direct):
            (kind,) = np.flatnonzero(outsider.gave(wave, *answers.items()))
            found[kind] += 1
    return found


def small_groups(outsider: Outsider) -> Iterator[tuple[int, tuple[tuple[str, str], ...]]]:
    """Yield each group of one to four people of a wave by up to three direct answers."""
    codes = {item.id: [a.code for a in item.reports] for item in outsider.survey.items}
    for wave in range(outsider.survey.waves):
        for size in (1, 2, 3):
            for names in itertools.combinations(outsider.direct, size):
                for answers in itertools.product(*(codes[name] for name in names)):
                    group = tuple(zip(names, answers, strict=True))
                    those = outsider.gave(wave, *group, kinds=outsider.kinds)
                    if 0 < those @ outsider.people < LEAST:
                        yield wave, group


def campaign(
    store: Store,
    researcher: Browser,
    desk: Caller,
    seed: int,
    *,
    twice: bool = False,
    weighed: bool = False,
    gaps: bool = False,
    number: bool = False,
) -> tuple[list[object], bool]:
    """Return which small groups are found at one look, and whether the tenth's unit is at two."""
    headers = {"Authorization": f"Bearer {make_token(store, NOBODY, 'me', Scope.READ)}"}
    outsider, late = (
        collected_with_gaps(store, seed) if gaps else collected(store, seed, number=number)
    )

    def api(path: str) -> Answer:
        return desk(f"/api/v1/surveys/small{path}", headers=headers)

    learn_all(outsider, store, researcher, api)
    if weighed:
        assert bool(learn_weighted(outsider, researcher, store)) == (seed not in UNWEIGHTED) or gaps
    groups = small_groups(outsider)
    found = [
        one
        for one in groups
        if outsider.finds(outsider.gave(one[0], *one[1], kinds=outsider.kinds))
    ]
    if twice:
        come(store, outsider.survey, late)
        outsider.look = 1
        learn_all(outsider, store, researcher, api)
    unit = outsider.is_late & (outsider.kinds[:, 2] == late[0, 2])
    return [*found], twice and outsider.finds(unit.astype(np.int64))


@pytest.mark.slow
@pytest.mark.parametrize("told", first_of([False, True]))
def test_lone_people_follow_from_their_follow_ups_alone(
    store: Store, researcher: Browser, desk: Caller, monkeypatch: pytest.MonkeyPatch, *, told: bool
) -> None:
    """Where each follow-up is told, the outsider finds the lone person; as it is, nobody."""
    if told:
        monkeypatch.setattr(Shown, "keeps", lambda *_: True)
    assert bool(campaign(store, researcher, desk, 2)[0]) == told


SLOW, CAMPAIGN = pytest.mark.slow, pytest.mark.campaign


@pytest.mark.parametrize(
    ("seed", "ways"),
    [
        *first_of([(seed, {"number": True}) for seed in (104, 103, 102)]),
        *(pytest.param(seed, {"weighed": True}, marks=SLOW) for seed in range(44, 47)),
        # Weights tell the outsider more: who finds nobody with them finds nobody without.
        *(
            pytest.param(
                seed, {"weighed": True, "gaps": True}, marks=SLOW if seed < 76 else CAMPAIGN
            )
            for seed in range(72, 100)
        ),
    ],
)
def test_means_weights_and_gaps_tell_nothing_of_few(
    store: Store, researcher: Browser, desk: Caller, seed: int, ways: dict[str, bool]
) -> None:
    """From means of a number, weights of the outsider's own, and gaps to a second revision."""
    assert campaign(store, researcher, desk, seed, **ways)[0] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24, 27))
def test_nothing_of_few_people_follows_at_one_look(
    store: Store, researcher: Browser, desk: Caller, seed: int
) -> None:
    """And of two looks, ten reports apart, half tell the answer of the one who is not played."""
    found, tenth = campaign(store, researcher, desk, seed, twice=True)
    assert found == []
    assert tenth == (seed in TENTHS)
