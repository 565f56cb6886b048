"""What somebody who sees everything that is sent can learn of one person.

====================  ===========================================================================
`adversary`           beliefs before and after a report, odds, people who share it, averaging
`divergence`          Rényi and Kullback-Leibler divergence, total variation of a channel
`composition`         several items, several waves
====================  ===========================================================================
"""
