# SPDX-License-Identifier: BSD-3-Clause
"""How every figure and page of Oshen's tools looks: `style` for Matplotlib, `page` for HTML. Of the tools that are installed
(oshtune, oshprof, oshen-lammps-study) and of the benchmarks."""
