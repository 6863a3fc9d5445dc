#include "op/rma.hpp"

namespace oshen::op {

namespace {

// One test for "none" and "more than half an address space"; then the product is a signed one, which costs two
// instructions less than the other.
[[gnu::always_inline]] inline bool has_bytes(std::size_t n, std::size_t element, std::ptrdiff_t& bytes) {
  const auto count = static_cast<std::ptrdiff_t>(n);
  return count > 0 && !__builtin_mul_overflow(count, static_cast<std::ptrdiff_t>(element), &bytes);
}

// Nothing to do, where both pointers may be null; or a line.
[[gnu::noinline, gnu::cold]] void without_bytes(call_site at, std::size_t n, std::size_t element, int pe) {
  static_cast<void>(find(at, pe));
  if (n == 0) return;
  static_cast<void>(bytes_of(at, n, element));
  bad_argument(at, "nelems = %zu: exceeds the address space", n);
}

// Out of line, and called alike, so that the short way keeps its registers.
using elements_function = void(call_site at, void* dest, const void* source, std::size_t n, std::size_t element,
                               int pe);

template <pace how>
[[gnu::noinline, gnu::cold]] void put_unlisted(call_site at, void* dest, const void* source, std::size_t n,
                                               std::size_t element, int pe) {
  put_elsewhere(at, dest, source, bytes_of(at, n, element), pe, how);
}
template <pace how>
[[gnu::noinline, gnu::cold]] void get_unlisted(call_site at, void* dest, const void* source, std::size_t n,
                                               std::size_t element, int pe) {
  get_elsewhere(at, dest, source, bytes_of(at, n, element), pe, how);
}

template <elements_function unlisted>
[[gnu::always_inline]] inline void put_any(call_site at, void* dest, const void* source, std::size_t n,
                                           std::size_t element, int pe) {
  std::ptrdiff_t bytes = 0;
  if (!has_bytes(n, element, bytes)) [[unlikely]] return without_bytes(at, n, element, pe);
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]] return unlisted(at, dest, source, n, element, pe);
  const auto size = static_cast<std::size_t>(bytes);
  char* const to = there(at, p, "dest", static_cast<char*>(dest), size);
  memcpy(to, source, size);
  wake(p.wakeup(), to, size);
}

template <elements_function unlisted>
[[gnu::always_inline]] inline void get_any(call_site at, void* dest, const void* source, std::size_t n,
                                           std::size_t element, int pe) {
  std::ptrdiff_t bytes = 0;
  if (!has_bytes(n, element, bytes)) [[unlikely]] return without_bytes(at, n, element, pe);
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]] return unlisted(at, dest, source, n, element, pe);
  const auto size = static_cast<std::size_t>(bytes);
  memcpy(dest, there(at, p, "source", static_cast<const char*>(source), size), size);
}

}  // namespace

void put_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  put_any<put_unlisted<pace::blocking>>(at, dest, source, n, element, pe);
}
void get_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  get_any<get_unlisted<pace::blocking>>(at, dest, source, n, element, pe);
  keep_loads_before();
}
void put_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  put_any<put_unlisted<pace::non_blocking>>(at, dest, source, n, element, pe);
}
void get_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  get_any<get_unlisted<pace::non_blocking>>(at, dest, source, n, element, pe);
}

}  // namespace oshen::op
