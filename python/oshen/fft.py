# SPDX-License-Identifier: BSD-3-Clause
"""Distributed FFTs of arrays of one to three axes (oshen/fft.h).

    mine = fft.slab(shape)                       # the part of this PE: slices of the global array
    plan = fft.FFT(shape, mine)
    spectrum = plan.forward(part)                # part: the numbers of this PE, with the shape of `mine`
    part = plan.backward(spectrum, scale="full")

Axes count as in NumPy: the last one is the fastest, and a real transform halves it by default. Each axis may have another
transform, such as a cosine transform:

    FFT(shape, mine, dtype=float, along=["dct2", "dct2", "nothing"])

Convolution transforms forward, multiplies by factors and transforms backward in fewer passes. All calls are collective over
the group.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Sequence, Union, cast

import numpy as np

from . import shmem
from ._library import require_started
from ._group import Arena, Group
from ._owned import Owned, call, checked, described
from ._types import refuse_masked

Slices = Sequence[slice]
_EFFORTS = {False: 0, True: 1, "brief": 2, "auto": 3}  # as oshen_fft_effort_t counts them
_SCALES = {"none": 0, "full": 1, "symmetric": 2}
# As oshen_fft_along_t counts them.
_ALONG = ("fourier", "nothing", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "hartley", "r2hc", "hc2r")
_REAL_TO_REAL = 2
_KINDS = {"D": (0, 0), "F": (0, 1), "d": (1, 0), "f": (1, 1)}  # character of the input: kind, precision


class Box(ctypes.Structure):
    _fields_ = [("low", ctypes.c_int * 3), ("size", ctypes.c_int * 3), ("order", ctypes.c_int * 3)]


class _Attributes(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("extent", ctypes.c_int * 3), ("kind", ctypes.c_int),
                ("precision", ctypes.c_int), ("input", Box), ("output", Box), ("fields", ctypes.c_int),
                ("in_distance", ctypes.c_size_t), ("out_distance", ctypes.c_size_t), ("effort", ctypes.c_int),
                ("decomposition", ctypes.c_int), ("strategy", ctypes.c_char_p), ("buffers", ctypes.c_uint),
                ("halved_axis", ctypes.c_int), ("along", ctypes.c_int * 3), ("convolution", ctypes.c_int),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t), ("columns", ctypes.c_int),
                ("expected_runs", ctypes.c_int), ("in_embed", ctypes.c_size_t * 3), ("out_embed", ctypes.c_size_t * 3),
                ("kept", ctypes.c_int * 3)]


class Need(ctypes.Structure):
    """Memory in bytes: of the arena, on the PE that needs most; of it for work arrays; private memory."""

    _fields_ = [("symmetric", ctypes.c_size_t), ("workspace", ctypes.c_size_t), ("ordinary", ctypes.c_size_t)]


class _Stats(ctypes.Structure):
    _fields_ = [("runs", ctypes.c_uint64), ("transform_seconds", ctypes.c_double), ("copy_seconds", ctypes.c_double),
                ("exchange_seconds", ctypes.c_double), ("wait_seconds", ctypes.c_double), ("transform_bytes", ctypes.c_uint64),
                ("copy_bytes", ctypes.c_uint64), ("exchange_bytes", ctypes.c_uint64)]


class Stats(NamedTuple):
    """Time and bytes of all runs of a transform on this PE, by phase.

    Passes that transform also pack and unpack. Exchange plans pack, send and unpack; with shared work arrays they do nothing.
    The bytes of passes are read and written, those of exchanges go to or come from other PEs.
    """

    runs: int
    transform_seconds: float
    copy_seconds: float
    exchange_seconds: float
    wait_seconds: float
    transform_bytes: int
    copy_bytes: int
    exchange_bytes: int


def slab(shape: Sequence[int], axis: int = 0, pe: Optional[int] = None, n_pes: Optional[int] = None) -> tuple[slice, ...]:
    """The part of a PE in an array that is cut along one axis into nearly equal parts.

    Parameters:
        shape: the lengths of the axes
        axis: the axis that is cut
        pe: the PE; by default this one
        n_pes: the number of parts; by default that of the PEs
    Returns: one slice for each axis
    Raises: ValueError for an axis or a PE that does not exist
    Example: mine = fft.slab((64, 64))
    """
    pe = shmem.my_pe() if pe is None else pe
    n_pes = shmem.n_pes() if n_pes is None else n_pes
    if not -len(shape) <= axis < len(shape) or not 0 <= pe < n_pes:
        raise ValueError(f"axis = {axis}, pe = {pe}: expected an axis of {tuple(shape)}, and a PE, 0 .. {n_pes - 1}")
    cut = slice(shape[axis] * pe // n_pes, shape[axis] * (pe + 1) // n_pes)
    return tuple(cut if a == axis % len(shape) else slice(0, n) for a, n in enumerate(shape))


class Line(NamedTuple):
    """The fastest blocks of an array of one axis: of a PE before a transform, and after it in natural order. With
    FFT(..., columns=columns) the spectrum is transposed, in the blocks `input`: position p holds number
    p // columns + p % columns * (length // columns). columns = 1: the length is prime, and one PE transforms the array.
    """

    input: tuple[slice]
    output: tuple[slice]
    columns: int


def line(length: int, pe: Optional[int] = None, n_pes: Optional[int] = None) -> Line:
    """The fastest blocks of an array of one axis. Other blocks work too, with an additional exchange.

    Parameters:
        length: the length of the axis
        pe: the PE; by default this one
        n_pes: the number of PEs; by default all
    Returns: the blocks and the number of columns
    Raises: ValueError for a length below 1 or a PE that does not exist
    Example: blocks = fft.line(4096)
    """
    pe = shmem.my_pe() if pe is None else pe
    n_pes = shmem.n_pes() if n_pes is None else n_pes
    boxes = Box(), Box()
    columns = call("oshen_fft_line", ctypes.c_int, [ctypes.c_int] * 3 + [ctypes.c_void_p] * 2, length, n_pes, pe,
                   *map(ctypes.addressof, boxes))
    if columns == 0:
        raise ValueError(f"length = {length}, pe = {pe}, n_pes = {n_pes}: expected length >= 1 and 0 <= pe < n_pes")
    before, after = ((slice(b.low[0], b.low[0] + b.size[0]),) for b in boxes)
    return Line(before, after, columns)


def _numbers(shape: Sequence[int], box: Slices) -> tuple[tuple[int, int], ...]:
    """Start and length along each axis."""
    if len(box) != len(shape):
        raise ValueError(f"the box has {len(box)} axes: expected {len(shape)}, those of the array")
    found = []
    for cut, n in zip(box, shape):
        begin, end, step = cut.indices(n)
        if step != 1:
            raise ValueError("the box has a step: expected contiguous ranges")
        found.append((begin, max(0, end - begin)))
    return tuple(found)


def _library_box(parts: Sequence[tuple[int, int]]) -> Box:
    """Reverses the axes of NumPy; missing axes get one element."""
    low, size = [0, 0, 0], [1, 1, 1]
    for axis, (begin, length) in enumerate(reversed(parts)):
        low[axis], size[axis] = begin, length
    return Box((ctypes.c_int * 3)(*low), (ctypes.c_int * 3)(*size), (ctypes.c_int * 3)())


def _embedding(embed: Optional[Sequence[int]], box: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the array in memory that holds a box."""
    if embed is None:
        return box
    if len(embed) != len(box) or any(n < least for n, least in zip(embed, box)):
        raise ValueError(f"the array in memory has shape {tuple(embed)}: expected at least {box}, the shape of the box")
    return tuple(embed)


def _spectrum_shape(shape: Sequence[int], halved: Optional[int], kept: Optional[Sequence[int]]) -> tuple[int, ...]:
    """The shape of the spectrum, with the kept modes only."""
    full = list(shape)
    if halved is not None:
        full[halved] = full[halved] // 2 + 1
    if kept is None:
        return tuple(full)
    if len(kept) != len(full) or not all(0 <= k <= n for k, n in zip(kept, full)):
        raise ValueError(f"kept = {tuple(kept)}: expected for each axis 0 or a number of modes, at most {tuple(full)}")
    return tuple(k or n for k, n in zip(kept, full))


def _library_sizes(shape: tuple[int, ...]) -> ctypes.Array:
    return (ctypes.c_size_t * 3)(*reversed(shape), *[0] * (3 - len(shape)))


class _Request:
    """The request for a transform: shapes and types before and after it, and the attributes for the library."""

    def __init__(self, shape: Sequence[int], input: Slices, output: Optional[Slices], dtype: object,
                 along: Optional[Sequence[str]], halved: int, measure: Union[bool, str], convolution: bool,
                 columns: int = 0, input_embed: Optional[Sequence[int]] = None, output_embed: Optional[Sequence[int]] = None,
                 kept: Optional[Sequence[int]] = None):
        self.shape, self.dtype = tuple(shape), np.dtype(cast(Any, dtype)).newbyteorder("=")
        n = len(self.shape)
        if not 1 <= n <= 3 or self.dtype.char not in _KINDS:
            raise ValueError(f"the array has {n} axes of {self.dtype}: expected 1 to 3 axes of float or complex numbers")
        kind, precision = _KINDS[self.dtype.char]
        names = ["fourier"] * n if along is None else list(along)
        if len(names) != n or not set(names) <= set(_ALONG):
            raise ValueError(f"along = {names}: expected {n} of {', '.join(_ALONG)}")
        if measure not in _EFFORTS:
            raise ValueError(f'measure = {measure!r}: expected False, True, "brief" or "auto"')
        if not -n <= halved < n:
            raise ValueError(f"halved = {halved}: expected {-n} to {n - 1}")
        if kind and "fourier" not in names:
            kind = _REAL_TO_REAL
        self.spectrum_shape = _spectrum_shape(self.shape, halved if kind == 1 else None, kept)
        self.spectrum_dtype = self.dtype if kind == _REAL_TO_REAL else np.dtype("F" if precision else "D")
        ins, outs = _numbers(self.shape, input), _numbers(self.spectrum_shape, input if output is None else output)
        self.input_shape = _embedding(input_embed, tuple(n for _, n in ins))
        self.output_shape = _embedding(output_embed, tuple(n for _, n in outs))
        three = ctypes.c_int * 3
        left = [_ALONG.index("nothing" if kind == _REAL_TO_REAL else "fourier")] * (3 - n)
        self.attributes = _Attributes(
            size=ctypes.sizeof(_Attributes), extent=three(*reversed(self.shape), *[1] * (3 - n)), kind=kind, precision=precision,
            input=_library_box(ins), output=_library_box(outs), effort=_EFFORTS[measure], convolution=int(convolution),
            halved_axis=n - 1 - halved % n if kind == 1 else 0, columns=columns,
            in_embed=_library_sizes(self.input_shape), out_embed=_library_sizes(self.output_shape),
            kept=three(*reversed(kept or []), *[0] * (3 - len(kept or []))),
            along=three(*[_ALONG.index(name) for name in reversed(names)], *left))

    def need(self, group: Group) -> Need:
        """Memory of the transform. Collective over the group."""
        need = Need()
        checked("oshen_fft_need", [ctypes.c_void_p] * 3 + [ctypes.c_size_t], group.handle, ctypes.addressof(self.attributes),
                ctypes.addressof(need), ctypes.sizeof(need))
        return need


class _Transform(Owned):
    """Base of transforms and convolutions: a handle, and a group that may be their own."""

    DESTROY = "oshen_fft_destroy"

    def _make(self, asked: _Request, group: Optional[Group]) -> None:
        self.shape, self.dtype = asked.shape, asked.dtype
        self.spectrum_shape, self.spectrum_dtype = asked.spectrum_shape, asked.spectrum_dtype
        self.input_shape, self.output_shape = asked.input_shape, asked.output_shape
        self._own: list[Owned] = []
        require_started()
        self.group = group or self._own_group(asked)
        made = ctypes.c_void_p()
        checked("oshen_fft_create", [ctypes.c_void_p] * 3, self.group.handle, ctypes.addressof(asked.attributes),
                ctypes.addressof(made))
        super().__init__(made.value, self.group)

    def _own_group(self, asked: _Request) -> Group:
        """A group of all PEs, with an arena for the transform and for the transfer of a convolution's factors."""
        with Arena((64 << 10) + 1024 * shmem.n_pes()) as small, Group(small) as ask:
            need = asked.need(ask).symmetric
        room = 0
        if asked.attributes.convolution:
            numbers = shmem.array([int(np.prod(self.output_shape, dtype=np.int64))])
            shmem.max_reduce(numbers, numbers)
            room = 4 * (int(numbers[0]) * self.spectrum_dtype.itemsize + 256 * shmem.n_pes())
            shmem.free(numbers)
        arena = Arena(need + room + (64 << 10))
        group = Group(arena)
        self._own = [group, arena]
        return group

    def destroy(self) -> None:
        """Frees the transform, and the group if it is its own. Further calls have no effect. Collective over the group.

        Raises: RuntimeError if something that exists needs it
        """
        super().destroy()
        while self._own:
            self._own.pop(0).destroy()

    def _given(self, source: np.ndarray, shape: tuple, dtype: np.dtype) -> np.ndarray:
        refuse_masked(source)
        part = np.asarray(source)
        if not np.can_cast(part.dtype, dtype, "same_kind"):
            raise TypeError(f"cannot use elements of type {part.dtype} here: expected {dtype}")
        given = np.require(part, dtype, ["C", "A"])
        if given.shape != shape:
            raise ValueError(f"the array has shape {given.shape}: expected {shape}, the part of this PE")
        return given

    def _run(self, name: str, source: np.ndarray, shape: tuple, dtype: np.dtype, target: Optional[np.ndarray],
             target_shape: tuple, target_dtype: np.dtype, scale: str) -> np.ndarray:
        if scale not in _SCALES:
            raise ValueError(f"scale = {scale!r}: expected one of {', '.join(_SCALES)}")
        given = self._given(source, shape, dtype)
        if target is None:
            target = np.empty(target_shape, target_dtype)
        if target.shape != target_shape or target.dtype != target_dtype or not target.flags.carray:
            raise ValueError(f"the output has shape {target.shape} and type {target.dtype}: expected {target_shape}, {target_dtype}, contiguous, writable")
        if given.ctypes.data != target.ctypes.data and np.may_share_memory(given, target):
            given = given.copy()  # a result that overlaps its part in another place
        call(name, None, [ctypes.c_void_p] * 3 + [ctypes.c_int], self.handle, given.ctypes.data, target.ctypes.data, _SCALES[scale])
        return target

    def stats(self) -> Stats:
        """Time and bytes of all runs on this PE, by phase.

        Returns: the statistics
        Raises: RuntimeError if it is destroyed
        """
        found = _Stats()
        call("oshen_fft_stats", None, [ctypes.c_void_p] * 2 + [ctypes.c_size_t], self.handle, ctypes.addressof(found),
             ctypes.sizeof(found))
        return Stats(*(getattr(found, name) for name in Stats._fields))

    def describe(self) -> str:
        """A readable line: the sequence of layouts, and the transport of the data.

        Returns: the line
        Raises: RuntimeError if it is destroyed
        """
        return described("oshen_fft_describe", self.handle)


class FFT(_Transform):
    """A transform of a global array. Collective over the group.

    Parameters:
        shape: the lengths of one to three axes
        input: the box of this PE before the transform
        output: the box after it; by default equal, for real numbers in the halved array
        dtype: the type of the input: float or complex, single or double
        group: the PEs; by default all, with symmetric memory of the transform's own
        measure: True measures for tenths of a second to seconds, "brief" for about a tenth of a second,
            "auto" in the first runs of the transform
        along: the transform of each axis: "fourier" (default), "nothing", "dct1" to "dct4", "dst1" to "dst4", "hartley", "r2hc", "hc2r".
            Real numbers without a "fourier" axis stay real
        halved: the axis that a real transform halves
        columns: for complex arrays of one axis: leaves the spectrum transposed; see line()
        input_embed: the shape of the arrays in memory whose first elements along each axis are the box of this PE; by default the box. Arrays
            given to forward() and returned by backward() then have this shape. With the last axis n halved, 2 * (n // 2 + 1) gives padded
            rows for transforms in place: out = part.view(complex)
        output_embed: the same of the spectrum
        kept: the number of modes that the spectrum keeps along each axis, such as those of the 2/3 rule; 0 or by default all. The others
            are dropped, and are zero in backward transforms. Along an axis with k modes they have the order of np.fft.fftfreq(k, 1 / k);
            along the halved axis and those with cosines or sines, the first k remain
    Raises: ValueError for boxes, types or names that do not fit; MemoryError if the heap is full; RuntimeError before init
    Example:
        with fft.FFT((8, 8), fft.slab((8, 8))) as plan:
            spectrum = plan.forward(np.ones(plan.input_shape))
    """

    def __init__(self, shape: Sequence[int], input: Slices, output: Optional[Slices] = None, dtype: object = complex,
                 group: Optional[Group] = None, measure: Union[bool, str] = False, along: Optional[Sequence[str]] = None,
                 halved: int = -1, columns: int = 0, input_embed: Optional[Sequence[int]] = None,
                 output_embed: Optional[Sequence[int]] = None, kept: Optional[Sequence[int]] = None):
        self._make(_Request(shape, input, output, dtype, along, halved, measure, False, columns, input_embed, output_embed, kept), group)

    @staticmethod
    def need(group: Group, shape: Sequence[int], input: Slices, output: Optional[Slices] = None, dtype: object = complex,
             measure: Union[bool, str] = False, along: Optional[Sequence[str]] = None, halved: int = -1,
             columns: int = 0, input_embed: Optional[Sequence[int]] = None, output_embed: Optional[Sequence[int]] = None,
             kept: Optional[Sequence[int]] = None) -> Need:
        """Memory of such a transform. Collective over the group, whose arena may be small.

        Parameters:
            group: the PEs that take part
            shape: the lengths of the axes
            input: the box of this PE before the transform
            output: the box after it; by default equal
            dtype: the type of the input
            measure: as for FFT
            along: as for FFT
            halved: as for FFT
            columns: as for FFT
            input_embed: as for FFT
            output_embed: as for FFT
            kept: as for FFT
        Returns: bytes of the arena, and of private memory
        Raises: ValueError for boxes that do not fit the array
        """
        return _Request(shape, input, output, dtype, along, halved, measure, False, columns, input_embed, output_embed, kept).need(group)

    def forward(self, part: np.ndarray, out: Optional[np.ndarray] = None, scale: str = "none") -> np.ndarray:
        """Transforms. Collective over the group.

        Parameters:
            part: the part of this PE, which is not changed
            out: the array for the result; by default a new one
            scale: "none", "full" (1/N) or "symmetric" (1/sqrt(N))
        Returns: the part of this PE in the spectrum
        Raises: RuntimeError if the transform is destroyed; ValueError for an array of another shape, or another scale
        """
        return self._run("oshen_fft_forward", part, self.input_shape, self.dtype, out, self.output_shape,
                         self.spectrum_dtype, scale)

    def backward(self, spectrum: np.ndarray, out: Optional[np.ndarray] = None, scale: str = "full") -> np.ndarray:
        """Transforms back. Collective over the group.

        Parameters:
            spectrum: the part of this PE, which is not changed
            out: the array for the result; by default a new one
            scale: "none", "full" (1/N) or "symmetric" (1/sqrt(N))
        Returns: the part of this PE in the array
        Raises: RuntimeError if the transform is destroyed; ValueError for an array of another shape, or another scale
        """
        return self._run("oshen_fft_backward", spectrum, self.output_shape, self.spectrum_dtype, out, self.input_shape,
                         self.dtype, scale)


class Convolution(_Transform):
    """A forward transform, multiplication by factors, and backward transform. Collective over the group.

    Parameters:
        shape: the lengths of one to three axes
        input: the box of this PE before and after
        spectrum: the box of this PE in the factors; by default equal to input, for real numbers of the halved array
        dtype: the type of the arrays, as for FFT
        group: as for FFT
        measure: as for FFT
        along: as for FFT
        halved: as for FFT
        kept: as for FFT, of the factors; the other modes become zero
    Raises: ValueError for boxes, types or names that do not fit; MemoryError if the heap is full; RuntimeError before init
    Example:
        with fft.Convolution((8, 8), fft.slab((8, 8))) as smooth:
            smooth.set_factors(np.full(smooth.output_shape, 0.5))
            halves = smooth.run(np.ones(smooth.input_shape))
    """

    def __init__(self, shape: Sequence[int], input: Slices, spectrum: Optional[Slices] = None, dtype: object = complex,
                 group: Optional[Group] = None, measure: Union[bool, str] = False, along: Optional[Sequence[str]] = None,
                 halved: int = -1, kept: Optional[Sequence[int]] = None):
        self._make(_Request(shape, input, spectrum, dtype, along, halved, measure, True, kept=kept), group)

    def set_factors(self, factors: np.ndarray) -> None:
        """Sets the part of this PE in the factors, which are 1 before. Collective over the group.

        Parameters:
            factors: the part of this PE, with the shape of the box `spectrum`
        Raises: RuntimeError if the convolution is destroyed; ValueError for an array of another shape
        """
        given = self._given(factors, self.output_shape, self.spectrum_dtype)
        checked("oshen_fft_set_factors", [ctypes.c_void_p] * 2, self.handle, given.ctypes.data)

    def run(self, part: np.ndarray, out: Optional[np.ndarray] = None, scale: str = "full") -> np.ndarray:
        """Returns the part of this PE in the result. `out` may be `part`.

        Parameters:
            part: the part of this PE
            out: the array for the result; by default a new one
            scale: "none", "full" (1/N) or "symmetric" (1/sqrt(N))
        Returns: the part of this PE in the result
        Raises: RuntimeError if the transform is destroyed; ValueError for an array of another shape, or another scale
        """
        return self._run("oshen_fft_convolve", part, self.input_shape, self.dtype, out, self.input_shape, self.dtype, scale)
