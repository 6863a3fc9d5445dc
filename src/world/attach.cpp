#include "world/attach.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/handover.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "world/roll_call.hpp"

namespace oshen {
namespace {

constexpr int handover_seconds = 20;

std::uint64_t make_nonce() {
  return os::now_ns() * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(os::own_pid()) << 32;
}

// Maps what `fd` refers to and proves that it is the leader's object.
bool attach_and_verify(world& w, const heap::layout& plan, std::uint64_t nonce, int fd) {
  struct stat file;
  if (fd < 0) return false;
  if (fstat(fd, &file) != 0 || static_cast<std::size_t>(file.st_size) != plan.total()) {
    close(fd);
    return false;
  }
  if (failed(w.segment.attach(plan, fd))) return false;
  if (w.node().nonce == nonce) return true;
  w.segment.close();
  return false;
}

}  // namespace

offer make_segment(world& w, const heap::layout& plan) {
  offer mine{};
  if (w.pe != leader) return mine;
  if (failed(w.segment.create(plan))) return mine;
  mine.nonce = make_nonce();
  mine.fd = w.segment.descriptor();
  mine.affordable = os::available_memory() / static_cast<std::size_t>(w.n_pes);
  mine.made = 1;
  w.node().nonce = mine.nonce;
  return mine;
}

// Everybody learns who could not attach through /proc; the leader then hands the descriptor over by socket.
status attach_segment(world& w, const heap::layout& plan, const offer& made, int leader_pid) {
  bool attached = w.pe == leader;
  if (!attached && !w.config.handover_by_socket_only)
    attached = attach_and_verify(w, plan, made.nonce, os::open_through_proc(leader_pid, made.fd));
  int listener = -1;
  if (w.pe == leader) listener = os::listen_abstract(made.nonce, w.n_pes);
  roll_call<char> has_it;
  if (const status s = has_it.gather(*w.launcher, attached ? 1 : 0); failed(s)) return s;
  int missing = 0;
  for (int i = 0; i < w.n_pes; ++i) missing += has_it[i] == 0;
  for (int i = 0; i < missing && listener >= 0; ++i)
    os::give_descriptor(listener, w.segment.descriptor(), handover_seconds);
  if (listener >= 0) close(listener);
  if (!attached)
    attached = attach_and_verify(w, plan, made.nonce, os::take_descriptor(made.nonce, handover_seconds));
  roll_call<char> all_have_it;
  if (const status s = all_have_it.gather(*w.launcher, attached ? 1 : 0); failed(s)) return s;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all_have_it[i] != 0) continue;
    if (w.pe == leader || w.pe == i)
      log::error("PE %d cannot map the memory of PE %d: is it on another node or in another container? "
                 "This release runs on one node", i, leader);
    return status::not_local;
  }
  return status::ok;
}

}  // namespace oshen
