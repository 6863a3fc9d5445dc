# SPDX-License-Identifier: BSD-3-Clause
"""Memory and arrays on the symmetric heap. All calls except ptr and addr_accessible are collective over all PEs, with
equal arguments; the contents of arrays may differ. Only free releases memory; deleting an array does not."""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Optional

import numpy as np

from ._library import function
from ._types import memory


class MALLOC(enum.IntFlag):
    """Hints about the use of memory."""

    ATOMICS_REMOTE, SIGNAL_REMOTE = 1, 2


MALLOC_ATOMICS_REMOTE, MALLOC_SIGNAL_REMOTE = MALLOC
_live: set[int] = set()  # addresses of allocated blocks


def _allocated(size: int, align: Optional[int], hints: Optional[int]) -> Optional[int]:
    if align is not None:
        return function("shmem_align", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)(align, size)
    if hints:
        return function("shmem_malloc_with_hints", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long)(size, hints)
    return function("shmem_malloc", ctypes.c_void_p, ctypes.c_size_t)(size)


def _synced() -> None:
    function("shmem_sync_all", None)()


def _block(size: int, align: Optional[int], hints: Optional[int]) -> int:
    address = _allocated(max(size, 1), align, hints)
    if not address:
        raise MemoryError(f"cannot allocate {size} bytes on the symmetric heap; set SHMEM_SYMMETRIC_SIZE to enlarge it")
    _live.add(address)
    return address


def alloc(count: int, size: int = 1, align: Optional[int] = None, hints: Optional[int] = None,
          clear: bool = True) -> memoryview:
    """Allocates count * size bytes of symmetric memory, zero unless clear is False."""
    address = _block(count * size, align, hints)
    if clear:
        ctypes.memset(address, 0, count * size)
        _synced()
    return memoryview((ctypes.c_char * (count * size)).from_address(address)).cast("B")


def _address(mem: Any) -> int:
    return mem.ctypes.data if isinstance(mem, np.ndarray) else ctypes.addressof(ctypes.c_char.from_buffer(mem)) \
        if len(mem) else ctypes.addressof((ctypes.c_char * 0).from_buffer(mem))


def free(mem: Any) -> None:
    """Frees memory from alloc or an array function. Raises KeyError for other memory."""
    address = _address(mem)
    _live.remove(address)
    function("shmem_free", None, ctypes.c_void_p)(address)


def fromalloc(mem: Any, shape: Any = None, dtype: Any = None, order: str = "C") -> np.ndarray:
    """Makes an array of allocated memory."""
    flat = np.asarray(mem).view(np.uint8 if dtype is None else dtype)
    return flat if shape is None else flat.reshape(shape, order=order)


def _array(shape: Any, dtype: Any, order: str, align: Optional[int], hints: Optional[int]) -> np.ndarray:
    dtype = np.dtype(dtype)
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    address = _block(size, align, hints)
    return np.ndarray(shape, dtype, (ctypes.c_char * size).from_address(address), order=order)


def new_array(shape: Any, dtype: Any = float, order: str = "C", *, align: Optional[int] = None,
              hints: Optional[int] = None, clear: bool = True) -> np.ndarray:
    """A symmetric array, zero unless clear is False."""
    made = _array(shape, dtype, order, align, hints)
    if clear:
        made[...] = np.zeros((), made.dtype)
        _synced()
    return made


def del_array(a: np.ndarray) -> None:
    """Frees an array."""
    free(a)


def array(obj: Any, dtype: Any = None, *, order: str = "K", align: Optional[int] = None,
          hints: Optional[int] = None) -> np.ndarray:
    """A symmetric copy of obj, like numpy.array."""
    model = np.array(obj, dtype, order=order)
    made = _array(model.shape, model.dtype, "C", align, hints)
    if model.size:
        made = np.ndarray(model.shape, model.dtype, made.base, strides=model.strides)
    made[...] = model
    _synced()
    return made


def empty(shape: Any, dtype: Any = float, order: str = "C", *, align: Optional[int] = None,
          hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array with undefined contents."""
    return _array(shape, dtype, order, align, hints)


def zeros(shape: Any, dtype: Any = float, order: str = "C", *, align: Optional[int] = None,
          hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array of zeros."""
    return new_array(shape, dtype, order, align=align, hints=hints)


def ones(shape: Any, dtype: Any = float, order: str = "C", *, align: Optional[int] = None,
         hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array of ones."""
    return full(shape, 1, dtype, order, align=align, hints=hints)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, align: Optional[int] = None,
         hints: Optional[int] = None) -> np.ndarray:
    """A symmetric array filled with a value."""
    made = _array(shape, np.array(fill_value).dtype if dtype is None else dtype, order, align, hints)
    made[...] = np.asarray(fill_value).astype(made.dtype)
    _synced()
    return made


def ptr(target: np.ndarray, pe: int) -> Optional[np.ndarray]:
    """The array of PE `pe` for loads and stores by this PE; None if that PE is on another node."""
    mine = memory(target)
    address = function("shmem_ptr", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(mine.address, pe)
    if not address:
        return None
    return np.ndarray(mine.array.shape, mine.dtype, (ctypes.c_char * mine.bytes).from_address(address),
                      strides=mine.array.strides)


def addr_accessible(addr: Any, pe: int) -> bool:
    """Whether an array is symmetric and accessible on PE `pe`."""
    reach = function("shmem_addr_accessible", ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    return bool(reach(memory(addr, readonly=True).address, pe))
