// The functions of oshrun --trace for the detector (tools/oshtrace/trace.h); null in a job that is not traced.
#pragma once

#include <cstdint>

extern "C" {
[[gnu::weak]] const void* oshtrace_caller(void);
[[gnu::weak]] void oshtrace_add_race(const char* report, int pe, std::uint64_t offset);
}
