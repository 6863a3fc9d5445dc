#include "op/rma.hpp"

namespace oshen::op {
namespace {

std::size_t bytes_of(site at, std::size_t n, std::size_t element) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(n, element, &bytes)) bad_argument(at, "nelems = %zu: exceeds the address space", n);
  return bytes;
}

}  // namespace

void put_bytes(site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  const peer p = find(at, pe);
  if (n == 0) return;  // both pointers may be null
  const std::size_t bytes = bytes_of(at, n, element);
  memcpy(there(at, p, "dest", static_cast<char*>(dest), bytes), source, bytes);
  ring(p.bell());
}

void get_bytes(site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  const peer p = find(at, pe);
  if (n == 0) return;
  const std::size_t bytes = bytes_of(at, n, element);
  memcpy(dest, there(at, p, "source", static_cast<const char*>(source), bytes), bytes);
}

}  // namespace oshen::op
