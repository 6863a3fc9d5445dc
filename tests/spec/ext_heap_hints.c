// Hints of shmem_malloc_with_hints: blocks in pages of 2 MiB, which shmemx_heap_info counts and every PE can use, and
// policies for NUMA nodes, which the next block in the same place does not keep. The kernel is asked what it did.
// @extension
// @run
// @run pes=2 OSHEN_HUGE_PAGES=1 plain
// @run pes=2 differ -> fails /shmem_malloc_with_hints: hints = (0|512), but PE [01] gives (512|0) in the same call/
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <shmemx.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { mebi = 1 << 20, huge = 2 * mebi };
static const size_t bytes = 4 * (size_t)huge;

static size_t bytes_in_huge_pages(void) {
  shmemx_heap_info_t info;
  CHECK(shmemx_heap_info(&info, sizeof info) == 0, "heap_info");
  return info.huge;
}

// Whether the kernel makes a huge page of shared memory on request, since Linux 6.1.
static int kernel_can(void) {
  const int fd = memfd_create("probe", 0);
  int can = 0;
  if (fd >= 0 && ftruncate(fd, 2 * huge) == 0) {
    char* const start = mmap(NULL, 2 * huge, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char* const aligned = start + (huge - (uintptr_t)start % huge) % huge;
    // The place in the file must be aligned as well.
    if (start != MAP_FAILED && munmap(start, 2 * huge) == 0) {
      char* const map = mmap(aligned, huge, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
      if (map != MAP_FAILED) {
        map[0] = 1;
        can = madvise(map, huge, 25) == 0;
        munmap(map, huge);
      }
    }
  }
  close(fd);
  return can;
}

// A neighbour's data is in the pages, and stays there.
static void check_use(unsigned char* block) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  static unsigned char line[4096];
  memset(line, me + 1, sizeof line);
  for (size_t at = 0; at < bytes; at += huge / 2) shmem_putmem(block + at, line, sizeof line, (me + 1) % n);
  shmem_barrier_all();
  for (size_t at = 0; at < bytes; at += huge / 2)
    CHECK(block[at] == (me + n - 1) % n + 1 && block[at + sizeof line - 1] == block[at], "byte %zu: %d", at, block[at]);
  shmem_barrier_all();
}

static void check_huge_pages(long hints, int is_aligned) {
  unsigned char* const block = hints == 0 ? shmem_malloc(bytes) : shmem_malloc_with_hints(bytes, hints);
  CHECK(block != NULL, "no memory");
  if (is_aligned) CHECK((uintptr_t)block % huge == 0, "at %p", (void*)block);
  const size_t least = is_aligned ? bytes : bytes - huge;
  if (kernel_can()) CHECK(bytes_in_huge_pages() >= least, "%zu bytes", bytes_in_huge_pages());
  check_use(block);
  if (kernel_can()) CHECK(bytes_in_huge_pages() >= least, "%zu bytes after use", bytes_in_huge_pages());
  shmem_free(block);
}

static int policy_of(void* block) {
  int mode = -1;
  CHECK(syscall(SYS_get_mempolicy, &mode, NULL, 0, block, MPOL_F_ADDR) == 0, "get_mempolicy");
  return mode;
}

static void check_policy(long hints, int expected) {
  void* const block = shmem_malloc_with_hints(1 * mebi, hints);
  CHECK(policy_of(block) == expected, "hints %lx: policy %d, not %d", hints, policy_of(block), expected);
  memset(block, 1, 1 * mebi);
  shmem_free(block);
  void* const plain = shmem_malloc(1 * mebi);
  CHECK(policy_of(plain) == MPOL_DEFAULT, "a later block has policy %d", policy_of(plain));
  shmem_free(plain);
}

static int has_policies(void) {
  int mode = -1;
  return syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) == 0;
}

int main(int argc, char** argv) {
  shmem_init();
  if (argc > 1 && strcmp(argv[1], "differ") == 0)
    shmem_malloc_with_hints(64, shmem_my_pe() == 0 ? 0 : SHMEMX_MALLOC_NEAR);
  if (argc > 1) {
    check_huge_pages(0, 0);
  } else {
    CHECK(bytes_in_huge_pages() == 0, "huge pages that nobody asked for");
    check_huge_pages(SHMEMX_MALLOC_HUGE_PAGES, 1);
    check_huge_pages(SHMEMX_MALLOC_HUGE_PAGES | SHMEMX_MALLOC_FAR, 1);
    CHECK(shmem_malloc_with_hints(0, SHMEMX_MALLOC_HUGE_PAGES) == NULL, "zero bytes");
    void* const small = shmem_malloc_with_hints(100, SHMEMX_MALLOC_HUGE_PAGES | SHMEM_MALLOC_ATOMICS_REMOTE);
    CHECK(small != NULL, "a small block");
    shmem_free(small);
    if (has_policies()) {
      check_policy(SHMEMX_MALLOC_NUMA_NODE(0), MPOL_PREFERRED);
      check_policy(SHMEMX_MALLOC_FAR, MPOL_INTERLEAVE);
      check_policy(SHMEMX_MALLOC_READ_MOSTLY, MPOL_INTERLEAVE);
      check_policy(SHMEMX_MALLOC_NEAR, MPOL_PREFERRED);
    }
  }
  shmem_finalize();
  return 0;
}
