#!/bin/sh
# Finds a Python of 3.11 or newer and hands over to tools/setup.py. $PYTHON, when set, is the one to use.
set -eu
cd "$(dirname "$0")/.."

# A name on PATH may be a version manager's stub that only prints an error, so each candidate is asked.
usable() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

if [ -n "${PYTHON:-}" ]; then
  usable "$PYTHON" || { echo "PYTHON=$PYTHON is not a Python of 3.11 or newer" >&2; exit 1; }
  exec "$PYTHON" tools/setup.py "$@"
fi
# The tested versions first; one that can make environments (ensurepip) before one that cannot.
for need in 'import ensurepip, venv' 'pass'; do
  for candidate in .venv/bin/python python3.13 python3.12 python3.11 python3 python3.14 python; do
    if usable "$candidate" && "$candidate" -c "$need" >/dev/null 2>&1; then
      exec "$candidate" tools/setup.py "$@"
    fi
  done
done
echo "kernel_lab needs Python 3.11 or newer, and none was found on PATH." >&2
echo "  → install one (Debian, Ubuntu: apt-get install python3 python3-venv), or name it: make lab PYTHON=/path/to/python3" >&2
exit 1
