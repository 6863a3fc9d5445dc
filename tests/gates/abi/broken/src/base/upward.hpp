// SPDX-License-Identifier: BSD-3-Clause
// For the test of check_layers.py: base may not include os.
#pragma once
#include "os/fine.hpp"
