/* Random reads of a table that is dealt out to the PEs (index gather).
 *
 *     oshrun -n 4 bale_gather [words reads] [--steps N] [--sync LIST|all|plain] ...
 *
 * Both numbers are for each PE. The plain way makes one non-blocking get for each read. The other ways collect
 * requests and answers into messages. Word g is -(g + 1), so each answer is known.
 */
#include <stdlib.h>

#include "bale_random.h"
#include "halo/app.h"
#include "halo/mail.h"
#include "halo/words.h"

typedef struct table {
  uint64_t words, all; /* on this PE, on all PEs; word g is word g / PEs of PE g % PEs */
  long reads;
  int step;
  range_t* todo; /* of this PE's reads, for each thread */
  words_t* table;
  uint64_t* answer;
  mail_t *requests, *answers; /* NULL: plain */
} table_t;

static uint64_t target(const table_t* t, int step, long i) {
  return random_below((uint64_t)step * 65536 + (uint64_t)halo_me(), (uint64_t)i, t->all);
}

static void read_part(int thread, void* of) {
  const table_t* t = of;
  const uint64_t n = (uint64_t)halo_pes();
  const range_t todo = t->todo[thread];
  words_batch_begin(t->table, thread);
  for (long i = todo.next; i < todo.end; i++) {
    const uint64_t g = target(t, t->step, i);
    words_get_later(t->table, thread, (long)(g / n), (int)(g % n), &t->answer[i]);
  }
  words_batch_end(t->table, thread);
}

static void read_plain(table_t* t) {
  timers_enter(PHASE_EXCHANGE);
  threads_run(read_part, t);
  words_settle(t->table);
  timers_enter(PHASE_COMPUTE);
}

static void request_part(int thread, void* of) {
  const table_t* t = of;
  const uint64_t n = (uint64_t)halo_pes();
  range_t todo = t->todo[thread];
  for (; todo.next < todo.end; todo.next++) {
    const uint64_t g = target(t, t->step, todo.next);
    if (!mail_push(t->requests, thread, (int)(g % n), g / n, (uint64_t)todo.next)) break;
  }
  t->todo[thread] = todo;
}

static void answer_part(int thread, void* of) {
  const table_t* t = of;
  const uint64_t* const mine = words_mine(t->table);
  uint64_t at, which;
  int from;
  while (mail_pop(t->requests, thread, &from, &at, &which))
    mail_push(t->answers, thread, from, mine[at < t->words ? at : 0], which);
}

static void take_part(int thread, void* of) {
  const table_t* t = of;
  uint64_t value, which;
  int from;
  while (mail_pop(t->answers, thread, &from, &value, &which))
    if (which < (uint64_t)t->reads) t->answer[which] = value;
}

/* All requests of one turn are answered in one turn of `answers`. */
static void read_by_mail(table_t* t) {
  int more;
  timers_enter(PHASE_PACK);
  do {
    threads_run(request_part, t);
    more = mail_go(t->requests);
    threads_run(answer_part, t);
    mail_go(t->answers);
    threads_run(take_part, t);
  } while (more);
  timers_enter(PHASE_COMPUTE);
}

static long count_wrong(const table_t* t) {
  long wrong = 0;
  for (long i = 0; i < t->reads; i++) {
    wrong += t->answer[i] != -(target(t, t->step, i) + 1);
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
  t->todo = ranges_create();
  t->table = words_create((long)t->words);
  t->answer = calloc((size_t)t->reads, sizeof *t->answer);
  if (how < SYNCS) {
    t->requests = mail_create(how);
    t->answers = mail_create(how);
  }
  if (t->todo == NULL || t->table == NULL || t->answer == NULL) return 1;
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
    .refuse = app_refuse_image,
    .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  table_t t;
  long wrong = 0;
  uint64_t sum = 0;
  (void)first;
  if (create(&t, o, how) != 0) app_no_memory(&app);
  app_clock_start();
  for (t.step = 0; t.step < o->steps; t.step++) {
    ranges_split(t.todo, t.reads);
    if (t.requests == NULL)
      read_plain(&t);
    else
      read_by_mail(&t);
    if (t.step == o->steps - 1) break;
    app_clock_pause();
    wrong += count_wrong(&t);
    app_clock_resume();
  }
  app_clock_stop();
  sum = checksum(&t);
  wrong += count_wrong(&t);
  const app_result_t result = {
      .work = 1e-6 * (double)t.reads * halo_pes() * o->steps, .checksum = sum, .wrong = halo_sum((double)wrong) > 0.0};
  mail_destroy(t.requests);
  mail_destroy(t.answers);
  words_destroy(t.table);
  free(t.answer), free(t.todo);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
