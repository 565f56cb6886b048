from deniable.analysis.sampling.calibration import Margin as Margin
from deniable.analysis.sampling.debiased import (
    Debiased as Debiased,
    debiased_applicable as debiased_applicable,
    debiased_shares as debiased_shares,
    debiased_values as debiased_values,
    direct_values as direct_values,
)
from deniable.analysis.sampling.design_based import (
    DesignEstimate as DesignEstimate,
    mean as mean,
)
from deniable.analysis.sampling.contrasts import (
    difference as difference,
)
from deniable.analysis.sampling.design import (
    SamplingDesign as SamplingDesign,
    sampling_design as sampling_design,
)
