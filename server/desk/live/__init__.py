"""Meetings: a class that answers together.

===========  =======================================================================================
`routes`     the presenter's pages
`session`    meetings in the store: begun, led from step to step, ended
`state`      what a meeting shows at this moment
`projector`  the projector's page, and what all meetings share
===========  =======================================================================================
"""
