# SPDX-License-Identifier: BSD-3-Clause
"""Maps NumPy types to C types and to names of OpenSHMEM functions; addresses of arrays."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

# From NumPy's type character to the name in functions, and to the type of ctypes.
NAMES = {"b": "schar", "h": "short", "i": "int", "l": "long", "q": "longlong",
         "B": "uchar", "H": "ushort", "I": "uint", "L": "ulong", "Q": "ulonglong", "?": "uchar", "c": "char",
         "f": "float", "d": "double", "g": "longdouble", "F": "complexf", "D": "complexd"}
CTYPES = {"b": ctypes.c_byte, "h": ctypes.c_short, "i": ctypes.c_int, "l": ctypes.c_long, "q": ctypes.c_longlong,
          "B": ctypes.c_ubyte, "H": ctypes.c_ushort, "I": ctypes.c_uint, "L": ctypes.c_ulong, "Q": ctypes.c_ulonglong,
          "f": ctypes.c_float, "d": ctypes.c_double}
# Type characters of the tables in spec/types.def.
ATOMIC = "ilqILQ"
EXTENDED = ATOMIC + "fd"
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


def _shared(thing: Any) -> np.ndarray:
    """An array of the memory of `thing`, never of a copy."""
    if isinstance(thing, np.ndarray):
        return thing
    if hasattr(thing, "__array_interface__"):
        return np.asarray(thing)
    if hasattr(thing, "__dlpack__"):
        return np.from_dlpack(thing)
    return np.asarray(memoryview(thing))


def memory(thing: Any, readonly: bool = False, of: str = ATOMIC + "bhBHfdgFD?cSVU") -> Memory:
    """Contiguous memory of an array, or of an object with the array interface, DLPack or the buffer protocol."""
    array = _shared(thing)
    if not readonly and not array.flags.writeable:
        raise ValueError("the array is read-only: expected a writable one")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("the array is not contiguous: expected a contiguous one (numpy.ascontiguousarray makes a copy)")
    if array.dtype.char not in of:
        raise TypeError(f"cannot use elements of type {array.dtype} here")
    return Memory(array.ctypes.data, array.size, array.dtype, array)


def pair(target: Any, source: Any, of: str = ATOMIC + "bhBHfdgFD?cSVU") -> tuple[Memory, Memory]:
    t, s = memory(target, of=of), memory(source, readonly=True, of=of)
    equal_types(t, s)
    return t, s


def local(thing: Any, like: Memory, of: str = ATOMIC + "bhBHfdgFD?cSVU") -> Memory:
    """Memory that is only read: of an array, or of a contiguous copy if it has gaps, is a list or is a number."""
    if thing is None:
        raise TypeError("source = None: expected an array, or what numpy.asarray takes")
    try:
        array = np.asarray(thing) if hasattr(thing, "__array__") else _shared(thing)
    except TypeError:
        array = np.asarray(thing, dtype=like.dtype)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    return memory(array, readonly=True, of=of)


def equal_types(t: Memory, s: Memory) -> None:
    if t.dtype.itemsize != s.dtype.itemsize or t.dtype.kind != s.dtype.kind:
        raise ValueError(f"target has type {t.dtype} and source {s.dtype}: expected equal types")


def enough(what: str, have: int, need: int) -> None:
    if need < 0:
        raise ValueError(f"size = {need}: expected at least 0")
    if have < need:
        raise ValueError(f"{what} has {have} elements: expected at least {need}")


def scalar(value: Any, dtype: np.dtype):
    """A number converted to the type; -1 becomes the largest unsigned number."""
    given = np.asarray(value)
    if given.size != 1 or given.dtype.kind not in "biufc":
        raise TypeError(f"value = {value!r}: expected a number for elements of type {dtype}")
    return given.astype(dtype).item()


def bitwise_name(dtype: np.dtype) -> str:
    return BITWISE_SIGNED[dtype.itemsize] if dtype.kind == "i" else NAMES[dtype.char]
