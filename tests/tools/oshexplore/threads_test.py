# SPDX-License-Identifier: BSD-3-Clause
"""`oshrun --explore` runs the threads of a PE in every order: planted errors (threads.c) are found, their right forms are not reported.

usage: threads_test.py --bin FOLDER
"""

import re
import subprocess

from explored import HERE, ExploredProgram, main

LOST, LOCKED, FAILED, CALL = "lost wake-up", "deadlock", "assertion", "wrong call"
# For each error: what the report calls it, with how many PEs it is searched, and the orders of its right form.
ERRORS = {
    "update": (FAILED, 1, 2), "join": (FAILED, 1, 1), "atomics": (FAILED, 1, 2), "two_mutexes": (LOCKED, 1, 2), "readers": (FAILED, 1, 2),
    "semaphores": (FAILED, 1, 2), "trying": (FAILED, 1, 4), "not_held": (CALL, 1, 1), "unlocked_signal": (LOST, 1, 2),
    "one_signal": (LOCKED, 1, 10), "no_loop": (FAILED, 1, 44), "barriers": (FAILED, 1, 2), "one_more": (LOCKED, 1, 2),
    "active_sets": (LOCKED, 2, 1), "late_start": (FAILED, 1, 1), "late_store": (FAILED, 1, 1), "late_post": (FAILED, 1, 1), "other_thread_tells": (FAILED, 2, 2), "early_quiet": (FAILED, 2, 2), "helper": (LOCKED, 2, 1), "stored": (FAILED, 1, 1),
}
# With --races these are races. `stored` is one in its right form too: a store is no flag.
RACES = {"update", "join", "readers", "semaphores", "unlocked_signal", "barriers", "other_thread_tells", "early_quiet", "stored", "late_start", "late_store",
         "late_post"}


class Threads(ExploredProgram):
    def searched(self, name, form, n_pes, *options):
        return self.explored("threads", n_pes=n_pes, options=["--timeout", 60, *options], arguments=[name, form])

    def test_errors_are_found(self):
        for name, (kind, n_pes, _) in ERRORS.items():
            with self.subTest(name):
                self.assert_wrong(self.searched(name, "wrong", n_pes), kind, status=134 if kind == FAILED else 1)
                job = self.searched(name, "wrong", n_pes, "--races")
                self.assertRegex(job.stdout, rf"\Aexplore: {'race' if name in RACES else kind}: ")

    def test_right_forms_are_not_reported(self):
        for name, (_, n_pes, orders) in ERRORS.items():
            with self.subTest(name):
                job = self.searched(name, "right", n_pes)
                self.assert_right(job)
                self.assertRegex(job.stdout, rf"\Aexplore: all {orders} orders? ")
                if name != "stored":
                    self.assert_right(self.searched(name, "right", n_pes, "--races"))

    def test_the_table_is_complete(self):
        self.assertEqual(sorted(re.findall(r"ENTRY\((\w+)\)[,}]", (HERE / "threads.c").read_text())), sorted(ERRORS))

    def test_without_reduction_there_are_the_same_outcomes(self):
        for name in ("update", "unlocked_signal", "stored", "join"):
            for form in ("right", "wrong"):
                with self.subTest(name, form=form):
                    n_pes = ERRORS[name][1]
                    every = self.oshrun("--explore", "-n", n_pes, "--timeout", 20, self.built("threads"), name, form,
                                        more={"OSHEN_TEST_EXPLORE_ALL": "1"})
                    self.assertEqual(every.returncode, self.searched(name, form, n_pes).returncode, every.stdout)

    def test_the_report_names_the_threads(self):
        self.assert_wrong(self.searched("two_mutexes", "wrong", 1), LOCKED,
                          "PE 0 thread 1 is in pthread_mutex_lock at threads.c:85: it waits for other_mutex, which PE 0 thread 2 holds\n",
                          "PE 0 thread 2 is in pthread_mutex_lock at threads.c:85: it waits for mutex, which PE 0 thread 1 holds\n",
                          "PE 0 is in pthread_join at threads.c:", ": it waits for PE 0 thread 1\n")
        self.assert_wrong(self.searched("unlocked_signal", "wrong", 1), LOST, "came before PE 0 slept: pthread_cond_signal of condition, "
                          "for which no thread waits (threads.c:155)", "PE 0 is in pthread_cond_wait at threads.c:")
        self.assert_wrong(self.searched("not_held", "wrong", 1), CALL, "PE 0 thread 1 releases a mutex that it does not hold at threads.c:")

    def test_a_replay_repeats_the_threads(self):
        for name in ("update", "unlocked_signal", "no_loop"):
            file = self.folder / f"{name}.order"
            found = self.searched(name, "wrong", 1, "--record", file)
            self.assertIn(f"explore: --record {file}: written", found.stdout)
            again = self.oshrun("--replay", file, self.built("threads"), name, "wrong")
            self.assertEqual(again.returncode, found.returncode)
            self.assertRegex(again.stdout, r"(?m)^explore: the same order: \d+ steps as recorded; ")

    def test_random_orders(self):
        job = self.searched("update", "wrong", 1, "--random", 3, "--orders", 40)
        self.assert_wrong(job, FAILED, status=134)
        file = self.folder / "one.order"
        job = self.oshrun("--record", file, "-n", 1, "--random", 3, self.built("threads"), "no_loop", "right")
        self.assertEqual(job.returncode, 0, job.stdout)
        self.assertIn("explore: the same order: ", self.oshrun("--replay", file, self.built("threads"), "no_loop", "right").stdout)


class Levels(ExploredProgram):
    def test_calls_of_other_threads(self):
        for level in ("SINGLE", "FUNNELED"):
            self.assert_wrong(self.explored("thread_level", f"LEVEL=SHMEM_THREAD_{level}", n_pes=1), CALL,
                              "PE 0 thread 1: shmem_long_p: called by thread 1: expected SHMEM_THREAD_MULTIPLE or _SERIALIZED")

    def test_calls_at_the_same_time(self):
        level = "LEVEL=SHMEM_THREAD_SERIALIZED"
        self.assert_wrong(self.explored("thread_level", level, n_pes=1), CALL,
                          "nothing orders these calls, and the program asked for SHMEM_THREAD_SERIALIZED at thread_level.c:")
        self.assert_right(self.explored("thread_level", level, "LOCKED", n_pes=1))
        self.assert_right(self.explored("thread_level", "LEVEL=SHMEM_THREAD_MULTIPLE", n_pes=1))


class Languages(ExploredProgram):
    def test_threads_of_c11(self):
        job = self.explored("c11_threads", n_pes=1, options=["--any-output", "--races"])
        self.assertEqual(self.assert_right(job), ["  PE 0 prints:\n    5 7 1 0\n"])
        self.assert_wrong(self.explored("c11_threads", "RACE", n_pes=1), FAILED, status=134)

    def cxx(self, *definitions):
        program = self.folder / "-".join(("cxx_threads", *definitions))
        subprocess.run([self.tools / "oshc++", "--explore", "-std=c++17", "-O1", *(f"-D{word}" for word in definitions),
                        HERE / "cxx_threads.cpp", "-o", program, "-pthread"], check=True)
        return self.oshrun("--explore", "-n", 1, "--any-output", program)

    def test_threads_of_cxx(self):
        self.assertEqual(self.assert_right(self.cxx()), ["  PE 0 prints:\n    late\n"])
        self.assert_wrong(self.cxx("EARLY"), FAILED, status=134)

    def test_what_is_not_followed_is_named(self):
        for definitions, line in (([], "OpenMP"), (["EARLY"], "a thread that is created before shmem_init")):
            program = self.folder / "-".join(("openmp", *definitions))
            subprocess.run([self.tools / "oshcc", "--explore", "-fopenmp", *(f"-D{word}" for word in definitions), HERE / "openmp.c", "-o",
                            program], check=True)
            job = self.oshrun("--explore", "-n", 1, program)
            self.assertEqual(job.returncode, 2, job.stdout)
            self.assertRegex(job.stdout, rf"\Aexplore: {line} is not modelled: the search cannot go on\n")


if __name__ == "__main__":
    main()
