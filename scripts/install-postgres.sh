#!/bin/sh
# install-postgres.sh: get PostgreSQL's programs, if they are missing and can be had.
#
# It exists because a store can be a PostgreSQL database, and only a real server proves that it keeps
# its promises. The tests start one of their own; Debian's package would also make and start one for
# this machine, which nobody asked for. Where it cannot be installed this succeeds all the same: the
# tests then say what they left out and how to get it, or fail under CI=true (see tests/needs.py).
set -eu
cd "$(dirname "$0")/.."

for initdb in /usr/lib/postgresql/*/bin/initdb; do
  if [ -x "$initdb" ]; then
    exit 0
  fi
done
if command -v initdb >/dev/null; then
  exit 0
fi
# Only where root may write without being asked; elsewhere apt-install.sh says what to type.
if [ "$(id -u)" -eq 0 ] && [ -d /etc ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  mkdir -p /etc/postgresql-common
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
fi
scripts/apt-install.sh postgresql ||
  echo "Going on without PostgreSQL: the tests that need it will say so." >&2
