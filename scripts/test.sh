#!/usr/bin/env bash
# Builds and tests: the release build with everything, the sanitizer builds with the unit tests.
# Every part runs even if others fail. The exit status is 0 if all tests passed and no test is missing. With CI in the
# environment, no test may be skipped for a reason that is not on the list either.
# A test that exceeded its limit is run once more, alone, because the machine may have stalled; the script names such tests
# at the end. A test that gave a wrong result or crashed is not run again, because its fault may not show a second time.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
unsteady=()

# failures LOG: the tests that failed according to this output of ctest, each as "name (reason)".
failures() {
  sed -n '/^The following tests FAILED:/,$p' "$1" | sed -nE 's/^[[:space:]]+[0-9]+ - (.+ \([^()]+\)).*/\1/p'
}

# run_tests PRESET: runs all tests. Four at a time on two CPUs, or two that declare to need both, because most tests wait
# more than they compute. If time-outs are the only failures, runs those tests again, one at a time.
run_tests() {
  local folder=build/$1 names wrong
  rm -f "$folder/ran.log"
  ctest --test-dir "$folder" -j 4 --output-on-failure --no-tests=error --output-junit "$PWD/$folder/ran.xml" \
    --test-output-size-passed 1000000 --output-log "$PWD/$folder/ran.log" && return
  [ -f "$folder/ran.log" ] || return 1
  names=$(failures "$folder/ran.log")
  wrong=$(grep -v ' (Timeout)$' <<<"$names")
  if [ -z "$names" ] || [ -n "$wrong" ]; then
    [ -z "$wrong" ] || printf 'test: not a time-out, so not run again: %s\n' "${wrong//$'\n'/, }"
    return 1
  fi
  printf 'test: once more, because of a time-out: %s\n' "${names//$'\n'/, }"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --rerun-failed -j 1 || return 1
  unsteady+=("${names//$'\n'/, }")
}

for preset in release asan tsan; do
  options=()
  [ "$preset" = release ] && options=(-DOSHEN_TESTS=ON)
  if ! scripts/build.sh "$preset" "${options[@]}"; then
    failed+=("$preset (build)")
    continue
  fi
  run_tests "$preset" || failed+=("$preset")
  scripts/check_tests.py "build/$preset" "tests/gates/names/$preset.txt" --ran "build/$preset/ran.xml" ||
    failed+=("$preset (tests missing or skipped)")
done

[ ${#unsteady[@]} -eq 0 ] || printf 'test: took too long at first, passed by themselves: %s\n' "${unsteady[*]}" >&2
if [ ${#failed[@]} -ne 0 ]; then
  printf 'test: FAILED: %s\n' "${failed[*]}" >&2
  exit 1
fi
echo "test: all passed"
