/* Random updates of a table that is split among the PEs: giga-updates per second.
 *
 *     oshrun -n 4 gups [log2-of-words] [--steps N] [--sync LIST|all] ...
 *
 * Each PE collects at most 1024 updates and sends them to the PEs that own the words, which apply them. In the plain
 * way each update is one atomic operation; each thread has its own context. No update may be lost: each PE computes the
 * whole stream alone and compares all its words.
 */
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"
#include "halo/words.h"

enum { look_ahead = 1024, updates_for_each_word = 4 };

/* A thread's part of the stream of this PE. */
typedef struct part {
  uint64_t a; /* the last update that was drawn */
  long left;  /* updates in this round */
  long drawn; /* in this turn, at `update` */
  long stray; /* updates that came although they belong to another PE */
  uint64_t* update;
  int* owner;  /* of each of these updates: the PE that it goes to */
  long* place; /* for each PE: the number of these updates, then the place of the next one in the message */
} part_t;

typedef struct table {
  long words, block; /* of all PEs; of one PE, except the last */
  long first, mine;
  words_t* table;
  uint64_t* word;     /* this PE's part of the table */
  long from, updates; /* this PE's part of the stream */
  int round;
  halo_t* halo; /* NULL: plain */
  part_t* part; /* of each thread */
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

static int owner(const table_t* t, uint64_t a) { return (int)(place_of(t, a) / t->block); }

/* Each round has other updates: the same ones twice would leave the table as it was, as no update would. */
static void begin_part(int thread, void* of) {
  const table_t* t = of;
  part_t* part = &t->part[thread];
  long from, to;
  share(t->updates, threads_count(), thread, &from, &to);
  part->left = to - from;
  part->a = element(t->round * t->words * updates_for_each_word + t->from + from);
}

static void draw_part(int thread, void* of) {
  const table_t* t = of;
  part_t part = t->part[thread];
  const long most = look_ahead / threads_count();
  part.drawn = part.left < most ? part.left : most;
  part.left -= part.drawn;
  for (int pe = 0; pe < halo_pes(); pe++) part.place[pe] = 0;
  for (long i = 0; i < part.drawn; i++) {
    part.a = part.update[i] = next(part.a);
    part.owner[i] = owner(t, part.a);
    part.place[part.owner[i]]++;
  }
  t->part[thread] = part;
}

static void pack_part(int thread, void* of) {
  const table_t* t = of;
  const part_t part = t->part[thread];
  for (long i = 0; i < part.drawn; i++) {
    const int pe = part.owner[i];
    ((uint64_t*)halo_out(t->halo, pe))[part.place[pe]++] = part.update[i];
  }
}

static void pack(table_t* t) {
  timers_enter(PHASE_PACK);
  threads_run(draw_part, t);
  for (int pe = 0; pe < halo_pes(); pe++) {
    long sum = 0;
    for (int thread = 0; thread < threads_count(); thread++) {
      const long own = t->part[thread].place[pe];
      t->part[thread].place[pe] = sum;
      sum += own;
    }
    halo_size(t->halo, pe, (size_t)sum * sizeof(uint64_t));
  }
  threads_run(pack_part, t);
}

/* Threads share the messages, so that several may update one word. */
static void apply_part(int thread, void* of) {
  const table_t copy = *(const table_t*)of, *const t = &copy; /* the compiler must assume that words overlap it */
  const int alone = threads_count() == 1;
  for (int pe = 0; pe < halo_pes(); pe++) {
    size_t bytes;
    const uint64_t* a = halo_in(t->halo, pe, &bytes);
    long from, to;
    share((long)(bytes / sizeof *a), threads_count(), thread, &from, &to);
    for (long i = from; i < to; i++) {
      const long at = place_of(t, a[i]) - t->first;
      if (at < 0 || at >= t->mine)
        t->part[thread].stray++;
      else if (alone)
        t->word[at] ^= a[i];
      else
        __atomic_fetch_xor(&t->word[at], a[i], __ATOMIC_RELAXED);
    }
  }
}

/* All PEs take the same number of turns; the last ones may be empty on some. */
static void update_all(table_t* t) {
  const long most = t->words * updates_for_each_word / halo_pes() + 1, threads = threads_count();
  threads_run(begin_part, t);
  for (long done = 0; done < (most + threads - 1) / threads; done += look_ahead / threads) {
    pack(t);
    halo_send(t->halo);
    halo_wait(t->halo);
    timers_enter(PHASE_COMPUTE);
    threads_run(apply_part, t);
  }
}

static void update_part(int thread, void* of) {
  const table_t* t = of;
  part_t part = t->part[thread];
  for (; part.left > 0; part.left--) {
    part.a = next(part.a);
    const int pe = owner(t, part.a);
    words_xor(t->table, thread, place_of(t, part.a) - pe * t->block, pe, part.a);
  }
}

static void update_all_plain(table_t* t) {
  threads_run(begin_part, t);
  timers_enter(PHASE_EXCHANGE);
  threads_run(update_part, t);
  words_settle(t->table);
  timers_enter(PHASE_COMPUTE);
}

/* ---- the known answer */

static int differs(table_t* t, int rounds) {
  uint64_t a = 1;
  for (long i = 0; i < rounds * t->words * updates_for_each_word; i++) {
    a = next(a);
    const long at = place_of(t, a) - t->first;
    if (at >= 0 && at < t->mine) t->word[at] ^= a;
  }
  long wrong = 0;
  for (int thread = 0; thread < threads_count(); thread++) wrong += t->part[thread].stray;
  for (long i = 0; i < t->mine; i++) wrong += t->word[i] != (uint64_t)(t->first + i);
  return halo_sum((double)wrong) > 0.0;
}

static uint64_t checksum(const table_t* t) {
  uint64_t sum = 0;
  for (long i = 0; i < t->mine; i++) sum += t->word[i] * (2 * (uint64_t)(t->first + i) + 1);
  return halo_sum_u64(sum);
}

/* ---- the app */

static int create_parts(table_t* t) {
  t->part = calloc((size_t)threads_count(), sizeof *t->part);
  for (int thread = 0; t->part != NULL && thread < threads_count(); thread++) {
    t->part[thread].update = malloc(look_ahead * sizeof(uint64_t));
    t->part[thread].owner = malloc(look_ahead * sizeof(int));
    t->part[thread].place = malloc((size_t)halo_pes() * sizeof(long));
    if (t->part[thread].update == NULL || t->part[thread].owner == NULL || t->part[thread].place == NULL) return 1;
  }
  return t->part == NULL;
}

static void destroy_parts(table_t* t) {
  for (int thread = 0; thread < threads_count(); thread++)
    free(t->part[thread].update), free(t->part[thread].owner), free(t->part[thread].place);
  free(t->part);
}

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
  if (link == NULL || t->table == NULL || create_parts(t) != 0) return 1;
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
  if (o->image != NULL) return "--image: there is no picture of this";
  return 1L << o->number[0] < halo_pes() ? "there are fewer words than PEs" : NULL;
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
  for (t.round = 0; t.round < o->steps; t.round++) {
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
  destroy_parts(&t);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
