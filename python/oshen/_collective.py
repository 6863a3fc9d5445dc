# SPDX-License-Identifier: BSD-3-Clause
"""Collectives, called by all PEs of a team (default: TEAM_WORLD) with symmetric arrays."""

from __future__ import annotations

import enum
from typing import Any, Optional

from ._handles import Team, team_number
from ._in_flight import completing
from ._library import function
from ._rma import DISTANCE, INT, POINTER, SIZE
from ._types import NAMES, Memory, bitwise_name, enough, pair


def barrier_all() -> None:
    """Completes all operations on the default context and waits for all PEs."""
    with completing():
        function("shmem_barrier_all", None)()


def sync_all() -> None:
    """Waits for all PEs. Completes local stores only, not puts."""
    function("shmem_sync_all", None)()


def sync(team: Optional[Team] = None) -> None:
    """Waits for all PEs of the team. Completes local stores only, not puts."""
    function("shmem_team_sync", INT, POINTER)(team_number(team))


def _done(status: int, name: str) -> None:
    if status:
        raise RuntimeError(f"{name} failed")


def _moved(name: str, target: Memory, source: Memory, count: int, team: Optional[Team], *root: int) -> None:
    call = function(f"shmem_{name}mem", INT, POINTER, POINTER, POINTER, SIZE, *[INT] * len(root))
    _done(call(team_number(team), target.address, source.address, count * source.dtype.itemsize, *root), name)


def _n_pes(team: Optional[Team]) -> int:
    return function("shmem_team_n_pes", INT, POINTER)(team_number(team))


def broadcast(target: Any, source: Any, root: int, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Copies `size` elements (default: all) of source on PE `root` of the team to target on every PE."""
    t, s = pair(target, source)
    count = s.count if size is None else size
    enough("target", t.count, count)
    enough("source", s.count, count)
    _moved("broadcast", t, s, count, team, root)


def collect(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Concatenates the sources of all PEs, in order, in target. Their sizes may differ."""
    t, s = pair(target, source)
    count = s.count if size is None else size
    enough("source", s.count, count)
    _moved("collect", t, s, count, team)


def fcollect(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """collect with the same size on every PE."""
    t, s = pair(target, source)
    count = s.count if size is None else size
    enough("source", s.count, count)
    enough("target", t.count, count * _n_pes(team))
    _moved("fcollect", t, s, count, team)


def alltoall(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Copies block i of source to PE i, to the block with the number of this PE. `size` is that of one block."""
    t, s = pair(target, source)
    n = _n_pes(team)
    count = s.count // n if size is None else size
    enough("source", s.count, count * n)
    enough("target", t.count, count * n)
    _moved("alltoall", t, s, count, team)


# Real type and offset of the imaginary part: both parts of complex numbers are transferred one after the other.
_PARTS = {"F": ("float", 4), "D": ("double", 8)}


def alltoalls(target: Any, source: Any, tst: int = 1, sst: int = 1, size: Optional[int] = None,
              team: Optional[Team] = None) -> None:
    """alltoall of every sst-th element to every tst-th element. `size` is the number of elements for each PE."""
    t, s = pair(target, source)
    n = _n_pes(team)
    count = s.count // (n * sst) if size is None else size
    if count > 0:
        enough("source", s.count, (count * n - 1) * sst + 1)
        enough("target", t.count, (count * n - 1) * tst + 1)
    stem, part = _PARTS.get(s.dtype.char, (NAMES[s.dtype.char], 0))
    call = function(f"shmem_{stem}_alltoalls", INT, POINTER, POINTER, POINTER, DISTANCE, DISTANCE, SIZE)
    for offset in (0, part) if part else (0,):
        scale = 2 if part else 1
        _done(call(team_number(team), t.address + offset, s.address + offset, tst * scale, sst * scale, count), "alltoalls")


class OP(str, enum.Enum):
    """Operations of reductions."""

    AND, OR, XOR, MAX, MIN, SUM, PROD = "and", "or", "xor", "max", "min", "sum", "prod"

    __str__ = str.__str__


OP_AND, OP_OR, OP_XOR, OP_MAX, OP_MIN, OP_SUM, OP_PROD = OP
_TYPES = {"and": "bhilqBHILQ?", "max": "bhilqBHILQfdg", "sum": "bhilqBHILQfdgFD"}
_TYPES |= {"or": _TYPES["and"], "xor": _TYPES["and"], "min": _TYPES["max"], "prod": _TYPES["sum"]}


def reduce(target: Any, source: Any, op: str = OP.SUM, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Reduces element i of all sources by `op` into element i of target on every PE. target may be source."""
    name = OP(op).value
    t, s = pair(target, source, of=_TYPES[name])
    count = s.count if size is None else size
    enough("target", t.count, count)
    enough("source", s.count, count)
    stem = bitwise_name(s.dtype) if name in ("and", "or", "xor") else NAMES[s.dtype.char]
    call = function(f"shmem_{stem}_{name}_reduce", INT, POINTER, POINTER, POINTER, SIZE)
    _done(call(team_number(team), t.address, s.address, count), f"{name}_reduce")


def and_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with bitwise and."""
    reduce(target, source, OP.AND, size, team)


def or_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with bitwise or."""
    reduce(target, source, OP.OR, size, team)


def xor_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with bitwise exclusive or."""
    reduce(target, source, OP.XOR, size, team)


def max_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the maximum."""
    reduce(target, source, OP.MAX, size, team)


def min_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the minimum."""
    reduce(target, source, OP.MIN, size, team)


def sum_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the sum."""
    reduce(target, source, OP.SUM, size, team)


def prod_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the product."""
    reduce(target, source, OP.PROD, size, team)
