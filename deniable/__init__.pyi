from deniable import designs as designs
from deniable.channel import Channel as Channel
from deniable.channel import identity as identity
from deniable.estimator import least_variance as least_variance
from deniable.report import Report as Report
from deniable.study.opening import open_study as open_study
from deniable.survey import Survey as Survey

open = open_study  # noqa: A001  what a notebook begins with
__version__: str
