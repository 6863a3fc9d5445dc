# SPDX-License-Identifier: BSD-3-Clause
"""Teams and contexts."""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Mapping, Optional

from ._in_flight import completing
from ._library import function


class CTX(enum.IntFlag):
    """Options of contexts."""

    SERIALIZED, PRIVATE, NOSTORE = 1, 2, 4


CTX_SERIALIZED, CTX_PRIVATE, CTX_NOSTORE = CTX.SERIALIZED, CTX.PRIVATE, CTX.NOSTORE
NUM_CONTEXTS = 1  # mask of team configurations


class _Handle:
    """A team or a context. Handles of the same object are equal. `with` destroys a created object."""

    PREDEFINED: frozenset[int] = frozenset()

    def __init__(self, other: Optional["_Handle"] = None):
        if other is not None and type(other) is not type(self):
            raise TypeError(f"other = {type(other).__name__}: expected a {type(self).__name__} or None")
        self._number = other._number if other is not None else 0

    @classmethod
    def of(cls, number: Optional[int]):
        made = cls()
        made._number = number or 0
        return made

    def __eq__(self, other: Any) -> bool:
        return self._number == other._number if isinstance(other, type(self)) else NotImplemented

    __hash__ = None

    def __bool__(self) -> bool:
        return self._number != 0

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.destroy()

    def _forget(self) -> int:
        """Invalidates the handle and returns the number to destroy; 0 for predefined objects. The constants stay valid."""
        number = self._number
        if number not in self.PREDEFINED:
            self._number = 0
            return number
        if not any(self is constant for constant in self.constants()):
            self._number = 0
        return 0

    def _valid(self) -> int:
        if not self:
            raise RuntimeError(f"this {type(self).__name__} is invalid")
        return self._number


class Ctx(_Handle):
    """A context: its own fence and quiet order and complete its operations."""

    PREDEFINED = frozenset({0, 1})

    @staticmethod
    def constants():
        return CTX_DEFAULT, CTX_INVALID

    @staticmethod
    def create(options: int = 0, team: Optional["Team"] = None) -> "Ctx":
        """Creates a context. PE numbers count in `team` if it is given. Not collective."""
        made = ctypes.c_void_p()
        if team is None:
            create = function("shmem_ctx_create", ctypes.c_int, ctypes.c_long, ctypes.c_void_p)
            status = create(options, ctypes.byref(made))
        else:
            create = function("shmem_team_create_ctx", ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
            status = create(team._number, options, ctypes.byref(made))
        if status:
            raise RuntimeError("cannot create a context")
        return Ctx.of(made.value)

    def destroy(self) -> None:
        """Completes the operations of the context and destroys it."""
        if number := self._forget():
            with completing(number):
                function("shmem_ctx_destroy", None, ctypes.c_void_p)(number)

    def get_team(self) -> "Team":
        """The team of the context."""
        team = ctypes.c_void_p()
        if function("shmem_ctx_get_team", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(self._valid(), ctypes.byref(team)):
            raise RuntimeError("shmem_ctx_get_team failed")
        return Team.of(team.value)

    def fence(self) -> None:
        """Orders earlier puts before later puts, for each target PE."""
        function("shmem_ctx_fence", None, ctypes.c_void_p)(self._number)

    def quiet(self) -> None:
        """Completes all operations of the context."""
        with completing(self._number):
            function("shmem_ctx_quiet", None, ctypes.c_void_p)(self._number)


class Team(_Handle):
    """A team of PEs."""

    PREDEFINED = frozenset({0, 1, 2})

    @staticmethod
    def constants():
        return TEAM_WORLD, TEAM_SHARED, TEAM_INVALID

    def destroy(self) -> None:
        """Destroys the team. Collective over it."""
        if number := self._forget():
            function("shmem_team_destroy", None, ctypes.c_void_p)(number)

    def split_strided(self, start: int = 0, stride: int = 1, size: Optional[int] = None,
                      config: Optional[Mapping[str, int]] = None, **options: int) -> "Team":
        """A team of the `size` PEs start, start + stride, ...; other PEs get TEAM_INVALID. Collective over this team."""
        options = {**(config or {}), **options}
        if size is None:
            size = 1 if stride == 0 else max(0, (self.n_pes() - start + stride - 1) // stride)
        contexts, made = ctypes.c_int(options.get("num_contexts", 0)), ctypes.c_void_p()
        split = function("shmem_team_split_strided", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
                         ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
        mask = NUM_CONTEXTS if "num_contexts" in options else 0
        if split(self._valid(), start, stride, size, ctypes.byref(contexts), mask, ctypes.byref(made)):
            raise RuntimeError("cannot split the team")
        return Team.of(made.value)

    def get_config(self) -> dict[str, int]:
        """The configuration of the team."""
        contexts = ctypes.c_int()
        get = function("shmem_team_get_config", ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
        if get(self._valid(), NUM_CONTEXTS, ctypes.byref(contexts)):
            raise RuntimeError("shmem_team_get_config failed")
        return {"num_contexts": contexts.value}

    def my_pe(self) -> int:
        """Number of this PE in the team."""
        return function("shmem_team_my_pe", ctypes.c_int, ctypes.c_void_p)(self._valid())

    def n_pes(self) -> int:
        """Number of PEs of the team."""
        return function("shmem_team_n_pes", ctypes.c_int, ctypes.c_void_p)(self._valid())

    def translate_pe(self, pe: Optional[int] = None, team: Optional["Team"] = None) -> int:
        """The number in `team` (default: TEAM_WORLD) of PE `pe` of this team (default: this PE), or -1."""
        translate = function("shmem_team_translate_pe", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        return translate(self._valid(), self.my_pe() if pe is None else pe, (TEAM_WORLD if team is None else team)._number)

    def create_ctx(self, options: int = 0) -> Ctx:
        """Creates a context of the team."""
        return Ctx.create(options, self)

    def sync(self) -> None:
        """Waits until all PEs of the team have arrived."""
        function("shmem_team_sync", ctypes.c_int, ctypes.c_void_p)(self._valid())


CTX_DEFAULT, CTX_INVALID = Ctx.of(1), Ctx.of(0)
TEAM_WORLD, TEAM_SHARED, TEAM_INVALID = Team.of(1), Team.of(2), Team.of(0)


def number_of(ctx: Optional[Ctx]) -> int:
    return (CTX_DEFAULT if ctx is None else ctx)._number


def team_number(team: Optional[Team]) -> int:
    return (TEAM_WORLD if team is None else team)._valid()


def fence(ctx: Optional[Ctx] = None) -> None:
    """Ctx.fence of a context or of the default one."""
    (CTX_DEFAULT if ctx is None else ctx).fence()


def quiet(ctx: Optional[Ctx] = None) -> None:
    """Ctx.quiet of a context or of the default one."""
    (CTX_DEFAULT if ctx is None else ctx).quiet()
