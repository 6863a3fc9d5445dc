#!/usr/bin/env python3
"""Proves that the benchmarks notice a library that does not do its work.

For each fault a shared object with one broken routine is loaded before the library; the cases that use the routine must
then fail, and without it they must pass. The same for an MPI, where there is one.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from oshbench.build import BuildError, build_library, build_preload
from oshbench.launch import Effort, list_cases, run_cases
from oshbench.libraries import Library, find_ours, find_peers
from oshbench.probe import defines, probe

BENCH = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Fault:
    """What is wrong, how (C source of the broken routine), and which cases must say so."""

    name: str
    cases: tuple[str, ...]
    source: str
    pes: int = 2
    kind: str = "shmem"


FAULTS = [
    Fault(
        "put moves nothing",
        ("put_quiet", "put_rate"),
        "void shmem_long_put(long* d, const long* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "put forgets the last byte",
        ("put", "put_cold", "put_to_barrier", "put_to_wait", "put_self", "put_static", "bw.put_blocking"),
        "void shmem_putmem(void* d, const void* s, size_t n, int pe)"
        " { void* there = shmem_ptr(d, pe); if (there) memcpy(there, s, n - 1); }",
    ),
    Fault(
        "put forgets a page in the middle",
        ("put",),
        "void shmem_putmem(void* d, const void* s, size_t n, int pe) { char* to = shmem_ptr(d, pe); size_t gap = n / 4;"
        " memcpy(to, s, gap); memcpy(to + gap + 4096, (const char*)s + gap + 4096, n - gap - 4096); }",
    ),
    Fault(
        "p stores at home",
        ("p_rate", "fence", "lock.alone"),
        "void shmem_long_p(long* d, long value, int pe) { (void)pe; *d = value; }",
    ),
    Fault(
        "get moves nothing",
        ("get",),
        "void shmem_long_get(long* d, const long* s, size_t n, int pe) { (void)d; (void)s; (void)n; (void)pe; }",
    ),
    Fault(
        "getmem moves nothing",
        ("getmem", "get", "get_cold", "get_self"),
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
        "barrier and sync of an active set do not wait",
        ("barrier_aset", "sync_aset", "barrier_aset.every_other", "sync_aset.every_other"),
        "#undef shmem_sync\nvoid shmem_barrier(int a, int b, int c, long* s) { (void)a; (void)b; (void)c; (void)s; }\n"
        "void shmem_sync(int a, int b, int c, long* s) { (void)a; (void)b; (void)c; (void)s; }", 4,
    ),
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
        "collect and alltoalls leave out what others give",
        ("collect_aset", "alltoalls_aset"),
        "void shmem_collect64(void* d, const void* s, size_t n, int start, int stride, int size, long* sync)"
        " { (void)start; (void)stride; (void)size; (void)sync; memcpy(d, s, 8 * n); }\n"
        "void shmem_alltoalls64(void* d, const void* s, ptrdiff_t dt, ptrdiff_t st, size_t n, int start, int stride, int size,"
        " long* sync) { (void)dt; (void)st; (void)start; (void)stride; (void)size; (void)sync; memcpy(d, s, 8 * n); }",
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
    Fault("team_sync does not wait", ("sync_all.halves", "sync_all.rows"), "int shmem_team_sync(shmem_team_t t) { (void)t; return 0; }", 4),
    Fault(
        "a reduction on a team is that of one PE",
        ("sum.one_half", "sum.rows", "sum", "sum_in_place"),
        "int shmem_long_sum_reduce(shmem_team_t t, long* d, const long* s, size_t n)"
        " { (void)t; memmove(d, s, n * sizeof *d); return 0; }", 4,
    ),
    Fault(
        "an iput forgets its last element",
        ("strided.iput",),
        "void shmem_long_iput(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t n, int pe)"
        " { long* to = shmem_ptr(d, pe); for (size_t i = 0; i + 1 < n; ++i) to[(long)i * dt] = s[(long)i * st]; }",
    ),
    Fault(
        "an ibput forgets its last block",
        ("strided.ibput", "strided.ibput_blocks"),
        "void shmem_long_ibput(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t b, size_t n, int pe)"
        " { long* to = shmem_ptr(d, pe); for (size_t i = 0; i + 1 < n; ++i)"
        " memcpy(to + (long)i * dt, s + (long)i * st, b * sizeof *s); }",
    ),
    Fault(
        "an ibget brings nothing",
        ("strided.ibget", "strided.ibget_blocks"),
        "void shmem_long_ibget(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t b, size_t n, int pe)"
        " { (void)d; (void)s; (void)dt; (void)st; (void)b; (void)n; (void)pe; }",
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
        "waits for any of a vector do not wait",
        ("wait.any_vector", "wait.test_any_vector"),
        "size_t shmem_long_wait_until_any_vector(long* v, size_t n, const int* s, int c, const long* x)"
        " { (void)v; (void)n; (void)s; (void)c; (void)x; return 0; }\n"
        "size_t shmem_long_test_any_vector(long* v, size_t n, const int* s, int c, const long* x)"
        " { (void)v; (void)n; (void)s; (void)c; (void)x; return 0; }",
    ),
    Fault(
        "waits for some or all of a vector find what has not come",
        ("wait.some_vector", "wait.test_some_vector", "wait.test_all_vector"),
        "size_t shmem_long_wait_until_some_vector(long* v, size_t n, size_t* w, const int* s, int c, const long* x)"
        " { (void)v; (void)s; (void)c; (void)x; for (size_t k = 0; k < n; ++k) w[k] = k; return n; }\n"
        "size_t shmem_long_test_some_vector(long* v, size_t n, size_t* w, const int* s, int c, const long* x)"
        " { (void)v; (void)s; (void)c; (void)x; for (size_t k = 0; k < n; ++k) w[k] = k; return n; }\n"
        "int shmem_long_test_all_vector(long* v, size_t n, const int* s, int c, const long* x)"
        " { (void)v; (void)n; (void)s; (void)c; (void)x; return 1; }",
    ),
    Fault(
        "a wait for all of a vector compares with other values",
        ("wait.all_vector",),
        "void shmem_long_wait_until_all_vector(long* v, size_t n, const int* s, int c, const long* x)"
        " { (void)c; shmem_long_wait_until_all(v, n, s, SHMEM_CMP_GE, x[0] - 1); }",
    ),
    Fault(
        "a put on a context is short by a byte",
        ("mt_lat.put.default.quiet.t1", "mt_bw.put.private.quiet.t2", "mt_rate.halo.put.shared.counter.t2",
         "mt_lat.put.default.pe_quiet.t1", "mt_rate.allstart.put.private.sync.t2", "mt_rate.halo.put.default.pscw.t2",
         "mt_rate.pairs.put.private.lock.t2"),
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
    Fault(
        "a Put forgets the last byte",
        ("put", "pp_flag", *(f"window.put.{kind}.{way}" for kind in ("allocate", "create", "dynamic")
                             for way in ("flush", "flush_all", "flush_local", "flush_local_all", "lock", "lock_all", "fence", "pscw"))),
        "int MPI_Put(const void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w)"
        " { int less = t == MPI_BYTE; return PMPI_Put(o, n - less, t, r, at, m - less, u, w); }",
        kind="mpi",
    ),
    Fault(
        "a Get brings nothing",
        ("get", *(f"window.get.{kind}.{way}" for kind in ("allocate", "create", "dynamic") for way in ("flush", "lock", "fence", "pscw"))),
        "int MPI_Get(void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w)"
        " { (void)o; (void)n; (void)t; (void)r; (void)at; (void)m; (void)u; (void)w; return MPI_SUCCESS; }",
        kind="mpi",
    ),
    Fault(
        "every third Put of threads is lost",
        ("mt_lat.put_nbi.default.flush_all.t1", "mt_bw.put_nbi.default.flush_local.t2", "mt_bw.put_nbi.default.flush_local_all.t1"),
        "int MPI_Put(const void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w)"
        " { static int k; if (__atomic_add_fetch(&k, 1, __ATOMIC_RELAXED) % 3 == 0) return MPI_SUCCESS;"
        " return PMPI_Put(o, n, t, r, at, m, u, w); }",
        kind="mpi",
    ),
    Fault(
        "an Allreduce in place adds nothing",
        ("sum_in_place",),
        "int MPI_Allreduce(const void* s, void* d, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)"
        " { return s == MPI_IN_PLACE ? MPI_SUCCESS : PMPI_Allreduce(s, d, n, t, o, c); }",
        kind="mpi",
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
    an_mpi = [] if args.peer else [peer for peer in find_peers() if peer.kind == "mpi"][:1]
    return 1 if any([went_by(args, each) for each in (library, *an_mpi)]) else 0


def went_by(args: argparse.Namespace, library: Library) -> bool:
    """Whether a fault in this library goes by unnoticed, or a case fails without one."""
    faults = [fault for fault in FAULTS if fault.kind == library.kind]
    built = build_library(BENCH, args.work, library, defines(library, probe(library, args.work)))
    program = built.cases
    print(f"{library.name}, {len(faults)} faults")
    every_case = sorted({case for fault in faults for case in fault.cases})
    if args.peer:  # ours must have them all
        there = {name for each in filter(None, (program, built.threads)) for name, _, _ in list_cases(library, each)}
        lacking = [case for case in every_case if case not in there]
        print(f"--  this library has no {', '.join(lacking) or 'case less than ours'}")
        every_case = [case for case in every_case if case in there]
        faults = [replace(fault, cases=kept) for fault in faults if (kept := tuple(case for case in fault.cases if case in there))]
    threaded = [case for case in every_case if case.startswith("mt_")]
    plain = [case for case in every_case if not case.startswith("mt_")]
    failed = not report("no fault", outcome(library, program, plain, None), [], plain)
    failed |= not report("no fault, threads", outcome(library, built.threads, threaded, None), [], threaded)
    for fault in faults:
        try:
            preload = build_preload(args.work / library.name, library, fault.source)
        except BuildError:
            if not args.peer:
                raise
            print(f"--  {fault.name}: this library has no such routine")
            continue
        chosen = built.threads if fault.cases[0].startswith("mt_") else program
        found = outcome(library, chosen, list(fault.cases), preload, fault.pes)
        failed |= not report(fault.name, found, list(fault.cases), [])
    return failed


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
