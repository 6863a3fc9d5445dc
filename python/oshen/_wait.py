# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for variables that other PEs change, and locks.

`cmp` is a CMP, or one of == != > <= < >= eq ne gt le lt ge. Variables with a non-zero `status` are ignored. Indices
count from 0. None and [] mean that all variables are ignored.
"""

from __future__ import annotations

import enum
from typing import Any, Optional

import numpy as np

from ._checks import variable
from ._heap import free, zeros
from ._library import function
from ._lifetime import at_end
from ._rma import INT, POINTER, SIZE, WORD
from ._types import ATOMIC, CTYPES, NAMES, Memory, converted, scalar


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
    v = variable("ivar", ivar, ATOMIC, readonly=True)
    if v.count < 1:
        raise ValueError("the array is empty: expected at least one element")
    call = function(f"shmem_{NAMES[v.dtype.char]}_{name}", result, POINTER, INT, CTYPES[v.dtype.char])
    return call(v.address, _comparison(cmp), scalar(value, v.dtype))


def _left_out(status: Any, count: int) -> Optional[np.ndarray]:
    if status is None:
        return None
    marks = np.ascontiguousarray(np.asarray(status) != 0, np.intc)
    if marks.size != count:
        raise ValueError(f"status has {marks.size} elements: expected {count}, one for each variable")
    return marks


def _compared_with(v: Memory, values: Any, vector: bool):
    """The argument for a value or an array of values, its type, and the array to keep alive."""
    if not vector:
        return scalar(values, v.dtype), CTYPES[v.dtype.char], None
    own = np.ascontiguousarray(converted("values", values, v.dtype))
    if own.size != v.count:
        raise ValueError(f"values has {own.size} elements: expected {v.count}, one for each variable")
    return own.ctypes.data, POINTER, own


def _many(name: str, result, ivars: Any, cmp: Any, values: Any, status: Any) -> Any:
    """Calls a routine on several variables. For some-routines returns the list of indices."""
    v = variable("ivars", ivars, ATOMIC, readonly=True)
    value, kind, _kept = _compared_with(v, values, name.endswith("_vector"))
    marks = _left_out(status, v.count)
    some = "_some" in name
    indices = np.empty(v.count if some else 0, np.uintp)
    call = function(f"shmem_{NAMES[v.dtype.char]}_{name}", result, POINTER, SIZE, *([POINTER] if some else []), POINTER, INT, kind)
    answer = call(v.address, v.count, *([indices.ctypes.data] if some else []),
                  None if marks is None else marks.ctypes.data, _comparison(cmp), value)
    return [int(i) for i in indices[:answer]] if some else answer


def _index(found: int) -> Optional[int]:
    return None if found == _NOTHING else found


def wait_until(ivar: Any, cmp: Any, value: Any) -> None:
    """Waits until `ivar cmp value` holds on this PE.

    Parameters:
        ivar: symmetric array of integers; its first element is compared
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.wait_until(word, ">=", 0)
    """
    _one("wait_until", None, ivar, cmp, value)


def wait_until_all(ivars: Any, cmp: Any, value: Any, status: Any = None) -> None:
    """Waits until the comparison holds for all variables.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
        status: integers, one for each variable; a non-zero one leaves the variable out
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.wait_until_all(words, ">=", 0)
    """
    _many("wait_until_all", None, ivars, cmp, value, status)


def wait_until_any(ivars: Any, cmp: Any, value: Any, status: Any = None) -> Optional[int]:
    """Waits until the comparison holds for a variable, and returns its index.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the index, or None if all variables are left out
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.wait_until_any(words, ">=", 0)
    """
    return _index(_many("wait_until_any", SIZE, ivars, cmp, value, status))


def wait_until_some(ivars: Any, cmp: Any, value: Any, status: Any = None) -> list[int]:
    """Waits until the comparison holds for at least one variable, and returns the indices of all such variables.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the indices; none if all variables are left out
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.wait_until_some(words, ">=", 0)
    """
    return _many("wait_until_some", SIZE, ivars, cmp, value, status)


def wait_until_all_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> None:
    """wait_until_all with a value for each variable.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        values: numbers, one for each variable
        status: integers, one for each variable; a non-zero one leaves the variable out
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.wait_until_all_vector(words, ">=", [0, 0])
    """
    _many("wait_until_all_vector", None, ivars, cmp, values, status)


def wait_until_any_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> Optional[int]:
    """wait_until_any with a value for each variable.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        values: numbers, one for each variable
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the index, or None if all variables are left out
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.wait_until_any_vector(words, ">=", [0, 0])
    """
    return _index(_many("wait_until_any_vector", SIZE, ivars, cmp, values, status))


def wait_until_some_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> list[int]:
    """wait_until_some with a value for each variable.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        values: numbers, one for each variable
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the indices; none if all variables are left out
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.wait_until_some_vector(words, ">=", [0, 0])
    """
    return _many("wait_until_some_vector", SIZE, ivars, cmp, values, status)


def test(ivar: Any, cmp: Any, value: Any) -> bool:
    """Whether `ivar cmp value` holds on this PE.

    Parameters:
        ivar: symmetric array of integers; its first element is compared
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
    Returns: True or False
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.test(word, ">=", 0)
    """
    return bool(_one("test", INT, ivar, cmp, value))


def test_all(ivars: Any, cmp: Any, value: Any, status: Any = None) -> bool:
    """Whether the comparison holds for all variables.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: True or False
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.test_all(words, ">=", 0)
    """
    return bool(_many("test_all", INT, ivars, cmp, value, status))


def test_any(ivars: Any, cmp: Any, value: Any, status: Any = None) -> Optional[int]:
    """The index of a variable for which the comparison holds; None if there is none.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the index or None
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.test_any(words, ">=", 0)
    """
    return _index(_many("test_any", SIZE, ivars, cmp, value, status))


def test_some(ivars: Any, cmp: Any, value: Any, status: Any = None) -> list[int]:
    """The indices of all variables for which the comparison holds.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the indices; none if there are none
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.test_some(words, ">=", 0)
    """
    return _many("test_some", SIZE, ivars, cmp, value, status)


def test_all_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> bool:
    """test_all with a value for each variable.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        values: numbers, one for each variable
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: True or False
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.test_all_vector(words, ">=", [0, 0])
    """
    return bool(_many("test_all_vector", INT, ivars, cmp, values, status))


def test_any_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> Optional[int]:
    """test_any with a value for each variable.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        values: numbers, one for each variable
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the index or None
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.test_any_vector(words, ">=", [0, 0])
    """
    return _index(_many("test_any_vector", SIZE, ivars, cmp, values, status))


def test_some_vector(ivars: Any, cmp: Any, values: Any, status: Any = None) -> list[int]:
    """test_some with a value for each variable.

    Parameters:
        ivars: symmetric array of integers
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        values: numbers, one for each variable
        status: integers, one for each variable; a non-zero one leaves the variable out
    Returns: the indices; none if there are none
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.test_some_vector(words, ">=", [0, 0])
    """
    return _many("test_some_vector", SIZE, ivars, cmp, values, status)


def signal_wait_until(signal: Any, cmp: Any, value: int) -> int:
    """Waits until `signal cmp value` holds on this PE, and returns the signal. The data of its put has arrived.

    Parameters:
        signal: symmetric array of one uint64 element, from new_signal
        cmp: the comparison: a CMP or its spelling, such as ">=" or "ge"
        value: a number
    Returns: the value
    Raises: ValueError, TypeError for a wrong comparison, type or array; RuntimeError before init
    Example: shmem.signal_wait_until(signal, ">=", 0)
    """
    wait = function("shmem_signal_wait_until", WORD, POINTER, INT, WORD)
    word = variable("signal", signal, "LQ")
    return wait(word.address, _comparison(cmp), scalar(value, word.dtype))


_held: set[int] = set()  # addresses of the locks that this PE holds
at_end(_held.clear)


def _free_for_me(lock: Any) -> int:
    """The address of a lock that this PE does not hold."""
    address = variable("lock", lock, "lq").address
    if address in _held:
        raise RuntimeError("this PE holds the lock already: expected clear_lock before")
    return address


def new_lock() -> np.ndarray:
    """Allocates a free lock. Collective over all PEs.

    Returns: an array of one int64 element
    Raises: ValueError, TypeError for a wrong argument; MemoryError if the heap is full; RuntimeError before init
    Example: lock = shmem.new_lock()
    """
    return zeros(1, np.int64)


def del_lock(lock: np.ndarray) -> None:
    """Frees the memory of a lock. Collective over all PEs.

    Parameters:
        lock: symmetric array of one int64 element, from new_lock
    Raises: ValueError, TypeError if it is no lock; RuntimeError if this PE holds it. KeyError for another array
    Example: shmem.del_lock(shmem.new_lock())
    """
    _free_for_me(lock)
    free(lock)


def set_lock(lock: np.ndarray) -> None:
    """Acquires a lock; PEs wait in order of arrival.

    Parameters:
        lock: symmetric array of one int64 element, from new_lock
    Raises: ValueError, TypeError if it is no lock; RuntimeError if this PE holds it already
    Example:
        shmem.set_lock(lock)
        shmem.clear_lock(lock)
    """
    address = _free_for_me(lock)
    function("shmem_set_lock", None, POINTER)(address)
    _held.add(address)


def test_lock(lock: np.ndarray) -> bool:
    """Acquires a lock if it is free. Returns True if it is not free.

    Parameters:
        lock: symmetric array of one int64 element, from new_lock
    Returns: False if this PE has the lock now
    Raises: ValueError, TypeError if it is no lock; RuntimeError before init
    Example:
        if not shmem.test_lock(lock):
            shmem.clear_lock(lock)
    """
    address = variable("lock", lock, "lq").address
    is_taken = address in _held or bool(function("shmem_test_lock", INT, POINTER)(address))
    if not is_taken:
        _held.add(address)
    return is_taken


def clear_lock(lock: np.ndarray) -> None:
    """Completes the operations of this PE and releases a lock.

    Parameters:
        lock: symmetric array of one int64 element, from new_lock
    Raises: ValueError, TypeError if it is no lock; RuntimeError if this PE does not hold it
    Example:
        shmem.set_lock(lock)
        shmem.clear_lock(lock)
    """
    address = variable("lock", lock, "lq").address
    if address not in _held:
        raise RuntimeError("this PE does not hold the lock: expected a set_lock, or a test_lock that returned False")
    _held.remove(address)
    function("shmem_clear_lock", None, POINTER)(address)


class Lock:
    """A lock for `with`. Created and destroyed collectively over all PEs.

    Raises: MemoryError if the heap is full; RuntimeError before init
    Example:
        lock = shmem.Lock()
        with lock:
            shmem.put(target, [1.0], 0)
        shmem.barrier_all()
        lock.destroy()
    """

    def __init__(self) -> None:
        self._lock: Optional[np.ndarray] = new_lock()

    def _existing(self) -> np.ndarray:
        if self._lock is None:
            raise RuntimeError("this Lock is destroyed")
        return self._lock

    def destroy(self) -> None:
        """Frees the lock. Further calls have no effect.

        Raises: RuntimeError if this PE holds it
        """
        lock, self._lock = self._lock, None
        if lock is not None:
            del_lock(lock)

    def acquire(self, blocking: bool = True) -> bool:
        """Acquires the lock. With blocking=False returns False if it is not free.

        Parameters:
            blocking: whether to wait until the lock is free
        Returns: whether this PE has the lock now
        Raises: RuntimeError if the lock is destroyed, or if this PE holds it already
        """
        if blocking:
            set_lock(self._existing())
            return True
        return not test_lock(self._existing())

    def release(self) -> None:
        """Releases the lock.

        Raises: RuntimeError if the lock is destroyed, or if this PE does not hold it
        """
        clear_lock(self._existing())

    def __enter__(self) -> "Lock":
        self.acquire()
        return self

    def __exit__(self, *_) -> None:
        self.release()
