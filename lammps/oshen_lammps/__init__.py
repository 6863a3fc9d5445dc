# SPDX-License-Identifier: BSD-3-Clause
"""oshen-lammps: LAMMPS with the Oshen accelerator."""
