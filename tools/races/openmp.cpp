// OpenMP of gcc: calls of its run-time library that order what threads do. Sections and tasks are parts of a region:
// each is ordered only by what the program says, even if one thread runs several of them one after the other.
#include "openmp.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

#include "interpose.hpp"

namespace races {
namespace {

// A parallel region: all that its first thread did is before it, and the first thread goes on after all of it. A thread
// is at most one barrier ahead of another one, so two objects in turn are enough for all barriers.
struct region_of_threads {
  void (*body)(void*);
  void* data;
  thread_knowledge begin, end, barriers[2];
};

using shared_knowledge = std::shared_ptr<thread_knowledge>;

// The task in which a thread is: its share of a region, or a task of the program.
struct task_frame {
  region_of_threads* region = nullptr;
  std::uint32_t barriers = 0;  // that it has passed
  bool is_task = false, is_final = false;
  bool by_thread = false;                // it has asked for the number of its thread
  std::uintptr_t base = 0;               // of its frames on the stack
  shared_knowledge children;             // told by those that have ended
  std::vector<shared_knowledge> groups;  // told by the tasks that have ended, the innermost group last
  // Sections.
  thread_state* outside = nullptr;  // the strand that goes on after the section
  thread_state* section = nullptr;
  thread_knowledge ended_sections;
  // The last blocks that it allocated. Sections that one thread runs share them, as they share its variables.
  std::array<extent, 64> blocks{};
  std::size_t n_blocks = 0;
};

thread_local task_frame* current __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local thread_knowledge tasks_by_thread;

task_frame& frame() {
  thread_local task_frame outermost;
  return current != nullptr ? *current : outermost;
}

void join(thread_knowledge& to, const thread_knowledge& from) {
  if (from.is_empty()) return;
  const std::scoped_lock lock(of_this_pe.mutex());
  if (to.is_empty()) to.begin(of_this_pe.pes());
  to.join(from);
}

void empty(thread_knowledge& some) {
  if (!some.is_empty()) some.begin(of_this_pe.pes());
}

thread_knowledge& made(shared_knowledge& some) {
  if (some == nullptr) some = std::make_shared<thread_knowledge>();
  return *some;
}

// Begins a part that knows what this thread knows. Null if there are too many.
thread_state* begin_part(const thread_knowledge& creator, std::uintptr_t base) {
  thread_state* const part = take_part(creator);
  if (part == nullptr) return nullptr;
  part->own_stack_end = base;
  current_thread = part;
  return part;
}

// It tells `object` what it did.
void end_part(thread_state& part, thread_state* outside, thread_knowledge& object) {
  const std::uint32_t clock = of_this_pe.clock();
  tell(object);
  current_thread = outside;
  give_part(part, clock);
}

// ---- sections

void end_section() {
  task_frame& f = frame();
  if (f.section == nullptr) return;
  end_part(*f.section, f.outside, f.ended_sections);
  f.section = nullptr;
  if (f.by_thread) learn(f.ended_sections);
}

void begin_section() {
  task_frame& f = frame();
  f.outside = current_thread;
  thread_knowledge creator;
  tell(creator);
  f.section = begin_part(creator, f.base);
  if (f.section != nullptr) f.section->owner = f.outside->id;
}

unsigned next_section(unsigned number) {
  if (number != 0 && of_this_pe.active()) begin_section();
  return number;
}

// ---- barriers

void arrive() {
  if (!of_this_pe.active()) return;
  end_section();
  task_frame& f = frame();
  if (f.region == nullptr) return learn(f.ended_sections);
  thread_knowledge& barrier = f.region->barriers[f.barriers % 2];
  tell(barrier);
  join(barrier, f.ended_sections);
  empty(f.ended_sections);
}

void leave() {
  if (!of_this_pe.active()) return;
  task_frame& f = frame();
  if (f.region == nullptr) return;
  learn(f.region->barriers[f.barriers % 2]);
  ++f.barriers;
}

// ---- regions

void run_share(void* given) {
  auto* region = static_cast<region_of_threads*>(given);
  if (!of_this_pe.active()) return region->body(region->data);
  task_frame mine;
  mine.region = region;
  mine.base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  task_frame* const outside = current;
  current = &mine;
  learn(region->begin);
  region->body(region->data);
  end_section();
  tell(region->end);
  join(region->end, mine.ended_sections);
  current = outside;
}

// `run` gets the routine and the data of a share of the region.
template <class Run>
unsigned run_parallel(void (*body)(void*), void* data, Run run) {
  if (!of_this_pe.active()) return run(body, data);
  region_of_threads region{body, data, {}, {}, {}};
  begin_sharing();
  tell(region.begin);
  const unsigned outcome = run(run_share, &region);
  learn(region.end);
  for (const thread_knowledge& tasks : region.barriers) learn(tasks);
  end_sharing();
  return outcome;
}

// ---- tasks

// What the creator of a task leaves for it.
struct new_task {
  thread_knowledge creator;
  shared_knowledge children, group;  // of the creator; both are told at the end of the task
  region_of_threads* region;
  std::uint32_t barriers;
  bool is_final;
  bool is_repeated;                  // a loop of tasks, which all use this
  thread_knowledge* undeferred;      // of a task that its creator waits for; null: none
  std::vector<const void*> in, out;  // on which it depends
};

// Stands before the data of a task. The run-time library writes the bounds of a loop of tasks to its start.
struct task_header {
  long front[4];
  void (*body)(void*);
  void (*copy)(void*, void*);  // null: the bytes are copied
  void* original;              // the data that `copy` reads
  new_task* task;
  std::size_t bytes, data_at;
};

void copy_task(void* to, void* from) {
  auto* header = static_cast<task_header*>(from);
  std::memcpy(to, from, sizeof *header);
  header->copy(static_cast<char*>(to) + header->data_at, header->original);
}

// A task that writes comes after those that read or write the object; one that reads, after those that write it.
char* writers_of(const void* object) { return static_cast<char*>(const_cast<void*>(object)); }
char* readers_of(const void* object) { return writers_of(object) + 1; }

void wait_for_dependences(const new_task& task) {
  for (const void* object : task.in) acquire_from_threads(writers_of(object));
  for (const void* object : task.out) {
    acquire_from_threads(writers_of(object));
    acquire_from_threads(readers_of(object));
  }
}

void tell_dependences(const new_task& task) {
  for (const void* object : task.in) release_to_threads(readers_of(object));
  for (const void* object : task.out) release_to_threads(writers_of(object));
}

void forget_own_stack(std::uintptr_t base) {
  memory_of_thread& memory = memory_of_this_thread();
  if (memory.lowest_seen < base) of_this_pe.forget_private(memory.lowest_seen, base - memory.lowest_seen);
  memory.lowest_seen = std::max(memory.lowest_seen, base);
}

void run_task(void* given) {
  auto* header = static_cast<task_header*>(given);
  new_task& task = *header->task;
  char* data = static_cast<char*>(given) + header->data_at;
  if (task.is_repeated) std::memcpy(data, header->front, std::min(header->bytes, 2 * sizeof(long)));
  task_frame mine;
  mine.region = task.region;
  mine.barriers = task.barriers;
  mine.is_task = true;
  mine.is_final = task.is_final;
  mine.base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  mine.groups.push_back(task.group);
  task_frame* const outer_frame = current;
  thread_state* const outside = current_thread;
  current = &mine;
  thread_state* const part = begin_part(task.creator, mine.base);
  if (part == nullptr) learn(task.creator);
  if (task.undeferred != nullptr) learn(*task.undeferred);
  wait_for_dependences(task);
  header->body(data);
  if (mine.by_thread) tell(tasks_by_thread);
  tell_dependences(task);
  thread_knowledge done;
  if (part != nullptr) {
    end_part(*part, outside, done);
  } else {
    tell(done);
  }
  join(*task.children, done);
  if (task.group != nullptr) join(*task.group, done);
  if (task.region != nullptr) join(task.region->barriers[task.barriers % 2], done);
  if (task.undeferred != nullptr) join(*task.undeferred, done);
  current = outer_frame;
  forget_own_stack(mine.base);
  if (!task.is_repeated) delete &task;
}

enum : unsigned {
  flag_final = 1 << 1,
  flag_depend = 1 << 3,
  flag_if = 1 << 10,
  flag_nogroup = 1 << 11,
  flag_detach = 1 << 13
};

// `depend`: the number of objects and of those that are written, then the objects. A first number of 0 announces the
// newer form, with more numbers; what is neither written nor read alone counts as written.
void read_dependences(new_task& task, void** depend) {
  const auto number = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(depend[i]); };
  const bool is_new = number(0) == 0;
  const std::size_t n = number(is_new ? 1 : 0), written = number(is_new ? 2 : 1) + (is_new ? number(3) : 0);
  const std::size_t read = is_new ? number(4) : n - written;
  void** const objects = depend + (is_new ? 5 : 2);
  for (std::size_t i = 0; i < n; ++i) {
    const void* object = i < written + read ? objects[i] : *static_cast<void**>(objects[i]);
    (i >= written && i < written + read ? task.in : task.out).push_back(object);
  }
}

new_task* make_task(bool is_waited_for, bool is_final, bool is_repeated, thread_knowledge* undeferred) {
  task_frame& f = frame();
  if (f.region == nullptr && current == nullptr) {
    static std::once_flag once;
    std::call_once(once, begin_sharing);  // tasks without a region have no end that the detector sees
  }
  auto* task = new new_task{.creator = {},
                            .children = nullptr,
                            .group = f.groups.empty() ? nullptr : f.groups.back(),
                            .region = f.region,
                            .barriers = f.barriers,
                            .is_final = is_final || f.is_final,
                            .is_repeated = is_repeated,
                            .undeferred = is_waited_for || f.is_final ? undeferred : nullptr,
                            .in = {},
                            .out = {}};
  made(f.children);
  task->children = f.children;
  tell(task->creator);
  return task;
}

void learn_of_children() {
  if (of_this_pe.active() && frame().children != nullptr) learn(*frame().children);
}
void begin_group() {
  if (of_this_pe.active()) frame().groups.push_back(std::make_shared<thread_knowledge>());
}
void end_group() {
  task_frame& f = frame();
  if (!of_this_pe.active() || f.groups.empty() || f.groups.back() == nullptr) return;
  const shared_knowledge group = f.groups.back();
  f.groups.pop_back();
  learn(*group);
}

// Calls `create` with the routine, the data, the copy function, the size and the alignment of the task.
template <class Create>
void create_task(new_task* task, void (*body)(void*), void* data, void (*copy)(void*, void*), long bytes, long align,
                 Create create) {
  const std::size_t alignment = std::max<std::size_t>(static_cast<std::size_t>(align), 16);
  const std::size_t data_at = (sizeof(task_header) + alignment - 1) / alignment * alignment;
  const std::size_t n = static_cast<std::size_t>(bytes), all = data_at + n;
  std::vector<char> memory(all + alignment);
  char* const start =
      memory.data() + (alignment - reinterpret_cast<std::uintptr_t>(memory.data()) % alignment) % alignment;
  auto* header = new (start) task_header{{}, body, copy, data, task, n, data_at};
  std::memcpy(header->front, data, std::min(n, sizeof header->front));
  if (copy == nullptr && n != 0) std::memcpy(start + data_at, data, n);
  create(run_task, start, copy != nullptr ? copy_task : nullptr, static_cast<long>(all), static_cast<long>(alignment));
}

}  // namespace

void* function_of_openmp(const char* name) {
  void* const library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

bool in_region() { return current != nullptr; }

bool owns_block(std::uintptr_t address) {
  if (current == nullptr) return false;
  return std::ranges::any_of(current->blocks, [=](const extent& b) { return address - b.start < b.bytes; });
}

void add_own_block(const void* start, std::size_t bytes) {
  if (current == nullptr || this_thread().is_part) return;
  current->blocks[current->n_blocks++ % current->blocks.size()] = {reinterpret_cast<std::uintptr_t>(start), bytes};
}

namespace {

// A program that asks for the number of its thread may use memory that belongs to the thread.
void order_by_thread() {
  if (!of_this_pe.active() || current == nullptr || current->by_thread) return;
  current->by_thread = true;
  learn(current->is_task ? tasks_by_thread : current->ended_sections);
}

}  // namespace
}  // namespace races

namespace {

void tell(const void* object) {
  if (races::of_this_pe.active()) races::release_to_threads(object);
}
void learn(const void* object) {
  if (races::of_this_pe.active()) races::acquire_from_threads(object);
}
void lock(const void* object) {
  if (races::of_this_pe.active()) races::lock_taken(object);
}
void unlock(const void* object) {
  if (races::of_this_pe.active()) races::lock_given(object);
}

using part = void (*)(void*);
using copier = void (*)(void*, void*);

// Objects that stand for those without an address.
const char unnamed_critical = 0, atomic_section = 0, ordered_section = 0, copied_value = 0;

}  // namespace

// Functions without a result return an unspecified number here, which no caller reads.
#define PARALLEL(function, parameters, arguments)                                                                     \
  EXPORT unsigned function parameters {                                                                               \
    static std::atomic<unsigned(*) parameters> next;                                                                  \
    return races::run_parallel(fn, data,                                                                              \
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
#define BARRIER(function) CALL(function, (), (), races::arrive(), races::leave())
BARRIER(GOMP_barrier)
BARRIER(GOMP_barrier_cancel)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_loop_end_cancel)
BARRIER(GOMP_sections_end)
BARRIER(GOMP_sections_end_cancel)
CALL(GOMP_sections_end_nowait, (), (), races::end_section(), )
CALL(GOMP_critical_start, (), (), , lock(&unnamed_critical))
CALL(GOMP_critical_end, (), (), unlock(&unnamed_critical), )
CALL(GOMP_critical_name_start, (void** name), (name), , lock(name))
CALL(GOMP_critical_name_end, (void** name), (name), unlock(name), )
CALL(GOMP_atomic_start, (), (), , learn(&atomic_section))
CALL(GOMP_atomic_end, (), (), tell(&atomic_section), )
CALL(GOMP_ordered_start, (), (), , learn(&ordered_section))
CALL(GOMP_ordered_end, (), (), tell(&ordered_section), )
CALL(GOMP_single_copy_start, (), (), , learn(&copied_value))
CALL(GOMP_single_copy_end, (void* value), (value), tell(&copied_value), )
CALL(omp_set_lock, (void* object), (object), , lock(object))
CALL(omp_unset_lock, (void* object), (object), unlock(object), )
CALL(omp_set_nest_lock, (void* object), (object), , lock(object))
CALL(omp_unset_nest_lock, (void* object), (object), unlock(object), )
// gfortran calls these names.
CALL(omp_set_lock_, (void* object), (object), , lock(object))
CALL(omp_unset_lock_, (void* object), (object), unlock(object), )
CALL(omp_set_nest_lock_, (void* object), (object), , lock(object))
CALL(omp_unset_nest_lock_, (void* object), (object), unlock(object), )
// 0: another thread has the lock.
#define TEST_LOCK(function)                                            \
  EXPORT int function(void* object) {                                  \
    static std::atomic<int (*)(void*)> next;                           \
    const int outcome = races::next_function(next, #function)(object); \
    if (outcome != 0) lock(object);                                    \
    return outcome;                                                    \
  }
TEST_LOCK(omp_test_lock)
TEST_LOCK(omp_test_nest_lock)
TEST_LOCK(omp_test_lock_)
TEST_LOCK(omp_test_nest_lock_)

#define SECTIONS(function, parameters, arguments)                                \
  EXPORT unsigned function parameters {                                          \
    static std::atomic<unsigned(*) parameters> next;                             \
    races::end_section();                                                        \
    return races::next_section(races::next_function(next, #function) arguments); \
  }
SECTIONS(GOMP_sections_start, (unsigned count), (count))
SECTIONS(GOMP_sections2_start, (unsigned count, std::uintptr_t* reductions, void** memory), (count, reductions, memory))
SECTIONS(GOMP_sections_next, (), ())

#define NUMBER(function)                            \
  EXPORT int function() {                           \
    static std::atomic<int (*)()> next;             \
    races::order_by_thread();                       \
    return races::next_function(next, #function)(); \
  }
NUMBER(omp_get_thread_num)
NUMBER(omp_get_thread_num_)

// ---- tasks

EXPORT void GOMP_task(part fn, void* data, copier copy, long bytes, long align, bool now, unsigned flags, void** depend,
                      int priority, void* detach) {
  static std::atomic<void (*)(part, void*, copier, long, long, bool, unsigned, void**, int, void*)> next;
  auto* const create = races::next_function(next, "GOMP_task");
  // The end of a detached task is another call, which is not followed.
  if (races::of_this_pe.active() && (flags & races::flag_detach) != 0) races::count_threads_as_one();
  if (!races::of_this_pe.active() || races::are_threads_one())
    return create(fn, data, copy, bytes, align, now, flags, depend, priority, detach);
  races::thread_knowledge done;
  races::new_task* const task = races::make_task(!now, (flags & races::flag_final) != 0, false, &done);
  const bool undeferred = task->undeferred != nullptr;
  if ((flags & races::flag_depend) != 0) races::read_dependences(*task, depend);
  races::create_task(task, fn, data, copy, bytes, align,
                     [&](part run, void* all, copier copy_all, long n, long alignment) {
                       create(run, all, copy_all, n, alignment, now, flags, depend, priority, detach);
                     });
  if (undeferred) races::learn(done);
}

// Loops of tasks. `number`: the type of its bounds.
#define TASK_LOOP(function, number)                                                                               \
  EXPORT void function(part fn, void* data, copier copy, long bytes, long align, unsigned flags, unsigned long n, \
                       int priority, number start, number end, number step) {                                     \
    static std::atomic<void (*)(part, void*, copier, long, long, unsigned, unsigned long, int, number, number,    \
                                number)>                                                                          \
        next;                                                                                                     \
    auto* const create = races::next_function(next, #function);                                                   \
    if (!races::of_this_pe.active() || races::are_threads_one())                                                  \
      return create(fn, data, copy, bytes, align, flags, n, priority, start, end, step);                          \
    races::create_loop(fn, data, copy, bytes, align, flags,                                                       \
                       [&](part run, void* all, copier copy_all, long all_bytes, long alignment) {                \
                         create(run, all, copy_all, all_bytes, alignment, flags, n, priority, start, end, step);  \
                       });                                                                                        \
  }

namespace races {
namespace {

// The tasks of a loop use one new_task. It lives as long as the library, because the end of the last one is not seen
// with nogroup; otherwise they are a group, which ends with the call.
template <class Create>
void create_loop(part fn, void* data, copier copy, long bytes, long align, unsigned flags, Create create) {
  thread_knowledge done;
  const bool is_group = (flags & flag_nogroup) == 0;
  new_task* const task = make_task((flags & flag_if) == 0, (flags & flag_final) != 0, true, &done);
  if (is_group) task->group = std::make_shared<thread_knowledge>();
  create_task(task, fn, data, copy, bytes, align, create);
  if (!is_group) return;
  learn(*task->group);
  delete task;
}

}  // namespace
}  // namespace races

TASK_LOOP(GOMP_taskloop, long)
TASK_LOOP(GOMP_taskloop_ull, unsigned long long)

CALL(GOMP_taskwait, (), (), , races::learn_of_children())
CALL(GOMP_taskwait_depend, (void** depend), (depend), , races::learn_of_children())
CALL(GOMP_taskgroup_start, (), (), races::begin_group(), )
CALL(GOMP_taskgroup_end, (), (), , races::end_group())
