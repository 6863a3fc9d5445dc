# SPDX-License-Identifier: BSD-3-Clause
"""`oshrun --explore --races` reports the races of some order, and accesses of freed memory. Right programs have neither.

usage: races_test.py --bin FOLDER
"""

import re
import subprocess
from pathlib import Path

from explored import HERE, ExploredProgram, main
from litmus_test import BENCH
from oshbench.correctness import litmus
from planted_test import ERRORS

# Errors of planted.c that are races. The others have no two accesses that race, or are found before.
RACES = {"no_fence", "strided", "half_signalled", "non_blocking", "third_pe", "other_context", "other_fence", "get_after_put", "sync_only",
         "queue", "early_load", "ahead", "early_reply", "one_credit_more", "two_senders", "collect_again", "late_reset", "first_of_two",
         "early_end", "get_and_put", "both_announce", "unlocked", "ticket", "aba", "no_barrier"}
# They race in their right form too: what they read too early does no harm.
ON_PURPOSE = {"early_load", "aba", "both_announce"}
EARLY = "memory used too early"
# Programs of the race detector: what the search calls each.
CLASSIC = {"nofence": "race", "third": "race", "sync": "race", "reuse": EARLY, "getnbi": EARLY, "context": "race", "contextget": EARLY,
           "twowriters": "race", "loadstore": "race", "nonatomic": "race", "unlocked": "race", "destinuse": "race", "collectuse": "race",
           "bcastbarrier": "race"}
RIGHT = ("signals", "broadcast", "stored")
DETECTOR = HERE.parent / "races"


class Races(ExploredProgram):
    def searched(self, program, n_pes, *words, seconds=60):
        return self.oshrun("--explore", "--races", "--any-output", "-n", n_pes, "--timeout", seconds, program, *words)

    def assert_kind(self, job, kind):
        self.assertRegex(job.stdout, rf"^explore: {kind}: ")
        self.assertNotEqual(job.returncode, 0, job.stdout)

    def test_planted_errors(self):
        for name, (kind, n_pes) in ERRORS.items():
            with self.subTest(name):
                self.assert_kind(self.searched(self.built("planted"), n_pes, name, "wrong"), "race" if name in RACES else kind)
                right = self.searched(self.built("planted"), n_pes, name, "right")
                if name in ON_PURPOSE:
                    self.assert_kind(right, "race")
                else:
                    self.assert_right(right)

    def test_both_tools_agree(self):
        program = self.folder / "classic"
        subprocess.run([self.tools / "oshcc", "--explore", "-O1", DETECTOR / "classic.c", "-o", program], check=True)
        for name in (*CLASSIC, *RIGHT):
            with self.subTest(name):
                if name in CLASSIC:
                    self.assert_kind(self.searched(program, 3, name, "wrong", seconds=20), CLASSIC[name])
                right = self.searched(program, 3, name, "right", seconds=3)
                self.assertRegex(right.stdout, r"\Aexplore: (all \d+|\d+ tried) orders? .*: no error")

    def test_litmus_tests(self):
        shapes = BENCH / "programs/litmus"
        program = self.built("litmus", more=[shapes / "shape.c", f"-I{shapes}"])
        for index, test in enumerate(litmus.read_tests(BENCH)):
            with self.subTest(test.name):
                n_pes = 1 + max(int(pe) for pe in re.findall(r"[xy](\d)", test.objects) + re.findall(r"(\d):", test.steps))
                job = self.searched(program, max(n_pes, 2), index)
                # "sometimes": in orders in which the flag is not seen.
                if test.race == "ordered":
                    self.assert_right(job)
                else:
                    self.assert_kind(job, "race")

    def test_the_report_names_both_places(self):
        job = self.searched(self.built("message"), 2)
        self.assert_wrong(job, "race", "PE 1 load", ": PE 0 needs a quiet, or a fence before a flag to the same PE\n",
                          "x of PE 1 = 1 by shmem_long_p of PE 0 at message.c:7\n", ": PE 1 load of x = ", " at message.c:14\n")
        self.assert_right(self.searched(self.built("message", "FENCE"), 2))
        self.assertRegex(self.searched(self.built("counter"), 2).stdout,
                         r"\Aexplore: race: PE \d shmem_long_\w and PE \d shmem_long_p: nothing orders them: make both atomic \(PE \d "
                         r"shmem_long_\w: shmem_atomic_\w+; PE \d shmem_long_p: shmem_atomic_set\), or order them with a flag and a wait, a "
                         r"lock or a barrier\n")

    def test_a_race_is_replayed(self):
        file = self.folder / "race.order"
        self.oshrun("--explore", "--races", "-n", 2, "--record", file, self.built("message"))
        job = self.oshrun("--replay", file, self.built("message"))
        self.assertRegex(job.stdout, r"\Aexplore: the same order: \d+ steps as recorded; race: PE \d \w+ and PE \d \w+: PE 0 needs a ")
        self.assertEqual(job.returncode, 1)

    def test_atomics_of_the_language(self):
        self.assert_right(self.searched(self.built("language"), 2))
        self.assert_kind(self.searched(self.built("language", "PLAIN"), 2), "race")

    def test_collectives_tell_what_they_wait_for(self):
        self.assert_right(self.searched(self.built("empty_part"), 2))
        self.assert_kind(self.searched(self.built("empty_part", "WRONG"), 2), "race")

    def test_a_quiet_of_one_pe(self):
        self.assert_right(self.searched(self.built("pe_quiet"), 3))
        self.assert_kind(self.searched(self.built("pe_quiet", "WRONG"), 3), "race")


class FreedMemory(ExploredProgram):
    def test_accesses(self):
        self.assert_right(self.explored("freed"))
        for kind, text in (("STORE", "PE 0 store uses memory of PE 0 after shmem_free at freed.c:16, freed at freed.c:13\n"),
                           ("GET", "PE 0 shmem_long_g uses memory of PE 1 after shmem_free at freed.c:18, freed at freed.c:13\n"),
                           ("LATE", "PE 0 shmem_ctx_long_p uses memory of PE 1 after shmem_free at freed.c:9, freed at freed.c:13\n"),
                           ("MOVED", " after shmem_free at freed.c:24, freed at freed.c:13\n")):
            with self.subTest(kind):
                self.assert_wrong(self.explored("freed", kind), "freed memory", text)

    def test_a_wrong_pointer(self):
        self.assert_wrong(self.explored("freed", "INSIDE"), "wrong call", "not allocated by shmem_malloc")


if __name__ == "__main__":
    main()
