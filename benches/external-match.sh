#!/usr/bin/env bash
# A match on 10x10 against the engine of the Python package dame-rs, an independent program that speaks the Hub
# protocol: first with equal nodes, then with equal time, openings of six random plies played twice with colours
# swapped.
#
#   benches/external-match.sh [WEIGHTS [PAIRS [NODES [MILLISECONDS]]]]
#
# WEIGHTS is `material` (the default) or a safetensors file of International draughts; 50 pairs, 5,000 nodes and 50 ms
# are the defaults. A node is what each engine counts as one. Tables in $MAKHOS_DIR (./tables) are ours alone: dame
# has none. Needs Python 3.9 or later and a package index, besides what Makhos needs.
set -euo pipefail
cd "$(dirname "$0")/.."

weights=${1:-material}
pairs=${2:-50}
nodes=${3:-5000}
milliseconds=${4:-50}

makhos=${MAKHOS:-target/release/makhos}
if [ -z "${MAKHOS:-}" ]; then
    cargo build --release -p makhos
fi
venv=target/dame
if [ ! -x "$venv/bin/dame" ]; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'dame-rs==0.2.0'
fi

opponent="hub:$venv/bin/dame hub"
match=("$makhos" match --variant international "$weights" "$opponent" --pairs "$pairs")
echo "$("$makhos" --version) against $("$venv/bin/dame" --version), $(date -u +%F)"
echo "$nodes nodes a move:"
"${match[@]}" --nodes "$nodes"
# One game at a time on every second core, so that the engines do not take time from each other.
threads=$(( ($(nproc) + 1) / 2 ))
echo "$milliseconds ms a move:"
"${match[@]}" --move-time "$milliseconds" --threads "$threads"
