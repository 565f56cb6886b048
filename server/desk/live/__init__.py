"""Meetings: a class that answers together.

===========  =======================================================================================
`routes`     the presenter's pages: meetings are begun, led and ended there
`session`    meetings in the store: led from step to step
`state`      what a meeting shows at this moment
`projector`  the projector's page
`sse`        the same as events
`expiry`     meetings whose time is over
`handout`    what all meetings have in common: scripts and the handout
===========  =======================================================================================
"""
