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
        self.refused(ValueError, "contiguous", shmem.sum_reduce, self.target[:2], self.target[:, :2])

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
        self.refused(KeyError, "not the beginning of allocated memory", shmem.free, np.zeros(3))
        freed = shmem.zeros(3)
        shmem.free(freed)
        self.refused(KeyError, "has been freed", shmem.free, freed)

    def test_no_such_pe(self):
        ones, word, lock = np.ones((4, 4)), shmem.zeros(1, int), shmem.new_signal()
        for pe in (-1, N, 1 << 20):
            says = f"pe = {pe}: expected a PE of the job, 0 .. {N - 1}"
            for call in (shmem.put, shmem.get, shmem.put_nbi, shmem.get_nbi, shmem.iput, shmem.iget):
                self.refused(ValueError, says, call, self.target, self.target, pe)
            self.refused(ValueError, says, shmem.put_signal, self.target, ones, pe, lock, 1, shmem.SIGNAL_SET)
            self.refused(ValueError, says, shmem.atomic_inc, word, pe)
            self.refused(ValueError, says, shmem.atomic_fetch_add_nbi, np.zeros(1, int), word, 1, pe)
            self.refused(ValueError, says, shmem.ptr, self.target, pe)
            self.refused(ValueError, f"root = {pe}: expected a PE of the team", shmem.broadcast, self.target, self.target, pe)
        shmem.free(word)
        shmem.del_signal(lock)

    def test_no_such_pe_of_the_team(self):
        team = shmem.TEAM_WORLD.split_strided(0, 1, 1)
        if team:
            with team.create_ctx() as ctx:
                self.refused(ValueError, "pe = 1: expected a PE of the context's team, 0 .. 0", shmem.put, self.target,
                             self.target, 1, ctx=ctx)
            self.refused(ValueError, "root = 1", shmem.broadcast, self.target, self.target, 1, team=team)
            team.destroy()

    def test_memory_that_is_not_symmetric(self):
        own, words = np.ones((4, 4)), np.ones(4, int)
        says = "is not symmetric: expected an array of shmem.zeros"
        self.refused(ValueError, f"target {says}", shmem.put, own, own, 0)
        self.refused(ValueError, f"source {says}", shmem.get, own, own, 0)
        self.refused(ValueError, f"target {says}", shmem.iput, own, own, 0)
        self.refused(ValueError, f"source {says}", shmem.iget, own, own, 0)
        self.refused(ValueError, f"target {says}", shmem.atomic_add, words, 1, 0)
        self.refused(ValueError, f"signal {says}", shmem.signal_fetch, words.astype(np.uint64))
        self.refused(ValueError, f"ivar {says}", shmem.wait_until, words, "==", 1)
        self.refused(ValueError, f"ivars {says}", shmem.test_any, words, "==", 1)
        self.refused(ValueError, f"lock {says}", shmem.set_lock, words[:1])
        self.refused(ValueError, f"source {says}", shmem.sum_reduce, self.target, own)
        self.refused(ValueError, f"target {says}", shmem.broadcast, own, self.target, 0)
        self.refused(ValueError, f"source {says}", shmem.fcollect, shmem.empty((N, 4, 4)), own)

    def test_locks_that_are_not_held(self):
        lock = shmem.new_lock()
        self.refused(RuntimeError, "does not hold the lock", shmem.clear_lock, lock)
        shmem.set_lock(lock)
        shmem.clear_lock(lock)
        self.refused(RuntimeError, "does not hold the lock", shmem.clear_lock, lock)
        shmem.barrier_all()
        shmem.del_lock(lock)

    def test_sizes(self):
        self.refused(ValueError, "size = -1: expected at least 0", shmem.put, self.target, self.target, 0, size=-1)
        self.refused(ValueError, "size = -1", shmem.broadcast, self.target, self.target, 0, size=-1)
        self.refused(ValueError, "tst = 0", shmem.iput, self.target, self.target, 0, tst=0)
        self.refused(ValueError, "align = 3: expected a power of two", shmem.zeros, 3, align=3)
        self.refused(ValueError, "sigop = 7", shmem.put_signal, self.target, self.target, 0,
                     np.ndarray(1, np.uint64, self.target), 1, 7)

    def test_invalid_handles(self):
        self.refused(RuntimeError, "this Ctx is invalid", shmem.put, self.target, self.target, 0, ctx=shmem.CTX_INVALID)
        self.refused(RuntimeError, "this Team is invalid", shmem.sync, shmem.TEAM_INVALID)
        self.refused(RuntimeError, "this Team is invalid", shmem.sum_reduce, self.target, self.target,
                     team=shmem.TEAM_INVALID)


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

    def test_anything_that_numpy_takes_can_be_put(self):
        target = shmem.zeros(4)
        sources = ([4, 1, 2, 3], (4.0, 1.0, 2.0, 3.0), np.arange(8.0)[::2], np.array([[1.0, 2.0], [3.0, 4.0]]).T, range(4))
        for source in sources:
            for put in (shmem.put, shmem.put_nbi):
                shmem.put(target, np.zeros(4), ME)
                shmem.barrier_all()
                put(target, source, RIGHT)
                shmem.barrier_all()
                self.assertEqual(target.tolist(), np.asarray(source, float).ravel(order="K").tolist())
                shmem.barrier_all()
        shmem.put(target, 7, RIGHT)
        shmem.barrier_all()
        self.assertEqual(target[0], 7)
        shmem.free(target)

    def test_other_libraries_see_the_same_memory(self):
        """By DLPack, the array interface and the buffer protocol, without a copy."""

        class Foreign:
            def __init__(self, array):
                self.__array_interface__ = array.__array_interface__

        target, source = shmem.zeros((2, 3)), shmem.full((2, 3), ME + 0.5)
        tensor = np.from_dlpack(target)
        shmem.put(Foreign(target), Foreign(source), RIGHT)  # puts take them as well
        shmem.barrier_all()
        self.assertEqual(tensor.tolist(), [[LEFT + 0.5] * 3] * 2)
        self.assertEqual(np.asarray(Foreign(target)).ctypes.data, target.ctypes.data)
        self.assertEqual(target.__dlpack_device__(), (1, 0))
        self.assertEqual(memoryview(target).tolist(), tensor.tolist())
        shmem.free(target)
        shmem.free(source)

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

    def test_quiet_local_lets_sources_be_changed(self):
        target, source = shmem.zeros(1 << 15), np.empty(1 << 15)
        with shmem.Ctx.create() as own:
            for ctx in (None, own):
                source[:] = ME
                shmem.put_nbi(target, source, RIGHT, ctx=ctx)
                shmem.quiet_local(ctx)
                source[:] = -1
                shmem.quiet(ctx)
                shmem.barrier_all()
                self.assertEqual((target.min(), target.max()), (LEFT, LEFT))
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

    def test_numbers_of_16_bits(self):
        source, target = shmem.full(2 * N, ME + 0.5, np.float16), shmem.zeros(2 * N, np.float16)
        shmem.sum_reduce(target, source)
        self.assertEqual(target.tolist(), [N * N / 2] * (2 * N))
        shmem.max_reduce(target, source)
        self.assertEqual(target[0], N - 0.5)
        shmem.barrier_all()
        shmem.alltoalls(target, source, tst=2, sst=2, size=1)
        self.assertEqual(target[::2].tolist(), [pe + 0.5 for pe in range(N)])
        shmem.free(source)
        shmem.free(target)

    def test_hints(self):
        many = [shmem.ones(3, hints=shmem.MALLOC.NO_BARRIER) for _ in range(100)]
        shmem.barrier_all()
        shmem.put(many[99], np.full(3, float(ME)), RIGHT)
        shmem.barrier_all()
        self.assertEqual(many[99].tolist(), [LEFT] * 3)
        for one in many:
            shmem.free(one, barrier=False)
        array = shmem.zeros(1 << 20, np.float64, hints=shmem.MALLOC.HUGE_PAGES | shmem.MALLOC.NEAR)
        self.assertEqual(array.ctypes.data % (2 << 20), 0)
        shmem.free(array)

    def test_a_context_that_needs_an_endpoint(self):
        options = shmem.CTX.PRIVATE | shmem.CTX.REQUIRED
        if shmem.TEAM_SHARED.n_pes() == N:  # one node, where a context needs none
            shmem.Ctx.create(options).destroy()
        else:  # the transport of this test has one endpoint
            self.assertRaisesRegex(RuntimeError, "cannot create a context", shmem.Ctx.create, options)

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
