// The real memories, the model's copy of the memory of all PEs, and the claims on their bytes.
#include <string.h>
#include "state.h"

int me, n_pes, threads_may_call;

static _Alignas(64) unsigned char static_memory[memory_bytes];
static unsigned char* heap_memory;
static unsigned char* private_memory;

static unsigned char model[most_pes][MEMORIES][memory_bytes];
static unsigned char claims[most_pes][MEMORIES][memory_bytes];
static const struct operation* writers[most_pes][MEMORIES][memory_bytes];

static unsigned char* base(enum memory memory) {
  return memory == HEAP ? heap_memory : memory == STATIC ? static_memory : private_memory;
}

void* here(struct place place) { return base(place.memory) + place.offset; }

const void* model_at(int pe, struct place place) { return &model[pe][place.memory][place.offset]; }

void model_write(const struct operation* op, int pe, struct place place, const void* bytes, size_t count) {
  if (count == 0) return;
  memmove(&model[pe][place.memory][place.offset], bytes, count);
  for (size_t i = 0; i < count; i++) writers[pe][place.memory][place.offset + i] = op;
}

void memories_fill(struct random* r, void* heap, void* private) {
  heap_memory = heap;
  private_memory = private;
  for (int pe = 0; pe < n_pes; pe++)
    for (int m = 0; m < MEMORIES; m++)
      for (size_t i = 0; i < memory_bytes; i++) model[pe][m][i] = (unsigned char)random_word(r);
  for (int m = 0; m < MEMORIES; m++) memcpy(base((enum memory)m), model[me][m], memory_bytes);
}

void claims_clear(void) {
  memset(claims, FREE, (size_t)n_pes * sizeof claims[0]);
  memset(writers, 0, (size_t)n_pes * sizeof writers[0]);
}

// Takes the bytes if each is free or already held as `claim`, which must be a claim that can be
// shared.
static int take(int pe, struct place place, size_t bytes, unsigned char claim, int shared) {
  unsigned char* range = &claims[pe][place.memory][place.offset];
  for (size_t i = 0; i < bytes; i++)
    if (range[i] != FREE && !(shared && range[i] == claim)) return 0;
  memset(range, claim, bytes);
  return 1;
}

int claim_read(int pe, struct place place, size_t bytes) { return take(pe, place, bytes, READ, 1); }
int claim_write(int pe, struct place place, size_t bytes) { return take(pe, place, bytes, WRITTEN, 0); }
int claim_class(int pe, struct place place, size_t bytes, int class) {
  return take(pe, place, bytes, (unsigned char)(FIRST_CLASS + class), 1);
}

static struct place random_place(struct random* r, int memories, size_t width, size_t bytes) {
  struct place place = {(enum memory)random_int(r, memories), 0};
  place.offset = random_below(r, (data_bytes - bytes) / width + 1) * width;
  return place;
}
struct place random_symmetric(struct random* r, size_t width, size_t bytes) {
  return random_place(r, PRIVATE, width, bytes);
}
struct place random_local(struct random* r, size_t width, size_t bytes) {
  return random_place(r, MEMORIES, width, bytes);
}
struct place random_cell(struct random* r) {
  const size_t cell = random_below(r, cells);
  return (struct place){random_int(r, 2) ? HEAP : STATIC, data_bytes + 8 * cell};
}

int first_difference(struct difference* found) {
  for (int m = 0; m < MEMORIES; m++) {
    const unsigned char* real = base((enum memory)m);
    if (memcmp(real, model[me][m], memory_bytes) == 0) continue;
    size_t i = 0;
    while (real[i] == model[me][m][i]) i++;
    *found = (struct difference){{(enum memory)m, i}, real[i], model[me][m][i], writers[me][m][i]};
    return 1;
  }
  return 0;
}
