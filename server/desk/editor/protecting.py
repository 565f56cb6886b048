"""The form's edits of how answers are protected."""

import math
from bisect import bisect_left
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from deniable import designs, exact
from deniable.analysis.planning.budgets import measure_of, precision
from deniable.server.desk.editor.fields import MARGINS
from deniable.server.desk.editor.form import beginning
from deniable.server.desk.editor.lint import Checked, points
from deniable.server.desk.editor.lint_worker import the_searcher
from deniable.server.desk.editor.spoken import answers_of, questions_of
from deniable.survey_file import read
from deniable.survey_file.located import Path
from deniable.survey_file.patch import Editable, at
from deniable.survey_file.rules import OFFERING_YES_NO
from deniable.text.wording import reach

_OWN: Final = ("flip", "design", "weight")
"""Keys that an ε of a question's own replaces."""

OTHERWISE: Final = ("epsilon", "flip", "weight", "family", "levels")
"""Keys that a design replaces."""

_NOT_DIRECT: Final = ("epsilon", *_OWN, "family", "levels", "ask", "style", "statements")

_LEAST, _STEP, _STEPS = 0.05, 1.02, 233
"""The grid for the search of a question's own ε: the least, the factor, the number (up to 5)."""

_MARK: Final = "5.04321"
"""A placeholder: an ε above the grid that nobody writes."""


def protect(file: Editable, edit: Mapping[str, Any], checked: Checked) -> None:
    """Write a question's protection: its own ε (others keep theirs), randomised, or direct."""
    number, wanted = int(edit["number"]), str(edit["value"])
    place: Path = ("questions", number)
    if wanted == "direct":
        for key in _NOT_DIRECT:
            file.remove((*place, key))
        file.put((*place, "protection"), "direct")
    elif wanted == "randomised":
        file.remove((*place, "protection"))
        forget_population(file, number)
    else:
        new = float(wanted)
        for key in _OWN:
            file.remove((*place, key))
        file.put((*place, "epsilon"), f"{new:g}")
        _spend(file, number, new, checked)


def forget_population(file: Editable, number: int) -> None:
    """Remove what is known of a question in the population, also of its options and rows."""
    id = questions_of(file.value)[number].get("id")
    for item in [*(at(file.value, MARGINS) or ())]:
        if item.partition(".")[0] == id:
            file.remove((*MARGINS, item))


def _spend(file: Editable, number: int, new: float, checked: Checked) -> None:
    """Change the survey's ε by as much as a question's own, so that the others keep theirs."""
    id = questions_of(file.value)[number].get("id")
    costs = (checked["cost"] or {}).get("questions", [])
    old = next((one["epsilon"] for one in costs if one["id"] == id), "direct")
    if "epsilon" in file.value and old != "direct":
        # The costs are written to six decimals: their rounding must not overspend the whole.
        whole = float(checked["cost"]["promised"]) + new - float(old) + 2e-6
        file.put(("epsilon",), f"{max(math.ceil(1000 * whole) / 1000, new):g}")


def design(file: Editable, edit: Mapping[str, Any], checked: Checked) -> None:
    """Give a question a design, or none; remove the keys that the design replaces."""
    number, name = int(edit["number"]), str(edit["value"])
    place: Path = ("questions", number)
    for key in ("design", *(OTHERWISE if name else ())):
        file.remove((*place, key))
    if name:
        written = beginning(name, answers_of(questions_of(file.value)[number]))
        file.put((*place, "design"), {name: written})
        _spend_on_design(file, number, checked)


def _spend_on_design(file: Editable, number: int, checked: Checked) -> None:
    """Let the survey's ε follow a question's design, if the design is valid."""
    question = questions_of(file.value)[number]
    try:
        channel = designs.from_mapping(question["design"], answers_of(question))
    except ValueError:
        return
    items = len(question["rows" if "rows" in question else "answers"])
    several = "rows" in question or question.get("type") in OFFERING_YES_NO
    new = channel.epsilon * (items if several else 1)
    if math.isfinite(new):
        _spend(file, number, new, checked)


def parameter(file: Editable, edit: Mapping[str, Any], checked: Checked) -> None:
    """Write a parameter of a design; one with commas is a list."""
    number, said = int(edit["number"]), str(edit["value"]).split(",")
    place: Path = ("questions", number, "design")
    ((name, given),) = at(file.value, place).items()
    listed = [part for one in said if (part := one.strip())]
    value = {**(given or {}), str(edit["key"]): listed if len(listed) > 1 else "".join(listed)}
    file.put(place, {name: {key: one for key, one in value.items() if one}})
    _spend_on_design(file, number, checked)


def aim(file: Editable, edit: Mapping[str, Any], checked: Checked) -> None:
    """Give a question the least own ε at which its interval is as narrow as wanted."""
    cost, number = checked["cost"], int(edit["number"])
    typed, id = str(edit["value"]), str(questions_of(file.value)[number].get("id"))
    wanted = exact.fraction(typed.strip(" ±").replace(",", "."))
    costs = {one["id"]: one for one in (cost or {}).get("questions", [])}
    # Of a mean it is in the number's own unit.
    span = costs.get(id, {}).get("span")
    unit = exact.fraction(span or 100) / 100
    if cost is None or not 0 < wanted < 50 * unit:
        most = f"a ± above 0 and below {float(50 * unit):g}"
        raise ValueError(
            f"expected {most if cost else 'a file without mistakes'}, found {typed[:40]!r}"
        )
    people = int(cost["respondents"])
    # The others keep their ε however much this one gets, so only this one is varied.
    tried = Editable(file.text)
    protect(tried, {"number": number, "value": _MARK}, checked)
    aimed = float(wanted / unit)
    value, width = the_searcher().call(partial(_least, tried.text, id, aimed, people))
    if width > aimed:
        least = reach(width * float(unit)) if span else f"{math.ceil(10 * width) / 10:g}"
        raise ValueError(
            f"expected ±{least}{' points' * (not span)} or more, which {people:,} people "
            f"give at the slider's right end, found ±{float(wanted):g}"
        )
    protect(file, {"number": number, "value": value}, checked)


def _least(tried: str, id: str, wanted: float, people: int) -> tuple[float, float]:
    """Return the least ε whose interval is as wanted, else the largest; and the width."""

    def width(step: int) -> float:
        text = tried.replace(f"epsilon: {_MARK}", f"epsilon: {_LEAST * _STEP**step:.4f}")
        file = read(text)
        found = precision(file.survey, people, measure_of(file.plan))
        return max(points(found[place]) for place in file.survey.places[id])

    step = bisect_left(range(_STEPS - 1), True, key=lambda one: width(one) <= wanted)
    return round(_LEAST * _STEP**step, 4), width(step)
