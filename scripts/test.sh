#!/usr/bin/env bash
# Builds and tests: the release build with everything, the sanitizer builds with the unit tests.
# Every part runs, whatever the others do; the exit status is 0 if all passed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
for preset in release asan tsan; do
  options=()
  [ "$preset" = release ] && options=(-DOSHEN_TESTS=ON)
  if ! scripts/build.sh "$preset" "${options[@]}"; then
    failed+=("$preset (build)")
    continue
  fi
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error || failed+=("$preset")
done

if [ ${#failed[@]} -ne 0 ]; then
  printf 'test: FAILED: %s\n' "${failed[*]}" >&2
  exit 1
fi
echo "test: all passed"
