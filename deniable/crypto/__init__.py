"""Signatures: blind ones under tokens, and those of a release.

=========  =====================================================================================
`blind`    signatures under what the signer cannot see: one person, one report
`signing`  signatures of releases, checked
=========  =====================================================================================
"""
