from deniable.study import opening as opening, weighing as weighing
from deniable.study.counted import CountedStudy as CountedStudy
from deniable.study.opening import open_study as open_study, open_tally as open_tally
from deniable.study.study import Study as Study
