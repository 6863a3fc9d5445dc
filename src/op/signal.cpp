#include "op/signal.hpp"

namespace oshen::op {

void put_signal_bytes(call_site at, void* dest, const void* source, array_size size, signal_update update, int pe) {
  peer p;
  const std::size_t bytes = bytes_of(at, size.n, size.element_bytes);
  if (!find_near(at, pe, p)) [[unlikely]]
    return put_signal_slow(at, dest, source, bytes, update, pe);
  char* to = nullptr;
  if (size.n != 0) {  // otherwise both pointers may be null
    to = peer_address(at, p, "dest", static_cast<char*>(dest), bytes);
    memcpy(to, source, bytes);
  }
  const std::uint64_t* const signal = apply_signal(at, p, update);
  wake(p.wakeup(), size.n == 0 ? reinterpret_cast<const char*>(signal) : to, bytes, signal);
}

}  // namespace oshen::op
