#include "transport/tcp/sight.hpp"

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr int often = 8;

// The poll set must see an attempt, and the socket of a queue: a thread that is about to block has it polled for room.
// The connection stays in the set, for no event, because to remove and add it takes longer.
bool ignore_arrivals(tcp_connection& c) {
  os::locked hold(c.sending);
  return c.current_attempt == nullptr && !has_unsent(c) && !c.polls_output && poll_again_for(c, 0);
}

}  // namespace

bool sight::has_named_often(const likely_ones& likely) {
  n_named_ = likely == named_ ? n_named_ + 1 : 1;
  named_ = likely;
  return n_named_ >= often;
}

bool sight::leave_out(const likely_ones& likely, bool at_once) {
  const bool is_new = likely != out_ && likely != likely_ones{};
  if (!is_new || (!has_named_often(likely) && !at_once)) return false;
  watch_all();
  for (std::size_t i = 0; i < likely.size(); ++i)
    if (likely[i] != nullptr && ignore_arrivals(*likely[i])) out_[i] = likely[i];
  leaves_out_.store(out_ != likely_ones{}, std::memory_order_relaxed);
  return !sees_all();
}

// Frames that have arrived meanwhile make the poll set readable. A queue may have formed, too, and a thread that is
// about to block may have had the socket polled for room.
void sight::watch_all() {
  for (tcp_connection* c : out_) {
    if (c == nullptr) continue;
    os::locked hold(c->sending);
    poll_output(*c, c->polls_output);
  }
  out_ = {};
  leaves_out_.store(false, std::memory_order_relaxed);
}

}  // namespace oshen::transport::tcp
