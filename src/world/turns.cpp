#include "world/turns.hpp"

#include <algorithm>

#include "os/bell.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "world/network.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t aside_ns = 200000;          // the program's threads may be away so long, twice
constexpr int most_quiet = 10;                      // such times with nothing done: who has the seat sleeps long
constexpr std::uint64_t look_every_ns = 200000000;  // who sleeps longer than anything should take
constexpr int most_looks = 4;
constexpr std::uint64_t short_nap_ns = 50000;       // while something has to be tried again

void call(turns& t) {
  if (t.own.exchange(turns::serves) != turns::serves) os::futex_wake_all(t.own);
}

// Sleeps in the descriptor; true if there is something to do. A transport may say a few times that there is, until it
// has seen by itself that there is not; otherwise it has something that must be tried again.
bool block(network& n, int bell, std::uint64_t at_most_ns, bool (*advance)(world&)) {
  const int fd = n.link.wait_fd();
  for (int looks = 0; fd >= 0 && looks < most_looks; ++looks) {
    if (n.link.may_block()) return os::await_readable(fd, bell, at_most_ns);
    if (advance(*n.home)) return true;
  }
  os::nap(std::min(at_most_ns, short_nap_ns));
  return false;
}

}  // namespace

// Pairs with tell_who_is_seated(): either the test that follows finds what another thread took in, or that thread
// finds the seat taken. All accesses to `seated`, `asleep` and `own` are in one order that everybody sees.
bool take_seat(network& n) {
  if (n.link.wait_fd() < 0 || n.turn.bell < 0 || n.turn.seated.exchange(true)) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

void leave_seat(network& n) {
  turns& t = n.turn;
  t.drives.fetch_add(1, std::memory_order_relaxed);  // who gets up will do something
  t.seated.store(false);
  const std::uint32_t own = t.own.load();
  if (own == turns::far_aside || (own == turns::aside && t.asleep.load() != 0)) call(t);
}

bool sleep_in_seat(network& n, std::uint64_t at_most_ns) {
  return block(n, n.turn.bell, at_most_ns, advance_network);
}

// Either the network's own thread finds this sleeper when it steps aside, or this one finds it aside. Who has the seat
// does as well, and calls when he leaves.
void need_progress(network& n) {
  turns& t = n.turn;
  t.asleep.fetch_add(1);
  if (t.own.load() != turns::serves && !t.seated.load()) call(t);
}

void need_no_progress(network& n) { n.turn.asleep.fetch_sub(1); }

void tell_who_is_seated(network& n) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (n.turn.seated.load(std::memory_order_relaxed)) os::ring(n.turn.bell);
}

bool stand_aside(network& n, seen_turns& seen) {
  turns& t = n.turn;
  const std::uint32_t drives = t.drives.load(std::memory_order_relaxed);
  const bool driven = drives != seen.drives, seated = t.seated.load();
  if (!seated && (!driven || t.asleep.load() != 0)) return false;
  seen = {.drives = drives, .quiet = driven ? 0 : seen.quiet + 1};
  const bool far = seen.quiet > most_quiet;
  const std::uint32_t how = far ? turns::far_aside : turns::aside;
  t.own.store(how);
  if (t.seated.load() || (!far && t.asleep.load() == 0)) os::futex_wait(t.own, how, far ? look_every_ns : aside_ns);
  if (t.own.exchange(turns::serves) == turns::far_aside) seen.drives = t.drives.load(std::memory_order_relaxed);
  return true;  // above: nobody has called, so all was done by who is seated
}

void sleep_in_descriptor(network& n) {
  static_cast<void>(block(n, n.turn.end, look_every_ns, advance_from_aside));
}

}  // namespace oshen
