"""The kinds of cases: axis, description, completion, unit of the size.

A case is called NAME, or NAME.PART.PART where one function serves many rows (amo.add.64.incast). The engine adds
suffixes (_span, _local) to the last part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from . import declarations

AXES = {
    "pt2pt": "point to point",
    "atomics": "atomics",
    "collectives": "collectives",
    "memory": "memory",
    "apps": "applications",
    "sync": "synchronisation",
    "threads": "threads",
    "manage": "start-up and management",
    "own": "your own cases",
}
ALL_OTHERS = -1  # as many streams as there are other PEs
RADAR = ("pt2pt", "atomics", "collectives", "memory", "apps")


@dataclass(frozen=True)
class Kind:
    """Cases that match `pattern`. One operation moves `streams` messages of `size` bytes at once; 0 if bytes per second
    mean nothing. `completion` is the state when the clock stops."""

    pattern: str
    axis: str
    about: str
    completion: str = "remote"
    streams: int = 0
    omb: str = ""  # the test of OMB that prints the same
    radar: bool = False
    counts: str = ""  # the unit of the size, if not bytes


APPS = {
    "heat_image": "heat on a plate", "daxpy": "vectors on a ring", "hpccg": "conjugate gradients",
    "minife": "finite elements", "minimd": "molecular dynamics", "remap3d": "a 3-D grid turned, as in an FFT",
    "prk_stencil": "a star-shaped stencil", "prk_p2p": "a wave across the PEs", "prk_transpose": "a matrix transposed",
    "gups": "random updates", "isx": "sorting of integers", "bale_histogram": "random counters",
    "bale_gather": "random reads", "bale_permute": "a sparse matrix permuted",
    "bale_transpose": "a sparse matrix transposed", "bale_toposort": "topological sorting",
    "bale_triangles": "triangles of a graph",
}

OF_PYTHON = (  # cases of the driver itself
    Kind("put_computing", "pt2pt", "put to a PE that computes, between hosts"),
    Kind("barrier", "collectives", "barrier between hosts", "notified"),
    Kind("lammps.*", "apps", "seconds of LAMMPS by part of its loop"),
    Kind("fft*", "apps", "3-D FFT", counts="{}³"),
    Kind("foreign_step", "sync", "a step of work and two barriers beside busy processes", counts="{} µs of work"),
    Kind("hello", "manage", "hello world, from exec to exit"),
    Kind("start.*", "manage", "start-up: init, finalize, until all are ready, the whole job"),
    *(Kind(f"memory.*.{part}", "memory", about) for part, about in (
        ("anon", "resident memory of its own"), ("file", "resident pages of files"),
        ("shared", "resident shared memory"),
        ("files", "open files"), ("mappings", "ranges of addresses"), ("threads", "threads of a process"))),
    Kind("memory.*", "memory", "memory of a process at each stage", radar=True),
    *(Kind(f"app.{name}.*", "apps", f"mini-app: {about}", radar=True) for name, about in APPS.items()),
    Kind("app.*", "apps", "a mini-app", radar=True),
)
HIGHER = ("%", "GB/s", "M/s")  # units in which more is better
UNKNOWN = Kind("*", "pt2pt", "")
_added: dict[str, Kind] = {}  # cases of a user's own, by name


@cache
def all_kinds() -> tuple[Kind, ...]:
    """The kinds of the programs and of the driver, the most specific first."""
    declared = [Kind(**entry) for entry in declarations.kinds()]
    return tuple(sorted([*declared, *OF_PYTHON], key=lambda kind: vagueness(kind.pattern)))


def add(entries: Iterable[dict]) -> None:
    """Adds the kinds of a user's own cases; each pattern is the whole name of a case."""
    _added.update({entry["pattern"]: Kind(**entry) for entry in entries})
    kind_of.cache_clear()


def vagueness(pattern: str) -> tuple[bool, int]:
    """A name precedes all patterns, a longer pattern a shorter one."""
    return "*" in pattern, -len(pattern.replace("*", ""))


@cache
def kind_of(case: str) -> Kind:
    return _added.get(case) or _added.get(base_of(case)) or built_in(case) or UNKNOWN


def built_in(case: str) -> Kind | None:
    """The kind of a case of oshbench."""
    bare = base_of(case)
    return next((kind for kind in all_kinds() if fnmatchcase(case, kind.pattern) or fnmatchcase(bare, kind.pattern)),
                None)


def base_of(case: str) -> str:
    """The case without the suffix of the engine."""
    for suffix in ("_local", "_span"):
        if case.endswith(suffix):
            return case.removesuffix(suffix)
    return case


def higher_is_better(unit: str) -> bool:
    return unit in HIGHER


def bandwidth(case: str, size: int, pes: int, ns: float) -> float | None:
    """Megabytes (10^6) per second; None if that means nothing."""
    streams = kind_of(case).streams
    if streams == ALL_OTHERS:
        streams = pes - 1
    return 1e3 * size * streams / ns if streams and size >= 8 and ns > 0 else None
