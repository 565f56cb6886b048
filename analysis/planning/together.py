"""The gain, or loss, from randomising questions as one answer."""

from __future__ import annotations

import numpy as np

from deniable import budget
from deniable.analysis.planning.reach import greatest_reach
from deniable.designs.families import Family
from deniable.estimator import least_variance, share_variance
from deniable.survey import Survey
from deniable.survey.together import Group


def gains(survey: Survey, group: Group) -> tuple[float, dict[str, float]]:
    """Compare a group with separate questions, each at an equal part of the same ε.

    Result: the ratio of the separate variance to the group's, for all cells together and for the
    shares of each question; all cells equally likely. Below 1, the question loses by the group.
    """
    cells = np.array(group.cells)
    each = (group.channel.epsilon_millionths or 0) // len(group.questions)
    scatter, of_shares = np.ones((len(cells), len(cells))), {}
    for at, id in enumerate(group.questions):
        item = survey.items_of(survey.question(id))[0]
        apart = budget.channel_for(each, Family("k_ary", len(item.truths)))
        even = np.bincount(cells[:, at], minlength=len(item.truths)) / len(cells)
        of_shares[id] = float(
            share_variance(apart, even).sum() / share_variance(item.channel, even).sum()
        )
        moments = least_variance(apart) ** 2 @ apart.probabilities.T
        scatter *= moments[np.ix_(cells[:, at], cells[:, at])]
    even = np.full(len(cells), 1 / len(cells))
    apart_in_all = float(scatter.sum() - 1) / len(cells)
    return apart_in_all / float(share_variance(group.channel, even).sum()), of_shares


def together_words(survey: Survey, respondents: float, level: float) -> tuple[str, ...]:
    """Return a sentence per group: how precise its cells will be, and what the group gains."""
    said = []
    for group in survey.groups:
        table, shares = gains(survey, group)
        asked = respondents * float(survey.share_asked(survey.places[group.questions[0]]))
        width = 100 * float(greatest_reach(group.channel, asked, level).max())
        each = ", ".join(f"of {id} {gain:.2f} times" for id, gain in shares.items())
        said.append(
            f"Together: {' × '.join(group.questions)}, {len(group.cells)} cells, each ±{width:.1f} "
            f"at most. With the same ε apart, the variance of the table is {table:.1f} times "
            f"this, and that of the shares {each}."
        )
    return tuple(said)
