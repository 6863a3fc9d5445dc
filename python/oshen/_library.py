# SPDX-License-Identifier: BSD-3-Clause
"""Finds liboshen and its functions, and calls them by ctypes."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import sysconfig
import threading
from functools import lru_cache, partial
from pathlib import Path

NAME = "liboshen.so.0"
PLANS = "liboshen-plans.so"  # exchange plans and the FFT as a shared library


def folders() -> list[Path]:
    """Folders that may have the library, in order: next to this package, in its environment, next to oshrun."""
    here = Path(__file__).resolve().parent
    prefixes = list(here.parents[:5])
    if oshrun := shutil.which("oshrun"):
        prefixes.append(Path(oshrun).resolve().parent.parent)
    machine = sysconfig.get_config_var("MULTIARCH") or ""  # Debian's folder for libraries
    return [here / "lib"] + [prefix / "lib" / name for prefix in prefixes for name in dict.fromkeys(("", machine))]


def path_of(name: str) -> str:
    """The file that OSHEN_LIBRARY names (or its folder), else one in the folders, else a name for the loader."""
    given = os.environ.get("OSHEN_LIBRARY")
    if given and Path(given).is_dir():
        return str(Path(given) / name)
    if given:
        return given if name == NAME else str(Path(given).parent / name)
    for folder in folders():
        for file in (folder / name, *sorted(folder.glob(f"oshen*/{name}"))):
            if file.exists():
                return str(file)
    return name


def opened(name: str, what: str) -> ctypes.CDLL:
    path = path_of(name)
    try:
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    except OSError as why:
        raise ImportError(f"oshen: cannot load {what}: {why}; install oshen, put its bin folder on the PATH, or "
                          f"set OSHEN_LIBRARY to the folder of {NAME}") from None


@lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    return opened(NAME, "the library")


@lru_cache(maxsize=None)
def plans() -> ctypes.CDLL:
    library()
    return opened(PLANS, "the library of exchange plans and FFTs")


@lru_cache(maxsize=None)
def function(name: str, result, *arguments):
    """A function of the library with these types of its result and arguments."""
    try:
        found = getattr(library(), name)
    except AttributeError:
        raise NotImplementedError(f"oshen: the library has no function {name}") from None
    found.restype, found.argtypes = result, arguments
    return found


_flag = threading.local()


def started() -> bool:
    """Whether the library is initialised."""
    try:
        flag, query = _flag.value, _flag.query
    except AttributeError:
        flag = _flag.value = ctypes.c_int()
        query = _flag.query = partial(function("shmem_query_initialized", None, ctypes.c_void_p), ctypes.byref(flag))
    query()
    return flag.value != 0


def require_started() -> None:
    """Raises RuntimeError if the library is not initialised, or no longer."""
    if not started():
        raise RuntimeError("OpenSHMEM is not initialised: call shmem.init() first, and nothing after shmem.finalize()")
