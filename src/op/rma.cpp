#include "op/rma.hpp"

namespace oshen::op {
namespace {

// One comparison excludes both 0 and more than half of the address space. The product is then a signed one, which costs
// two instructions less than an unsigned one.
[[gnu::always_inline]] inline bool has_bytes(std::size_t n, std::size_t element, std::ptrdiff_t& bytes) {
  const auto count = static_cast<std::ptrdiff_t>(n);
  return count > 0 && !__builtin_mul_overflow(count, static_cast<std::ptrdiff_t>(element), &bytes);
}

// There are no elements, so both pointers may be null; or the size is invalid.
[[gnu::noinline, gnu::cold]] void without_bytes(call_site at, std::size_t n, std::size_t element, int pe) {
  static_cast<void>(locate(at, pe));
  if (n == 0) return;
  static_cast<void>(bytes_of(at, n, element));
  bad_argument(at, "nelems = %zu: exceeds the address space", n);
}

// The slow path, out of line and with the same parameters, so that the fast path can jump to it with its registers
// unchanged.
using elements_function = void(call_site at, void* dest, const void* source, std::size_t n, std::size_t element,
                               int pe);

template <completion_mode mode>
[[gnu::noinline, gnu::cold]] void put_elements_slow(call_site at, void* dest, const void* source, std::size_t n,
                                                    std::size_t element, int pe) {
  put_slow(at, dest, source, bytes_of(at, n, element), pe, mode);
}
template <completion_mode mode>
[[gnu::noinline, gnu::cold]] void get_elements_slow(call_site at, void* dest, const void* source, std::size_t n,
                                                    std::size_t element, int pe) {
  get_slow(at, dest, source, bytes_of(at, n, element), pe, mode);
}

template <elements_function slow>
[[gnu::always_inline]] inline void put_any(call_site at, void* dest, const void* source, std::size_t n,
                                           std::size_t element, int pe) {
  std::ptrdiff_t bytes = 0;
  if (!has_bytes(n, element, bytes)) [[unlikely]]
    return without_bytes(at, n, element, pe);
  peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return slow(at, dest, source, n, element, pe);
  const auto size = static_cast<std::size_t>(bytes);
  char* const to = peer_address(at, p, "dest", static_cast<char*>(dest), size);
  memcpy(to, source, size);
  wake(p.wakeup(), to, size);
}

template <elements_function slow>
[[gnu::always_inline]] inline void get_any(call_site at, void* dest, const void* source, std::size_t n,
                                           std::size_t element, int pe) {
  std::ptrdiff_t bytes = 0;
  if (!has_bytes(n, element, bytes)) [[unlikely]]
    return without_bytes(at, n, element, pe);
  peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return slow(at, dest, source, n, element, pe);
  const auto size = static_cast<std::size_t>(bytes);
  memcpy(dest, peer_address(at, p, "source", static_cast<const char*>(source), size), size);
}

}  // namespace

void put_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  put_any<put_elements_slow<completion_mode::blocking>>(at, dest, source, n, element, pe);
}
void get_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  get_any<get_elements_slow<completion_mode::blocking>>(at, dest, source, n, element, pe);
  keep_loads_before();
}
void put_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  put_any<put_elements_slow<completion_mode::non_blocking>>(at, dest, source, n, element, pe);
}
void get_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe) {
  get_any<get_elements_slow<completion_mode::non_blocking>>(at, dest, source, n, element, pe);
}

}  // namespace oshen::op
