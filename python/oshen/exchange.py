# SPDX-License-Identifier: BSD-3-Clause
"""Persistent irregular exchanges: set up once, run many times (oshen/exchange.h).

    group = Group(Arena(64 << 20))
    plan = Plan(group, source, target, sends=[(right, source[:, -1])], receives=[(left, target[:, 0])])
    plan.run(source, target)

A message is a view of the source or target array, with up to three axes and any strides; or Elements of the array, for
unstructured meshes. Calls are collective over the group, in the same order on all its PEs.

grid and part partition an array.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import shmem
from ._handles import team_number
from ._library import plans



@dataclass(frozen=True)
class Elements:
    """A message given by indices of the flat array, in the order of the transfer."""

    numbers: Union[Sequence[int], np.ndarray]


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


def call(name: str, result, kinds: Sequence, *arguments):
    """Calls a function of the library of plans."""
    function = getattr(plans(), name)
    function.restype, function.argtypes = result, list(kinds)
    return function(*arguments)


def checked(name: str, kinds: Sequence, *arguments) -> None:
    """Calls a function that returns a status, which is the same on all PEs of the group. Raises on errors."""
    status = call(name, ctypes.c_int, kinds, *arguments)
    if status:
        text = call("oshen_status_text", ctypes.c_char_p, [ctypes.c_int], status).decode()
        raise (MemoryError if status == 3 else ValueError)(f"{name}: {text}")


def _three(numbers: Sequence[int], missing: int) -> Any:
    """Reverses the axes of NumPy into the order of the library, and fills missing ones."""
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"the array has {len(numbers)} axes: expected 1 to 3")
    return (ctypes.c_int * 3)(*reversed(numbers), *[missing] * (3 - len(numbers)))


def grid(shape: Sequence[int], pes: Optional[int] = None, dims: Optional[Sequence[int]] = None) -> tuple[int, ...]:
    """The numbers of parts along each axis for `pes` PEs (default: all), with the least surface between the parts. Non-zero
    entries of `dims` are kept."""
    found = _three(dims if dims is not None else [0] * len(shape), 1)
    checked("oshen_grid_dims", [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p], shmem.n_pes() if pes is None else pes,
            _three(shape, 1), found)
    return tuple(found[:len(shape)][::-1])


def part(shape: Sequence[int], dims: Sequence[int], pe: Optional[int] = None) -> tuple[slice, ...]:
    """The part of a PE (default: this one) in such a grid. PE numbers increase along the last axis first."""
    low, size = (ctypes.c_int * 3)(), (ctypes.c_int * 3)()
    me, pes = shmem.my_pe() if pe is None else pe, int(np.prod(dims))
    if len(dims) != len(shape) or not 0 <= me < pes:
        raise ValueError(f"dims = {tuple(dims)} with PE {me}: expected {len(shape)} numbers with a product above {me}")
    call("oshen_grid_box", None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p],
         _three(shape, 1), _three(dims, 1), me, low, size)
    return tuple(slice(low[a], low[a] + size[a]) for a in reversed(range(len(shape))))


class _Owned:
    """An object of the library. destroy, or the end of a `with`, destroys it collectively."""

    DESTROY = ""
    handle: Optional[int] = None

    def destroy(self) -> None:
        if self.handle:
            call(self.DESTROY, None, [ctypes.c_void_p], self.handle)
        self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.destroy()


class Arena(_Owned):
    """Symmetric memory that plans share. Collective over all PEs, with equal sizes."""

    DESTROY = "oshen_arena_destroy"

    def __init__(self, size: int):
        made = ctypes.c_void_p()
        checked("oshen_arena_create", [ctypes.c_size_t, ctypes.c_void_p], size, ctypes.addressof(made))
        self.handle = made.value


class Group(_Owned):
    """A group of the PEs of a team, or of a list of PEs. Collective over them."""

    DESTROY = "oshen_group_destroy"

    def __init__(self, arena: Arena, team: Optional[shmem.Team] = None, pes: Optional[Sequence[int]] = None):
        made, self.arena = ctypes.c_void_p(), arena
        if pes is not None:
            members = (ctypes.c_int * len(pes))(*pes)
            checked("oshen_group_create_from_list", [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p],
                    arena.handle, ctypes.addressof(members), len(pes), ctypes.addressof(made))
        else:
            checked("oshen_group_create", [ctypes.c_void_p] * 3, arena.handle, team_number(team), ctypes.addressof(made))
        self.handle = made.value

    @property
    def size(self) -> int:
        return call("oshen_group_size", ctypes.c_int, [ctypes.c_void_p], self.handle)

    @property
    def rank(self) -> int:
        return call("oshen_group_rank", ctypes.c_int, [ctypes.c_void_p], self.handle)


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

    def __init__(self, listed: Messages, whole: Optional[np.ndarray]):
        self.count, messages, self.lists = len(listed), [], []
        for peer, what in listed:
            offsets = None
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


def _address(array: Optional[np.ndarray]) -> Optional[int]:
    if array is None:
        return None
    if not array.flags.c_contiguous and not array.flags.f_contiguous:
        raise ValueError("the array is not contiguous: expected a contiguous one")
    return array.ctypes.data


class Plan(_Owned):
    """A plan. source and target are arrays with the layout of those that run gets; messages are views of them.

    strategy: "auto" measures all strategies; Plan.strategies() lists them.
    """

    DESTROY = "oshen_plan_destroy"

    def __init__(self, group: Group, source: Optional[np.ndarray], target: Optional[np.ndarray], sends: Messages,
                 receives: Messages, strategy: str = "auto"):
        made, self.group = ctypes.c_void_p(), group
        self._shapes = [None if a is None else (a.nbytes, a.strides) for a in (source, target)]
        out, into = _Messages(sends, source), _Messages(receives, target)
        attributes = _attributes(out, into, strategy)
        checked("oshen_plan_create", [ctypes.c_void_p] * 3, group.handle, ctypes.addressof(attributes), ctypes.addressof(made))
        self.handle = made.value

    @staticmethod
    def need(group: Group, source: Optional[np.ndarray], target: Optional[np.ndarray], sends: Messages,
             receives: Messages, strategy: str = "auto") -> Need:
        """Memory of such a plan on this PE. Local."""
        need, out, into = Need(), _Messages(sends, source), _Messages(receives, target)
        attributes = _attributes(out, into, strategy)
        checked("oshen_plan_need", [ctypes.c_void_p] * 3, group.handle, ctypes.addressof(attributes), ctypes.addressof(need))
        return need

    def _same(self, *arrays: Optional[np.ndarray]) -> list[Optional[int]]:
        for array, shape in zip(arrays, self._shapes):
            if (None if array is None else (array.nbytes, array.strides)) != shape:
                raise ValueError("the array has another size or layout than that of the plan")
        return [_address(array) for array in arrays]

    def run(self, source: Optional[np.ndarray], target: Optional[np.ndarray]) -> None:
        """Sends and receives. On return target is complete and source may be changed. Collective over the group."""
        call("oshen_plan_run", None, [ctypes.c_void_p] * 3, self.handle, *self._same(source, target))

    def start(self, source: Optional[np.ndarray], target: Optional[np.ndarray]) -> None:
        """Starts a run without waiting. Both arrays must exist until release. Collective over the group."""
        call("oshen_plan_start", None, [ctypes.c_void_p] * 3, self.handle, *self._same(source, target))

    def test(self) -> bool:
        """Advances the run without waiting. True if it is complete."""
        return bool(call("oshen_plan_test", ctypes.c_int, [ctypes.c_void_p], self.handle))

    def wait_any(self) -> Optional[int]:
        """Waits until the data of a further peer has arrived, and returns that peer. None after the last one."""
        peer = call("oshen_plan_wait_any", ctypes.c_int, [ctypes.c_void_p], self.handle)
        return None if peer < 0 else peer

    def release(self) -> None:
        """Completes a run, waiting if necessary."""
        call("oshen_plan_release", None, [ctypes.c_void_p], self.handle)

    @property
    def strategy(self) -> str:
        return call("oshen_plan_strategy", ctypes.c_char_p, [ctypes.c_void_p], self.handle).decode()

    def describe(self) -> str:
        """A readable line about the plan and its runs."""
        return described("oshen_plan_describe", self.handle)

    @staticmethod
    def strategies() -> dict[str, str]:
        """The strategies: name and description."""
        class Info(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("about", ctypes.c_char_p)]

        info, found = Info(), {}
        while call("oshen_strategy_at", ctypes.c_int, [ctypes.c_int, ctypes.c_void_p], len(found), ctypes.addressof(info)):
            found[info.name.decode()] = info.about.decode()
        return found


def described(name: str, handle: Any) -> str:
    text = ctypes.create_string_buffer(1024)
    call(name, ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t], handle, text, len(text))
    return text.value.decode()
