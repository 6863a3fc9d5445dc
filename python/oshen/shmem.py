# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM 1.6: the interface of shmem4py, on NumPy arrays. The import initialises the library (see oshen.rc)."""

# ruff: noqa: F401
from ._start import start_as_configured as _start_as_configured
from ._start import (
    MAJOR_VERSION, MINOR_VERSION, THREAD, THREAD_FUNNELED, THREAD_MULTIPLE, THREAD_SERIALIZED, THREAD_SINGLE,
    VENDOR_STRING, finalize, global_exit, info_get_name, info_get_version, init, init_thread, initialized, my_pe,
    n_pes, pcontrol, pe_accessible, query_thread)
from ._handles import (
    CTX, CTX_DEFAULT, CTX_INVALID, CTX_NOSTORE, CTX_PRIVATE, CTX_SERIALIZED, Ctx, TEAM_INVALID, TEAM_SHARED,
    TEAM_WORLD, Team, fence, quiet, quiet_local)
from ._heap import (
    MALLOC, MALLOC_ATOMICS_REMOTE, MALLOC_SIGNAL_REMOTE, addr_accessible, alloc, array, del_array, empty, free,
    fromalloc, full, new_array, ones, ptr, zeros)
from ._rma import (
    SIGNAL, SIGNAL_ADD, SIGNAL_SET, del_signal, get, get_nbi, iget, iput, new_signal, put, put_nbi, put_signal,
    put_signal_nbi, signal_fetch)
from ._atomic import (
    AMO, AMO_ADD, AMO_AND, AMO_INC, AMO_OR, AMO_SET, AMO_XOR, atomic_add, atomic_and, atomic_compare_swap,
    atomic_compare_swap_nbi, atomic_fetch, atomic_fetch_add, atomic_fetch_add_nbi, atomic_fetch_and,
    atomic_fetch_and_nbi, atomic_fetch_inc, atomic_fetch_inc_nbi, atomic_fetch_nbi, atomic_fetch_op,
    atomic_fetch_op_nbi, atomic_fetch_or, atomic_fetch_or_nbi, atomic_fetch_xor, atomic_fetch_xor_nbi, atomic_inc,
    atomic_op, atomic_or, atomic_set, atomic_swap, atomic_swap_nbi, atomic_xor)
from ._collective import (
    OP, OP_AND, OP_MAX, OP_MIN, OP_OR, OP_PROD, OP_SUM, OP_XOR, alltoall, alltoalls, and_reduce, barrier_all,
    broadcast, collect, fcollect, max_reduce, min_reduce, or_reduce, prod_reduce, reduce, sum_reduce, sync, sync_all,
    xor_reduce)
from ._wait import (
    CMP, CMP_EQ, CMP_GE, CMP_GT, CMP_LE, CMP_LT, CMP_NE, Lock, clear_lock, del_lock, new_lock, set_lock,
    signal_wait_until, test, test_all, test_all_vector, test_any, test_any_vector, test_lock, test_some,
    test_some_vector, wait_until, wait_until_all, wait_until_all_vector, wait_until_any, wait_until_any_vector,
    wait_until_some, wait_until_some_vector)

_start_as_configured()
