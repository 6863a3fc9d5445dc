// SPDX-License-Identifier: BSD-3-Clause
// For the test of check_layers.py: fft may include trials, but no header of exchange.
#pragma once
#include "exchange/run/fine.hpp"
