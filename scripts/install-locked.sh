#!/bin/sh
# install-locked.sh server|tests: install what requirements.lock names into .venv, and deniable itself.
#
# It exists because the lock is one file, of which a server needs only the first part, and because
# pip refuses a project from its own folder in a list with hashes: so the project comes second, alone.
set -eu
cd "$(dirname "$0")/.."
lock=.venv/requirements.lock

case $1 in
  # Compiling all modules takes pip longer than fetching them; Python compiles what it imports.
  server) compile=--no-compile; sed '/^# Only the tests need/,$d' requirements.lock >"$lock" ;;
  tests) compile=--compile; cp requirements.lock "$lock" ;;
  *) echo "expected server or tests, found $1" >&2; exit 2 ;;
esac

pip() {
  .venv/bin/python -m pip install --disable-pip-version-check --progress-bar off "$@"
}
pip --require-hashes "$compile" -r "$lock"
pip --no-deps --no-build-isolation "$compile" -e .
