/* Random updates of a table that is split among the PEs: giga-updates per second.
 *
 *     oshrun -n 4 gups [log2-of-words] [--steps N] [--sync LIST|all] ...
 *
 * Each PE collects at most 1024 updates and sends them to the PEs that own the words, which apply them. In the plain
 * way each update is one atomic operation. No update may be lost: each PE computes the whole stream alone and compares
 * all its words.
 */
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"
#include "halo/words.h"

enum { look_ahead = 1024, updates_for_each_word = 4 };

typedef struct table {
  long words, block; /* of all PEs; of one PE, except the last */
  long first, mine;
  words_t* table;
  uint64_t* word;     /* this PE's part of the table */
  long from, updates; /* this PE's part of the stream */
  halo_t* halo;       /* NULL: plain */
  long* count;        /* of the updates in the message to each PE */
} table_t;

/* ---- the stream: a linear recurrence on 64 bits */

static uint64_t next(uint64_t a) { return (a << 1) ^ ((a >> 63) != 0 ? 7 : 0); }

/* The product of two polynomials over GF(2): element n follows from element 0, which is 1, by squaring and
 * multiplying. */
static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  for (int bit = 63; bit >= 0; bit--) {
    product = next(product);
    if ((b >> bit & 1) != 0) product ^= a;
  }
  return product;
}

static uint64_t element(long n) {
  uint64_t result = 1, power = 2;
  for (; n > 0; n >>= 1, power = times(power, power))
    if ((n & 1) != 0) result = times(result, power);
  return result;
}

static long place_of(const table_t* t, uint64_t a) { return (long)(a & (uint64_t)(t->words - 1)); }

/* ---- the updates */

static void pack(table_t* t, uint64_t* a, long n) {
  timers_enter(PHASE_PACK);
  for (int pe = 0; pe < halo_pes(); pe++) t->count[pe] = 0;
  for (long i = 0; i < n; i++) {
    *a = next(*a);
    const long pe = place_of(t, *a) / t->block;
    ((uint64_t*)halo_out(t->halo, (int)pe))[t->count[pe]++] = *a;
  }
  for (int pe = 0; pe < halo_pes(); pe++) halo_size(t->halo, pe, (size_t)t->count[pe] * sizeof(uint64_t));
}

static void apply(table_t* t) {
  timers_enter(PHASE_COMPUTE);
  for (int pe = 0; pe < halo_pes(); pe++) {
    size_t bytes;
    const uint64_t* a = halo_in(t->halo, pe, &bytes);
    for (size_t i = 0; i < bytes / sizeof *a; i++) t->word[place_of(t, a[i]) - t->first] ^= a[i];
  }
}

/* All PEs take the same number of turns; the last ones may be empty on some. */
static void update_all(table_t* t) {
  const long most = t->words * updates_for_each_word / halo_pes() + 1;
  uint64_t a = element(t->from);
  for (long done = 0; done < most; done += look_ahead) {
    const long left = t->updates - done;
    pack(t, &a, left < 0 ? 0 : left < look_ahead ? left : look_ahead);
    halo_send(t->halo);
    halo_wait(t->halo);
    apply(t);
  }
}

static void update_all_plain(const table_t* t) {
  uint64_t a = element(t->from);
  timers_enter(PHASE_EXCHANGE);
  for (long i = 0; i < t->updates; i++) {
    a = next(a);
    const long pe = place_of(t, a) / t->block;
    words_xor(t->table, place_of(t, a) - pe * t->block, (int)pe, a);
  }
  words_settle(t->table);
  timers_enter(PHASE_COMPUTE);
}

/* ---- the known answer */

static int differs(table_t* t, int rounds) {
  uint64_t a = 1;
  for (long i = 0; i < t->words * updates_for_each_word; i++) {
    a = next(a);
    const long at = place_of(t, a) - t->first;
    if (at >= 0 && at < t->mine && rounds % 2 != 0) t->word[at] ^= a;
  }
  long wrong = 0;
  for (long i = 0; i < t->mine; i++) wrong += t->word[i] != (uint64_t)(t->first + i);
  return halo_sum((double)wrong) > 0.0;
}

static uint64_t checksum(const table_t* t) {
  uint64_t sum = 0;
  for (long i = 0; i < t->mine; i++) sum += t->word[i] * (2 * (uint64_t)(t->first + i) + 1);
  return halo_sum_u64(sum);
}

/* ---- the app */

static int create(table_t* t, long words, sync_how_t how) {
  const int n = halo_pes(), me = halo_me();
  long end;
  halo_link_t* link = malloc((size_t)n * sizeof *link);
  *t = (table_t){.words = words, .block = (words + n - 1) / n};
  t->first = t->block * me < words ? t->block * me : words;
  end = t->first + t->block < words ? t->first + t->block : words;
  t->mine = end - t->first;
  share(words * updates_for_each_word, n, me, &t->from, &end);
  t->updates = end - t->from;
  t->table = words_create(t->block);
  t->count = malloc((size_t)n * sizeof *t->count);
  if (link == NULL || t->table == NULL || t->count == NULL) return 1;
  t->word = words_mine(t->table);
  for (long i = 0; i < t->mine; i++) t->word[i] = (uint64_t)(t->first + i);
  for (int pe = 0; pe < n; pe++) link[pe] = (halo_link_t){pe, me};
  if (how < SYNCS) t->halo = halo_create(how, n, link, look_ahead * sizeof(uint64_t));
  words_settle(t->table);
  free(link);
  return how < SYNCS && t->halo == NULL;
}

static const char* refuse(const app_options_t* o) {
  if (o->number[0] > 40) return "the table has more than 2^40 words";
  return 1L << o->number[0] < halo_pes() ? "there are fewer words than PEs" : app_refuse_threads(o);
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "gups",
                          .usage = "[log2-of-words] [--steps N]",
                          .unit = "GUP/s",
                          .numbers = 1,
                          .standard = {.number = {20}, .steps = 1, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .own_way = words_way,
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  table_t t;
  (void)first;
  if (create(&t, 1L << o->number[0], how) != 0) app_no_memory(&app);
  app_clock_start();
  for (int i = 0; i < o->steps; i++) {
    if (t.halo == NULL)
      update_all_plain(&t);
    else
      update_all(&t);
  }
  app_clock_stop();
  app_result_t result = {.work = 1e-9 * (double)t.words * updates_for_each_word * o->steps, .checksum = checksum(&t)};
  result.wrong = differs(&t, o->steps);
  if (t.halo != NULL) halo_destroy(t.halo);
  words_destroy(t.table);
  free(t.count);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
