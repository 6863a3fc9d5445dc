# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the memory of non-blocking calls alive until they are complete, since a caller may pass a temporary array.

On one node a non-blocking call is complete when it returns, so nothing is kept there.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any

from ._library import function

DEFAULT = 1  # the number of the default context
SHARED = 2  # of the team of this node's PEs

_kept: dict[int, list[Any]] = {}  # by the number of the context


def _spans_nodes() -> bool:
    near = function("shmem_team_n_pes", ctypes.c_int, ctypes.c_void_p)(SHARED)
    return near < function("shmem_n_pes", ctypes.c_int)()


def keep(context: int, *arrays: Any) -> None:
    """To be called after a non-blocking call has returned, so that a quiet of another thread forgets only arrays of calls
    that began before it."""
    if _spans_nodes():
        _kept.setdefault(context, []).append(arrays)


@contextmanager
def completing(context: int = DEFAULT):
    """Encloses a call that completes all operations of the context."""
    kept = _kept.pop(context, None)
    yield
    del kept


@contextmanager
def completing_all():
    """Encloses the end of the library."""
    kept = [_kept.pop(context) for context in list(_kept)]
    yield
    del kept
