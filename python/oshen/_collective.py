# SPDX-License-Identifier: BSD-3-Clause
"""Collectives, called by all PEs of a team (default: TEAM_WORLD) with symmetric arrays."""

from __future__ import annotations

import enum
from typing import Any, Optional

from ._checks import members, root as checked_root, symmetric
from ._handles import Team, team_number
from ._in_flight import completing
from ._library import function, require_started
from ._rma import DISTANCE, INT, POINTER, SIZE
from ._types import NAMES, Memory, bitwise_name, enough, pair


def barrier_all() -> None:
    """Completes all operations on the default context and waits for all PEs.

    Raises: RuntimeError if the library is not initialised
    Example: shmem.barrier_all()
    """
    require_started()
    with completing():
        function("shmem_barrier_all", None)()


def sync_all() -> None:
    """Waits for all PEs. Completes local stores only, not puts.

    Raises: RuntimeError if the library is not initialised
    Example: shmem.sync_all()
    """
    require_started()
    function("shmem_sync_all", None)()


def sync(team: Optional[Team] = None) -> None:
    """Waits for all PEs of the team. Completes local stores only, not puts.

    Parameters:
        team: the team; TEAM_WORLD if None
    Raises: RuntimeError for an invalid team or before init
    Example: shmem.sync(shmem.TEAM_SHARED)
    """
    members(team)
    function("shmem_team_sync", INT, POINTER)(team_number(team))


def _done(status: int, name: str) -> None:
    if status:
        raise RuntimeError(f"{name} failed")


def _moved(name: str, target: Memory, source: Memory, count: int, team: Optional[Team], *root: int) -> None:
    call = function(f"shmem_{name}mem", INT, POINTER, POINTER, POINTER, SIZE, *[INT] * len(root))
    _done(call(team_number(team), target.address, source.address, count * source.dtype.itemsize, *root), name)


def _arguments(target: Any, source: Any, team: Optional[Team], **types: str) -> tuple[Memory, Memory, int]:
    """Target and source, which are symmetric, and the number of PEs of the team."""
    n = members(team)
    t, s = pair(target, source, **types)
    return symmetric("target", t), symmetric("source", s), n


def _apart(target: Memory, source: Memory, written: int, read: int) -> None:
    """Raises: ValueError if elements are written that another PE may still read. target may be source."""
    first, last = target.address, target.address + written * target.dtype.itemsize
    if first != source.address and first < source.address + read * source.dtype.itemsize and source.address < last:
        raise ValueError("target and source overlap: expected the same array, or different memory")


def broadcast(target: Any, source: Any, root: int, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Copies `size` elements (default: all) of source on PE `root` of the team to target on every PE.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        root: the PE of the team that has the data
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.broadcast(target, target, 0)
    """
    t, s, _ = _arguments(target, source, team)
    count = s.count if size is None else size
    enough("target", t.count, count)
    enough("source", s.count, count)
    _apart(t, s, count, count)
    _moved("broadcast", t, s, count, team, checked_root(root, team))


def collect(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Concatenates the sources of all PEs, in order, in target. Their sizes may differ.

    Parameters:
        target: symmetric array that is written, with room for all sources
        source: symmetric array that is read, of the same type
        size: the number of elements of this PE; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.collect(large, word)
    """
    t, s, _ = _arguments(target, source, team)
    count = s.count if size is None else size
    enough("source", s.count, count)
    _moved("collect", t, s, count, team)


def fcollect(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """collect with the same size on every PE.

    Parameters:
        target: symmetric array that is written, with room for all sources
        source: symmetric array that is read, of the same type
        size: the number of elements of each PE; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.fcollect(large, word)
    """
    t, s, n = _arguments(target, source, team)
    count = s.count if size is None else size
    enough("source", s.count, count)
    enough("target", t.count, count * n)
    _moved("fcollect", t, s, count, team)


def alltoall(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Copies block i of source to PE i, to the block with the number of this PE. `size` is that of one block.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements of one block; by default as many as source has
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.alltoall(large, other)
    """
    t, s, n = _arguments(target, source, team)
    count = s.count // n if size is None else size
    enough("source", s.count, count * n)
    enough("target", t.count, count * n)
    _apart(t, s, count * n, count * n)
    _moved("alltoall", t, s, count, team)


# Real type and offset of the imaginary part: both parts of complex numbers are transferred one after the other. Numbers of
# 16 bits travel as integers.
_PARTS = {"F": ("float", 4), "D": ("double", 8), "e": ("short", 0)}


def alltoalls(target: Any, source: Any, tst: int = 1, sst: int = 1, size: Optional[int] = None,
              team: Optional[Team] = None) -> None:
    """alltoall of every sst-th element to every tst-th element. `size` is the number of elements for each PE.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        tst: the distance of written elements in target, at least 1
        sst: the distance of read elements in source, at least 1
        size: the number of elements for each PE; by default as many as source has
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.alltoalls(large, other, size=1)
    """
    if tst < 1 or sst < 1:
        raise ValueError(f"tst = {tst}, sst = {sst}: expected at least 1")
    t, s, n = _arguments(target, source, team, of="".join(NAMES))
    count = s.count // (n * sst) if size is None else size
    enough("source", s.count, count)
    if count > 0:
        enough("source", s.count, (count * n - 1) * sst + 1)
        enough("target", t.count, (count * n - 1) * tst + 1)
        _apart(t, s, (count * n - 1) * tst + 1, (count * n - 1) * sst + 1)
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
_TYPES = {"and": "bhilqBHILQ?", "max": "bhilqBHILQefdg", "sum": "bhilqBHILQefdgFD"}
_TYPES |= {"or": _TYPES["and"], "xor": _TYPES["and"], "min": _TYPES["max"], "prod": _TYPES["sum"]}


def reduce(target: Any, source: Any, op: str = OP.SUM, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """Reduces element i of all sources by `op` into element i of target on every PE. target may be source.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        op: an OP or its name, such as "sum"
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.reduce(target, target, shmem.OP_MAX)
    """
    name = OP(op).value
    t, s, _ = _arguments(target, source, team, of=_TYPES[name])
    count = s.count if size is None else size
    enough("target", t.count, count)
    enough("source", s.count, count)
    _apart(t, s, count, count)
    stem = bitwise_name(s.dtype) if name in ("and", "or", "xor") else NAMES[s.dtype.char]
    prefix = "shmemx" if stem == "half" else "shmem"
    call = function(f"{prefix}_{stem}_{name}_reduce", INT, POINTER, POINTER, POINTER, SIZE)
    _done(call(team_number(team), t.address, s.address, count), f"{name}_reduce")


def and_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with bitwise and.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.and_reduce(word, word)
    """
    reduce(target, source, OP.AND, size, team)


def or_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with bitwise or.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.or_reduce(word, word)
    """
    reduce(target, source, OP.OR, size, team)


def xor_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with bitwise exclusive or.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.xor_reduce(word, word)
    """
    reduce(target, source, OP.XOR, size, team)


def max_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the maximum.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.max_reduce(target, target)
    """
    reduce(target, source, OP.MAX, size, team)


def min_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the minimum.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.min_reduce(target, target)
    """
    reduce(target, source, OP.MIN, size, team)


def sum_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the sum.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.sum_reduce(target, target)
    """
    reduce(target, source, OP.SUM, size, team)


def prod_reduce(target: Any, source: Any, size: Optional[int] = None, team: Optional[Team] = None) -> None:
    """reduce with the product.

    Parameters:
        target: symmetric array that is written
        source: symmetric array that is read, of the same type
        size: the number of elements; by default all of source
        team: the team; TEAM_WORLD if None
    Raises: ValueError, TypeError for a wrong size, type or array; RuntimeError for an invalid team or before init
    Example: shmem.prod_reduce(target, target)
    """
    reduce(target, source, OP.PROD, size, team)
