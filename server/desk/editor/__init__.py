"""Drafts of surveys: written, checked, planned, tried and published.

==============  ====================================================================================
`routes`      the drafts, and the editor of one
`publish`     the page that publishes one
`preview`     the page that tries a survey, and trials in the store
`lint`        what is wrong with a text, and what the survey costs
`lint_worker` the process in which texts are checked
`form`        the cards and fields of a text
`fields`      what the form calls them, and their help
`spoken`      what people call the questions and answers, also in messages
`edits`       what an edit in the form writes into the text
`protecting`  the same, of how an answer is protected
`writing`     where in a text that is written
`translations` languages as columns, and a translator's sheet
`starters`    what a draft can begin from
`planner`     the planner, before anybody is asked
`packet`      the ethics packet and the preregistration
`kept`        the file from which these begin, if it is what was published
==============  ====================================================================================
"""
