from deniable.reanalysis import designs as designs, scrambling as scrambling
from deniable.reanalysis.arms import (
    ArmsEstimate as ArmsEstimate,
    ArmsRatio as ArmsRatio,
    estimate_arms as estimate_arms,
)
from deniable.reanalysis.columns import (
    list_experiment as list_experiment,
    scrambled as scrambled,
    several_arms as several_arms,
)
from deniable.reanalysis.lists import (
    CombinedList as CombinedList,
    ListShare as ListShare,
    combined_list as combined_list,
    double_list as double_list,
    list_share as list_share,
)
from deniable.reanalysis.regression import ArmsFit as ArmsFit, regress_arms as regress_arms
