#!/bin/sh
# install-r.sh: get R, if it is missing and can be had.
#
# It exists because the zip for a paper holds a program in R, and only R can prove that it runs. Where
# it cannot be installed this succeeds all the same: the tests then say what they left out and how to
# get it, or fail under CI=true (see tests/needs.py).
set -eu
cd "$(dirname "$0")/.."

if Rscript -e 'library(survey); library(MASS)' >/dev/null 2>&1; then
  exit 0
fi
# survey is what weighted estimates are compared with; MASS is what its calibrate needs.
scripts/apt-install.sh r-base-core r-cran-survey r-cran-mass ||
  echo "Going on without R: the tests that need it will say so." >&2
