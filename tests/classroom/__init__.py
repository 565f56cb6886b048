"""Tests of the classroom."""
