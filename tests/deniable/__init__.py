"""Tests of deniable/."""
