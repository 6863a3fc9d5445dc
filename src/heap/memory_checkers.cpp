#include "heap/memory_checkers.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

// Defined by the run-time library of AddressSanitizer, if the program has it.
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* start, std::size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* start, std::size_t bytes);
}

namespace oshen::heap {
namespace {

bool has_sanitizer() { return __asan_poison_memory_region != nullptr && __asan_unpoison_memory_region != nullptr; }

void set_sanitizer(char* block, std::size_t bytes, std::size_t capacity) {
  if (!has_sanitizer()) return;
  __asan_unpoison_memory_region(block, bytes);
  __asan_poison_memory_region(block + bytes, capacity - bytes);
}

}  // namespace

// Peers may write the block at any time, so Valgrind takes its contents as defined.
#if defined(VALGRIND_MALLOCLIKE_BLOCK)
namespace {
void begin_in_valgrind(char* block, std::size_t bytes) { VALGRIND_MALLOCLIKE_BLOCK(block, bytes, 0, 1); }
void end_in_valgrind(char* block) { VALGRIND_FREELIKE_BLOCK(block, 0); }
void hide_from_valgrind(char* start, std::size_t bytes) { VALGRIND_MAKE_MEM_NOACCESS(start, bytes); }
void show_to_valgrind(char* start, std::size_t bytes) { VALGRIND_MAKE_MEM_DEFINED(start, bytes); }
}  // namespace
#else
namespace {
void begin_in_valgrind(char*, std::size_t) {}
void end_in_valgrind(char*) {}
void hide_from_valgrind(char*, std::size_t) {}
void show_to_valgrind(char*, std::size_t) {}
}  // namespace
#endif

void mark_block(char* block, std::size_t bytes, std::size_t capacity) {
  set_sanitizer(block, bytes, capacity);
  begin_in_valgrind(block, bytes);
}

void mark_resized(char* block, std::size_t bytes, std::size_t capacity) {
  end_in_valgrind(block);
  hide_from_valgrind(block, capacity);
  mark_block(block, bytes, capacity);
}

void mark_freed(char* block, std::size_t capacity) {
  set_sanitizer(block, 0, capacity);
  end_in_valgrind(block);
  hide_from_valgrind(block, capacity);
}

void mark_unused(char* start, std::size_t bytes) {
  set_sanitizer(start, 0, bytes);
  hide_from_valgrind(start, bytes);
}

void mark_readable(char* start, std::size_t bytes) {
  set_sanitizer(start, bytes, bytes);
  show_to_valgrind(start, bytes);
}

}  // namespace oshen::heap
