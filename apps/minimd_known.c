#include "minimd_known.h"

#include <math.h>
#include <stddef.h>

#include "minimd_eam.h"

/* lj 10, 20 and 32 are published values. tests/apps/md_by_pairs.py, which has neither cells nor ghosts,
 * computed the others. */
static const struct {
  potential_t potential;
  long cells;
  int step;
  state_t state;
} known[] = {
    {POTENTIAL_LJ, 6, 0, {1.44, -6.773368, -5.021076, 2e-6}},
    {POTENTIAL_LJ, 6, 20, {0.7279416, -5.713917, 0.6947937, 1e-5}},
    {POTENTIAL_LJ, 6, 40, {0.7682416, -5.780629, 0.4558870, 1e-5}},
    {POTENTIAL_LJ, 6, 60, {0.7310144, -5.721731, 0.4636142, 1e-5}},
    {POTENTIAL_LJ, 10, 0, {1.44, -6.773368, -5.019973, 2e-6}},
    {POTENTIAL_LJ, 10, 100, {0.7208599, -5.701261, 0.5236926, 1e-5}},
    {POTENTIAL_LJ, 10, 200, {0.7127749, -5.690223, 0.6106253, 1e-5}},
    {POTENTIAL_LJ, 10, 1000, {0.6980069, -5.668184, 0.7374521, 1e-5}},
    {POTENTIAL_LJ, 20, 0, {1.44, -6.773368, -5.019707, 2e-6}},
    {POTENTIAL_LJ, 20, 100, {0.7522746, -5.750134, 0.2187181, 1e-5}},
    {POTENTIAL_LJ, 20, 200, {0.7571498, -5.758905, 0.1900173, 1e-5}},
    {POTENTIAL_LJ, 20, 1000, {0.7016939, -5.67319, 0.7132916, 1e-5}},
    {POTENTIAL_LJ, 32, 0, {1.44, -6.773368, -5.019679, 2e-6}},
    {POTENTIAL_LJ, 32, 100, {0.8200911, -5.852702, -0.1873921, 1e-5}},
    {POTENTIAL_EAM, 6, 22, {369.1384752, -3.513812, 1.9798728, 1e-6}},
    {POTENTIAL_EAM, 6, 40, {165.8265134, -3.487555, 3.0260763, 1e-6}},
    {POTENTIAL_EAM, 6, 60, {232.5368739, -3.496176, 2.5213305, 1e-6}},
};

/* The cold lattice of copper, from its shells of neighbours: the size of each, and its radius in nearest distances.
 * The virial is minus the change of energy when all lengths grow; it is nearly zero at the lattice constant. */
static state_t cold_copper(const material_t* m, long cells) {
  static const struct {
    double count, distance;
  } shell[] = {{12, 1.0}, {6, 1.41421356237309505}, {24, 1.73205080756887729}, {12, 2.0}, {24, 2.23606797749978970}};
  double repelling = 0.0, density = 0.0, repelling_slope = 0.0, density_slope = 0.0;
  for (size_t k = 0; k < sizeof shell / sizeof *shell; k++) {
    const double r = shell[k].distance;
    const double near = shell[k].count * exp(-eam_p * (r - 1.0));
    const double around = shell[k].count * exp(-2.0 * eam_q * (r - 1.0));
    repelling += near, repelling_slope += r * near;
    density += around, density_slope += r * around;
  }
  const double virial = eam_repulsion * eam_p * repelling_slope - eam_hopping * eam_q * density_slope / sqrt(density);
  const double n = 4.0 * (double)(cells * cells * cells), volume = pow(m->edge * (double)cells, 3.0);
  const double kinetic = m->boltzmann * m->temperature * (3.0 * n - 3.0);
  return (state_t){m->temperature, eam_repulsion * repelling - eam_hopping * sqrt(density),
                   m->pressure * (kinetic + n * virial) / (3.0 * volume), 1e-10};
}

int minimd_known(const material_t* material, long cells, int step, state_t* state) {
  if (material->potential == POTENTIAL_EAM && step == 0) return *state = cold_copper(material, cells), 1;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].potential != material->potential || known[i].cells != cells || known[i].step != step) continue;
    *state = known[i].state;
    return 1;
  }
  return 0;
}
