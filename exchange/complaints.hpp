// Why a plan cannot be made, in one line for the person who wrote the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oshen/exchange.h"

namespace oshen::exchange {

// Prints a line that names this PE and oshen_plan_create; the same line twice in a row is said once, as "auto" tries
// many strategies.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);

// What is wrong with a message: list is "sends" or "receives".
void complain_of(const oshen_message_t& m, const char* list, std::size_t index, int n_members, bool boxes);

// Two sides that mean different sizes.
void complain_of_sizes(int peer, std::uint64_t sent, std::uint64_t expected);

// The promise that a strategy needs.
void complain_of_promise(const char* strategy, const char* promise, const char* meaning);

}  // namespace oshen::exchange
