#include "startup/network.hpp"

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "os/process.hpp"
#include "os/signal_actions.hpp"
#include "os/wakeup_fd.hpp"
#include "startup/allgathered.hpp"
#include "transport/transports.hpp"
#include "wait/progress.hpp"
#include "world/network.hpp"

namespace oshen {
namespace {

host_name own_host() {
  host_name mine{};
  gethostname(mine.text, sizeof mine.text - 1);
  return mine;
}

// ---- the transport ---------------------------------------------------------------------------------------------

transport::open_params describe(const world& w, const char* options) {
  return {.pe = w.pe,
          .n_pes = w.n_pes,
          .near_index = w.near.mine,
          .slice = w.segment.slice(w.near.mine),
          .slice_bytes = w.segment.stride(),
          .options = options,
          .chaos_seed = w.config.chaos_seed,
          .one_issuer = w.thread_level != SHMEM_THREAD_MULTIPLE && !w.config.progress_thread,
          .uses_direct = !w.config.check,
          .atomics = w.config.atomics};
}

// The result of a PE that has tried to open the transport.
enum class open_result : char { failed, opened, opened_with_card };

open_result result_of(const transport::endpoint& e, bool opened) {
  if (!opened) return open_result::failed;
  return e.query().atomics == transport::agent::card ? open_result::opened_with_card : open_result::opened;
}

// Sets `without` to the first PE that has not opened the transport; -1: all have. Objects belong to cards only if all
// PEs have one with atomic operations.
bool compare_results(world& w, open_result mine, int& without) {
  allgathered<open_result> all;
  if (failed(all.gather(*w.launcher, mine))) return false;
  without = -1;
  w.beyond->has_card_atomics = true;
  for (int pe = w.n_pes - 1; pe >= 0; --pe) {
    if (all[pe] == open_result::failed) without = pe;
    if (all[pe] != open_result::opened_with_card) w.beyond->has_card_atomics = false;
  }
  return true;
}

bool is_named(const transport::transport& t, const char* name) { return strcmp(t.name, name) == 0; }

// All PEs have the same setting. Transport loop stays within one machine.
bool is_secure_enough(const transport::transport& t, char* why, std::size_t room) {
  const char* wanted = setting_text("OSHEN_SECURE");
  if (wanted == nullptr || strcmp(wanted, "1") != 0 || is_named(t, "tcp") || is_named(t, "loop")) return true;
  snprintf(why, room, "OSHEN_SECURE = 1: it cannot authenticate data; transport tcp can");
  return false;
}

transport::outcome connect_to_answer(void* home, int pe) { return connect(*static_cast<world*>(home), pe); }

// Opens `t` on all PEs. If a PE cannot open it, returns false, the first such PE in `without`, and the reason in `why`.
bool open_everywhere(world& w, const transport::transport& t, const char* options, int& without, char* why,
                     std::size_t room) {
  network& n = *w.beyond;
  without = 0;
  if (!is_secure_enough(t, why, room)) return false;
  const bool opened = n.endpoint.open(t, describe(w, options), why, room, connect_to_answer, &w);
  if (!compare_results(w, result_of(n.endpoint, opened), without)) return false;
  if (opened && without >= 0) {
    n.endpoint.close();
    snprintf(why, room, "PE %d cannot open it", without);
  }
  return without < 0;
}

void list_transports(char* text, std::size_t room) {
  std::size_t length = 0;
  text[0] = '\0';
  for (const transport::transport* const* t = transport::transports; *t != nullptr && length < room; ++t)
    length +=
        static_cast<std::size_t>(snprintf(text + length, room - length, "%s%s", length == 0 ? "" : " ", (*t)->name));
}

bool open_named(world& w, const char* wanted) {
  char why[256] = "";
  const char* options = "";
  const transport::transport* t = transport::find(wanted, options);
  if (t == nullptr) {
    if (w.pe != 0) return false;  // all PEs have the same value
    list_transports(why, sizeof why);
    log::error("OSHEN_TRANSPORT = %s: expected auto or one of: %s", wanted, why);
    return false;
  }
  int without = w.pe;
  if (open_everywhere(w, *t, options, without, why, sizeof why)) return true;
  if (without == w.pe) log::error("OSHEN_TRANSPORT = %s: %s (on %.63s)", wanted, why, own_host().text);
  return false;
}

constexpr int max_transports = 8;

// The order in which all PEs try the transports: descending by the lowest score that any PE gives. Transports with
// equal scores keep the order of the list.
struct trial_order {
  const transport::transport* items[max_transports];
  int scores[max_transports];
  int n = 0;

  void insert(const transport::transport* t, int score) {
    int i = n++;
    for (; i > 0 && scores[i - 1] < score; --i) {
      items[i] = items[i - 1];
      scores[i] = scores[i - 1];
    }
    items[i] = t;
    scores[i] = score;
  }
};

bool agree_on_order(world& w, trial_order& order) {
  struct record {
    int scores[max_transports];
  };
  record mine{};
  for (int i = 0; i < max_transports && transport::transports[i] != nullptr; ++i)
    if (transport::transports[i]->rank != nullptr) mine.scores[i] = transport::transports[i]->rank("", w.n_pes).score;
  allgathered<record> all;
  if (failed(all.gather(*w.launcher, mine))) return false;
  for (int i = 0; i < max_transports && transport::transports[i] != nullptr; ++i) {
    int lowest = mine.scores[i];
    for (int pe = 0; pe < w.n_pes; ++pe)
      if (all[pe].scores[i] < lowest) lowest = all[pe].scores[i];
    order.insert(transport::transports[i], lowest);
  }
  return true;
}

bool open_best(world& w, bool one_host) {
  char reasons[512] = "";
  std::size_t used = 0;
  int speaker = -1;  // the first PE that cannot open the best transport
  trial_order order;
  if (!agree_on_order(w, order)) return false;
  for (int i = 0; i < order.n; ++i) {
    const transport::transport& t = *order.items[i];
    if (is_named(t, "loop") && !one_host) continue;  // it reaches this machine only
    char why[256] = "";
    int without = w.pe;
    if (open_everywhere(w, t, "", without, why, sizeof why)) return true;
    log::debug("transport %s: %s", t.name, why);
    if (speaker < 0) speaker = without;
    if (used < sizeof reasons)
      used += static_cast<std::size_t>(snprintf(reasons + used, sizeof reasons - used, "; %s: %s", t.name, why));
  }
  if (speaker == w.pe || (speaker < 0 && w.pe == 0))
    log::error(
        "the PEs are on several nodes, and no transport reaches all of them from %.63s%s; remove the reason of tcp, "
        "which needs no library, or set OSHEN_TRANSPORT; oshinfo --transport shows what each host has",
        own_host().text, used == 0 ? "; none is built in" : reasons);
  return false;
}

bool open_transport(world& w, bool one_host) {
  const bool automatic = strcmp(w.config.transport, "auto") == 0;
  if (!automatic) return open_named(w, w.config.transport);
  return w.config.node_pes != 0 ? open_named(w, "loop") : open_best(w, one_host);
}

// ---- tables of all PEs -----------------------------------------------------------------------------------------

// The launcher's exchanges are short, so addresses are sent in chunks. The first PE of each node stores them for its
// node; the other PEs read them only after the last barrier of start-up.
status gather_addresses(world& w) {
  network& n = *w.beyond;
  char mine[transport::address_bytes] = {};
  const std::size_t own_bytes = n.endpoint.local_address(mine);
  allgathered<std::uint32_t> lengths;
  if (const status s = lengths.gather(*w.launcher, static_cast<std::uint32_t>(own_bytes)); failed(s)) return s;
  for (int pe = 0; pe < w.n_pes; ++pe)
    if (lengths[pe] > n.address_bytes) n.address_bytes = lengths[pe];
  const auto pes = static_cast<std::size_t>(w.n_pes);
  n.address_table = w.annex_of(0).address_table(w.n_team_slots);
  n.connected = static_cast<std::atomic<bool>*>(calloc(pes, sizeof(std::atomic<bool>)));
  if (n.connected == nullptr) return status::no_memory;
  struct chunk {
    char bytes[128];
  };
  for (std::size_t done = 0; done < n.address_bytes; done += sizeof(chunk)) {
    chunk c{};
    const std::size_t length = n.address_bytes - done < sizeof c ? n.address_bytes - done : sizeof c;
    memcpy(&c, mine + done, length);
    allgathered<chunk> all;
    if (const status s = all.gather(*w.launcher, c); failed(s)) return s;
    for (std::size_t pe = 0; w.near.mine == 0 && pe < pes; ++pe)
      memcpy(n.address_table + pe * n.address_bytes + done, &all[static_cast<int>(pe)], length);
  }
  return status::ok;
}

// Gathers the host names, for messages about a PE. Most jobs have one range of PEs for each host.
status gather_hosts(world& w) {
  network& n = *w.beyond;
  allgathered<host_name> all;
  if (const status s = all.gather(*w.launcher, own_host()); failed(s)) return s;
  const auto begins_range = [&](int pe) { return pe == 0 || strcmp(all[pe].text, all[pe - 1].text) != 0; };
  int ranges = 0;
  for (int pe = 0; pe < w.n_pes; ++pe) ranges += begins_range(pe) ? 1 : 0;
  n.hosts = static_cast<host_name*>(calloc(static_cast<std::size_t>(ranges), sizeof(host_name)));
  if (n.hosts == nullptr) return status::no_memory;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (!begins_range(pe)) continue;
    n.hosts[n.n_hosts] = all[pe];
    n.hosts[n.n_hosts++].first_pe = pe;
  }
  return status::ok;
}

// The first PE of another host that this host knows it cannot reach; -1: none. The first PE of each node looks, and it
// looks at one PE of each host, so the time hardly grows with the PEs.
int find_unreachable(const world& w, char* why, std::size_t room) {
  const network& n = *w.beyond;
  const host_name own = own_host();
  for (int i = 0; w.near.mine == 0 && i < n.n_hosts; ++i) {
    const host_name& host = n.hosts[i];
    if (strcmp(host.text, own.text) == 0) continue;
    const char* address = n.address_table + static_cast<std::size_t>(host.first_pe) * n.address_bytes;
    if (!n.endpoint.may_connect(address, n.address_bytes, why, room)) return host.first_pe;
  }
  return -1;
}

// Gathers the node of each PE, which hierarchical collectives need (coll/select/domain.hpp). A PE whose host cannot
// reach another one sends a negative number instead, and the first such PE prints the line.
status gather_nodes(world& w) {
  network& n = *w.beyond;
  char why[256] = "";
  const int unreachable = find_unreachable(w, why, sizeof why);
  allgathered<int> all;
  if (const status s = all.gather(*w.launcher, unreachable < 0 ? w.near.leader() : -1); failed(s)) return s;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (all[pe] >= 0) continue;
    if (pe == w.pe)
      log::error(
          "PE %d on %.63s cannot be reached from %.63s by transport %s: %s; set OSHEN_INTERFACE to an interface on a "
          "network of all hosts, or OSHEN_TRANSPORT; oshinfo --transport shows what each host has",
          unreachable, host_of(w, unreachable), host_of(w, pe), n.endpoint.name(), why);
    return status::not_local;
  }
  n.leaders = static_cast<int*>(calloc(static_cast<std::size_t>(w.n_pes), sizeof(int)));
  if (n.leaders == nullptr) return status::no_memory;
  for (int pe = 0; pe < w.n_pes; ++pe) n.leaders[pe] = all[pe];
  return status::ok;
}

status gather_tables(world& w) {
  if (const status s = gather_addresses(w); failed(s)) return s;
  if (const status s = gather_hosts(w); failed(s)) return s;
  return gather_nodes(w);
}

void free_tables(network& n) {
  free(n.hosts);
  free(n.leaders);
  free(n.connected);
}

// All PEs have the same setting and the same transport, so PE 0 speaks for all.
bool has_wanted_atomics(const world& w) {
  if (w.config.atomics != atomics_policy::by_card || has_card_atomics(w)) return true;
  if (w.pe == 0)
    log::error(
        "OSHEN_ATOMICS = card: transport %s has no card that executes atomic operations of 4 and 8 bytes: "
        "expected auto or cpu",
        w.beyond->endpoint.name());
  return false;
}

// ---- opening and closing ---------------------------------------------------------------------------------------

status build(world& w, bool one_host) {
  const os::kept_signal_actions keep;
  network& n = *w.beyond;
  n.progress.poller_wakeup = os::open_wakeup_fd();
  n.progress.thread_wakeup = os::open_wakeup_fd();
  n.adopted.begin();
  const bool is_open = open_transport(w, one_host);
  n.adopted.end();
  if (!is_open || !has_wanted_atomics(w)) return status::not_local;
  if (const status s = gather_tables(w); failed(s)) return s;
  if (!n.endpoint.open_channel(n.default_channel, 0) ||
      !n.endpoint.open_channel(n.collective_channel, transport::ordered)) {
    log::error("transport %s: cannot open a stream: %s", n.endpoint.name(), n.endpoint.explain());
    return status::no_memory;
  }
  log::debug("transport %s: %s", n.endpoint.name(), n.endpoint.query().about);
  start_network_thread(w);
  return status::ok;
}

// If puts arrive without notice, nothing wakes a waiter: it polls memory, and naps so briefly that it sees a put within
// about 100 us. A PE with a CPU of its own polls for longer before it naps.
constexpr std::uint64_t untold_spin_ns = 20000000;
constexpr std::uint64_t untold_nap_ns = 25000;  // the kernel adds up to 50 us

constexpr unsigned tests_for_each_call = 16;  // of the network, where a card moves what is awaited

// A thread that serves peers, of this PE or of another one on this host, may be queued on the CPU of a PE that spins.
// An arrival takes longer than this only if it had to wait for a thread, or if it is large.
constexpr std::uint64_t told_spin_ns = 20000;

void yield_early(wait_policy& p) {
  if (p.spin_ns <= told_spin_ns) return;
  p.yield_ns += p.spin_ns - told_spin_ns;
  p.spin_ns = told_spin_ns;
}

void wait_beside_network(wait_policy& p, const transport::endpoint& e, const settings& config) {
  const transport::attributes& network = e.query();
  p.tests_give_way = true;
  p.hides_arrivals = e.can_leave_out();
  p.near_tests = p.quick_tests;
  p.quick_tests = 1;
  if (network.arrives_by_card) p.tests_of_card_objects = tests_for_each_call;
  if (network.arrives_by_card && config.atomics == atomics_policy::by_card) p.tests_of_objects = tests_for_each_call;
  if (network.signals_by_card) p.tests_of_signals = tests_for_each_call;
  if (network.announces) {
    if (config.spin_microseconds < 0) yield_early(p);
    return;
  }
  if (p.cpu_for_each && p.spin_ns < untold_spin_ns) p.spin_ns = untold_spin_ns;
  p.first_sleep_ns = p.longest_sleep_ns = untold_nap_ns;
}

constexpr int most_separate_by_default = 16;

// Separate streams cost memory, so there are only as many as threads can use at the same time.
int most_separate_streams(const world& w) {
  if (w.config.ctx_endpoints >= 0) return w.config.ctx_endpoints;
  const int cpus = w.thread_level == SHMEM_THREAD_MULTIPLE ? os::usable_cpus() : 1;
  return cpus > 1 ? std::min(cpus, most_separate_by_default) : 0;
}

// All PEs have failed. They wait until the line is printed, and none reports the end of another.
void part(world& w) {
  w.launcher->set_state(bootstrap::pe_state::finalized);
  if (failed(w.launcher->barrier())) log::debug("start-up: PEs have ended before the others");
}

}  // namespace

status open_network(world& w, bool one_host) {
  void* memory = aligned_alloc(cache_line, sizeof(network));
  if (memory == nullptr) return status::no_memory;
  w.beyond = new (memory) network;
  w.beyond->home = &w;
  w.beyond->most_separate = most_separate_streams(w);
  const status s = build(w, one_host);
  if (s == status::not_local) part(w);
  if (failed(s))
    close_network(w);
  else
    wait_beside_network(w.waiting, w.beyond->endpoint, w.config);
  return s;
}

void close_network(world& w) {
  network* n = w.beyond;
  if (n == nullptr) return;
  end_network_thread(*n);
  os::close_wakeup_fd(n->progress.poller_wakeup);
  os::close_wakeup_fd(n->progress.thread_wakeup);
  n->endpoint.close_channel(n->default_channel);
  n->endpoint.close_channel(n->collective_channel);
  n->endpoint.close();
  n->adopted.release();
  free_tables(*n);
  n->~network();
  free(n);
  w.beyond = nullptr;
}

}  // namespace oshen
