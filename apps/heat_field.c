#include "heat_field.h"

#include <shmem.h>
#include <string.h>

/* dx = 0.5 and dy = 0.25: 1/dx^2, 1/dy^2 and the weight of the sum. */
static const double across_rows = 4.0, along_row = 16.0, weight = 1.0 / 40.0;

void heat_share(int rows, int n_pes, int pe, int* first, int* mine) {
  const long long from = (long long)rows * pe / n_pes, to = (long long)rows * (pe + 1) / n_pes;
  *first = (int)from + 1;
  *mine = (int)(to - from);
}

static int width(const heat_field_t* f) {
  return f->cols + 2;
}

static size_t cell(const heat_field_t* f, int row, int col) {
  return (size_t)row * (size_t)width(f) + (size_t)col;
}

static void fill_cold_with_hot_rim(const heat_field_t* f, double* plate) {
  for (int i = 0; i < f->mine + 2; i++) {
    const int row = f->first - 1 + i;
    for (int j = 0; j < width(f); j++) {
      const int rim = row == 0 || row == f->rows + 1 || j == 0 || j == f->cols + 1;
      plate[cell(f, i, j)] = rim ? 1.0 : 0.0;
    }
  }
}

int heat_create(heat_field_t* f, int rows, int cols) {
  const int n = shmem_n_pes();
  const size_t most_rows = (size_t)((rows + n - 1) / n) + 2;
  *f = (heat_field_t){.rows = rows, .cols = cols};
  heat_share(rows, n, shmem_my_pe(), &f->first, &f->mine);
  f->now = shmem_malloc(most_rows * (size_t)width(f) * sizeof(double));
  f->next = shmem_malloc(most_rows * (size_t)width(f) * sizeof(double));
  if (f->now == NULL || f->next == NULL) return 1;
  fill_cold_with_hot_rim(f, f->now);
  fill_cold_with_hot_rim(f, f->next);
  shmem_barrier_all();
  return 0;
}

void heat_destroy(heat_field_t* f) {
  shmem_free(f->now);
  shmem_free(f->next);
}

static void jacobi(heat_field_t* f) {
  for (int i = 1; i <= f->mine; i++) {
    const double *above = &f->now[cell(f, i - 1, 0)], *here = &f->now[cell(f, i, 0)];
    const double* below = &f->now[cell(f, i + 1, 0)];
    double* to = &f->next[cell(f, i, 0)];
    for (int j = 1; j <= f->cols; j++)
      to[j] =
          ((above[j] + below[j]) * across_rows + (here[j - 1] + here[j + 1]) * along_row) * weight;
  }
}

static void put_edges(heat_field_t* f) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const size_t cols = (size_t)f->cols;
  if (me > 0) {
    int first, mine;
    heat_share(f->rows, n, me - 1, &first, &mine);
    shmem_double_put(&f->next[cell(f, mine + 1, 1)], &f->next[cell(f, 1, 1)], cols, me - 1);
  }
  if (me < n - 1)
    shmem_double_put(&f->next[cell(f, 0, 1)], &f->next[cell(f, f->mine, 1)], cols, me + 1);
}

void heat_step(heat_field_t* f) {
  jacobi(f);
  /* A neighbour may still be in its jacobi, which reads only `now`: nobody minds new edges in
   * `next`. */
  put_edges(f);
  shmem_barrier_all();
  double* const done = f->next;
  f->next = f->now;
  f->now = done;
}

double heat_mean(const heat_field_t* f) {
  static double mine, sum;
  mine = 0.0;
  for (int i = 1; i <= f->mine; i++)
    for (int j = 1; j <= f->cols; j++) mine += f->now[cell(f, i, j)];
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
  return sum / ((double)f->rows * (double)f->cols);
}

uint64_t heat_checksum(const heat_field_t* f) {
  static uint64_t mine, sum;
  mine = 0;
  for (int i = 1; i <= f->mine; i++) {
    for (int j = 1; j <= f->cols; j++) {
      uint64_t bits;
      memcpy(&bits, &f->now[cell(f, i, j)], sizeof bits);
      mine += bits * (2 * ((uint64_t)(f->first + i - 1) * (uint64_t)width(f) + (uint64_t)j) + 1);
    }
  }
  shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
  return sum;
}

void heat_get_row(const heat_field_t* f, int row, double* to) {
  const int n = shmem_n_pes();
  int pe = 0, first, mine;
  for (heat_share(f->rows, n, pe, &first, &mine); row >= first + mine;
       heat_share(f->rows, n, pe, &first, &mine))
    pe++;
  shmem_double_get(to, &f->now[cell(f, row - first + 1, 0)], (size_t)width(f), pe);
}
