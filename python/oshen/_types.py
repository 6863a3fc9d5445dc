# SPDX-License-Identifier: BSD-3-Clause
"""Maps NumPy types to C types and to names of OpenSHMEM functions; addresses of arrays.

An array that the library cannot use as it is becomes a converted copy where it is only read, or an exception.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

# From NumPy's type character to the name in functions, and to the type of ctypes.
NAMES = {"b": "schar", "h": "short", "i": "int", "l": "long", "q": "longlong",
         "B": "uchar", "H": "ushort", "I": "uint", "L": "ulong", "Q": "ulonglong", "?": "uchar", "c": "char",
         "e": "half", "f": "float", "d": "double", "g": "longdouble", "F": "complexf", "D": "complexd"}
CTYPES = {"b": ctypes.c_byte, "h": ctypes.c_short, "i": ctypes.c_int, "l": ctypes.c_long, "q": ctypes.c_longlong,
          "B": ctypes.c_ubyte, "H": ctypes.c_ushort, "I": ctypes.c_uint, "L": ctypes.c_ulong, "Q": ctypes.c_ulonglong,
          "f": ctypes.c_float, "d": ctypes.c_double}
# Type characters of the tables in spec/types.def.
ATOMIC = "ilqILQ"
EXTENDED = ATOMIC + "fd"
MOVED = "?cbhilqBHILQefdgFDGSUVMm"  # all but references to objects of Python: calls that only move bytes
BITWISE_SIGNED = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}  # the signed types of bitwise functions


@dataclass(frozen=True)
class Memory:
    """Contiguous elements, and the array that keeps them alive."""

    address: int
    count: int  # elements
    dtype: np.dtype
    array: np.ndarray  # keeps the memory alive

    @property
    def bytes(self) -> int:
        return self.count * self.dtype.itemsize


def refuse_masked(thing: Any) -> None:
    """A masked element has no value. Raises: TypeError if there is one."""
    if isinstance(thing, np.ma.MaskedArray) and np.ma.is_masked(thing):
        raise TypeError("the array has masked elements: expected none (filled() gives them values)")


def _shared(thing: Any) -> np.ndarray:
    """An array of the memory of `thing`, never of a copy."""
    if isinstance(thing, np.ndarray):
        refuse_masked(thing)
        return thing
    if hasattr(thing, "__array_interface__"):
        return np.asarray(thing)
    if hasattr(thing, "__dlpack__"):
        return np.from_dlpack(thing)
    return np.asarray(memoryview(thing))


def _usable(array: np.ndarray, of: str) -> None:
    """Whether a call knows these elements. A call that only moves them (of: MOVED) leaves their bytes as they are."""
    dtype = array.dtype
    if dtype.char not in of or dtype.hasobject:
        raise TypeError(f"cannot use elements of type {dtype} here")
    if of is MOVED:
        return
    if not dtype.isnative:
        raise TypeError(f"the elements have type {dtype}: expected the byte order of this machine "
                        "(a.astype(a.dtype.newbyteorder('=')) makes a copy)")
    if not array.flags.aligned:
        raise ValueError(f"the elements of type {dtype} are not aligned: expected a multiple of {dtype.alignment} as address")


def memory(thing: Any, readonly: bool = False, of: str = MOVED) -> Memory:
    """Contiguous memory of an array, or of an object with the array interface, DLPack or the buffer protocol."""
    array = _shared(thing)
    if not readonly and not array.flags.writeable:
        raise ValueError("the array is read-only: expected a writable one")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("the array is not contiguous: expected a contiguous one (numpy.ascontiguousarray makes a copy)")
    _usable(array, of)
    return Memory(array.ctypes.data, array.size, array.dtype, array)


def pair(target: Any, source: Any, of: str = MOVED) -> tuple[Memory, Memory]:
    t, s = memory(target, of=of), memory(source, readonly=True, of=of)
    equal_types(t, s)
    if t.array.shape == s.array.shape and not _same_order(t.array, s.array):
        raise ValueError("target and source differ in the order of the axes: expected both in C order, or both in Fortran order")
    return t, s


def _same_order(one: np.ndarray, two: np.ndarray) -> bool:
    return (one.flags.c_contiguous and two.flags.c_contiguous) or (one.flags.f_contiguous and two.flags.f_contiguous)


def _order_only(one: np.dtype, two: np.dtype) -> bool:
    """Whether two types differ in nothing but the byte order."""
    return one.newbyteorder("=") == two.newbyteorder("=")


def local(thing: Any, like: Memory) -> Memory:
    """Memory that is only read: of an array, or of a contiguous copy if it has gaps, another order, is a list or is a number."""
    if thing is None:
        raise TypeError("source = None: expected an array, or what numpy.asarray takes")
    refuse_masked(thing)
    try:
        array = np.asarray(thing) if hasattr(thing, "__array__") else _shared(thing)
    except TypeError:
        array = None
    if array is None:
        array = converted("source", thing, like.dtype)
    if array.shape == like.array.shape and not _same_order(array, like.array):
        array = np.array(array, order="C" if like.array.flags.c_contiguous else "F")
    elif not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    if array.dtype != like.dtype and _order_only(array.dtype, like.dtype):
        array = array.astype(like.dtype)
    return memory(array, readonly=True)


def equal_types(t: Memory, s: Memory) -> None:
    if t.dtype == s.dtype:
        return
    if _order_only(t.dtype, s.dtype):
        raise TypeError(f"target has type {t.dtype} and source {s.dtype}: expected the same byte order")
    raise ValueError(f"target has type {t.dtype} and source {s.dtype}: expected equal types")


def enough(what: str, have: int, need: int) -> None:
    if need < 0:
        raise ValueError(f"size = {need}: expected at least 0")
    if have < need:
        raise ValueError(f"{what} has {have} elements: expected at least {need}")


def _held(what: str, low: int, high: int, dtype: np.dtype) -> None:
    """Integers that fit the bits: -1 becomes the largest unsigned number, and masks may be written for signed ones."""
    bits = 8 * dtype.itemsize
    for number in (low, high):
        if not -(1 << (bits - 1)) <= number < 1 << bits:
            raise ValueError(f"{what} = {number}: expected a number that {dtype} holds")


def _is_whole(given: np.ndarray) -> bool:
    if given.dtype.kind == "O":
        return all(isinstance(each, int) for each in given.flat)
    return given.dtype.kind in "biu" or (given.dtype.kind == "f" and bool(np.all(np.isfinite(given) & (given == np.trunc(given)))))


def _wrapped(given: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Integers that fit the bits, as elements of the type."""
    if given.dtype.kind in "biu":
        return given.astype(dtype)
    bits = 8 * dtype.itemsize
    numbers = np.array([int(each) % (1 << bits) for each in given.flat], f"u{dtype.itemsize}")
    return numbers.view(dtype.newbyteorder("=")).astype(dtype).reshape(given.shape)


def converted(what: str, values: Any, dtype: np.dtype) -> np.ndarray:
    """Numbers as an array of the type. Raises: TypeError, ValueError for numbers that it does not hold."""
    given = np.asarray(values)
    if not given.size or dtype.kind not in "iufc":
        return np.asarray(values, dtype=dtype)
    if dtype.kind in "iu":
        if not _is_whole(given):
            kind = "an integer" if given.dtype.kind in "fc" else "a number"
            raise TypeError(f"{what} = {values!r}: expected {kind} for elements of type {dtype}")
        _held(what, int(given.min()), int(given.max()), dtype)
        return _wrapped(given, dtype)
    if given.dtype.kind not in "biuf" + dtype.kind:
        raise TypeError(f"{what} = {values!r}: expected a number for elements of type {dtype}")
    return given.astype(dtype)


def scalar(value: Any, dtype: np.dtype):
    """A number converted to the type; -1 becomes the largest unsigned number."""
    if type(value) is int and dtype.kind in "iu":
        _held("value", value, value, dtype)
        return value
    if np.size(value) != 1:
        raise TypeError(f"value = {value!r}: expected a number for elements of type {dtype}")
    return converted("value", value, dtype).item()


def bitwise_name(dtype: np.dtype) -> str:
    return BITWISE_SIGNED[dtype.itemsize] if dtype.kind == "i" else NAMES[dtype.char]
