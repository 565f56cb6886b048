from deniable.analysis.planning.alternatives import (
    Spend as Spend,
    coin_questions as coin_questions,
    redesign as redesign,
    spread as spread,
)
from deniable.analysis.planning.budgets import (
    Measure as Measure,
    Precision as Precision,
    precision as precision,
    respondents_for as respondents_for,
)
from deniable.analysis.planning.efficiency import design_effect as design_effect
from deniable.analysis.planning.power import (
    Power as Power,
    power_two_groups as power_two_groups,
    sample_size_two_groups as sample_size_two_groups,
)
from deniable.analysis.planning.reach import (
    fewest_within as fewest_within,
    greatest_reach as greatest_reach,
    is_counted as is_counted,
    mean_reach as mean_reach,
)
from deniable.analysis.planning.significance import PlannedTest as PlannedTest
