"""The researcher's choices: all revisions or one, a wave, a level and a kind of interval.

The choices stand in the address, so that a results page, its figures and its downloads show the
same, and can be linked to. All of them use the reports of the store's snapshot, and no others.
"""

import logging
from collections.abc import Hashable, Iterable
from http import HTTPStatus
from typing import Final, cast

from flask import abort, current_app, g, request
from werkzeug.exceptions import BadRequest
from werkzeug.local import LocalProxy

from deniable.analysis import intervals
from deniable.analysis.counts.pooling import Match, least_of_one, match, pool_rows
from deniable.analysis.counts.tally import Tally
from deniable.analysis.privacy.cells import LEAST
from deniable.analysis.privacy.disclosure import Rows, direct_places
from deniable.analysis.results import QuestionResults, Results, summarise
from deniable.analysis.waves import Waves, told_by, waves_of
from deniable.report import NOT_ASKED
from deniable.server.desk.context import catalogue, find_survey, store
from deniable.server.desk.results.snapshot import by_wave, pooled
from deniable.server.store import Snapshot, StoreError
from deniable.server.store.store import AT_START
from deniable.study.study import Study
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey_file import plan_of

DAMAGED: Final = (
    "The store is damaged or cannot be read now, so there is no file. Ask whoever looks after the "
    "server: its log says what is wrong."
)

_log = logging.getLogger(__name__)

LEVELS: Final = {"90": 0.90, "95": 0.95, "99": 0.99}
"""The confidence levels that can be chosen, in percent as the address has them."""

METHODS: Final = {
    "auto": "chosen by the design",
    "tail": "inverted tails",
    "wald": "Wald, as in textbooks",
    "feldman-cousins": "Feldman and Cousins",
    "wilson": "Wilson",
    "exact": "Clopper and Pearson",
    "likelihood": "profile likelihood",
}
"""The names of the intervals that can be chosen."""

METHOD_MEANINGS: Final = {
    "auto": "The method that suits the design, ε and how many answered, whatever the answers are.",
    "tail": "Every share that a test does not reject, to each side.",
    "wald": "The estimate, two standard errors to each side. Too narrow for few people.",
    "feldman-cousins": "Every share that a test by likelihoods does not reject, near 0 as well.",
    "wilson": "Every share at so many standard errors, each by its own error.",
    "exact": "Never too narrow, and often too wide.",
    "likelihood": "Every share nearly as likely as the most likely one.",
}
"""What each interval does, in a sentence."""

_DEFAULT_LEVEL: Final = "95"


class WrongChoiceError(BadRequest):
    """An error for an address that asks for what the desk does not have.

    `what`: a sentence without its full stop, which repeats nothing of the address. `code`: the
    status, 400 by default.
    """

    def __init__(self, what: str, code: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__()
        self.what = what
        self.code = code


class Summaries:
    """A cache of the last summaries of tallies.

    The snapshot changes by whole batches only, and people look often.
    """

    MOST: Final = 32

    def __init__(self) -> None:
        # By everything that a summary depends on, the oldest first.
        self._kept: dict[Hashable, Results] = {}

    def of(self, survey: Survey, tally: Tally, level: float, method: str, least: int) -> Results:
        """Summarise a tally as `summarise` does; cells of direct answers need `least` people."""
        counts = tuple(each.tobytes() for each in tally.counts)
        key = (survey.number, survey.slug, tally.n, counts, level, method, least)
        results = self._kept.get(key)
        if results is None:
            results = summarise(survey, tally, level, method, least_cell=least)
            while len(self._kept) >= self.MOST:
                self._kept.pop(next(iter(self._kept), None), None)
            self._kept[key] = results
        return results


class Query:
    """The reports and results that a request's address asks for; answers 404 or 400 for others."""

    def __init__(self) -> None:
        self._summaries = Summaries()

    def survey(self, slug: str) -> Survey:
        """Return the chosen revision of a survey, the current one if none was chosen."""
        return find_survey(slug, request.args.get("revision") or None)

    def is_alone(self) -> bool:
        """Return whether a revision was chosen: then its reports alone are used."""
        return bool(request.args.get("revision"))

    def revision(self) -> dict[str, str]:
        """Return the chosen revision as a parameter of the address; empty for all revisions."""
        return {"revision": request.args["revision"]} if self.is_alone() else {}

    def count(self, survey: Survey) -> int:
        """Return the number of reports to all revisions that share a question with this one."""
        count = self.snapshot(survey.slug).count
        answered = self._answered(survey)
        return sum(count(one.revision) for one in answered if match(survey, one).is_pooled)

    def revisions(self, survey: Survey) -> list[Survey]:
        """Return the revisions whose reports are used: the chosen one, or all that have reports."""
        if self.is_alone():
            return [survey]
        return self._answered(survey)

    def counted(self, survey: Survey) -> tuple[tuple[str, int], ...]:
        """Return the fingerprint and the number of reports of each revision that is counted."""
        count = self.snapshot(survey.slug).count
        found = [one for one in self.revisions(survey) if match(survey, one).is_pooled]
        return tuple((one.fingerprint, count(one.revision)) for one in found)

    def others(self, survey: Survey) -> list[str]:
        """Say what became of the reports to other revisions, in a sentence each."""
        if self.is_alone():
            return []
        count = self.snapshot(survey.slug).count
        return [one.told(count(one.other.revision)) for one in self._others(survey)]

    def least(self, survey: Survey) -> int:
        """Return how many people a direct answer needs to be shown.

        For one revision among others, see `deniable.analysis.counts.pooling.least_of_one`.
        """
        return least_of_one(survey, self._answered(survey)) if self.is_alone() else LEAST

    def rows(self, survey: Survey) -> Rows:
        """Read the chosen reports, for a file; answer 503 if the store is damaged."""
        try:
            store.make_sure(seconds=AT_START)
        except StoreError as error:
            _log.error("nothing is exported: %s", error)
            abort(HTTPStatus.SERVICE_UNAVAILABLE, DAMAGED)
        return self._of(survey, self.revisions(survey), self.least(survey))

    def _of(self, survey: Survey, revisions: Iterable[Survey], least: int) -> Rows:
        read = store.snapshot_answers
        received = ((one, read(survey.slug, one.revision)) for one in revisions)
        return pool_rows(survey, received, least)

    def _others(self, survey: Survey) -> list[Match]:
        answered = self._answered(survey)
        return [match(survey, one) for one in answered if one.revision != survey.revision]

    def _answered(self, survey: Survey) -> list[Survey]:
        tallies = self.snapshot(survey.slug).tallies
        return [catalogue.revision(survey.slug, revision) for revision in tallies]

    def snapshot(self, slug: str) -> Snapshot:
        """Return a survey's reports that may be seen: the same snapshot for the whole request."""
        known = g.setdefault("snapshots", {})
        if slug not in known:
            known[slug] = store.snapshot(slug)
        snapshot: Snapshot = known[slug]
        return snapshot

    def tally(self, survey: Survey, wave: int) -> Tally:
        """Return the tally of a wave's chosen reports; `wave` is 0 in a survey without waves."""
        nobody = pooled(self.snapshot(survey.slug), survey, (), wave)
        return self.tallies(survey).get(wave, nobody)

    def tallies(self, survey: Survey) -> dict[int, Tally]:
        """Return the tally of the chosen reports, for each wave that has some.

        Direct answers are counted as in every other output (`Rows`). No report is read if the
        store's tallies show neither a gap nor few people.
        """
        snapshot, revisions = self.snapshot(survey.slug), self.revisions(survey)
        known = g.setdefault("tallies", {})
        if survey.number not in known:
            counts = [
                count
                for one in revisions
                for of_items in snapshot.tallies.get(one.revision, {}).values()
                for count in of_items
            ]
            reads = direct_places(survey) and len(store.revisions(survey.slug)) > 1
            reads = reads and any(NOT_ASKED in one or sum(one.values()) < LEAST for one in counts)
            known[survey.number] = (
                self._of(survey, revisions, self.least(survey)).tallies()
                if reads
                else by_wave(snapshot, survey, revisions)
            )
        found: dict[int, Tally] = known[survey.number]
        return found

    def results(self, slug: str, method: str | None = None) -> Results:
        """Return a survey's estimates, with the chosen intervals unless `method` names others."""
        level, chosen = self.intervals()
        survey = self.survey(slug)
        wave = self.wave(survey)
        tally = self.tally(survey, wave or 0)
        return self._summaries.of(survey, tally, level, method or chosen, self.least(survey))

    def question(self, slug: str, question: str) -> QuestionResults:
        """Return the estimates of one question, with the chosen intervals and weighted."""
        survey = self.survey(slug)
        found = self._question(survey, question, self.wave(survey) or 0)
        level, method = self.intervals()
        return self.weighed(Results(survey, 0, level, method, (found,))).questions[0]

    def margins(self, survey: Survey) -> Margins:
        """Return the margins that results are weighted to; empty if one revision was chosen."""
        text = store.source(survey.slug, store.current_revision(survey.slug))
        return {} if self.is_alone() else plan_of(text).population

    def weighed(self, results: Results) -> Results:
        """Weight the estimates, of the chosen wave if there are waves, to the margins if any."""
        if not self.margins(results.survey):
            return results
        return self.study(results.survey.slug).weigh(results)

    def trend(self, slug: str, question: str) -> tuple[tuple[int, QuestionResults], ...]:
        """Return a question's estimates for each wave with reports; empty if there are no waves."""
        survey = self.survey(slug)
        if question not in {one.id for one in survey.questions}:
            abort(HTTPStatus.NOT_FOUND)
        waves = self.waves(survey, question)
        if waves.once:
            return ()
        found = zip(waves.waves, waves.results, strict=True)
        return tuple((wave, one.questions[0]) for wave, one in found)

    def _question(self, survey: Survey, question: str, wave: int) -> QuestionResults:
        if question not in {one.id for one in survey.questions}:
            abort(HTTPStatus.NOT_FOUND)
        tally = self.tally(survey, wave)
        least = self.least(survey)
        results = summarise(survey, tally, *self.intervals(), least_cell=least, only=question)
        return results.questions[0]

    def study(self, slug: str) -> Study:
        """Return the reports of the chosen wave, for analyses of several questions.

        They are the reports to all revisions, also if one is chosen: else the difference between
        all revisions and one could show the answers of few people.
        """
        survey = self.survey(slug)
        others = [one.other.fingerprint for one in self._others(survey) if one.is_pooled]
        counted = " and ".join([survey.fingerprint, *others])
        found = self._all_waves(survey, f"revision{'s' if others else ''} {counted}")
        wave = self.wave(survey)
        return found if wave is None else found.wave(wave)

    def _all_waves(self, survey: Survey, source: str = "") -> Study:
        rows = self._of(survey, self._answered(survey), LEAST)
        return Study.shown(rows, source, self.margins(survey))

    def waves(self, survey: Survey, question: str | None = None) -> Waves:
        """Return the estimates of all waves, weighted to the margins if there are some.

        A survey that is asked once has one wave. `question`: estimates of this question alone.
        """
        level, method = self.intervals()
        least, tallies = self.least(survey), self.tallies(survey)
        if not tallies and survey.waves is None:
            tallies = {0: self.tally(survey, 0)}
        results = {
            wave: self._summaries.of(survey, tally, level, method, least)
            if question is None
            else summarise(survey, tally, level, method, least_cell=least, only=question)
            for wave, tally in tallies.items()
        }
        found = waves_of(survey, results, told_by(survey, tallies), level, method)
        return self._all_waves(survey).weigh_waves(found) if self.margins(survey) else found

    def wave(self, survey: Survey) -> int | None:
        """Return the chosen wave, by default the current one; None if there are no waves."""
        if survey.waves is None:
            return None
        chosen = request.args.get("wave")
        if chosen is None:
            # An earlier revision may have fewer waves.
            return min(store.wave(survey.slug), survey.waves)
        if not (chosen.isascii() and chosen.isdigit() and 1 <= int(chosen) <= survey.waves):
            raise WrongChoiceError(f"The wave must be from 1 to {survey.waves}")
        return int(chosen)

    def intervals(self) -> tuple[float, str]:
        """Return the chosen level, and the kind of interval."""
        level, method = self.level(), request.args.get("method", intervals.DEFAULT)
        if level not in LEVELS:
            raise WrongChoiceError(f"The confidence level must be {', '.join(LEVELS)}")
        if method not in METHODS:
            raise WrongChoiceError(f"The method must be {', '.join(METHODS)}")
        return LEVELS[level], method

    def choice(self, survey: Survey) -> dict[str, str | int]:
        """Return all choices, as parameters of the address."""
        wave, (_, method) = self.wave(survey), self.intervals()
        waves = {} if wave is None else {"wave": wave}
        return {**self.revision(), "level": self.level(), "method": method, **waves}

    def level(self) -> str:
        """Return the chosen level as it stands in the address."""
        return request.args.get("level", _DEFAULT_LEVEL)


QUERY: Final = "query"
"""The key of the `Query` in `app.extensions`, which keeps results of one store alone."""

query = cast("Query", LocalProxy(lambda: current_app.extensions[QUERY]))
"""The `Query` of the current request's desk."""
