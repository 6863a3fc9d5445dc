#!/usr/bin/env python3
"""A mini-app notices every fault of OpenSHMEM: with each fault of faulty_shmem.c it prints WRONG, or ends with a line.

  faults_test.py [--places N] [--show] OSHRUN SHIM BIN APP ARGUMENT ...

A fault happens once in a run, in the third call of its kind. With --places it happens in turn in the first call, the last one,
and N - 2 calls between them; `ninja apps-faults` does that for all apps. Faults that changed no data are then counted, not missed.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from patience import patient  # noqa: E402

PUTS = ("barrier", "quiet+sync", "fence+flag", "signal", "pscw", "counter")
# The ways of synchronisation in which each fault can happen.
FAULTS = {
    "drop_put": PUTS,
    "short_put": ("barrier", "pscw"),
    "shift_put": PUTS,
    "double_put": PUTS,
    "late_put": ("fence+flag",),
    "signal_first": ("signal",),
    "stale_get": ("get-pull",),
    "no_barrier": ("barrier", "quiet+sync"),
    "stale_alltoall": ("coll",),
    "double_alltoall": ("coll",),
}
# The faults that are planted at many places.
ANYWHERE = ("drop_put", "shift_put", "double_put", "stale_get", "double_alltoall")
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
WHEN = {"bale_triangles": 400}
# Faults without an effect: the old length is the right one; messages of one number do not use the second half of their slot.
HARMLESS = {("prk_p2p", "stale_get"), ("prk_p2p", "shift_put"), ("daxpy", "shift_put")}
LEAST = 64  # bytes of a faulty message
CHANGED = "the fault changed data"


def run(words: argparse.Namespace, sync: str, fault: str) -> subprocess.CompletedProcess:
    command = patient([words.oshrun, "-n", "2", "--timeout", "60", "env", f"LD_PRELOAD={words.shim}", f"{words.folder}/{words.app}",
                       *words.arguments, "--sync", sync])
    done = subprocess.run(command, env={**os.environ, "FAULT": fault, "OSHEN_DEADLOCK": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if words.show:
        print(done.stdout)
    return done


def noticed(done: subprocess.CompletedProcess) -> bool:
    wrong = done.returncode == 1 and re.search(r"^result   WRONG$", done.stdout, re.M)
    reported = done.returncode == 1 and "ended the job with status 1" in done.stdout  # by the library
    impossible = done.returncode == 4 and re.search(r"^(halo|minimd): PE \d", done.stdout, re.M)
    return bool(wrong or reported or impossible)


def places(words: argparse.Namespace, sync: str, fault: str) -> list[int]:
    """Numbers of calls, spread evenly over all calls of this kind."""
    if words.places == 0:
        return [3]
    calls = max(map(int, re.findall(r"^calls (\d+)$", run(words, sync, f"{fault}:0:{LEAST}").stdout, re.M)), default=0)
    return sorted({1 + round(i * (calls - 1) / max(1, words.places - 1)) for i in range(words.places)}) if calls else []


def planted(words: argparse.Namespace) -> list[tuple[str, str]]:
    """The way of synchronisation and the fault of each run."""
    found = [(sync, f"{fault}:{when}:{LEAST}") for fault, syncs in FAULTS.items() for sync in syncs
             if (words.places == 0 or fault in ANYWHERE) and (words.app, fault) not in HARMLESS
             and (fault.startswith("double_") or not words.app.startswith("bale_"))
             for when in places(words, sync, fault)]
    return found + [("plain", f"{fault}:{WHEN.get(words.app, 7)}") for fault in sorted(USES.get(words.app, set()))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", type=int, default=0, metavar="N")
    parser.add_argument("--show", action="store_true", help="print the output of each run")
    for name in ("oshrun", "shim", "folder", "app"):
        parser.add_argument(name)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    words = parser.parse_args()
    sane = run(words, "all", "")
    missed = [] if sane.returncode == 0 else [f"wrong without a fault:\n{sane.stdout}"]
    cases, without_effect = planted(words), 0
    for sync, fault in cases:
        done = run(words, sync, fault)
        if noticed(done):
            continue
        if words.places > 0 and done.returncode == 0 and CHANGED not in done.stdout:
            without_effect += 1
        else:
            missed.append(f"{sync}, {fault}: status {done.returncode}\n{done.stdout}")
    told = f"; {without_effect} faults changed no data" if without_effect else ""
    print("\n".join(missed) or f"{words.app} noticed all {len(cases) - without_effect} faults{told}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
