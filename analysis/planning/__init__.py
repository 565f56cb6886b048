"""Before anybody is asked: widths, power, the price of privacy, and how to spend ε.

====================  ===========================================================================
`widths`              how wide an interval to expect, and sample sizes for a width
`power`               power of a test and sample sizes for it, exact where counts are binomial
`significance`        which results a planned test calls significant
`efficiency`          the design effect: what privacy costs in respondents
`budgets`             how precise each question of a survey will be
`spending`            the same survey with its ε spent otherwise
`advice`              what a researcher is told of a survey before anybody answers it
====================  ===========================================================================
"""

from typing import TYPE_CHECKING

from deniable.doors import door

if TYPE_CHECKING:
    from deniable.analysis.planning.budgets import (
        Precision,
        precision,
    )
    from deniable.analysis.planning.efficiency import (
        PrivacyPrice,
        design_effect,
        mean_design_effect,
        price_of_privacy,
    )
    from deniable.analysis.planning.power import (
        Power,
        power_one_share,
        power_two_groups,
        sample_size_one_share,
        sample_size_two_groups,
    )
    from deniable.analysis.planning.significance import (
        PlannedTest,
    )
    from deniable.analysis.planning.spending import (
        Spend,
        coin_questions,
        families,
        redesign,
    )
    from deniable.analysis.planning.widths import (
        expected_half_width,
        expected_sample_size,
        half_width,
        mean_half_width,
        mean_sample_size,
        sample_size,
    )
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "PlannedTest",
    "Power",
    "Precision",
    "PrivacyPrice",
    "Spend",
    "coin_questions",
    "design_effect",
    "expected_half_width",
    "expected_sample_size",
    "families",
    "half_width",
    "mean_design_effect",
    "mean_half_width",
    "mean_sample_size",
    "power_one_share",
    "power_two_groups",
    "precision",
    "price_of_privacy",
    "redesign",
    "sample_size",
    "sample_size_one_share",
    "sample_size_two_groups",
]
