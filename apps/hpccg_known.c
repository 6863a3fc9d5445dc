#include "hpccg_known.h"

static const struct {
  long n;
  double residual[5]; /* residuals 0 (the initial one), 15, 30, 45, 60 */
} known[] = {
    {16, {408.1078288884, 0.04713198974985}},
    {32, {813.8550239447, 6.249953329726, 0.001637877838393, 7.836704992e-08}},
    {64, {1654.808750279, 19.75232592467, 0.10764532897, 0.000229062492691, 4.038757155918e-07}},
};

double hpccg_known(long nx, long ny, long nz, int k) {
  if (nx != ny || ny != nz || k % 15 != 0 || k > 60) return 0.0;
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].n == nz) return known[i].residual[k / 15];
  return 0.0;
}
