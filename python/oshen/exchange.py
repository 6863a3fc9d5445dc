# SPDX-License-Identifier: BSD-3-Clause
"""Persistent irregular exchanges: set up once, run many times (oshen/exchange.h).

    group = Group(Arena(64 << 20))
    plan = Plan(group, source, target, sends=[(right, source[:, -1])], receives=[(left, target[:, 0])])
    plan.run(source, target)

A message is a view of the source or target array, with up to three axes and any strides; or Elements of the array, for
unstructured meshes. Calls are collective over the group, in the same order on all its PEs.

grid and part partition an array. A Halo fills the ghost elements around the parts:

    dims = grid(shape)
    field = np.zeros([s.stop - s.start + 2 for s in part(shape, dims)])
    halo = Halo(group, field, shape, dims, width=1, periodic=True)
    halo.run(field)
"""

from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass
from typing import Any, Optional, Sequence, TypeVar, Union

import numpy as np

from . import shmem
from ._handles import team_number
from ._library import plans, require_started
from ._lifetime import clock


@dataclass(frozen=True)
class Elements:
    """A message given by indices of the flat array, in the order of the transfer.

    Parameters:
        numbers: the indices, from 0
    Example: message = (right, exchange.Elements([7, 2, 5]))
    """

    numbers: Union[Sequence[int], np.ndarray]


Width = Union[int, Sequence[Union[int, tuple[int, int]]]]
Messages = Sequence[tuple[int, Union[np.ndarray, Elements]]]


class Need(ctypes.Structure):
    """Memory in bytes: one block of the arena, and private memory."""

    _fields_ = [("symmetric", ctypes.c_size_t), ("ordinary", ctypes.c_size_t)]


class Box(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_size_t), ("element", ctypes.c_size_t), ("extent", ctypes.c_size_t * 3),
                ("stride", ctypes.c_size_t * 3)]


class Message(ctypes.Structure):
    _fields_ = [("peer", ctypes.c_int), ("bytes", ctypes.c_size_t), ("box", Box)]


class _Attributes(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("strategy", ctypes.c_char_p), ("sends", ctypes.POINTER(Message)),
                ("receives", ctypes.POINTER(Message)), ("n_sends", ctypes.c_int), ("n_receives", ctypes.c_int),
                ("pack", ctypes.c_void_p), ("unpack", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("n_fields", ctypes.c_int), ("in_field_stride", ctypes.c_size_t), ("out_field_stride", ctypes.c_size_t),
                ("buffers", ctypes.c_uint), ("send_offsets", ctypes.c_void_p), ("receive_offsets", ctypes.c_void_p),
                ("choices", ctypes.c_char_p)]


def _call(name: str, result, kinds: Sequence, *arguments):
    """Calls a function of the library of plans."""
    function = getattr(plans(), name)
    function.restype, function.argtypes = result, list(kinds)
    return function(*arguments)


def _checked(name: str, kinds: Sequence, *arguments) -> None:
    """Calls a function that returns a status, which is the same on all PEs of the group. Raises on errors."""
    status = _call(name, ctypes.c_int, kinds, *arguments)
    if status:
        text = _call("oshen_status_text", ctypes.c_char_p, [ctypes.c_int], status).decode()
        raise (MemoryError if status == 3 else ValueError)(f"{name}: {text}")


def _three(numbers: Sequence[int], missing: int) -> Any:
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
    found = _three(dims if dims is not None else [0] * len(shape), 1)
    n = shmem.n_pes() if pes is None else pes
    if _call("oshen_grid_dims", ctypes.c_int, [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p], n, _three(shape, 1), found):
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
    _call("oshen_grid_box", None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p],
         _three(shape, 1), _three(dims, 1), me, low, size)
    return tuple(slice(low[a], low[a] + size[a]) for a in reversed(range(len(shape))))


Owned = TypeVar("Owned", bound="_Owned")


class _Owned:
    """An object of the library. destroy, or the end of a `with`, destroys it collectively."""

    DESTROY = ""

    def __init__(self, handle: Optional[int], *needs: "_Owned"):
        self._handle, self._made, self._users = handle, clock.now, weakref.WeakSet[_Owned]()
        for needed in needs:
            needed._users.add(self)

    @property
    def handle(self) -> int:
        """The handle. Raises: RuntimeError if the object is destroyed, or if the library was finalised."""
        require_started()
        if not self._handle or self._made != clock.now:
            raise RuntimeError(f"this {type(self).__name__} is destroyed")
        return self._handle

    def _exists(self) -> bool:
        return self._handle is not None and self._made == clock.now

    def destroy(self) -> None:
        """Frees the object. Further calls have no effect. Collective over its PEs.

        Raises: RuntimeError if something that exists needs it: plans a group, groups an arena
        """
        if self._exists():
            users = [type(user).__name__ for user in self._users if user._exists()]
            if users:
                raise RuntimeError(f"this {type(self).__name__} is in use: destroy {', '.join(sorted(users))} before")
            _call(self.DESTROY, None, [ctypes.c_void_p], self.handle)
        self._handle = None

    def __enter__(self: Owned) -> Owned:
        return self

    def __exit__(self, *_) -> None:
        self.destroy()


class Arena(_Owned):
    """Symmetric memory that plans share. Collective over all PEs, with equal sizes.

    Parameters:
        size: bytes, at least 1; Plan.need tells them
    Raises: ValueError for a size below 1; MemoryError if the heap is full; RuntimeError before init
    Example:
        with exchange.Arena(1 << 20) as arena, exchange.Group(arena) as group:
            assert group.size == shmem.n_pes()
    """

    DESTROY = "oshen_arena_destroy"

    def __init__(self, size: int):
        require_started()
        if size < 1:
            raise ValueError(f"size = {size}: expected at least 1 byte")
        made = ctypes.c_void_p()
        _checked("oshen_arena_create", [ctypes.c_size_t, ctypes.c_void_p], size, ctypes.addressof(made))
        super().__init__(made.value)


class Group(_Owned):
    """A group of the PEs of a team, or of a list of PEs. Collective over them.

    Parameters:
        arena: the memory for the plans of the group
        team: the team; TEAM_WORLD if None
        pes: PEs of the job, each once, in the order of their ranks, in place of a team
    Raises: ValueError for PEs that do not exist; RuntimeError for a destroyed arena or an invalid team
    Example:
        with exchange.Arena(1 << 20) as arena, exchange.Group(arena, pes=list(range(shmem.n_pes()))) as group:
            assert group.rank == shmem.my_pe()
    """

    DESTROY = "oshen_group_destroy"

    def __init__(self, arena: Arena, team: Optional[shmem.Team] = None, pes: Optional[Sequence[int]] = None):
        made, self.arena = ctypes.c_void_p(), arena
        if pes is not None:
            n = shmem.n_pes()
            if len(set(pes)) != len(pes) or not all(0 <= pe < n for pe in pes):
                raise ValueError(f"pes = {list(pes)}: expected different PEs, 0 .. {n - 1}")
            members = (ctypes.c_int * len(pes))(*pes)
            _checked("oshen_group_create_from_list", [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p],
                    arena.handle, ctypes.addressof(members), len(pes), ctypes.addressof(made))
        else:
            _checked("oshen_group_create", [ctypes.c_void_p] * 3, arena.handle, team_number(team), ctypes.addressof(made))
        super().__init__(made.value, arena)

    @property
    def size(self) -> int:
        return _call("oshen_group_size", ctypes.c_int, [ctypes.c_void_p], self.handle)

    @property
    def rank(self) -> int:
        return _call("oshen_group_rank", ctypes.c_int, [ctypes.c_void_p], self.handle)


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
    numbers = np.asarray(elements.numbers, np.int64).reshape(-1)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= whole.size):
        raise ValueError(f"a message has elements {numbers.min()} to {numbers.max()}: expected 0 to {whole.size - 1}")
    if not whole.flags.c_contiguous:
        raise ValueError("Elements need an array that is contiguous in C order")
    three = ctypes.c_size_t * 3
    box = Box(0, whole.itemsize, three(numbers.size, 1, 1), three(*[whole.itemsize] * 3))
    return numbers.nbytes // 8 * whole.itemsize, box, (numbers * whole.itemsize).astype(np.uintp)


class _Messages:
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
                size, box = what.nbytes, _box(what, whole)
            messages.append(Message(peer, size, box))
            self.lists.append(offsets)
        self.array = (Message * max(1, self.count))(*messages)
        addresses = [a.ctypes.data if a is not None and a.size else None for a in self.lists]
        self.offsets = (ctypes.c_void_p * max(1, self.count))(*addresses)


def _attributes(sends: _Messages, receives: _Messages, strategy: str) -> _Attributes:
    return _Attributes(size=ctypes.sizeof(_Attributes), strategy=strategy.encode(), sends=sends.array,
                       receives=receives.array, n_sends=sends.count, n_receives=receives.count,
                       send_offsets=ctypes.addressof(sends.offsets), receive_offsets=ctypes.addressof(receives.offsets))


def _address(array: Optional[np.ndarray], written: bool) -> Optional[int]:
    if array is None:
        return None
    if written and not array.flags.writeable:
        raise ValueError("the target is read-only: expected a writable array")
    if not array.flags.c_contiguous and not array.flags.f_contiguous:
        raise ValueError("the array is not contiguous: expected a contiguous one")
    return array.ctypes.data


def _check_strategy(strategy: str) -> None:
    names = ["auto", *Plan.strategies()]
    if strategy not in names:
        raise ValueError(f"strategy = {strategy!r}: expected one of {', '.join(names)}")


class Plan(_Owned):
    """A plan. Messages are views of its two arrays. Collective over the group.

    Parameters:
        group: the PEs that take part
        source: an array with the layout of those that run gets, or None if this PE sends nothing
        target: the same, of those that are written
        sends: pairs of a PE and a view of source, or Elements of it
        receives: pairs of a PE and a view of target, or Elements of it
        strategy: a name of Plan.strategies(), or "auto", which measures them
    Raises: ValueError, TypeError for a wrong message or strategy; MemoryError if the arena is full; RuntimeError for a destroyed group
    Example:
        with exchange.Arena(1 << 20) as arena, exchange.Group(arena) as group:
            with exchange.Plan(group, field, field, [(right, field[:, -2])], [(left, field[:, 0])]) as plan:
                plan.run(field, field)
    """

    DESTROY = "oshen_plan_destroy"

    def __init__(self, group: Group, source: Optional[np.ndarray], target: Optional[np.ndarray], sends: Messages,
                 receives: Messages, strategy: str = "auto"):
        made, self.group, self._runs = ctypes.c_void_p(), group, False
        _check_strategy(strategy)
        self._shapes = [None if a is None else (a.nbytes, a.strides) for a in (source, target)]
        out, into = _Messages(sends, source, group.size), _Messages(receives, target, group.size)
        attributes = _attributes(out, into, strategy)
        _checked("oshen_plan_create", [ctypes.c_void_p] * 3, group.handle, ctypes.addressof(attributes), ctypes.addressof(made))
        super().__init__(made.value, group)

    @staticmethod
    def need(group: Group, source: Optional[np.ndarray], target: Optional[np.ndarray], sends: Messages,
             receives: Messages, strategy: str = "auto") -> Need:
        """Memory of such a plan on this PE. Local.

        Parameters:
            group: the PEs that take part
            source: an array with the layout of those that run gets, or None
            target: the same, of those that are written
            sends: pairs of a PE and a view of source, or Elements of it
            receives: pairs of a PE and a view of target, or Elements of it
            strategy: a name of Plan.strategies(), or "auto", which measures them
        Returns: bytes of the arena, and of private memory
        Raises: ValueError, TypeError for a wrong message or strategy
        """
        need = Need()
        out, into = _Messages(sends, source, group.size), _Messages(receives, target, group.size)
        attributes = _attributes(out, into, strategy)
        _checked("oshen_plan_need", [ctypes.c_void_p] * 3, group.handle, ctypes.addressof(attributes), ctypes.addressof(need))
        return need

    def _same(self, *arrays: Optional[np.ndarray]) -> list[Optional[int]]:
        for array, shape in zip(arrays, self._shapes):
            if (None if array is None else (array.nbytes, array.strides)) != shape:
                raise ValueError("the array has another size or layout than that of the plan")
        return [_address(array, written) for array, written in zip(arrays, (False, True))]

    def _running(self, expected: bool) -> int:
        """The handle, if a run was started, or none. Raises: RuntimeError otherwise."""
        handle = self.handle
        if self._runs is not expected:
            raise RuntimeError("no run of this Plan is under way: start it first" if expected else
                               "a run of this Plan is under way: release it first")
        return handle

    def destroy(self) -> None:
        """Frees the plan. Further calls have no effect. Collective over the group.

        Raises: RuntimeError if a run is under way
        """
        if self._exists():
            self._running(False)
        super().destroy()

    def run(self, source: Optional[np.ndarray], target: Optional[np.ndarray]) -> None:
        """Sends and receives. On return target is complete and source may be changed. Collective over the group.

        Parameters:
            source: an array with the layout of the plan's, or None
            target: the same, which is written
        Raises: RuntimeError if the plan is destroyed or a run is under way; ValueError for another layout
        """
        _call("oshen_plan_run", None, [ctypes.c_void_p] * 3, self._running(False), *self._same(source, target))

    def start(self, source: Optional[np.ndarray], target: Optional[np.ndarray]) -> None:
        """Starts a run without waiting. The plan keeps both arrays until release. Collective over the group.

        Parameters:
            source: an array with the layout of the plan's, or None
            target: the same, which is written
        Raises: RuntimeError if the plan is destroyed or a run is under way; ValueError for another layout
        """
        _call("oshen_plan_start", None, [ctypes.c_void_p] * 3, self._running(False), *self._same(source, target))
        self._runs, self._arrays = True, (source, target)

    def test(self) -> bool:
        """Advances the run without waiting. True if it is complete.

        Returns: whether all data has arrived
        Raises: RuntimeError if no run is under way
        """
        return bool(_call("oshen_plan_test", ctypes.c_int, [ctypes.c_void_p], self._running(True)))

    def wait_any(self) -> Optional[int]:
        """Waits until the data of a further peer has arrived, and returns that peer. None after the last one.

        Returns: the PE of the group, or None
        Raises: RuntimeError if no run is under way
        """
        peer = _call("oshen_plan_wait_any", ctypes.c_int, [ctypes.c_void_p], self._running(True))
        return None if peer < 0 else peer

    def release(self) -> None:
        """Completes a run, waiting if necessary.

        Raises: RuntimeError if no run is under way
        """
        _call("oshen_plan_release", None, [ctypes.c_void_p], self._running(True))
        self._runs, self._arrays = False, (None, None)

    @property
    def strategy(self) -> str:
        return _call("oshen_plan_strategy", ctypes.c_char_p, [ctypes.c_void_p], self.handle).decode()

    def describe(self) -> str:
        """A readable line about the plan and its runs.

        Returns: the line
        Raises: RuntimeError if the plan is destroyed
        """
        return _described("oshen_plan_describe", self.handle)

    @staticmethod
    def strategies() -> dict[str, str]:
        """The strategies: name and description.

        Returns: descriptions by name
        """
        class Info(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("about", ctypes.c_char_p)]

        info = Info()
        found: dict[str, str] = {}
        while _call("oshen_strategy_at", ctypes.c_int, [ctypes.c_int, ctypes.c_void_p], len(found), ctypes.addressof(info)):
            found[info.name.decode()] = info.about.decode()
        return found


class _HaloAttributes(ctypes.Structure):
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


def _halo(group: Group, field: np.ndarray, shape: Sequence[int], dims: Sequence[int], width: Width, periodic: Sequence[bool],
          faces_only: bool) -> _HaloAttributes:
    below, above = _widths(width, len(shape))
    if len(dims) != len(shape) or int(np.prod(dims)) != group.size:
        raise ValueError(f"dims = {tuple(dims)}: expected {len(shape)} numbers with the product {group.size}, the size of the group")
    mine = part(shape, dims, group.rank)
    wanted = tuple(s.stop - s.start + b + a for s, b, a in zip(mine, below, above))
    if field.shape != wanted:
        raise ValueError(f"the field has the shape {field.shape}: expected {wanted}, the part with its ghost elements")
    strides = [max(s, field.itemsize) for s in field.strides]  # NumPy leaves the stride of a single element open
    bits = sum(1 << i for i, ring in enumerate(reversed(periodic)) if ring)
    return _HaloAttributes(size=ctypes.sizeof(_HaloAttributes), extent=_three(shape, 1), dims=_three(dims, 1),
                           below=_three(below, 0), above=_three(above, 0), periodic=bits, faces_only=faces_only,
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
        strategy: a name of Plan.strategies(), or "auto", which measures them
    Raises: ValueError for a wrong shape, grid, width or strategy; MemoryError if the arena is full; RuntimeError for a destroyed group
    Example:
        with exchange.Arena(1 << 20) as arena, exchange.Group(arena) as group:
            columns = np.full(4 + 2, shmem.my_pe())
            with exchange.Halo(group, columns, (4 * shmem.n_pes(),), periodic=True) as halo:
                halo.run(columns)
    """

    def __init__(self, group: Group, field: np.ndarray, shape: Sequence[int], dims: Optional[Sequence[int]] = None,
                 width: Width = 1, periodic: Union[bool, Sequence[bool]] = False, faces_only: bool = False,
                 strategy: str = "auto"):
        made, self.group, self._runs = ctypes.c_void_p(), group, False
        _check_strategy(strategy)
        _address(field, True)
        self._shapes = [(field.nbytes, field.strides)] * 2
        rings = [periodic] * len(shape) if isinstance(periodic, bool) else list(periodic)
        if len(rings) != len(shape):
            raise ValueError(f"periodic has {len(rings)} entries: expected a truth value, or {len(shape)} entries")
        halo = _halo(group, field, shape, grid(shape, group.size) if dims is None else dims, width, rings, faces_only)
        attributes = _Attributes(size=ctypes.sizeof(_Attributes), strategy=strategy.encode())
        _checked("oshen_halo_create", [ctypes.c_void_p] * 4, group.handle, ctypes.addressof(halo), ctypes.addressof(attributes),
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


def _described(name: str, handle: Any) -> str:
    text = ctypes.create_string_buffer(1024)
    _call(name, ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t], handle, text, len(text))
    return text.value.decode()
