/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenSHMEM for C++20: RAII objects and typed symmetric memory. Header-only, on the public C API. For all other
 * routines call shmem.h, where shmem_put and others are overloaded.
 *
 *     oshen::session session;                                  // shmem_init, shmem_finalize
 *     oshen::symmetric_array<double> field(1000);              // the same on every PE
 *     field.put(oshen::my_pe() == 0 ? 1 : 0, values);          // std::span<const double>
 *     oshen::barrier_all();
 *     for (double x : field) ...
 *     oshen::sum_reduce(total, field);                         // collectives of arrays
 *     oshen::request sum = oshen::sum_reduce_async(total, field);   // completed by sum.wait(), or the end of its life
 *     oshen::symmetric<long> counter;                          // one object, with atomics and waits
 *     long before = counter.fetch_add(0, 1);
 *     oshen::signal arrived;                                   // and a put that sets it:
 *     field.put_signal(right, values, arrived, 1);
 *
 * Parts: session.hpp, contexts and teams too; symmetric.hpp, the arrays, objects and signals; collectives.hpp.
 *
 * Objects that are created collectively are destroyed collectively: all PEs destroy them in the same order, as
 * scopes do. Objects can be moved but not copied; a moved-from object is empty. If a C call fails, std::bad_alloc or
 * std::runtime_error is thrown. The rules for threads are those of the C calls. */
#ifndef OSHEN_OSHEN_HPP
#define OSHEN_OSHEN_HPP

#include <oshen/collectives.hpp>
#include <oshen/session.hpp>
#include <oshen/symmetric.hpp>

#endif
