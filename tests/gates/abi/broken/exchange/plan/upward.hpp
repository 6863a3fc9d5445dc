// SPDX-License-Identifier: BSD-3-Clause
// For the test of check_layers.py: a plan may not include run.
#pragma once
#include "exchange/run/fine.hpp"
