# SPDX-License-Identifier: BSD-3-Clause
"""Cases that shmem4py's suite lacks: mistakes, sizes, structured types, teams with contexts."""

import sys
import unittest

import numpy as np

from oshen import shmem

ME, N = shmem.my_pe(), shmem.n_pes()
RIGHT, LEFT = (ME + 1) % N, (ME - 1) % N


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.target = shmem.zeros((4, 4))
        self.addCleanup(shmem.free, self.target)

    def refused(self, kind, says, call, *arguments, **options):
        with self.assertRaisesRegex(kind, says):
            call(*arguments, **options)

    def test_another_type(self):
        self.refused(ValueError, "float64 and source int64", shmem.put, self.target, np.zeros((4, 4), np.int64), 0)

    def test_too_large(self):
        self.refused(ValueError, "target has 16 elements: expected at least 17", shmem.put, self.target, np.zeros(17), 0)
        self.refused(ValueError, "source has 2", shmem.put, self.target, np.zeros(2), 0, size=3)

    def test_gaps(self):
        self.refused(ValueError, "contiguous", shmem.put, self.target[:, 1], np.zeros(4), 0)

    def test_types_of_atomics_and_reductions(self):
        self.refused(TypeError, "float64", shmem.atomic_add, self.target, 1, 0)
        self.refused(TypeError, "float64", shmem.and_reduce, self.target, self.target)

    def test_comparisons(self):
        flags = shmem.zeros(2, int)
        self.refused(ValueError, "comparison '=<'", shmem.wait_until, flags, "=<", 0)
        self.refused(ValueError, "status has 3", shmem.wait_until_all, flags, "==", 0, status=[0, 0, 0])
        shmem.free(flags)

    def test_full_heap(self):
        self.refused(MemoryError, "SHMEM_SYMMETRIC_SIZE", shmem.empty, 1 << 50)

    def test_what_was_not_allocated(self):
        self.refused(KeyError, "", shmem.free, np.zeros(3))


class Moves(unittest.TestCase):
    def test_structured_elements_and_strides(self):
        kind = np.dtype([("x", "f8"), ("id", "i4")])
        target = shmem.zeros(6, kind)
        mine = np.array([(ME + 0.5, i) for i in range(3)], kind)
        shmem.iput(target, mine, RIGHT, tst=2)
        shmem.barrier_all()
        self.assertEqual(target["id"].tolist(), [0, 0, 1, 0, 2, 0])
        self.assertEqual(target["x"][::2].tolist(), [LEFT + 0.5] * 3)
        shmem.free(target)

    def test_part_of_an_array(self):
        target = shmem.zeros((3, 5), np.float32)
        shmem.put(target[1], np.full(5, ME, np.float32), RIGHT)
        shmem.barrier_all()
        self.assertEqual(target.tolist(), [[0] * 5, [LEFT] * 5, [0] * 5])
        shmem.free(target)

    def test_temporary_sources_of_non_blocking_calls(self):
        count, target = 1 << 18, shmem.zeros(1 << 18)
        for value in range(1, 9):
            shmem.put_nbi(target, np.full(count, float(value)), RIGHT)
            other = np.full(count, -1.0)  # may get the memory of the temporary array
            shmem.quiet()
            shmem.barrier_all()
            self.assertEqual(target.min(), value)
            self.assertEqual(target.max(), value)
            self.assertEqual(other.max(), -1)
            shmem.barrier_all()
        shmem.free(target)

    def test_memory_of_non_blocking_calls_is_kept_until_quiet(self):
        target, source = shmem.zeros(4), np.ones(4)
        count = sys.getrefcount(source)
        shmem.put_nbi(target, source, RIGHT)
        kept = sys.getrefcount(source) > count
        self.assertEqual(kept, shmem.TEAM_SHARED.n_pes() < N)
        shmem.quiet()
        self.assertEqual(sys.getrefcount(source), count)
        shmem.barrier_all()
        shmem.free(target)

    def test_signals(self):
        target, signal = shmem.zeros(3), shmem.new_signal()
        shmem.put_signal(target, np.full(3, float(ME)), RIGHT, signal, 1, shmem.SIGNAL_ADD)
        self.assertEqual(shmem.signal_wait_until(signal, ">=", 1), 1)
        self.assertEqual(target.tolist(), [LEFT] * 3)
        shmem.barrier_all()
        shmem.del_signal(signal)
        shmem.free(target)

    def test_a_context_of_a_team(self):
        team = shmem.TEAM_WORLD.split_strided(N - 1, -1, N)
        target = shmem.full(1, -1)
        with team.create_ctx() as ctx:
            if team.my_pe() == N - 1:
                shmem.put(target, np.array([ME]), 0, ctx=ctx)
            ctx.quiet()
        shmem.barrier_all()
        self.assertEqual(target[0], 0 if ME == N - 1 else -1)
        shmem.free(target)
        team.destroy()
        self.assertFalse(team)


if __name__ == "__main__":
    unittest.main()
