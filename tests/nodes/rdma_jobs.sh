#!/usr/bin/env bash
# The jobs of `ninja rdma`, on the emulated machine: rdma_jobs.sh BUILD [TRANSPORT [PROGRAM ...]]
#
# Over libfabric's verbs (the default, TRANSPORT=ofi:verbs) the conformance suite. Then LAMMPS with two ranks, which
# compares every remap with its own, and programs of tests/spec with two PEs. The ranks and PEs reach each other by the
# card only. Without PROGRAM a selection runs; `all` runs every program but wait_by_testing, which limits CPU time;
# with PART=98/99 in the environment each of them once (two hours), else with all its settings.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 transport=${2:-ofi:verbs}
shift $(($# < 2 ? $# : 2))
programs=("$@")
[ $# -gt 0 ] || programs=(rma_put_get_sizes rma_iput rma_put_nbi_types amo_nbi_matrix signal_put_types
  order_put_fence_flag order_put_signal coll_alltoall coll_reduce_types coll_back_to_back coll_same_dest nb_collectives
  lock_fifo progress_passive_target threads_rma_amo)
export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
failed=0
lmp=$(ls "$here/../../../.venv/bin/lmp" 2>/dev/null || command -v lmp)

report() {  # STATUS WHAT
  printf '%s: %s (%d s)\n' "$2" "$([ "$1" -eq 0 ] && echo passed || echo "failed, status $1")" $((SECONDS - began))
  [ "$1" -eq 0 ] || failed=1
  began=$SECONDS
}

began=$SECONDS
OSHEN_TRANSPORT=$transport "$build/bin/oshinfo" --transport | grep -E '(verbs|rc).* on rxe0.*: chosen'
report $? 'the card is chosen'
if [ "${transport%%:*}" = ofi ]; then
  CONFORMANCE_OPTIONS=${transport#ofi:} "$build/bin/conformance" --gtest_brief=1 --gtest_filter='*/ofi'
  report $? conformance
fi
lammps() {  # equal or not: its report says so
  local work status
  work=$(mktemp -d)
  python3 -B -c 'import lammps_inputs; print(lammps_inputs.salt(steps=2))' >"$work/in.salt"
  OSHEN_NODE_PES=1 OSHEN_TRANSPORT=$transport OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    timeout 900 "$build/bin/oshen-lammps" -n 2 --lmp "$lmp" --mode check -- -in "$work/in.salt" -log none >"$work/out" 2>&1
  status=$?
  grep '^oshen-lammps:' "$work/out" || tail -n 20 "$work/out"
  [ $status -eq 0 ] && grep -Eq ': [1-9][0-9]* remaps compared .* all equal bit for bit' "$work/out"
  status=$?
  rm -r "$work"
  return $status
}
if [ -n "$lmp" ]; then
  PYTHONPATH=$here/../../scripts lammps
  report $? LAMMPS
else
  echo 'LAMMPS: skipped: scripts/setup.sh run or test installs it'
fi
only=(--only "${programs[@]}")
[ "${programs[0]}" != all ] || only=(--but wait_by_testing)
python3 -B "$here/../run.py" "$here/virtual/run_nodes.py" --oshrun "$build/bin/oshrun" --programs "$build/tests/spec" --node-pes 1 \
  --pes 2 --part "${PART:-0/1}" --limit 1200 --transport "$transport" "$here"/../../spec/*.c "${only[@]}"
report $? tests/spec
exit $failed
