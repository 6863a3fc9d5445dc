"""What a run measures. A profile is a list of parts; a part is one program on some numbers of PEs with some cases."""

from __future__ import annotations

from dataclasses import dataclass, field

from .launch import Effort

KIB, MIB = 1 << 10, 1 << 20
OMB_SIZES = tuple(1 << k for k in range(21))
CURVE = (8, 64, 512, 4 * KIB, 32 * KIB, 256 * KIB, MIB)

PT2PT = "put_quiet,get,put,g,p_rate,put_nbi_rate"
PING = "p_wait,put_fence_p,put_signal,pp_flag,pp_signal,pp_get,pp_two_sided"
ATOMICS = "fetch_add,compare_swap,amo.*.64.private"
COLLECTIVES = "barrier_all,sync_all,broadcast*,sum*,fcollect*,collect*,alltoall*"
MAPPED = "broadcast,sum,fcollect,collect,alltoall,barrier_all"
SPANS = "barrier_all,broadcast,sum,fcollect,collect,alltoall"


@dataclass(frozen=True)
class Part:
    """`pes` may hold 0: as many as there are CPUs."""

    program: str  # cases, threads, threads-single (at THREAD_SINGLE), stages, or app:NAME
    pes: tuple[int, ...] = (2,)
    effort: Effort = field(default_factory=Effort)
    timeout: float = 120
    args: tuple[str, ...] = ()  # of an app
    rounds: int | None = None  # fewer than the profile's


@dataclass(frozen=True)
class Profile:
    about: str
    rounds: int
    parts: tuple[Part, ...]
    paper: str = ""  # whose figures it repeats: a key of published.py
    designs: bool = False  # with Oshen kept to each design of collectives as further libraries


def effort(cases: str, batches: int = 7, batch_us: int = 200, quick: bool = True, sizes: tuple[int, ...] = ()) -> Effort:
    return Effort(batches, batch_us, cases, quick, sizes)


ALONE = "mt_lat.put.default.quiet.*,mt_rate.single.put.default.quiet.*,mt_rate.single.put_nbi.default.quiet.*," \
        "mt_bw.put_nbi.default.quiet.*"  # again without threads: what THREAD_MULTIPLE costs one thread

THREADED = ("mt_lat.*", "mt_bw.*", "mt_bibw.*", "mt_rate.*.put", "mt_rate.*.get")
PAPER_SYNCS = ("quiet", "barrier", "flag", "counter", "fence", "pscw", "lock_all")  # passive and active target

# Some tenths of a second for each way to synchronise, alone.
SCALED = (("heat_image", "256 256 400"), ("daxpy", "262144 --steps 60"), ("hpccg", "32 32 32 --steps 60"), ("minife", "16"),
          ("minimd", "8 --steps 50"), ("isx", "262144 --steps 3"))


def scaling() -> tuple[Part, ...]:
    return tuple(Part(f"app:{app}", (1, 2, 4), args=(*size.split(), "--scaling", how), timeout=60)
                 for app, size in SCALED for how in ("strong", "weak"))


def iso_cores() -> tuple[Part, ...]:
    """As many workers in all, as processes and as threads."""
    found = []
    for pes, threads in ((4, 1), (2, 2)):
        cases = ",".join(f"mt_rate.{pattern}.put.*.quiet.t{threads}" for pattern in ("pairs", "allstart", "halo"))
        more = ("--threads", str(threads)) if threads > 1 else ()
        found.append(Part("threads", (pes,), effort(cases, 5, 2000)))
        found += [Part(f"app:{app}", (pes,), args=(*size.split(), "--scaling", "strong", *more), timeout=60)
                  for app, size in SCALED if app in ("heat_image", "hpccg", "minimd")]
    return tuple(found)


PROFILES = {
    "quick": Profile("the main figures of every library here, within a minute", 3, (
        Part("cases", (2,), effort("put_quiet,g,fetch_add,compare_swap,p_wait,put_signal,put_fence_p,barrier_all", 5, 100)),
        Part("cases", (2,), effort("put,get,broadcast,sum,fcollect,alltoall", 4, 100, sizes=(8, 4 * KIB, 64 * KIB)), 40),
        Part("stages", (2,)),
    )),
    "standard": Profile("curves, atomics, collectives, memory, threads; ten minutes for two libraries", 5, (
        Part("cases", (2,), effort(",".join((PT2PT, PING, ATOMICS, "bw.*,bibw.*,rate.*,overlap.*,split.*,lock*")), 7, 200,
                                   sizes=CURVE)),
        Part("cases", (2,), effort(COLLECTIVES, 5, 200, sizes=(8, KIB, 32 * KIB, MIB))),
        Part("cases", (4,), effort(SPANS, 4, 2000, sizes=(8, KIB, 64 * KIB)), 60),
        Part("stages", (1, 2, 4)),
        Part("threads", (2,), effort("mt_rate.*.put.*.quiet.*,mt_lat.put.*.quiet.*,mt_bw.put.*.quiet.*", 5, 200)),
        Part("threads-single", (2,), effort(ALONE, 5, 200)),
        Part("app:heat_image", (2,), args=("256", "256", "500")),
        Part("app:daxpy", (2,)),
        Part("app:hpccg", (2,), args=("32", "32", "32")),
    )),
    "micro": Profile("every micro-benchmark once with its sizes", 3, (
        Part("cases", (2,), effort("*", 7, 200, quick=False), 600),
        Part("stages", (1, 2, 4)),
    )),
    "threads": Profile("the whole cross product of threads", 3, (
        Part("threads", (2,), effort("*", 5, 200, quick=False), 900),
        Part("threads-single", (2,), effort(ALONE, 5, 200)),
    )),
    "iso-cores": Profile("processes or threads: four in all, as 4 x 1 and 2 x 2", 3, iso_cores()),
    "scaling": Profile("mini-apps on 1, 2 and 4 PEs: one problem cut, and one for each", 3, scaling()),
    "paper-libraries": Profile("put, get, atomics, collectives, footprint, heat and DAXPY, and the radar of five axes", 10, (
        Part("cases", (2,), effort("put,get,put_quiet", 10, 200, sizes=OMB_SIZES)),
        Part("cases", (2,), effort("amo.*.32.private,amo.*.64.private,fetch_add,compare_swap", 10, 200)),
        Part("cases", (2,), effort("barrier_all,broadcast*,collect*,fcollect*,sum*", 7, 200, sizes=(8, 64, 512, 4 * KIB, 32 * KIB))),
        Part("cases", (4, 8), effort("barrier_all,broadcast,collect,fcollect,sum", 4, 2000, sizes=(8,)), 120),
        Part("stages", (1, 2, 4, 8)),
        Part("app:heat_image", (1, 2, 4), args=("256", "256", "1000")),
        Part("app:daxpy", (1, 2, 4)),
    ), "libraries"),
    "paper-collectives": Profile("one-sided, two-sided and single-copy collectives: where each wins", 5, (
        Part("cases", (2,), effort(MAPPED, 5, 500, sizes=(8, 64, 512, 4 * KIB, 32 * KIB, 256 * KIB))),
        Part("cases", (4, 8), effort(MAPPED, 4, 2000, sizes=(8, 64, 512, 4 * KIB, 32 * KIB, 256 * KIB))),
    ), "collectives", designs=True),
    "paper-threads": Profile("latency, bandwidth and message rate by threads", 10, (
        Part("threads", (2,), effort(",".join(f"{pattern}.*.{sync}.*" for pattern in THREADED for sync in PAPER_SYNCS), 5, 200, quick=False), 600),
        Part("threads-single", (2,), effort(ALONE, 5, 200)),
    ), "threads"),
    "simulated": Profile("for tests: the simulated library", 4, (
        Part("cases", (2,), effort("*", 8, 300, quick=False)),
    )),
}


def single(case: str, pes: tuple[int, ...], sizes: tuple[int, ...], rounds: int,
           args: tuple[str, ...] = ()) -> Profile:
    """A profile of one case, or of a pattern of cases."""
    first = case.split(",")[0]
    if first.startswith("app."):
        parts = tuple(Part(f"app:{name.removeprefix('app.')}", pes, args=args) for name in case.split(","))
    elif first.startswith(("memory.", "start.")):
        parts = (Part("stages", pes),)
    else:
        program = "cases" if not first.startswith("mt_") else "threads-single" if first.endswith(".single") else "threads"
        parts = (Part(program, pes, effort(case, 15, 300, quick=False, sizes=sizes), 300),)
    return Profile(f"the case {case}", rounds, parts)
