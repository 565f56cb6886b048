"""``python -m deniable``: the command line where the command `deniable` is not on the path."""

import importlib

if __name__ == "__main__":
    importlib.import_module("deniable.cli.main").main()
