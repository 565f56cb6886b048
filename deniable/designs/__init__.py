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
`named`               the row at a function by which it gets a name
`by_name`             the designs that a survey file or a command may name
`collection`          which channels may be used to collect answers
====================  ===========================================================================

Where a report may rule an answer out (Devore, Mangat 1994, Mangat, Singh and Singh, triangular), ε
is infinite: such a design is here to analyse data that somebody collected with it, and
`refuse_for_collection` says no to it.
"""

from deniable.designs import binary, block, categorical, literature, numeric, programme
from deniable.designs.binary import *
from deniable.designs.block import *
from deniable.designs.by_name import (
    BY_NAME,
    HAVE_YES,
    NUMBER_OF_ANSWERS,
    from_mapping,
    name_and_parameters,
)
from deniable.designs.categorical import *
from deniable.designs.collection import refuse_for_collection
from deniable.designs.families import Family
from deniable.designs.literature import *
from deniable.designs.named import NAMED
from deniable.designs.numeric import *
from deniable.designs.programme import *
from deniable.designs.rounding import coarsened

__all__ = [
    "BY_NAME",
    "HAVE_YES",
    "NAMED",
    "NUMBER_OF_ANSWERS",
    "Family",
    "coarsened",
    "from_mapping",
    "name_and_parameters",
    "refuse_for_collection",
]
__all__ += binary.__all__
__all__ += block.__all__
__all__ += categorical.__all__
__all__ += literature.__all__
__all__ += numeric.__all__
__all__ += programme.__all__
