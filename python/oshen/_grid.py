# SPDX-License-Identifier: BSD-3-Clause
"""Grids of PEs, and the parts of an array on them."""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence

import numpy as np

from . import shmem
from ._owned import call


def three_axes(numbers: Sequence[int], missing: int) -> Any:
    """Reverses the axes of NumPy into the order of the library, and fills missing ones."""
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"the array has {len(numbers)} axes: expected 1 to 3")
    return (ctypes.c_int * 3)(*reversed(numbers), *[missing] * (3 - len(numbers)))


def grid(shape: Sequence[int], pes: Optional[int] = None, dims: Optional[Sequence[int]] = None) -> tuple[int, ...]:
    """The numbers of parts along each axis for `pes` PEs (default: all), with the least surface between the parts. Non-zero
    entries of `dims` are kept.

    Parameters:
        shape: the lengths of one to three axes
        pes: the number of parts; by default that of the PEs
        dims: the numbers that are fixed; 0 for the others
    Returns: one number for each axis
    Raises: ValueError if no such grid exists
    Example: dims = exchange.grid((64, 64))
    """
    found = three_axes(dims if dims is not None else [0] * len(shape), 1)
    n = shmem.n_pes() if pes is None else pes
    if call("oshen_grid_dims", ctypes.c_int, [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p], n, three_axes(shape, 1), found):
        raise ValueError(f"shape = {tuple(shape)}, pes = {n}, dims = {dims}: expected positive lengths and PEs, and dims whose "
                         "product divides pes")
    return tuple(found[:len(shape)][::-1])


def part(shape: Sequence[int], dims: Sequence[int], pe: Optional[int] = None) -> tuple[slice, ...]:
    """The part of a PE (default: this one) in such a grid. PE numbers increase along the last axis first.

    Parameters:
        shape: the lengths of one to three axes
        dims: the numbers of parts, as grid returns them
        pe: the PE; by default this one
    Returns: one slice for each axis
    Raises: ValueError for a PE outside the grid
    Example: mine = exchange.part((64, 64), exchange.grid((64, 64)))
    """
    low, size = (ctypes.c_int * 3)(), (ctypes.c_int * 3)()
    me, pes = shmem.my_pe() if pe is None else pe, int(np.prod(dims))
    if len(dims) != len(shape) or not 0 <= me < pes:
        raise ValueError(f"dims = {tuple(dims)} with PE {me}: expected {len(shape)} numbers with a product above {me}")
    call("oshen_grid_box", None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p],
         three_axes(shape, 1), three_axes(dims, 1), me, low, size)
    return tuple(slice(low[a], low[a] + size[a]) for a in reversed(range(len(shape))))
