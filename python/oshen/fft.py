# SPDX-License-Identifier: BSD-3-Clause
"""FFTs of arrays of one to three axes that are spread over PEs (oshen/fft.h).

    mine = fft.slab(shape)                       # this PE's part: slices of the global array
    plan = fft.FFT(shape, mine)
    spectrum = plan.forward(part)                # part: this PE's numbers, of the shape of `mine`
    part = plan.backward(spectrum, scale="full")

Axes count as in NumPy: the last is the fastest, and the one that a real transform halves. Collective over the group.
"""

from __future__ import annotations

import ctypes
from typing import Optional, Sequence

import numpy as np

from . import shmem
from .exchange import Arena, Group, _Owned, call, checked, described

Slices = Sequence[slice]
_SCALES = {"none": 0, "full": 1, "symmetric": 2}
_KINDS = {"D": (0, 0), "F": (0, 1), "d": (1, 0), "f": (1, 1)}  # character of the input: kind, precision


class Box(ctypes.Structure):
    _fields_ = [("low", ctypes.c_int * 3), ("size", ctypes.c_int * 3), ("order", ctypes.c_int * 3)]


class _Attributes(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("extent", ctypes.c_int * 3), ("kind", ctypes.c_int),
                ("precision", ctypes.c_int), ("input", Box), ("output", Box), ("fields", ctypes.c_int),
                ("in_distance", ctypes.c_size_t), ("out_distance", ctypes.c_size_t), ("effort", ctypes.c_int),
                ("decomposition", ctypes.c_int), ("strategy", ctypes.c_char_p), ("buffers", ctypes.c_uint)]


def slab(shape: Sequence[int], axis: int = 0, pe: Optional[int] = None, n_pes: Optional[int] = None) -> tuple[slice, ...]:
    """A PE's share of an array that is cut along one axis into as equal parts as can be."""
    pe = shmem.my_pe() if pe is None else pe
    n_pes = shmem.n_pes() if n_pes is None else n_pes
    cut = slice(shape[axis] * pe // n_pes, shape[axis] * (pe + 1) // n_pes)
    return tuple(cut if a == axis % len(shape) else slice(0, n) for a, n in enumerate(shape))


def _numbers(shape: Sequence[int], box: Slices) -> tuple[tuple[int, int], ...]:
    """Begin and length along each axis."""
    if len(box) != len(shape):
        raise ValueError(f"a box of {len(box)} axes: expected {len(shape)}, as the array has")
    found = []
    for cut, n in zip(box, shape):
        begin, end, step = cut.indices(n)
        if step != 1:
            raise ValueError("a box with a step: expected whole runs of every axis")
        found.append((begin, max(0, end - begin)))
    return tuple(found)


def _library_box(parts: Sequence[tuple[int, int]]) -> Box:
    """NumPy's axes backwards, and those that are missing with one element."""
    low, size = [0, 0, 0], [1, 1, 1]
    for axis, (begin, length) in enumerate(reversed(parts)):
        low[axis], size[axis] = begin, length
    return Box((ctypes.c_int * 3)(*low), (ctypes.c_int * 3)(*size), (ctypes.c_int * 3)())


class FFT(_Owned):
    """A transform of a global array of this shape. `input` and `output` are this PE's boxes before and after it, by
    default the same (of the halved array for real ones). dtype is that of the input: float or complex, of either size.
    Without a group, all PEs, with symmetric memory of the transform's own.
    """

    DESTROY = "oshen_fft_destroy"

    def __init__(self, shape: Sequence[int], input: Slices, output: Optional[Slices] = None, dtype: object = complex,
                 group: Optional[Group] = None, measure: bool = False):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        if not 1 <= len(self.shape) <= 3 or self.dtype.char not in _KINDS:
            raise ValueError(f"a transform of {len(self.shape)} axes of {self.dtype}: expected 1 to 3, of float or complex numbers")
        kind, precision = _KINDS[self.dtype.char]
        self.spectrum_shape = (*self.shape[:-1], self.shape[-1] // 2 + 1) if kind else self.shape
        self.spectrum_dtype = np.dtype("F" if precision else "D")
        ins, outs = _numbers(self.shape, input), _numbers(self.spectrum_shape, input if output is None else output)
        self.input_shape, self.output_shape = tuple(n for _, n in ins), tuple(n for _, n in outs)
        self._own: list[_Owned] = []
        self.group = group or self._own_group()
        extent = (ctypes.c_int * 3)(*reversed(self.shape), *[1] * (3 - len(self.shape)))
        attributes = _Attributes(size=ctypes.sizeof(_Attributes), extent=extent, kind=kind, precision=precision,
                                 input=_library_box(ins), output=_library_box(outs), effort=int(measure))
        made = ctypes.c_void_p()
        checked("oshen_fft_create", [ctypes.c_void_p] * 3, self.group.handle, ctypes.addressof(attributes),
                ctypes.addressof(made))
        self.handle = made.value

    def _own_group(self) -> Group:
        """All PEs, with what the PE with the largest part may need."""
        numbers = np.prod(self.input_shape, dtype=np.int64) + np.prod(self.output_shape, dtype=np.int64)
        need = shmem.array([4 * int(numbers) * self.spectrum_dtype.itemsize + (1 << 20)])
        shmem.max_reduce(need, need)
        arena = Arena(int(need[0]))
        shmem.free(need)
        group = Group(arena)
        self._own = [group, arena]
        return group

    def destroy(self) -> None:
        super().destroy()
        while self._own:
            self._own.pop(0).destroy()

    def _run(self, name: str, source: np.ndarray, shape: tuple, dtype: np.dtype, target: Optional[np.ndarray],
             target_shape: tuple, target_dtype: np.dtype, scale: str) -> np.ndarray:
        given = np.ascontiguousarray(source, dtype)
        if given.shape != shape:
            raise ValueError(f"an array of shape {given.shape}: expected {shape}, this PE's part")
        if target is None:
            target = np.empty(target_shape, target_dtype)
        if target.shape != target_shape or target.dtype != target_dtype or not target.flags.c_contiguous:
            raise ValueError(f"an output of shape {target.shape} and type {target.dtype}: expected {target_shape}, {target_dtype}, contiguous")
        call(name, None, [ctypes.c_void_p] * 3 + [ctypes.c_int], self.handle, given.ctypes.data, target.ctypes.data, _SCALES[scale])
        return target

    def forward(self, part: np.ndarray, out: Optional[np.ndarray] = None, scale: str = "none") -> np.ndarray:
        """This PE's part of the spectrum. scale: "none", "full" (1/N) or "symmetric" (1/sqrt(N))."""
        return self._run("oshen_fft_forward", part, self.input_shape, self.dtype, out, self.output_shape,
                         self.spectrum_dtype, scale)

    def backward(self, spectrum: np.ndarray, out: Optional[np.ndarray] = None, scale: str = "full") -> np.ndarray:
        """The inverse: this PE's part of the numbers."""
        return self._run("oshen_fft_backward", spectrum, self.output_shape, self.spectrum_dtype, out, self.input_shape,
                         self.dtype, scale)

    def describe(self) -> str:
        """One line about the way through the layouts."""
        return described("oshen_fft_describe", self.handle)
