# SPDX-License-Identifier: BSD-3-Clause
"""The common style of figures and pages: `style` for Matplotlib, `page` for HTML. Used by the installed tools (oshtune,
oshprof, oshen-lammps-study) and by the benchmarks."""
