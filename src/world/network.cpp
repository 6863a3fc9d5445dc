#include "world/network.hpp"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "base/log.hpp"
#include "os/process.hpp"
#include "transport/transports.hpp"
#include "world/idle.hpp"
#include "world/allgathered.hpp"

namespace oshen {
namespace {

constexpr int look_every_ms = 200;            // a thread that blocks looks whether it is to stop
constexpr std::uint64_t short_nap_ns = 50000;  // while something has to be tried again

transport::opening describe(const world& w, const char* options) {
  return {.pe = w.pe,
          .n_pes = w.n_pes,
          .window = w.segment.slice(w.near.mine),
          .window_bytes = w.segment.stride(),
          .options = options,
          .chaos_seed = w.config.chaos_seed};
}

// All PEs have opened it, or none keeps it.
bool all_opened(world& w, bool opened, bool& all) {
  allgathered<char> votes;
  if (failed(votes.gather(*w.launcher, opened ? 1 : 0))) return false;
  all = true;
  for (int pe = 0; pe < w.n_pes; ++pe) all = all && votes[pe] != 0;
  return true;
}

transport::outcome connect_to_answer(void* home, int pe) { return connect(*static_cast<world*>(home), pe); }

// Opens `t` on all PEs. False with a reason where one cannot.
bool open_everywhere(world& w, const transport::transport& t, const char* options, char* why, std::size_t room) {
  network& n = *w.beyond;
  bool all = false;
  const bool opened =
      t.available(options, why, room) && n.link.open(t, describe(w, options), why, room, connect_to_answer, &w);
  if (!all_opened(w, opened, all)) return false;
  if (opened && !all) {
    n.link.close();
    snprintf(why, room, "another PE cannot open it");
  }
  return all;
}

void list_transports(char* text, std::size_t room) {
  std::size_t length = 0;
  text[0] = '\0';
  for (const transport::transport* const* t = transport::transports; *t != nullptr && length < room; ++t)
    length +=
        static_cast<std::size_t>(snprintf(text + length, room - length, "%s%s", length == 0 ? "" : " ", (*t)->name));
}

bool choose(world& w, bool one_host) {
  char why[256] = "";
  const bool automatic = strcmp(w.config.transport, "auto") == 0;
  if (!automatic || w.config.node_pes != 0) {
    const char* wanted = automatic ? "loop" : w.config.transport;
    const char* options = "";
    const transport::transport* t = transport::find(wanted, options);
    if (t == nullptr) {
      list_transports(why, sizeof why);
      log::error("OSHEN_TRANSPORT = %s: expected auto or one of: %s", wanted, why);
      return false;
    }
    if (open_everywhere(w, *t, options, why, sizeof why)) return true;
    log::error("OSHEN_TRANSPORT = %s: %s", wanted, why);
    return false;
  }
  snprintf(why, sizeof why, "none is built in");
  for (const transport::transport* const* t = transport::transports; *t != nullptr; ++t) {
    if (strcmp((*t)->name, "loop") == 0 && !one_host) continue;  // it ends at the machine
    if (open_everywhere(w, **t, "", why, sizeof why)) return true;
    log::debug("transport %s: %s", (*t)->name, why);
  }
  log::error("the PEs are on several nodes, and no transport reaches all of them (last: %s)", why);
  return false;
}

// The launcher's rounds are short: addresses travel in pieces of one length. One PE of each node writes them down for
// all; the others look only after the last barrier of the start-up.
status gather_addresses(world& w) {
  network& n = *w.beyond;
  char mine[transport::address_bytes] = {};
  const std::size_t own_bytes = n.link.local_address(mine);
  allgathered<std::uint32_t> lengths;
  if (const status s = lengths.gather(*w.launcher, static_cast<std::uint32_t>(own_bytes)); failed(s)) return s;
  for (int pe = 0; pe < w.n_pes; ++pe)
    if (lengths[pe] > n.address_bytes) n.address_bytes = lengths[pe];
  const auto pes = static_cast<std::size_t>(w.n_pes);
  n.addresses = w.annex_of(0).address_table();
  n.connected = static_cast<std::atomic<bool>*>(calloc(pes, sizeof(std::atomic<bool>)));
  if (n.connected == nullptr) return status::no_memory;
  struct piece {
    char bytes[128];
  };
  for (std::size_t done = 0; done < n.address_bytes; done += sizeof(piece)) {
    piece p{};
    const std::size_t part = n.address_bytes - done < sizeof p ? n.address_bytes - done : sizeof p;
    memcpy(&p, mine + done, part);
    allgathered<piece> all;
    if (const status s = all.gather(*w.launcher, p); failed(s)) return s;
    for (std::size_t pe = 0; w.near.mine == 0 && pe < pes; ++pe)
      memcpy(n.addresses + pe * n.address_bytes + done, &all[static_cast<int>(pe)], part);
  }
  return status::ok;
}

// Who is told of a slow PE wants to know where it is. Most jobs have one row for each host.
status gather_hosts(world& w) {
  network& n = *w.beyond;
  host_name mine{};
  gethostname(mine.text, sizeof mine.text - 1);
  allgathered<host_name> all;
  if (const status s = all.gather(*w.launcher, mine); failed(s)) return s;
  const auto begins_row = [&](int pe) { return pe == 0 || strcmp(all[pe].text, all[pe - 1].text) != 0; };
  int rows = 0;
  for (int pe = 0; pe < w.n_pes; ++pe) rows += begins_row(pe) ? 1 : 0;
  n.hosts = static_cast<host_name*>(calloc(static_cast<std::size_t>(rows), sizeof(host_name)));
  if (n.hosts == nullptr) return status::no_memory;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (!begins_row(pe)) continue;
    n.hosts[n.n_hosts] = all[pe];
    n.hosts[n.n_hosts++].first_pe = pe;
  }
  return status::ok;
}

// Collectives go from node to node first (coll/choosing/domain.hpp): all must know the nodes of all.
status gather_nodes(world& w) {
  network& n = *w.beyond;
  allgathered<int> all;
  if (const status s = all.gather(*w.launcher, w.near.leader()); failed(s)) return s;
  n.leaders = static_cast<int*>(calloc(static_cast<std::size_t>(w.n_pes), sizeof(int)));
  if (n.leaders == nullptr) return status::no_memory;
  for (int pe = 0; pe < w.n_pes; ++pe) n.leaders[pe] = all[pe];
  return status::ok;
}

// ---- the thread ---------------------------------------------------------------------------------------------

// Blocks in the transport's descriptor; never spins. What it finds it does, and wakes who sleeps on this PE.
void* serve(void* argument) {
  world& w = *static_cast<world*>(argument);
  network& n = *w.beyond;
  pollfd where{.fd = n.link.wait_fd(), .events = POLLIN, .revents = 0};
  while (!n.stopping.load(std::memory_order_acquire)) {
    if (advance_network(w)) continue;
    if (where.fd < 0 || !n.link.may_block())
      os::nap(short_nap_ns);
    else
      poll(&where, 1, look_every_ms);
  }
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
  if (!choose(w, one_host)) return status::not_local;
  if (const status s = gather_addresses(w); failed(s)) return s;
  if (const status s = gather_hosts(w); failed(s)) return s;
  if (const status s = gather_nodes(w); failed(s)) return s;
  if (!n.link.open_lane(n.default_lane, 0) || !n.link.open_lane(n.collective_lane, 0)) {
    log::error("transport %s: cannot open a stream: %s", n.link.name(), n.link.explain());
    return status::no_memory;
  }
  if (const status s = register_up_to(w, w.segment.plan().heap_offset()); failed(s)) return s;
  log::debug("transport %s: %s", n.link.name(), n.link.what().about);
  start_thread(w);
  return status::ok;
}

}  // namespace

status open_network(world& w, bool one_host) {
  void* memory = malloc(sizeof(network));
  if (memory == nullptr) return status::no_memory;
  w.beyond = new (memory) network;
  w.beyond->home = &w;
  const status s = build(w, one_host);
  if (failed(s)) close_network(w);
  return s;
}

void close_network(world& w) {
  network* n = w.beyond;
  if (n == nullptr) return;
  n->stopping.store(true, std::memory_order_release);
  if (n->has_thread.load(std::memory_order_acquire)) pthread_join(n->thread, nullptr);
  n->link.close_lane(n->default_lane);
  n->link.close_lane(n->collective_lane);
  n->link.close();
  free(n->hosts);
  free(n->leaders);
  free(n->connected);
  n->~network();
  free(n);
  w.beyond = nullptr;
}

const char* host_of(const world& w, int pe) {
  const char* found = nullptr;
  for (int i = 0; w.beyond != nullptr && i < w.beyond->n_hosts && w.beyond->hosts[i].first_pe <= pe; ++i)
    found = w.beyond->hosts[i].text;
  return found != nullptr && *found != '\0' ? found : "another node";
}

int node_leader_of(const world& w, int pe) { return w.beyond != nullptr ? w.beyond->leaders[pe] : w.near.leader(); }

bool advance_network(world& w) {
  if (w.beyond->link.progress() <= 0) return false;
  wake_own_sleepers(w.own_control().wakeup);
  return true;
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

status register_up_to(world& w, std::size_t bytes) {
  if (w.beyond == nullptr || bytes <= w.beyond->registered) return status::ok;
  network& n = *w.beyond;
  const transport::outcome o = n.link.register_memory(n.registered, bytes - n.registered);
  if (o != transport::outcome::done) {
    log::error("transport %s: cannot register %zu bytes of symmetric memory: %s", n.link.name(), bytes - n.registered,
               n.link.explain());
    return status::no_memory;
  }
  n.registered = bytes;
  return status::ok;
}

}  // namespace oshen
