# SPDX-License-Identifier: BSD-3-Clause
"""Teams and contexts."""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Mapping, Optional

from ._library import function


class CTX(enum.IntFlag):
    """Options of contexts."""

    SERIALIZED, PRIVATE, NOSTORE = 1, 2, 4


CTX_SERIALIZED, CTX_PRIVATE, CTX_NOSTORE = CTX.SERIALIZED, CTX.PRIVATE, CTX.NOSTORE
NUM_CONTEXTS = 1  # mask of team configurations


class _Handle:
    """A team or a context: compared by what it stands for; `with` destroys what was created."""

    PREDEFINED: frozenset[int] = frozenset()

    def __init__(self, other: Optional["_Handle"] = None):
        if other is not None and type(other) is not type(self):
            raise TypeError(f"expected a {type(self).__name__} or None, not {type(other).__name__}")
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
        """What destroy has to release: 0 for constants, which stay, and their aliases, which do not."""
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
    """A context: operations on it are ordered and completed by its own fence and quiet."""

    PREDEFINED = frozenset({0, 1})

    @staticmethod
    def constants():
        return CTX_DEFAULT, CTX_INVALID

    @staticmethod
    def create(options: int = 0, team: Optional["Team"] = None) -> "Ctx":
        """A new context, on a team if one is given: then PE numbers count in it. Not collective."""
        made = ctypes.c_void_p()
        if team is None:
            create = function("shmem_ctx_create", ctypes.c_int, ctypes.c_long, ctypes.c_void_p)
            status = create(options, ctypes.byref(made))
        else:
            create = function("shmem_team_create_ctx", ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
            status = create(team._number, options, ctypes.byref(made))
        if status:
            raise RuntimeError("the context could not be created")
        return Ctx.of(made.value)

    def destroy(self) -> None:
        """Completes the operations of the context and ends it."""
        if number := self._forget():
            function("shmem_ctx_destroy", None, ctypes.c_void_p)(number)

    def get_team(self) -> "Team":
        """The team of the context."""
        team = ctypes.c_void_p()
        if function("shmem_ctx_get_team", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(self._valid(), ctypes.byref(team)):
            raise RuntimeError("the team of the context is not known")
        return Team.of(team.value)

    def fence(self) -> None:
        """Orders what was put before the call ahead of what is put after it, towards each PE."""
        function("shmem_ctx_fence", None, ctypes.c_void_p)(self._number)

    def quiet(self) -> None:
        """Completes all operations of the context."""
        function("shmem_ctx_quiet", None, ctypes.c_void_p)(self._number)


class Team(_Handle):
    """A team of PEs."""

    PREDEFINED = frozenset({0, 1, 2})

    @staticmethod
    def constants():
        return TEAM_WORLD, TEAM_SHARED, TEAM_INVALID

    def destroy(self) -> None:
        """Ends a team. Collective over it."""
        if number := self._forget():
            function("shmem_team_destroy", None, ctypes.c_void_p)(number)

    def split_strided(self, start: int = 0, stride: int = 1, size: Optional[int] = None,
                      config: Optional[Mapping[str, int]] = None, **options: int) -> "Team":
        """The PEs start, start + stride, ... (size of them) as a team; the others get TEAM_INVALID. Collective."""
        options = {**(config or {}), **options}
        if size is None:
            size = 1 if stride == 0 else max(0, (self.n_pes() - start + stride - 1) // stride)
        contexts, made = ctypes.c_int(options.get("num_contexts", 0)), ctypes.c_void_p()
        split = function("shmem_team_split_strided", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
                         ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
        mask = NUM_CONTEXTS if "num_contexts" in options else 0
        if split(self._valid(), start, stride, size, ctypes.byref(contexts), mask, ctypes.byref(made)):
            raise RuntimeError("the team could not be split")
        return Team.of(made.value)

    def get_config(self) -> dict[str, int]:
        """How the team was made."""
        contexts = ctypes.c_int()
        get = function("shmem_team_get_config", ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
        if get(self._valid(), NUM_CONTEXTS, ctypes.byref(contexts)):
            raise RuntimeError("the team has no configuration")
        return {"num_contexts": contexts.value}

    def my_pe(self) -> int:
        """Number of this PE in the team."""
        return function("shmem_team_my_pe", ctypes.c_int, ctypes.c_void_p)(self._valid())

    def n_pes(self) -> int:
        """Number of PEs of the team."""
        return function("shmem_team_n_pes", ctypes.c_int, ctypes.c_void_p)(self._valid())

    def translate_pe(self, pe: Optional[int] = None, team: Optional["Team"] = None) -> int:
        """Number in `team` (default: the world) of PE `pe` of this team (default: this PE); -1 if it is not there."""
        translate = function("shmem_team_translate_pe", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        return translate(self._valid(), self.my_pe() if pe is None else pe, (TEAM_WORLD if team is None else team)._number)

    def create_ctx(self, options: int = 0) -> Ctx:
        """A new context on the team."""
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
