from deniable.analysis.privacy.adversary import (
    Averaging as Averaging,
    Belief as Belief,
    averaging as averaging,
    belief as belief,
    evidence as evidence,
    posterior_bounds as posterior_bounds,
    posteriors as posteriors,
)
from deniable.analysis.privacy.composition import Composition as Composition, compose as compose
from deniable.analysis.privacy.divergence import (
    kullback_leibler as kullback_leibler,
    renyi as renyi,
)
