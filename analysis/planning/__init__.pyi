from deniable.analysis.planning.budgets import (
    Measure as Measure,
    Precision as Precision,
    precision as precision,
    respondents_for as respondents_for,
)
from deniable.analysis.planning.efficiency import (
    PrivacyPrice as PrivacyPrice,
    design_effect as design_effect,
    price_of_privacy as price_of_privacy,
)
from deniable.analysis.planning.power import (
    Power as Power,
    power_one_share as power_one_share,
    power_two_groups as power_two_groups,
    sample_size_one_share as sample_size_one_share,
    sample_size_two_groups as sample_size_two_groups,
)
from deniable.analysis.planning.reach import (
    fewest_within as fewest_within,
    greatest_reach as greatest_reach,
    is_counted as is_counted,
    mean_reach as mean_reach,
)
from deniable.analysis.planning.significance import PlannedTest as PlannedTest
from deniable.analysis.planning.spending import (
    Spend as Spend,
    coin_questions as coin_questions,
    families as families,
    redesign as redesign,
)
from deniable.analysis.planning.widths import (
    expected_half_width as expected_half_width,
    expected_sample_size as expected_sample_size,
    half_width as half_width,
    mean_half_width as mean_half_width,
    sample_size as sample_size,
)
