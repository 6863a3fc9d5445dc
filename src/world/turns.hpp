// Whose turn it is to make progress (design/several-nodes.md, "Progress"): a thread of the program makes it while it
// waits, and the network's own thread while none does. A thread that waits for a far PE sleeps in the transport's
// descriptor itself; there is one seat.
#pragma once

#include <atomic>
#include <cstdint>

namespace oshen {

struct network;

struct turns {
  // What the network's own thread does. Aside: it lets the program's threads; far: one of them has slept in the
  // descriptor for long, and calls when it has got up.
  enum own_thread : std::uint32_t { serves, aside, far_aside };

  std::atomic<std::uint32_t> drives{0};  // how often threads of the program have made progress
  std::atomic<bool> seated{false};       // one of them sleeps in the descriptor, or is about to
  std::atomic<std::uint32_t> asleep{0};  // those that sleep at the PE's wake flag: somebody must make progress for them
  std::atomic<std::uint32_t> own{serves};
  int bell = -1;  // rung for who has the seat
  int end = -1;   // rung for the network's own thread
};

// ---- a thread of the program ----------------------------------------------------------------------------------

// False: somebody else has it. After it the caller tests once more what it waits for.
bool take_seat(network& n);
void leave_seat(network& n);
// At most so long. True if there is something to do.
bool sleep_in_seat(network& n, std::uint64_t at_most_ns);

// Round a sleep at the wake flag.
void need_progress(network& n);
void need_no_progress(network& n);

// ---- who has made progress ------------------------------------------------------------------------------------

// After something has come in, whoever took it.
void tell_who_is_seated(network& n);

// ---- the network's own thread ---------------------------------------------------------------------------------

// Kept from call to call.
struct seen_turns {
  std::uint32_t drives = 0;
  int quiet = 0;  // how often it has looked and found no more
};

// Sleeps for a while if a thread of the program makes progress or has the seat; else false.
bool stand_aside(network& n, seen_turns& seen);
// The same as for who is seated.
void sleep_in_descriptor(network& n);

}  // namespace oshen
