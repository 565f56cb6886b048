from deniable.analysis.sampling.debiased import (
    Debiased as Debiased,
    debiased_applicable as debiased_applicable,
    debiased_shares as debiased_shares,
    debiased_values as debiased_values,
    direct_values as direct_values,
)
from deniable.analysis.sampling.design_based import (
    DesignDifference as DesignDifference,
    DesignEstimate as DesignEstimate,
    SamplingDesign as SamplingDesign,
    Stage as Stage,
    difference as difference,
    mean as mean,
    sampling_design as sampling_design,
    total as total,
)
