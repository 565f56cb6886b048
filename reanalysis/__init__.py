"""Methods for data that other people collected with designs that our browsers do not support.

No other package depends on this one; only ``deniable analyse`` uses its table of methods.

=============  ==================================================================================
`methods`      the table: which options choose a method, and what it needs
`columns`      each method applied to the columns of a data file
`designs`      designs with an unknown nuisance: several channels, one population
`arms`         `estimate_arms`: the shares of the classes that such a design distinguishes
`regression`   `regress_arms`: a trait beside the design's nuisance, such as who lies
`likelihood`   the likelihood of reports in several arms
`scrambling`   scrambled numbers
`lists`        list experiments: counts of statements
`told`         the results of these methods, with their own notes
=============  ==================================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
