"""Tests of the designs."""
