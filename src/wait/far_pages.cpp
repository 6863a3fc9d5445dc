#include "wait/far_pages.hpp"

#include "os/clock.hpp"
#include "os/process.hpp"
#include "wait/progress.hpp"
#include "world/network.hpp"

namespace oshen {
namespace {

// Longest time between two answers. On a busy host each answer takes the other PE's turn on a CPU.
constexpr std::uint64_t patience_ns = 5000000000;
constexpr std::uint64_t nap_ns = 50000;

}  // namespace

far_pages::far_pages(world& w) : w_(w), end_ns_(os::now_ns() + patience_ns) {}

const control_page* far_pages::fetch(int pe) {
  network& n = *w_.beyond;
  constexpr std::uint64_t at = 0;  // the control page is the beginning of a slice
  bool started = false;
  while (os::now_ns() < end_ns_) {
    if (!started && connect(w_, pe) == transport::outcome::done) {
      pending_get_.pending.store(1, std::memory_order_relaxed);
      const transport::far_op get = transport::get_of(pe, copy_, at, copied, &pending_get_);
      started = n.endpoint.issue(n.default_channel, get) == transport::outcome::done;
    }
    if (started && pending_get_.pending.load(std::memory_order_acquire) == 0) {
      end_ns_ = os::now_ns() + patience_ns;
      return reinterpret_cast<const control_page*>(copy_);
    }
    if (!advance_network(w_)) os::nap(nap_ns);
  }
  return nullptr;
}

}  // namespace oshen
