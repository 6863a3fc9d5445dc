#include "op/rma.hpp"

namespace oshen::op {
namespace {

// One comparison excludes both 0 and more than the address space holds.
template <std::size_t element>
[[gnu::always_inline]] inline bool has_bytes(std::size_t n) {
  return n - 1 < PTRDIFF_MAX / element;
}

// There are no elements, so both pointers may be null; or the size is invalid.
[[gnu::noinline, gnu::cold]] void without_bytes(call_site at, std::size_t n, int pe) {
  static_cast<void>(locate(at, pe));
  if (n != 0) bad_argument(at, "nelems = %zu: exceeds the address space", n);
}

using transfer_function = void(call_site at, void* dest, const void* source, std::size_t bytes, int pe);

template <std::size_t element, transfer_function slow>
[[gnu::always_inline]] inline void put_any(call_site at, void* dest, const void* source, std::size_t n, int pe) {
  if (!has_bytes<element>(n)) [[unlikely]]
    return without_bytes(at, n, pe);
  const std::size_t bytes = n * element;
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return slow(at, dest, source, bytes, pe);
  char* const to = peer_address(at, p, "dest", static_cast<char*>(dest), bytes);
  memcpy(to, source, bytes);
  wake(p.wakeup(), to, bytes);
}

template <std::size_t element, transfer_function slow>
[[gnu::always_inline]] inline void get_any(call_site at, void* dest, const void* source, std::size_t n, int pe) {
  if (!has_bytes<element>(n)) [[unlikely]]
    return without_bytes(at, n, pe);
  const std::size_t bytes = n * element;
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return slow(at, dest, source, bytes, pe);
  memcpy(dest, peer_address(at, p, "source", static_cast<const char*>(source), bytes), bytes);
}

}  // namespace

template <std::size_t element>
void put_elements(call_site at, void* dest, const void* source, std::size_t n, int pe) {
  put_any<element, put_slow>(at, dest, source, n, pe);
}
template <std::size_t element>
void get_elements(call_site at, void* dest, const void* source, std::size_t n, int pe) {
  get_any<element, get_slow>(at, dest, source, n, pe);
  keep_loads_before();
}
template <std::size_t element>
void put_elements_nbi(call_site at, void* dest, const void* source, std::size_t n, int pe) {
  put_any<element, put_nbi_slow>(at, dest, source, n, pe);
}
template <std::size_t element>
void get_elements_nbi(call_site at, void* dest, const void* source, std::size_t n, int pe) {
  get_any<element, get_nbi_slow>(at, dest, source, n, pe);
}

template <std::size_t element>
struct instances {
  static constexpr transfer_function* all[] = {put_elements<element>, get_elements<element>, put_elements_nbi<element>,
                                               get_elements_nbi<element>};
};
template struct instances<1>;
template struct instances<2>;
template struct instances<4>;
template struct instances<8>;
template struct instances<16>;
template struct instances<32>;

}  // namespace oshen::op
