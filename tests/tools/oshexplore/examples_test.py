# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the manual pages (spec/examples) and of the tutorial are right in every order. Without one of their
synchronisations some order fails or races, unless UNNEEDED says why not.

usage: examples_test.py --bin FOLDER
"""

import re
import subprocess

from explored import HERE, ExploredProgram, main
from planted_test import RIGHT, code_of

EXAMPLES = HERE.parents[2] / "spec/examples"
CALL = re.compile(r"\bshmem_\w*?(?:fence|quiet|barrier_all|sync|sync_all|wait_until|set_lock|clear_lock)\([^;]*\);")
FINALIZE = "shmem_finalize begins in the same way"
UNNEEDED = {
    "atomics_nbi.c: shmem_quiet();": "the barrier is also a quiet",
    "barrier.c: shmem_sync_all();": FINALIZE,
    "barrier.c: shmem_team_sync(SHMEM_TEAM_WORLD);": FINALIZE,
    "contexts.c: shmem_ctx_quiet(ctx);": "the end of the context is also a quiet",
    "get.c: shmem_barrier_all(); 2": FINALIZE,
    "ordering.c: shmem_quiet();": FINALIZE,
    "ordering.c: shmem_pe_quiet(&right, 1);": FINALIZE,
    "pcontrol.c: shmem_barrier_all();": "the example shows other calls",
    "pcontrol.c: shmem_barrier_all(); 2": "the example shows other calls",
    "strided.c: shmem_barrier_all(); 2": FINALIZE,
    "teams.c: shmem_team_sync(even);": "the example shows other calls"}


def examples():
    """Name, code and number of PEs of each program that is modelled."""
    for path in sorted(EXAMPLES.glob("*.c")):
        code = path.read_text()
        if "shmemx" not in code:
            yield path.name, code, 2
    for page, (name, n_pes) in RIGHT.items():
        yield f"{page}: {name}", code_of(page, name), n_pes


def removals(name, code):
    """A name for each synchronisation, and the code without it."""
    seen = {}
    for match in CALL.finditer(code):
        nth = seen[match[0]] = seen.get(match[0], 0) + 1
        yield f"{name}: {match[0]}{f' {nth}' if nth > 1 else ''}", f"{code[:match.start()]}(void)0;{code[match.end():]}"


class Examples(ExploredProgram):
    def searched(self, code, n_pes):
        program = self.folder / "example"
        subprocess.run([self.tools / "oshcc", "--explore", "-x", "c", "-", "-w", "-O1", "-o", program], input=code, text=True, check=True)
        return self.oshrun("--explore", "--races", "--any-output", "-n", n_pes, "--timeout", 20, program)

    def test_every_example_is_right(self):
        for name, code, n_pes in examples():
            with self.subTest(name):
                self.assertRegex(self.searched(code, n_pes).stdout, r"\Aexplore: (all \d+|\d+ tried) orders? .*: no error")

    def test_without_a_synchronisation(self):
        names = set()
        for example, code, n_pes in examples():
            for name, changed in removals(example, code):
                names.add(name)
                with self.subTest(name):
                    job = self.searched(changed, n_pes)
                    print(f"{name} {job.stdout.splitlines()[0]}", flush=True)
                    self.assertEqual(job.returncode == 0, name in UNNEEDED, job.stdout)
        self.assertLessEqual(set(UNNEEDED), names)


if __name__ == "__main__":
    main()
