# SPDX-License-Identifier: BSD-3-Clause
"""Finds liboshen and its functions. No compiler is needed: ctypes calls them."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import sysconfig
from functools import lru_cache
from pathlib import Path

NAME = "liboshen.so.0"
PLANS = "liboshen-plans.so"  # exchange plans and the FFT, for those who load libraries


def folders() -> list[Path]:
    """Where the library may be, best first: beside this package, in its environment, beside oshrun."""
    here = Path(__file__).resolve().parent
    prefixes = list(here.parents[:5])
    if oshrun := shutil.which("oshrun"):
        prefixes.append(Path(oshrun).resolve().parent.parent)
    machine = sysconfig.get_config_var("MULTIARCH") or ""  # Debian's folder for libraries
    return [here / "lib"] + [prefix / "lib" / name for prefix in prefixes for name in dict.fromkeys(("", machine))]


def path_of(name: str) -> str:
    """A file that OSHEN_LIBRARY names or whose folder it is; else one of the folders; else the loader's choice."""
    said = os.environ.get("OSHEN_LIBRARY")
    if said and Path(said).is_dir():
        return str(Path(said) / name)
    if said:
        return said if name == NAME else str(Path(said).parent / name)
    for folder in folders():
        for place in (folder / name, *sorted(folder.glob(f"oshen*/{name}"))):
            if place.exists():
                return str(place)
    return name


def opened(name: str, what: str) -> ctypes.CDLL:
    path = path_of(name)
    try:
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    except OSError as why:
        raise ImportError(f"oshen: {what} cannot be loaded ({why}); install oshen, put its bin folder on the PATH, or "
                          f"name the folder of {NAME} in OSHEN_LIBRARY") from None


@lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    return opened(NAME, "the library")


@lru_cache(maxsize=None)
def plans() -> ctypes.CDLL:
    library()
    return opened(PLANS, "the library of exchange plans and FFTs")


@lru_cache(maxsize=None)
def function(name: str, result, *arguments):
    """A function of the library, with the types of its result and arguments."""
    try:
        found = getattr(library(), name)
    except AttributeError:
        raise NotImplementedError(f"oshen: there is no {name}") from None
    found.restype, found.argtypes = result, arguments
    return found
