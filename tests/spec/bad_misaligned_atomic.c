// Atomics, waits, signals and locks need their natural alignment.
// @extension
// @run pes=2 add -> fails /PE 1.*shmem_long_atomic_add.*dest = 0x.*multiple of 8/
// @run pes=2 fetch -> fails /PE 1.*shmem_int_atomic_fetch.*source = 0x.*multiple of 4/
//
// @run pes=2 swap_nbi -> fails /PE 1.*shmem_uint64_atomic_swap_nbi.*dest = 0x.*multiple of 8/
// @run pes=2 signal -> fails /PE 1.*shmem_signal_set.*sig_addr = 0x.*multiple of 8/
// @run pes=2 wait -> fails /PE 1.*shmem_long_wait_until.*ivar = 0x.*multiple of 8/
#include "bad_use.h"

static _Alignas(16) unsigned char bytes[32];

// Hides from the compiler that the pointer is odd.
static void* odd(void) {
  unsigned char* volatile address = bytes + 3;
  return address;
}
static void add(void) { shmem_long_atomic_add(odd(), 1, 0); }
static void fetch(void) { bytes[0] = (unsigned char)shmem_int_atomic_fetch(odd(), 0); }
static void swap_nbi(void) {
  uint64_t old;
  shmem_uint64_atomic_swap_nbi(&old, odd(), 1, 0);
}
static void signal(void) { shmem_signal_set(odd(), 1, 0); }
static void wait(void) { shmem_long_wait_until(odd(), SHMEM_CMP_EQ, 1); }

static const struct mistake mistakes[] = {
    {"add", add}, {"fetch", fetch}, {"swap_nbi", swap_nbi}, {"signal", signal}, {"wait", wait}};

int main(int argc, char** argv) {
  shmem_init();
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
