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
  uint64_t n, nonzeros;                    /* rows, non-zeros of a row; row r is number r / PEs of PE r % PEs */
  uint64_t rows;                           /* of this PE */
  words_t* goes;                           /* the new number of each column, dealt out as rows are */
  words_t* result;                         /* columns of my rows of the result */
  uint64_t* answer;                        /* for each of my non-zeros */
  mail_t *requests, *answers, *deliveries; /* NULL: plain */
} matrix_t;

static uint64_t column_of(const matrix_t* m, int step, uint64_t row, uint64_t k) {
  return random_below(matrix_stream + (uint64_t)step, row * m->nonzeros + k, m->n);
}

/* Returns the column of the non-zero `i` of my rows, and its PE and place in the result. */
static uint64_t find(const matrix_t* m, int step, uint64_t i, int* pe, uint64_t* at) {
  const uint64_t n = (uint64_t)halo_pes(), k = i % m->nonzeros;
  const uint64_t row = i / m->nonzeros * n + (uint64_t)halo_me();
  const uint64_t to = shuffled(row_stream, row, m->n);
  *pe = (int)(to % n);
  *at = to / n * m->nonzeros + k;
  return column_of(m, step, row, k);
}

static void permute_plain(const matrix_t* m, int step) {
  const uint64_t n = (uint64_t)halo_pes();
  int pe;
  uint64_t at;
  timers_enter(PHASE_EXCHANGE);
  for (uint64_t i = 0; i < m->rows * m->nonzeros; i++) {
    const uint64_t c = find(m, step, i, &pe, &at);
    words_put(m->result, (long)at, pe, words_get(m->goes, (long)(c / n), (int)(c % n)));
  }
  words_settle(m->result);
  timers_enter(PHASE_COMPUTE);
}

/* ---- aggregated: where the columns go, then the non-zeros */

static void answer_all(const matrix_t* m) {
  const uint64_t* const goes = words_mine(m->goes);
  uint64_t column, i;
  int from;
  timers_enter(PHASE_PACK);
  while (mail_pop(m->requests, &from, &column, &i)) mail_push(m->answers, from, goes[column < m->rows ? column : 0], i);
  mail_go(m->answers, 1);
  while (mail_pop(m->answers, &from, &column, &i))
    if (i < m->rows * m->nonzeros) m->answer[i] = column;
}

static void ask(const matrix_t* m, int step) {
  const uint64_t n = (uint64_t)halo_pes();
  uint64_t i = 0, at;
  int more, pe;
  do {
    timers_enter(PHASE_PACK);
    for (; i < m->rows * m->nonzeros; i++) {
      const uint64_t c = find(m, step, i, &pe, &at);
      if (!mail_push(m->requests, (int)(c % n), c / n, i)) break;
    }
    more = mail_go(m->requests, i == m->rows * m->nonzeros);
    answer_all(m);
  } while (more);
}

static void deliver(const matrix_t* m, int step) {
  uint64_t *const result = words_mine(m->result), i = 0, at, column;
  int more, pe;
  do {
    timers_enter(PHASE_PACK);
    for (; i < m->rows * m->nonzeros; i++) {
      find(m, step, i, &pe, &at);
      if (!mail_push(m->deliveries, pe, at, m->answer[i])) break;
    }
    more = mail_go(m->deliveries, i == m->rows * m->nonzeros);
    while (mail_pop(m->deliveries, &pe, &at, &column))
      if (at < m->rows * m->nonzeros) result[at] = column;
  } while (more);
  timers_enter(PHASE_COMPUTE);
}

/* ---- the known answer */

/* Collective: no PE returns, and changes the result in the next step, before all have looked. */
static int differs(const matrix_t* m, int step) {
  const uint64_t n = (uint64_t)halo_pes();
  const uint64_t* const result = words_mine(m->result);
  long wrong = 0;
  for (uint64_t row = 0; row < m->n; row++) {
    const uint64_t to = shuffled(row_stream, row, m->n);
    if ((int)(to % n) != halo_me()) continue;
    for (uint64_t k = 0; k < m->nonzeros; k++) {
      const uint64_t right = shuffled(column_stream, column_of(m, step, row, k), m->n);
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
  m->goes = words_create((long)m->rows);
  m->result = words_create((long)(m->rows * m->nonzeros));
  m->answer = calloc((size_t)(m->rows * m->nonzeros) + 1, sizeof *m->answer);
  if (how < SYNCS) {
    m->requests = mail_create(how);
    m->answers = mail_create(how);
    m->deliveries = mail_create(how);
    if (m->requests == NULL || m->answers == NULL || m->deliveries == NULL) return 1;
  }
  if (m->goes == NULL || m->result == NULL || m->answer == NULL) return 1;
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
  free(m->answer);
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
  for (int i = 0; i < o->steps; i++) {
    if (m.requests == NULL) {
      permute_plain(&m, i);
    } else {
      ask(&m, i);
      deliver(&m, i);
    }
    app_clock_pause();
    wrong |= differs(&m, i);
    app_clock_resume();
  }
  app_clock_stop();
  const app_result_t result = {
      .work = 1e-6 * (double)m.n * (double)m.nonzeros * o->steps, .checksum = checksum(&m), .wrong = wrong};
  destroy(&m);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
