# SPDX-License-Identifier: BSD-3-Clause
"""Lets Oshen carry the exchanges of LAMMPS' 3-D FFTs: docs/user/lammps.md. Import it before the module lammps:

    import oshen.lammps
    from lammps import lammps

OSHEN_LAMMPS sets the mode, as for oshen-lammps. `python -m oshen.lammps` prints what it would load.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

from ._library import path_of

ABIS = {
    "openmpi": r"libmpi\.so\.(40|80)",
    "mpich": r"libmpi(-\w+)?\.so\.12|libmpich(-\w+)?\.so",
    "abi": r"libmpi_abi\.so",
}
NAMES = {"openmpi": "Open MPI", "mpich": "the ABI of MPICH", "abi": "the ABI of MPI 5"}


def output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def liblammps() -> Path:
    """The shared library of the module lammps. Raises ImportError if there is none."""
    found = importlib.util.find_spec("lammps")
    folders = [Path(place) for place in (found.submodule_search_locations or [])] if found else []
    for folder in folders:
        for file in (folder / "liblammps.so", *sorted(folder.glob("liblammps*.so*"))):
            if file.exists():
                return file
    if known := re.search(r"liblammps\.so\S* .*=> (\S+)", output("/sbin/ldconfig", "-p")):
        return Path(known[1])
    raise ImportError("oshen.lammps: cannot find a LAMMPS module with a shared library: pip install 'lammps[mpi]'")


def mpi_of(library: Path) -> tuple[str, str]:
    """ABI and file of the MPI library to which it is linked. Default: the file of this Python environment."""
    for words in (line.split() for line in output("ldd", str(library)).splitlines()):
        for abi, name in ABIS.items():
            if words and re.match(name, words[0]):
                known = len(words) > 2 and words[2].startswith("/")
                return abi, words[2] if known else str(Path(sys.prefix, "lib", words[0]))
    raise ImportError(
        f"oshen.lammps: {library} is not linked to a supported MPI: expected Open MPI, MPICH or one with its ABI, or "
        f"one with the ABI of MPI 5")


def load() -> str:
    """Loads MPI and then the accelerator, with symbols that are visible to all later libraries. Returns a line about
    them."""
    if "lammps" in sys.modules:
        raise ImportError("oshen.lammps: import it before the module lammps, whose calls are bound already")
    library = liblammps()
    abi, mpi = mpi_of(library)
    accelerator = path_of(f"liboshen-lammps-{abi}.so")
    for what in (mpi, accelerator):
        try:
            ctypes.CDLL(what, mode=ctypes.RTLD_GLOBAL)
        except OSError as why:
            raise ImportError(
                f"oshen.lammps: cannot load {what}: {why}; set OSHEN_LIBRARY to the folder of Oshen's libraries") from None
    return f"{library} uses {NAMES[abi]}, {mpi}; accelerator: {accelerator}"


loaded = load()

if __name__ == "__main__":
    print(f"oshen.lammps: {loaded}")
