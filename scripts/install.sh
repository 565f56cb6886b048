#!/bin/sh
# install.sh chromium|firefox|webkit|postgres|r|java|proxies...: get what only tests and
# benchmarks need, where it is missing and can be had.
#
# It exists because promises about a page, a store or a file are proved by the real programs alone, and
# a fresh machine has none. Where one cannot be installed this succeeds all the same: the tests then
# say what they left out and how to get it, or fail under CI=true (see tests/kit/needs.py).
set -eu
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/sbin:/sbin"

has() {
  for program; do
    command -v "$program" >/dev/null || return 1
  done
}

get() { # what it is called, and its Debian packages
  what=$1
  shift
  scripts/apt-install.sh "$@" || echo "Going on without $what: the tests that need this will say so." >&2
}

install() {
  case $1 in
    chromium)
      has chromium chromedriver || get Chromium chromium chromium-driver
      # The tests are faster by it (see tests/browser/chromium.py).
      has chromium-headless-shell || get "the headless shell" chromium-headless-shell
      ;;
    firefox) has firefox-esr || get Firefox firefox-esr ;;
    # It has no mode without a window, so Xvfb lends it a screen.
    webkit) has WebKitWebDriver Xvfb || get WebKitGTK webkit2gtk-driver xvfb ;;
    postgres)
      has initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || {
        # The tests start one of their own; Debian's package would also make and start one for this
        # machine. Only where root may write without being asked.
        if [ "$(id -u)" -eq 0 ] && [ -d /etc ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
          mkdir -p /etc/postgresql-common
          echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
        fi
        get PostgreSQL postgresql
      }
      ;;
    # survey is what weighted estimates are compared with; MASS is what its calibrate needs.
    r)
      Rscript -e 'library(survey); library(MASS)' >/dev/null 2>&1 ||
        get R r-base-core r-cran-survey r-cran-mass
      ;;
    # Spark runs in it.
    java)
      has java || {
        package=openjdk-21-jre-headless
        apt-cache show "$package" >/dev/null 2>&1 || package=openjdk-17-jre-headless
        get Java "$package"
      }
      ;;
    # What reads the files of deploy/, openssl for a certificate of the tests' own, systemd for its
    # units. Debian's scripts start no service in this runlevel.
    proxies)
      has caddy nginx tor openssl systemd-analyze ||
        (export RUNLEVEL=1 && get "some proxies" caddy nginx-light tor openssl systemd)
      ;;
    *)
      echo "install.sh knows no $1" >&2
      exit 2
      ;;
  esac
}

for one; do
  install "$one"
done
