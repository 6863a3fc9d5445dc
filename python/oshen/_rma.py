# SPDX-License-Identifier: BSD-3-Clause
"""Puts, gets, and puts with signal, for elements of any type."""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Optional

import numpy as np

from ._handles import Ctx, number_of
from ._heap import free, zeros
from ._in_flight import keep
from ._library import function
from ._types import Memory, enough, memory, pair

POINTER, SIZE, DISTANCE, INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ssize_t, ctypes.c_int
WORD = ctypes.c_uint64


def _counted(target: Memory, source: Memory, size: Optional[int], default: int) -> int:
    count = default if size is None else size
    enough("target", target.count, count)
    enough("source", source.count, count)
    return count


def _move(name: str, target: Any, source: Any, size: Optional[int], pe: int, ctx: Optional[Ctx]) -> None:
    t, s = pair(target, source)
    count = _counted(t, s, size, s.count if "put" in name else t.count)
    call = function(f"shmem_ctx_{name}", None, POINTER, POINTER, POINTER, SIZE, INT)
    call(number_of(ctx), t.address, s.address, count * t.dtype.itemsize, pe)
    if name.endswith("_nbi"):
        keep(number_of(ctx), t.array, s.array)


def put(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Copies `size` elements (default: all) of source to target on PE `pe`."""
    _move("putmem", target, source, size, pe, ctx)


def get(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Copies `size` elements (default: the size of target) from source on PE `pe` to target."""
    _move("getmem", target, source, size, pe, ctx)


def put_nbi(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Starts a put. Do not change source before quiet; a temporary array stays alive until then."""
    _move("putmem_nbi", target, source, size, pe, ctx)


def get_nbi(target: Any, source: Any, pe: int, size: Optional[int] = None, ctx: Optional[Ctx] = None) -> None:
    """Starts a get. target is valid after quiet."""
    _move("getmem_nbi", target, source, size, pe, ctx)


def _fitting(count: int, stride: int) -> int:
    return -(-count // stride)


def _strided(direction: str, target: Any, source: Any, pe: int, tst: int, sst: int, size: Optional[int],
             ctx: Optional[Ctx]) -> None:
    t, s = pair(target, source)
    if tst < 1 or sst < 1:
        raise ValueError(f"tst = {tst}, sst = {sst}: expected at least 1")
    count = min(_fitting(t.count, tst), _fitting(s.count, sst)) if size is None else size
    if count > 0:
        enough("target", t.count, (count - 1) * tst + 1)
        enough("source", s.count, (count - 1) * sst + 1)
    each = t.dtype.itemsize
    call = function(f"shmem_ctx_ib{direction}8", None, POINTER, POINTER, POINTER, DISTANCE, DISTANCE, SIZE, SIZE, INT)
    call(number_of(ctx), t.address, s.address, tst * each, sst * each, each, count, pe)


def iput(target: Any, source: Any, pe: int, tst: int = 1, sst: int = 1, size: Optional[int] = None,
         ctx: Optional[Ctx] = None) -> None:
    """Puts every sst-th element of source to every tst-th element of target."""
    _strided("put", target, source, pe, tst, sst, size, ctx)


def iget(target: Any, source: Any, pe: int, tst: int = 1, sst: int = 1, size: Optional[int] = None,
         ctx: Optional[Ctx] = None) -> None:
    """Gets every sst-th element of source to every tst-th element of target."""
    _strided("get", target, source, pe, tst, sst, size, ctx)


class SIGNAL(enum.IntEnum):
    """Operations of a signal."""

    SET, ADD = 0, 1


SIGNAL_SET, SIGNAL_ADD = SIGNAL


def new_signal() -> np.ndarray:
    """Allocates a signal with value 0. Collective over all PEs."""
    return zeros(1, np.uint64)


def del_signal(signal: np.ndarray) -> None:
    """Frees a signal. Collective over all PEs."""
    free(signal)


def _signalled(name: str, target: Any, source: Any, pe: int, signal: Any, value: int, sigop: int, size: Optional[int],
               ctx: Optional[Ctx]) -> None:
    t, s = pair(target, source)
    count = _counted(t, s, size, s.count)
    call = function(f"shmem_ctx_{name}", None, POINTER, POINTER, POINTER, SIZE, POINTER, WORD, INT, INT)
    call(number_of(ctx), t.address, s.address, count * t.dtype.itemsize, memory(signal, of="LQ").address, value, sigop, pe)
    if name.endswith("_nbi"):
        keep(number_of(ctx), t.array, s.array)


def put_signal(target: Any, source: Any, pe: int, signal: Any, value: int, sigop: int, size: Optional[int] = None,
               ctx: Optional[Ctx] = None) -> None:
    """Puts, then sets the signal on PE `pe` to value, or adds it. The data arrives before the signal."""
    _signalled("putmem_signal", target, source, pe, signal, value, sigop, size, ctx)


def put_signal_nbi(target: Any, source: Any, pe: int, signal: Any, value: int, sigop: int, size: Optional[int] = None,
                   ctx: Optional[Ctx] = None) -> None:
    """Starts a put_signal. Do not change source before quiet."""
    _signalled("putmem_signal_nbi", target, source, pe, signal, value, sigop, size, ctx)


def signal_fetch(signal: Any) -> int:
    """The value of a signal on this PE."""
    return function("shmem_signal_fetch", WORD, POINTER)(memory(signal, of="LQ").address)
