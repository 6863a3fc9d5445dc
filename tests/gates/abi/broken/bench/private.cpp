// SPDX-License-Identifier: BSD-3-Clause
// For the test of check_layers.py: bench may not include src/.
#include "../src/os/fine.hpp"
