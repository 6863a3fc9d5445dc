# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's types as C and as the names of OpenSHMEM's functions know them, and memory as the calls want it."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

# By NumPy's character: the name in functions, the type in ctypes.
NAMES = {"b": "schar", "h": "short", "i": "int", "l": "long", "q": "longlong",
         "B": "uchar", "H": "ushort", "I": "uint", "L": "ulong", "Q": "ulonglong", "?": "uchar", "c": "char",
         "f": "float", "d": "double", "g": "longdouble", "F": "complexf", "D": "complexd"}
CTYPES = {"b": ctypes.c_byte, "h": ctypes.c_short, "i": ctypes.c_int, "l": ctypes.c_long, "q": ctypes.c_longlong,
          "B": ctypes.c_ubyte, "H": ctypes.c_ushort, "I": ctypes.c_uint, "L": ctypes.c_ulong, "Q": ctypes.c_ulonglong,
          "f": ctypes.c_float, "d": ctypes.c_double}
# Tables of types.def: which characters they have.
ATOMIC = "ilqILQ"
EXTENDED = ATOMIC + "fd"
BITWISE_SIGNED = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}  # the signed types of bitwise functions


class Memory(NamedTuple):
    address: int
    count: int  # elements
    dtype: np.dtype
    array: np.ndarray  # keeps the memory alive

    @property
    def bytes(self) -> int:
        return self.count * self.dtype.itemsize


def memory(thing: Any, readonly: bool = False, of: str = ATOMIC + "bhBHfdgFD?cSVU") -> Memory:
    """Contiguous memory of an array, or of anything with the buffer protocol."""
    array = thing if isinstance(thing, np.ndarray) else np.asarray(memoryview(thing))
    if not readonly and not array.flags.writeable:
        raise ValueError("this array is read-only: expected one that can be written")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("this array has gaps: expected contiguous memory (numpy.ascontiguousarray makes a copy of it)")
    if array.dtype.char not in of:
        raise TypeError(f"elements of type {array.dtype} cannot be used here")
    return Memory(array.ctypes.data, array.size, array.dtype, array)


def pair(target: Any, source: Any, of: str = ATOMIC + "bhBHfdgFD?cSVU") -> tuple[Memory, Memory]:
    t, s = memory(target, of=of), memory(source, readonly=True, of=of)
    if t.dtype.itemsize != s.dtype.itemsize or t.dtype.kind != s.dtype.kind:
        raise ValueError(f"target holds {t.dtype} and source {s.dtype}: expected the same type")
    return t, s


def enough(what: str, have: int, need: int) -> None:
    if have < need:
        raise ValueError(f"{what} has {have} elements: expected at least {need}")


def scalar(value: Any, dtype: np.dtype):
    """A number as the type would hold it; as an element of such an array, -1 is the largest unsigned number."""
    return np.asarray(value).astype(dtype).item()


def bitwise_name(dtype: np.dtype) -> str:
    return BITWISE_SIGNED[dtype.itemsize] if dtype.kind == "i" else NAMES[dtype.char]
