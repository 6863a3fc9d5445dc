# SPDX-License-Identifier: BSD-3-Clause
"""Plans of messages between arrays."""

from __future__ import annotations

import ctypes
from typing import Optional

import numpy as np

from ._group import Group
from ._messages import Messages, MessageList, address_of, attributes_of, equal_types
from ._owned import Owned, call, checked, described


class Need(ctypes.Structure):
    """Memory in bytes: one block of the arena, and private memory."""

    _fields_ = [("symmetric", ctypes.c_size_t), ("ordinary", ctypes.c_size_t)]


def check_strategy(strategy: str) -> None:
    names = ["auto", *Plan.strategies()]
    if strategy not in names:
        raise ValueError(f"strategy = {strategy!r}: expected one of {', '.join(names)}")


def checked_runs(expected: int) -> int:
    if not 0 <= expected < 2**31:
        raise ValueError(f"expected_runs = {expected}: expected 0 to {2**31 - 1}")
    return expected


class Plan(Owned):
    """A plan. Messages are views of its two arrays. Collective over the group.

    Parameters:
        group: the PEs that take part
        source: an array with the layout of those that run gets, or None if this PE sends nothing
        target: the same, of those that are written
        sends: pairs of a PE and a view of source, or Elements of it
        receives: pairs of a PE and a view of target, or Elements of it
        strategy: a name of Plan.strategies(), or "auto", which tries the best ones in the first runs
        expected_runs: for "auto", the number of runs that will follow, the same on all PEs, of which trials may lose 2 %; 0: unknown
    Raises: ValueError, TypeError for a wrong message or strategy; MemoryError if the arena is full; RuntimeError for a destroyed group
    Example:
        with exchange.Arena(1 << 20) as arena, exchange.Group(arena) as group:
            with exchange.Plan(group, field, field, [(right, field[:, -2])], [(left, field[:, 0])]) as plan:
                plan.run(field, field)
    """

    DESTROY = "oshen_plan_destroy"

    def __init__(self, group: Group, source: Optional[np.ndarray], target: Optional[np.ndarray], sends: Messages,
                 receives: Messages, strategy: str = "auto", expected_runs: int = 0):
        made, self.group, self._runs = ctypes.c_void_p(), group, False
        check_strategy(strategy)
        equal_types("the plan", source, target)
        self._like = [None if a is None else np.empty(0, a.dtype) for a in (source, target)]
        self._shapes = [None if a is None else (a.nbytes, a.strides) for a in (source, target)]
        out, into = MessageList(sends, source, group.size), MessageList(receives, target, group.size)
        attributes = attributes_of(out, into, strategy)
        attributes.expected_runs = checked_runs(expected_runs)
        checked("oshen_plan_create", [ctypes.c_void_p] * 3, group.handle, ctypes.addressof(attributes), ctypes.addressof(made))
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
            strategy: a name of Plan.strategies(), or "auto", which tries the best ones in the first runs
        Returns: bytes of the arena, and of private memory
        Raises: ValueError, TypeError for a wrong message or strategy
        """
        need = Need()
        equal_types("the plan", source, target)
        out, into = MessageList(sends, source, group.size), MessageList(receives, target, group.size)
        attributes = attributes_of(out, into, strategy)
        checked("oshen_plan_need", [ctypes.c_void_p] * 3 + [ctypes.c_size_t], group.handle, ctypes.addressof(attributes),
                ctypes.addressof(need), ctypes.sizeof(need))
        return need

    def _same(self, *arrays: Optional[np.ndarray]) -> list[Optional[int]]:
        for array, like, shape in zip(arrays, self._like, self._shapes):
            equal_types("the run", array, like)
            if (None if array is None else (array.nbytes, array.strides)) != shape:
                raise ValueError("the array has another size or layout than that of the plan")
        return [address_of(array, written) for array, written in zip(arrays, (False, True))]

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
        call("oshen_plan_run", None, [ctypes.c_void_p] * 3, self._running(False), *self._same(source, target))

    def start(self, source: Optional[np.ndarray], target: Optional[np.ndarray]) -> None:
        """Starts a run without waiting. The plan keeps both arrays until release. Collective over the group.

        Parameters:
            source: an array with the layout of the plan's, or None
            target: the same, which is written
        Raises: RuntimeError if the plan is destroyed or a run is under way; ValueError for another layout
        """
        call("oshen_plan_start", None, [ctypes.c_void_p] * 3, self._running(False), *self._same(source, target))
        self._runs, self._arrays = True, (source, target)

    def test(self) -> bool:
        """Advances the run without waiting. True if it is complete.

        Returns: whether all data has arrived
        Raises: RuntimeError if no run is under way
        """
        return bool(call("oshen_plan_test", ctypes.c_int, [ctypes.c_void_p], self._running(True)))

    def wait_any(self) -> Optional[int]:
        """Waits until the data of a further peer has arrived, and returns that peer. None after the last one.

        Returns: the PE of the group, or None
        Raises: RuntimeError if no run is under way
        """
        peer = call("oshen_plan_wait_any", ctypes.c_int, [ctypes.c_void_p], self._running(True))
        return None if peer < 0 else peer

    def release(self) -> None:
        """Completes a run, waiting if necessary.

        Raises: RuntimeError if no run is under way
        """
        call("oshen_plan_release", None, [ctypes.c_void_p], self._running(True))
        self._runs, self._arrays = False, (None, None)

    @property
    def strategy(self) -> str:
        return call("oshen_plan_strategy", ctypes.c_char_p, [ctypes.c_void_p], self.handle).decode()

    def describe(self) -> str:
        """A readable line about the plan and its runs.

        Returns: the line
        Raises: RuntimeError if the plan is destroyed
        """
        return described("oshen_plan_describe", self.handle)

    @staticmethod
    def strategies() -> dict[str, str]:
        """The strategies: name and description.

        Returns: descriptions by name
        """
        class Info(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("about", ctypes.c_char_p)]

        info = Info()
        found: dict[str, str] = {}
        while call("oshen_strategy_at", ctypes.c_int, [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t], len(found),
                   ctypes.addressof(info), ctypes.sizeof(info)):
            found[info.name.decode()] = info.about.decode()
        return found
