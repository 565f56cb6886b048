"""What an adversary who sees every report can learn about one person.

====================  ===========================================================================
`adversary`           beliefs before and after a report, odds, senders of a report, averaging
`divergence`          Rényi and Kullback-Leibler divergence of a channel
`composition`         several items, several waves
`disclosure`          suppression of direct answers that few people gave
`same_mean`           whether a mean reveals a small cell
`poisoning`           what dishonest respondents can do to an estimate
====================  ===========================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
