"""Regression with a randomised response: what the truth depends on, from reports alone.

`regress` takes a yes-or-no truth, `regress_multinomial` one of k answers, both from arrays;
`regress_formula` takes either, from a data frame and a formula. Their results, `Fit` and
`MultinomialFit`, are asked for covariances, intervals, tests, predictions and goodness of fit.
"""

from __future__ import annotations

from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.formula import regress_formula
from deniable.analysis.regression.links import LINKS
from deniable.analysis.regression.multinomial import regress_multinomial

__all__ = [
    "LINKS",
    "Fit",
    "MultinomialFit",
    "regress",
    "regress_formula",
    "regress_multinomial",
]
