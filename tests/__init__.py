"""Tests, in folders that mirror the source; packages, so that two folders may use one file name."""
