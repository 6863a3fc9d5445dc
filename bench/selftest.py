#!/usr/bin/env python3
"""Proves that the benchmarks notice a library that does not do its work.

For each fault a shared object with one broken routine is loaded before the library; the cases that use the routine must
then fail, and without it they must pass.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from harness.build import build_library, build_preload
from harness.launch import Effort, run_cases
from harness.libraries import Library, find_ours, find_peers

BENCH = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Fault:
    """What is wrong, how (C source of the broken routine), and which cases must say so."""

    name: str
    cases: tuple[str, ...]
    source: str


FAULTS = [
    Fault(
        "put moves nothing",
        ("put_quiet", "put_rate"),
        "void shmem_long_put(long* d, const long* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "put forgets the last byte",
        ("put",),
        "void shmem_putmem(void* d, const void* s, size_t n, int pe) { memcpy(shmem_ptr(d, pe), s, n - 1); }",
    ),
    Fault(
        "put forgets a page in the middle",
        ("put",),
        "void shmem_putmem(void* d, const void* s, size_t n, int pe) { char* to = shmem_ptr(d, pe); size_t gap = n / 4;"
        " memcpy(to, s, gap); memcpy(to + gap + 4096, (const char*)s + gap + 4096, n - gap - 4096); }",
    ),
    Fault(
        "p stores at home",
        ("p_rate", "fence"),
        "void shmem_long_p(long* d, long value, int pe) { (void)pe; *d = value; }",
    ),
    Fault(
        "get moves nothing",
        ("get",),
        "void shmem_long_get(long* d, const long* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "getmem moves nothing",
        ("getmem", "get"),
        "void shmem_getmem(void* d, const void* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "g reads at home",
        ("g", "g_chain"),
        "long shmem_long_g(const long* s, int pe) { (void)pe; return *s; }",
    ),
    Fault(
        "fetch_add does not add",
        ("fetch_add",),
        "long shmem_long_atomic_fetch_add(long* d, long v, int pe) { (void)v; return *(long*)shmem_ptr(d, pe); }",
    ),
    Fault(
        "fetch_add fetches nothing",
        ("fetch_add",),
        "long shmem_long_atomic_fetch_add(long* d, long v, int pe)"
        " { __atomic_fetch_add((long*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST); return 0; }",
    ),
    Fault("barrier does not wait", ("barrier_all",), "void shmem_barrier_all(void) {}"),
    Fault("sync does not wait", ("sync_all",), "void shmem_sync_all(void) {}"),
    Fault(
        "fence lets data come after its flag",
        ("put_fence_p",),
        "void shmem_long_put(long* d, const long* s, size_t n, int pe)"
        " { static long late; (void)n; shmem_long_atomic_set(d, late, pe); late = *s; }",
    ),
    Fault(
        "broadcast moves nothing",
        ("broadcast_aset",),
        "void shmem_broadcast64(void* d, const void* s, size_t n, int root, int start, int stride, int size, long* sync)"
        " { (void)d; (void)s; (void)n; (void)root; (void)start; (void)stride; (void)size; (void)sync; }",
    ),
    Fault(
        "sum adds nothing",
        ("sum_aset",),
        "void shmem_long_sum_to_all(long* d, const long* s, int n, int start, int stride, int size, long* work, long* sync)"
        " { (void)start; (void)stride; (void)size; (void)work; (void)sync; memcpy(d, s, sizeof(long) * (size_t)n); }",
    ),
    Fault(
        "alltoall leaves out the last block",
        ("alltoall_aset",),
        "void shmem_alltoall64(void* d, const void* s, size_t n, int start, int stride, int size, long* sync)"
        " { (void)start; (void)stride; (void)size; (void)sync; memcpy(d, s, 8 * n); }",
    ),
]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--ours", help="directory with our oshcc and oshrun (default: the newest build/*/bin)"
    )
    parser.add_argument(
        "--peer", action="store_true", help="try the faults on Open MPI's library instead of ours"
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=BENCH.parent / "build" / "bench",
        help="where programs are built",
    )
    args = parser.parse_args()
    library = choose(args)
    if library is None:
        print("no OpenSHMEM library found", file=sys.stderr)
        return 2
    program = build_library(BENCH, args.work, library).cases
    every_case = sorted({case for fault in FAULTS for case in fault.cases})
    failed = not all(
        [report("no fault", outcome(library, program, every_case, None), [], every_case)]
    )
    for fault in FAULTS:
        preload = build_preload(args.work / library.name, library, fault.source)
        found = outcome(library, program, list(fault.cases), preload)
        failed |= not report(fault.name, found, list(fault.cases), [])
    return 1 if failed else 0


def choose(args: argparse.Namespace) -> Library | None:
    if args.peer:
        return next((peer for peer in find_peers() if peer.kind == "shmem"), None)
    return find_ours(BENCH.parent, args.ours)


def outcome(
    library: Library, program: Path, cases: list[str], preload: Path | None
) -> dict[str, bool]:
    """For each case that was run whether all its batches were right."""
    front = ["env", f"LD_PRELOAD={preload}"] if preload else ["env"]
    command = [library.launcher, *library.launcher_args, "-n", "2", *front, str(program)]
    effort = Effort(batches=3, batch_us=200, cases=",".join(cases))
    run = run_cases(command, library.env, sorted(os.sched_getaffinity(0))[:2], effort, timeout=60)
    right: dict[str, bool] = {}
    for record in run.records:
        right[record["case"]] = right.get(record["case"], True) and record["ok"]
    return right


def report(title: str, found: dict[str, bool], must_fail: list[str], must_pass: list[str]) -> bool:
    """A case that was not run at all counts as not noticed."""
    unnoticed = [case for case in must_fail if found.get(case, True)]
    broken = [case for case in must_pass if not found.get(case, False)]
    problem = "".join(
        [
            f"  NOT NOTICED by {', '.join(unnoticed)}" if unnoticed else "",
            f"  FAILED: {', '.join(broken)}" if broken else "",
        ]
    )
    print(
        f"{'ok ' if not problem else 'BAD'} {title}: {', '.join(must_fail) or 'all cases right'}{problem}"
    )
    return not problem


if __name__ == "__main__":
    sys.exit(main())
