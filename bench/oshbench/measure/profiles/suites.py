"""Profiles for users: selections of cases for every library of this machine."""

from __future__ import annotations

from ..profile import KIB, MIB, Part, Profile, effort

OMB_SIZES = tuple(1 << k for k in range(21))
CURVE = (8, 64, 512, 4 * KIB, 32 * KIB, 256 * KIB, MIB)

PT2PT = "put_quiet,get,put,g,p_rate,put_nbi_rate"
PING = "p_wait,put_fence_p,put_signal,pp_flag,pp_signal,pp_get,pp_two_sided"
ATOMICS = "fetch_add,compare_swap,amo.*.64.private"
COLLECTIVES = "barrier_all,sync_all,broadcast*,sum*,fcollect*,collect*,alltoall*"
SPANS = "barrier_all,broadcast,sum,fcollect,collect,alltoall"


ALONE = "mt_lat.put.default.quiet.*,mt_rate.single.put.default.quiet.*,mt_rate.single.put_nbi.default.quiet.*," \
        "mt_bw.put_nbi.default.quiet.*"  # again without threads, for the cost of THREAD_MULTIPLE

QUICK_SECONDS = 20  # ten times what a launch takes: a library that hangs costs make bench five minutes at most

# Sizes that take some tenths of a second for each synchronisation on one PE.
SCALED = (("heat_image", "256 256 400"), ("daxpy", "262144 --steps 60"), ("hpccg", "32 32 32 --steps 80"),
          ("minife", "16"),
          ("minimd", "8 --steps 50"), ("isx", "262144 --steps 3"))


def scaling() -> tuple[Part, ...]:
    return tuple(Part(f"app:{app}", (1, 2, 4), args=(*size.split(), "--scaling", how), timeout=60)
                 for app, size in SCALED for how in ("strong", "weak"))


def iso_cores() -> tuple[Part, ...]:
    """The same number of workers as processes and as threads."""
    parts = []
    for pes, threads in ((4, 1), (2, 2)):
        cases = ",".join(f"mt_rate.{pattern}.put.*.quiet.t{threads}" for pattern in ("pairs", "allstart", "halo"))
        more = ("--threads", str(threads)) if threads > 1 else ()
        parts.append(Part("threads", (pes,), effort(cases, 5, 2000)))
        parts += [Part(f"app:{app}", (pes,), args=(*size.split(), "--scaling", "strong", *more), timeout=60)
                  for app, size in SCALED if app in ("heat_image", "hpccg", "minimd")]
    return tuple(parts)


PROFILES = {
    "quick": Profile(
        "the main figures of every library here, within two minutes",
        5,
        (
            Part(
                "cases",
                (2,),
                effort(
                    "put_quiet,g,fetch_add,compare_swap,amo.add.64.private,amo.swap.64.private,amo.fetch.64.private,"
                    "amo.compare_swap.64.private,p_wait,put_signal,put_fence_p,barrier_all",
                    5,
                    100,
                ),
                QUICK_SECONDS,
            ),
            Part(
                "cases",
                (2,),
                effort("put,get,broadcast,sum,fcollect,alltoall", 4, 100, sizes=(8, 4 * KIB, 64 * KIB)),
                QUICK_SECONDS,
            ),
            Part("stages", (2,), timeout=QUICK_SECONDS),
        ),
    ),
    "standard": Profile(
        "curves, atomics, collectives, memory, threads; ten minutes for two libraries",
        5,
        (
            Part(
                "cases",
                (2,),
                effort(
                    ",".join((PT2PT, PING, ATOMICS, "bw.*,bibw.*,rate.*,overlap.*,split.*,lock*")), 7, 200, sizes=CURVE
                ),
            ),
            Part("cases", (2,), effort(COLLECTIVES, 5, 200, sizes=(8, KIB, 32 * KIB, MIB))),
            Part("cases", (4,), effort(SPANS, 4, 2000, sizes=(8, KIB, 64 * KIB)), 60),
            Part("stages", (1, 2, 4)),
            Part("threads", (2,), effort("mt_rate.*.put.*.quiet.*,mt_lat.put.*.quiet.*,mt_bw.put.*.quiet.*", 5, 200)),
            Part("threads-single", (2,), effort(ALONE, 5, 200)),
            Part("app:heat_image", (2,), args=("256", "256", "500")),
            Part("app:daxpy", (2,)),
            Part("app:hpccg", (2,), args=("32", "32", "32")),
        ),
    ),
    "micro": Profile(
        "every micro-benchmark once with its sizes",
        5,
        (Part("cases", (2,), effort("*", 7, 200, quick=False), 600), Part("stages", (1, 2, 4))),
    ),
    "threads": Profile(
        "the whole cross product of threads",
        5,
        (
            Part("threads", (2,), effort("*", 5, 200, quick=False), 900),
            Part("threads-single", (2,), effort(ALONE, 5, 200)),
        ),
    ),
    "iso-cores": Profile("processes or threads: four in all, as 4 x 1 and 2 x 2", 5, iso_cores()),
    "scaling": Profile("mini-apps on 1, 2 and 4 PEs: strong and weak scaling", 5, scaling()),
    "simulated": Profile(
        "for tests: the simulated library", 4, (Part("cases", (2,), effort("*", 8, 300, quick=False)),)
    ),
}
