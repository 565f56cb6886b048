#!/bin/sh
# install-java.sh: get a Java runtime, if it is missing and can be had.
#
# It exists because Spark runs in one, and only Spark's own workers prove that they count what the
# store counts. Where it cannot be installed this succeeds all the same: the tests then say what they
# left out and how to get it, or fail under CI=true (see tests/needs.py).
set -eu
cd "$(dirname "$0")/.."

if command -v java >/dev/null; then
  exit 0
fi
for package in openjdk-21-jre-headless openjdk-17-jre-headless; do
  if apt-cache show "$package" >/dev/null 2>&1; then
    scripts/apt-install.sh "$package" && exit 0
  fi
done
echo "Going on without Java: the tests that need it will say so." >&2
