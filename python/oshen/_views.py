# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the symmetric heap as objects of Python, which may outlive the library.

The library unmaps its heap when it ends, and an array that still exists would then end the interpreter at the next access.
Therefore an explicit finalize copies the pages of such arrays, and puts the copies at the same addresses.
"""

from __future__ import annotations

import ctypes
import mmap
import weakref
from contextlib import contextmanager
from typing import Any, Iterator, NamedTuple

from ._library import started

PAGE = mmap.PAGESIZE
PROT_NONE, MAYMOVE, FIXED = 0, 1, 2  # as in <sys/mman.h>
PRIVATE, ANONYMOUS, NORESERVE, FIXED_NOREPLACE = 0x2, 0x20, 0x4000, 0x100000
FAILED = ctypes.c_void_p(-1).value


class _Pages(NamedTuple):
    first: int
    end: int


_existing: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_libc = ctypes.CDLL(None, use_errno=True)
_map, _remap, _unmap = _libc.mmap, _libc.mremap, _libc.munmap
_map.restype, _map.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_remap.restype, _remap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, *[ctypes.c_size_t] * 2, ctypes.c_int, ctypes.c_void_p]
_unmap.restype, _unmap.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_size_t]


def view(address: int, size: int) -> Any:
    """These bytes, for NumPy and memoryview."""
    made = (ctypes.c_char * size).from_address(address)
    if size:
        _existing[id(made)] = made
    return made


def _pages() -> list[_Pages]:
    """The pages of the views that exist, without overlaps, in order."""
    found: list[_Pages] = []
    for first, size in sorted((ctypes.addressof(each), ctypes.sizeof(each)) for each in _existing.values()):
        pages = _Pages(first // PAGE * PAGE, -(-(first + size) // PAGE) * PAGE)
        if found and pages.first <= found[-1].end:
            pages = _Pages(found[-1].first, max(found.pop().end, pages.end))
        found.append(pages)
    return found


def _copy(pages: _Pages) -> int:
    """The contents of these pages at other addresses; FAILED if there is no memory for them."""
    size = pages.end - pages.first
    copy = _map(None, size, mmap.PROT_READ | mmap.PROT_WRITE, PRIVATE | ANONYMOUS, -1, 0)
    if copy != FAILED:
        ctypes.memmove(copy, pages.first, size)
    return copy


def _put_back(pages: _Pages, copy: int) -> None:
    """Moves the copy to the old addresses, unless something else is there by now."""
    size = pages.end - pages.first
    if _map(pages.first, size, PROT_NONE, PRIVATE | ANONYMOUS | NORESERVE | FIXED_NOREPLACE, -1, 0) == pages.first:
        _remap(copy, size, size, MAYMOVE | FIXED, pages.first)
    else:
        _unmap(copy, size)


@contextmanager
def outliving() -> Iterator[None]:
    """Encloses a call that may end the library: existing views stay valid, as ordinary memory with the same contents."""
    kept = [(pages, copy) for pages in _pages() for copy in [_copy(pages)] if copy != FAILED]
    try:
        yield
    finally:
        for pages, copy in kept:
            if started():
                _unmap(copy, pages.end - pages.first)
            else:
                _put_back(pages, copy)
