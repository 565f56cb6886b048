from deniable.survey_file.compiler import (
    SurveyFile as SurveyFile,
    packet_of as packet_of,
    plan_of as plan_of,
    read as read,
)
from deniable.survey_file.dictionary import (
    columns_in as columns_in,
    of_one_label as of_one_label,
    read_dictionary as read_dictionary,
)
from deniable.survey_file.located import (
    Mistake as Mistake,
    SurveyFileError as SurveyFileError,
    decoded as decoded,
)
from deniable.survey_file.schema import PlanFields as PlanFields, json_schema as json_schema
