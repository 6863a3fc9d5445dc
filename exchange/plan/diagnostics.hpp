// Messages that say why a plan cannot be made, one line each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oshen/exchange.h"

namespace oshen::exchange {

// Prints a line that names this PE and oshen_plan_create. A line that repeats the previous one is dropped, because
// "auto" tries many strategies.
[[gnu::format(printf, 1, 2)]] void report_error(const char* format, ...);

// Likewise for an argument of another routine.
[[gnu::format(printf, 2, 3)]] void report_error_of(const char* routine, const char* format, ...);

// Reports an invalid message; `list` is "sends" or "receives".
void report_message(const oshen_message_t& m, const char* list, std::size_t index, int n_members, bool boxes);

// Reports that sender and receiver specify different sizes.
void report_sizes(int peer, std::uint64_t sent, std::uint64_t expected);

// Reports that a strategy needs a promise that the plan does not give.
void report_missing_promise(const char* strategy, const char* promise, const char* meaning);

}  // namespace oshen::exchange
