"""Mirrors `deniable.analysis.regression`."""
