# SPDX-License-Identifier: BSD-3-Clause
"""The memory of plans, and the groups of PEs that run them."""

from __future__ import annotations

import ctypes
from typing import Optional, Sequence

from . import shmem
from ._handles import team_number
from ._library import require_started
from ._owned import Owned, call, checked


class Arena(Owned):
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
        checked("oshen_arena_create", [ctypes.c_size_t, ctypes.c_void_p], size, ctypes.addressof(made))
        super().__init__(made.value)


class Group(Owned):
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
            checked("oshen_group_create_from_list", [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p],
                    arena.handle, ctypes.addressof(members), len(pes), ctypes.addressof(made))
        else:
            checked("oshen_group_create", [ctypes.c_void_p] * 3, arena.handle, team_number(team), ctypes.addressof(made))
        super().__init__(made.value, arena)

    @property
    def size(self) -> int:
        return call("oshen_group_size", ctypes.c_int, [ctypes.c_void_p], self.handle)

    @property
    def rank(self) -> int:
        return call("oshen_group_rank", ctypes.c_int, [ctypes.c_void_p], self.handle)
