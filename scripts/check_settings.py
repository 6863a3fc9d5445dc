#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on environment variables: src/, tools/, exchange/ and trials/ read exactly the variables that spec/settings.def documents,
and OSHEN_TEST_*, which belong to the tests."""

import re
import sys
from pathlib import Path

from api_spec import read_settings

ROOT = Path(__file__).resolve().parents[1]

# Variables between oshrun and its PEs, which are no settings for users.
INTERNAL = {"OSHEN_PE", "OSHEN_N_PES", "OSHEN_NODE", "OSHEN_JOB_FD"}
PER_COLLECTIVE = "OSHEN_COLL_"


def names_read() -> dict[str, str]:
    """Name -> a place in the sources where the name is a whole string. In exchange/ and trials/ that may also be a promise."""
    places = {}
    for folder, before in (("src", ""), ("tools", ""), ("exchange", r"getenv\("), ("trials", r"getenv\(")):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            for name in re.findall(before + r'"((?:OSHEN_(?!TEST_)|SHMEM_|SMA_)[A-Z_]+)=?"', path.read_text()):
                places.setdefault(name, str(path.relative_to(ROOT)))
    return places


def kinds() -> set[str]:
    """The collectives of the registry; both scans share one setting."""
    enumeration = re.search(r"enum class kind[^{]*{(.*?)}", (ROOT / "src/coll/collective.hpp").read_text(), re.S)[1]
    return {"scan" if "scan" in name else name for name in re.findall(r"[a-z]\w*", re.sub("//.*", "", enumeration))}


def main() -> int:
    settings, read = read_settings(), names_read()
    listed = {name for s in settings for name in (s.name, s.alias) if name}
    per_collective = {name for name in listed - set(read) if name.startswith(PER_COLLECTIVE)}
    collectives = {PER_COLLECTIVE + name.upper() for name in kinds()}
    problems = [f"{read[n]} reads {n}, which spec/settings.def does not list"
                for n in sorted(set(read) - listed - INTERNAL - {PER_COLLECTIVE})]
    problems += [f"spec/settings.def lists {n}, which nothing reads"
                 for n in sorted(listed - set(read) - per_collective)]
    problems += [f"{n} is either no collective of the registry or not in spec/settings.def"
                 for n in sorted(per_collective ^ collectives)]
    if per_collective and PER_COLLECTIVE not in read:
        problems.append(f"nothing reads {PER_COLLECTIVE}...")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(listed)} names of settings, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
