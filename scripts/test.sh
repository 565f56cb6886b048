#!/bin/sh
# test.sh: run the Python tests and the JavaScript tests, and fail if either failed.
# test.sh slow: run those that are marked slow, which the first leaves out, with the oldest versions
# that pyproject.toml allows (.venv-oldest, see tools/oldest.py).
# test.sh campaign: run those that take hours.
#
# It exists because both suites should run and print their own closing lines even when the first
# one fails, which a plain list of commands in a Makefile would not do.
set -eu
cd "$(dirname "$0")/.."
failed=

# The tests start some hundred interpreters: a setting that has each compile the project anew
# doubles their work.
unset PYTHONDONTWRITEBYTECODE

# Their matrices are small: a second thread of OpenBLAS waits for the first one in a loop, which
# takes a tenth of all work and makes nothing sooner.
export OPENBLAS_NUM_THREADS=1

# A campaign takes minutes on a busy machine, and to say where a process is can crash it.
long="--durations=10 -o faulthandler_timeout=1800"
# Much of it waits for browsers, for programs that start, and for limits to pass, so that three keep
# two cores busy.
in_three="-n 3 --dist loadfile"

if [ "${1:-}" = slow ]; then
  oldest=.venv-oldest/bin/python
  # What draws its examples draws some more of them here. The API's tests need newer versions.
  api=tests/server/desk/api/test_openapi.py
  # Each is one word, and none is a pattern.
  # shellcheck disable=SC2086
  {
    $oldest -m pytest -m "(slow or hypothesis) and not campaign" --hypothesis-profile=thorough $long $in_three \
      --ignore=$api || failed=1
    .venv/bin/python -m pytest -m "slow and not campaign" $long $api || failed=1
    echo "A choice of the quick tests with the oldest versions, two minutes of them"
    $oldest -m pytest -m "not slow and not campaign" $long $in_three $(.venv/bin/python -m tools.oldest) ||
      failed=1
  }
  exit "${failed:-0}"
elif [ "${1:-}" = campaign ]; then
  # shellcheck disable=SC2086
  .venv/bin/python -m pytest -m campaign $long $in_three || failed=1
  exit "${failed:-0}"
fi

# Browsers wait much of their time, so two processes drive one each, and all other tests run beside
# them in two, of about the same length; what those print comes last. A third would end it little
# sooner, and more processes than cores take more of both.
servers="tests/server tests/deniable tests/client"
others=$(mktemp -d)
beside=
memory=
trap 'for one in $beside; do kill "$one" 2>/dev/null || true; done; rm -rf "$others" $memory' EXIT
trap 'exit 130' INT TERM

# A store waits for the disk at each write, thousands of times. What the tests write is gone with
# them, so it lies in memory where there is room (they take some hundred megabytes), where programs
# may be run, and where other users may come to their own, as the databases' does.
if [ "$(df -Pm /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -ge 2048 ] 2>/dev/null &&
  memory=$(mktemp -d /dev/shm/deniable.XXXXXX); then
  chmod 1777 "$memory"
  printf '#!/bin/sh\n' >"$memory/program"
  chmod +x "$memory/program"
  if "$memory/program" 2>/dev/null; then
    export TMPDIR="$memory"
  fi
fi

in_background() { # its name, and what to test
  name=$1
  shift
  .venv/bin/python -m pytest -m "not slow and not campaign" --durations=10 "$@" >"$others/$name" 2>&1 &
  beside="$beside $!"
}

echo "Python tests: all but the browser's, in the background"
# Each is one word, and none is a pattern.
# shellcheck disable=SC2086
in_background servers $servers
# shellcheck disable=SC2046,SC2086
in_background others --ignore=tests/browser $(printf -- '--ignore=%s ' $servers)
echo "Python tests in the browser (pytest)"
.venv/bin/python -m pytest -m "not slow and not campaign" --durations=10 -n 2 tests/browser || failed="$failed pytest-in-the-browser"
echo
echo "JavaScript tests (node --test)"
# Named one by one: Node 18 and 20 know no patterns.
set -- $(find tests -name '*.test.js' | sort)
if [ $# -eq 0 ]; then
  echo "There are none under tests/."
  failed="$failed node"
else
  # One process for all files, where Node can: else it starts one for each of them, which takes
  # longer than most of them do.
  if .venv/bin/node --help | grep -q -- '--test-isolation='; then
    set -- --test-isolation=none "$@"
  fi
  .venv/bin/node --test --test-reporter=spec "$@" || failed="$failed node"
fi

echo
echo "The other Python tests"
for one in $beside; do
  wait "$one" || failed="$failed pytest"
done
beside=
cat "$others"/*

echo
echo "CPU time, user and system, of this script and of all that it ran:"
times

if [ -n "$failed" ]; then
  echo "FAILED:$failed" >&2
  exit 1
fi
