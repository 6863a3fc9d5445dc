# SPDX-License-Identifier: BSD-3-Clause
"""Checks of arguments before a call: a mistake is an exception. The library itself would end the whole job, and with it the
interpreter or the kernel of a notebook."""

from __future__ import annotations

import ctypes
from typing import Optional

from ._handles import Ctx, Team, number_of, team_number
from ._library import function, require_started
from ._lifetime import at_end
from ._types import Memory, memory

INT, POINTER = ctypes.c_int, ctypes.c_void_p


class _Known:
    """Values that stay until the next initialisation: the number of PEs, and a part of the heap."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.n_pes, self.first, self.end = 0, 0, 0

    def add_block(self, address: int, size: int) -> None:
        """All bytes between two blocks of the heap belong to the heap."""
        self.first = min(self.first or address, address)
        self.end = max(self.end, address + size)


known = _Known()
at_end(known.forget)


def _n_pes(team: int) -> int:
    return function("shmem_team_n_pes", INT, POINTER)(team)


def members(team: Optional[Team]) -> int:
    """The number of PEs of a team (default: TEAM_WORLD).

    Raises: RuntimeError if the team is invalid, or if the library is not initialised.
    """
    require_started()
    return _n_pes(team_number(team))


def _within(what: str, pe: int, n: int, where: str) -> None:
    if not hasattr(pe, "__index__"):
        raise TypeError(f"{what} = {pe!r}: expected an integer, 0 .. {n - 1}")
    if not 0 <= pe < n:
        raise ValueError(f"{what} = {pe}: expected a PE {where}, 0 .. {n - 1}")


def context(ctx: Optional[Ctx], pe: int) -> int:
    """The number of a context (default: CTX_DEFAULT) on whose team `pe` is a PE.

    Raises: ValueError if it is not; RuntimeError if the context is invalid, or if the library is not initialised.
    """
    require_started()
    number = number_of(ctx)
    if number == 1:  # the default context
        known.n_pes = known.n_pes or function("shmem_n_pes", INT)()
        _within("pe", pe, known.n_pes, "of the job")
    else:
        _within("pe", pe, Ctx.of(number).get_team().n_pes(), "of the context's team")
    return number


def root(pe: int, team: Optional[Team]) -> int:
    """`pe`, if it is a PE of the team. Raises: ValueError if it is not."""
    _within("root", pe, members(team), "of the team")
    return pe


def symmetric(what: str, mem: Memory) -> Memory:
    """`mem`, if it lies in the symmetric memory of this PE. The library is initialised. Raises: ValueError if it does not."""
    if known.first <= mem.address and mem.address + mem.bytes <= known.end:
        return mem
    reach = function("shmem_addr_accessible", INT, POINTER, INT)
    me = function("shmem_my_pe", INT)()
    for address in (mem.address, mem.address + mem.bytes - 1)[: min(mem.bytes, 2)]:
        if not reach(address, me):
            raise ValueError(f"{what} is not symmetric: expected an array of shmem.zeros, shmem.array or the like")
    return mem


def variable(what: str, thing, of: str, readonly: bool = False) -> Memory:
    """The symmetric memory of an array with elements of one of these types.

    Raises: ValueError, TypeError; RuntimeError if the library is not initialised.
    """
    require_started()
    return symmetric(what, memory(thing, readonly, of))
