"""Randomised-response designs: functions that return a channel, and nothing more.

No code that uses a channel knows its design, so adding a design means adding a function here.
Probabilities may be written as ``0.25``, ``"1/4"`` or ``Fraction(1, 4)`` and stay exact until the
channel rounds them to multiples of 2^-32. A `ValueError` rejects parameters out of range, designs
whose reports say nothing about the truth, and an ε so small that weights of 32 bits cannot tell it
from 0. The channel's ε is never above the parameter `epsilon`.

In this project the **flip probability** is the chance that the report differs from the truth.
Warner and most papers after him write ``p`` for the chance of the *truthful* statement, which is
one minus it.

====================  ===========================================================================
`binary`              a yes-or-no question: Warner's design and forced response
`literature`          other yes-or-no designs by their papers, and participation as a secret
`categorical`         one of k answers, and any table of probabilities
`block`               one of many answers: block designs, and the best design for k answers
`difference_sets`     the combinatorics of the block designs
`numeric`             a number on a grid of levels
`programme`           a number by a linear programme: least noise in the mean
`rounding`            channels of numbers, rounded to integer weights that keep their ε
`families`            a channel for every ε, for a budget to choose from
`named`               the decorator that gives a design its name
`by_name`             the designs that a survey file or a command may name
`collection`          which channels may collect answers
====================  ===========================================================================

Where a report may rule an answer out (Devore, Mangat 1994, Mangat, Singh and Singh, triangular), ε
is infinite: such a design serves to analyse existing data, and `refuse_for_collection` rejects it.
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
