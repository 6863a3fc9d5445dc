#!/usr/bin/env bash
# Builds and tests: the release build with everything, the sanitizer builds with the unit tests.
# Every part runs, whatever the others do; the exit status is 0 if all passed, and no test is missing (in CI, that is
# with CI in the environment: or was skipped for a reason that is not on the list). Tests that fail are run once more, by
# themselves: a machine that stood still for a minute fails nobody, and those that pass only then are named at the end.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
unsteady=()

# run_tests PRESET: all of them, two at a time (what needs both CPUs says so to ctest); those that failed a second time, with nothing beside them.
run_tests() {
  local folder=build/$1 names
  rm -f "$folder/Testing/Temporary/LastTestsFailed.log"
  ctest --test-dir "$folder" -j 2 --output-on-failure --no-tests=error --output-junit "$PWD/$folder/ran.xml" \
    --test-output-size-passed 1000000 && return
  [ -s "$folder/Testing/Temporary/LastTestsFailed.log" ] || return 1
  names=$(cut -d: -f2 "$folder/Testing/Temporary/LastTestsFailed.log" | paste -sd ' ')
  printf 'test: once more: %s\n' "$names"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --rerun-failed -j 1 || return 1
  unsteady+=("$names")
}

for preset in release asan tsan; do
  options=()
  [ "$preset" = release ] && options=(-DOSHEN_TESTS=ON)
  if ! scripts/build.sh "$preset" "${options[@]}"; then
    failed+=("$preset (build)")
    continue
  fi
  run_tests "$preset" || failed+=("$preset")
  scripts/check_tests.py "build/$preset" "tests/names/$preset.txt" --ran "build/$preset/ran.xml" ||
    failed+=("$preset (tests missing or skipped)")
done

[ ${#unsteady[@]} -eq 0 ] || printf 'test: unsteady, passed when run by themselves: %s\n' "${unsteady[*]}" >&2
if [ ${#failed[@]} -ne 0 ]; then
  printf 'test: FAILED: %s\n' "${failed[*]}" >&2
  exit 1
fi
echo "test: all passed"
