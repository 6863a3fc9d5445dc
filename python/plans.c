/* SPDX-License-Identifier: BSD-3-Clause
 * A source file for CMake. The library consists of the libraries of exchange/ and fft/. */
extern int oshen_plans_made_of_others;
