#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gives a command a /dev/shm of its own, which ends with its last process.

  own_shm.py COMMAND [ARGUMENT ...]

For tests that end MPI jobs before MPI_Finalize: MPICH 5 keeps a file in /dev/shm from MPI_Init to MPI_Finalize. Where namespaces are
refused the command runs without one.
"""

import os
import subprocess
import sys

MOUNT = 'mount -t tmpfs tmpfs /dev/shm && exec "$@"'


def inside(command: list[str]) -> list[str]:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--mount", "sh", "-c", MOUNT, "own_shm", *command]


def refused() -> bool:
    try:
        return subprocess.run(inside(["true"]), capture_output=True).returncode != 0
    except OSError:  # there is no unshare
        return True


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    words = sys.argv[1:] if refused() else inside(sys.argv[1:])
    os.execvp(words[0], words)
