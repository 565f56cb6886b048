"""Tests of the zip for a paper."""
