"""Drafts of surveys: written, checked, planned, tried and published.

==============  ====================================================================================
`routes`      the pages of all drafts, and of one draft's editor
`publish`     the page that publishes a draft
`preview`     the page that tries a survey, and trials in the store
`lint`        the mistakes in a text, and what the survey costs
`lint_worker` the process that checks texts, and runs analyses and plans
`form`        the cards and fields of a text
`fields`      the form's labels of the fields, and their help
`spoken`      the form's words for questions and answers, also in messages
`edits`       the form's edits of the text
`protecting`  the form's edits of how answers are protected
`translations` languages as columns, and a translator's sheet
`starters`    what a draft can begin from
`planner`     the planner, for the time before anybody answers
`packet`      the ethics packet and the preregistration
`kept`        the file that the store keeps with a survey, unless it is damaged
==============  ====================================================================================
"""
