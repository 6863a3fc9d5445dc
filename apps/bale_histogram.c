/* A histogram that is dealt out to the PEs: random counters are incremented.
 *
 *     oshrun -n 4 bale_histogram [counters updates] [--steps N] [--sync LIST|all|plain] ...
 *
 * Both numbers are for each PE. The plain way makes one atomic addition for each update. The other ways collect
 * updates into messages. To check, each PE repeats the updates of all PEs and compares its counters.
 */
#include <stdlib.h>

#include "bale_random.h"
#include "halo/app.h"
#include "halo/mail.h"
#include "halo/words.h"

typedef struct histogram {
  uint64_t counters, all; /* on this PE, on all PEs; counter g is word g / PEs of PE g % PEs */
  long updates;
  int step;
  range_t* todo; /* of this PE's updates, for each thread */
  words_t* words;
  mail_t* mail; /* NULL: plain */
} histogram_t;

static uint64_t target(const histogram_t* h, int step, int pe, long i) {
  return random_below((uint64_t)step * 65536 + (uint64_t)pe, (uint64_t)i, h->all);
}

static void update_part(int thread, void* of) {
  const histogram_t* h = of;
  const uint64_t n = (uint64_t)halo_pes();
  const range_t todo = h->todo[thread];
  words_batch_begin(h->words, thread);
  for (long i = todo.next; i < todo.end; i++) {
    const uint64_t g = target(h, h->step, halo_me(), i);
    words_add(h->words, thread, (long)(g / n), (int)(g % n), 1);
  }
  words_batch_end(h->words, thread);
}

static void update_plain(histogram_t* h) {
  timers_enter(PHASE_EXCHANGE);
  threads_run(update_part, h);
  words_settle(h->words);
  timers_enter(PHASE_COMPUTE);
}

static void push_part(int thread, void* of) {
  const histogram_t* h = of;
  const uint64_t n = (uint64_t)halo_pes();
  range_t todo = h->todo[thread];
  for (; todo.next < todo.end; todo.next++) {
    const uint64_t g = target(h, h->step, halo_me(), todo.next);
    if (!mail_push(h->mail, thread, (int)(g % n), g / n, 0)) break;
  }
  h->todo[thread] = todo;
}

static void count_part(int thread, void* of) {
  const histogram_t* h = of;
  uint64_t *const mine = words_mine(h->words), at, unused;
  int from;
  while (mail_pop(h->mail, thread, &from, &at, &unused)) threads_add(&mine[at < h->counters ? at : 0], 1);
}

static void update_by_mail(histogram_t* h) {
  int more;
  do {
    timers_enter(PHASE_PACK);
    threads_run(push_part, h);
    more = mail_go(h->mail);
    timers_enter(PHASE_COMPUTE);
    threads_run(count_part, h);
  } while (more);
}

static int differs(const histogram_t* h, int steps) {
  const uint64_t n = (uint64_t)halo_pes();
  uint64_t* const mine = words_mine(h->words);
  uint64_t* const right = calloc(h->counters, sizeof *right);
  int wrong = 0;
  if (right == NULL) halo_abort(3);
  for (int step = 0; step < steps; step++)
    for (int pe = 0; pe < halo_pes(); pe++)
      for (long i = 0; i < h->updates; i++) {
        const uint64_t g = target(h, step, pe, i);
        right[g / n] += (int)(g % n) == halo_me();
      }
  for (uint64_t i = 0; i < h->counters; i++) wrong |= mine[i] != right[i];
  free(right);
  return halo_sum(wrong) > 0.0;
}

static uint64_t checksum(const histogram_t* h) {
  const uint64_t* const mine = words_mine(h->words);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < h->counters; i++) sum += mine[i] * scramble(i * (uint64_t)halo_pes() + (uint64_t)halo_me());
  return halo_sum_u64(sum);
}

/* ---- the app */

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {
    .name = "bale_histogram",
    .usage = "[counters updates] [--scaling strong|weak] [--steps N]",
    .unit = "Mupdate/s",
    .numbers = 2,
    .standard = {.number = {10000, 1000000}, .steps = 1, .threads = 1, .weak = 1, .syncs = 1u << SYNC_BARRIER},
    .own_way = words_way,
    .refuse = app_refuse_image,
    .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  const long n = halo_pes();
  histogram_t h = {.counters = (uint64_t)(o->weak ? o->number[0] : (o->number[0] + n - 1) / n),
                   .updates = o->weak ? o->number[1] : (o->number[1] + n - 1) / n};
  (void)first;
  h.all = h.counters * (uint64_t)n;
  h.todo = ranges_create();
  h.words = words_create((long)h.counters);
  h.mail = how < SYNCS ? mail_create(how) : NULL;
  if (h.todo == NULL || h.words == NULL || (how < SYNCS && h.mail == NULL)) app_no_memory(&app);
  app_clock_start();
  for (h.step = 0; h.step < o->steps; h.step++) {
    ranges_split(h.todo, h.updates);
    if (h.mail == NULL)
      update_plain(&h);
    else
      update_by_mail(&h);
  }
  app_clock_stop();
  const app_result_t result = {.work = 1e-6 * (double)h.updates * (double)n * o->steps,
                               .checksum = checksum(&h),
                               .wrong = differs(&h, o->steps)};
  mail_destroy(h.mail);
  words_destroy(h.words);
  free(h.todo);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
