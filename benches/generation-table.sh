#!/bin/sh
# Prints the table of generation speeds for the README. Arguments go to the benchmark, for example
# `benches/generation-table.sh --repeat 3`.
set -eu
cd "$(dirname "$0")/.."
exec cargo bench --quiet -p makhos-benches --bench generation -- "$@"
