"""What the cases mean: on which axis of the radar they stand, what to call them, what their number is.

The names of cases have parts: NAME, or NAME.PART.PART where one function serves many rows (amo.add.64.incast); a suffix
that an engine adds (_span, _local) belongs to the last part."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

AXES = {
    "pt2pt": "point to point",
    "atomics": "atomics",
    "collectives": "collectives",
    "memory": "memory",
    "apps": "applications",
    "sync": "synchronisation",
    "threads": "threads",
    "manage": "start-up and management",
}
ALL_OTHERS = -1  # as many streams as there are other PEs
RADAR = ("pt2pt", "atomics", "collectives", "memory", "apps")


@dataclass(frozen=True)
class Kind:
    """Rows whose case matches `pattern`. `streams` is how many messages of `size` bytes one operation moves at once;
    0 where bytes per second mean nothing. `completion` says what has happened when the clock stops."""

    pattern: str
    axis: str
    about: str
    completion: str = "remote"
    streams: int = 0
    omb: str = ""  # the test of OMB that prints the same
    radar: bool = False
    counts: str = ""  # of what a size is the number, where it is none of bytes


APPS = {
    "heat_image": "heat on a plate", "daxpy": "vectors on a ring", "hpccg": "conjugate gradients", "minife": "finite elements",
    "minimd": "molecular dynamics", "remap3d": "a 3-D grid turned, as in an FFT", "prk_stencil": "a star-shaped stencil",
    "prk_p2p": "a wave across the PEs", "prk_transpose": "a matrix transposed", "gups": "random updates", "isx": "sorting of integers",
    "bale_histogram": "random counters", "bale_gather": "random reads", "bale_permute": "a sparse matrix permuted",
    "bale_transpose": "a sparse matrix transposed", "bale_toposort": "topological sorting", "bale_triangles": "triangles of a graph",
}

KINDS = (
    Kind("put_quiet", "pt2pt", "put of 8 bytes, completed", radar=True),
    Kind("putmem_quiet", "pt2pt", "the same through putmem"),
    Kind("put_rate", "pt2pt", "puts of 8 bytes, one after the other", "injected"),
    Kind("put_nbi_rate", "pt2pt", "non-blocking puts of 8 bytes", "injected"),
    Kind("putmem_rate", "pt2pt", "the same through putmem", "injected"),
    Kind("p_static", "pt2pt", "p to static data", "injected"),
    Kind("p_rate", "pt2pt", "p of a long", "injected"),
    Kind("elem.*", "pt2pt", "an element of each type by p or g"),
    Kind("g_chain", "pt2pt", "g, each from where the last one said", "local"),
    Kind("g", "pt2pt", "one number fetched", "local"),
    Kind("getmem", "pt2pt", "get of 8 bytes through getmem", "local"),
    Kind("ptr_*", "pt2pt", "load and store through shmem_ptr", "local", 1),
    Kind("put_to_*", "sync", "put to a PE that waits or computes (progress)", "remote", 1),
    Kind("add_to_*", "sync", "atomic on a PE that waits or computes (progress)"),
    Kind("put_signal*", "sync", "put with signal, one way", "notified"),
    Kind("put_fence_p", "sync", "put, fence, flag; one way", "notified"),
    Kind("window.*", "pt2pt", "put and get of MPI by kind of window and synchronisation", "remote", 1),
    Kind("put", "pt2pt", "put, completed", "remote", 1, "Put", radar=True),
    Kind("get", "pt2pt", "get", "local", 1, "Get", radar=True),
    Kind("*_self", "pt2pt", "put to and get from oneself", "remote", 1),
    Kind("put_static", "pt2pt", "put to static data", "remote", 1),
    Kind("put_nbi", "pt2pt", "non-blocking put, completed", "remote", 1, "Put Nonblocking"),
    Kind("get_nbi", "pt2pt", "non-blocking get, completed", "local", 1, "Get Nonblocking"),
    Kind("put_cold", "pt2pt", "put of what is in no cache, completed", "remote", 1),
    Kind("get_cold", "pt2pt", "get of what is in no cache", "local", 1),
    Kind("pp_*", "sync", "ping-pong, one way", "notified", 1, radar=True),
    Kind("p_wait*", "sync", "a word and a wait, one way", "notified"),
    Kind("atomic_set_wait", "sync", "atomic set and a wait, one way", "notified"),
    Kind("bw.put_blocking", "pt2pt", "bandwidth, puts that block", "remote", 1),
    Kind("bw.*", "pt2pt", "bandwidth, 64 in a window", "remote", 1, radar=True),
    Kind("bibw.*", "pt2pt", "bandwidth in both directions", "remote", 2),
    Kind("fan_*", "pt2pt", "all to one or one to all", "remote", ALL_OTHERS),
    Kind("rate.*", "pt2pt", "8 bytes, by the length of the window", "remote", counts="{} at once"),
    Kind("overlap.*", "pt2pt", "communication hidden behind computation"),
    Kind("split.*", "pt2pt", "starting and completing, apart"),
    Kind("strided.*_blocks", "pt2pt", "every other block, by its length", "remote", counts="blocks of {}"),
    Kind("strided.*", "pt2pt", "every s-th element, by the stride", "remote", counts="stride {}"),
    Kind("fence*", "sync", "fence", "local"),
    Kind("order.*", "sync", "fence and quiet after puts to several PEs", "remote"),
    Kind("wait.*", "sync", "waits for sets of flags", "notified", counts="{} flags"),
    Kind("amo.*", "atomics", "one atomic by width and target", radar=True),
    Kind("amo_nbi.*", "atomics", "non-blocking atomic"),
    Kind("fetch_*", "atomics", "fetching atomic", radar=True),
    Kind("compare_swap", "atomics", "compare and swap", radar=True),
    Kind("add_rate", "atomics", "atomic add, one after the other", "injected"),
    Kind("atomic_*", "atomics", "atomic set, fetch"),
    Kind("lock*", "sync", "locks"),
    Kind("barrier_all*", "collectives", "barrier of all", "notified", 0, "Barrier", radar=True),
    Kind("sync_all*", "collectives", "sync of all", "notified", radar=True),
    Kind("barrier_aset*", "collectives", "barrier of an active set", "notified"),
    Kind("sync_aset*", "collectives", "sync of an active set", "notified"),
    Kind("broadcast*", "collectives", "one PE's block to all", "notified", 0, "Broadcast", radar=True),
    Kind("sum*", "collectives", "sum of all", "notified", 0, "Reduce", radar=True),
    Kind("reduce.*", "collectives", "one reduction by operation and type", "notified"),
    Kind("fcollect*", "collectives", "a block of each to all, equal lengths", "notified", 0, "FCollect", radar=True),
    Kind("collect*", "collectives", "a block of each to all, any lengths", "notified", 0, "Collect", radar=True),
    Kind("alltoalls*", "collectives", "from each another block to each, strided", "notified"),
    Kind("alltoall*", "collectives", "from each another block to each", "notified", radar=True),
    Kind("skewed.*", "collectives", "when PEs come up to 20 µs apart: from the last to come to the last to leave", "notified"),
    Kind("inscan*", "collectives", "inclusive scan", "notified"),
    Kind("exscan*", "collectives", "exclusive scan", "notified"),
    Kind("team.*", "manage", "making and freeing teams"),
    Kind("heap.*", "manage", "symmetric allocation"),
    Kind("ctx.*", "manage", "contexts"),
    Kind("start.*", "manage", "start-up: init, finalize, until all are ready, the whole job"),
    *(Kind(f"memory.*.{part}", "memory", about) for part, about in (
        ("anon", "resident memory of its own"), ("file", "resident pages of files"), ("shared", "resident shared memory"),
        ("files", "open files"), ("mappings", "ranges of addresses"), ("threads", "threads of a process"))),
    Kind("memory.*", "memory", "memory of a process at each stage", radar=True),
    Kind("mt_lat.*", "threads", "latency with threads"),
    Kind("mt_bw.*", "threads", "bandwidth with threads", "remote", 1),
    Kind("mt_bibw.*", "threads", "bandwidth in both directions with threads", "remote", 2),
    Kind("mt_rate*", "threads", "message rate with threads"),
    *(Kind(f"app.{name}.*", "apps", f"mini-app: {about}", radar=True) for name, about in APPS.items()),
    Kind("app.*", "apps", "a mini-app", radar=True),
)
HIGHER = ("%", "GB/s", "M/s")  # units of which more is better
UNKNOWN = Kind("*", "pt2pt", "")


def kind_of(case: str) -> Kind:
    bare = base_of(case)
    return next((kind for kind in KINDS if fnmatchcase(case, kind.pattern) or fnmatchcase(bare, kind.pattern)), UNKNOWN)


def base_of(case: str) -> str:
    """Without the metric that the engine has added to the name."""
    for suffix in ("_local", "_span"):
        if case.endswith(suffix):
            return case.removesuffix(suffix)
    return case


def higher_is_better(unit: str) -> bool:
    return unit in HIGHER


def bandwidth(case: str, size: int, pes: int, ns: float) -> float | None:
    """Megabytes (10^6) in a second, where that means something."""
    streams = kind_of(case).streams
    if streams == ALL_OTHERS:
        streams = pes - 1
    return 1e3 * size * streams / ns if streams and size >= 8 and ns > 0 else None
