/* Copper by the embedded-atom method. The energy of atom i is
 *
 *     repulsion * sum_j exp(-p (r_ij / near - 1))  -  hopping * sqrt(sum_j exp(-2 q (r_ij / near - 1)))
 *
 * (second moment of tight binding), fitted to the lattice constant, the cohesive energy and the elastic constants:
 * F. Cleri and V. Rosato, Phys. Rev. B 48, 22 (1993). As in that paper, an atom interacts with five shells of
 * neighbours. Between the fifth and the sixth shell a smooth taper ends both sums. */
#ifndef MINIMD_EAM_H
#define MINIMD_EAM_H

#define EAM_EDGE 3.615 /* angstrom, as all lengths here */
static const double eam_edge = EAM_EDGE;
static const double eam_near = EAM_EDGE * 0.70710678118654752440; /* between nearest neighbours */
static const double eam_repulsion = 0.0855, eam_hopping = 1.224;  /* eV */
static const double eam_p = 10.96, eam_q = 2.278;
static const double eam_taper = 5.75, eam_cut = 6.25; /* the taper's ends */

/* The term of an atom at distance `r`, and its derivative by r; zero from eam_cut on. */
typedef struct eam_term {
  double value, slope;
} eam_term_t;
eam_term_t eam_repelling(double r); /* to the first sum */
eam_term_t eam_density(double r);   /* to the second */

#endif
