# SPDX-License-Identifier: BSD-3-Clause
"""Planted errors of protocols (planted.c) are found by `oshrun --explore`, and their right forms are not reported. The same
for programs of the pages of the documentation.

usage: planted_test.py --bin FOLDER
"""

import re
import subprocess

from explored import HERE, ExploredProgram, main

LOST, LOCKED, FAILED, EARLY, CALL = ("lost wake-up", "deadlock", "assertion", "memory used too early", "wrong call")
MIXED = "collectives in different orders"
# For each error: what the report calls it, and with how many PEs it is searched.
ERRORS = {
    "no_fence": (FAILED, 2), "strided": (FAILED, 2), "half_signalled": (FAILED, 2), "non_blocking": (FAILED, 2),
    "third_pe": (FAILED, 3), "other_context": (FAILED, 2), "other_fence": (FAILED, 2), "get_after_put": (FAILED, 2),
    "sync_only": (FAILED, 2), "queue": (FAILED, 2), "early_load": (FAILED, 2),
    "source_reuse": (EARLY, 2), "early_dest": (EARLY, 2), "early_fetch": (EARLY, 2), "ahead": (FAILED, 2),
    "early_reply": (FAILED, 2), "one_credit_more": (FAILED, 2), "two_senders": (FAILED, 3), "collect_again": (FAILED, 2),
    "late_reset": (LOST, 2), "pulse": (LOST, 2), "set_or_add": (LOST, 3), "first_of_two": (FAILED, 3),
    "skipped_value": (LOST, 2), "to_itself": (LOCKED, 2), "one_of_all": (LOCKED, 2), "each_waits_first": (LOCKED, 2),
    "early_end": (FAILED, 2),
    "get_and_put": (FAILED, 2), "own_lock": (FAILED, 2), "both_announce": (FAILED, 2), "unlocked": (FAILED, 2),
    "ticket": (FAILED, 2), "aba": (FAILED, 2), "two_locks": (LOCKED, 2), "philosophers": (LOCKED, 3), "wait_in_lock": (LOCKED, 2),
    "two_orders": (MIXED, 2), "two_roots": (MIXED, 2),
    "no_barrier": (FAILED, 2), "once_more": (MIXED, 2), "other_team": (LOCKED, 2),
    "beyond": (CALL, 2), "not_symmetric": (CALL, 2), "not_held": (CALL, 2),
}


class Planted(ExploredProgram):
    def searched(self, name, form, n_pes):
        return self.explored("planted", n_pes=n_pes, options=["--timeout", 60], arguments=[name, form])

    def test_every_error_is_found(self):
        for name, (kind, n_pes) in ERRORS.items():
            with self.subTest(name):
                self.assert_wrong(self.searched(name, "wrong", n_pes), kind, status=134 if kind == FAILED else 1)

    def test_right_forms_are_not_reported(self):
        for name, (_, n_pes) in ERRORS.items():
            with self.subTest(name):
                self.assert_right(self.searched(name, "right", n_pes))

    def test_the_table_is_complete(self):
        source = (HERE / "planted.c").read_text()
        self.assertEqual(sorted(re.findall(r"ENTRY\((\w+)\)[,}]", source)), sorted(ERRORS))


DOCS = HERE.parents[2] / "docs"
HANG = {"order.c": 2, "own.c": 2, "passed.c": 3, "gone.c": 2, "branch.c": 2, "lock.c": 1}  # of hangs.md, with the number of PEs
RIGHT = {"tutorial/1-hello.md": ("hello.c", 3), "tutorial/2-put-and-barrier.md": ("ring.c", 3), "tutorial/3-signal.md": ("chain.c", 3),
         "user/quick-start.md": ("pair.c", 2), "user/races.md": ("flag.c", 3)}


def code_of(page, name):
    """A program of a page."""
    return re.search(rf"^```c\n// {re.escape(name)}\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)[1]


class Pages(ExploredProgram):
    def searched(self, page, name, n_pes):
        source = self.folder / name
        source.write_text(code_of(page, name))
        program = source.with_suffix("")
        subprocess.run([self.tools / "oshcc", "--explore", "-w", source, "-o", program], check=True)
        return self.oshrun("--explore", "-n", n_pes, "--timeout", 60, "--any-output", program)

    def test_programs_that_hang(self):
        for name, n_pes in HANG.items():
            with self.subTest(name):
                self.assert_wrong(self.searched("user/hangs.md", name, n_pes), MIXED if name == "branch.c" else LOCKED)

    def test_programs_that_are_right(self):
        for page, (name, n_pes) in RIGHT.items():
            with self.subTest(page):
                self.assert_right(self.searched(page, name, n_pes))


if __name__ == "__main__":
    main()
