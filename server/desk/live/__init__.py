"""Meetings: a class that answers together.

===========  =======================================================================================
`routes`     the presenter's pages
`session`    meetings in the store: begun, led from step to step, ended
`state`      what a meeting shows at this moment
`projector`  the projector's page
`sse`        the same as events
`expiry`     meetings whose time is over
`handout`    what all meetings share: scripts and the handout
===========  =======================================================================================
"""
