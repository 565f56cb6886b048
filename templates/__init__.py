"""The Jinja pages; a package only so that ``importlib.resources`` finds them when installed."""
