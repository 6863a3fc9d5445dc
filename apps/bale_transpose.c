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
  long columns, room;   /* of this PE; column c is number c / PEs of PE c % PEs, and so is row c */
  int step;
  range_t* todo;          /* of the non-zeros of my rows, for each thread */
  long* begin;            /* for each of my columns, its first element of `row` */
  uint64_t *row, *pair;   /* `pair`: column and row, in the order of arrival */
  uint64_t came;          /* pairs */
  words_t *place, *items; /* plain: of the next row of each column; the rows by column */
  mail_t* mail;           /* NULL: plain */
} transposed_t;

static uint64_t column_of(const transposed_t* t, uint64_t row, uint64_t k) {
  return random_below((uint64_t)t->step, row * t->nonzeros + k, t->n);
}

/* Returns the column of non-zero `i` of my rows, and its row. */
static uint64_t find(const transposed_t* t, long i, uint64_t* row) {
  *row = (uint64_t)i / t->nonzeros * (uint64_t)halo_pes() + (uint64_t)halo_me();
  return column_of(t, *row, (uint64_t)i % t->nonzeros);
}

static void split(const transposed_t* t) { ranges_split(t->todo, t->columns * (long)t->nonzeros); }

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

static void count_part(int thread, void* of) {
  const transposed_t* t = of;
  const uint64_t n = (uint64_t)halo_pes();
  const range_t todo = t->todo[thread];
  uint64_t row;
  for (long i = todo.next; i < todo.end; i++) {
    const uint64_t c = find(t, i, &row);
    words_add(t->place, thread, (long)(c / n), (int)(c % n), 1);
  }
}

static void put_part(int thread, void* of) {
  const transposed_t* t = of;
  const uint64_t n = (uint64_t)halo_pes();
  const range_t todo = t->todo[thread];
  uint64_t row;
  for (long i = todo.next; i < todo.end; i++) {
    const uint64_t c = find(t, i, &row);
    const uint64_t at = words_fetch_add(t->place, thread, (long)(c / n), (int)(c % n), 1);
    words_put(t->items, thread, (long)at, (int)(c % n), row);
  }
}

static int transpose_plain(transposed_t* t) {
  t->place = words_create(t->columns);
  if (t->place == NULL) return 1;
  split(t);
  timers_enter(PHASE_EXCHANGE);
  threads_run(count_part, t);
  words_settle(t->place);
  for (long c = 0; c < t->columns; c++) t->begin[c + 1] = (long)words_mine(t->place)[c];
  const long count = sum_up(t);
  for (long c = 0; c < t->columns; c++) words_mine(t->place)[c] = (uint64_t)t->begin[c];
  t->items = words_create(count); /* collective, so that all PEs have set their places afterwards */
  if (t->items == NULL) return 1;
  words_settle(t->place);
  threads_run(put_part, t);
  words_settle(t->items);
  timers_enter(PHASE_COMPUTE);
  reserve(t, count);
  memcpy(t->row, words_mine(t->items), (size_t)count * sizeof *t->row);
  sort_columns(t);
  words_destroy(t->items);
  words_destroy(t->place);
  return 0;
}

/* ---- aggregated */

static void push_part(int thread, void* of) {
  const transposed_t* t = of;
  const uint64_t n = (uint64_t)halo_pes();
  range_t todo = t->todo[thread];
  uint64_t row;
  for (; todo.next < todo.end; todo.next++) {
    const uint64_t c = find(t, todo.next, &row);
    if (!mail_push(t->mail, thread, (int)(c % n), c / n, row)) break;
  }
  t->todo[thread] = todo;
}

static void keep_part(int thread, void* of) {
  transposed_t* t = of;
  uint64_t column, row;
  int from;
  while (mail_pop(t->mail, thread, &from, &column, &row)) {
    uint64_t* const pair = &t->pair[2 * threads_add(&t->came, 1)];
    pair[0] = column < (uint64_t)t->columns ? column : 0;
    pair[1] = row;
  }
}

static void collect(transposed_t* t) {
  int more;
  split(t);
  t->came = 0;
  timers_enter(PHASE_PACK);
  do {
    threads_run(push_part, t);
    more = mail_go(t->mail);
    reserve(t, (long)t->came + mail_received(t->mail));
    threads_run(keep_part, t);
  } while (more);
  timers_enter(PHASE_COMPUTE);
}

static void transpose_by_mail(transposed_t* t) {
  collect(t);
  const long came = (long)t->came;
  memset(t->begin, 0, (size_t)(t->columns + 1) * sizeof *t->begin);
  for (long i = 0; i < came; i++) t->begin[t->pair[2 * i] + 1]++;
  sum_up(t);
  for (long i = 0; i < came; i++) t->row[t->begin[t->pair[2 * i]]++] = t->pair[2 * i + 1];
  for (long c = t->columns; c > 0; c--) t->begin[c] = t->begin[c - 1];
  t->begin[0] = 0;
  sort_columns(t);
}

/* ---- the known answer: length of each column, and the sum of its scrambled rows */

static int differs(const transposed_t* t) {
  const uint64_t n = (uint64_t)halo_pes();
  uint64_t* const right = calloc(2 * (size_t)t->columns + 1, sizeof *right);
  int wrong = 0;
  if (right == NULL) halo_abort(3);
  for (uint64_t row = 0; row < t->n; row++)
    for (uint64_t k = 0; k < t->nonzeros; k++) {
      const uint64_t c = column_of(t, row, k);
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
  t.todo = ranges_create();
  t.mail = how < SYNCS ? mail_create(how) : NULL;
  if (t.begin == NULL || t.todo == NULL || (how < SYNCS && t.mail == NULL)) app_no_memory(&app);
  app_clock_start();
  for (t.step = 0; t.step < o->steps; t.step++) {
    if (t.mail == NULL)
      failed |= transpose_plain(&t);
    else
      transpose_by_mail(&t);
    if (failed) app_no_memory(&app);
    app_clock_pause();
    wrong |= differs(&t);
    app_clock_resume();
  }
  app_clock_stop();
  const app_result_t result = {
      .work = 1e-6 * (double)t.n * (double)t.nonzeros * o->steps, .checksum = checksum(&t), .wrong = wrong};
  mail_destroy(t.mail);
  free(t.begin), free(t.row), free(t.pair), free(t.todo);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
