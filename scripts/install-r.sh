#!/bin/sh
# install-r.sh: get R, if it is missing and can be had.
#
# It exists because the zip for a paper holds a program in R, and only R can prove that it runs. Where
# it cannot be installed this succeeds all the same: the tests then say what they left out and how to
# get it, or fail under CI=true (see tests/needs.py).
set -eu
cd "$(dirname "$0")/.."

if command -v Rscript >/dev/null; then
  exit 0
fi
scripts/apt-install.sh r-base-core ||
  echo "Going on without R: the tests that need it will say so." >&2
