#include "minife_matrix.h"

#include <stdlib.h>

enum { corners = 8, most_in_row = 27 };

typedef struct stiffness {
  double matrix[corners][corners], source[corners];
} stiffness_t;

/* Bits x, y, z of a corner give its position; its shape function is a product of (1 -+ s) / 2. */
static double factor(int corner, int d, double s) { return (corner >> d & 1) != 0 ? 0.5 * (1.0 + s) : 0.5 * (1.0 - s); }

static double slope(int corner, int d, const double s[3]) {
  double product = (corner >> d & 1) != 0 ? 0.5 : -0.5;
  for (int e = 0; e < 3; e++)
    if (e != d) product *= factor(corner, e, s[e]);
  return product;
}

/* Integrates with two Gauss points along each axis, in a cube with sides h, whose Jacobian is h/2 along each axis. */
static stiffness_t integrate(double h) {
  static const double point = 0.577350269;
  stiffness_t k = {0};
  for (int g = 0; g < corners; g++) {
    const double s[3] = {(g & 1) != 0 ? point : -point, (g & 2) != 0 ? point : -point, (g & 4) != 0 ? point : -point};
    for (int a = 0; a < corners; a++) {
      k.source[a] += factor(a, 0, s[0]) * factor(a, 1, s[1]) * factor(a, 2, s[2]) * h * h * h / 8;
      for (int b = 0; b < corners; b++)
        for (int d = 0; d < 3; d++) k.matrix[a][b] += slope(a, d, s) * slope(b, d, s) * h / 2;
    }
  }
  return k;
}

/* ---- assembly: the elements around each of my nodes, in the order of the whole cube */

static int inside(const mesh_t* m, const long node[3]) {
  for (int d = 0; d < 3; d++)
    if (node[d] < 0 || node[d] > m->n) return 0;
  return 1;
}

/* A neighbour's place in the row is its offset from the node, -1 to 1 along each axis. */
static void add_elements(const mesh_t* m, const stiffness_t* k, const long node[3], double row[most_in_row],
                         double* right) {
  for (int e = 0; e < corners; e++) {
    long low[3];
    const int a = corners - 1 - e; /* the element's corner at the node */
    int exists = 1;
    for (int d = 0; d < 3; d++) {
      low[d] = node[d] - (a >> d & 1);
      exists &= low[d] >= 0 && low[d] < m->n;
    }
    if (!exists) continue;
    *right += k->source[a];
    for (int b = 0; b < corners; b++) {
      long at = 0;
      for (int d = 2; d >= 0; d--) at = 3 * at + low[d] + (b >> d & 1) - node[d] + 1;
      row[at] += k->matrix[a][b];
    }
  }
}

/* ---- faces: 1 where x = 1, edges included; 0 on the others */

static int is_hot(const mesh_t* m, const long node[3]) { return node[0] == m->n; }

static int is_cold(const mesh_t* m, const long node[3]) {
  return node[0] == 0 || node[1] == 0 || node[1] == m->n || node[2] == 0 || node[2] == m->n;
}

/* Moves known values to the right-hand side; edges of the hot face count as cold for their neighbours. */
static double condition(const mesh_t* m, const long node[3], const long other[3], double value, double* right) {
  const int self = node[0] == other[0] && node[1] == other[1] && node[2] == other[2];
  if (is_hot(m, node) || is_cold(m, node)) {
    *right = is_hot(m, node) ? 1.0 : 0.0;
    return self ? 1.0 : 0.0;
  }
  if (is_cold(m, other)) return 0.0;
  if (!is_hot(m, other)) return value;
  *right -= value;
  return 0.0;
}

static void add_row(system_t* s, const mesh_t* m, const stiffness_t* k, const long node[3]) {
  double row[most_in_row] = {0.0}, right = 0.0;
  long at = s->begin[s->rows], other[3];
  add_elements(m, k, node, row, &right);
  for (int i = 0; i < most_in_row; i++) {
    other[0] = node[0] + i % 3 - 1;
    other[1] = node[1] + i / 3 % 3 - 1;
    other[2] = node[2] + i / 9 - 1;
    if (!inside(m, other)) continue;
    s->column[at] = mesh_local(m, other);
    s->value[at++] = condition(m, node, other, row[i], &right);
  }
  s->right[s->rows++] = right;
  s->begin[s->rows] = at;
}

static void order_rows(system_t* s) {
  long outer = s->rows;
  for (long i = 0; i < s->rows; i++) {
    int mine = 1;
    for (long k = s->begin[i]; k < s->begin[i + 1]; k++) mine &= s->column[k] < s->rows;
    if (mine)
      s->order[s->inner++] = i;
    else
      s->order[--outer] = i;
  }
}

int system_create(system_t* s, const mesh_t* m) {
  const stiffness_t k = integrate(1.0 / (double)m->n);
  const size_t rows = (size_t)m->nodes;
  const box_t* b = &m->mine;
  long node[3];
  *s = (system_t){.begin = calloc(rows + 1, sizeof *s->begin),
                  .column = malloc(most_in_row * rows * sizeof *s->column),
                  .value = malloc(most_in_row * rows * sizeof *s->value),
                  .right = malloc(rows * sizeof *s->right),
                  .order = malloc(rows * sizeof *s->order)};
  if (s->begin == NULL || s->column == NULL || s->value == NULL || s->right == NULL || s->order == NULL) return 1;
  for (node[2] = b->low[2]; node[2] < b->high[2]; node[2]++)
    for (node[1] = b->low[1]; node[1] < b->high[1]; node[1]++)
      for (node[0] = b->low[0]; node[0] < b->high[0]; node[0]++) add_row(s, m, &k, node);
  order_rows(s);
  return 0;
}

void system_destroy(system_t* s) { free(s->begin), free(s->column), free(s->value), free(s->right), free(s->order); }

void system_times(const system_t* s, const double* x, double* y, long from, long to) {
  for (long r = from; r < to; r++) {
    const long i = s->order[r];
    double sum = 0.0;
    for (long k = s->begin[i]; k < s->begin[i + 1]; k++) sum += s->value[k] * x[s->column[k]];
    y[i] = sum;
  }
}
