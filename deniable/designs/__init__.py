"""Randomised-response designs: functions that return a channel, and nothing more.

No part of the project downstream of a channel knows which design it came from, so adding a design
means adding a function here. Probabilities may be written as ``0.25``, ``"1/4"`` or
``Fraction(1, 4)`` and stay exact until the channel rounds them to multiples of 2^-32. What is out
of the range that a parameter names, or tells nothing of the truth, is refused with a `ValueError`.
So is an ε so small that weights of 32 bits cannot tell it from 0. The channel's own ε is never
above the `epsilon` that is asked for.

In this project the **flip probability** is the chance that the report differs from the truth.
Warner and most papers after him write ``p`` for the chance of the *truthful* statement, which is
one minus it.

====================  ===========================================================================
`binary`              a yes-or-no question: Warner's design and forced response
`literature`          other yes-or-no designs by their papers, and taking part as a secret
`categorical`         one of k answers, and any table at all
`block`               one of many answers: block designs, and the best design for k answers
`difference_sets`     the combinatorics of the block designs
`numeric`             a number on a grid of levels
`programme`           the same by a linear programme: least noise in the mean
`rounding`            channels of numbers, rounded to integer weights that keep their ε
`families`            a channel for every ε, for a budget to choose from
`by_name`             the designs that a survey file or a command may name
`collection`          which channels may be used to collect answers
====================  ===========================================================================

Where a report may rule an answer out (Devore, Mangat 1994, Mangat, Singh and Singh, triangular), ε
is infinite: such a design is here to analyse data that somebody collected with it, and
`refuse_for_collection` says no to it.
"""

from deniable.designs.binary import forced_response, truth_or_lie, warner
from deniable.designs.block import (
    best_k_ary,
    block_design,
    blocks_for,
    subset_selection,
    total_variance,
)
from deniable.designs.by_name import (
    BY_NAME,
    HAVE_YES,
    from_mapping,
    name_and_parameters,
)
from deniable.designs.categorical import (
    custom,
    flip_probability,
    forced_response_k,
    k_ary,
    truth_or_random,
)
from deniable.designs.collection import refuse_for_collection
from deniable.designs.families import Family
from deniable.designs.literature import (
    christofides,
    crosswise,
    devore,
    disguised,
    kuk,
    mangat,
    mangat_singh,
    mangat_singh_singh,
    mangat_unrelated,
    participation,
    singh_joarder,
    soberanis_cruz,
    triangular,
    unrelated_question,
)
from deniable.designs.numeric import (
    best_numeric,
    laplace,
    numeric_designs,
    piecewise,
    square_wave,
    two_point,
    worst_case_variance,
)
from deniable.designs.programme import minimax
from deniable.designs.rounding import coarsened

__all__ = [
    "BY_NAME",
    "HAVE_YES",
    "Family",
    "best_k_ary",
    "best_numeric",
    "block_design",
    "blocks_for",
    "christofides",
    "coarsened",
    "crosswise",
    "custom",
    "devore",
    "disguised",
    "flip_probability",
    "forced_response",
    "forced_response_k",
    "from_mapping",
    "k_ary",
    "kuk",
    "laplace",
    "mangat",
    "mangat_singh",
    "mangat_singh_singh",
    "mangat_unrelated",
    "minimax",
    "name_and_parameters",
    "numeric_designs",
    "participation",
    "piecewise",
    "refuse_for_collection",
    "singh_joarder",
    "soberanis_cruz",
    "square_wave",
    "subset_selection",
    "total_variance",
    "triangular",
    "truth_or_lie",
    "truth_or_random",
    "two_point",
    "unrelated_question",
    "warner",
    "worst_case_variance",
]
