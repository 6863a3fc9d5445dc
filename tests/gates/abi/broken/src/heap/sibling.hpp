// SPDX-License-Identifier: BSD-3-Clause
// For the test of check_layers.py: heap may include os, but not transport.
#pragma once
#include "os/fine.hpp"
#include "transport/fine.hpp"
