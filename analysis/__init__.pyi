from deniable.analysis import (
    audit as audit,
    control as control,
    planning as planning,
    privacy as privacy,
    sampling as sampling,
)
from deniable.analysis.counts.data_file import (
    ReportColumn as ReportColumn,
    code_reports as code_reports,
)
from deniable.analysis.counts.reports_csv import (
    csv_of as csv_of,
    read_reports as read_reports,
)
from deniable.analysis.counts.tally import (
    Tally as Tally,
    count_reports as count_reports,
    count_waves as count_waves,
)
from deniable.analysis.design_test import Contradiction as Contradiction
from deniable.analysis.estimation import Estimate as Estimate, estimate as estimate
from deniable.analysis.intervals.coverage import (
    Coverage as Coverage,
    exact_coverage as exact_coverage,
    least_coverage as least_coverage,
)
from deniable.analysis.joint.association import (
    ChiSquareTest as ChiSquareTest,
    homogeneity as homogeneity,
    independence as independence,
)
from deniable.analysis.joint.correlations import (
    Correlation as Correlation,
    CorrelationMatrix as CorrelationMatrix,
    correlation as correlation,
    correlation_matrix as correlation_matrix,
)
from deniable.analysis.joint.groups import (
    Difference as Difference,
    Pairwise as Pairwise,
    adjust as adjust,
    difference as difference,
    pairwise as pairwise,
)
from deniable.analysis.joint.ratios import (
    Ratio as Ratio,
    odds_ratio as odds_ratio,
    ratio as ratio,
)
from deniable.analysis.joint.tables import (
    Crosstab as Crosstab,
    crosstab as crosstab,
)
from deniable.analysis.joint.counting import joint_counts as joint_counts
from deniable.analysis.likelihood import ProfileRefused as ProfileRefused
from deniable.analysis.means import (
    applicable_shares as applicable_shares,
    estimate_mean as estimate_mean,
    mean_is_identifiable as mean_is_identifiable,
)
from deniable.analysis.noncompliance import (
    Corrected as Corrected,
    compliance as compliance,
    corrected as corrected,
)
from deniable.analysis.sensitivity_curve import (
    Sensitivity as Sensitivity,
    always as always,
    contaminated as contaminated,
    sensitivity as sensitivity,
)
from deniable.analysis.numerics.convergence import (
    ConvergenceError as ConvergenceError,
    ConvergenceWarning as ConvergenceWarning,
)
from deniable.analysis.privacy.disclosure import hidden_cells as hidden_cells
from deniable.analysis.privacy.poisoning import Poisoning as Poisoning, poisoning as poisoning
from deniable.analysis.regression.binary import regress as regress
from deniable.analysis.regression.fit import (
    Fit as Fit,
    MultinomialFit as MultinomialFit,
)
from deniable.analysis.regression.formula import regress_formula as regress_formula
from deniable.analysis.regression.formula import regress_mean_formula as regress_mean_formula
from deniable.analysis.regression.formula import regress_mixed_formula as regress_mixed_formula
from deniable.analysis.regression.formula import regress_on_formula as regress_on_formula
from deniable.analysis.regression.linear import regress_mean as regress_mean
from deniable.analysis.regression.links import LINKS as LINKS
from deniable.analysis.regression.mixed import MixedFit as MixedFit, regress_mixed as regress_mixed
from deniable.analysis.regression.multinomial import regress_multinomial as regress_multinomial
from deniable.analysis.regression.predictors import (
    PredictorFit as PredictorFit,
    regress_on_randomised as regress_on_randomised,
)
from deniable.analysis.findings import (
    Change as Change,
    Mean as Mean,
    Share as Share,
)
from deniable.analysis.results import (
    Doubt as Doubt,
    ItemResults as ItemResults,
    QuestionResults as QuestionResults,
    Results as Results,
    Verdict as Verdict,
    summarise as summarise,
    verdict as verdict,
)
from deniable.analysis.waves import Waves as Waves, summarise_waves as summarise_waves
