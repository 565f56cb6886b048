"""The audit: engines, tapes, runs."""
