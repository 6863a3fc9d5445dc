#include "cold.h"

#include <string.h>

#include "page.h"

enum { line = 64 };

cold_area cold_begin(size_t length) {
  const size_t step = (length + line - 1) / line * line;
  return (cold_area){.length = length, .step = step, .chunks = (long)(page_block / step)};
}

// Never zero: unwritten memory is zero.
static unsigned char mark(const cold_area* area, size_t offset) {
  return (unsigned char)(1 + ((size_t)area->turn * 7 + offset / area->step * 13) % 251);
}

#if defined(__x86_64__)
static inline void flush_line(const unsigned char* at) { __builtin_ia32_clflush(at); }
#elif defined(__aarch64__)
static inline void flush_line(const unsigned char* at) { __asm__ volatile("dc civac, %0" : : "r"(at) : "memory"); }
#else
#error "no instruction is known here that puts a line out of the caches"
#endif

// Evicts the lines from the caches of all cores; modified lines go to memory.
static void forget(const cold_area* area, const unsigned char* at) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (size_t i = 0; i < (size_t)area->chunks * area->step; i += line) flush_line(at + i);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void cold_renew(cold_area* area, unsigned char* source, unsigned char* target) {
  ++area->turn;
  for (long piece = 0; piece < area->chunks; ++piece) {
    const size_t offset = (size_t)piece * area->step;
    memset(source + offset, mark(area, offset), area->length);
  }
  forget(area, source);
  memset(target, 0, (size_t)area->chunks * area->step);
  forget(area, target);
}

bool cold_arrived(const cold_area* area, const unsigned char* target, long first, long count) {
  bool ok = true;
  for (long i = first; i < first + count; ++i) {
    const size_t offset = cold_offset(area, i);
    const unsigned char* piece = target + offset;
    ok &= piece[0] == mark(area, offset) && memcmp(piece, piece + 1, area->length - 1) == 0;
  }
  return ok;
}
