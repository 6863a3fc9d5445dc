#include "minimd_eam.h"

#include <math.h>

/* Falls from 1 to 0; its first two derivatives are zero at both ends. */
static eam_term_t taper(double r) {
  const double width = eam_cut - eam_taper, x = (r - eam_taper) / width;
  if (x <= 0.0) return (eam_term_t){1.0, 0.0};
  if (x >= 1.0) return (eam_term_t){0.0, 0.0};
  return (eam_term_t){1.0 - x * x * x * (10.0 - x * (15.0 - 6.0 * x)), -30.0 * x * x * (1.0 - x) * (1.0 - x) / width};
}

static eam_term_t decay(double rate, double r) {
  const eam_term_t t = taper(r);
  const double e = exp(-rate * (r / eam_near - 1.0));
  return (eam_term_t){e * t.value, e * (t.slope - rate / eam_near * t.value)};
}

eam_term_t eam_repelling(double r) { return decay(eam_p, r); }

eam_term_t eam_density(double r) { return decay(2.0 * eam_q, r); }
