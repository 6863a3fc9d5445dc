#!/usr/bin/env bash
# Configures and builds a preset of CMakePresets.json, all of it or some targets:
#   scripts/build.sh release|clang|asan|tsan [cmake options ...] [-- target ...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
[ $# -eq 0 ] || shift
mkdir -p build
log=build/$preset.log
printf 'build: %s, with %s jobs (what the compiler says goes to %s)\n' "$preset" "$(nproc)" "$log"
if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
# One line that is written over on a terminal, every fiftieth step elsewhere.
cmake --build --preset "$preset" -j "$(nproc)" ${1+--target "$@"} 2>&1 | tee -a "$log" | awk -v terminal="$([ -t 1 ] && echo 1 || echo 0)" '
  /^\[[0-9]+\/[0-9]+\]/ {
    if (terminal) printf "\r\033[K%.78s", $0
    else if (++steps % 50 == 0) print $1
    fflush()
    next
  }
  { if (terminal && !said++) print ""; print; fflush() }
  END { if (terminal) print "" }'
