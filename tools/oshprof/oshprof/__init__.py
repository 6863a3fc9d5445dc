# SPDX-License-Identifier: BSD-3-Clause
"""oshprof: the exchanges of a program that are worth porting to one-sided communication."""
