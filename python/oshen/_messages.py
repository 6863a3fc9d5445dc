# SPDX-License-Identifier: BSD-3-Clause
"""Messages of a plan: views or elements of arrays, in the format of the library."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Optional, Sequence, Union

import numpy as np


@dataclass(frozen=True)
class Elements:
    """A message given by indices of the flat array, in the order of the transfer.

    Parameters:
        numbers: the indices, from 0
    Example: message = (right, exchange.Elements([7, 2, 5]))
    """

    numbers: Union[Sequence[int], np.ndarray]


Messages = Sequence[tuple[int, Union[np.ndarray, Elements]]]


class Box(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_size_t), ("element", ctypes.c_size_t), ("extent", ctypes.c_size_t * 3),
                ("stride", ctypes.c_size_t * 3)]


class Message(ctypes.Structure):
    _fields_ = [("peer", ctypes.c_int), ("bytes", ctypes.c_size_t), ("box", Box)]


class Attributes(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("strategy", ctypes.c_char_p), ("sends", ctypes.POINTER(Message)),
                ("receives", ctypes.POINTER(Message)), ("n_sends", ctypes.c_int), ("n_receives", ctypes.c_int),
                ("pack", ctypes.c_void_p), ("unpack", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("n_fields", ctypes.c_int), ("in_field_stride", ctypes.c_size_t), ("out_field_stride", ctypes.c_size_t),
                ("buffers", ctypes.c_uint), ("send_offsets", ctypes.c_void_p), ("receive_offsets", ctypes.c_void_p),
                ("choices", ctypes.c_char_p), ("expected_runs", ctypes.c_int)]


def _box(view: np.ndarray, whole: np.ndarray) -> Box:
    """The position of a view in its array. The first axis of the library is the last of NumPy."""
    offset = view.ctypes.data - whole.ctypes.data
    last = offset + sum((n - 1) * s for n, s in zip(view.shape, view.strides)) + view.itemsize
    if view.size and (offset < 0 or last > whole.nbytes or min(view.strides, default=0) < 0):
        raise ValueError("a message is not a view of its array, or has a negative stride")
    if view.ndim > 3:
        raise ValueError(f"a message has {view.ndim} axes: expected at most 3")
    extent, stride = [1, 1, 1], [view.itemsize] * 3
    for axis, (n, s) in enumerate(zip(view.shape[::-1], view.strides[::-1])):
        extent[axis], stride[axis] = n, s
    return Box(max(offset, 0), view.itemsize, (ctypes.c_size_t * 3)(*extent), (ctypes.c_size_t * 3)(*stride))


def _scattered(elements: Elements, whole: np.ndarray) -> tuple[int, Box, np.ndarray]:
    """Bytes, box and offsets of a message given by Elements."""
    numbers = np.asarray(elements.numbers).reshape(-1)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"Elements have numbers of type {numbers.dtype}: expected integers")
    numbers = numbers.astype(np.int64)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= whole.size):
        raise ValueError(f"a message has elements {numbers.min()} to {numbers.max()}: expected 0 to {whole.size - 1}")
    if not whole.flags.c_contiguous:
        raise ValueError("Elements need an array that is contiguous in C order")
    three = ctypes.c_size_t * 3
    box = Box(0, whole.itemsize, three(numbers.size, 1, 1), three(*[whole.itemsize] * 3))
    return numbers.nbytes // 8 * whole.itemsize, box, (numbers * whole.itemsize).astype(np.uintp)


def equal_types(what: str, one: Optional[np.ndarray], two: Optional[np.ndarray]) -> None:
    """Elements move as bytes, so that both ends need the same type. Raises: TypeError."""
    for array in (one, two):
        if array is not None and array.dtype.hasobject:
            raise TypeError(f"{what} has type {array.dtype}: expected elements without references to Python objects")
    if one is not None and two is not None and one.dtype != two.dtype:
        raise TypeError(f"{what} has types {one.dtype} and {two.dtype}: expected equal types")


class MessageList:
    """Messages in the format of the library, and the arrays to which they point."""

    def __init__(self, listed: Messages, whole: Optional[np.ndarray], n: int):
        self.count, messages, self.lists = len(listed), [], []
        for peer, what in listed:
            offsets = None
            if not 0 <= peer < n:
                raise ValueError(f"a message has PE {peer}: expected a PE of the group, 0 .. {n - 1}")
            if whole is None or not isinstance(what, (Elements, np.ndarray)):
                raise TypeError(f"a message with PE {peer} is {what!r}: expected a view, or Elements, of an array that is not None")
            if isinstance(what, Elements):
                size, box, offsets = _scattered(what, whole)
            else:
                equal_types("a message", what, whole)
                size, box = what.nbytes, _box(what, whole)
            messages.append(Message(peer, size, box))
            self.lists.append(offsets)
        self.array = (Message * max(1, self.count))(*messages)
        addresses = [a.ctypes.data if a is not None and a.size else None for a in self.lists]
        self.offsets = (ctypes.c_void_p * max(1, self.count))(*addresses)


def attributes_of(sends: MessageList, receives: MessageList, strategy: str) -> Attributes:
    return Attributes(size=ctypes.sizeof(Attributes), strategy=strategy.encode(), sends=sends.array,
                       receives=receives.array, n_sends=sends.count, n_receives=receives.count,
                       send_offsets=ctypes.addressof(sends.offsets), receive_offsets=ctypes.addressof(receives.offsets))


def address_of(array: Optional[np.ndarray], written: bool) -> Optional[int]:
    if array is None:
        return None
    if written and not array.flags.writeable:
        raise ValueError("the target is read-only: expected a writable array")
    if not array.flags.c_contiguous and not array.flags.f_contiguous:
        raise ValueError("the array is not contiguous: expected a contiguous one")
    return array.ctypes.data
