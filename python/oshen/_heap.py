# SPDX-License-Identifier: BSD-3-Clause
"""Memory and arrays on the symmetric heap. All calls except ptr and addr_accessible are collective over all PEs, with
equal arguments; the contents of arrays may differ. Only free releases memory; deleting an array does not."""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Literal, Optional

import numpy as np

from ._checks import context, known, symmetric
from ._library import function, require_started
from ._lifetime import at_end
from ._types import memory
from ._views import view


class MALLOC(enum.IntFlag):
    """Hints about the use of memory. Those of Oshen ask the kernel for pages of 2 MiB, or for a NUMA node. With NO_BARRIER
    the call does not wait for other PEs: synchronise before using their memory."""

    ATOMICS_REMOTE, SIGNAL_REMOTE = 1, 2
    HUGE_PAGES, NEAR, FAR, READ_MOSTLY, NO_BARRIER = 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12


MALLOC_ATOMICS_REMOTE, MALLOC_SIGNAL_REMOTE = MALLOC.ATOMICS_REMOTE, MALLOC.SIGNAL_REMOTE
Order = Literal["C", "F"]
OrderOfCopy = Literal["K", "A", "C", "F"]
_live: set[int] = set()  # addresses of allocated blocks
at_end(_live.clear)


def _allocated(size: int, align: Optional[int], hints: Optional[int]) -> Optional[int]:
    if align is not None:
        return function("shmem_align", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)(align, size)
    if hints:
        return function("shmem_malloc_with_hints", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long)(size, hints)
    return function("shmem_malloc", ctypes.c_void_p, ctypes.c_size_t)(size)


def _synced(hints: Optional[int] = None) -> None:
    if not (hints or 0) & MALLOC.NO_BARRIER:
        function("shmem_sync_all", None)()


def _block(size: int, align: Optional[int], hints: Optional[int]) -> int:
    require_started()
    if size < 0:
        raise ValueError(f"{size} bytes: expected at least 0")
    if align is not None and (align < ctypes.sizeof(ctypes.c_void_p) or align & (align - 1)):
        raise ValueError(f"align = {align}: expected a power of two, at least {ctypes.sizeof(ctypes.c_void_p)}")
    address = _allocated(max(size, 1), align, hints)
    if not address:
        raise MemoryError(f"cannot allocate {size} bytes on the symmetric heap; set SHMEM_SYMMETRIC_SIZE to enlarge it")
    _live.add(address)
    known.add_block(address, size)
    return address


def alloc(count: int, size: int = 1, align: Optional[int] = None, hints: Optional[int] = None,
          clear: bool = True) -> memoryview:
    """Allocates count * size bytes of symmetric memory, zero unless clear is False.

    Parameters:
        count: the number of items
        size: bytes of an item
        align: the alignment in bytes, a power of two; by default 8 or more
        hints: MALLOC hints about the use
        clear: whether the memory becomes zero
    Returns: the bytes, on the symmetric heap
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: memory = shmem.alloc(64)
    """
    address = _block(count * size, align, hints)
    if clear:
        ctypes.memset(address, 0, count * size)
        _synced(hints)
    return memoryview(view(address, count * size)).cast("B")


def _address(mem: Any) -> int:
    return mem.ctypes.data if isinstance(mem, np.ndarray) else ctypes.addressof(ctypes.c_char.from_buffer(mem)) \
        if len(mem) else ctypes.addressof((ctypes.c_char * 0).from_buffer(mem))


def free(mem: Any, barrier: bool = True) -> None:
    """Frees memory from alloc or an array function, once. Collective over all PEs.

    Parameters:
        mem: an array, or memory from alloc; not a part of one
        barrier: False: do not wait for other PEs; before any PE calls, all have completed their accesses to the memory
    Raises: KeyError for other memory; TypeError for an object without memory; RuntimeError before init
    Example: shmem.free(shmem.zeros(3))
    """
    require_started()
    address = _address(mem)
    if address not in _live:
        raise KeyError(f"{address:#x} is not the beginning of allocated memory, or it has been freed")
    _live.remove(address)
    function("shmem_free" if barrier else "shmemx_free_no_barrier", None, ctypes.c_void_p)(address)


def fromalloc(mem: Any, shape: Any = None, dtype: Any = None, order: Order = "C") -> np.ndarray:
    """Makes an array of allocated memory.

    Parameters:
        mem: memory from alloc
        shape: the shape; by default one axis
        dtype: the type of the elements; by default bytes
        order: "C": the last axis is the fastest; "F": the first one
    Returns: an array of the same memory
    Raises: ValueError if the memory does not fit the shape or type
    Example: numbers = shmem.fromalloc(shmem.alloc(64), (2, 4), float)
    """
    flat = np.asarray(mem).view(np.uint8 if dtype is None else dtype)
    return flat if shape is None else flat.reshape(shape, order=order)


def _array(shape: Any, dtype: Any, order: Order, align: Optional[int], hints: Optional[int]) -> np.ndarray:
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"dtype = {dtype}: expected elements without references to Python objects")
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    address = _block(size, align, hints)
    return np.ndarray(shape, dtype, view(address, size), order=order)


def new_array(shape: Any, dtype: Any = float, order: Order = "C", *, align: Optional[int] = None,
              hints: Optional[int] = None, clear: bool = True) -> np.ndarray:
    """A symmetric array, zero unless clear is False.

    Parameters:
        shape: the lengths of the axes, or one length
        dtype: the type of the elements
        order: "C": the last axis is the fastest; "F": the first one
        align: the alignment in bytes, a power of two; by default 8 or more
        hints: MALLOC hints about the use
        clear: whether the memory becomes zero
    Returns: the array
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: array = shmem.new_array((2, 3), int)
    """
    made = _array(shape, dtype, order, align, hints)
    if clear:
        made[...] = np.zeros((), made.dtype)
        _synced(hints)
    return made


def del_array(a: np.ndarray) -> None:
    """Frees an array. Collective over all PEs.

    Parameters:
        a: an array of this module; not a part of one
    Raises: KeyError for another array; RuntimeError before init
    Example: shmem.del_array(shmem.zeros(3))
    """
    free(a)


def array(obj: Any, dtype: Any = None, *, order: OrderOfCopy = "K", align: Optional[int] = None,
          hints: Optional[int] = None) -> np.ndarray:
    """A symmetric copy of obj, like numpy.array.

    Parameters:
        obj: what numpy.array takes, with the same shape on all PEs
        dtype: the type of the elements; by default that of obj
        order: as in numpy.array
        align: the alignment in bytes, a power of two; by default 8 or more
        hints: MALLOC hints about the use
    Returns: the array
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: array = shmem.array([1.5, 2.5])
    """
    model = np.array(obj, dtype, order=order)
    made = _array(model.shape, model.dtype, "C", align, hints)
    if model.size:
        made = np.ndarray(model.shape, model.dtype, made.base, strides=model.strides)
    made[...] = model
    _synced(hints)
    return made


def empty(shape: Any, dtype: Any = float, order: Order = "C", *, align: Optional[int] = None,
          hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array with undefined contents.

    Parameters:
        shape: the lengths of the axes, or one length
        dtype: the type of the elements
        order: "C": the last axis is the fastest; "F": the first one
        align: the alignment in bytes, a power of two; by default 8 or more
        hints: MALLOC hints about the use
    Returns: the array
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: array = shmem.empty((2, 3))
    """
    return _array(shape, dtype, order, align, hints)


def zeros(shape: Any, dtype: Any = float, order: Order = "C", *, align: Optional[int] = None,
          hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array of zeros.

    Parameters:
        shape: the lengths of the axes, or one length
        dtype: the type of the elements
        order: "C": the last axis is the fastest; "F": the first one
        align: the alignment in bytes, a power of two; by default 8 or more
        hints: MALLOC hints about the use
    Returns: the array
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: array = shmem.zeros((2, 3), np.float32)
    """
    return new_array(shape, dtype, order, align=align, hints=hints)


def ones(shape: Any, dtype: Any = float, order: Order = "C", *, align: Optional[int] = None,
         hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array of ones.

    Parameters:
        shape: the lengths of the axes, or one length
        dtype: the type of the elements
        order: "C": the last axis is the fastest; "F": the first one
        align: the alignment in bytes, a power of two; by default 8 or more
        hints: MALLOC hints about the use
    Returns: the array
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: array = shmem.ones(5, int)
    """
    return full(shape, 1, dtype, order, align=align, hints=hints)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: Order = "C", *, align: Optional[int] = None,
         hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array filled with a value.

    Parameters:
        shape: the lengths of the axes, or one length
        fill_value: a value, or an array that NumPy can broadcast to the shape
        dtype: the type of the elements; by default that of fill_value
        order: "C": the last axis is the fastest; "F": the first one
        align: the alignment in bytes, a power of two; by default 8 or more
        hints: MALLOC hints about the use
    Returns: the array
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: array = shmem.full(5, -1.0)
    """
    made = _array(shape, np.array(fill_value).dtype if dtype is None else dtype, order, align, hints)
    made[...] = np.asarray(fill_value).astype(made.dtype)
    _synced(hints)
    return made


def ptr(target: np.ndarray, pe: int) -> Optional[np.ndarray]:
    """The array of PE `pe` for loads and stores by this PE; None if that PE is on another node.

    Parameters:
        target: a symmetric array
        pe: a PE of the job
    Returns: an array of that PE's memory, or None
    Raises: ValueError if the array is not symmetric or the PE does not exist; RuntimeError before init
    Example: beside = shmem.ptr(target, right)
    """
    context(None, pe)
    mine = symmetric("target", memory(target))
    address = function("shmem_ptr", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(mine.address, pe)
    if not address:
        return None
    return np.ndarray(mine.array.shape, mine.dtype, view(address, mine.bytes),
                      strides=mine.array.strides)


def addr_accessible(addr: Any, pe: int) -> bool:
    """Whether an array is symmetric and accessible on PE `pe`.

    Parameters:
        addr: an array
        pe: any number
    Returns: False for other arrays, and for a PE that does not exist
    Raises: RuntimeError if the library is not initialised
    Example: assert shmem.addr_accessible(target, right)
    """
    require_started()
    reach = function("shmem_addr_accessible", ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    return bool(reach(memory(addr, readonly=True).address, pe))
