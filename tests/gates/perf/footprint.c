// Counts the pages of the node segment that are backed by memory, in every slice of this node. The counts are the
// memory of an unused PE, and the memory that a first collective, a first few teams and a network add.
// docs/design/node-segment.md, "Memory per PE", has the formula and its limits.
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { control_pages = 4, teams = 17, resident_teams = 16, alignment = 2 << 20 };

static size_t page;
static char* segment;  // of this node: a page of 2 MiB, then the slices
static size_t segment_bytes;
static size_t stride, heap_offset, data_pages;
static int first_pe, n_slices;  // of this node

typedef struct range {
  size_t least, most;
} range;

static void expect(const char* what, int slice, size_t is, range expected) {
  if (is >= expected.least && is <= expected.most) return;
  fprintf(stderr, "footprint: PE %d, slice %d: %s: %zu pages, expected %zu to %zu\n", shmem_my_pe(), slice, what, is,
          expected.least, expected.most);
  shmem_global_exit(1);
}

static void insist(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "footprint: PE %d: %s\n", shmem_my_pe(), what);
  shmem_global_exit(1);
}

// The segment is the largest mapping of a memfd. Advice to the kernel splits it, so adjacent ranges of /proc/self/maps
// are joined first.
static void find_segment(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long begin = 0, end = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long low = 0, high = 0;
    if (strstr(line, "memfd:") == NULL || sscanf(line, "%lx-%lx", &low, &high) != 2) continue;
    if (low != end) begin = low;
    end = high;
    if (end - begin <= segment_bytes) continue;
    segment = (char*)begin;
    segment_bytes = end - begin;
  }
  if (maps != NULL) fclose(maps);
  insist(segment != NULL, "no mapping of a memfd");
}

// Pages of the program's variables, which the library copies into the slice.
static int add_data(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && (part->p_flags & PF_W) != 0) data_pages += part->p_memsz / page + 2;
  }
  return 1;  // the executable is the first
}

static size_t backed(const char* from, size_t bytes) {
  const size_t n = bytes / page;
  unsigned char* present = malloc(n + 1);
  insist(present != NULL && mincore((void*)from, n * page, present) == 0, "mincore");
  size_t count = 0;
  for (size_t i = 0; i < n; i++) count += present[i] & 1;
  free(present);
  return count;
}

static void measure_layout(char* first_block) {
  const int me = shmem_my_pe();
  while (first_pe < me && shmem_ptr(first_block, first_pe) == NULL) first_pe++;
  int end = first_pe;
  while (end < shmem_n_pes() && shmem_ptr(first_block, end) != NULL) end++;
  n_slices = end - first_pe;
  stride = (segment_bytes - alignment) / (size_t)n_slices;
  heap_offset = (size_t)(first_block - segment - alignment) - (size_t)(me - first_pe) * stride;
}

static void expect_pages(const char* when, size_t control, range annex_of_first, range annex_of_others) {
  for (int i = 0; i < n_slices; i++) {
    const char* slice = segment + alignment + (size_t)i * stride;
    const size_t before = backed(slice, heap_offset), behind = backed(slice + heap_offset, stride - heap_offset);
    expect(when, i, before, (range){1, control + data_pages});
    expect(when, i, behind, i == 0 ? annex_of_first : annex_of_others);
  }
}

int main(int argc, char** argv) {
  const int spans = argc > 1 && strcmp(argv[1], "spans") == 0;
  static long one = 1, sum;
  page = (size_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(add_data, NULL);
  shmem_init();
  find_segment();
  char* block = shmem_malloc(sizeof(long));  // touches nothing
  measure_layout(block);
  insist(heap_offset <= alignment + data_pages * page, "the control page and the variables reach beyond 2 MiB");
  // With other nodes the first PE keeps the addresses of all, and collectives of many steps use a workspace.
  const range nothing = {0, 0}, table = {spans ? 1 : 0, spans ? 1 : 0};
  expect_pages("after init", spans ? 64 : control_pages, table, nothing);
  shmem_barrier_all();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1);
  shmem_barrier_all();
  insist(sum == shmem_n_pes(), "the sum is wrong");
  expect_pages("after a reduction", spans ? 64 : control_pages, table, nothing);
  shmem_barrier_all();
  shmem_team_t team[teams];
  for (int i = 0; i < teams; i++) shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team[i]);
  shmem_barrier_all();
  // Slots 0 and 1 are those of all PEs and of the node; each of those that the control page has no place for touches
  // three pages at most.
  const range slots = {0, 3 * (teams + 2 - resident_teams) + 1};
  if (!spans) expect_pages("after the teams", control_pages + 2 * resident_teams + 2, slots, slots);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("ok: slices of %zu bytes, the heap at %zu\n", stride, heap_offset);
  shmem_finalize();
  return 0;
}
