"""Several groups or several items: differences, tests, joint tables, correlations.

======================  ===========================================================================
`groups`                differences of shares, of two groups or of every two
`ratios`                ratios and odds ratios of the shares in two groups
`association`           chi-square tests of homogeneity and independence
`tables`                joint tables of several items
`joint_likelihood`      the most likely joint table, with a certificate
`correlations`          covariances and correlations of items
`correlation_interval`  the correlations that joint reports do not contradict
======================  ===========================================================================
"""

from typing import TYPE_CHECKING

from deniable.doors import door

if TYPE_CHECKING:
    from deniable.analysis.joint.association import (
        ChiSquareTest,
        homogeneity,
        independence,
    )
    from deniable.analysis.joint.correlations import (
        Correlation,
        CorrelationMatrix,
        correlation,
        correlation_matrix,
    )
    from deniable.analysis.joint.groups import (
        Difference,
        Pairwise,
        adjust,
        difference,
        pairwise,
    )
    from deniable.analysis.joint.ratios import (
        OddsRatio,
        Ratio,
        odds_ratio,
        ratio,
    )
    from deniable.analysis.joint.tables import (
        Conditional,
        Crosstab,
        crosstab,
        joint_counts,
    )
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "ChiSquareTest",
    "Conditional",
    "Correlation",
    "CorrelationMatrix",
    "Crosstab",
    "Difference",
    "OddsRatio",
    "Pairwise",
    "Ratio",
    "adjust",
    "correlation",
    "correlation_matrix",
    "crosstab",
    "difference",
    "homogeneity",
    "independence",
    "joint_counts",
    "odds_ratio",
    "pairwise",
    "ratio",
]
