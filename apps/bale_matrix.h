/* The matrix of bale_permute and bale_transpose: a number of rows, with the same number of non-zeros in each. */
#ifndef BALE_MATRIX_H
#define BALE_MATRIX_H

#include "halo/app.h"
#include "halo/halo.h"

/* For app_t.refuse: NULL, or why there is no such matrix. */
static inline const char* bale_refuse_matrix(const app_options_t* o) {
  if (o->number[0] > 1 << 30 || o->number[1] > 1 << 20) return "more than 2^30 rows, or 2^20 non-zeros of a row";
  return o->number[0] < halo_pes() ? "there are fewer rows than PEs" : app_refuse_image(o);
}

#endif
