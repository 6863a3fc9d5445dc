# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM inside an mpi4py program: the ranks of a communicator become the PEs."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from ._library import function

_GATHER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_BARRIER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_ABORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


class _Attributes(ctypes.Structure):
    """shmemx_init_attr_t."""

    _fields_ = [("size", ctypes.c_size_t), ("pe", ctypes.c_int), ("n_pes", ctypes.c_int), ("requested", ctypes.c_int),
                ("provided", ctypes.c_int), ("context", ctypes.c_void_p), ("allgather", _GATHER), ("barrier", _BARRIER),
                ("abort", _ABORT)]


_kept: list[Any] = []  # callbacks and communicators in use until the library is finalised


def _callbacks(comm):
    def allgather(_, mine, every, count):
        if count:
            comm.Allgather([(ctypes.c_char * count).from_address(mine), count, _byte()],
                           [(ctypes.c_char * (count * comm.size)).from_address(every), count, _byte()])
        return 0

    def barrier(_):
        comm.Barrier()
        return 0

    def abort(_, status):
        comm.Abort(status)
        os._exit(status)

    return _GATHER(allgather), _BARRIER(barrier), _ABORT(abort)


def _byte():
    from mpi4py import MPI
    return MPI.BYTE


def init(comm=None, requested: int = 0) -> int:
    """Initialises the library with PE i = rank i of `comm` (default: MPI.COMM_WORLD). Returns the thread level.

    Collective over `comm`. Finalise the library before MPI. The import of oshen.shmem calls this function if mpi4py.MPI
    was imported first.

    Parameters:
        comm: an mpi4py communicator; MPI.COMM_WORLD if None
        requested: a THREAD level
    Returns: the level in force
    Raises: RuntimeError if the library cannot start
    """
    from mpi4py import MPI
    own = (MPI.COMM_WORLD if comm is None else comm).Dup()
    attributes = _Attributes(ctypes.sizeof(_Attributes), own.rank, own.size, requested, 0, None, *_callbacks(own))
    _kept.append((own, attributes))
    if function("shmemx_init_attr", ctypes.c_int, ctypes.c_void_p)(ctypes.byref(attributes)):
        raise RuntimeError("shmemx_init_attr: cannot initialise the library")
    return attributes.provided
