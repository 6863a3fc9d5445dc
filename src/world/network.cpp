#include "world/network.hpp"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "base/log.hpp"
#include "os/bell.hpp"
#include "world/idle.hpp"
#include "world/network_tables.hpp"
#include "world/open_transport.hpp"

namespace oshen {
namespace {

// Makes progress while the program computes; never spins. What it finds it does, and wakes who sleeps on this PE.
void* serve(void* argument) {
  world& w = *static_cast<world*>(argument);
  network& n = *w.beyond;
  seen_turns seen;
  while (!n.stopping.load(std::memory_order_acquire))
    if (!stand_aside(n, seen) && !advance_from_aside(w)) sleep_in_descriptor(n);
  return nullptr;
}

void start_thread(world& w) {
  network& n = *w.beyond;
  if (n.link.what().moves_itself) return;
  sigset_t all, before;  // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int problem = pthread_create(&n.thread, nullptr, serve, &w);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (problem != 0)
    log::error("no thread for the network (%s); only calls of the library make progress", strerror(problem));
  n.has_thread.store(problem == 0, std::memory_order_release);
}

status build(world& w, bool one_host) {
  network& n = *w.beyond;
  n.turn.bell = os::open_bell();
  n.turn.end = os::open_bell();
  if (!open_transport(w, one_host)) return status::not_local;
  if (const status s = gather_tables(w); failed(s)) return s;
  if (!n.link.open_lane(n.default_lane, 0) || !n.link.open_lane(n.collective_lane, transport::ordered)) {
    log::error("transport %s: cannot open a stream: %s", n.link.name(), n.link.explain());
    return status::no_memory;
  }
  log::debug("transport %s: %s", n.link.name(), n.link.what().about);
  start_thread(w);
  return status::ok;
}

void wait_beside_network(wait_policy& p) {
  p.tests_give_way = true;
  p.near_tests = p.quick_tests;
  p.quick_tests = 1;
}

}  // namespace

status open_network(world& w, bool one_host) {
  void* memory = malloc(sizeof(network));
  if (memory == nullptr) return status::no_memory;
  w.beyond = new (memory) network;
  w.beyond->home = &w;
  const status s = build(w, one_host);
  if (failed(s)) close_network(w);
  else wait_beside_network(w.waiting);
  return s;
}

void close_network(world& w) {
  network* n = w.beyond;
  if (n == nullptr) return;
  n->stopping.store(true, std::memory_order_release);
  os::ring(n->turn.end);
  if (n->has_thread.load(std::memory_order_acquire)) pthread_join(n->thread, nullptr);
  os::close_bell(n->turn.bell);
  os::close_bell(n->turn.end);
  n->link.close_lane(n->default_lane);
  n->link.close_lane(n->collective_lane);
  n->link.close();
  free_tables(*n);
  n->~network();
  free(n);
  w.beyond = nullptr;
}

bool advance_from_aside(world& w) {
  if (w.beyond->link.progress() <= 0) return false;
  wake_own_sleepers(w.own_control().wakeup);
  tell_who_is_seated(*w.beyond);
  return true;
}

bool advance_network(world& w) {
  w.beyond->turn.drives.fetch_add(1, std::memory_order_relaxed);
  return advance_from_aside(w);
}

transport::outcome connect(world& w, int pe) {
  network& n = *w.beyond;
  if (n.connected[pe].load(std::memory_order_acquire)) return transport::outcome::done;
  os::locked hold(n.connecting);
  if (n.connected[pe].load(std::memory_order_relaxed)) return transport::outcome::done;
  const transport::outcome o =
      n.link.connect(pe, n.addresses + static_cast<std::size_t>(pe) * n.address_bytes, n.address_bytes);
  if (o == transport::outcome::done) n.connected[pe].store(true, std::memory_order_release);
  return o;
}

}  // namespace oshen
