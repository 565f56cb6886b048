"""Surveys as researchers write them: YAML in, a `Survey` out, every mistake named by line.

`located` reads YAML and remembers where everything stood, `schema` says which keys there are and
what each holds, `rules` says what must hold between them, and `compiler` spends the budget.
"""

from deniable.survey_file.compiler import SurveyFile, read
from deniable.survey_file.located import Mistake, SurveyFileError
from deniable.survey_file.schema import json_schema

__all__ = ["Mistake", "SurveyFile", "SurveyFileError", "json_schema", "read"]
