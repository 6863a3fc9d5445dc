# SPDX-License-Identifier: BSD-3-Clause
"""Plans that fill the ghost elements of a decomposed array."""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._grid import grid, part, three_axes
from ._group import Group
from ._messages import Attributes, address_of, equal_types
from ._owned import checked
from ._plan import Plan, check_strategy, checked_runs


Width = Union[int, Sequence[Union[int, tuple[int, int]]]]


class HaloAttributes(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("extent", ctypes.c_int * 3), ("dims", ctypes.c_int * 3), ("parts", ctypes.c_void_p),
                ("below", ctypes.c_int * 3), ("above", ctypes.c_int * 3), ("periodic", ctypes.c_uint), ("faces_only", ctypes.c_int),
                ("element", ctypes.c_size_t), ("stride", ctypes.c_size_t * 3), ("offset", ctypes.c_size_t)]


def _widths(width: Width, axes: int) -> tuple[list[int], list[int]]:
    """The layers of ghost elements before and after the part, along each axis."""
    each: Sequence[Any] = [width] * axes if isinstance(width, int) else width
    if len(each) != axes:
        raise ValueError(f"width has {len(each)} entries: expected a number, or {axes} entries")
    pairs = [(w, w) if isinstance(w, int) else tuple(w) for w in each]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"width = {width}: expected each entry to be a number or a pair (below, above)")
    return [below for below, _ in pairs], [above for _, above in pairs]


def attributes_of_halo(group: Group, field: np.ndarray, shape: Sequence[int], dims: Sequence[int], width: Width, periodic: Sequence[bool],
          faces_only: bool) -> HaloAttributes:
    below, above = _widths(width, len(shape))
    if len(dims) != len(shape) or int(np.prod(dims)) != group.size:
        raise ValueError(f"dims = {tuple(dims)}: expected {len(shape)} numbers with the product {group.size}, the size of the group")
    mine = part(shape, dims, group.rank)
    wanted = tuple(s.stop - s.start + b + a for s, b, a in zip(mine, below, above))
    if field.shape != wanted:
        raise ValueError(f"the field has the shape {field.shape}: expected {wanted}, the part with its ghost elements")
    strides = [max(s, field.itemsize) for s in field.strides]  # NumPy leaves the stride of a single element open
    bits = sum(1 << i for i, ring in enumerate(reversed(periodic)) if ring)
    return HaloAttributes(size=ctypes.sizeof(HaloAttributes), extent=three_axes(shape, 1), dims=three_axes(dims, 1),
                           below=three_axes(below, 0), above=three_axes(above, 0), periodic=bits, faces_only=faces_only,
                           element=field.itemsize, stride=(ctypes.c_size_t * 3)(*reversed(strides), *strides[:1] * (3 - len(strides))),
                           offset=sum(b * s for b, s in zip(below, strides)))


class Halo(Plan):
    """A plan that fills the ghost elements around the part of each PE. Collective over the group.

    Parameters:
        group: the PEs that take part
        field: an array with the layout of those that run gets: the part of this PE with its ghost elements
        shape: of the whole array
        dims: the numbers of parts along each axis; None: grid(shape)
        width: layers of ghost elements: a number, or for each axis a number or a pair (below, above)
        periodic: whether the axes are rings: one truth value for all, or one for each
        faces_only: leaves out ghost elements that are outside the part along two or three axes
        strategy: a name of Plan.strategies(), or "auto", which tries the best ones in the first runs
        expected_runs: for "auto", the number of runs that will follow, the same on all PEs, of which trials may lose 2 %; 0: unknown
    Raises: ValueError for a wrong shape, grid, width or strategy; MemoryError if the arena is full; RuntimeError for a destroyed group
    Example:
        with exchange.Arena(1 << 20) as arena, exchange.Group(arena) as group:
            columns = np.full(4 + 2, shmem.my_pe())
            with exchange.Halo(group, columns, (4 * shmem.n_pes(),), periodic=True) as halo:
                halo.run(columns)
    """

    def __init__(self, group: Group, field: np.ndarray, shape: Sequence[int], dims: Optional[Sequence[int]] = None,
                 width: Width = 1, periodic: Union[bool, Sequence[bool]] = False, faces_only: bool = False,
                 strategy: str = "auto", expected_runs: int = 0):
        made, self.group, self._runs = ctypes.c_void_p(), group, False
        check_strategy(strategy)
        address_of(field, True)
        equal_types("the field", field, None)
        self._like = [np.empty(0, field.dtype)] * 2
        self._shapes = [(field.nbytes, field.strides)] * 2
        rings = [periodic] * len(shape) if isinstance(periodic, bool) else list(periodic)
        if len(rings) != len(shape):
            raise ValueError(f"periodic has {len(rings)} entries: expected a truth value, or {len(shape)} entries")
        halo = attributes_of_halo(group, field, shape, grid(shape, group.size) if dims is None else dims, width, rings, faces_only)
        attributes = Attributes(size=ctypes.sizeof(Attributes), strategy=strategy.encode(), expected_runs=checked_runs(expected_runs))
        checked("oshen_halo_create", [ctypes.c_void_p] * 4, group.handle, ctypes.addressof(halo), ctypes.addressof(attributes),
                 ctypes.addressof(made))
        super(Plan, self).__init__(made.value, group)

    def run(self, source: Optional[np.ndarray], target: Optional[np.ndarray] = None) -> None:
        """Fills the ghost elements of a field. Collective over the group.

        Parameters:
            source: the field, with the layout of the halo's
            target: another field with this layout, whose ghost elements are filled; None: the same one
        Raises: RuntimeError if the plan is destroyed or a run is under way; ValueError for another layout
        """
        super().run(source, source if target is None else target)

    def start(self, source: Optional[np.ndarray], target: Optional[np.ndarray] = None) -> None:
        """Starts a run without waiting. The plan keeps both arrays until release. Collective over the group.

        Parameters:
            source: the field, with the layout of the halo's
            target: another field with this layout, whose ghost elements are filled; None: the same one
        Raises: RuntimeError if the plan is destroyed or a run is under way; ValueError for another layout
        """
        super().start(source, source if target is None else target)
