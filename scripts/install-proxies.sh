#!/bin/sh
# install-proxies.sh: get the programs that read the files of deploy/, if they are missing and can be
# had: Caddy, nginx and Tor, openssl for a certificate of the tests' own, systemd for its units.
#
# It exists because only these programs know whether they take a file. Where they cannot be installed
# this succeeds all the same: the tests then say what they left out and how to get it, or fail under
# CI=true (see tests/needs.py). Nothing that is installed here is started.
set -eu
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/sbin:/sbin"

missing=
command -v caddy >/dev/null || missing="$missing caddy"
command -v nginx >/dev/null || missing="$missing nginx-light"
command -v tor >/dev/null || missing="$missing tor"
command -v openssl >/dev/null || missing="$missing openssl"
command -v systemd-analyze >/dev/null || missing="$missing systemd"
[ -n "$missing" ] || exit 0
# Each is one word: Debian's scripts start no service in this runlevel.
# shellcheck disable=SC2086
RUNLEVEL=1 scripts/apt-install.sh $missing ||
  echo "Going on without$missing: the tests that need them will say so." >&2
