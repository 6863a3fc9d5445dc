#include "op/signal.hpp"

namespace oshen::op {

namespace {

[[gnu::always_inline]] inline void put_near(call_site at, const near_peer& p, void* dest, const void* source,
                                            std::size_t bytes, const signal_update& update) {
  char* to = nullptr;
  if (bytes != 0) {  // otherwise both pointers may be null
    to = peer_address(at, p, "dest", static_cast<char*>(dest), bytes);
    memcpy(to, source, bytes);
  }
  const std::uint64_t* signal = nullptr;
  if (!apply_signal(at, p, update, signal)) [[unlikely]]
    return update_signal_slow(at, update.sig_addr, update.signal, update.sig_op, p.peer_offset);
  wake(p.wakeup(), bytes == 0 ? reinterpret_cast<const char*>(signal) : to, bytes, signal);
}

}  // namespace

void put_signal_bytes(call_site at, void* dest, const void* source, array_size size, signal_update update, int pe) {
  near_peer p;
  const std::size_t bytes = bytes_of(at, size.n, size.element_bytes);
  if (!find_near(at, pe, p)) [[unlikely]]
    return put_signal_slow(at, dest, source, bytes, update, pe);
  put_near(at, p, dest, source, bytes, update);
}

void put_signal_nbi_bytes(call_site at, void* dest, const void* source, array_size size, signal_update update, int pe) {
  near_peer p;
  const std::size_t bytes = bytes_of(at, size.n, size.element_bytes);
  if (!find_near(at, pe, p)) [[unlikely]]
    return put_signal_nbi_slow(at, dest, source, bytes, update, pe);
  put_near(at, p, dest, source, bytes, update);
}

}  // namespace oshen::op
