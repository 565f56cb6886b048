"""What somebody who sees everything that is sent can learn of one person.

====================  ===========================================================================
`adversary`           beliefs before and after a report, odds, people who share it, averaging
`divergence`          Rényi and Kullback-Leibler divergence, total variation of a channel
`composition`         several items, several waves
`disclosure`          direct answers that few people gave, left out
`poisoning`           what dishonest respondents can do to an estimate
====================  ===========================================================================
"""

from typing import TYPE_CHECKING

from deniable.doors import door

if TYPE_CHECKING:
    from deniable.analysis.privacy.adversary import (
        Averaging,
        Belief,
        averaging,
        belief,
        evidence,
        people_sending,
        posterior_bounds,
        posteriors,
    )
    from deniable.analysis.privacy.composition import (
        Composition,
        compose,
    )
    from deniable.analysis.privacy.divergence import (
        kullback_leibler,
        renyi,
        renyi_divergence,
        total_variation,
    )
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "Averaging",
    "Belief",
    "Composition",
    "averaging",
    "belief",
    "compose",
    "evidence",
    "kullback_leibler",
    "people_sending",
    "posterior_bounds",
    "posteriors",
    "renyi",
    "renyi_divergence",
    "total_variation",
]
