"""What somebody who sees everything that is sent can learn of one person.

====================  ===========================================================================
`adversary`           beliefs before and after a report, odds, people who share it, averaging
`divergence`          Rényi and Kullback-Leibler divergence of a channel
`composition`         several items, several waves
`cells`               cells of direct answers, and which of them few people gave
`disclosure`          direct answers that few people gave, left out
`same_mean`           whether a mean tells what few people answered
`poisoning`           what dishonest respondents can do to an estimate
====================  ===========================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
