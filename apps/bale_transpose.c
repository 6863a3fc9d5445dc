/* Transposes a sparse matrix whose rows are dealt out to the PEs.
 *
 *     oshrun -n 4 bale_transpose [rows nonzeros] [--steps N] [--sync LIST|all|plain] ...
 *
 * The numbers are the rows of all PEs and the non-zeros of one row. The plain way counts the columns by atomic
 * additions, then takes places by fetch-and-add, then puts. The other ways collect non-zeros into messages. To check,
 * each PE makes the matrix again and compares its columns.
 */
#include <stdlib.h>
#include <string.h>

#include "bale_matrix.h"
#include "bale_random.h"
#include "halo/app.h"
#include "halo/mail.h"
#include "halo/words.h"

typedef struct transposed {
  uint64_t n, nonzeros; /* rows, non-zeros of a row */
  long columns, room;   /* of this PE; column c is number c / PEs of PE c % PEs */
  long* begin;          /* for each of my columns, its first element of `row` */
  uint64_t *row, *pair; /* `pair`: column and row, in the order of arrival */
  mail_t* mail;         /* NULL: plain */
} transposed_t;

static uint64_t column_of(const transposed_t* t, int step, uint64_t row, uint64_t k) {
  return random_below((uint64_t)step, row * t->nonzeros + k, t->n);
}

static void reserve(transposed_t* t, long items) {
  if (items <= t->room) return;
  t->room = items + items / 2 + 64;
  t->row = realloc(t->row, (size_t)t->room * sizeof *t->row);
  t->pair = realloc(t->pair, 2 * (size_t)t->room * sizeof *t->pair);
  if (t->row == NULL || t->pair == NULL) halo_abort(3);
}

/* Turns the lengths in begin[1 ..] into beginnings. */
static long sum_up(transposed_t* t) {
  t->begin[0] = 0;
  for (long c = 0; c < t->columns; c++) t->begin[c + 1] += t->begin[c];
  return t->begin[t->columns];
}

static int by_number(const void* a, const void* b) {
  uint64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static void sort_columns(transposed_t* t) {
  for (long c = 0; c < t->columns; c++)
    qsort(t->row + t->begin[c], (size_t)(t->begin[c + 1] - t->begin[c]), sizeof *t->row, by_number);
}

/* ---- plain */

static void count_columns(const transposed_t* t, int step, const words_t* place) {
  const uint64_t n = (uint64_t)halo_pes();
  for (uint64_t row = (uint64_t)halo_me(); row < t->n; row += n)
    for (uint64_t k = 0; k < t->nonzeros; k++) {
      const uint64_t c = column_of(t, step, row, k);
      words_add(place, (long)(c / n), (int)(c % n), 1);
    }
  words_settle(place);
}

static void put_rows(const transposed_t* t, int step, const words_t* place, const words_t* items) {
  const uint64_t n = (uint64_t)halo_pes();
  for (uint64_t row = (uint64_t)halo_me(); row < t->n; row += n)
    for (uint64_t k = 0; k < t->nonzeros; k++) {
      const uint64_t c = column_of(t, step, row, k);
      const uint64_t at = words_fetch_add(place, (long)(c / n), (int)(c % n), 1);
      words_put(items, (long)at, (int)(c % n), row);
    }
  words_settle(items);
}

static int transpose_plain(transposed_t* t, int step) {
  words_t* place = words_create(t->columns);
  if (place == NULL) return 1;
  timers_enter(PHASE_EXCHANGE);
  count_columns(t, step, place);
  for (long c = 0; c < t->columns; c++) t->begin[c + 1] = (long)words_mine(place)[c];
  const long count = sum_up(t);
  for (long c = 0; c < t->columns; c++) words_mine(place)[c] = (uint64_t)t->begin[c];
  words_t* items = words_create(count); /* collective, so that all PEs have set their places afterwards */
  if (items == NULL) return 1;
  words_settle(place);
  put_rows(t, step, place, items);
  timers_enter(PHASE_COMPUTE);
  reserve(t, count);
  memcpy(t->row, words_mine(items), (size_t)count * sizeof *t->row);
  sort_columns(t);
  words_destroy(items);
  words_destroy(place);
  return 0;
}

/* ---- aggregated */

static long collect(transposed_t* t, int step) {
  const uint64_t n = (uint64_t)halo_pes();
  uint64_t row = (uint64_t)halo_me(), k = 0, column, from_row;
  long came = 0;
  int more, from;
  do {
    timers_enter(PHASE_PACK);
    for (; row < t->n; row += n, k = 0) {
      for (; k < t->nonzeros; k++) {
        const uint64_t c = column_of(t, step, row, k);
        if (!mail_push(t->mail, (int)(c % n), c / n, row)) break;
      }
      if (k < t->nonzeros) break;
    }
    more = mail_go(t->mail, row >= t->n);
    while (mail_pop(t->mail, &from, &column, &from_row)) {
      reserve(t, came + 1);
      t->pair[2 * came] = column < (uint64_t)t->columns ? column : 0;
      t->pair[2 * came++ + 1] = from_row;
    }
  } while (more);
  timers_enter(PHASE_COMPUTE);
  return came;
}

static void transpose_by_mail(transposed_t* t, int step) {
  const long came = collect(t, step);
  memset(t->begin, 0, (size_t)(t->columns + 1) * sizeof *t->begin);
  for (long i = 0; i < came; i++) t->begin[t->pair[2 * i] + 1]++;
  sum_up(t);
  for (long i = 0; i < came; i++) t->row[t->begin[t->pair[2 * i]]++] = t->pair[2 * i + 1];
  for (long c = t->columns; c > 0; c--) t->begin[c] = t->begin[c - 1];
  t->begin[0] = 0;
  sort_columns(t);
}

/* ---- the known answer: length of each column, and the sum of its scrambled rows */

static int differs(const transposed_t* t, int step) {
  const uint64_t n = (uint64_t)halo_pes();
  uint64_t* const right = calloc(2 * (size_t)t->columns + 1, sizeof *right);
  int wrong = 0;
  if (right == NULL) halo_abort(3);
  for (uint64_t row = 0; row < t->n; row++)
    for (uint64_t k = 0; k < t->nonzeros; k++) {
      const uint64_t c = column_of(t, step, row, k);
      if ((int)(c % n) != halo_me()) continue;
      right[2 * (c / n)]++;
      right[2 * (c / n) + 1] += scramble(row);
    }
  for (long c = 0; c < t->columns; c++) {
    uint64_t length = 0, sum = 0;
    for (long i = t->begin[c]; i < t->begin[c + 1]; i++, length++) sum += scramble(t->row[i]);
    wrong |= length != right[2 * c] || sum != right[2 * c + 1];
  }
  free(right);
  return halo_sum(wrong) > 0.0;
}

static uint64_t checksum(const transposed_t* t) {
  uint64_t sum = 0;
  for (long c = 0; c < t->columns; c++)
    for (long i = t->begin[c]; i < t->begin[c + 1]; i++)
      sum +=
          scramble(t->row[i] * t->n + (uint64_t)(c * halo_pes() + halo_me())) * (uint64_t)(2 * (i - t->begin[c]) + 1);
  return halo_sum_u64(sum);
}

/* ---- the app */

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "bale_transpose",
                          .usage = "[rows nonzeros] [--scaling strong|weak] [--steps N]",
                          .unit = "Mnonzero/s",
                          .numbers = 2,
                          .standard = {.number = {100000, 10}, .steps = 1, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .own_way = words_way,
                          .refuse = bale_refuse_matrix,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  const long n = halo_pes(), rows = o->weak ? o->number[0] * n : o->number[0];
  transposed_t t = {.n = (uint64_t)rows, .nonzeros = (uint64_t)o->number[1], .columns = (rows - halo_me() + n - 1) / n};
  int failed = 0, wrong = 0;
  (void)first;
  t.begin = calloc((size_t)t.columns + 1, sizeof *t.begin);
  t.mail = how < SYNCS ? mail_create(how) : NULL;
  if (t.begin == NULL || (how < SYNCS && t.mail == NULL)) app_no_memory(&app);
  app_clock_start();
  for (int i = 0; i < o->steps; i++) {
    if (t.mail == NULL)
      failed |= transpose_plain(&t, i);
    else
      transpose_by_mail(&t, i);
    if (failed) app_no_memory(&app);
    app_clock_pause();
    wrong |= differs(&t, i);
    app_clock_resume();
  }
  app_clock_stop();
  const app_result_t result = {
      .work = 1e-6 * (double)t.n * (double)t.nonzeros * o->steps, .checksum = checksum(&t), .wrong = wrong};
  mail_destroy(t.mail);
  free(t.begin), free(t.row), free(t.pair);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
