#!/usr/bin/env bash
# Builds and tests.
#
#   scripts/test.sh          the tests of `make test`: the release build, without the tests of labels `long` and `nightly`
#   scripts/test.sh rest     those that `make test-all` adds: label `long`, and the unit tests under the sanitizers
#   scripts/test.sh nightly  those of `make test-nightly`: label `nightly`, and a build of everything with clang
#
# tests/selection/CMakeLists.txt says which tests are long or nightly. Every part runs even if others fail. The exit status is 0 if all
# tests passed and no test is missing. With CI in the environment, no test may be skipped for a reason that is not on the
# list either.
# A test that exceeded its limit is run once more, alone, because the machine may have stalled; the script names such tests
# at the end. A test that gave a wrong result or crashed is not run again, because its fault may not show a second time.
# The sanitizer builds take the CPU time that the tests of the release build leave.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
unsteady=()

# failures LOG: the tests that failed according to this output of ctest, each as "name (reason)".
failures() {
  sed -n '/^The following tests FAILED:/,$p' "$1" | sed -nE 's/^[[:space:]]+[0-9]+ - (.+ \([^()]+\)).*/\1/p'
}

# run_tests PRESET RAN [ctest's options ...]: runs tests and writes RAN.log and RAN.xml. Four at a time on two CPUs, or two
# that declare to need both, because most tests wait more than they compute. If time-outs are the only failures, runs those
# tests again, one at a time.
run_tests() {
  local folder=build/$1 ran=build/$1/$2 names wrong
  shift 2
  rm -f "$ran".{log,xml}
  ctest --test-dir "$folder" "$@" -j 4 --output-on-failure --no-tests=error --output-junit "$PWD/$ran.xml" \
    --test-output-size-passed 1000000 --output-log "$PWD/$ran.log" && return
  [ -f "$ran.log" ] || return 1
  names=$(failures "$ran.log")
  wrong=$(grep -v ' (Timeout)$' <<<"$names")
  if [ -z "$names" ] || [ -n "$wrong" ]; then
    [ -z "$wrong" ] || printf 'test: not a time-out, so not run again: %s\n' "${wrong//$'\n'/, }"
    return 1
  fi
  printf 'test: once more, because of a time-out: %s\n' "${names//$'\n'/, }"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --rerun-failed -j 1 || return 1
  unsteady+=("${names//$'\n'/, }")
}

# test_preset PRESET RAN [ctest's options ...]: runs tests of a build, and looks for tests that are missing.
test_preset() {
  local preset=$1 ran=$2
  run_tests "$@" || failed+=("$preset")
  scripts/check_tests.py "build/$preset" "tests/gates/counts/$preset.txt" --ran "build/$preset/$ran.xml" ||
    failed+=("$preset (tests missing or skipped)")
}

# build_sanitizers: builds in a process group of its own, which ends with this script, and leaves the status of each build.
build_sanitizers() {
  set -m
  for preset in asan tsan; do
    nice -n 19 scripts/build.sh "$preset" >"build/$preset.said" 2>&1
    echo $? >"build/$preset.status"
  done </dev/null &
  builder=$!
  set +m
  trap 'kill -- -"$builder" 2>/dev/null' EXIT
}

# test_quick: the tests of `make test`, and the programs that they need.
test_quick() {
  if scripts/build.sh release -DOSHEN_TESTS=ON -- test_programs; then
    test_preset release ran -LE '^(long|nightly)$'
  else
    failed+=("release (build)")
  fi
}

# test_nightly: the nightly tests of the release build, and whether all compiles with clang.
test_nightly() {
  if scripts/build.sh release -DOSHEN_TESTS=ON; then
    test_preset release ran-nightly -L '^nightly$'
  else
    failed+=("release (build)")
  fi
  scripts/build.sh clang -DOSHEN_TESTS=ON || failed+=("clang (build)")
}

# test_rest: the long tests of the release build beside the builds of the sanitizers, then the tests of those.
test_rest() {
  rm -f build/{asan,tsan}.status
  if scripts/build.sh release -DOSHEN_TESTS=ON; then
    build_sanitizers
    test_preset release ran-long -L '^long$'
  else
    failed+=("release (build)")
    build_sanitizers
  fi
  for preset in asan tsan; do
    until [ -f "build/$preset.status" ] || ! kill -0 "$builder" 2>/dev/null; do sleep 0.2; done
    cat "build/$preset.said"
    if [ "$(cat "build/$preset.status" 2>/dev/null)" = 0 ]; then
      test_preset "$preset" ran
    else
      failed+=("$preset (build)")
    fi
  done
  wait "$builder"
  trap - EXIT
}

mkdir -p build
case ${1:-} in
  '') test_quick ;;
  rest) test_rest ;;
  nightly) test_nightly ;;
  *)
    echo "test: nothing, 'rest' or 'nightly' is expected, not '$1'" >&2
    exit 2
    ;;
esac

[ ${#unsteady[@]} -eq 0 ] || printf 'test: took too long at first, passed by themselves: %s\n' "${unsteady[*]}" >&2
if [ ${#failed[@]} -ne 0 ]; then
  printf 'test: FAILED: %s\n' "${failed[*]}" >&2
  exit 1
fi
echo "test: all passed"
