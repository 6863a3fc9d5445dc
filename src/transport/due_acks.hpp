// Messages of peers that this PE has handled and not acknowledged yet. All messages of one stream are acknowledged
// together, also if messages of other streams arrived between them. A transport sends what is due when it has handled
// all messages that have arrived, so that no flush waits longer. Only towards a PE that takes turns with this one an
// acknowledgement waits a little: the answer takes it along, which saves a message each way.
#pragma once

#include <atomic>
#include <cstdint>

namespace oshen::transport {

// Whether this PE and another send each other signals in turn, one at a time. The thread that receives calls all but
// sent(); a lost update between threads only makes an acknowledgement leave sooner or later.
class turns {
 public:
  static constexpr std::uint8_t enough = 3;  // turns in a row before an acknowledgement waits

  void sent() { has_sent_.store(true, std::memory_order_relaxed); }
  void received() {
    const bool is_turn = has_sent_.load(std::memory_order_relaxed);
    has_sent_.store(false, std::memory_order_relaxed);
    n_ = is_turn ? static_cast<std::uint8_t>(n_ + (n_ < enough)) : std::uint8_t{0};
  }
  void end() { n_ = 0; }
  bool are_taken() const { return n_ == enough; }

 private:
  std::atomic<bool> has_sent_{false};  // since the latest signal from the peer
  std::uint8_t n_ = 0;
};

// The largest number of streams, and of messages that a transport handles before it acknowledges.
inline constexpr int max_due_acks = 64;
inline constexpr int most_calls_before_ack = 16;  // calls that receive something else

// `Route` is what a transport needs, beside the number of a PE, to reply to a PE that it may not know.
//
// The calls that send take a `Sender` of the transport: turns_of(pe) are the turns of that PE with this one, and
// acknowledge(pe) takes an entry of that PE and sends the acknowledgement. If it returns false, the rest stays for the
// next call.
template <class Route>
class due_acks {
 public:
  struct entry {
    int pe;
    std::uint64_t stream;  // as the peer names it
    std::uint32_t n;       // messages
    Route back;
  };

  // Counts a message from the PE. Stream 0 expects no acknowledgement.
  template <class Sender>
  void note(const Sender& sender, int pe, std::uint64_t stream, const Route& back) {
    if (stream == 0) return;
    sender.turns_of(pe).received();
    if (add(pe, stream, back)) return;
    send_all(sender);
    static_cast<void>(add(pe, stream, back));
  }

  // A call that receives calls this last. If it received nothing (`is_idle`), the program does not answer at once.
  // Otherwise, what is due to PEs that take turns with this one is left for the answer.
  template <class Sender>
  void send_at_end(const Sender& sender, bool is_idle) {
    if (!has_left() && is_empty()) return;
    if (is_late(is_idle))
      send_all(sender);
    else
      send_if(sender, [&sender](int pe) { return !sender.turns_of(pe).are_taken(); });
    note_left();
  }

  bool is_empty() const { return n_ == 0; }

  // Whether the latest call left something due. Any thread may ask.
  bool has_left() const { return has_left_.load(std::memory_order_relaxed); }
  void note_left() { has_left_.store(n_ != 0, std::memory_order_relaxed); }

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
  // Counts a message. False: there is no room for a further stream, and the message is not counted.
  bool add(int pe, std::uint64_t stream, const Route& back) {
    int i = 0;
    while (i < n_ && (entries_[i].pe != pe || entries_[i].stream != stream)) ++i;
    if (i == max_due_acks) return false;
    if (i == n_) entries_[n_++] = {pe, stream, 0, back};
    ++entries_[i].n;
    return true;
  }

  // At the end of a call that receives: true if all that is due leaves now, also to PEs that take turns with this one.
  bool is_late(bool is_idle) {
    calls_ = has_left() ? calls_ + 1 : 0;
    return is_idle || calls_ >= most_calls_before_ack;
  }
  template <class Sender, class Matches>
  void send_if(const Sender& sender, const Matches& matches) {
    for (int pe = first_pe(matches); pe >= 0; pe = first_pe(matches))
      if (!sender.acknowledge(pe)) return;
  }
  template <class Sender>
  void send_all(const Sender& sender) {
    send_if(sender, [&sender](int pe) { return sender.turns_of(pe).end(), true; });
  }
  // The PE of the first entry that `matches`, a function of the number of a PE, or -1.
  template <class Matches>
  int first_pe(const Matches& matches) const {
    for (int i = 0; i < n_; ++i)
      if (matches(entries_[i].pe)) return entries_[i].pe;
    return -1;
  }

  int n_ = 0;
  int calls_ = 0;  // since something was left due
  std::atomic<bool> has_left_{false};
  entry entries_[max_due_acks]{};
};

}  // namespace oshen::transport
