#include "transport/tcp/sight.hpp"

#include <sys/epoll.h>

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr int often = 8;

// The connection stays in the poll set, because to remove and add it takes longer.
bool poll_for_arrivals(const tcp_connection& c, bool polls) { return poll_again_for(c, polls ? unsigned{EPOLLIN} : 0); }

}  // namespace

bool sight::has_named_often(const likely_ones& likely) {
  n_named_ = likely == named_ ? n_named_ + 1 : 1;
  named_ = likely;
  return n_named_ >= often;
}

// The poll set must see an attempt, and the socket of a queue: a thread that is about to block has it polled for room.
bool sight::leave_out(tcp_connection& c) {
  os::locked hold(c.sending);
  return c.fd >= 0 && c.current_attempt == nullptr && !has_unsent(c) && !c.polls_output && poll_for_arrivals(c, false);
}

bool sight::leave_out(const likely_ones& likely, bool at_once) {
  const bool is_new = likely != out_ && likely != likely_ones{};
  if (!is_new || (!has_named_often(likely) && !at_once)) return false;
  watch_all();
  for (std::size_t i = 0; i < likely.size(); ++i)
    if (likely[i] != nullptr && leave_out(*likely[i])) out_[i] = likely[i];
  leaves_out_.store(out_ != likely_ones{}, std::memory_order_relaxed);
  return !sees_all();
}

// Frames that have arrived meanwhile make the poll set readable. A connection that was lost has no descriptor any more.
void sight::watch_all() {
  for (tcp_connection* c : out_) {
    if (c == nullptr) continue;
    os::locked hold(c->sending);
    if (c->fd >= 0) poll_for_arrivals(*c, true);
  }
  out_ = {};
  leaves_out_.store(false, std::memory_order_relaxed);
}

}  // namespace oshen::transport::tcp
