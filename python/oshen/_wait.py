# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for variables that other PEs change, and locks.

`cmp` is a CMP, or one of == != > <= < >= eq ne gt le lt ge. Variables with a non-zero `status` are ignored. Indices
count from 0. None and [] mean that all variables are ignored.
"""

from __future__ import annotations

import enum
from typing import Any, Optional

import numpy as np

from ._heap import free, zeros
from ._library import function
from ._rma import INT, POINTER, SIZE, WORD
from ._types import ATOMIC, CTYPES, NAMES, Memory, memory, scalar


class CMP(enum.IntEnum):
    """Comparisons."""

    EQ, NE, LT, LE, GT, GE = range(6)


CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE = CMP
_SPELLINGS = {"==": CMP.EQ, "!=": CMP.NE, "<": CMP.LT, "<=": CMP.LE, ">": CMP.GT, ">=": CMP.GE}
_NOTHING = 2**64 - 1  # SIZE_MAX


def _comparison(cmp: Any) -> int:
    if not isinstance(cmp, str):
        return CMP(cmp)
    try:
        return _SPELLINGS[cmp] if cmp in _SPELLINGS else CMP[cmp.upper()]
    except KeyError:
        raise ValueError(f"comparison {cmp!r}: expected one of {' '.join(_SPELLINGS)}, or eq ne lt le gt ge") from None


def _one(name: str, result, ivar: Any, cmp: Any, value: Any):
    v = memory(ivar, readonly=True, of=ATOMIC)
    call = function(f"shmem_{NAMES[v.dtype.char]}_{name}", result, POINTER, INT, CTYPES[v.dtype.char])
    return call(v.address, _comparison(cmp), scalar(value, v.dtype))


def _left_out(status: Any, count: int) -> Optional[np.ndarray]:
    if status is None:
        return None
    marks = np.ascontiguousarray(status, np.intc)
    if marks.size != count:
        raise ValueError(f"status has {marks.size} elements: expected {count}, one for each variable")
    return marks


def _compared_with(v: Memory, values: Any, vector: bool):
    """The argument for a value or an array of values, its type, and the array to keep alive."""
    if not vector:
        return scalar(values, v.dtype), CTYPES[v.dtype.char], None
    own = np.ascontiguousarray(np.asarray(values).astype(v.dtype))
    if own.size != v.count:
        raise ValueError(f"values has {own.size} elements: expected {v.count}, one for each variable")
    return own.ctypes.data, POINTER, own


def _many(name: str, result, ivars: Any, cmp: Any, values: Any, status: Any):
    """Calls a routine on several variables. For some-routines returns the list of indices."""
    v = memory(ivars, readonly=True, of=ATOMIC)
    value, kind, _kept = _compared_with(v, values, name.endswith("_vector"))
    marks = _left_out(status, v.count)
    some = "_some" in name
    indices = np.empty(v.count, np.uintp) if some else None
    call = function(f"shmem_{NAMES[v.dtype.char]}_{name}", result, POINTER, SIZE, *([POINTER] if some else []), POINTER, INT, kind)
    answer = call(v.address, v.count, *([indices.ctypes.data] if some else []),
                  None if marks is None else marks.ctypes.data, _comparison(cmp), value)
    return [int(i) for i in indices[:answer]] if some else answer


def _index(found: int) -> Optional[int]:
    return None if found == _NOTHING else found


def wait_until(ivar: Any, cmp: Any, value: Any) -> None:
    """Waits until `ivar cmp value` holds on this PE."""
    _one("wait_until", None, ivar, cmp, value)


def wait_until_all(ivars: Any, cmp: Any, value: Any, status: Any = None) -> None:
    """Waits until the comparison holds for all variables."""
    _many("wait_until_all", None, ivars, cmp, value, status)


def wait_until_any(ivars: Any, cmp: Any, value: Any, status: Any = None) -> Optional[int]:
    """Waits until the comparison holds for a variable, and returns its index."""
    return _index(_many("wait_until_any", SIZE, ivars, cmp, value, status))


def wait_until_some(ivars: Any, cmp: Any, value: Any, status: Any = None) -> list[int]:
    """Waits until the comparison holds for at least one variable, and returns the indices of all such variables."""
    return _many("wait_until_some", SIZE, ivars, cmp, value, status)


def wait_until_all_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> None:
    """wait_until_all with a value for each variable."""
    _many("wait_until_all_vector", None, ivars, cmp, values, status)


def wait_until_any_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> Optional[int]:
    """wait_until_any with a value for each variable."""
    return _index(_many("wait_until_any_vector", SIZE, ivars, cmp, values, status))


def wait_until_some_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> list[int]:
    """wait_until_some with a value for each variable."""
    return _many("wait_until_some_vector", SIZE, ivars, cmp, values, status)


def test(ivar: Any, cmp: Any, value: Any) -> bool:
    """Whether `ivar cmp value` holds on this PE."""
    return bool(_one("test", INT, ivar, cmp, value))


def test_all(ivars: Any, cmp: Any, value: Any, status: Any = None) -> bool:
    """Whether the comparison holds for all variables."""
    return bool(_many("test_all", INT, ivars, cmp, value, status))


def test_any(ivars: Any, cmp: Any, value: Any, status: Any = None) -> Optional[int]:
    """The index of a variable for which the comparison holds; None if there is none."""
    return _index(_many("test_any", SIZE, ivars, cmp, value, status))


def test_some(ivars: Any, cmp: Any, value: Any, status: Any = None) -> list[int]:
    """The indices of all variables for which the comparison holds."""
    return _many("test_some", SIZE, ivars, cmp, value, status)


def test_all_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> bool:
    """test_all with a value for each variable."""
    return bool(_many("test_all_vector", INT, ivars, cmp, values, status))


def test_any_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> Optional[int]:
    """test_any with a value for each variable."""
    return _index(_many("test_any_vector", SIZE, ivars, cmp, values, status))


def test_some_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> list[int]:
    """test_some with a value for each variable."""
    return _many("test_some_vector", SIZE, ivars, cmp, values, status)


def signal_wait_until(signal: Any, cmp: Any, value: int) -> int:
    """Waits until `signal cmp value` holds on this PE, and returns the signal. The data of its put has arrived."""
    wait = function("shmem_signal_wait_until", WORD, POINTER, INT, WORD)
    return wait(memory(signal, of="LQ").address, _comparison(cmp), value)


def new_lock() -> np.ndarray:
    """Allocates a free lock. Collective over all PEs."""
    return zeros(1, np.int64)


def del_lock(lock: np.ndarray) -> None:
    """Frees the memory of a lock. Collective over all PEs."""
    free(lock)


def set_lock(lock: np.ndarray) -> None:
    """Acquires a lock; PEs wait in order of arrival."""
    function("shmem_set_lock", None, POINTER)(memory(lock, of="lq").address)


def test_lock(lock: np.ndarray) -> bool:
    """Acquires a lock if it is free. Returns True if it is not free."""
    return bool(function("shmem_test_lock", INT, POINTER)(memory(lock, of="lq").address))


def clear_lock(lock: np.ndarray) -> None:
    """Completes the operations of this PE and releases a lock."""
    function("shmem_clear_lock", None, POINTER)(memory(lock, of="lq").address)


class Lock:
    """A lock for `with`. Created and destroyed collectively over all PEs."""

    def __init__(self) -> None:
        self._lock: Optional[np.ndarray] = new_lock()

    def destroy(self) -> None:
        """Frees the lock. Further calls have no effect."""
        lock, self._lock = self._lock, None
        if lock is not None:
            del_lock(lock)

    def acquire(self, blocking: bool = True) -> bool:
        """Acquires the lock. With blocking=False returns False if it is not free."""
        if blocking:
            set_lock(self._lock)
            return True
        return not test_lock(self._lock)

    def release(self) -> None:
        """Releases the lock."""
        clear_lock(self._lock)

    def __enter__(self) -> "Lock":
        self.acquire()
        return self

    def __exit__(self, *_) -> None:
        self.release()
