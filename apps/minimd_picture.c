#include "minimd_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"
#include "picture.h"

enum { side = 600 };
/* Lengths in edges of the lattice; the speed in units of the initial one. */
static const double ball = 0.27, slice = 2.4, fastest = 2.5;

typedef struct pixel {
  float height, value; /* 0: nothing is there */
} pixel_t;

/* A ball, lit from the viewer: dark at its rim. */
static void draw_ball(pixel_t* p, const atoms_t* a, int i, double usual_speed) {
  const double *x = a->x[i], *v = a->v[i];
  const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / usual_speed;
  const double scale = side / a->side, radius = ball * a->material.edge, r = radius * scale;
  const double cx = x[0] * scale, cy = x[1] * scale;
  const double colour = 0.15 + 0.85 * (speed < fastest ? speed / fastest : 1.0);
  for (int j = (int)fmax(cy - r, 0); j < (int)fmin(cy + r + 1, side); j++)
    for (int i = (int)fmax(cx - r, 0); i < (int)fmin(cx + r + 1, side); i++) {
      const double dx = (i + 0.5 - cx) / r, dy = (j + 0.5 - cy) / r;
      const double above = 1.0 - dx * dx - dy * dy;
      if (above < 0.0) continue;
      const float height = (float)(x[2] + radius * sqrt(above));
      pixel_t* at = &p[j * side + i];
      if (height <= at->height) continue;
      *at = (pixel_t){height, (float)(colour * (0.35 + 0.65 * sqrt(above)))};
    }
}

static void draw_mine(pixel_t* p, const atoms_t* a) {
  const material_t* m = &a->material;
  const double usual_speed = sqrt(m->boltzmann * m->temperature / m->mass);
  for (int i = 0; i < a->mine; i++)
    if (a->x[i][2] >= a->side - slice * m->edge) draw_ball(p, a, i, usual_speed);
}

/* Collective: gives PE 0 the highest pixel of all PEs. */
static void merge(pixel_t* mine, pixel_t* theirs) {
  const size_t bytes = (size_t)side * side * sizeof *mine;
  for (int pe = 1; pe < halo_pes(); pe++) {
    memcpy(theirs, mine, bytes);
    halo_broadcast(theirs, bytes, pe);
    if (halo_me() != 0) continue;
    for (int i = 0; i < side * side; i++)
      if (theirs[i].height > mine[i].height) mine[i] = theirs[i];
  }
}

static int write_rows(const pixel_t* p, const char* path) {
  double row[side];
  FILE* picture = picture_open(path, side, side);
  if (picture == NULL) return 1;
  for (int j = 0; j < side; j++) {
    for (int i = 0; i < side; i++) row[i] = p[j * side + i].value;
    picture_row(picture, row, side);
  }
  return picture_close(picture);
}

int minimd_picture(const atoms_t* a, const char* path) {
  pixel_t* p = calloc((size_t)side * side, sizeof *p);
  pixel_t* theirs = malloc((size_t)side * side * sizeof *p);
  if (p == NULL || theirs == NULL) halo_abort(3);
  draw_mine(p, a);
  merge(p, theirs);
  const int failed = halo_me() == 0 && write_rows(p, path) != 0;
  if (failed) perror(path);
  free(p), free(theirs);
  return halo_max(failed) > 0.0;
}
