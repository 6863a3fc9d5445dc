#include "turns.h"

#include "engine.h"
#include "page.h"

static double evenness(void) {
  uint64_t least = page_get(&page->progress[0]), most = least;
  for (int pe = 1; pe < bench_pes; ++pe) {
    const uint64_t turns = page_get(&page->progress[pe]);
    least = turns < least ? turns : least;
    most = turns > most ? turns : most;
  }
  return most > 0 ? 100.0 * (double)least / (double)most : 100;
}

void turns_prepare(void) { bench_also("_evenness", "%", evenness); }

void turns_tell(long mine) { page_set(&page->progress[bench_me], (uint64_t)mine); }

bool turns_are(long count) {
  uint64_t turns = 0;
  for (int pe = 0; pe < bench_pes; ++pe) turns += page_get(&page->progress[pe]);
  return turns == (uint64_t)(count * bench_pes);
}
