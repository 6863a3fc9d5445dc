#include "heat_field.h"

#include <stdlib.h>
#include <string.h>

/* 1/dx^2, 1/dy^2 and the weight of the sum, for dx = 0.5 and dy = 0.25. */
static const double across_rows = 4.0, along_row = 16.0, weight = 1.0 / 40.0;

static void rows_of(int rows, int pe, int* first, int* mine) {
  long from, to;
  share(rows, halo_pes(), pe, &from, &to);
  *first = (int)from + 1;
  *mine = (int)(to - from);
}

static int width(const heat_field_t* f) { return f->cols + 2; }

static size_t cell(const heat_field_t* f, int row, int col) { return (size_t)row * (size_t)width(f) + (size_t)col; }

static void fill_cold_with_hot_rim(const heat_field_t* f, double* plate) {
  for (int i = 0; i < f->mine + 2; i++) {
    const int row = f->first - 1 + i;
    for (int j = 0; j < width(f); j++) {
      const int rim = row == 0 || row == f->rows + 1 || j == 0 || j == f->cols + 1;
      plate[cell(f, i, j)] = rim ? 1.0 : 0.0;
    }
  }
}

/* The link of the PE above that leads here is its second one, unless that PE is the topmost. */
static void link_neighbours(heat_field_t* f, sync_how_t how) {
  const int me = halo_me(), n = halo_pes();
  halo_link_t link[2];
  int links = 0;
  f->above = f->below = -1;
  if (me > 0) {
    f->above = links;
    link[links++] = (halo_link_t){me - 1, me - 1 > 0};
  }
  if (me < n - 1) {
    f->below = links;
    link[links++] = (halo_link_t){me + 1, 0};
  }
  f->halo = halo_create(how, links, link, (size_t)f->cols * sizeof(double));
}

int heat_create(heat_field_t* f, int rows, int cols, sync_how_t how) {
  *f = (heat_field_t){.rows = rows, .cols = cols};
  rows_of(rows, halo_me(), &f->first, &f->mine);
  const size_t cells = ((size_t)f->mine + 2) * (size_t)width(f);
  f->now = malloc(cells * sizeof(double));
  f->next = malloc(cells * sizeof(double));
  link_neighbours(f, how);
  if (f->now == NULL || f->next == NULL || f->halo == NULL) return 1;
  fill_cold_with_hot_rim(f, f->now);
  fill_cold_with_hot_rim(f, f->next);
  return 0;
}

void heat_destroy(heat_field_t* f) {
  halo_destroy(f->halo);
  free(f->now);
  free(f->next);
}

static void jacobi(int thread, void* of) {
  const heat_field_t* f = of;
  long from, to_row;
  share(f->mine, threads_count(), thread, &from, &to_row);
  for (int i = (int)from + 1; i <= (int)to_row; i++) {
    const double *above = &f->now[cell(f, i - 1, 0)], *here = &f->now[cell(f, i, 0)];
    const double* below = &f->now[cell(f, i + 1, 0)];
    double* to = &f->next[cell(f, i, 0)];
    for (int j = 1; j <= f->cols; j++)
      to[j] = ((above[j] + below[j]) * across_rows + (here[j - 1] + here[j + 1]) * along_row) * weight;
  }
}

static void pack(heat_field_t* f, int link, int row) {
  const size_t bytes = (size_t)f->cols * sizeof(double);
  if (link < 0) return;
  memcpy(halo_out(f->halo, link), &f->next[cell(f, row, 1)], bytes);
  halo_size(f->halo, link, bytes);
}

static void unpack(heat_field_t* f, int link, int row) {
  size_t bytes;
  if (link < 0) return;
  const void* edge = halo_in(f->halo, link, &bytes);
  memcpy(&f->next[cell(f, row, 1)], edge, bytes);
}

void heat_step(heat_field_t* f) {
  threads_run(jacobi, f);
  timers_enter(PHASE_PACK);
  pack(f, f->above, 1);
  pack(f, f->below, f->mine);
  halo_send(f->halo);
  halo_wait(f->halo);
  unpack(f, f->above, 0);
  unpack(f, f->below, f->mine + 1);
  timers_enter(PHASE_COMPUTE);
  double* const done = f->next;
  f->next = f->now;
  f->now = done;
}

double heat_mean(const heat_field_t* f) {
  double mine = 0.0;
  for (int i = 1; i <= f->mine; i++)
    for (int j = 1; j <= f->cols; j++) mine += f->now[cell(f, i, j)];
  return halo_sum(mine) / ((double)f->rows * (double)f->cols);
}

uint64_t heat_checksum(const heat_field_t* f) {
  uint64_t mine = 0;
  for (int i = 1; i <= f->mine; i++) {
    for (int j = 1; j <= f->cols; j++) {
      uint64_t bits;
      memcpy(&bits, &f->now[cell(f, i, j)], sizeof bits);
      mine += bits * (2 * ((uint64_t)(f->first + i - 1) * (uint64_t)width(f) + (uint64_t)j) + 1);
    }
  }
  return halo_sum_u64(mine);
}

void heat_get_row(const heat_field_t* f, int row, double* to) {
  int pe = 0, first, mine;
  for (rows_of(f->rows, pe, &first, &mine); row >= first + mine; rows_of(f->rows, pe, &first, &mine)) pe++;
  const size_t bytes = (size_t)width(f) * sizeof(double);
  if (pe == halo_me()) memcpy(to, &f->now[cell(f, row - first + 1, 0)], bytes);
  halo_broadcast(to, bytes, pe);
}

int heat_edges_differ(const heat_field_t* f) {
  double* there = malloc((size_t)width(f) * sizeof *there);
  int differ = 0;
  if (there == NULL) halo_abort(3);
  for (int pe = 0; pe < halo_pes(); pe++) {
    int first, mine;
    rows_of(f->rows, pe, &first, &mine);
    for (int below = 0; below < 2; below++) {
      const int row = below ? first + mine : first - 1;
      if (row < 1 || row > f->rows) continue;
      heat_get_row(f, row, there);
      if (pe != halo_me()) continue;
      differ |= memcmp(&there[1], &f->now[cell(f, below ? mine + 1 : 0, 1)], (size_t)f->cols * sizeof *there) != 0;
    }
  }
  free(there);
  return differ;
}
