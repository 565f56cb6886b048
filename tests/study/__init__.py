"""A survey with its reports."""
