#!/bin/sh
# extension.sh FOLDER [DATE]: put the browser extension into a folder, with the manifest that it is pinned
# to, which is good until that day.
#
# It exists because the manifest follows from the program: what is pinned is not written by hand.
# PYTHON is the interpreter whose deniable is asked for its manifest.
set -eu
cd "$(dirname "$0")/.."
rm -rf "$1"
mkdir -p "$1"
cp extension/*.js extension/*.html extension/*.css extension/manifest.json "$1"
"${PYTHON:-.venv/bin/python}" -P -c 'from deniable.cli.main import main; main()' \
  verify --hashes --format json ${2:+--not-after "$2"} >"$1/pinned.json"
