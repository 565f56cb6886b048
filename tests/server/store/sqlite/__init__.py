"""Tests of the store in SQLite."""
