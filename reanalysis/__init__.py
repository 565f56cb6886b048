"""Methods that no browser of ours asks: data that others collected in ways of their own.

The rooms of the program know nothing of this one; ``deniable analyse`` knows it by one table.

=============  ==================================================================================
`methods`      the table: which options choose a method, and what it needs
`columns`      each method asked by the columns of a data file
`designs`      designs with an unknown nuisance: several channels, one population
`arms`         `estimate_arms`: the shares of the classes that such a design tells apart
`regression`   `regress_arms`: a trait beside the design's own unknown, such as who lies
`likelihood`   the likelihood of reports in several arms
`scrambling`   scrambled numbers
`lists`        list experiments: counts of statements
`told`         the results of these, and the notes that only they have
=============  ==================================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
