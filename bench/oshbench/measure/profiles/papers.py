"""The figures of three papers, measured here. bench/record/papers.py puts the published results beside them."""

from __future__ import annotations

from ..profile import KIB, Part, Profile, effort
from .suites import ALONE, OMB_SIZES

MAPPED = "broadcast,sum,fcollect,collect,alltoall,barrier_all"
THREADED = ("mt_lat.*", "mt_bw.*", "mt_bibw.*", "mt_rate.*.put", "mt_rate.*.get")
PAPER_SYNCS = ("quiet", "barrier", "flag", "counter", "fence", "pscw", "lock_all")  # passive and active target
THREAD_CASES = ",".join(f"{pattern}.*.{sync}.*" for pattern in THREADED for sync in PAPER_SYNCS)

PROFILES = {
    "paper-libraries": Profile("put, get, atomics, collectives, footprint, heat and DAXPY, and the radar of five axes",
                               10, (
        Part("cases", (2,), effort("put,get,put_quiet", 10, 200, sizes=OMB_SIZES)),
        Part("cases", (2,), effort("amo.*.32.private,amo.*.64.private,fetch_add,compare_swap", 10, 200)),
        Part("cases", (2,), effort("barrier_all,broadcast*,collect*,fcollect*,sum*", 7, 200,
                                   sizes=(8, 64, 512, 4 * KIB, 32 * KIB))),
        Part("cases", (4, 8), effort("barrier_all,broadcast,collect,fcollect,sum", 4, 2000, sizes=(8,)), 120),
        Part("stages", (1, 2, 4, 8)),
        Part("app:heat_image", (1, 2, 4), args=("256", "256", "1000")),
        Part("app:daxpy", (1, 2, 4)),
    )),
    "paper-collectives": Profile("one-sided, two-sided and single-copy collectives: where each wins", 5, (
        Part("cases", (2,), effort(MAPPED, 5, 500, sizes=(8, 64, 512, 4 * KIB, 32 * KIB, 256 * KIB))),
        Part("cases", (4, 8), effort(MAPPED, 4, 2000, sizes=(8, 64, 512, 4 * KIB, 32 * KIB, 256 * KIB))),
    ), designs=True),
    "paper-threads": Profile("latency, bandwidth and message rate by threads", 10, (
        Part("threads", (2,), effort(THREAD_CASES, 5, 200, quick=False), 600),
        Part("threads-single", (2,), effort(ALONE, 5, 200)),
    )),
}
