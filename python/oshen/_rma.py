# SPDX-License-Identifier: BSD-3-Clause
"""Puts, gets, and puts with signal, for elements of any type."""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Optional

import numpy as np

from ._checks import context, symmetric, variable
from ._handles import Ctx
from ._heap import free, zeros
from ._in_flight import keep
from ._library import function
from ._types import Memory, enough, equal_types, local, memory, pair, scalar

POINTER, SIZE, DISTANCE, INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ssize_t, ctypes.c_int
WORD = ctypes.c_uint64


def _counted(target: Memory, source: Memory, size: Optional[int], default: int) -> int:
    count = default if size is None else size
    enough("target", target.count, count)
    enough("source", source.count, count)
    return count


def _sent(target: Any, source: Any) -> tuple[Memory, Memory]:
    """Target and source of a put. The source need not be symmetric, nor an array."""
    t = symmetric("target", memory(target))
    s = local(source, t)
    equal_types(t, s)
    return t, s


def _fetched(target: Any, source: Any) -> tuple[Memory, Memory]:
    """Target and source of a get. The target need not be symmetric."""
    t, s = pair(target, source)
    return t, symmetric("source", s)


def _move(name: str, target: Any, source: Any, size: Optional[int], pe: int, ctx: Optional[Ctx]) -> None:
    number = context(ctx, pe)
    puts = "put" in name
    t, s = _sent(target, source) if puts else _fetched(target, source)
    count = _counted(t, s, size, s.count if puts else t.count)
    call = function(f"shmem_ctx_{name}", None, POINTER, POINTER, POINTER, SIZE, INT)
    call(number, t.address, s.address, count * t.dtype.itemsize, pe)
    if name.endswith("_nbi"):
        keep(number, t.array, s.array)


def put(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Copies `size` elements (default: all) of source to target on PE `pe`.

    Parameters:
        target: symmetric array on PE `pe`, given by the one of this PE
        source: anything that numpy.asarray takes, with elements of the same type
        pe: the PE of the job, or of the context's team
        size: the number of elements; by default all of source
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example: shmem.put(target, [1.0, 2.0, 3.0], right)
    """
    _move("putmem", target, source, size, pe, ctx)


def get(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Copies `size` elements (default: the size of target) from source on PE `pe` to target.

    Parameters:
        target: array on this PE, which need not be symmetric
        source: symmetric array on PE `pe`, given by the one of this PE
        pe: the PE of the job, or of the context's team
        size: the number of elements; by default all of target
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example: shmem.get(np.empty(4), target, right)
    """
    _move("getmem", target, source, size, pe, ctx)


def put_nbi(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Starts a put. Do not change source before quiet; a temporary array stays alive until then.

    Parameters:
        target: symmetric array on PE `pe`, given by the one of this PE
        source: anything that numpy.asarray takes, with elements of the same type
        pe: the PE of the job, or of the context's team
        size: the number of elements; by default all of source
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.put_nbi(target, [1.0, 2.0, 3.0], right)
        shmem.quiet()
    """
    _move("putmem_nbi", target, source, size, pe, ctx)


def get_nbi(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Starts a get. target is valid after quiet.

    Parameters:
        target: array on this PE, which need not be symmetric
        source: symmetric array on PE `pe`, given by the one of this PE
        pe: the PE of the job, or of the context's team
        size: the number of elements; by default all of target
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example:
        copy = np.empty(4)
        shmem.get_nbi(copy, target, right)
        shmem.quiet()
    """
    _move("getmem_nbi", target, source, size, pe, ctx)


def _fitting(count: int, stride: int) -> int:
    return -(-count // stride)


def _strided(direction: str, target: Any, source: Any, pe: int, tst: int, sst: int, size: Optional[int],
             ctx: Optional[Ctx]) -> None:
    number = context(ctx, pe)
    t, s = pair(target, source)
    symmetric(*(("target", t) if direction == "put" else ("source", s)))
    if tst < 1 or sst < 1:
        raise ValueError(f"tst = {tst}, sst = {sst}: expected at least 1")
    count = min(_fitting(t.count, tst), _fitting(s.count, sst)) if size is None else size
    enough("target", t.count, min(count, 0))
    if count > 0:
        enough("target", t.count, (count - 1) * tst + 1)
        enough("source", s.count, (count - 1) * sst + 1)
    each = t.dtype.itemsize
    call = function(f"shmem_ctx_ib{direction}8", None, POINTER, POINTER, POINTER, DISTANCE, DISTANCE, SIZE, SIZE, INT)
    call(number, t.address, s.address, tst * each, sst * each, each, count, pe)


def iput(target: Any, source: Any, pe: int, tst: int = 1, sst: int = 1, size: Optional[int] = None,
         ctx: Optional[Ctx] = None) -> None:
    """Puts every sst-th element of source to every tst-th element of target.

    Parameters:
        target: symmetric array on PE `pe`, given by the one of this PE
        source: array on this PE, which need not be symmetric
        pe: the PE of the job, or of the context's team
        tst: the distance of written elements in target, at least 1
        sst: the distance of read elements in source, at least 1
        size: the number of elements; by default as many as fit
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example: shmem.iput(target, np.ones(2), right, tst=2)
    """
    _strided("put", target, source, pe, tst, sst, size, ctx)


def iget(target: Any, source: Any, pe: int, tst: int = 1, sst: int = 1, size: Optional[int] = None,
         ctx: Optional[Ctx] = None) -> None:
    """Gets every sst-th element of source to every tst-th element of target.

    Parameters:
        target: array on this PE, which need not be symmetric
        source: symmetric array on PE `pe`, given by the one of this PE
        pe: the PE of the job, or of the context's team
        tst: the distance of written elements in target, at least 1
        sst: the distance of read elements in source, at least 1
        size: the number of elements; by default as many as fit
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example: shmem.iget(np.empty(2), target, right, sst=2)
    """
    _strided("get", target, source, pe, tst, sst, size, ctx)


class SIGNAL(enum.IntEnum):
    """Operations of a signal."""

    SET, ADD = 0, 1


SIGNAL_SET, SIGNAL_ADD = SIGNAL


def new_signal() -> np.ndarray:
    """Allocates a signal with value 0. Collective over all PEs.

    Returns: an array of one uint64 element
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: signal = shmem.new_signal()
    """
    return zeros(1, np.uint64)


def del_signal(signal: np.ndarray) -> None:
    """Frees a signal. Collective over all PEs.

    Parameters:
        signal: an array of new_signal
    Raises: KeyError for another array; RuntimeError before init
    Example: shmem.del_signal(shmem.new_signal())
    """
    free(signal)


def _signalled(name: str, target: Any, source: Any, pe: int, signal: Any, value: int, sigop: int, size: Optional[int],
               ctx: Optional[Ctx]) -> None:
    number = context(ctx, pe)
    t, s = _sent(target, source)
    word = variable("signal", signal, "LQ")
    if sigop not in (SIGNAL.SET, SIGNAL.ADD):
        raise ValueError(f"sigop = {sigop}: expected SIGNAL_SET or SIGNAL_ADD")
    count = _counted(t, s, size, s.count)
    call = function(f"shmem_ctx_{name}", None, POINTER, POINTER, POINTER, SIZE, POINTER, WORD, INT, INT)
    call(number, t.address, s.address, count * t.dtype.itemsize, word.address, scalar(value, word.dtype), sigop, pe)
    if name.endswith("_nbi"):
        keep(number, t.array, s.array)


def put_signal(target: Any, source: Any, pe: int, signal: Any, value: int, sigop: int, size: Optional[int] = None,
               ctx: Optional[Ctx] = None) -> None:
    """Puts, then sets the signal on PE `pe` to value, or adds it. The data arrives before the signal.

    Parameters:
        target: symmetric array on PE `pe`, given by the one of this PE
        source: anything that numpy.asarray takes, with elements of the same type
        pe: the PE of the job, or of the context's team
        signal: symmetric array of one uint64 element, from new_signal
        value: the number to set or to add
        sigop: SIGNAL_SET or SIGNAL_ADD
        size: the number of elements; by default all of source
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example: shmem.put_signal(target, [1.0, 2.0], right, signal, 1, shmem.SIGNAL_ADD)
    """
    _signalled("putmem_signal", target, source, pe, signal, value, sigop, size, ctx)


def put_signal_nbi(target: Any, source: Any, pe: int, signal: Any, value: int, sigop: int, size: Optional[int] = None,
                   ctx: Optional[Ctx] = None) -> None:
    """Starts a put_signal. Do not change source before quiet.

    Parameters:
        target: symmetric array on PE `pe`, given by the one of this PE
        source: anything that numpy.asarray takes, with elements of the same type
        pe: the PE of the job, or of the context's team
        signal: symmetric array of one uint64 element, from new_signal
        value: the number to set or to add
        sigop: SIGNAL_SET or SIGNAL_ADD
        size: the number of elements; by default all of source
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, size, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.put_signal_nbi(target, [1.0, 2.0], right, signal, 1, shmem.SIGNAL_ADD)
        shmem.quiet()
    """
    _signalled("putmem_signal_nbi", target, source, pe, signal, value, sigop, size, ctx)


def signal_fetch(signal: Any) -> int:
    """The value of a signal on this PE.

    Parameters:
        signal: symmetric array of one uint64 element, from new_signal
    Returns: the value
    Raises: ValueError, TypeError if it is no signal; RuntimeError before init
    Example: value = shmem.signal_fetch(signal)
    """
    return function("shmem_signal_fetch", WORD, POINTER)(variable("signal", signal, "LQ").address)
