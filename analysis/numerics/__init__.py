"""Maxima and roots that the estimates need, with certificates.

====================  ===========================================================================
`arrays`              the kinds of arrays that annotations name
`levels`              confidence levels, and their normal quantiles
`inverting`           p-values, from intervals at several levels
`convergence`         what it means that a maximum was found
`mixture`             the most likely mixture of given distributions
`roots`               roots of many functions at once, between brackets
====================  ===========================================================================
"""

from typing import TYPE_CHECKING

from deniable.doors import door

if TYPE_CHECKING:
    from deniable.analysis.numerics.convergence import (
        ConvergenceError,
        ConvergenceWarning,
    )
    from deniable.analysis.numerics.mixture import (
        greatest_log_likelihood,
        maximum_likelihood_mixture,
    )
    from deniable.analysis.numerics.roots import (
        bracketed_root,
    )
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "ConvergenceError",
    "ConvergenceWarning",
    "bracketed_root",
    "greatest_log_likelihood",
    "maximum_likelihood_mixture",
]
