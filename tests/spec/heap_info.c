// Extension: shmemx_heap_info fills structs of any size. It gives the bytes in use now, the most bytes in use so far,
// and the largest block that fits.
// @extension
// @run pes=1,2 SHMEM_SYMMETRIC_SIZE=64M
#include <shmemx.h>

#include "check.h"

static shmemx_heap_info_t now(void) {
  shmemx_heap_info_t info;
  CHECK(shmemx_heap_info(&info, sizeof info) == 0, "heap_info");
  CHECK(info.used + info.largest_free <= info.bytes && info.used <= info.high_water,
        "%zu used, %zu free, %zu at most, of %zu", info.used, info.largest_free, info.high_water, info.bytes);
  return info;
}

// Programs that were compiled with fewer members, or with more, than the library has.
static void check_sizes(void) {
  const shmemx_heap_info_t all = now();
  struct {
    size_t bytes, used, behind;
  } older = {0, 0, 77};
  CHECK(shmemx_heap_info((shmemx_heap_info_t*)&older, 2 * sizeof(size_t)) == 0, "fewer members");
  CHECK(older.bytes == all.bytes && older.used == all.used, "%zu, %zu", older.bytes, older.used);
  CHECK(older.behind == 77, "a byte behind the struct is %zu", older.behind);

  struct {
    shmemx_heap_info_t known;
    size_t unknown, behind;
  } newer = {all, 77, 77};
  newer.known.used = newer.known.card_used = 77;
  CHECK(shmemx_heap_info(&newer.known, sizeof newer.known + sizeof newer.unknown) == 0, "more members");
  CHECK(newer.known.used == all.used && newer.known.card_used == all.card_used, "%zu", newer.known.used);
  CHECK(newer.unknown == 0 && newer.behind == 77, "%zu, %zu", newer.unknown, newer.behind);
  CHECK(shmemx_heap_info(&newer.known, 0) == 0 && newer.known.bytes == all.bytes, "no member");
}

int main(void) {
  shmem_init();
  check_sizes();
  CHECK(shmemx_heap_info(NULL, sizeof(shmemx_heap_info_t)) != 0, "NULL is refused");
  const shmemx_heap_info_t before = now();
  void* block = shmem_malloc(100000);
  const shmemx_heap_info_t with = now();
  CHECK(with.allocations == before.allocations + 1, "%zu blocks", with.allocations);
  CHECK(with.used >= before.used + 100000 && with.used < before.used + 200000, "%zu", with.used);
  CHECK(with.high_water >= with.used && with.bytes == before.bytes, "%zu", with.high_water);
  shmem_free(block);
  const shmemx_heap_info_t after = now();
  CHECK(after.used == before.used && after.allocations == before.allocations, "%zu", after.used);
  CHECK(after.high_water == with.high_water, "the mark stays: %zu", after.high_water);
  void* most = shmem_malloc(after.largest_free);
  CHECK(most != NULL, "what is said to fit fits: %zu bytes", after.largest_free);
  shmem_free(most);
  shmem_finalize();
  return 0;
}
