#!/usr/bin/env bash
# Loads real files of the given (or freshly built) makhos with pyarrow, Hugging Face datasets, NumPy, PyTorch and
# onnxruntime. Makes a virtual environment in target/python once; needs Python 3.10 or later and a package index.
#
#   tests/python/run.sh [PATH OF makhos]
#
# PyTorch is large: its CPU wheels are tried first, then those of the package index. What cannot be had within
# MAKHOS_TORCH_SECONDS (180) is skipped, and the test says so; 0 skips it at once.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=$(command -v python3 || true)
if [ -z "$python" ] || ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3 python3-venv
        python=$(command -v python3)
    else
        echo "SKIPPED: the Python test needs Python 3.10 or later with venv, which is not here" >&2
        exit 0
    fi
fi

if [ $# -gt 0 ]; then
    makhos=$1
else
    cargo build --release -p makhos
    makhos=target/release/makhos
fi

venv=target/python
if [ ! -x "$venv/bin/python" ]; then
    "$python" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt

seconds=${MAKHOS_TORCH_SECONDS:-180}
if [ "$seconds" != 0 ] && ! "$venv/bin/python" -c 'import torch' 2>/dev/null; then
    install=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
    timeout "$seconds" bash -c '
        "$@" --retries 0 --timeout 15 --index-url https://download.pytorch.org/whl/cpu torch 2>/dev/null || "$@" torch
    ' bash "${install[@]}" || echo "PyTorch could not be installed within $seconds s" >&2
fi

export PYTHONDONTWRITEBYTECODE=1
MAKHOS=$(realpath "$makhos") exec "$venv/bin/python" tests/python/test_files.py
