"""Regression with designs of several arms, whose nuisance is estimated with the coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.columns import named
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression import design, goodness, prediction
from deniable.analysis.regression.fit import Fit
from deniable.analysis.regression.formulas import reader
from deniable.analysis.regression.formulas.reader import Formula
from deniable.analysis.regression.formulas.table import NO_ROWS, table_of
from deniable.analysis.regression.links import find_link
from deniable.analysis.regression.searching import greatest
from deniable.reanalysis.designs import Arms
from deniable.reanalysis.likelihood import ArmsLikelihood, Nested
from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd

# Singular values below this, relative to the greatest, are no information: weights are multiples of
# 2^-32, which turns an exact linear dependence into a singular value of about 1e-10.
_NO_INFORMATION: Final = 1e-8


@dataclass(frozen=True, eq=False)
class ArmsFit(Fit):
    """A regression of a trait with a design of several arms.

    Made by `regress_arms` and `regress_arms_formula`. The ``coefficients`` are those of the trait
    and then those of the nuisance, shape (df,), in the order of ``terms``.

    `link`: of the trait. The nuisance has the logit link.
    """

    likelihood: ArmsLikelihood = field(repr=False)
    arms: Arms = field(kw_only=True, repr=False)

    @cached_property
    def null_log_likelihood(self) -> float:
        """The greatest log-likelihood of a model with intercepts only."""
        rows, predictors = len(self.likelihood.reports), len(self.likelihood.uses)
        uses = np.ones((predictors, 1), dtype=np.bool_)
        return greatest(replace(self.likelihood, X=np.ones((rows, 1)), uses=uses)).log_likelihood

    @property
    def terms(self) -> tuple[str, ...]:
        """Name of each coefficient, in the order of `covariance`.

        A covariate of the trait by its name; a covariate of the nuisance with the nuisance's name
        before.
        """
        return tuple(
            f"{self.arms.splits[split].name}: {self.names[column]}" if split else self.names[column]
            for split, column in self.likelihood.places
        )

    def _impossible_share(self) -> str:
        return ""

    def _likelihood_without(self, name: str) -> ArmsLikelihood:
        kept = self.likelihood.uses.copy()
        kept[self.likelihood.uses] = np.array(self.terms) != name
        left = kept.any(axis=0)
        return replace(self.likelihood, X=self.likelihood.X[:, left], uses=kept[:, left])

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        return (self.df,)

    def _truth(self, truth: int) -> str:
        return self.arms.classes[truth]

    def goodness_of_fit(self, groups: int = 10) -> goodness.GoodnessOfFit:
        """See `Regression.goodness_of_fit`; arms differ in their reports."""
        self._needs_likelihood("goodness of fit")
        # The arm is one more column by which people differ; no linear predictor uses it.
        patterns = np.column_stack([self.likelihood.X, self.likelihood.arm])
        at = replace(self.maximum.at, likelihood=replace(self.likelihood, X=patterns))
        return goodness.goodness_of_fit(at, self.df, groups)

    def split(self, name: str, X: Any = None, *, kind: str | None = None) -> prediction.Prediction:
        """Predict the probability of a yes to one of the questions that lead to the classes.

        Parameters
        ----------
        name : str
            Name of a split of `arms`, such as ``"truthful among carriers"``.
        X, kind
            See `predict`; the covariates of trait and nuisance, in the order of ``names``.

        Returns
        -------
        Prediction
            Of shape (rows,).

        Examples
        --------
        >>> import numpy as np
        >>> from deniable.reanalysis.designs import stochastic_lie_detector
        >>> detector = stochastic_lie_detector(truth=["1/5", "4/5"])
        >>> reports, arm = np.repeat([0, 1, 0, 1], [30, 70, 50, 50]), np.repeat([0, 1], 100)
        >>> fit = regress_arms(reports, np.ones((200, 1)), detector, arm=arm)
        >>> truthful = fit.split("truthful among carriers", [[1]])
        >>> truthful.theta.round(3), truthful.standard_error.round(3)
        (array([0.65]), array([0.055]))
        """
        known = [split.name for split in self.arms.splits]
        if name not in known:
            raise ValueError(f"expected one of {', '.join(known)}, found {name!r}")
        question = known.index(name)
        link = find_link(self.link if question == 0 else "logit")
        return prediction.predict_answer(
            self.maximum, question, link, self._new_covariates(X), self._covariance(kind)
        )


def regress_arms(  # noqa: PLR0913  what is fitted, and how it is called
    reports: npt.ArrayLike,
    X: npt.ArrayLike,
    arms: Arms,
    *,
    arm: npt.ArrayLike,
    nuisance: npt.ArrayLike | None = None,
    link: str = "logit",
    names: Sequence[str] | None = None,
    nuisance_names: Sequence[str] | None = None,
) -> ArmsFit:
    """Regress a sensitive trait on covariates if the design has a nuisance.

    Parameters
    ----------
    arm : array_like of int, shape (n,)
        Index of each respondent's arm.
    nuisance : array_like of float, shape (n, q), optional
        Covariates of the nuisance (who lies, who cheats), exactly as they enter. By default a
        column of ones: the nuisance is the same for everybody.
    link : {"logit", "probit", "cloglog", "cauchit"}
        Link of the trait; the nuisance has the logit.
    names, nuisance_names : sequence of str, optional
        Of the columns of `X` and of `nuisance`. By default ``intercept`` for ones, and ``x0``,
        ``x1``, … or ``w0``, ``w1``, …. A column of `nuisance` that equals a column of `X` is the
        same covariate, with its name.

    Returns
    -------
    ArmsFit
        Its ``coefficients``, shape (df,), belong to its ``terms``: first those of the trait, then
        those of the nuisance, on the logit scale.

    Notes
    -----
    Two yes-or-no questions lead to the latent classes (`Arms.splits`), each with its own
    probability: F(z beta) for the first, the trait, and the logistic G(w delta) for the second, the
    nuisance. A respondent of arm i says yes with probability

    * ``F G + (1 - F) (1 - p_i)`` in the stochastic lie detector: F is the share of carriers, G how
      many of them tell the truth, called t;
    * ``(1 - G) (F (1 - r_i) + (1 - F) p_i)`` in the cheating detection models with forced yes p_i
      and forced no r_i: G is the share of cheaters, F that of an honest yes *among the honest*;
    * ``p_i F + (1 - p_i) G`` for an unrelated question of unknown rate G.

    The effects on trait and nuisance are identifiable because the arms differ; the assumptions are
    random arms, and the form of F and G.

    With RRreg's ``RRlog`` the stochastic lie detector has the same likelihood, and the unrelated
    question too; its group 0 is the arm ``arms.with_direct_question("carrier")``. The coefficient
    of RRreg's t is on the probability scale: here it is `ArmsFit.split`, with the same standard
    error (with ``kind="observed"``). Cheating detection cannot be compared: the likelihood of RRreg
    0.7.6 sets its gamma to 0, whatever value it prints.

    References
    ----------
    Moshagen, M., Musch, J. and Erdfelder, E. (2012). A stochastic lie detector. Behavior Research
    Methods 44, 222-231. Clark, S. J. and Desharnais, R. A. (1998). Honest answers to embarrassing
    questions: detecting cheating in the randomized response model. Psychological Methods 3,
    160-168. van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R. (2007). The logistic
    regression model with response variables subject to randomized response. Computational
    Statistics and Data Analysis 51, 6060-6069. Heck, D. W. and Moshagen, M. (2018). RRreg: An R
    package for correlation and regression analyses of randomized response data. Journal of
    Statistical Software 85 (2), section 3.2: with a nuisance.

    Examples
    --------
    >>> import numpy as np
    >>> from deniable.reanalysis.designs import stochastic_lie_detector
    >>> reports = np.repeat([0, 1] * 4, [130, 170, 160, 140, 110, 190, 130, 170])
    >>> arm = np.repeat([0, 1, 0, 1], 300)
    >>> X = np.column_stack([np.ones(1200), np.repeat([0, 1], 600)])
    >>> detector = stochastic_lie_detector(truth=["1/5", "4/5"])
    >>> fit = regress_arms(reports, X, detector, arm=arm, names=["one", "older"])
    >>> fit.terms
    ('one', 'older', 'truthful among carriers: one')
    >>> fit.coefficients.round(3), fit.standard_error().round(3)
    (array([1.421, 0.958, 0.283]), array([0.424, 0.95 , 0.069]))
    """
    if not arms.splits:
        raise ValueError(
            "expected arms with splits, the questions that lead to their latent classes, found none"
        )
    own, own_names = design.covariates_of(X, reports, names)
    other = np.ones((len(own), 1)) if nuisance is None else nuisance
    further, further_names = design.covariates_of(other, reports, nuisance_names, default="w")
    covariates, all_names, uses = _together(own, own_names, further, further_names, arms)
    if len(own) < uses.sum():
        raise ValueError(
            f"expected at least {uses.sum()} respondents, one for each coefficient, "
            f"found {len(own)}"
        )
    links = (find_link(link), *(find_link("logit") for _ in arms.splits[1:]))
    shares = np.array([share.classes for share in arms.shares], dtype=np.float64)
    model = Nested(links, _answers(arms), shares)
    came, of_arm, tables = _checked_reports(reports, arm, arms, len(covariates))
    likelihood = ArmsLikelihood(
        *(model, covariates, came, tables[0], np.ones(len(covariates))),
        tables=tables,
        arm=of_arm,
        uses=uses,
    )
    _check_identified(likelihood, arms)
    return ArmsFit(
        likelihood=likelihood,
        maximum=greatest(likelihood),
        names=all_names,
        arms=arms,
        link=link,
    )


def _checked_reports(
    reports: npt.ArrayLike, arm: npt.ArrayLike, arms: Arms, n: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], FloatArray]:
    """Return the reports, the arms and the channels' tables for `ArmsLikelihood`."""
    came, of_arm = (
        design.checked_integers(values, what, n)
        for values, what in ((reports, "reports"), (arm, "arms"))
    )
    design.check_range(of_arm, len(arms.channels), "an arm")
    limits = np.array([channel.reports for channel in arms.channels])
    design.check_range(came, limits[of_arm], "a report")
    tables = np.zeros((len(arms.channels), len(arms.classes), limits.max()))
    for index, channel in enumerate(arms.channels):
        tables[index, :, : channel.reports] = channel.probabilities
    design.check_sendable(came, np.asarray(tables.any(axis=1))[of_arm, came])
    return came, of_arm, tables


def regress_arms_formula(
    formula: str | Formula,
    frame: pd.DataFrame,
    arms: Arms,
    *,
    arm: str,
    nuisance: str | Formula = "~ 1",
    link: str = "logit",
) -> ArmsFit:
    """Regress a trait as `regress_arms` does, by formulas on a data frame.

    Parameters
    ----------
    formula : str
        As for `deniable.analysis.regress_formula`; the response holds the numbers of reports.
    frame : pandas.DataFrame
        One row per respondent. Rows with a missing value in use are left out, and counted in
        ``dropped``.
    arm : str
        The column with the number of each respondent's arm.
    nuisance : str
        Covariates of the nuisance, such as ``"~ age"``. By default it is the same for everybody.
    """
    frame, arm = named(frame), composed(arm)
    names = [*frame.columns]
    trait = reader.read(formula, names, outside=[arm]) if isinstance(formula, str) else formula
    outside = [trait.response, arm]
    if isinstance(nuisance, str):
        nuisance = reader.read(nuisance, names, outside=outside, one_sided=True)
    numbered = frame.reset_index(drop=True)
    there = numbered[numbered[outside].notna().all(axis=1)]
    tables = [table_of(one, there) for one in (trait, nuisance)]
    rows = np.intersect1d(tables[0].rows, tables[1].rows)
    if not len(rows):
        raise ValueError(NO_ROWS)
    X, W = (table.values[np.isin(table.rows, rows)] for table in tables)
    reports, of_arm = numbered.loc[rows, outside].to_numpy(dtype=np.int64).T
    fit = regress_arms(
        reports,
        X,
        arms,
        arm=of_arm,
        nuisance=W,
        link=link,
        names=tables[0].names,
        nuisance_names=tables[1].names,
    )

    def columns(other: Any) -> FloatArray:
        found: dict[str, FloatArray] = {}
        for table in tables:
            found.update(zip(table.names, table.of(other).T, strict=True))
        return np.column_stack([found[name] for name in fit.names])

    dropped = len(frame) - len(rows)
    return replace(fit, dropped=dropped, formula=trait.written, rows=rows, columns=columns)


def _together(
    X: FloatArray,
    names: tuple[str, ...],
    W: FloatArray,
    nuisance_names: tuple[str, ...],
    arms: Arms,
) -> tuple[FloatArray, tuple[str, ...], npt.NDArray[np.bool_]]:
    """Return all covariates once, their names, and which of them enter each linear predictor."""
    columns, all_names = list(X.T), list(names)
    entered = np.zeros(X.shape[1] + W.shape[1], dtype=np.bool_)
    for column, name in zip(W.T, nuisance_names, strict=True):
        same = [index for index, known in enumerate(columns) if np.array_equal(known, column)]
        if not same:
            if name in all_names:
                raise ValueError(
                    f"expected names that differ, found {name} for a covariate of the trait and "
                    "for another one of the nuisance"
                )
            same = [len(columns)]
            columns.append(column)
            all_names.append(name)
        entered[same[0]] = True
    uses = np.zeros((len(arms.splits), len(columns)), dtype=np.bool_)
    uses[0, : X.shape[1]] = True
    uses[1:] = entered[: len(columns)]
    return np.column_stack(columns), tuple(all_names), uses


def _answers(arms: Arms) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(split.yes[index] - split.no[index] for split in arms.splits)
        for index in range(len(arms.classes))
    )


def _check_identified(likelihood: ArmsLikelihood, arms: Arms) -> None:
    """Reject arms in which different trait and nuisance send the same reports."""
    found = np.unique(likelihood.arm)
    # At a generic point: where all shares are 1/2, directions may coincide.
    point: FloatArray = 0.3 + 0.4 * np.arange(len(arms.splits), dtype=np.float64)
    truth = likelihood.model.at(point[np.newaxis])
    moves = np.stack(
        [truth.gradient(column)[0] for table in likelihood.tables[found] for column in table.T]
    )
    singular = np.linalg.svd(moves, compute_uv=False)
    if len(singular) < len(arms.splits) or singular[-1] <= _NO_INFORMATION * singular[0]:
        raise ValueError(
            f"the coefficients are not identifiable: expected respondents in arms that tell "
            f"{' from '.join(repr(split.name) for split in arms.splits)}, found those of arm "
            f"{', '.join(map(str, found))}, in which different populations send the same reports"
        )
