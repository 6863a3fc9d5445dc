#include "minimd_material.h"

#include <math.h>
#include <stddef.h>

#include "minimd_eam.h"

const char* const potential_names[] = {"lj", "eam", NULL};

static const double density = 0.8442;               /* of the usual Lennard-Jones benchmark */
static const double copper_mass = 63.546;           /* u */
static const double energy_of_mass = 1.03642697e-4; /* eV: one u with one angstrom in a picosecond, squared */
static const double boltzmann = 8.617333262e-5;     /* eV/K */
static const double gigapascal = 160.2176634;       /* one eV per cubic angstrom, in gigapascal */

material_t material_of(potential_t potential) {
  if (potential == POTENTIAL_EAM)
    return (material_t){.potential = potential,
                        .edge = eam_edge,
                        .mass = copper_mass * energy_of_mass,
                        .boltzmann = boltzmann,
                        .temperature = 600.0,
                        .step = 0.001,
                        .cut = eam_cut,
                        .skin = 0.5,
                        .pressure = gigapascal,
                        .drift = 1e-4};
  return (material_t){.potential = potential,
                      .edge = cbrt(4.0 / density),
                      .mass = 1.0,
                      .boltzmann = 1.0,
                      .temperature = 1.44,
                      .step = 0.005,
                      .cut = 2.5,
                      .skin = 0.3,
                      .pressure = 1.0,
                      .drift = 0.02};
}
