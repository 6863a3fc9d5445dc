# SPDX-License-Identifier: BSD-3-Clause
"""A mistake is an exception, after which the interpreter, the library and the other PEs go on. shmem_test.py has the mistakes
of puts, gets and collectives; here are those of handles, locks, types, plans and FFTs."""

import unittest

import numpy as np

from oshen import exchange, fft, shmem

ME, N = shmem.my_pe(), shmem.n_pes()
RIGHT, LEFT = (ME + 1) % N, (ME - 1) % N


class Refusing(unittest.TestCase):
    def refused(self, kind, says, call, *arguments, **options):
        with self.assertRaisesRegex(kind, says):
            call(*arguments, **options)


class Handles(Refusing):
    def setUp(self):
        self.target = shmem.zeros(4)
        self.addCleanup(shmem.free, self.target)

    def test_a_context_that_was_destroyed_through_another_handle(self):
        ctx = shmem.Ctx.create()
        other = shmem.Ctx(ctx)
        ctx.destroy()
        for call in (other.quiet, other.fence, other.get_team, other.destroy):
            self.refused(RuntimeError, "this Ctx is destroyed", call)
        self.refused(RuntimeError, "this Ctx is destroyed", shmem.put, self.target, self.target, 0, ctx=other)
        ctx.destroy()  # a second time has no effect

    def test_a_team_that_was_destroyed_through_another_handle(self):
        team = shmem.TEAM_WORLD.split_strided()
        other = shmem.Team(team)
        team.destroy()
        for call in (other.sync, other.n_pes, other.create_ctx, other.destroy):
            self.refused(RuntimeError, "this Team is destroyed", call)
        self.refused(RuntimeError, "this Team is destroyed", shmem.sum_reduce, self.target, self.target, team=other)

    def test_other_objects(self):
        self.refused(TypeError, "ctx = 5: expected a Ctx", shmem.put, self.target, self.target, 0, ctx=5)
        self.refused(TypeError, "ctx = <.*Team.*>: expected a Ctx", shmem.put, self.target, self.target, 0, ctx=shmem.TEAM_WORLD)
        self.refused(TypeError, "team = 5: expected a Team", shmem.sum_reduce, self.target, self.target, team=5)

    def test_options(self):
        self.refused(ValueError, "options = 1024: expected CTX_SERIALIZED", shmem.Ctx.create, 1024)
        split = shmem.TEAM_WORLD.split_strided
        self.refused(RuntimeError, f"team of {N} PEs: start = {N}, stride = 1, size = 1", split, N, 1, 1)
        self.refused(ValueError, "num_contexts = -4: expected at least 0", split, 0, 1, N, num_contexts=-4)
        self.refused(TypeError, "n_contexts = 4: expected num_contexts", split, 0, 1, N, n_contexts=4)
        self.refused(ValueError, "17 is not a valid THREAD", shmem.init_thread, 17)


class Locks(Refusing):
    def test_a_lock_that_this_pe_holds(self):
        lock = shmem.new_lock()
        if ME == 0:
            shmem.set_lock(lock)
            self.refused(RuntimeError, "holds the lock already", shmem.set_lock, lock)
            self.refused(RuntimeError, "holds the lock already", shmem.del_lock, lock)
            self.assertTrue(shmem.test_lock(lock))
            shmem.clear_lock(lock)
        shmem.barrier_all()
        shmem.del_lock(lock)

    def test_a_lock_that_is_destroyed(self):
        lock = shmem.Lock()
        lock.destroy()
        self.refused(RuntimeError, "this Lock is destroyed", lock.acquire)
        self.refused(RuntimeError, "this Lock is destroyed", lock.release)


class Types(Refusing):
    def setUp(self):
        self.target = shmem.zeros(4)
        self.addCleanup(shmem.free, self.target)

    def test_numbers_of_pes(self):
        self.refused(TypeError, "pe = 0.0: expected an integer", shmem.put, self.target, self.target, 0.0)
        self.refused(TypeError, "pe = '0': expected an integer", shmem.put, self.target, self.target, "0")
        self.refused(TypeError, "root = None: expected an integer", shmem.broadcast, self.target, self.target, None)
        shmem.put(self.target, np.zeros(4), np.int32(shmem.my_pe()))

    def test_references_to_objects(self):
        self.refused(TypeError, "dtype = object: expected elements without references", shmem.zeros, 4, object)
        self.refused(TypeError, "without references", shmem.zeros, 4, [("number", int), ("name", object)])
        self.refused(TypeError, "source = None", shmem.put, self.target, None, 0)

    def test_values(self):
        word, signal = shmem.zeros(1, int), shmem.new_signal()
        self.refused(TypeError, "value = 'x': expected a number for elements of type int64", shmem.atomic_add, word, "x", 0)
        self.refused(TypeError, "value = 'x'", shmem.wait_until, word, "==", "x")
        self.refused(TypeError, "value = 'x'", shmem.put_signal, self.target, self.target, 0, signal, "x", shmem.SIGNAL_SET)
        shmem.free(word)
        shmem.del_signal(signal)

    def test_strides(self):
        names = shmem.zeros(4, "S3")
        self.refused(TypeError, "S3", shmem.alltoalls, names, names)
        self.refused(ValueError, "tst = 1, sst = 0: expected at least 1", shmem.alltoalls, self.target, self.target, sst=0)
        self.refused(ValueError, "size = -3: expected at least 0", shmem.iput, self.target, self.target, 0, size=-3)
        shmem.free(names)


class Plans(Refusing):
    def setUp(self):
        self.arena = exchange.Arena(1 << 20)
        self.group = exchange.Group(self.arena)
        self.source, self.target = np.arange(8.0), np.zeros(8)

    def tearDown(self):
        self.group.destroy()
        self.arena.destroy()

    def plan(self, sends=None, receives=None, **options):
        return exchange.Plan(self.group, self.source, self.target, sends or [(RIGHT, self.source[:2])],
                             receives or [(LEFT, self.target[:2])], **options)

    def test_runs(self):
        with self.plan() as plan:
            for call in (plan.test, plan.wait_any, plan.release):
                self.refused(RuntimeError, "no run of this Plan is under way: start it first", call)
            plan.start(self.source, self.target)
            for call, arguments in ((plan.start, (self.source, self.target)), (plan.run, (self.source, self.target)), (plan.destroy, ())):
                self.refused(RuntimeError, "a run of this Plan is under way: release it first", call, *arguments)
            plan.release()
            plan.run(self.source, self.target)
            self.assertEqual(self.target[:2].tolist(), [0, 1])
            self.target.flags.writeable = False
            self.refused(ValueError, "the target is read-only", plan.run, self.source, self.target)

    def test_order_of_destruction(self):
        plan = self.plan()
        self.refused(RuntimeError, "this Group is in use: destroy Plan before", self.group.destroy)
        self.refused(RuntimeError, "this Arena is in use: destroy Group before", self.arena.destroy)
        plan.destroy()
        plan.destroy()  # a second time has no effect
        self.refused(RuntimeError, "this Plan is destroyed", plan.run, self.source, self.target)
        self.refused(RuntimeError, "this Plan is destroyed", plan.describe)

    def test_objects_that_are_destroyed(self):
        arena = exchange.Arena(1 << 16)
        group = exchange.Group(arena)
        group.destroy()
        self.refused(RuntimeError, "this Group is destroyed", lambda: group.size)
        arena.destroy()
        self.refused(RuntimeError, "this Arena is destroyed", exchange.Group, arena)

    def test_arguments(self):
        self.refused(ValueError, "strategy = 'bogus': expected one of auto, ", self.plan, strategy="bogus")
        self.refused(ValueError, f"a message has PE {N}: expected a PE of the group, 0 .. {N - 1}", self.plan, [(N, self.source)])
        self.refused(TypeError, r"is \[1, 2\]: expected a view", self.plan, [(RIGHT, [1, 2])])
        self.refused(TypeError, "an array that is not None", exchange.Plan, self.group, None, self.target,
                     [(RIGHT, self.source[:2])], [(LEFT, self.target[:2])])
        self.refused(ValueError, "size = -1: expected at least 1 byte", exchange.Arena, -1)
        self.refused(ValueError, rf"pes = \[0, {N}\]: expected different PEs", exchange.Group, self.arena, pes=[0, N])
        self.refused(ValueError, r"shape = \(4, -4\), pes = 1", exchange.grid, (4, -4), 1)


class Transforms(Refusing):
    def test_arguments(self):
        with fft.FFT((8, 8), fft.slab((8, 8))) as plan:
            part = np.zeros(plan.input_shape, complex)
            self.refused(ValueError, "scale = 'half': expected one of none, full, symmetric", plan.forward, part, scale="half")
            out = np.zeros(plan.output_shape, complex)
            out.flags.writeable = False
            self.refused(ValueError, "writable", plan.forward, part, out)
        self.refused(RuntimeError, "this FFT is destroyed", plan.forward, part)
        self.refused(ValueError, "axis = 7", fft.slab, (4, 4), 7)


if __name__ == "__main__":
    unittest.main()
