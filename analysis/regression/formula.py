"""Regressions written as formulas on data frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from formulaic import model_matrix
from formulaic.errors import FormulaicError

from deniable.analysis.counts.cells import tidied
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.regression import design
from deniable.analysis.regression.arms import regress_arms
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import ArmsFit, Fit, MultinomialFit
from deniable.analysis.regression.linear import LinearFit, regress_mean
from deniable.analysis.regression.mixed import MixedFit, regress_mixed
from deniable.analysis.regression.multinomial import regress_multinomial
from deniable.analysis.regression.predictors import PredictorFit, regress_on_randomised
from deniable.analysis.sampling.design import SamplingDesign
from deniable.channel import Channel
from deniable.designs.arms import Arms
from deniable.report import NOT_ASKED
from deniable.roles import no_then_yes
from deniable.text.near import meant

if TYPE_CHECKING:
    import pandas as pd

_NO_ROWS: Final = "expected rows that have all values of the formula, found none"


def regress_formula(  # noqa: PLR0913  what is fitted, and how it is written
    formula: str,
    frame: pd.DataFrame,
    channel: Channel | Sequence[Channel] | Arms,
    *,
    arm: str | npt.ArrayLike | None = None,
    link: str = "logit",
    codes: Mapping[Any, int] | Sequence[Any] | None = None,
    weights: str | npt.ArrayLike | None = None,
    sample: SamplingDesign | None = None,
    nuisance: str = "~ 1",
    times: IntArray | None = None,
) -> Fit | MultinomialFit | ArmsFit:
    """Regress a randomised item on covariates, as a formula on a data frame says.

    Parameters
    ----------
    formula : str
        ``report ~ terms`` in the notation of R: ``rr.q1 ~ cov.age + C(region) + age:female``. The
        intercept is there unless ``0 +`` takes it away. Names with dots are understood as they are,
        other unusual ones in backticks; ``I((cov.age/10)^2)`` may be written with ``^`` or ``**``.
    frame : pandas.DataFrame
        One row a respondent. A row that misses any value in use is left out, and counted in
        ``dropped``.
    channel : Channel, sequence of Channel, or Arms
        See `regress`. Two truths are fitted by `regress`, more by `regress_multinomial`, a design
        with several arms and a nuisance by `regress_arms`.
    arm : str or array_like of int, shape (rows,), optional
        A column of the frame, or its values: which channel each respondent answered by.
    link : {"logit", "probit", "cloglog", "cauchit"}
        Of two truths, or of the trait; not of more truths.
    codes : mapping or sequence, optional
        How the reports are written in the frame: ``{"no": 0, "yes": 1}`` or ``["no", "yes"]``, in
        the order of the channel's columns. By default they are the numbers 0, 1, … themselves, or
        False and True.
    weights : str or array_like of float, shape (rows,), optional
        A column of the frame, or its values: sampling weights.
    sample : SamplingDesign, optional
        In their place: how the people of all rows were drawn.
    nuisance : str
        Of `Arms` only: what the nuisance depends on, such as ``"~ age"``. By default it is the same
        for everybody.
    times : ndarray of int64, shape (rows,), optional
        How many respondents each row is, without `Arms`; by default one.

    Returns
    -------
    Fit, MultinomialFit or ArmsFit
        Its `predict` takes data frames too.

    Examples
    --------
    >>> import pandas as pd
    >>> from deniable import designs
    >>> frame = pd.DataFrame({"rr.q1": [0, 1, None, 1, 0, 1, 0, 0], "cov.age": range(30, 70, 5)})
    >>> fit = regress_formula("rr.q1 ~ I(cov.age/10)", frame, designs.warner(flip="1/10"))
    >>> fit.names, fit.n, fit.dropped
    (('Intercept', 'I(cov.age / 10)'), 7, 1)
    """
    response, terms = _sides(formula, frame)
    numbered = frame.reset_index(drop=True)
    arms = _values(numbered, arm, "arm")
    _check_arms(channel, arms)
    weighting = _values(numbered, weights if sample is None else sample.weights, "weights")
    given = numbered[response].notna().to_numpy() & _known(arms) & _known(weighting)
    matrix = _matrix(formula, terms, numbered[given])
    specifications = [matrix.model_spec]
    if isinstance(channel, Arms):
        further = _matrix(nuisance, _terms(nuisance, frame), numbered[given])
        specifications.append(further.model_spec)
        rows = matrix.index.intersection(further.index).to_numpy()
        further = further.loc[rows]
    else:
        rows, further = matrix.index.to_numpy(), None
    if not len(rows):
        raise ValueError(_NO_ROWS)
    reports = _reports(numbered[response].iloc[rows], codes)
    options: dict[str, Any] = {
        "arm": None if arms is None else _arms(arms[rows]),
        "names": _column_names(matrix),
        "weights": None if weighting is None else weighting[rows],
    }
    covariates = matrix.loc[rows].to_numpy(dtype=np.float64)
    fit: Fit | MultinomialFit | ArmsFit
    if isinstance(channel, Arms):
        fit = regress_arms(
            reports,
            covariates,
            channel,
            nuisance=further.to_numpy(dtype=np.float64),
            nuisance_names=_column_names(further),
            link=link,
            **options,
        )
    else:
        options["times"] = None if times is None else times[rows]
        fit = _without_arms(reports, covariates, channel, codes, link, options)
    return replace(
        fit,
        dropped=len(frame) - len(rows),
        formula=formula,
        rows=rows,
        columns=_columns(specifications, fit.names),
        sample=sample,
    )


def regress_mean_formula(
    formula: str,
    frame: pd.DataFrame,
    channel: Channel,
    values: npt.ArrayLike,
    *,
    sample: SamplingDesign | None = None,
    times: IntArray | None = None,
) -> LinearFit:
    """Regress a number on covariates as `regress_mean` does, and as a formula says.

    Parameters
    ----------
    formula, frame
        As for `regress_formula`; the response holds the reports' numbers.
    channel, values
        As for `regress_mean`.
    sample : SamplingDesign, optional
        How the people of all rows were drawn.
    times : ndarray of int64, shape (rows,), optional
        As for `regress_formula`.
    """
    response, terms = _sides(formula, frame)
    numbered = frame.reset_index(drop=True)
    given = numbered[response].notna().to_numpy()
    matrix = _matrix(formula, terms, numbered[given])
    rows = matrix.index.to_numpy()
    fit = regress_mean(
        _reports(numbered[response].iloc[rows], None),
        matrix.to_numpy(dtype=np.float64),
        channel,
        values,
        names=_column_names(matrix),
        sample=sample,
        rows=rows,
        times=None if times is None else times[rows],
    )
    return replace(fit, dropped=len(frame) - len(rows), formula=formula)


def regress_mixed_formula(
    formula: str,
    frame: pd.DataFrame,
    channel: Channel | Sequence[Channel],
    within: str,
    *,
    arm: str | None = None,
    link: str = "logit",
    codes: Mapping[Any, int] | Sequence[Any] | None = None,
) -> MixedFit:
    """Regress with a random intercept for each group as `regress_mixed` does, by a formula.

    Parameters
    ----------
    formula, frame, channel, arm, link, codes
        As for `regress_formula`.
    within : str
        The column of the frame that says in which group each respondent is.
    """
    response, terms = _sides(formula, frame)
    check_group(within, response, formula.partition("~")[2], [str(name) for name in frame.columns])
    numbered = frame.reset_index(drop=True)
    given = (numbered[response].notna() & numbered[within].notna()).to_numpy()
    arms = _values(numbered, arm, "arm")
    if arms is not None:
        given = given & ~np.isnan(arms)
    matrix = _matrix(formula, terms, numbered[given])
    rows = matrix.index.to_numpy()
    channels = design.checked_channels(channel)
    fit = regress_mixed(
        _reports(numbered[response].iloc[rows], codes),
        matrix.to_numpy(dtype=np.float64),
        channels,
        numbered[within].iloc[rows].astype(str).to_numpy(dtype=np.str_),
        arm=None if arms is None else _arms(arms[rows]),
        link=link,
        names=_column_names(matrix),
        answers=_answers(codes, channels[0]),
    )
    return replace(fit, dropped=len(frame) - len(rows), formula=formula, within=within)


def regress_on_formula(
    formula: str,
    frame: pd.DataFrame,
    predictors: Mapping[str, tuple[Channel, Sequence[str]]],
    *,
    outcome: str = "linear",
) -> PredictorFit:
    """Regress a known outcome on randomised items as `regress_on_randomised` does, by a formula.

    Parameters
    ----------
    formula, frame
        As for `regress_formula`; the outcome stands on the left, in numbers.
    predictors : dict of (str: (Channel, sequence of str))
        Of each randomised column, which holds the numbers of reports, the channel and the names of
        the truths. It stands by itself between plus signs.
    outcome : {"linear", "logistic"}
    """
    outcomes, terms = _sides(formula, frame)
    pieces = [piece.strip() for piece in terms.split("+")]
    on = [name for name in predictors if {name, f"`{name}`"} & {*pieces}]
    rest = " + ".join(piece for piece in pieces if piece.strip("`") not in on) or "1"
    inside = [name for name in predictors if _names(name, rest)]
    if inside:
        raise ValueError(
            f"{inside[0]!r} was randomised: expected it by itself between plus signs, such as "
            f"{outcomes} ~ {inside[0]} + age, found it within {rest!r}"
        )
    numbered = frame.reset_index(drop=True)
    matrix = _matrix(formula, rest, numbered[numbered[outcomes].notna()])
    rows = matrix.index.to_numpy()
    reports = numbered.loc[rows, on].fillna(NOT_ASKED).to_numpy(dtype=np.int64)
    fit = regress_on_randomised(
        numbered[outcomes].iloc[rows].to_numpy(dtype=np.float64),
        reports,
        [predictors[name][0] for name in on],
        matrix.to_numpy(dtype=np.float64),
        outcome=outcome,
        names=[
            *_column_names(matrix),
            *(f"{name}[T.{truth}]" for name in on for truth in predictors[name][1][1:]),
        ],
    )
    return replace(fit, dropped=len(frame) - len(rows), formula=formula)


def _names(name: str, terms: str) -> bool:
    """Tell whether terms hold a name."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.(])", terms) is not None


def check_group(within: str, response: str, terms: str, known: Sequence[str]) -> None:
    """Check that a column can be the group of random intercepts."""
    if within == response:
        raise ValueError(f"expected groups other than the outcome, found {within!r} as both")
    if _names(within, terms):
        raise ValueError(
            f"expected groups that are no term of the formula, found {within!r} as both: a term "
            "for each group leaves no variance between them"
        )
    if within not in known:
        raise ValueError(f"there is no column {within!r} to group by; {meant(within, known)}")


def _known(values: FloatArray | None) -> npt.NDArray[np.bool_]:
    """Return whose value is known: of everybody, where none is needed."""
    return np.ones(1, dtype=np.bool_) if values is None else ~np.isnan(values)


def _check_arms(channel: Channel | Sequence[Channel] | Arms, arms: npt.NDArray[Any] | None) -> None:
    if isinstance(channel, Arms) and arms is None:
        raise ValueError(
            f"expected arm=, in which of the {len(channel.channels)} arms each respondent was, "
            "found None"
        )


def _without_arms(
    reports: npt.NDArray[Any],
    covariates: npt.NDArray[np.float64],
    channel: Channel | Sequence[Channel],
    codes: Mapping[Any, int] | Sequence[Any] | None,
    link: str,
    options: dict[str, Any],
) -> Fit | MultinomialFit:
    channels = design.checked_channels(channel)
    if channels[0].truths == 2:
        return regress(reports, covariates, channels, link=link, **options)
    if link != "logit":
        raise ValueError(f"expected the link logit for more than two truths, found {link!r}")
    answers = _answers(codes, channels[0])
    return regress_multinomial(reports, covariates, channels, answers=answers, **options)


def sides_of(formula: str) -> tuple[str, str]:
    """Return the response's name and the terms."""
    left, _, right = formula.partition("~")
    response = left.strip().strip("`")
    if not response or not right.strip():
        raise ValueError(f"expected a formula such as 'report ~ age + female', found {formula!r}")
    return response, right


def _sides(formula: str, frame: pd.DataFrame) -> tuple[str, str]:
    """Return the response's name and the terms in formulaic's notation."""
    response, right = sides_of(formula)
    if response not in frame.columns:
        raise ValueError(
            f"expected a column of the data to the left of ~, found {response!r}; "
            f"there are {', '.join(map(str, frame.columns))}"
        )
    return response, _in_notation(right, frame)


def _terms(nuisance: str, frame: pd.DataFrame) -> str:
    """Return the terms of a formula without a response in formulaic's notation."""
    left, tilde, right = nuisance.partition("~")
    if left.strip() or not tilde or not right.strip():
        raise ValueError(f"expected nuisance to be a formula such as '~ age', found {nuisance!r}")
    return _in_notation(right, frame)


def _in_notation(right: str, frame: pd.DataFrame) -> str:
    """Write the right side of a formula as formulaic reads it."""
    dotted = [
        re.escape(name) for name in map(str, frame.columns) if re.fullmatch(r"[\w.]*\.[\w.]*", name)
    ]
    # Python would take the dot of cov.age for an attribute, and formulaic a backtick for a name.
    names = re.compile(rf"(?<![\w.])(?:{'|'.join(dotted)})(?![\w.(])") if dotted else None
    pieces = right.split("`")
    for index in range(0, len(pieces), 2):  # what is between backticks already, stays
        piece = pieces[index].replace("^", "**")
        pieces[index] = names.sub(r"`\g<0>`", piece) if names else piece
    return "`".join(pieces)


def _matrix(formula: str, terms: str, frame: pd.DataFrame) -> Any:
    """Return the covariates of the rows that miss none of them."""
    frame = tidied(frame, terms)
    try:
        made = model_matrix(terms, frame, context={}, na_action="drop", output="pandas")
    except FormulaicError as mistake:
        raise ValueError(f"the formula {formula!r}: {mistake}") from None
    except SyntaxError:  # of what stands in a call, such as I(a:b), which is read as Python
        raise ValueError(f"the formula {formula!r}: a call in it cannot be read") from None
    if not len(made):
        raise ValueError(_NO_ROWS)
    return made


def _column_names(matrix: Any) -> list[str]:
    return [str(name).replace("`", "") for name in matrix.columns]


def _values(frame: pd.DataFrame, given: str | npt.ArrayLike | None, what: str) -> FloatArray | None:
    """Return a column of the frame, or the values in its place, as floats."""
    if given is None:
        return None
    if isinstance(given, str):
        if given not in frame.columns:
            raise ValueError(f"expected {what} to be a column of the data, found {given!r}")
        values = frame[given].to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.asarray(given, dtype=np.float64)
    if values.shape != (len(frame),):
        raise ValueError(
            f"expected {len(frame)} values of {what}, one for each row, "
            f"found an array of shape {values.shape}"
        )
    return values


def _arms(values: FloatArray) -> npt.NDArray[np.int64]:
    if (values != np.floor(values)).any():
        raise ValueError("expected arms that are integers, found some that are not")
    return values.astype(np.int64)


def _reports(
    column: pd.Series[Any], codes: Mapping[Any, int] | Sequence[Any] | None
) -> npt.NDArray[np.int64]:
    """Return the reports of a column without missing values."""
    values = column.tolist()
    if codes is None:
        try:
            numbers = np.array([float(value) for value in values])
        except (TypeError, ValueError):
            numbers = np.full(1, np.nan)
        if not (numbers == np.floor(numbers)).all():
            raise ValueError(
                "expected reports that are the numbers 0, 1, …, or codes= that says how they are "
                f"written, found {', '.join(map(repr, sorted(set(map(str, values)))[:5]))}"
            )
        return numbers.astype(np.int64)
    report_of: Mapping[Hashable, int] = (
        codes
        if isinstance(codes, Mapping)
        else {code: index for index, code in enumerate(no_then_yes([*codes]))}
    )
    unknown = [value for value in values if value not in report_of]
    if unknown:
        raise ValueError(
            f"expected reports of {', '.join(map(repr, report_of))}, found {unknown[0]!r}"
        )
    return np.array([report_of[value] for value in values], dtype=np.int64)


def _answers(codes: Mapping[Any, int] | Sequence[Any] | None, channel: Channel) -> list[str] | None:
    """Return the truths' names, if the channel's truths and reports are the same answers."""
    if codes is None or len(codes) != channel.truths or channel.reports != channel.truths:
        return None
    ordered = (
        sorted(codes, key=codes.__getitem__)
        if isinstance(codes, Mapping)
        else no_then_yes([*codes])
    )
    return [str(code) for code in ordered]


def _columns(specifications: Sequence[Any], names: Sequence[str]) -> Callable[[Any], FloatArray]:
    """Return the function that makes the covariates of these names of another data frame."""

    def covariates(frame: Any) -> FloatArray:
        found: dict[str, FloatArray] = {}
        for specification in specifications:
            try:
                matrix = specification.get_model_matrix(frame, context={}, na_action="raise")
            except (FormulaicError, ValueError) as mistake:
                raise ValueError(f"the data to predict for: {mistake}") from None
            values = matrix.to_numpy(dtype=np.float64)
            found.update(zip(_column_names(matrix), values.T, strict=True))
        return np.column_stack([found[name] for name in names])

    return covariates
