"""methods.md: paragraphs for the paper, filled in with the survey's texts and numbers."""

from collections.abc import Iterator, Sequence
from typing import Final

from deniable import __version__
from deniable.analysis.results import Results
from deniable.exact import MILLION
from deniable.publication.board.markdown import plain
from deniable.publication.citation import SOFTWARE
from deniable.publication.groups import JOINT
from deniable.publication.material import Material
from deniable.publication.weighting import Weighting
from deniable.results.figures.watermark import TRIAL
from deniable.survey import Survey
from deniable.survey.grouped import direct_items
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.survey.revisions import history
from deniable.survey_file import plan_of
from deniable.text.sureness import factor
from deniable.text.wording import needs, noise, percent, shares_words, time_tells, times

_INTRODUCTION: Final = (
    "Sentences to take into the paper. Every number in them is computed from the survey and its "
    "reports."
)

_SOFTWARE: Final = (
    f"Collected and estimated with deniable {__version__}. `reproduce.R` recomputes "
    "the estimates from the published reports."
)

_DIVIDED: Final = (
    " Where the 95 % interval of what it is divided by holds 0, it has no estimate, and its "
    "interval is what is not rejected of the possible values."
)

_INTERVALS: Final = {
    "feldman-cousins": "Where reports tell a share by one binomial proportion, the interval is "
    "Feldman and Cousins's of that proportion (Feldman and Cousins 1998), mapped through the "
    "estimator. It holds the possible shares that a likelihood-ratio test against the best "
    "possible one does not reject, by exact chances, and the estimate where that is not "
    "possible itself.",
    "tail": "Where they do not, the interval holds the values that neither tail of a test rejects: "
    "the distribution of the sum of the contributions is computed under the most likely "
    "distribution of the true answers that has the tested value, and each tail may hold half of "
    "the error (a parametric bootstrap without random numbers; DiCiccio and Romano 1990). Where "
    "less than a third of it is possible, that part looks more certain than it is.",
}

_REFERENCES: Final = {
    "warner": "Warner, S. L. (1965). Randomized response: a survey technique for eliminating "
    "evasive answer bias. *Journal of the American Statistical Association* 60, 63–69.",
    "dwork": "Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to "
    "sensitivity in private data analysis. *Theory of Cryptography Conference*, 265–284.",
    "kasiviswanathan": "Kasiviswanathan, S. P., Lee, H. K., Nissim, K., Raskhodnikova, S. and "
    "Smith, A. (2011). What can we learn privately? *SIAM Journal on Computing* 40, 793–826.",
    "aitken": "Aitken, A. C. (1936). On least squares and linear combination of observations. "
    "*Proceedings of the Royal Society of Edinburgh* 55, 42–48.",
    "feldman-cousins": "Feldman, G. J. and Cousins, R. D. (1998). Unified approach to the "
    "classical statistical analysis of small signals. *Physical Review D* 57, 3873–3889.",
    "tail": "DiCiccio, T. J. and Romano, J. P. (1990). Nonparametric confidence limits by "
    "resampling methods and least favorable families. *International Statistical Review* 58, "
    "59–76.",
    "applies": "Fieller, E. C. (1954). Some problems in interval estimation. *Journal of the Royal "
    "Statistical Society B* 16, 175–185.",
    "raked": "Deming, W. E. and Stephan, F. F. (1940). On a least squares adjustment of a sampled "
    "frequency table when the expected marginal totals are known. *Annals of Mathematical "
    "Statistics* 11, 427–444.",
    "calibrated": "Deville, J.-C. and Särndal, C.-E. (1992). Calibration estimators in survey "
    "sampling. *Journal of the American Statistical Association* 87, 376–382.",
    "effective": "Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions "
    "with small expected number of positive counts estimated from survey data. *Survey "
    "Methodology* 24, 193–201.",
    "change": "Newcombe, R. G. (1998). Interval estimation for the difference between independent "
    "proportions: comparison of eleven methods. *Statistics in Medicine* 17, 873–890.",
    "waves": "Erlingsson, Ú., Pihur, V. and Korolova, A. (2014). RAPPOR: randomized aggregatable "
    "privacy-preserving ordinal response. *ACM Conference on Computer and Communications "
    "Security*, 1054–1067.",
}


def methods_page(material: Material) -> str:
    """Write methods.md, the methods section of a paper."""
    parts = [
        f"# Methods: {plain(material.survey.title)}",
        *([f"**{TRIAL}**"] if material.survey.kind == "trial" else []),
        _INTRODUCTION,
        "## What was asked, and what left the device",
        *_what_was_asked(material),
        "## What is stored",
        *_what_is_stored(material.survey),
        "## Estimates",
        *_estimates(material),
        "## Software",
        _SOFTWARE,
        "## References",
        "\n".join(f"- {one}" for one in sorted([SOFTWARE, *_references(material)])),
    ]
    return "\n\n".join(parts) + "\n"


def _what_was_asked(material: Material) -> Iterator[str]:
    survey = material.survey
    randomised, direct = survey.randomised, direct_items(survey)
    if randomised:
        yield (
            f"The survey was held under local differential privacy ({_authors(survey)}). Before an "
            "answer left the respondent's device, a program on it randomised the answer with "
            "known probabilities. The researchers received the randomised reports, and never the "
            f"true answers. There are n = {material.n:,} reports"
            f"{_planned_people(material)}{_wave_counts(material)}: {material.of_revisions}."
        )
        yield (
            f"All randomised answers of a person together satisfy ε = {survey.epsilon:g}"
            f"{survey.if_kept(' while the answers stay the same')}: whatever the "
            f"true answers are, no set of their reports is more than {times(factor(survey))} times "
            "as likely as under any other answers. "
            f"The items below use ε = {survey.spent_millionths / MILLION:g} of it."
        )
    else:
        yield (
            f"There are n = {material.n:,} reports{_planned_people(material)}"
            f"{_wave_counts(material)}: {material.of_revisions}. Nothing was randomised."
        )
    if material.response:
        yield material.response
    yield _table(material)
    yield f"n: how many people were asked it{survey.in_waves(' in each wave')}."
    if randomised and direct:
        named = ", ".join(f"`{item.id}`" for item in direct)
        yield f"ε does not cover what was asked directly: {named}."
    yield from _corrections(survey)
    if survey.ask is not None:
        yield (
            f"Each respondent was asked {survey.ask.count} of {len(survey.ask.units)} units, drawn "
            f"at random: {shares_words(survey, '`')}."
        )
    yield from _together(survey)
    for question in survey.questions:
        if question.ask is not None:
            yield (
                f"Of `{question.id}` each respondent was asked {question.ask} of "
                f"{len(survey.items_of(question))} items, drawn at random."
            )
        if question.ask_if:
            yield (
                f"`{question.id}` applies after {', and '.join(needs(survey, question))}: "
                + (
                    "everybody was shown it, and said whether it applies to them."
                    if survey.is_shown_to_all(question)
                    else "it was asked only then."
                )
                + " All sent a report to it, because “does not apply” is one of its randomised "
                "answers." * (question.protection is Protection.RANDOMISED)
            )
    if survey.follow_ups:
        yield time_tells(survey)
    yield from _waves_paragraph(survey)


def _corrections(survey: Survey) -> Iterator[str]:
    if corrected := history(survey):
        yield (
            "Words were corrected while reports came in. These corrections changed no chance, "
            "question or answer, so reports count together whichever words were read, and no "
            "report tells which. By the check numbers of the corrected surveys:"
        )
        yield "\n".join(f"- {plain(line)}" for line in corrected)


def _together(survey: Survey) -> Iterator[str]:
    for group in survey.groups:
        yield (
            f"{' and '.join(f'`{id}`' for id in group.questions)} were randomised as one answer: "
            f"{len(group.cells)} combinations of answers can be true, and each other one is "
            "reported equally often. One ε covers all of them. Their reports depend on each other "
            "also given the truth, so a table of two of them needs the channel of the pairs, not "
            "the product of their two channels: `other` in survey.json is the weight, of 2^32, of "
            "each combination that is not true. `estimates.csv` has the shares of the combinations "
            f"as those of an item `{JOINT.join(group.questions)}`."
        )


def _waves_paragraph(survey: Survey) -> Sequence[str]:
    if not survey.keeps_noise:
        others = f"The survey was asked in {survey.waves} waves, of other people in each: a device "
        return survey.if_repeated([f"{others}answered one wave alone."]) or []
    history = survey.any_history_millionths
    bound = "not bounded" if history is None else f"at most ε = {history / MILLION:g}"
    said = (
        f"The survey was asked in {survey.waves} waves. A device drew a noisy answer once, kept "
        "it, and reported it anew in each wave with a little noise of its own (Erlingsson, Pihur "
        f"and Korolova 2014). One report costs ε = {survey.one_report_millionths / MILLION:g}. All "
        f"reports cost ε = {survey.spent_millionths / MILLION:g} while the answers stay the same, "
        f"and what they cost if answers change is {bound}."
    )
    return [said]


def _planned_people(material: Material) -> str:
    """Return the planned number of people and the aims in brackets; empty without a plan."""
    plan = plan_of((material.written or b"").decode())
    planned = [*([f"{plan.people:,}"] if plan.people else []), *plan.aims().values()]
    return f" (planned: {'; '.join(planned)})" if planned else ""


def _wave_counts(material: Material) -> str:
    each = ", ".join(f"{results.n:,} in wave {wave}" for wave, results in material.each())
    return material.survey.in_waves(f" ({each})")


def _authors(survey: Survey) -> str:
    warner = any(len(item.truths) == 2 for item in survey.randomised)
    names = "Dwork et al. 2006; Kasiviswanathan et al. 2011"
    return f"Warner 1965; {names}" if warner else names


def _table(material: Material) -> str:
    survey = material.survey
    rows = [
        "| item | what was asked | n | answers | how a report is drawn | ε | ε of the question |",
        "|---|---|---|---|---|---|---|",
    ]
    rows += [
        f"| `{item.id}` | {plain(_asked_in_full(item))} | {material.asked(item)} | "
        f"{len(item.truths)} | {_randomisation(item)} | {_epsilons(survey, item)} |"
        for item in survey.items
    ]
    return "\n".join(rows)


def _asked_in_full(item: Item) -> str:
    if not item.statements:
        return item.text
    return f"{item.text} ({'; '.join(map(item.in_full, item.truths))})"


def _epsilons(survey: Survey, item: Item) -> str:
    """Return two cells: the ε of an item, and that of its question for people who are asked it."""
    if item.epsilon is None:
        return "– | –"
    return f"{item.epsilon:g} | {survey.epsilon_of(survey.question(item.question)):g}"


def _randomisation(item: Item) -> str:
    if item.protection is Protection.RANDOMISED and item.flips is None:
        return f"By {len(item.reports)} reports that are codes of the design (channels.csv)."
    return noise(item)


def _what_is_stored(survey: Survey) -> Iterator[str]:
    wave = survey.in_waves(" and one for the wave")
    yield (
        "A report consists of the survey's revision, a random identifier of 128 bits and one byte "
        f"for each of {len(survey.items)} items{wave}. No name, address, browser, language, date "
        "or time is stored with it. The files published here have no identifiers, and their rows "
        "are sorted by value, so that nothing shows who answered when."
    )


def _estimates(material: Material) -> Iterator[str]:
    found = _kinds_of_results(material)
    yield (
        "With C the known matrix of the chances of each report given each true answer, a report r "
        "contributes G(a, r) to the estimated share of answer a, where C Gᵀ is the identity. Of "
        "all such G the one of least variance at equal shares is taken (Aitken 1936). The estimate "
        "is the mean of the contributions, and unbiased at every n. Its standard error comes from "
        "their sample variance, which is never taken for less than what the known noise alone "
        "gives. Estimates may lie outside of what is possible; they were not cut off."
    )
    if "mean" in found:
        yield (
            "The mean of a number is estimated in the same way, from contributions whose "
            "expectation is the number. It is that of the people who gave a number: if they could "
            "decline or be skipped, it is a ratio of two estimates, with a standard error by the "
            "delta method."
            f"{_DIVIDED if 'applies' not in found else ''}"
        )
    if "applies" in found:
        yield (
            "A share among the people who say that a question applies is a ratio of two estimates, "
            "with a standard error by the delta method. Its interval inverts a test of that ratio, "
            "as Fieller's (1954) does, among the shares that are possible."
            f"{_DIVIDED}"
        )
    yield " ".join(
        [
            f"Intervals are at the level of {percent(material.level)}, each by itself.",
            *(_INTERVALS[method] for method in _INTERVALS if method in found),
        ]
    )
    yield from _weighted_results(material.weighting)
    if "change" in found:
        yield (
            "A change from wave to wave is the difference of two estimates. Its standard error is "
            "that of independent samples, which is too large for a panel whose answers persist, "
            "and too small if people take turns. "
            "Its interval joins those of the two estimates by the method of Newcombe (1998): "
            "Clopper and Pearson's where one proportion tells a share, and inverted tails "
            "elsewhere. So many changes as the column `comparisons` says hold together: each "
            "interval is wider, and each p that many times as large (Bonferroni)."
        )


def _weighted_results(found: Weighting | str) -> Iterator[str]:
    if isinstance(found, str):
        yield from [f"Nothing is weighted: {plain(found)}."] if found else []
        return
    names = " and ".join(f"`{name}`" for name in found.margins)
    how = "raked (Deming and Stephan 1940)" if len(found.margins) > 1 else "post-stratified"
    effects = [
        one.design_effect
        for results in found.results.results
        for question in results.questions
        for item in question.items
        for one in item.shares
        if one.design_effect is not None
    ]
    yield (
        f"`weighted.csv` has estimates of the population: the {found.people:,} people whose "
        f"answers to {names} are published are {how}, so that these have the parts that "
        f"`margins.csv` gives. By their weights they tell as much as {found.effective:,.0f} people "
        "who count alike. The variance of an estimate is that of its linearised contributions, "
        "less what the margins explain by least squares (Deville and Särndal 1992), and no less "
        "than the noise alone gives. Its design effect is this over the variance of as many people "
        f"who count alike, {min(effects, default=1):.2f} to {max(effects, default=1):.2f} for "
        "shares. The intervals are those of the number of people who count alike and tell as much "
        "(Korn and Graubard 1998): Clopper and Pearson's where one proportion tells a share, and "
        "inverted tails elsewhere. Changes between waves are of the population too."
    )


def _kinds_of_results(material: Material) -> list[str]:
    """Return the kinds of estimates and intervals in the results, sorted."""
    found = {name for _, results in material.each() for name in _kinds(results)}
    if material.results.changes:
        found.add("change")
    return sorted(found)


def _kinds(results: Results) -> Iterator[str]:
    for question in results.questions:
        for item in question.items:
            yield from item.methods
            yield from item.applicable_methods
            if item.mean is not None and item.mean.estimate is not None:
                yield "mean"
                yield item.mean.method or "tail"
            if item.applicable:
                yield "applies"


def _references(material: Material) -> list[str]:
    survey = material.survey
    found = {"aitken", *_kinds_of_results(material)}
    if material.weights is not None:
        found |= {"raked", "calibrated", "effective"}
    if survey.randomised:
        found |= {"dwork", "kasiviswanathan"}
        if any(len(item.truths) == 2 for item in survey.randomised):
            found.add("warner")
    found.add(survey.in_waves("waves"))
    return [_REFERENCES[name] for name in found & _REFERENCES.keys()]
