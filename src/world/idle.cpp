#include "world/idle.hpp"

#include <stdio.h>

#include "base/log.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t second = 1000000000;
constexpr std::uint64_t look_every = second / 10;
constexpr int pauses_per_look = 4;
constexpr int small_job = 64, peers_per_look = 8;  // PEs that see all others in one look; how many the rest see

// "PE 0 alive, PE 1 gone, ..." for the PEs that matter most: as many as fit.
void list_peers(const world& w, char* text, std::size_t room) {
  int length = 0;
  text[0] = '\0';
  for (int i = 0; i < w.n_pes && length + 32 < static_cast<int>(room); ++i) {
    if (i == w.pe) continue;
    const control_page& peer = w.control(i);
    const bool exists = os::process_exists(peer.pid.load(std::memory_order_relaxed));
    const bool waits = peer.doing.since_ns.load(std::memory_order_relaxed) != 0;
    const char* state = !exists ? "gone" : waits ? "waiting too" : words_for(peer.state.load(std::memory_order_relaxed));
    length += snprintf(text + length, room - static_cast<std::size_t>(length), "%sPE %d %s",
                       length == 0 ? "" : ", ", i, state);
  }
}

void write_note(const wait_note& note, const world& w, char* text, std::size_t room) {
  int length = snprintf(text, room, "%s: waiting", note.routine);
  if (note.pe >= 0)
    length += snprintf(text + length, room - static_cast<std::size_t>(length), " for PE %d", note.pe);
  if (note.address == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(note.address);
  const context& c = w.default_context;
  const bool in_heap = address - c.heap < c.heap_bytes;
  snprintf(text + length, room - static_cast<std::size_t>(length), " on %p (%s + %zu) to be %s %lld",
           note.address, in_heap ? "heap" : "static data",
           static_cast<std::size_t>(in_heap ? address - c.heap : address - c.data), note.relation,
           note.wanted);
}

}  // namespace

patience::~patience() {
  if (!described_) return;
  os::locked hold(world_.speaking);
  post(world_.own_control().doing, "", 0);
  if (boot::activity* board = world_.launcher->board()) post(*board, "", 0);
}

bool patience::spin() {
  const std::uint64_t now = os::now_ns();
  if (began_ == 0) {
    began_ = now;
    next_look_ = now + look_every;
    next_warning_ = now + world_.config.wait_warn_seconds * second;
    nap_ns_ = world_.waiting.first_sleep_ns;
  }
  if (advance_background(false)) return true;
  const std::uint64_t waited = now - began_;
  if (waited < world_.waiting.spin_ns) {
    for (int i = 0; i < pauses_per_look; ++i) os::pause();
    return true;
  }
  if (waited < world_.waiting.spin_ns + world_.waiting.yield_ns) {
    os::yield();
    return true;
  }
  return false;
}

bool patience::advance_background(bool thorough) {
  return world_.background.open.load(std::memory_order_acquire) != 0 && world_.background.advance(world_, thorough);
}

// Pairs with ring(): either the writer's store is seen by the test that follows, or the writer's look at
// `asleep` comes after our store and it rings. The remote barrier stands for the fence on both sides.
std::uint32_t announce_sleep(world& w) {
  doorbell& bell = w.own_control().bell;
  const std::uint32_t ring = bell.rings.load(std::memory_order_acquire);
  bell.asleep.store(1, std::memory_order_seq_cst);
  if (w.waiting.doorbells) os::remote_barrier();
  return ring;
}

void patience::sleep(std::uint32_t ring) {
  os::futex_wait(world_.own_control().bell.rings, ring, nap_ns_);
  if (nap_ns_ < world_.waiting.longest_sleep_ns) nap_ns_ *= 2;
  const std::uint64_t now = os::now_ns();
  if (now >= next_look_) look_around(now);
}

// Is the job ending, did a peer die, is it time to speak?
void patience::look_around(std::uint64_t now) {
  next_look_ = now + look_every;
  int exit_status = 0;
  if (world_.launcher->job_ending(exit_status)) os::leave_at_once(exit_status);
  // A few at a time, each PE beginning elsewhere: together those who wait see all. A thousand PEs that each looked at
  // all others would do nothing else, and every page of another PE costs memory for page tables.
  const int looks = world_.n_pes <= small_job ? world_.n_pes : peers_per_look;
  for (int k = 0; k < looks; ++k) {
    next_peer_ = (next_peer_ + 1) % world_.n_pes;
    const int i = (world_.pe + next_peer_) % world_.n_pes;
    const control_page& peer = world_.control(i);
    const int pid = peer.pid.load(std::memory_order_relaxed);
    if (pid == 0 || os::process_exists(pid)) continue;
    if (peer.state.load(std::memory_order_acquire) != boot::pe_state::joined) continue;
    log::error("%s: PE %d (pid %d) is gone without shmem_finalize; ending the job", note_.routine, i, pid);
    end_job(&world_, 1, false);
  }
  if (!described_) describe();
  const std::uint64_t waited = now - began_;
  if (world_.config.wait_warn_seconds != 0 && now >= next_warning_) {
    next_warning_ = now + (next_warning_ - began_);  // after 1, 2, 4 ... times the first delay
    char note[256], peers[512];
    write_note(note_, world_, note, sizeof note);
    list_peers(world_, peers, sizeof peers);
    log::error("%s, for %llu s now (%s)", note, static_cast<unsigned long long>(waited / second), peers);
  }
  if (world_.config.wait_abort_seconds != 0 && waited >= world_.config.wait_abort_seconds * second) {
    log::error("%s: waited %u s (OSHEN_WAIT_ABORT); ending the job", note_.routine, world_.config.wait_abort_seconds);
    end_job(&world_, 1, false);
  }
}

// Tells whoever looks from outside (oshrun --timeout) what this PE waits for.
void patience::describe() {
  described_ = true;
  char text[sizeof(boot::activity::text)];
  write_note(note_, world_, text, sizeof text);
  os::locked hold(world_.speaking);
  post(world_.own_control().doing, text, began_);
  if (boot::activity* board = world_.launcher->board()) post(*board, text, began_);
}

void ring_now(doorbell& bell) {
  if (bell.asleep.exchange(0, std::memory_order_acq_rel) == 0) return;  // somebody else rings
  bell.rings.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(bell.rings);
}

}  // namespace oshen
