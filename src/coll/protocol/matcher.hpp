// Matched messages between the PEs of a team, for two-sided algorithms (design/collectives.md).
//
// A small message is eager: it travels in a slot of the receiver's inbox and is complete when it is posted. A large one
// in this PE's slice uses rendezvous: the receiver copies or combines it in place and then sets a flag of the sender. A
// large one in private memory travels in eager chunks. Messages with the same source and tag match in the order in
// which they were sent.
#pragma once

#include "coll/collective.hpp"

namespace oshen::coll {

// A message or chunk that arrived before its receive was called. The team keeps it until then.
struct unexpected_message {
  unexpected_message* next;
  eager_slot copy;
};

// One message under way. The caller owns it, and must not move it until it is done.
struct matched_message {
  int pe = -1;
  std::uint32_t tag = 0;
  char* data = nullptr;  // the bytes to send, or their destination
  std::size_t bytes = 0;
  combine_function combine = nullptr;  // For a receive: data = data op incoming.
  bool theirs_first = false;           // Instead, data = incoming op data.
  std::size_t element_bytes = 1;

  std::size_t moved = 0;
  int finish = -1;          // For rendezvous: the index in `taken` of the flag that the receiver sets.
  bool found_full = false;  // This message is counted in `full` of the receiver's inbox.
  bool done = false;
  matched_message* next = nullptr;
};

// The messages of one collective on one PE. It lives on the stack of the algorithm, which completes every message
// before it ends.
class matcher {
 public:
  explicit matcher(const collective_call& call);
  matcher(const matcher&) = delete;
  matcher& operator=(const matcher&) = delete;

  // send() and receive() return at once. `m.data` must not change until the message is complete.
  void send(matched_message& m);
  // Sends a small message if that can be done without waiting. False: nothing was sent.
  bool send_now(matched_message& m);
  void receive(matched_message& m);
  // Waits. Meanwhile all messages under way advance.
  void complete(matched_message& m);
  void complete_all();

  // The tag of step `step` of the present collective.
  std::uint32_t tag(int step) const {
    return static_cast<std::uint32_t>(call_.members.collectives << 8) | static_cast<std::uint32_t>(step);
  }

 private:
  void advance();
  bool is_behind_another(const matched_message& m) const;
  void advance_send(matched_message& m);
  bool push_or_say(matched_message& m, std::size_t bytes, int finish);
  bool push(const matched_message& m, std::size_t bytes, int finish);
  void request_rendezvous(matched_message& m);
  void empty_inbox();
  void deliver(const eager_slot& p);
  void take(matched_message& m, const eager_slot& p);
  void take_early(matched_message& m);
  void keep(const eager_slot& p);

  const collective_call& call_;
  std::uint32_t finishes_in_use_ = 0;
  matched_message* sends_ = nullptr;  // not complete, in the order of their start
  matched_message* receives_ = nullptr;
};

}  // namespace oshen::coll
