#include "op/signal.hpp"

namespace oshen::op {

void put_signal_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element,
                      std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  peer p;
  const std::size_t bytes = bytes_of(at, n, element);
  if (!in_window(at, pe, p)) [[unlikely]]
    return put_signal_elsewhere(at, dest, source, bytes, sig_addr, signal, sig_op, pe);
  char* to = nullptr;
  if (n != 0) {  // else both pointers may be null
    to = there(at, p, "dest", static_cast<char*>(dest), bytes);
    memcpy(to, source, bytes);
  }
  const std::uint64_t* const word = raise_signal(at, p, sig_addr, signal, sig_op);
  wake(p.wakeup(), n == 0 ? reinterpret_cast<const char*>(word) : to, bytes, word);
}

}  // namespace oshen::op
