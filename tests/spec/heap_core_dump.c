// Extension: a core file holds the heap that the PE has used, not that of all PEs: the kernel leaves out mappings with
// the flag "dd" (do not dump) in /proc/self/smaps.
// @since 1.6
// @extension
// @run pes=1,2,4 SHMEM_SYMMETRIC_SIZE=400m
#include <stdio.h>
#include <string.h>
#include "check.h"

enum { megabyte = 1 << 20 };

// Bytes of mappings of the node segment that a core file would hold; whether `wanted` is in one of them.
static size_t dumped_bytes(const void* wanted, int* holds) {
  FILE* maps = fopen("/proc/self/smaps", "r");
  CHECK(maps != NULL, "no /proc/self/smaps");
  char line[512];
  unsigned long low = 0, high = 0;
  size_t sum = 0;
  int segment = 0;
  *holds = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long from = 0, to = 0;
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
      low = from, high = to;
      segment = strstr(line, "memfd:") != NULL;
    }
    if (!segment || strncmp(line, "VmFlags:", 8) != 0 || strstr(line, " dd") != NULL) continue;
    sum += high - low;
    *holds |= (unsigned long)wanted >= low && (unsigned long)wanted < high;
  }
  fclose(maps);
  return sum;
}

int main(void) {
  shmem_init();
  int holds = 0;
  const size_t before = dumped_bytes(NULL, &holds);
  CHECK(before < 32 * megabyte, "%zu bytes in a core file before the heap is used", before);
  char* block = shmem_malloc(64 * megabyte);
  const size_t after = dumped_bytes(block + 64 * megabyte - 1, &holds);
  CHECK(holds, "the last byte of a block is not in a core file");
  CHECK(after - before < 80 * megabyte, "%zu bytes more for 64 MiB", after - before);
  shmem_finalize();
  return 0;
}
