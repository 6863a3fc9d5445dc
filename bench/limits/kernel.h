// Prices of the kernel: giving the CPU away, waking somebody, starting programs.
#pragma once
#include "engine.h"

extern const bench_case kernel_cases[];

// How steady the machine is (noise.c).
extern const bench_case noise_cases[];
