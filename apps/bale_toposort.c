/* Finds the order in which a sparse matrix, whose rows and columns were shuffled, is triangular.
 *
 *     oshrun -n 4 bale_toposort [rows nonzeros] [--sync LIST|all|plain] ...
 *
 * The numbers are the rows of all PEs and the non-zeros of a row besides the diagonal. A row with one non-zero left
 * is the pivot of that column. The column is then taken out of all rows, which leaves more rows with one non-zero:
 * the next level. A row is one word, its length and the sum of its columns, so that one atomic addition takes a
 * column out. The plain way reads the column by gets. The other ways send a message to the owner of the column, which
 * sends messages to the owners of the rows.
 */
#include <stdlib.h>

#include "bale_random.h"
#include "halo/app.h"
#include "halo/mail.h"
#include "halo/words.h"

enum { row_stream = 1, column_stream = 2, matrix_stream = 3, length_bit = 40 };

static const uint64_t one_more = 1ull << length_bit, sum_mask = (1ull << length_bit) - 1;

typedef struct sorter {
  uint64_t n, nonzeros;
  long mine;            /* rows of this PE, and columns: row i is number i / PEs of PE i % PEs */
  words_t* left;        /* for each row, the count of the columns left and their sum */
  words_t *begin, *row; /* for each column, its rows */
  long rows, *level, *pivot;
  long now;                   /* the level that is being found */
  uint64_t *front, *told;     /* rows with one non-zero left; columns that are to be taken out */
  uint64_t in_front, in_told; /* their numbers */
  range_t* todo;              /* of the rows, of the front, or of the columns, for each thread */
  uint64_t* at;               /* for each thread, the next row of its next column, counted from the column's first */
  mail_t *to_column, *to_row; /* NULL: plain */
} sorter_t;

/* ---- the matrix before the shuffle: non-zeros on and above the diagonal, the diagonal last in each row */

static uint64_t column_of(const sorter_t* s, uint64_t row, uint64_t k) {
  if (k == s->nonzeros || row == s->n - 1) return row;
  const uint64_t behind = s->n - 1 - row;
  return row + 1 + random_below(matrix_stream, row * s->nonzeros + k, behind);
}

/* The last row has its diagonal alone. */
static uint64_t length_of(const sorter_t* s, uint64_t row) { return row == s->n - 1 ? 1 : s->nonzeros + 1; }

static void add_entry(sorter_t* s, uint64_t row, uint64_t column, long* next) {
  const uint64_t n = (uint64_t)halo_pes(), me = (uint64_t)halo_me();
  uint64_t* const left = words_mine(s->left);
  if (next == NULL) {
    if (row % n == me) left[row / n] += one_more + column;
    if (column % n == me) words_mine(s->begin)[column / n + 1]++;
  } else if (column % n == me) {
    words_mine(s->row)[next[column / n]++] = row;
  }
}

/* Counts the rows of each column if `next` is NULL; otherwise stores them. */
static void make_matrix(sorter_t* s, long* next) {
  for (uint64_t i = 0; i < s->n; i++)
    for (uint64_t k = 0; k < length_of(s, i); k++)
      add_entry(s, shuffled(row_stream, i, s->n), shuffled(column_stream, column_of(s, i, k), s->n), next);
}

static int create(sorter_t* s, const app_options_t* o, sync_how_t how) {
  const long n = halo_pes(), rows = o->weak ? o->number[0] * n : o->number[0];
  *s = (sorter_t){.n = (uint64_t)rows, .nonzeros = (uint64_t)o->number[1]};
  s->mine = (rows - halo_me() + n - 1) / n;
  s->left = words_create(s->mine);
  s->begin = words_create(s->mine + 1);
  if (s->left == NULL || s->begin == NULL) return 1;
  make_matrix(s, NULL);
  uint64_t* const begin = words_mine(s->begin);
  long* const next = malloc(((size_t)s->mine + 1) * sizeof *next);
  for (long c = 0; c < s->mine; c++) begin[c + 1] += begin[c];
  s->rows = (long)begin[s->mine];
  s->row = words_create(s->rows);
  if (next == NULL || s->row == NULL) return 1;
  for (long c = 0; c < s->mine; c++) next[c] = (long)begin[c];
  make_matrix(s, next);
  free(next);
  s->level = malloc(((size_t)s->mine + 1) * sizeof *s->level);
  s->pivot = malloc(((size_t)s->mine + 1) * sizeof *s->pivot);
  s->front = malloc(((size_t)s->mine + 1) * sizeof *s->front);
  s->told = malloc(((size_t)s->mine + 1) * sizeof *s->told);
  s->todo = ranges_create();
  s->at = calloc((size_t)threads_count(), sizeof *s->at);
  if (how < SYNCS) {
    s->to_column = mail_create(how);
    s->to_row = mail_create(how);
    if (s->to_column == NULL || s->to_row == NULL) return 1;
  }
  words_settle(s->row);
  return s->level == NULL || s->pivot == NULL || s->front == NULL || s->told == NULL || s->todo == NULL ||
         s->at == NULL;
}

static void destroy(sorter_t* s) {
  mail_destroy(s->to_column);
  mail_destroy(s->to_row);
  words_destroy(s->left);
  words_destroy(s->begin);
  words_destroy(s->row);
  free(s->level), free(s->pivot), free(s->front), free(s->told), free(s->todo), free(s->at);
}

/* ---- levels */

static void look_part(int thread, void* of) {
  sorter_t* s = of;
  const uint64_t* const left = words_mine(s->left);
  const range_t rows = s->todo[thread];
  for (long r = rows.next; r < rows.end; r++) {
    if (left[r] >> length_bit != 1) continue;
    s->front[threads_add(&s->in_front, 1)] = (uint64_t)r;
    s->level[r] = s->now;
    s->pivot[r] = (long)(left[r] & sum_mask);
  }
}

/* Collects my rows with one non-zero left, and records their level and pivot. */
static void find_front(sorter_t* s) {
  s->in_front = 0;
  ranges_split(s->todo, s->mine);
  threads_run(look_part, s);
}

/* Reads the rows of the column from its owner, and takes the column out of each. The row of the pivot becomes empty. */
static void take_out_plain(const sorter_t* s, int thread, uint64_t column) {
  const uint64_t n = (uint64_t)halo_pes();
  const long at = (long)(column / n);
  const int pe = (int)(column % n);
  const uint64_t end = words_get(s->begin, thread, at + 1, pe);
  for (uint64_t i = words_get(s->begin, thread, at, pe); i < end; i++) {
    const uint64_t row = words_get(s->row, thread, (long)i, pe);
    words_add(s->left, thread, (long)(row / n), (int)(row % n), -(one_more + column));
  }
}

static void take_out_part(int thread, void* of) {
  const sorter_t* s = of;
  const range_t front = s->todo[thread];
  for (long i = front.next; i < front.end; i++) take_out_plain(s, thread, (uint64_t)s->pivot[s->front[i]]);
}

/* All PEs must have looked for rows with one non-zero before any PE takes a column out. */
static void level_plain(sorter_t* s) {
  words_settle(s->left);
  ranges_split(s->todo, (long)s->in_front);
  timers_enter(PHASE_EXCHANGE);
  threads_run(take_out_part, s);
  words_settle(s->left);
}

static void tell_columns_part(int thread, void* of) {
  const sorter_t* s = of;
  const uint64_t n = (uint64_t)halo_pes();
  range_t front = s->todo[thread];
  for (; front.next < front.end; front.next++) {
    const uint64_t column = (uint64_t)s->pivot[s->front[front.next]] % s->n;
    if (!mail_push(s->to_column, thread, (int)(column % n), column / n, 0)) break;
  }
  s->todo[thread] = front;
}

static void take_columns_part(int thread, void* of) {
  sorter_t* s = of;
  uint64_t column, unused;
  int from;
  while (mail_pop(s->to_column, thread, &from, &column, &unused)) {
    if (column >= (uint64_t)s->mine) continue;
    const uint64_t at = threads_add(&s->in_told, 1);
    if (at < (uint64_t)s->mine) s->told[at] = column;
  }
}

static void tell_columns(sorter_t* s) {
  int more;
  s->in_told = 0;
  ranges_split(s->todo, (long)s->in_front);
  timers_enter(PHASE_PACK);
  do {
    threads_run(tell_columns_part, s);
    more = mail_go(s->to_column);
    threads_run(take_columns_part, s);
  } while (more);
  if (s->in_told > (uint64_t)s->mine) s->in_told = (uint64_t)s->mine;
}

/* Returns 0 if a bag is full. */
static int tell_rows_of(const sorter_t* s, int thread, uint64_t column) {
  const uint64_t n = (uint64_t)halo_pes(), me = (uint64_t)halo_me();
  const uint64_t *const begin = words_mine(s->begin), *const rows = words_mine(s->row);
  for (uint64_t* at = &s->at[thread]; begin[column] + *at < begin[column + 1]; ++*at) {
    const uint64_t row = rows[begin[column] + *at];
    if (!mail_push(s->to_row, thread, (int)(row % n), row / n, column * n + me)) return 0;
  }
  s->at[thread] = 0;
  return 1;
}

static void tell_rows_part(int thread, void* of) {
  const sorter_t* s = of;
  range_t told = s->todo[thread];
  while (told.next < told.end && tell_rows_of(s, thread, s->told[told.next])) told.next++;
  s->todo[thread] = told;
}

static void take_rows_part(int thread, void* of) {
  const sorter_t* s = of;
  uint64_t *const left = words_mine(s->left), row, column;
  int from;
  while (mail_pop(s->to_row, thread, &from, &row, &column))
    if (row < (uint64_t)s->mine) threads_add(&left[row], -(one_more + column));
}

static void tell_rows(sorter_t* s) {
  int more;
  ranges_split(s->todo, (long)s->in_told);
  do {
    threads_run(tell_rows_part, s);
    more = mail_go(s->to_row);
    threads_run(take_rows_part, s);
  } while (more);
}

/* Returns the number of rows that all PEs have sorted. */
static uint64_t sort(sorter_t* s) {
  uint64_t done = 0, front_of_all = 1;
  for (s->now = 0; front_of_all > 0 && done < s->n; s->now++) {
    timers_enter(PHASE_COMPUTE);
    find_front(s);
    front_of_all = halo_sum_u64(s->in_front);
    done += front_of_all;
    if (s->to_column == NULL) {
      level_plain(s);
    } else {
      tell_columns(s);
      tell_rows(s);
    }
  }
  timers_enter(PHASE_COMPUTE);
  return done;
}

/* ---- the known answer: the pivots are the old diagonal, and a row's level is one above those of
 * all rows whose columns it has */

static int differs(const sorter_t* s) {
  const uint64_t n = (uint64_t)halo_pes();
  long* const right = calloc((size_t)s->n, sizeof *right);
  long wrong = 0;
  if (right == NULL) halo_abort(3);
  for (uint64_t i = s->n; i-- > 0;) {
    for (uint64_t k = 0; k + 1 < length_of(s, i); k++) {
      const long below = right[column_of(s, i, k)];
      if (below + 1 > right[i]) right[i] = below + 1;
    }
    const uint64_t row = shuffled(row_stream, i, s->n);
    if ((int)(row % n) != halo_me()) continue;
    wrong += s->level[row / n] != right[i];
    wrong += (uint64_t)s->pivot[row / n] != shuffled(column_stream, i, s->n);
  }
  free(right);
  return halo_sum((double)wrong) > 0.0;
}

static uint64_t checksum(const sorter_t* s) {
  const uint64_t n = (uint64_t)halo_pes(), me = (uint64_t)halo_me();
  uint64_t sum = 0;
  for (long r = 0; r < s->mine; r++)
    sum += (scramble((uint64_t)s->pivot[r]) + (uint64_t)s->level[r]) * (2 * ((uint64_t)r * n + me) + 1);
  return halo_sum_u64(sum);
}

/* ---- the app */

static const char* refuse(const app_options_t* o) {
  if (o->number[0] > 1 << 24 || o->number[1] > 1 << 12) return "more than 2^24 rows, or 2^12 non-zeros of a row";
  if (o->steps > 1) return "--steps: a matrix is sorted once";
  return o->number[0] < halo_pes() ? "there are fewer rows than PEs" : app_refuse_image(o);
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "bale_toposort",
                          .usage = "[rows nonzeros] [--scaling strong|weak]",
                          .unit = "Mnonzero/s",
                          .numbers = 2,
                          .standard = {.number = {50000, 4}, .steps = 1, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .own_way = words_way,
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  sorter_t s;
  (void)first;
  if (create(&s, o, how) != 0) app_no_memory(&app);
  for (long r = 0; r < s.mine; r++) s.level[r] = s.pivot[r] = -1;
  app_clock_start();
  const uint64_t done = sort(&s);
  app_clock_stop();
  app_result_t result = {.work = 1e-6 * (double)s.n * (double)(s.nonzeros + 1), .checksum = checksum(&s)};
  result.wrong = differs(&s) || done != s.n;
  destroy(&s);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
