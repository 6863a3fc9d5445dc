// The calls of OpenSHMEM that exchange plans and the FFT use, on the modelled machine.
#include <sched.h>
#include <shmem.h>

#include <cstring>

#include "one_sided.hpp"

namespace {

using oshen::model::call;
using oshen::model::flag_condition;
using oshen::model::one_sided_machine;

// The machine, for one call of it. Its frames are on the stack of the PE and leave values of the search there.
class machine_call {
 public:
  machine_call() = default;
  ~machine_call() { oshen::model::clear_stack_below(); }
  machine_call(const machine_call&) = delete;
  machine_call& operator=(const machine_call&) = delete;
  one_sided_machine* operator->() const { return &one_sided_machine::current(); }
};

machine_call machine() { return {}; }

}  // namespace

extern "C" {

int shmem_my_pe(void) { return machine()->me(); }
int shmem_n_pes(void) { return machine()->n_pes(); }
void shmem_info_get_name(char* name) { std::strcpy(name, "model"); }

void* shmem_align(size_t, size_t bytes) { return machine()->allocate(bytes); }
void shmem_free(void*) {}

void* shmem_ptr(const void* address, int pe) {
  if (pe != machine()->me() && !machine()->mapped()) return nullptr;
  return machine()->heap(pe) + machine()->offset_of(address);
}
int shmem_addr_accessible(const void*, int) { return 1; }

void shmem_putmem(void* to, const void* from, size_t n, int pe) {
  machine()->put(machine()->offset_of(to), from, n, pe);
}
void shmem_putmem_nbi(void* to, const void* from, size_t n, int pe) {
  machine()->put_late(machine()->offset_of(to), from, n, pe);
}
void shmem_uint64_p(uint64_t* to, uint64_t value, int pe) {
  machine()->put(machine()->offset_of(to), &value, sizeof value, pe);
}
void shmem_uint64_atomic_set(uint64_t* to, uint64_t value, int pe) { shmem_uint64_p(to, value, pe); }
void shmem_putmem_signal(void* to, const void* from, size_t n, uint64_t* signal, uint64_t value, int, int pe) {
  const std::uint64_t data = machine()->put(machine()->offset_of(to), from, n, pe);
  machine()->put(machine()->offset_of(signal), &value, sizeof value, pe, data);
}
void shmem_getmem(void* to, const void* from, size_t n, int pe) {
  machine()->get(to, machine()->offset_of(from), n, pe);
}

void shmem_fence(void) { machine()->fence(); }
void shmem_quiet(void) {
  machine()->fence();
  if (machine()->has_pending()) machine()->park({call::quiet, {}});
}

int shmem_uint64_test(uint64_t* flag, int, uint64_t value) {
  if (machine()->parks_to_test()) machine()->park({call::test, {{machine()->offset_of(flag), value}}});
  return *flag >= value ? 1 : 0;
}
void shmem_uint64_wait_until(uint64_t* flag, int, uint64_t value) {
  machine()->park({call::wait, {{machine()->offset_of(flag), value}}});
}
size_t shmem_uint64_wait_until_any_vector(uint64_t* flags, size_t n, const int* status, int, const uint64_t* values) {
  std::vector<flag_condition> armed;
  for (size_t i = 0; i < n; i++)
    if (status[i] == 0) armed.push_back({machine()->offset_of(flags + i), values[i]});
  machine()->park({call::wait, armed});
  for (size_t i = 0; i < n; i++)
    if (status[i] == 0 && flags[i] >= values[i]) return i;
  return SIZE_MAX;
}

void shmem_barrier_all(void) {
  shmem_quiet();
  machine()->park({call::meet, {}});
}
void shmem_global_exit(int) {
  machine()->trouble("shmem_global_exit");
  for (;;) machine()->park({call::finished, {}});
}

int shmem_team_n_pes(shmem_team_t) { return machine()->n_pes(); }
int shmem_team_translate_pe(shmem_team_t, int pe, shmem_team_t) { return pe; }

int sched_yield(void) noexcept {
  if (oshen::model::running_fiber() != nullptr) machine()->park({call::yield, {}});
  return 0;
}

}  // extern "C"
