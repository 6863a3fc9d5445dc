# SPDX-License-Identifier: BSD-3-Clause
"""The search of every order finds planted errors, and reports nothing of right programs.

usage: search_test.py --bin FOLDER
"""

import json
import os
import re
import subprocess

from explored import ExploredProgram, main


class Search(ExploredProgram):
    def test_a_flag_that_is_reset_too_late_is_lost(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("ring", n_pes=n_pes), "lost wake-up", "overwrote the value of step", "it waits for flag == 1",
                              "store to flag", "ring.c:12")

    def test_two_locks_in_two_orders(self):
        self.assert_wrong(self.explored("two_locks"), "deadlock",
                          "PE 0 is in shmem_set_lock at two_locks.c:7: it waits for l1, which PE 1 holds\n",
                          "PE 1 is in shmem_set_lock at two_locks.c:7: it waits for l2, which PE 0 holds\n")

    def test_collectives_in_two_orders(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("collectives", n_pes=n_pes), "collectives in different orders",
                              "where PE 0 calls shmem_long_sum_reduce")

    def test_an_increment_by_get_and_put_is_lost(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("counter", n_pes=n_pes), "assertion", "Assertion `c == shmem_n_pes()' failed", status=134)
            self.assert_right(self.explored("counter", "ATOMIC", n_pes=n_pes))

    def test_a_source_that_changes_before_quiet(self):
        self.assert_wrong(self.explored("reuse", "EARLY"), "memory used too early",
                          "PE 0 writes the source of its shmem_long_put_nbi before a quiet at reuse.c:10")
        self.assert_right(self.explored("reuse"))

    def test_the_orders_of_other_pes_after_a_failure(self):
        job = self.explored("early_failure", options=["--any-output"])
        self.assert_wrong(job, "assertion", "output of 1 order, first of order 2:\n  PE 0 prints:\n    passed\n", status=134)
        self.assertRegex(job.stdout, r"(?m)^explore: error in 1 of all 2 orders of 2 PEs")

    def test_a_quiet_of_one_pe(self):
        self.assert_wrong(self.explored("pe_quiet", "WRONG", n_pes=3), "assertion", "Assertion `x == 1' failed", status=134)
        self.assert_right(self.explored("pe_quiet", n_pes=3))

    def test_a_flag_overtakes_its_message_without_a_fence(self):
        self.assert_wrong(self.explored("message"), "different results", "load of x = 0", "  PE 1 prints:\n    x=0\n",
                          "  in order 1 PE 1 prints:\n    x=1\n")
        self.assert_right(self.explored("message", "FENCE"))

    def test_outputs_that_may_differ(self):
        self.assertEqual(self.assert_right(self.explored("message", options=["--any-output"])),
                         ["  PE 1 prints:\n    x=1\n", "  PE 1 prints:\n    x=0\n"][::-1])
        self.assertEqual(len(self.assert_right(self.explored("store_buffering", options=["--any-output"]))), 4)

    def test_a_loop_of_tests_ends(self):
        self.assert_right(self.explored("polling"))

    def test_a_program_goes_on_as_soon_as_it_is_woken(self):
        for how in ("ATOMIC", "LOCK"):
            outputs = self.assert_right(self.explored("woken", how, options=["--any-output"]))
            self.assertEqual(sorted(re.findall(r"data=(\d)", "".join(outputs))), ["0", "1"], how)

    def test_a_wait_that_can_end_at_two_times(self):
        outputs = self.assert_right(self.explored("window", options=["--any-output"]))
        self.assertEqual(sorted(re.findall(r"seen=(\d)", "".join(outputs))), ["0", "1"])

    def test_one_of_several_events_lets_a_wait_go(self):
        seen = {"ANY": {"1", "2"}, "COUNT": {"0 1", "1 0", "1 1"}, "SEMAPHORE": {"0 1", "1 0", "1 1"}, "FENCE": {"0", "1"},
                "SIGNAL": {"0 1", "1 0", "1 1"}}
        for name, wanted in seen.items():
            n_pes = {"SEMAPHORE": 1, "FENCE": 2, "SIGNAL": 2}.get(name, 3)
            outputs = self.assert_right(self.explored("enabled_by", name, n_pes=n_pes, options=["--any-output"]))
            self.assertEqual({line.strip() for output in outputs for line in output.splitlines() if "prints" not in line}, wanted, name)

    def test_different_collectives_that_would_meet(self):
        for name, line in (("REDUCE", r"PE 1 calls shmem_barrier_all where PE 0 calls shmem_long_sum_reduce at mixed.c:\d+"),
                           ("SYNC", r"PE 1 calls shmem_barrier_all where PE 0 calls shmem_sync_all at mixed.c:\d+"),
                           ("SIZE", r"PE 1 calls shmem_malloc with other arguments than PE 0 at mixed.c:\d+"),
                           ("MORE", r"PE 1 calls shmem_finalize where PE 0 calls shmem_barrier_all at mixed.c:\d+")):
            job = self.explored("mixed", name)
            self.assert_wrong(job, "collectives in different orders")
            self.assertRegex(job.stdout, rf"\Aexplore: [\w ]+: {line}\n")
        self.assert_right(self.explored("mixed"))

    def test_functions_of_the_c_library_read_memory(self):
        for name in ("COPY", "LENGTH", "NUMBER", "COMPARE", "PRINT", "FORMAT", "WRITE"):
            with self.subTest(name):
                self.assertEqual(len(self.assert_right(self.explored("strings", name, options=["--any-output"]))), 2)

    def test_other_steps_or_outputs_in_the_same_order(self):
        line = "in the same order: expected .* that does not depend on random numbers, process numbers or files"
        for name, options, text in (("NUMBER", [], f"PE 0 prints something else {line}"), ("STEPS", [], f"PE 0 takes other steps {line}"),
                                    ("STEPS", ["--any-output"], f"PE 0 takes other steps {line}")):
            job = self.explored("repeated", name, options=options)
            self.assertRegex(job.stdout, rf"\Aexplore: {text}.*\n\Z")
            self.assertEqual(job.returncode, 2)
        self.assert_right(self.explored("repeated", "NUMBER", options=["--any-output"]))

    def test_clocks_are_the_same_in_each_order(self):
        self.assert_right(self.explored("repeated", "CLOCK"))
        file = self.folder / "clock.order"
        said = self.oshrun("--record", file, "-n", 2, self.built("repeated", "CLOCK")).stdout
        again = self.oshrun("--replay", file, self.built("repeated", "CLOCK")).stdout
        self.assertIn("explore: the same order: ", again)
        self.assertEqual(re.findall(r"^\d+ \d+\.\d+$", said, re.M), re.findall(r"^\d+ \d+\.\d+$", again, re.M))

    def test_calls_of_a_forked_process(self):
        job = self.explored("repeated", "CHILD")
        self.assertEqual((job.returncode, job.stdout), (2, "explore: shmem_long_p in a process that a PE has forked is not modelled: the "
                                                        "search cannot go on\n"))
        self.assert_right(self.explored("repeated", "QUIET_CHILD"))

    def test_a_put_that_is_too_long(self):
        job = self.explored("repeated", "LONG")
        self.assertRegex(job.stdout, r"\Aexplore: shmem_putmem of 9437184 bytes, which is more than 8388608, is not modelled: the search "
                                     r"cannot go on at repeated.c:\d+\n\Z")
        self.assertEqual(job.returncode, 2)

    def test_a_program_sees_its_cpus(self):
        self.assert_right(self.explored("cpus"))

    def test_the_bound_is_named(self):
        job = self.explored("store_buffering", options=["--orders", "2", "--any-output"])
        self.assertRegex(job.stdout, r"^explore: 2 tried orders of 2 PEs, of more than 2 \(\d+\.\d s; limit: --orders 2\): no error, ")
        self.assertRegex(job.stdout, r"\nexplore: deepest choice that was not tried: store_buffering.c:\d+ \(PE \d, shmem_\w+\)\n")
        self.assertEqual(job.returncode, 0)
        job = self.explored("counter", n_pes=3, options=["--orders", "5"])
        self.assertRegex(job.stdout, r"\nexplore: error in \d of 5 tried orders of 3 PEs, of more than 5 \(.* s; limit: --orders 5\); ")
        job = self.explored("counter", n_pes=4, options=["--timeout", "1"])
        self.assertRegex(job.stdout, r"\nexplore: error in .* tried orders of 4 PEs, of more than .*; limit: --timeout 1 s\); ")
        job = self.explored("counter", n_pes=5)
        self.assertRegex(job.stdout, r"\nexplore: error in .*; limit: 1 s after the first error\); ")

    def test_progress_on_a_terminal(self):
        ours, theirs = os.openpty()
        words = ["--explore", "-n", "3", "--any-output", "--timeout", "4", self.built("random_program"), *["ga1 pa2 ga3 pa1"] * 3]
        subprocess.run([self.tools / "oshrun", *words], stdout=subprocess.PIPE, stderr=theirs, check=True)
        said = os.read(ours, 10000).decode()
        os.close(theirs)
        os.close(ours)
        self.assertRegex(said, r"\r\x1b\[Kexplore: \d+ orders, \d+ orders/s; \S+% of the choices known so far, so about \S+ orders or more")
        self.assertTrue(said.endswith("\r\x1b[K"), said)

    def test_random_orders(self):
        job = self.explored("message", "FENCE", options=["--random", "7", "--orders", "30"])
        self.assertRegex(job.stdout, r"\Aexplore: 30 random orders of 2 PEs \(.* s\), seed 7: no error\n\Z")
        self.assertEqual(job.returncode, 0)
        job = self.explored("message", options=["--random", "7", "--orders", "30", "--any-output"])
        self.assertIn(": no error, 2 different outputs\n", job.stdout)
        for seed in range(3):
            file = self.folder / f"random{seed}.order"
            self.assert_wrong(self.explored("counter", n_pes=3, options=["--random", seed, "--orders", "30", "--record", file]),
                              "assertion", status=134)
            self.assertIn("explore: the same order: ", self.oshrun("--replay", file, self.built("counter")).stdout)

    def test_a_seed_gives_the_same_orders(self):
        jobs = [self.explored("store_buffering", options=["--random", seed, "--orders", "25", "--any-output"]) for seed in (5, 5, 6)]
        first, again, other = (job.stdout.split("\n", 1)[1] for job in jobs)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_time_ends_within_an_order(self):
        job = self.explored("loops", options=["--timeout", "1"])
        self.assertRegex(job.stdout, r"\Aexplore: no order has ended in 1\.\d s: use a smaller input, or a higher --timeout\n\Z")
        self.assertEqual(job.returncode, 2)

    def test_loops_without_an_end_are_named(self):
        job = self.explored("loops", "BOUNDED")
        self.assert_right(job)
        self.assertRegex(job.stdout, r"explore: loops that repeat a read in which nothing changes; the number of repetitions is not "
                                     r"varied: loops.c:\d+\n\Z")

    def test_a_loop_that_reads_its_limit_ends(self):
        self.assert_right(self.explored("loops", "COUNTED"))

    def test_tests_of_no_object_are_no_loop(self):
        self.assertNotIn("loops that repeat", self.explored("loops", "NOTHING").stdout)
        self.assert_right(self.explored("loops", "NOTHING"))

    def test_a_team_that_descends(self):
        for n_pes in (2, 3):
            self.assert_right(self.explored("teams", n_pes=n_pes, options=["--timeout", "30"]))

    def test_a_second_life_is_not_modelled(self):
        job = self.explored("second_life")
        self.assertEqual((job.returncode, job.stdout), (2, "explore: shmem_init after shmem_finalize is not modelled: the search cannot "
                                                        "go on at second_life.c:5\n"))

    def test_what_is_not_modelled_is_named(self):
        job = self.explored("not_modelled")
        self.assertEqual(job.returncode, 2)
        self.assertEqual(job.stdout, "explore: shmemx_ct_create is not modelled: the search cannot go on at not_modelled.c:8\n")

    def test_extensions(self):
        self.assert_right(self.explored("extensions"))
        self.assert_wrong(self.explored("extensions", "EARLY"), "assertion", status=134)

    def test_others_go_on_before_a_global_exit(self):
        self.assert_wrong(self.explored("global_exit", "WRONG"), "assertion", "Assertion `x == 0' failed", status=134)
        self.assert_right(self.explored("global_exit"))


class Record(ExploredProgram):
    def test_one_order(self):
        file = self.folder / "one.order"
        job = self.oshrun("--record", file, "-n", 2, self.built("message", "FENCE"))
        said = re.fullmatch(r"x=1\nexplore: one order of (\d+) steps, --random (\d+): no error\n"
                            rf"explore: --record {file}: written; oshrun --replay {file} repeats this order\n", job.stdout)
        self.assertIsNotNone(said, job.stdout)
        self.assertEqual(job.returncode, 0)
        again = self.oshrun("--replay", file, self.built("message", "FENCE"))
        self.assertEqual((again.returncode, again.stdout), (0, f"x=1\nexplore: the same order: {said[1]} steps as recorded; no error\n"))
        self.assertEqual(self.oshrun("--record", file, "-n", 2, "--random", said[2], self.built("message", "FENCE")).stdout, job.stdout)

    def test_seeds_give_other_orders(self):
        file = self.folder / "seed.order"
        program = self.built("counter")
        statuses = []
        for seed in range(8):
            job = self.oshrun("--record", file, "-n", 3, "--random", seed, program)
            self.assertIn(f" steps, --random {seed}: ", job.stdout)
            again = self.oshrun("--replay", file, program)
            self.assertEqual(again.returncode, job.returncode, again.stdout)
            self.assertIn("explore: the same order: ", again.stdout)
            statuses.append(job.returncode)
        self.assertEqual(set(statuses), {0, 134})

    def test_a_race(self):
        job = self.oshrun("--record", self.folder / "race.order", "--races", "-n", 2, self.built("counter"))
        self.assertRegex(job.stdout, r"\Aexplore: one order of \d+ steps, --random \d+: race: PE \d .*: nothing orders them: make both atomic .*\n  step \d+: ")
        self.assertEqual(job.returncode, 1)

    def test_a_file_that_cannot_be_written(self):
        job = self.oshrun("--record", self.folder / "missing/file", "-n", 2, self.built("message"))
        self.assertIn("missing/file: cannot write: No such file or directory\n", job.stdout)
        self.assertEqual(job.returncode, 2)


class Replay(ExploredProgram):
    def recorded(self, name, *definitions):
        file = self.folder / f"{name}.order"
        job = self.explored(name, *definitions, options=["--record", file])
        self.assertIn(f"explore: --record {file}: written", job.stdout)
        return file

    def test_the_same_order_again(self):
        file = self.recorded("ring")
        first = self.oshrun("--replay", file, self.built("ring"))
        self.assertRegex(first.stdout, r"^explore: the same order: \d+ steps as recorded; deadlock: ")
        self.assertIn("it waits for flag == 1; it is 0", first.stdout)
        self.assertEqual(first.returncode, 1)
        for _ in range(20):
            again = self.oshrun("--replay", file, self.built("ring"))
            self.assertEqual((again.returncode, again.stdout), (1, first.stdout))

    def test_output_goes_to_the_terminal(self):
        job = self.oshrun("--replay", self.recorded("message"), self.built("message"))
        self.assertTrue(job.stdout.startswith("x=0\nexplore: the same order: "), job.stdout)
        self.assertEqual(job.returncode, 1)

    def test_a_timeline(self):
        order, file = self.recorded("ring"), self.folder / "timeline.json"
        self.oshrun("--replay", order, "--trace", file, self.built("ring"))
        events = json.loads(file.read_text())["traceEvents"]
        bars = {(e["pid"], e["tid"]): [] for e in events if "tid" in e}
        for e in events:
            if e["ph"] == "X":
                bars[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"], e["name"]))
        for track in bars.values():  # they do not overlap
            self.assertTrue(all(one[1] <= next_one[0] for one, next_one in zip(track, track[1:])), track)
        self.assertTrue(any(name.endswith("ring.c:11: it waits for flag == 1; it is 0") for _, _, name in bars[0, 1]), bars)
        starts, ends = ([e["id"] for e in events if e["ph"] == phase] for phase in "sf")
        self.assertEqual(starts, ends)
        self.assertEqual(len(starts), sum(len(bars[pe, 0]) for pe in range(2)))
        job = self.oshrun("--replay", order, "--trace", self.folder / "missing/x", self.built("ring"))
        self.assertIn("missing/x: cannot write: No such file or directory\n", job.stdout)
        self.assertEqual(job.returncode, 2)

    def test_an_assertion_again(self):
        job = self.oshrun("--replay", self.recorded("counter"), self.built("counter"))
        self.assertIn("Assertion `c == shmem_n_pes()' failed", job.stdout)
        self.assertIn("explore: the same order: ", job.stdout)
        self.assertEqual(job.returncode, 134)

    def test_a_pe_waits_for_a_debugger(self):
        with subprocess.Popen([self.tools / "oshrun", "--replay", self.recorded("ring"), "--pause", "1", self.built("ring")],
                              stderr=subprocess.PIPE, text=True) as job:
            line = job.stderr.readline()
            with self.assertRaises(subprocess.TimeoutExpired):
                job.wait(1)
            job.kill()
        self.assertRegex(line, r"^explore: PE 1 waits for a debugger: gdb -p \d+, set breakpoints, continue$")

    def test_another_program_is_named(self):
        job = self.oshrun("--replay", self.recorded("ring"), self.built("message"))
        self.assertEqual(job.returncode, 3)
        self.assertRegex(job.stdout, r"explore: step 2 is not as it was recorded: PE 0 shmem_long_atomic_set on flag of PE 1, ring.c:10; "
                                     r"now: PE 0 shmem_long_p to x of PE 1 = 1, message.c:7; expected the same program")

    def test_a_file_that_is_no_recording(self):
        job = self.oshrun("--replay", __file__, self.built("ring"))
        self.assertEqual((job.returncode, job.stdout), (2, f"explore: --replay {__file__}: expected a file that --record wrote\n"))


if __name__ == "__main__":
    main()
