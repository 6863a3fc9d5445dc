/* Permutes rows and columns of a sparse matrix whose rows are dealt out to the PEs.
 *
 *     oshrun -n 4 bale_permute [rows nonzeros] [--steps N] [--sync LIST|all|plain] ...
 *
 * The numbers are the rows of all PEs and the non-zeros of one row. The permutations are dealt out, too, so that a PE
 * must fetch the new number of a column. The plain way makes one get and one put for each non-zero. The other ways
 * collect requests, answers and non-zeros into messages. To check, each PE makes the matrix again and compares its
 * rows.
 */
#include <stdlib.h>

#include "bale_matrix.h"
#include "bale_random.h"
#include "halo/app.h"
#include "halo/mail.h"
#include "halo/words.h"

enum { row_stream = 1, column_stream = 2, matrix_stream = 16 };

typedef struct matrix {
  uint64_t n, nonzeros; /* rows, non-zeros of a row; row r is number r / PEs of PE r % PEs */
  uint64_t rows;        /* of this PE */
  int step;
  range_t* todo;                           /* of my non-zeros, for each thread */
  words_t* goes;                           /* the new number of each column, dealt out as rows are */
  words_t* result;                         /* columns of my rows of the result */
  uint64_t* answer;                        /* for each of my non-zeros */
  mail_t *requests, *answers, *deliveries; /* NULL: plain */
} matrix_t;

static uint64_t column_of(const matrix_t* m, uint64_t row, uint64_t k) {
  return random_below(matrix_stream + (uint64_t)m->step, row * m->nonzeros + k, m->n);
}

/* Returns the column of the non-zero `i` of my rows, and its PE and place in the result. */
static uint64_t find(const matrix_t* m, uint64_t i, int* pe, uint64_t* at) {
  const uint64_t n = (uint64_t)halo_pes(), k = i % m->nonzeros;
  const uint64_t row = i / m->nonzeros * n + (uint64_t)halo_me();
  const uint64_t to = shuffled(row_stream, row, m->n);
  *pe = (int)(to % n);
  *at = to / n * m->nonzeros + k;
  return column_of(m, row, k);
}

static long count_of(const matrix_t* m) { return (long)(m->rows * m->nonzeros); }

static void permute_part(int thread, void* of) {
  const matrix_t* m = of;
  const uint64_t n = (uint64_t)halo_pes();
  const range_t todo = m->todo[thread];
  int pe;
  uint64_t at;
  for (long i = todo.next; i < todo.end; i++) {
    const uint64_t c = find(m, (uint64_t)i, &pe, &at);
    words_put(m->result, thread, (long)at, pe, words_get(m->goes, thread, (long)(c / n), (int)(c % n)));
  }
}

static void permute_plain(matrix_t* m) {
  ranges_split(m->todo, count_of(m));
  timers_enter(PHASE_EXCHANGE);
  threads_run(permute_part, m);
  words_settle(m->result);
  timers_enter(PHASE_COMPUTE);
}

/* ---- aggregated: where the columns go, then the non-zeros */

static void request_part(int thread, void* of) {
  const matrix_t* m = of;
  const uint64_t n = (uint64_t)halo_pes();
  range_t todo = m->todo[thread];
  uint64_t at;
  int pe;
  for (; todo.next < todo.end; todo.next++) {
    const uint64_t c = find(m, (uint64_t)todo.next, &pe, &at);
    if (!mail_push(m->requests, thread, (int)(c % n), c / n, (uint64_t)todo.next)) break;
  }
  m->todo[thread] = todo;
}

static void answer_part(int thread, void* of) {
  const matrix_t* m = of;
  const uint64_t* const goes = words_mine(m->goes);
  uint64_t column, i;
  int from;
  while (mail_pop(m->requests, thread, &from, &column, &i))
    mail_push(m->answers, thread, from, goes[column < m->rows ? column : 0], i);
}

static void take_part(int thread, void* of) {
  const matrix_t* m = of;
  uint64_t column, i;
  int from;
  while (mail_pop(m->answers, thread, &from, &column, &i))
    if (i < (uint64_t)count_of(m)) m->answer[i] = column;
}

static void ask(matrix_t* m) {
  int more;
  ranges_split(m->todo, count_of(m));
  do {
    threads_run(request_part, m);
    more = mail_go(m->requests);
    threads_run(answer_part, m);
    mail_go(m->answers);
    threads_run(take_part, m);
  } while (more);
}

static void deliver_part(int thread, void* of) {
  const matrix_t* m = of;
  range_t todo = m->todo[thread];
  uint64_t at;
  int pe;
  for (; todo.next < todo.end; todo.next++) {
    find(m, (uint64_t)todo.next, &pe, &at);
    if (!mail_push(m->deliveries, thread, pe, at, m->answer[todo.next])) break;
  }
  m->todo[thread] = todo;
}

static void store_part(int thread, void* of) {
  const matrix_t* m = of;
  uint64_t *const result = words_mine(m->result), at, column;
  int from;
  while (mail_pop(m->deliveries, thread, &from, &at, &column))
    if (at < (uint64_t)count_of(m)) result[at] = column;
}

static void deliver(matrix_t* m) {
  int more;
  ranges_split(m->todo, count_of(m));
  do {
    threads_run(deliver_part, m);
    more = mail_go(m->deliveries);
    threads_run(store_part, m);
  } while (more);
}

static void permute_by_mail(matrix_t* m) {
  timers_enter(PHASE_PACK);
  ask(m);
  deliver(m);
  timers_enter(PHASE_COMPUTE);
}

/* ---- the known answer */

/* Collective: no PE returns, and changes the result in the next step, before all have looked. */
static int differs(const matrix_t* m) {
  const uint64_t n = (uint64_t)halo_pes();
  const uint64_t* const result = words_mine(m->result);
  long wrong = 0;
  for (uint64_t row = 0; row < m->n; row++) {
    const uint64_t to = shuffled(row_stream, row, m->n);
    if ((int)(to % n) != halo_me()) continue;
    for (uint64_t k = 0; k < m->nonzeros; k++) {
      const uint64_t right = shuffled(column_stream, column_of(m, row, k), m->n);
      wrong += result[to / n * m->nonzeros + k] != right;
    }
  }
  return halo_sum((double)wrong) > 0.0;
}

static uint64_t checksum(const matrix_t* m) {
  const uint64_t n = (uint64_t)halo_pes();
  uint64_t sum = 0;
  for (uint64_t i = 0; i < m->rows * m->nonzeros; i++) {
    const uint64_t row = i / m->nonzeros * n + (uint64_t)halo_me();
    sum += words_mine(m->result)[i] * scramble(row * m->nonzeros + i % m->nonzeros);
  }
  return halo_sum_u64(sum);
}

/* ---- the app */

static int create(matrix_t* m, const app_options_t* o, sync_how_t how) {
  const uint64_t n = (uint64_t)halo_pes(), me = (uint64_t)halo_me();
  const uint64_t all = (uint64_t)o->number[0] * (o->weak ? n : 1);
  *m = (matrix_t){.n = all, .nonzeros = (uint64_t)o->number[1], .rows = (all - me + n - 1) / n};
  m->todo = ranges_create();
  m->goes = words_create((long)m->rows);
  m->result = words_create((long)(m->rows * m->nonzeros));
  m->answer = calloc((size_t)(m->rows * m->nonzeros) + 1, sizeof *m->answer);
  if (how < SYNCS) {
    m->requests = mail_create(how);
    m->answers = mail_create(how);
    m->deliveries = mail_create(how);
    if (m->requests == NULL || m->answers == NULL || m->deliveries == NULL) return 1;
  }
  if (m->todo == NULL || m->goes == NULL || m->result == NULL || m->answer == NULL) return 1;
  for (uint64_t i = 0; i < m->rows; i++) words_mine(m->goes)[i] = shuffled(column_stream, i * n + me, all);
  words_settle(m->goes);
  return 0;
}

static void destroy(matrix_t* m) {
  mail_destroy(m->requests);
  mail_destroy(m->answers);
  mail_destroy(m->deliveries);
  words_destroy(m->goes);
  words_destroy(m->result);
  free(m->answer), free(m->todo);
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "bale_permute",
                          .usage = "[rows nonzeros] [--scaling strong|weak] [--steps N]",
                          .unit = "Mnonzero/s",
                          .numbers = 2,
                          .standard = {.number = {100000, 10}, .steps = 1, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .own_way = words_way,
                          .refuse = bale_refuse_matrix,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  matrix_t m;
  int wrong = 0;
  (void)first;
  if (create(&m, o, how) != 0) app_no_memory(&app);
  app_clock_start();
  for (m.step = 0; m.step < o->steps; m.step++) {
    if (m.requests == NULL)
      permute_plain(&m);
    else
      permute_by_mail(&m);
    app_clock_pause();
    wrong |= differs(&m);
    app_clock_resume();
  }
  app_clock_stop();
  const app_result_t result = {
      .work = 1e-6 * (double)m.n * (double)m.nonzeros * o->steps, .checksum = checksum(&m), .wrong = wrong};
  destroy(&m);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
