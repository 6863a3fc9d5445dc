# SPDX-License-Identifier: BSD-3-Clause
"""Initialisation, finalisation, and the number of this PE."""

from __future__ import annotations

import atexit
import ctypes
import enum
import os
import sys
from typing import NoReturn

from . import rc
from ._in_flight import completing_all
from ._library import function, library


class THREAD(enum.IntEnum):
    """Levels of thread support."""

    SINGLE, FUNNELED, SERIALIZED, MULTIPLE = range(4)


THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = THREAD
MAJOR_VERSION, MINOR_VERSION = 1, 6


def info_get_version() -> tuple[int, int]:
    """Version of the OpenSHMEM standard: major, minor."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    library().shmem_info_get_version(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def info_get_name() -> str:
    """Name of the library."""
    text = ctypes.create_string_buffer(256)
    library().shmem_info_get_name(text)
    return text.value.decode()


VENDOR_STRING = info_get_name()


def initialized() -> bool:
    """Whether the library is initialised."""
    flag = ctypes.c_int()
    library().shmem_query_initialized(ctypes.byref(flag))
    return bool(flag.value)


def init() -> None:
    """Initialises the library. Collective over all PEs."""
    function("shmem_init", None)()


def init_thread(requested: int = THREAD.MULTIPLE) -> THREAD:
    """Initialises the library with a thread level and returns the level in force. Collective over all PEs."""
    provided = ctypes.c_int()
    if function("shmem_init_thread", ctypes.c_int, ctypes.c_int, ctypes.c_void_p)(requested, ctypes.byref(provided)):
        raise RuntimeError("shmem_init_thread: cannot initialise the library")
    return THREAD(provided.value)


def query_thread() -> THREAD:
    """The thread level in force."""
    provided = ctypes.c_int()
    library().shmem_query_thread(ctypes.byref(provided))
    return THREAD(provided.value)


def finalize() -> None:
    """Finalises one initialisation. Collective over all PEs."""
    with completing_all():
        function("shmem_finalize", None)()


def global_exit(status: int = 0) -> NoReturn:
    """Ends the job with this exit status."""
    sys.stdout.flush()
    sys.stderr.flush()
    function("shmem_global_exit", None, ctypes.c_int)(status)
    raise AssertionError("unreachable")


def my_pe() -> int:
    """Number of this PE."""
    return library().shmem_my_pe()


def n_pes() -> int:
    """Number of PEs."""
    return library().shmem_n_pes()


def pe_accessible(pe: int) -> bool:
    """Whether this PE can communicate with PE `pe`."""
    return bool(function("shmem_pe_accessible", ctypes.c_int, ctypes.c_int)(pe))


def pcontrol(level: int = 1) -> None:
    """Sets the level of a profiling tool."""
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
        finalize()


def _end_all(former):
    """Ends the whole job after an uncaught exception, because other PEs would wait for this PE."""

    def hook(kind, value, trace):
        former(kind, value, trace)
        if initialized() and n_pes() > 1:
            global_exit(1)

    return hook
