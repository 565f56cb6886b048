#!/bin/sh
# make-venv.sh PYTHON: make .venv with the given Python, unless a working one is there.
#
# It exists because `python3 -m venv` fails on a plain Debian, which keeps a part of it in the
# package python3-venv, and because a Python that is too old should be named here and now, rather
# than by some dependency's error a minute later.
set -eu
cd "$(dirname "$0")/.."
python=$1

if .venv/bin/python -m pip --version >/dev/null 2>&1; then
  exit 0
fi

if ! command -v "$python" >/dev/null; then
  echo "There is no $python here. Install Python 3.11 or newer, or name yours: make PYTHON=..." >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "$python is $("$python" --version 2>&1), and deniable needs Python 3.11 or newer." >&2
  echo "Name another one: make PYTHON=python3.12 ..." >&2
  exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  echo "$python cannot make virtual environments by itself: it needs the package python3-venv."
  scripts/apt-install.sh python3-venv
fi

echo "Making .venv with $("$python" --version 2>&1)"
"$python" -m venv --clear .venv
