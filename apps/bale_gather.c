/* Random reads of a table that is dealt out to the PEs (index gather).
 *
 *     oshrun -n 4 bale_gather [words reads] [--steps N] [--sync LIST|all|plain] ...
 *
 * Both numbers are for each PE. The plain way makes one get for each read. The other ways collect requests and
 * answers into messages. Word g is -(g + 1), so each answer is known.
 */
#include <stdlib.h>

#include "bale_random.h"
#include "halo/app.h"
#include "halo/mail.h"
#include "halo/words.h"

typedef struct table {
  uint64_t words, all; /* on this PE, on all PEs; word g is word g / PEs of PE g % PEs */
  long reads;
  words_t* table;
  uint64_t* answer;
  mail_t *requests, *answers; /* NULL: plain */
} table_t;

static uint64_t target(const table_t* t, int step, long i) {
  return random_below((uint64_t)step * 65536 + (uint64_t)halo_me(), (uint64_t)i, t->all);
}

static void read_plain(const table_t* t, int step) {
  const uint64_t n = (uint64_t)halo_pes();
  timers_enter(PHASE_EXCHANGE);
  for (long i = 0; i < t->reads; i++) {
    const uint64_t g = target(t, step, i);
    t->answer[i] = words_get(t->table, (long)(g / n), (int)(g % n));
  }
  words_settle(t->table);
  timers_enter(PHASE_COMPUTE);
}

/* Answers all requests of one turn in one turn of `answers`. The answers fit, because both mails have bags of the same
 * size. */
static void answer_all(const table_t* t) {
  const uint64_t* const mine = words_mine(t->table);
  uint64_t at, which, value;
  int from;
  timers_enter(PHASE_PACK);
  while (mail_pop(t->requests, &from, &at, &which)) mail_push(t->answers, from, mine[at < t->words ? at : 0], which);
  mail_go(t->answers, 1);
  timers_enter(PHASE_PACK);
  while (mail_pop(t->answers, &from, &value, &which))
    if (which < (uint64_t)t->reads) t->answer[which] = value;
}

static void read_by_mail(const table_t* t, int step) {
  const uint64_t n = (uint64_t)halo_pes();
  long next = 0;
  int more;
  do {
    timers_enter(PHASE_PACK);
    for (; next < t->reads; next++) {
      const uint64_t g = target(t, step, next);
      if (!mail_push(t->requests, (int)(g % n), g / n, (uint64_t)next)) break;
    }
    more = mail_go(t->requests, next == t->reads);
    answer_all(t);
  } while (more);
  timers_enter(PHASE_COMPUTE);
}

static long count_wrong(const table_t* t, int step) {
  long wrong = 0;
  for (long i = 0; i < t->reads; i++) {
    wrong += t->answer[i] != -(target(t, step, i) + 1);
    t->answer[i] = 0;
  }
  return wrong;
}

static uint64_t checksum(const table_t* t) {
  uint64_t sum = 0;
  for (long i = 0; i < t->reads; i++) sum += t->answer[i] * scramble((uint64_t)(i + halo_me()));
  return halo_sum_u64(sum);
}

static int create(table_t* t, const app_options_t* o, sync_how_t how) {
  const long n = halo_pes();
  *t = (table_t){.words = (uint64_t)(o->weak ? o->number[0] : (o->number[0] + n - 1) / n),
                 .reads = o->weak ? o->number[1] : (o->number[1] + n - 1) / n};
  t->all = t->words * (uint64_t)n;
  t->table = words_create((long)t->words);
  t->answer = calloc((size_t)t->reads, sizeof *t->answer);
  if (how < SYNCS) {
    t->requests = mail_create(how);
    t->answers = mail_create(how);
  }
  if (t->table == NULL || t->answer == NULL) return 1;
  if (how < SYNCS && (t->requests == NULL || t->answers == NULL)) return 1;
  for (uint64_t i = 0; i < t->words; i++) words_mine(t->table)[i] = -(i * (uint64_t)n + (uint64_t)halo_me() + 1);
  words_settle(t->table);
  return 0;
}

/* ---- the app */

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {
    .name = "bale_gather",
    .usage = "[words reads] [--scaling strong|weak] [--steps N]",
    .unit = "Mread/s",
    .numbers = 2,
    .standard = {.number = {100000, 1000000}, .steps = 1, .threads = 1, .weak = 1, .syncs = 1u << SYNC_BARRIER},
    .own_way = words_way,
    .refuse = app_refuse_threads,
    .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  table_t t;
  long wrong = 0;
  uint64_t sum = 0;
  (void)first;
  if (create(&t, o, how) != 0) app_no_memory(&app);
  app_clock_start();
  for (int i = 0; i < o->steps; i++) {
    if (t.requests == NULL)
      read_plain(&t, i);
    else
      read_by_mail(&t, i);
    if (i == o->steps - 1) break;
    app_clock_pause();
    wrong += count_wrong(&t, i);
    app_clock_resume();
  }
  app_clock_stop();
  sum = checksum(&t);
  wrong += count_wrong(&t, o->steps - 1);
  const app_result_t result = {
      .work = 1e-6 * (double)t.reads * halo_pes() * o->steps, .checksum = sum, .wrong = halo_sum((double)wrong) > 0.0};
  mail_destroy(t.requests);
  mail_destroy(t.answers);
  words_destroy(t.table);
  free(t.answer);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
