// Messages of peers that this PE has handled and not acknowledged yet. All messages of one stream are acknowledged
// together, also if messages of other streams arrived between them. A transport sends what is due when it has handled
// all messages that have arrived, so that no flush waits longer.
#pragma once

#include <cstdint>

namespace oshen::transport {

// The largest number of streams, and of messages that a transport handles before it acknowledges.
inline constexpr int max_due_acks = 64;

// `Route` is what a transport needs, beside the number of a PE, to reply to a PE that it may not know.
template <class Route>
class due_acks {
 public:
  struct entry {
    int pe;
    std::uint64_t stream;  // as the peer names it
    std::uint32_t n;       // messages
    Route back;
  };

  bool is_empty() const { return n_ == 0; }
  const entry& first() const { return entries_[0]; }

  // Counts a message. False: there is no room for a further stream, and the message is not counted.
  bool add(int pe, std::uint64_t stream, const Route& back) {
    int i = 0;
    while (i < n_ && (entries_[i].pe != pe || entries_[i].stream != stream)) ++i;
    if (i == max_due_acks) return false;
    if (i == n_) entries_[n_++] = {pe, stream, 0, back};
    ++entries_[i].n;
    return true;
  }

  // Removes an entry of the PE, which the caller acknowledges. `n` is 0 if there is none.
  entry take(int pe) {
    for (int i = 0; i < n_; ++i) {
      if (entries_[i].pe != pe) continue;
      const entry found = entries_[i];
      entries_[i] = entries_[--n_];
      return found;
    }
    return {};
  }

 private:
  int n_ = 0;
  entry entries_[max_due_acks]{};
};

}  // namespace oshen::transport
