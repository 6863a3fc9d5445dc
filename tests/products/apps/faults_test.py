#!/usr/bin/env python3
"""A mini-app notices every fault of OpenSHMEM: with each fault of faulty_shmem.c it prints WRONG, or ends with a line.

  faults_test.py OSHRUN SHIM BIN APP ARGUMENT ...
"""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from patience import patient  # noqa: E402

# The ways of synchronisation in which each fault can happen.
FAULTS = {
    "drop_put": ("barrier", "quiet+sync", "fence+flag", "signal", "pscw", "counter"),
    "short_put": ("barrier", "pscw"),
    "late_put": ("fence+flag",),
    "signal_first": ("signal",),
    "stale_get": ("get-pull",),
    "no_barrier": ("barrier", "quiet+sync"),
    "stale_alltoall": ("coll",),
}
# The operations of apps in the plain style.
USES = {
    "gups": {"lost_atomic", "twice_atomic"},
    "bale_histogram": {"lost_atomic", "twice_atomic"},
    "bale_gather": {"stale_get"},
    "bale_permute": {"stale_get", "drop_put"},
    "bale_transpose": {"lost_atomic", "twice_atomic", "drop_put"},
    "bale_toposort": {"lost_atomic", "twice_atomic"},
    "bale_triangles": {"stale_get"},
}
# The number of the call that is faulty. The first calls of bale_triangles may be wrong without an effect: they fetch bounds
# of lists that contain no triangle.
WHEN = {"bale_triangles": 40}
# Faults without an effect: the old length is the right one.
HARMLESS = {("prk_p2p", "stale_get")}


def run(oshrun: str, shim: str, program: list[str], sync: str, fault: str) -> str | None:
    """None if the app noticed the fault, else its output."""
    command = patient([oshrun, "-n", "2", "--timeout", "60", "env", f"LD_PRELOAD={shim}", *program, "--sync", sync])
    done = subprocess.run(command, env={**os.environ, "FAULT": fault}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    noticed = done.returncode == 1 and re.search(r"^result   WRONG$", done.stdout, re.M)
    noticed = noticed or done.returncode == 1 and "ended the job with status 1" in done.stdout  # the library reported it
    noticed = noticed or done.returncode == 4 and re.search(r"^(halo|minimd): PE \d", done.stdout, re.M)
    if "--show" in sys.argv:
        print(done.stdout)
    return None if noticed else f"{sync}, {fault}: status {done.returncode}\n{done.stdout}"


def main() -> int:
    oshrun, shim, folder, app, *arguments = [word for word in sys.argv[1:] if word != "--show"]
    program = [f"{folder}/{app}", *arguments]
    cases = [(sync, f"{fault}:3:64") for fault, syncs in FAULTS.items() for sync in syncs
             if (app, fault) not in HARMLESS and not app.startswith("bale_")]  # a lost bag is a deadlock of 10 s there
    cases += [("plain", f"{fault}:{WHEN.get(app, 7)}") for fault in sorted(USES.get(app, set()))]
    sane = subprocess.run([oshrun, "-n", "2", "env", f"LD_PRELOAD={shim}", *program, "--sync", "all"], text=True,
                          stdout=subprocess.PIPE)
    missed = [] if sane.returncode == 0 else [f"wrong without a fault:\n{sane.stdout}"]
    missed += [said for sync, fault in cases if (said := run(oshrun, shim, program, sync, fault)) is not None]
    print("\n".join(missed) or f"{app} noticed all {len(cases)} faults")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
