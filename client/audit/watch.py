"""What the traps saw: where the modules, and the page if it was opened, took their chance from."""

from __future__ import annotations

from deniable.client.audit.engine import Engine
from deniable.client.audit.tapes import words_for_orders
from deniable.report import ID_BYTES
from deniable.survey import Survey


def check_watched(engine: Engine, survey: Survey) -> tuple[str, ...]:
    """Say what was reached for that should not be.

    Parameters
    ----------
    engine : Engine
        After it has run all that is to be watched.
    survey : Survey

    Returns
    -------
    tuple of str
        What is wrong; empty if nothing.
    """
    seen = engine.call("watched", {})
    failures = []
    if seen["mathRandom"]:
        failures.append(
            f"Math.random was called {seen['mathRandom']} times: its next value can be computed "
            "from earlier ones"
        )
    if engine.opens_page:
        choices = sum(len(draw.choices) for draw in survey.draws)
        orders = sum(words_for_orders(survey))
        noise = len(survey.items) + survey.permanent_words
        needed = ID_BYTES // 4 + noise + choices + orders
        enough = [one["kept"] for one in seen["drawn"] if one["words"] >= needed]
        if not enough:
            failures.append(
                f"the page drew no {needed} words from crypto.getRandomValues when it opened"
            )
        elif not all(enough):
            failures.append("the page changes the words that it drew from crypto.getRandomValues")
    return tuple(failures)
