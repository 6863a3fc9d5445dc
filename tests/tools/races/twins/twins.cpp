// Pairs of C++ programs, as in twins.c.
//
// usage: twins NAME wrong|right     on 3 PEs
#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int n = 64;
long data[n], source[n], flag, object;
char text[n] = "7 words of text";
int me, last;
bool right;

void use(long value) {
  volatile long mine = value;
  static_cast<void>(mine);
}

// ---- a buffer of an operation in flight, which the thread has used before

// case refill: source[*]: PE 0 needs a quiet between them
void refill() {
  if (me != 0) return;
  std::iota(source, source + n, 0);
  shmem_put_nbi(data, source, n, last);  // races
  if (right) shmem_quiet();
  for (long& element : source) element = 0;  // races
  shmem_quiet();
}

// case reread_dest: data[*]: PE 0 needs a quiet between them
void reread_dest() {
  if (me != 0) return;
  for (const long element : data) use(element);
  shmem_get_nbi(data, source, n, last);  // races
  if (right) shmem_quiet();
  for (const long element : data) use(element);  // races
  shmem_quiet();
}

// case reuse_result: object: PE 0 needs a quiet between them
void reuse_result() {
  if (me != 0) return;
  object = 1;
  shmem_atomic_fetch_add_nbi(&object, &flag, 1L, last);  // races
  if (right) shmem_quiet();
  object = 2;  // races
  shmem_quiet();
}

// ---- private memory, which the threads of a PE share

// case get_and_load threads: private memory of PE *: the threads need a lock or a barrier
void get_and_load() {
  long local = 1;
  std::thread thread([&] {
    shmem_get(&local, &object, 1, last);  // races
  });
  if (right) thread.join();
  use(local);  // races
  if (!right) thread.join();
}

// case put_and_fill threads: private memory of PE *: the threads need a lock or a barrier
void put_and_fill() {
  std::vector<long> block(n);
  std::mutex mutex;
  std::thread thread([&] {
    std::unique_lock lock(mutex);
    if (!right) lock.unlock();
    if (me == 0) shmem_put(data, block.data(), n, last);  // races
  });
  {
    std::unique_lock lock(mutex);
    if (!right) lock.unlock();
    block[5] = 1;  // races
  }
  thread.join();
}

// case flag_in_private_memory threads: private memory of PE *: nothing orders them: the threads need a lock or a
// barrier
void flag_in_private_memory() {
  const auto block = std::make_unique<long[]>(n);
  std::atomic<bool> ready = false;
  std::thread thread([&] {
    shmem_get(block.get(), &object, 1, last);  // races
    ready = true;
  });
  while (right && !ready) std::this_thread::yield();
  use(block[0]);  // races
  thread.join();
}

// case condition threads: private memory of PE *: the threads need a lock or a barrier
void condition() {
  long local = 0;
  bool ready = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread([&] {
    if (right) shmem_get(&local, &object, 1, last);
    {
      const std::scoped_lock lock(mutex);
      ready = true;
    }
    changed.notify_one();
    if (!right) shmem_get(&local, &object, 1, last);  // races
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return ready; });
  use(local);  // races
  lock.unlock();
  thread.join();
}

// ---- parts of a region

void send_and_tell() {
  if (me != 0) return;
  shmem_put(data, source, n, last);  // races
  shmem_fence();
  shmem_atomic_set(&flag, 1L, last);
}

// case sections threads: data[0]: nothing orders them
void sections() {
  send_and_tell();
  if (me != last) return;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      shmem_wait_until(&flag, SHMEM_CMP_EQ, 1L);
      if (right) use(data[0]);
    }
#pragma omp section
    if (!right) use(data[0]);  // races
  }
}

// case tasks threads: data[0]: nothing orders them
void tasks() {
  send_and_tell();
  if (me != last) return;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    shmem_wait_until(&flag, SHMEM_CMP_EQ, 1L);
    if (right) {
#pragma omp taskwait
    }
#pragma omp task
    use(data[0]);  // races
  }
}

// A copy of an object with a constructor goes to the task.
// case task_with_object threads: private memory of PE *: the threads need a lock or a barrier
void task_with_object() {
  std::vector<long> block(n);
  const auto name = std::make_shared<std::string>("a text that is too long for the object itself");
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task firstprivate(name) shared(block)
    if (!name->empty()) shmem_get(block.data(), &object, 1, last);  // races
    if (right) {
#pragma omp taskwait
    }
#pragma omp task firstprivate(name) shared(block)
    use(block[0] + static_cast<long>(name->size()));  // races
  }
}

// case locked_sections threads: data[0]: nothing orders them
void locked_sections() {
  std::mutex mutex;
  send_and_tell();
  if (me != last) return;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      const std::scoped_lock lock(mutex);
      shmem_wait_until(&flag, SHMEM_CMP_EQ, 1L);
    }
#pragma omp section
    {
      const std::scoped_lock lock(mutex);
      if (!right) use(data[0]);  // races
    }
  }
}

// ---- atomics that are not atomic with each other

// case int_and_long: object[0]: atomics of different types are not atomic with each other (OpenSHMEM, Memory Model
void int_and_long() {
  if (me == 0) shmem_atomic_add(&object, 1L, last);  // races
  if (me == 1 && right) shmem_atomic_add(&object, 1L, last);
  if (me == 1 && !right) shmem_atomic_add(reinterpret_cast<int*>(&object), 1, last);  // races
}

// case wait_for_long: flag[0]: atomics of different types are not atomic with each other
void wait_for_long() {
  if (me == 0 && right) shmem_atomic_inc(&flag, last);
  if (me == 0 && !right) shmem_atomic_inc(reinterpret_cast<int*>(&flag), last);  // races
  if (me == last) shmem_wait_until(&flag, SHMEM_CMP_EQ, 1L);                     // races
}

// case other_team: object: contexts of different teams, are not atomic with each other
void other_team() {
  shmem_ctx_t ctx;
  const int peer = shmem_team_translate_pe(SHMEM_TEAM_WORLD, me, SHMEM_TEAM_SHARED);
  shmem_team_create_ctx(right ? SHMEM_TEAM_WORLD : SHMEM_TEAM_SHARED, 0, &ctx);
  shmem_atomic_add(ctx, &object, 1L, right ? me : peer);  // races
  shmem_atomic_add(&object, 1L, (me + 1) % (last + 1));   // races
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  shmem_ctx_destroy(ctx);
}

// ---- a fence or quiet of one thread, and another thread that tells

void put_and_complete(void (*complete)()) {
  if (me == 0) {
    std::thread first([&] {
      shmem_put(data, source, n, last);  // races
      complete();
    });
    if (right) first.join();
    std::thread second([] { shmem_atomic_set(&flag, 1L, last); });
    second.join();
    if (!right) first.join();
  }
  if (me == last) {
    shmem_wait_until(&flag, SHMEM_CMP_EQ, 1L);
    use(data[5]);  // races
  }
}

// case fence_and_set threads: data[5]: PE 0 needs|nothing orders them
void fence_and_set() { put_and_complete(shmem_fence); }
// case quiet_and_set threads: data[5]: PE 0 needs|nothing orders them
void quiet_and_set() { put_and_complete(shmem_quiet); }

// ---- functions of the library that access symmetric memory

void begin_put() {
  std::fill(text + 20, text + 28, 'x');
  shmem_putmem_nbi(data, text, n, last);  // races
  if (right) shmem_quiet();
}
void begin_get() {
  shmem_getmem_nbi(text, data, n, last);  // races
  if (right) shmem_quiet();
}

// case reverse: text[*]: PE 0 needs a quiet between them
void reverse() {
  if (me != 0) return;
  begin_put();
  std::reverse(std::begin(text), std::end(text));  // races
  shmem_quiet();
}
// case copy: text[*]: PE 0 needs a quiet between them
void copy() {
  if (me != 0) return;
  const char other[n] = "other";
  begin_put();
  std::copy(other, other + n, text);  // races
  shmem_quiet();
}
// case copy_string: text[*]: PE 0 needs a quiet between them
void copy_string() {
  if (me != 0) return;
  begin_put();
  std::strcpy(text, "other");  // races
  shmem_quiet();
}
// case measure: text[*]: PE 0 needs a quiet between them
void measure() {
  if (me != 0) return;
  begin_get();
  use(static_cast<long>(std::strlen(text)));  // races
  shmem_quiet();
}
// case write_block: text[*]: PE 0 needs a quiet between them
void write_block() {
  if (me != 0) return;
  std::FILE* const file = std::fopen("/dev/null", "w");
  begin_get();
  std::fwrite(text, 1, n, file);  // races
  std::fclose(file);
  shmem_quiet();
}

constexpr struct {
  std::string_view name;
  void (*run)();
} cases[] = {
    {"refill", refill},
    {"reread_dest", reread_dest},
    {"reuse_result", reuse_result},
    {"get_and_load", get_and_load},
    {"put_and_fill", put_and_fill},
    {"flag_in_private_memory", flag_in_private_memory},
    {"condition", condition},
    {"sections", sections},
    {"tasks", tasks},
    {"task_with_object", task_with_object},
    {"locked_sections", locked_sections},
    {"int_and_long", int_and_long},
    {"wait_for_long", wait_for_long},
    {"other_team", other_team},
    {"fence_and_set", fence_and_set},
    {"quiet_and_set", quiet_and_set},
    {"reverse", reverse},
    {"copy", copy},
    {"copy_string", copy_string},
    {"measure", measure},
    {"write_block", write_block},
};

}  // namespace

int main(int argc, char** argv) {
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  me = shmem_my_pe();
  last = shmem_n_pes() - 1;
  right = argc == 3 && std::string_view(argv[2]) == "right";
  for (const auto& some : cases)
    if (argc == 3 && some.name == argv[1]) some.run();
  shmem_barrier_all();
  if (me == 0) std::puts("done");
  shmem_finalize();
}
