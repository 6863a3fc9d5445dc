// OpenMP of gcc: calls of its run-time library that order what threads do. Tasks are not followed.
#include "interpose.hpp"

namespace {

void tell(const void* object) {
  if (races::of_this_pe.active()) races::release_to_threads(object);
}
void learn(const void* object) {
  if (races::of_this_pe.active()) races::acquire_from_threads(object);
}

// A parallel region: all that its first thread did is before it, and the first thread goes on after all of it.
struct parallel_region {
  void (*body)(void*);
  void* data;
  const void* begin() const { return &body; }
  const void* end() const { return &data; }
};

void run_part(void* given) {
  auto* region = static_cast<parallel_region*>(given);
  learn(region->begin());
  region->body(region->data);
  tell(region->end());
}

// `run` gets the routine and the data of a part of the region.
template <class Run>
unsigned run_parallel(void (*body)(void*), void* data, Run run) {
  parallel_region region{body, data};
  tell(region.begin());
  const unsigned outcome = run(run_part, &region);
  learn(region.end());
  return outcome;
}

using part = void (*)(void*);

// Objects that stand for those without an address.
const char all_barriers = 0, unnamed_critical = 0, atomic_section = 0, ordered_section = 0, copied_value = 0;

}  // namespace

// Functions without a result return an unspecified number here, which no caller reads.
#define PARALLEL(function, parameters, arguments)                                                              \
  EXPORT unsigned function parameters {                                                                        \
    static std::atomic<unsigned(*) parameters> next;                                                           \
    return run_parallel(fn, data,                                                                              \
                        [&](part fn, void* data) { return races::next_function(next, #function) arguments; }); \
  }
#define LOOP(kind)                                                                                         \
  PARALLEL(GOMP_parallel_loop_##kind,                                                                      \
           (part fn, void* data, unsigned n, long start, long end, long step, long chunk, unsigned flags), \
           (fn, data, n, start, end, step, chunk, flags))
#define RUNTIME_LOOP(kind)                                                                     \
  PARALLEL(GOMP_parallel_loop_##kind,                                                          \
           (part fn, void* data, unsigned n, long start, long end, long step, unsigned flags), \
           (fn, data, n, start, end, step, flags))
PARALLEL(GOMP_parallel, (part fn, void* data, unsigned n, unsigned flags), (fn, data, n, flags))
PARALLEL(GOMP_parallel_reductions, (part fn, void* data, unsigned n, unsigned flags), (fn, data, n, flags))
PARALLEL(GOMP_parallel_sections, (part fn, void* data, unsigned n, unsigned count, unsigned flags),
         (fn, data, n, count, flags))
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
RUNTIME_LOOP(runtime)
RUNTIME_LOOP(nonmonotonic_runtime)
RUNTIME_LOOP(maybe_nonmonotonic_runtime)

// Other calls: what they do before and after the next function.
#define CALL(function, parameters, arguments, before, after)         \
  EXPORT void* function parameters {                                 \
    static std::atomic<void*(*)parameters> next;                     \
    before;                                                          \
    void* outcome = races::next_function(next, #function) arguments; \
    after;                                                           \
    return outcome;                                                  \
  }
#define BARRIER(function) CALL(function, (), (), tell(&all_barriers), learn(&all_barriers))
BARRIER(GOMP_barrier)
BARRIER(GOMP_barrier_cancel)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_loop_end_cancel)
BARRIER(GOMP_sections_end)
BARRIER(GOMP_sections_end_cancel)
CALL(GOMP_critical_start, (), (), , learn(&unnamed_critical))
CALL(GOMP_critical_end, (), (), tell(&unnamed_critical), )
CALL(GOMP_critical_name_start, (void** name), (name), , learn(name))
CALL(GOMP_critical_name_end, (void** name), (name), tell(name), )
CALL(GOMP_atomic_start, (), (), , learn(&atomic_section))
CALL(GOMP_atomic_end, (), (), tell(&atomic_section), )
CALL(GOMP_ordered_start, (), (), , learn(&ordered_section))
CALL(GOMP_ordered_end, (), (), tell(&ordered_section), )
CALL(GOMP_single_copy_start, (), (), , learn(&copied_value))
CALL(GOMP_single_copy_end, (void* value), (value), tell(&copied_value), )
CALL(omp_set_lock, (void* lock), (lock), , learn(lock))
CALL(omp_unset_lock, (void* lock), (lock), tell(lock), )
CALL(omp_set_nest_lock, (void* lock), (lock), , learn(lock))
CALL(omp_unset_nest_lock, (void* lock), (lock), tell(lock), )
CALL(omp_test_lock, (void* lock), (lock), , learn(lock))
CALL(omp_test_nest_lock, (void* lock), (lock), , learn(lock))

// Tasks run on any thread at any time. The order of that is not followed, so threads then count as one.
CALL(GOMP_task,
     (part fn, void* data, void* copy, long bytes, long align, bool now, unsigned flags, void** depend, int priority,
      void* detach),
     (fn, data, copy, bytes, align, now, flags, depend, priority, detach), races::count_threads_as_one(), )
CALL(GOMP_taskloop,
     (part fn, void* data, void* copy, long bytes, long align, unsigned flags, unsigned long n, int priority,
      long start, long end, long step),
     (fn, data, copy, bytes, align, flags, n, priority, start, end, step), races::count_threads_as_one(), )
