#include "op/remote.hpp"

#include <shmem.h>
#include <stdlib.h>

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"
#include "world/idle.hpp"
#include "world/network.hpp"

namespace oshen::op::remote {
namespace {

using transport::completion;
using transport::outcome;

constexpr std::uint64_t grace_ns = 2000000000;  // for the launcher to say that the job ends
constexpr std::uint64_t nap_ns = 10000000;

network& network_of(call_site at) { return *at.where->home->beyond; }
transport::lane& lane_of(call_site at) {
  return at.where->lane != nullptr ? *at.where->lane : network_of(at).default_lane;
}

// A peer that cannot be reached has often ended because the job does: that is not this PE's news.
[[noreturn]] void give_up(call_site at, int world_pe, outcome o) {
  world& w = *at.where->home;
  const char* why = w.beyond->link.explain();
  int exit_status = 0;
  for (const std::uint64_t end = os::now_ns() + grace_ns; o == outcome::lost && os::now_ns() < end; os::nap(nap_ns))
    if (w.launcher->job_ending(exit_status)) os::leave_at_once(exit_status);
  if (world_pe >= 0)
    log::error("%s: PE %d cannot be reached by transport %s: %s; ending the job", at.routine, world_pe,
               w.beyond->link.name(), why);
  else
    log::error("%s: transport %s: %s; ending the job", at.routine, w.beyond->link.name(), why);
  end_job(&w, 1, false);
}

// Tries until it is neither `again` nor an error.
template <class Attempt>
void persist(call_site at, int world_pe, Attempt attempt) {
  world& w = *at.where->home;
  outcome o = attempt();
  if (o == outcome::again) {
    const wait_info info{.routine = at.routine, .pe = world_pe, .is_far = true, .tries_again = true};
    wait_long(w, info, [&] { return (o = attempt()) != outcome::again; });
  }
  if (o != outcome::done) [[unlikely]] give_up(at, world_pe, o);
}

void ensure_connected(call_site at, int world_pe) {
  persist(at, world_pe, [&] { return connect(*at.where->home, world_pe); });
}

void await(call_site at, int world_pe, const completion& c) {
  const auto is_over = [&] { return c.left.load(std::memory_order_acquire) == 0; };
  if (is_over()) return;
  world& w = *at.where->home;
  const wait_info info{.routine = at.routine, .pe = world_pe, .is_far = true};
  outcome rest = outcome::again;  // of the lane: where it is lost nothing of it will end any more
  wait_long(w, info, [&] {
    if (is_over()) return true;
    rest = network_of(at).link.flush(lane_of(at));
    return is_over() || rest == outcome::lost || rest == outcome::failed;
  });
  if (!is_over()) [[unlikely]] give_up(at, world_pe, rest);
}

// One operation, counted in `c` if there is one.
template <class Begin>
void begin(call_site at, int world_pe, completion* c, Begin operation) {
  persist(at, world_pe, [&] {
    if (c != nullptr) c->left.fetch_add(1, std::memory_order_relaxed);
    const outcome o = operation();
    if (o != outcome::done && c != nullptr) c->left.fetch_sub(1, std::memory_order_relaxed);
    return o;
  });
}

// Calls move(offset, bytes) for pieces that a transport takes.
template <class Move>
void in_pieces(std::size_t bytes, Move move) {
  for (std::size_t done = 0; done < bytes; done += transport::most_bytes)
    move(done, std::min(bytes - done, transport::most_bytes));
}

void begin_put(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes, completion* c) {
  in_pieces(bytes, [&](std::size_t done, std::size_t n) {
    begin(at, world_pe, c, [&] {
      return network_of(at).link.put(lane_of(at), world_pe, to + done, static_cast<const char*>(from) + done, n, c);
    });
  });
}

void begin_get(call_site at, int world_pe, void* to, std::uint64_t from, std::size_t bytes, completion* c) {
  in_pieces(bytes, [&](std::size_t done, std::size_t n) {
    begin(at, world_pe, c, [&] {
      return network_of(at).link.get(lane_of(at), world_pe, static_cast<char*>(to) + done, from + done, n, c);
    });
  });
}

}  // namespace

std::uint64_t offset_in_slice(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t shift = look_closer(at, argument, address, bytes);
  return static_cast<std::uint64_t>(byte_offset(static_cast<const char*>(address), shift) -
                                    reinterpret_cast<const char*>(at.where->control));
}

void put(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes, pace p) {
  if (p == pace::blocking) return batch(at, world_pe).put(to, from, bytes);
  ensure_connected(at, world_pe);
  begin_put(at, world_pe, to, from, bytes, nullptr);
}

void get(call_site at, int world_pe, void* to, std::uint64_t from, std::size_t bytes, pace p) {
  if (p == pace::blocking) return batch(at, world_pe).get(to, from, bytes);
  ensure_connected(at, world_pe);
  begin_get(at, world_pe, to, from, bytes, nullptr);
}

batch::batch(call_site at, int world_pe) : at_(at), world_pe_(world_pe) { ensure_connected(at, world_pe); }

batch::~batch() { await(at_, world_pe_, here_); }

void batch::put(std::uint64_t to, const void* from, std::size_t bytes) {
  begin_put(at_, world_pe_, to, from, bytes, &here_);
}

void batch::get(void* to, std::uint64_t from, std::size_t bytes) {
  begin_get(at_, world_pe_, to, from, bytes, &here_);
}

std::uint64_t change(call_site at, int world_pe, std::uint64_t object, const transport::change& what) {
  std::uint64_t before = 0;
  completion here;
  completion* c = what.fetches ? &here : nullptr;
  ensure_connected(at, world_pe);
  begin(at, world_pe, c, [&] {
    return network_of(at).link.atomic(lane_of(at), world_pe, object, what, what.fetches ? &before : nullptr, c);
  });
  await(at, world_pe, here);
  return before;
}

void put_signal(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                const transport::change& what, pace p) {
  network& n = network_of(at);
  if (!n.link.has_put_signal() || bytes > transport::most_bytes) {
    if (bytes != 0) {
      put(at, world_pe, to, from, bytes, p);
      persist(at, world_pe, [&] { return n.link.fence(lane_of(at)); });
    }
    change(at, world_pe, signal, what);
    return;
  }
  const auto how = what.op == transport::operation::set ? transport::signal_change::set : transport::signal_change::add;
  completion here;
  completion* c = p == pace::blocking ? &here : nullptr;
  ensure_connected(at, world_pe);
  begin(at, world_pe, c, [&] {
    return n.link.put_signal(lane_of(at), world_pe, to, from, bytes, signal, what.value, how, c);
  });
  await(at, world_pe, here);
}

// A word of eight bytes is seen whole, so a put sets it.
void put_and_change(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes,
                    std::uint64_t word, const transport::change& what, pace p) {
  if (network_of(at).link.what().signals_in_order && bytes <= transport::most_bytes)
    return put_signal(at, world_pe, to, from, bytes, word, what, p);
  if (bytes != 0) put(at, world_pe, to, from, bytes, p);
  fence(at);
  if (what.op == transport::operation::set)
    put(at, world_pe, word, &what.value, sizeof what.value, pace::blocking);
  else
    change(at, world_pe, word, what);
}

void fence(call_site at) {
  persist(at, -1, [&] { return network_of(at).link.fence(lane_of(at)); });
}

void quiet(call_site at) {
  persist(at, -1, [&] { return network_of(at).link.flush(lane_of(at)); });
}

void open_lane(context& c, long options) {
  network& n = *c.home->beyond;
  const unsigned wanted = (options & (SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED)) != 0 ? transport::one_thread : 0u;
  void* memory = malloc(sizeof(transport::lane));
  auto* own = memory == nullptr ? nullptr : new (memory) transport::lane;
  c.owns_lane = own != nullptr && n.link.open_lane(*own, wanted);
  if (!c.owns_lane) free(memory);
  c.lane = c.owns_lane ? own : &n.default_lane;
}

void close_lane(context& c) {
  if (!c.owns_lane) return;
  c.home->beyond->link.close_lane(*c.lane);
  free(c.lane);
  c.owns_lane = false;
}

}  // namespace oshen::op::remote
