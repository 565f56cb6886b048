from deniable.survey_file.compiler import SurveyFile as SurveyFile, read as read
from deniable.survey_file.located import Mistake as Mistake, SurveyFileError as SurveyFileError
from deniable.survey_file.schema import json_schema as json_schema
