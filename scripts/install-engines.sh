#!/bin/sh
# install-engines.sh: put the engines that count exported reports into .venv: DuckDB and Spark.
#
# It exists because they weigh more than all else together, so that only the slow tests wait for them.
# They are no part of requirements.lock: nobody's server runs them.
set -eu
cd "$(dirname "$0")/.."

if ! .venv/bin/python -c "import duckdb, pyarrow, pyspark" 2>/dev/null; then
  .venv/bin/python -m pip install --disable-pip-version-check --progress-bar off \
    --no-build-isolation -e '.[duckdb,spark]' ||
    echo "Going on without DuckDB and Spark: the tests that need them will say so." >&2
fi
