# SPDX-License-Identifier: BSD-3-Clause
"""After shmem.finalize() calls raise RuntimeError, arrays keep their contents, and nothing of before is valid after a new start."""

import numpy as np

from oshen import exchange, fft, shmem

me, n = shmem.my_pe(), shmem.n_pes()
a, lock = shmem.full(4, me + 1.0), shmem.new_lock()
beside = shmem.ptr(a, (me + 1) % n)
middle = a[1:3]
ctx, plan = shmem.Ctx.create(), fft.FFT((8, 8), fft.slab((8, 8)))
arena = exchange.Arena(1 << 16)
part = np.zeros(plan.input_shape, complex)
if me == 0:
    shmem.set_lock(lock)
shmem.barrier_all()
shmem.finalize()

calls = [lambda: shmem.put(a, np.ones(4), 0), lambda: shmem.get(a, a, 0), lambda: shmem.zeros(3), lambda: shmem.free(a),
         lambda: shmem.atomic_inc(a.view(int), 0), lambda: shmem.sum_reduce(a, a), shmem.barrier_all, shmem.quiet,
         lambda: shmem.wait_until(a.view(int), "==", 0), shmem.my_pe, shmem.finalize, lambda: shmem.Ctx.create(), ctx.quiet,
         lambda: plan.forward(part), lambda: exchange.Arena(1 << 16), lambda: exchange.Group(arena)]


def raises(call, kind, says):
    try:
        call()
    except kind as why:
        return says in str(why)
    return False


raised = sum(raises(call, RuntimeError, "not initialised") for call in calls)
plan.destroy()  # has no effect any more
arena.destroy()

# Arrays are ordinary memory now, with the contents that they had.
assert a.tolist() == [me + 1.0] * 4 and middle.tolist() == [me + 1.0] * 2, a
assert beside is None or beside.tolist() == [(me + 1) % n + 1.0] * 4, beside
a[2] = -1
assert middle[1] == -1

# A new start of the library does not take handles, arrays and locks of before for its own.
shmem.init()
fresh = shmem.new_lock()
stale = [(lambda: shmem.free(a), KeyError, "not the beginning of allocated memory"), (ctx.quiet, RuntimeError, "this Ctx is destroyed"),
         (lambda: shmem.clear_lock(fresh), RuntimeError, "does not hold the lock"),
         (lambda: plan.forward(part), RuntimeError, "this FFT is destroyed")]
raised += sum(raises(*each) for each in stale)
assert a[2] == -1
if me == 0:
    print(f"{raised} of {len(calls) + len(stale)} raise")
