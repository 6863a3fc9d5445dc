// The key under which the choice for a pattern of messages is kept.
#pragma once

#include <cstdint>

#include "exchange/group/group.hpp"
#include "oshen/exchange.h"

namespace oshen::exchange {

// This PE's part of the key of a pattern: a hash of its messages and of where its peers are. The sum over all PEs is
// the same in every job that makes the same plan on as many PEs. Local.
std::uint64_t hash_of(const oshen_group& group, const oshen_plan_attr_t& attr);

}  // namespace oshen::exchange
