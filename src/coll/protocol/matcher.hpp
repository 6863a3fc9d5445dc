// Matched messages between the PEs of a team: what two-sided algorithms are made of (design/collectives.md).
//
// A small message travels in an eager slot of the receiver's inbox (eager: it is gone when it is posted). A large one
// that lies in this PE's slice is offered: the receiver copies or combines it from where it is, and says so. A large
// one in private memory travels in pieces. Messages of one source and tag match in the order they were sent.
#pragma once

#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// A message that came before it was asked for; kept by the team until it is.
struct unexpected_message {
  unexpected_message* next;
  eager_slot copy;
};

// One message under way. Owned by the caller, at one place until it is done.
struct message {
  int pe = -1;
  std::uint32_t tag = 0;
  char* data = nullptr;  // the bytes to send, or where they are to go
  std::size_t bytes = 0;
  combine_function combine = nullptr;  // receive: data = data op what comes ...
  bool theirs_first = false;           // ... or what comes op data
  std::size_t element_bytes = 1;

  std::size_t moved = 0;
  int finish = -1;          // offered: which of our answers the receiver sets
  bool found_full = false;  // counted at the inbox, which had no slot
  bool done = false;
  message* next = nullptr;
};

// The messages of one collective on one PE. Lives on the stack of the algorithm; every message has been completed
// when it ends.
class matcher {
 public:
  explicit matcher(const collective_call& call);
  matcher(const matcher&) = delete;
  matcher& operator=(const matcher&) = delete;

  // Return at once. `m.data` must stay as it is until the message is complete.
  void send(message& m);
  // Sends a small message if that can be done without waiting. False: nothing was sent.
  bool send_now(message& m);
  void receive(message& m);
  // Waits; meanwhile all messages under way advance.
  void complete(message& m);
  void complete_all();

  // The tag of step `step` of the present collective.
  std::uint32_t tag(int step) const {
    return static_cast<std::uint32_t>(call_.members.collectives << 8) | static_cast<std::uint32_t>(step);
  }

 private:
  void advance();
  bool is_behind_another(const message& m) const;
  void advance_send(message& m);
  bool push_or_say(message& m, std::size_t bytes, int finish);
  bool push(const message& m, std::size_t bytes, int finish);
  void request_rendezvous(message& m);
  void empty_inbox();
  void deliver(const eager_slot& p);
  void take(message& m, const eager_slot& p);
  void take_early(message& m);
  void keep(const eager_slot& p);

  const collective_call& call_;
  std::uint32_t finishes_in_use_ = 0;
  message* sends_ = nullptr;  // not complete, in the order they were begun
  message* receives_ = nullptr;
};

}  // namespace oshen::coll
