"""Signatures: blind ones of tokens, and those of a release.

=========  =====================================================================================
`blind`    blind signatures of report ids: one person, one report
`signing`  verification of the signatures of releases
=========  =====================================================================================
"""
