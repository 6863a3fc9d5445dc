// SPDX-License-Identifier: BSD-3-Clause
// For the test of check_layers.py: topo may include os, but not boot.
#pragma once
#include "boot/fine.hpp"
#include "os/fine.hpp"
