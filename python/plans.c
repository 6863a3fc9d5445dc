/* SPDX-License-Identifier: BSD-3-Clause
 * Nothing of its own: the library is made of those of exchange/ and fft/. */
extern int oshen_plans_made_of_others;
