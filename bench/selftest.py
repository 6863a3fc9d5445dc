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

from oshbench.build import build_library, build_preload
from oshbench.launch import Effort, run_cases
from oshbench.libraries import Library, find_ours, find_peers

BENCH = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Fault:
    """What is wrong, how (C source of the broken routine), and which cases must say so."""

    name: str
    cases: tuple[str, ...]
    source: str
    pes: int = 2


FAULTS = [
    Fault(
        "put moves nothing",
        ("put_quiet", "put_rate"),
        "void shmem_long_put(long* d, const long* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "put forgets the last byte",
        ("put", "put_cold", "put_to_barrier", "put_to_wait"),
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
        ("getmem", "get", "get_cold"),
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
    Fault(
        "non-blocking puts move nothing",
        ("bw.put", "bibw.put", "put_nbi", "fan_in", "fan_out", "split.put", "overlap.put"),
        "void shmem_putmem_nbi(void* d, const void* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "every fiftieth non-blocking put is dropped",
        ("bw.put", "bibw.put"),
        "void shmem_putmem_nbi(void* d, const void* s, size_t n, int pe)"
        " { static long k; if (++k % 50) memcpy(shmem_ptr(d, pe), s, n); }",
    ),
    Fault(
        "a non-blocking put is short by a byte",
        ("bw.put", "bibw.put", "put_nbi", "fan_out"),
        "void shmem_putmem_nbi(void* d, const void* s, size_t n, int pe) { memcpy(shmem_ptr(d, pe), s, n - 1); }",
    ),
    Fault(
        "non-blocking gets bring what was there before",
        ("bw.get", "bibw.get", "get_nbi", "overlap.get"),
        "void shmem_getmem_nbi(void* d, const void* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "a flag comes before its data",
        ("pp_flag",),
        "void shmem_putmem(void* d, const void* s, size_t n, int pe)"
        " { static char late[1 << 20]; static void* at; static size_t had;"
        " if (at) memcpy(shmem_ptr(at, pe), late, had); at = d; had = n; memcpy(late, s, n); }",
    ),
    Fault(
        "a signal comes before its data",
        ("pp_signal",),
        "void shmem_putmem_signal(void* d, const void* s, size_t n, uint64_t* sig, uint64_t v, int op, int pe)"
        " { (void)op; __atomic_store_n((uint64_t*)shmem_ptr(sig, pe), v, __ATOMIC_RELEASE);"
        " for (volatile int i = 0; i < 100000; ++i) {} memcpy(shmem_ptr(d, pe), s, n); }",
    ),
    Fault(
        "every hundredth atomic add is lost",
        ("amo.add.64.private", "amo.add.64.same", "amo.add.64.incast"),
        "void shmem_ulong_atomic_add(unsigned long* d, unsigned long v, int pe)"
        " { static int k; if (++k % 100) __atomic_fetch_add((unsigned long*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST); }",
    ),
    Fault(
        "an atomic increment is not atomic",
        ("amo.fetch_inc.64.incast",),
        "unsigned long shmem_ulong_atomic_fetch_inc(unsigned long* d, int pe)"
        " { volatile unsigned long* at = shmem_ptr(d, pe); unsigned long old = *at;"
        " for (volatile int i = 0; i < 20; ++i) {} *at = old + 1; return old; }",
    ),
    Fault(
        "a compare and swap swaps whatever was there, and an xor is an or",
        ("amo.compare_swap.64.incast", "amo.fetch_xor.32.private"),
        "unsigned long shmem_ulong_atomic_compare_swap(unsigned long* d, unsigned long c, unsigned long v, int pe)"
        " { (void)v; unsigned long* at = shmem_ptr(d, pe); *at += 2; return c; }\n"
        "unsigned shmem_uint_atomic_fetch_xor(unsigned* d, unsigned v, int pe)"
        " { return __atomic_fetch_or((unsigned*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST); }",
    ),
    Fault("team_sync does not wait", ("sync_all.halves",), "int shmem_team_sync(shmem_team_t t) { (void)t; return 0; }", 4),
    Fault(
        "a reduction on a team is that of one PE",
        ("sum.one_half", "sum"),
        "int shmem_long_sum_reduce(shmem_team_t t, long* d, const long* s, size_t n)"
        " { (void)t; memcpy(d, s, n * sizeof *d); return 0; }", 4,
    ),
    Fault(
        "an iput forgets its last element",
        ("strided.iput",),
        "void shmem_long_iput(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t n, int pe)"
        " { long* to = shmem_ptr(d, pe); for (size_t i = 0; i + 1 < n; ++i) to[(long)i * dt] = s[(long)i * st]; }",
    ),
    Fault(
        "a lock lets everybody in",
        ("lock.contended",),
        "void shmem_set_lock(long* l) { (void)l; }\nvoid shmem_clear_lock(long* l) { (void)l; }",
    ),
    Fault(
        "wait_until_any does not wait",
        ("wait.any",),
        "size_t shmem_long_wait_until_any(long* v, size_t n, const int* s, int c, long x)"
        " { (void)v; (void)n; (void)s; (void)c; (void)x; return 0; }",
    ),
    Fault(
        "test_all says yes at once, wait_until_all_vector does not wait",
        ("wait.test_all", "wait.all_vector"),
        "int shmem_long_test_all(long* v, size_t n, const int* s, int c, long x)"
        " { (void)v; (void)n; (void)s; (void)c; (void)x; return 1; }\n"
        "void shmem_long_wait_until_all_vector(long* v, size_t n, const int* s, int c, const long* x)"
        " { (void)v; (void)n; (void)s; (void)c; (void)x; }",
    ),
    Fault(
        "test_some finds what has not come",
        ("wait.test_some",),
        "size_t shmem_long_test_some(long* v, size_t n, size_t* w, const int* s, int c, long x)"
        " { (void)v; (void)s; (void)c; (void)x; for (size_t k = 0; k < n; ++k) w[k] = k; return n; }",
    ),
    Fault(
        "a put on a context is short by a byte",
        ("mt_lat.put.default.quiet.t1", "mt_bw.put.private.quiet.t2", "mt_rate.halo.put.shared.counter.t2"),
        "void shmem_ctx_putmem(shmem_ctx_t c, void* d, const void* s, size_t n, int pe)"
        " { (void)c; memcpy(shmem_ptr(d, pe), s, n - 1); if (n > 8) return; memset((char*)shmem_ptr(d, pe), 0, 1); }",
    ),
    Fault(
        "gets on a context bring nothing",
        ("mt_lat.get.default.quiet.t1", "mt_rate.single.get.private.quiet.t2"),
        "void shmem_ctx_getmem(shmem_ctx_t c, void* d, const void* s, size_t n, int pe)"
        " { (void)c; (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "an atomic of threads loses every hundredth",
        ("mt_rate.single.fetch_add.default.quiet.t2",),
        "long shmem_ctx_long_atomic_fetch_add(shmem_ctx_t c, long* d, long v, int pe)"
        " { (void)c; static int k; if (__atomic_add_fetch(&k, 1, __ATOMIC_RELAXED) % 100 == 0) return 0;"
        " return __atomic_fetch_add((long*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST); }",
    ),
    Fault(
        "every value is one too small by p of int",
        ("elem.int_p",),
        "void shmem_int_p(int* d, int v, int pe) { *(int*)shmem_ptr(d, pe) = v - 1; }",
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
    built = build_library(BENCH, args.work, library)
    program = built.cases
    every_case = sorted({case for fault in FAULTS for case in fault.cases})
    threaded = [case for case in every_case if case.startswith("mt_")]
    plain = [case for case in every_case if not case.startswith("mt_")]
    failed = not report("no fault", outcome(library, program, plain, None), [], plain)
    failed |= not report("no fault, threads", outcome(library, built.threads, threaded, None), [], threaded)
    for fault in FAULTS:
        preload = build_preload(args.work / library.name, library, fault.source)
        chosen = built.threads if fault.cases[0].startswith("mt_") else program
        found = outcome(library, chosen, list(fault.cases), preload, fault.pes)
        failed |= not report(fault.name, found, list(fault.cases), [])
    return 1 if failed else 0


def choose(args: argparse.Namespace) -> Library | None:
    if args.peer:
        return next((peer for peer in find_peers() if peer.kind == "shmem"), None)
    return find_ours(BENCH.parent, args.ours)


def outcome(
    library: Library, program: Path, cases: list[str], preload: Path | None, pes: int = 2
) -> dict[str, bool]:
    """For each case that was run whether all its batches were right."""
    front = ["env", f"LD_PRELOAD={preload}"] if preload else ["env"]
    command = library.command(pes, front[0], [*front[1:], str(program)])
    effort = Effort(batches=2, batch_us=100, cases=",".join(cases))
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
