# SPDX-License-Identifier: BSD-3-Clause
"""The search of every order finds planted errors, and reports nothing of right programs.

usage: explore_test.py --bin FOLDER
"""

from explored import ExploredProgram, main


class Search(ExploredProgram):
    def test_a_flag_that_is_reset_too_late_is_lost(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("ring", n_pes=n_pes), "deadlock: no PE can go on, and nothing is in flight")

    def test_two_locks_in_two_orders(self):
        self.assert_wrong(self.explored("two_locks"), "deadlock: no PE can go on, and nothing is in flight")

    def test_collectives_in_two_orders(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("collectives", n_pes=n_pes), "where PE 0 calls shmem_long_sum_reduce")

    def test_an_increment_by_get_and_put_is_lost(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("counter", n_pes=n_pes), "c == shmem_n_pes()")
            self.assert_right(self.explored("counter", "ATOMIC", n_pes=n_pes))

    def test_a_source_that_changes_before_quiet(self):
        self.assert_wrong(self.explored("reuse", "EARLY"), "x == 1")
        self.assert_right(self.explored("reuse"))

    def test_a_flag_overtakes_its_message_without_a_fence(self):
        job = self.explored("message")
        self.assert_right(job, 2)
        self.assertIn("x=0", job.stdout)
        self.assert_right(self.explored("message", "FENCE"))

    def test_store_buffering(self):
        self.assert_right(self.explored("store_buffering"), 4)

    def test_a_loop_of_tests_ends(self):
        self.assert_right(self.explored("polling"))


if __name__ == "__main__":
    main()
