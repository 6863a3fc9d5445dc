# SPDX-License-Identifier: BSD-3-Clause
"""Initialisation, finalisation, and the number of this PE."""

from __future__ import annotations

import atexit
import ctypes
import enum
import os
import sys
from typing import NoReturn

from . import _lifetime, _views, rc
from ._in_flight import completing_all
from ._library import function, library, require_started, started


class THREAD(enum.IntEnum):
    """Levels of thread support."""

    SINGLE, FUNNELED, SERIALIZED, MULTIPLE = range(4)


THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = THREAD
MAJOR_VERSION, MINOR_VERSION = 1, 6


def info_get_version() -> tuple[int, int]:
    """Version of the OpenSHMEM standard: major, minor.

    Returns: the two numbers, such as (1, 6)
    Example: major, minor = shmem.info_get_version()
    """
    major, minor = ctypes.c_int(), ctypes.c_int()
    library().shmem_info_get_version(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def info_get_name() -> str:
    """Name of the library.

    Returns: the name and the version of the library
    Example: print(shmem.info_get_name())
    """
    text = ctypes.create_string_buffer(256)
    library().shmem_info_get_name(text)
    return text.value.decode()


VENDOR_STRING = info_get_name()


def initialized() -> bool:
    """Whether the library is initialised.

    Returns: True from init to the last finalize
    Example: assert shmem.initialized()
    """
    return started()


def init() -> None:
    """Initialises the library. Collective over all PEs.

    Example: shmem.init()  # counts: finalize as often
    """
    function("shmem_init", None)()


def init_thread(requested: int = THREAD.MULTIPLE) -> THREAD:
    """Initialises the library with a thread level and returns the level in force. Collective over all PEs.

    Parameters:
        requested: a THREAD level
    Returns: the level in force, which may differ
    Raises: ValueError for an unknown level; RuntimeError if the library cannot start
    Example: level = shmem.init_thread(shmem.THREAD_MULTIPLE)
    """
    requested, provided = THREAD(requested), ctypes.c_int()
    if function("shmem_init_thread", ctypes.c_int, ctypes.c_int, ctypes.c_void_p)(requested, ctypes.byref(provided)):
        raise RuntimeError("shmem_init_thread: cannot initialise the library")
    return THREAD(provided.value)


def query_thread() -> THREAD:
    """The thread level in force.

    Returns: the level
    Raises: RuntimeError if the library is not initialised
    Example: assert shmem.query_thread() in shmem.THREAD
    """
    require_started()
    provided = ctypes.c_int()
    library().shmem_query_thread(ctypes.byref(provided))
    return THREAD(provided.value)


def finalize() -> None:
    """Finalises one initialisation. Collective over all PEs. Existing arrays stay readable; they are no longer symmetric.

    Raises: RuntimeError if the library is not initialised
    Example: shmem.finalize()
    """
    require_started()
    with _views.outliving():
        _finalize()


def _finalize() -> None:
    with completing_all():
        function("shmem_finalize", None)()
    if not started():
        _lifetime.end()


def global_exit(status: int = 0) -> NoReturn:
    """Ends the job with this exit status.

    Parameters:
        status: the exit status of the job, 0 to 255
    Returns: never
    Example: shmem.global_exit(1)
    """
    sys.stdout.flush()
    sys.stderr.flush()
    function("shmem_global_exit", None, ctypes.c_int)(status)
    raise AssertionError("unreachable")


def my_pe() -> int:
    """Number of this PE.

    Returns: 0 to n_pes() - 1
    Raises: RuntimeError if the library is not initialised
    Example: me = shmem.my_pe()
    """
    require_started()
    return library().shmem_my_pe()


def n_pes() -> int:
    """Number of PEs.

    Returns: at least 1
    Raises: RuntimeError if the library is not initialised
    Example: right = (shmem.my_pe() + 1) % shmem.n_pes()
    """
    require_started()
    return library().shmem_n_pes()


def pe_accessible(pe: int) -> bool:
    """Whether this PE can communicate with PE `pe`.

    Parameters:
        pe: any number
    Returns: False for a PE that does not exist
    Raises: RuntimeError if the library is not initialised
    Example: assert shmem.pe_accessible(0)
    """
    require_started()
    return bool(function("shmem_pe_accessible", ctypes.c_int, ctypes.c_int)(pe))


def pcontrol(level: int = 1) -> None:
    """Sets the level of a profiling tool.

    Parameters:
        level: 0: off, 1: on; more: as the tool defines
    Example: shmem.pcontrol(0)
    """
    library().shmem_pcontrol(ctypes.c_int(level))


def runs_in_mpi() -> bool:
    """Whether mpi4py has initialised MPI, and oshrun has not started the process."""
    mpi = sys.modules.get("mpi4py.MPI")
    return mpi is not None and "OSHEN_JOB_FD" not in os.environ and mpi.Is_initialized() and not mpi.Is_finalized()


def start_as_configured() -> None:
    """At import: initialises the library, if rc allows it and it is not initialised, and finalises it at exit."""
    if initialized() or not rc.initialize:
        return
    if runs_in_mpi():
        from . import mpi
        mpi.init(requested=THREAD[rc.thread_level.upper()] if rc.threads else THREAD.SINGLE)
    elif rc.threads:
        init_thread(THREAD[rc.thread_level.upper()])
    else:
        init()
    if rc.finalize is not False:
        atexit.register(_end)
        sys.excepthook = _end_all(sys.excepthook)


def _end() -> None:
    if initialized():
        _finalize()


def _end_all(former):
    """Ends the whole job after an uncaught exception, because other PEs would wait for this PE."""

    def hook(kind, value, trace):
        former(kind, value, trace)
        if initialized() and n_pes() > 1:
            global_exit(1)

    return hook
