"""Where only tallies exist: from counts of reports to rates with intervals.

One door: ``from deniable import analysis as da``, and ``da.estimate``, ``da.crosstab``,
``da.regress`` and all the others are there, loaded when they are asked for; ``da.planning``,
``da.privacy``, ``da.sampling`` and ``da.scrambling`` are rooms of their own.

In the order in which data flows:

====================  ===========================================================================
`counts`              reports counted: what the estimates need of the data
`estimation`          `estimate`: counts and a channel in, an `Estimate` of the shares out
`means`               `estimate_mean`: the same for the mean of a number
`domain_shares`       shares among the people to whom a question applies
`intervals`           confidence intervals: methods, exact, by inversion, always valid; coverage
`likelihood`          maximum likelihood on the simplex, and profile intervals
`design_test`         whether chance explains an estimate that is not possible
`joint`               several groups or items: differences, tests, tables, correlations
`regression`          what the truth depends on, and what depends on the truth
`sampling`            weights, strata, clusters, finite populations
`arms`                designs with an unknown nuisance: several channels, one population
`scrambling`          scrambled numbers that were collected elsewhere
`noncompliance`       when some do not follow the design
`control`             how many followed the instructions, by a control question
`privacy`             what an adversary learns from a report; disclosure; poisoning
`planning`            how many people to ask, and how to spend ε
`audit`               whether a program that randomises keeps its ε, from its own reports
`numerics`            maxima and roots, with certificates
`results`             every estimate of a survey, in the order of its questions
`waves`               the same by wave, and the changes between them
`mean_of_waves`       the mean over waves, with an error that holds whoever answered each time
====================  ===========================================================================

Everything after the tally costs the same whatever the number of respondents, except where
respondents are told apart: regression and samples with weights.
"""

from typing import TYPE_CHECKING

from deniable.doors import door

if TYPE_CHECKING:
    from deniable.analysis import (
        audit,
        control,
        joint,
        numerics,
        planning,
        privacy,
        regression,
        sampling,
        scrambling,
    )
    from deniable.analysis.arms import (
        ArmsEstimate,
        ArmsRatio,
        estimate_arms,
    )
    from deniable.analysis.counts.data_file import (
        ReportColumn,
        code_reports,
        read_columns,
    )
    from deniable.analysis.counts.reports_csv import (
        read_reports,
        write_json_lines,
        write_reports,
    )
    from deniable.analysis.counts.tally import (
        Tally,
        count_reports,
    )
    from deniable.analysis.design_test import (
        Contradiction,
    )
    from deniable.analysis.domain_shares import (
        ApplicableShares,
        applicable_shares,
    )
    from deniable.analysis.estimation import (
        Estimate,
        estimate,
    )
    from deniable.analysis.intervals import proportion
    from deniable.analysis.intervals.coverage import (
        Coverage,
        exact_coverage,
        least_coverage,
    )
    from deniable.analysis.joint import (
        ChiSquareTest,
        Conditional,
        Correlation,
        CorrelationMatrix,
        Crosstab,
        Difference,
        OddsRatio,
        Pairwise,
        Ratio,
        adjust,
        correlation,
        correlation_matrix,
        crosstab,
        difference,
        homogeneity,
        independence,
        joint_counts,
        odds_ratio,
        pairwise,
        ratio,
    )
    from deniable.analysis.likelihood import (
        ProfileRefused,
    )
    from deniable.analysis.means import (
        MeanEstimate,
        estimate_mean,
        mean_is_identifiable,
    )
    from deniable.analysis.noncompliance import (
        Compliance,
        Corrected,
        Sensitivity,
        always,
        compliance,
        contaminated,
        corrected,
        sensitivity,
    )
    from deniable.analysis.numerics import (
        ConvergenceError,
        ConvergenceWarning,
    )
    from deniable.analysis.privacy.disclosure import (
        hidden_cells,
        hide_rare,
    )
    from deniable.analysis.privacy.poisoning import (
        Poisoning,
        poisoning,
    )
    from deniable.analysis.regression import (
        LINKS,
        ArmsFit,
        Fit,
        MultinomialFit,
        PredictorFit,
        regress,
        regress_arms,
        regress_formula,
        regress_multinomial,
        regress_on_randomised,
    )
    from deniable.analysis.results import (
        Doubt,
        ItemResults,
        Mean,
        QuestionResults,
        Results,
        Share,
        Verdict,
        summarise,
        verdict,
    )
    from deniable.analysis.waves import (
        Change,
        Waves,
        count_waves,
        panel_covariance,
        summarise_waves,
    )
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "LINKS",
    "ApplicableShares",
    "ArmsEstimate",
    "ArmsFit",
    "ArmsRatio",
    "Change",
    "ChiSquareTest",
    "Compliance",
    "Conditional",
    "Contradiction",
    "ConvergenceError",
    "ConvergenceWarning",
    "Corrected",
    "Correlation",
    "CorrelationMatrix",
    "Coverage",
    "Crosstab",
    "Difference",
    "Doubt",
    "Estimate",
    "Fit",
    "ItemResults",
    "Mean",
    "MeanEstimate",
    "MultinomialFit",
    "OddsRatio",
    "Pairwise",
    "Poisoning",
    "PredictorFit",
    "ProfileRefused",
    "QuestionResults",
    "Ratio",
    "ReportColumn",
    "Results",
    "Sensitivity",
    "Share",
    "Tally",
    "Verdict",
    "Waves",
    "adjust",
    "always",
    "applicable_shares",
    "audit",
    "code_reports",
    "compliance",
    "contaminated",
    "control",
    "corrected",
    "correlation",
    "correlation_matrix",
    "count_reports",
    "count_waves",
    "crosstab",
    "difference",
    "estimate",
    "estimate_arms",
    "estimate_mean",
    "exact_coverage",
    "hidden_cells",
    "hide_rare",
    "homogeneity",
    "independence",
    "joint",
    "joint_counts",
    "least_coverage",
    "mean_is_identifiable",
    "numerics",
    "odds_ratio",
    "pairwise",
    "panel_covariance",
    "planning",
    "poisoning",
    "privacy",
    "proportion",
    "ratio",
    "read_columns",
    "read_reports",
    "regress",
    "regress_arms",
    "regress_formula",
    "regress_multinomial",
    "regress_on_randomised",
    "regression",
    "sampling",
    "scrambling",
    "sensitivity",
    "summarise",
    "summarise_waves",
    "verdict",
    "write_json_lines",
    "write_reports",
]
