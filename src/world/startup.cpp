// Start-up and shutdown: the order in which a world is built, written once (design/start-up.md).
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/handover.hpp"
#include "os/identity.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "world/world.hpp"

namespace oshen {
namespace {

constexpr int leader = 0;             // the PE that makes the node segment
constexpr int handover_seconds = 20;
constexpr std::size_t least_default_heap = std::size_t{64} << 20;

// What each PE tells all others about itself.
struct introduction {
  std::uint64_t data_bytes;
  std::uint64_t heap_bytes;      // 0: no wish
  std::uint64_t address_space;   // what RLIMIT_AS leaves
  std::uint64_t memory;          // of the node, or of this PE's control group
  std::uint64_t agreed_settings; // a hash of the settings that must be the same everywhere
  std::uint64_t pid_namespace;
  std::uint64_t cpus[os::mask_words];
  std::int32_t pid;
  std::uint32_t control_bytes;   // PEs of different releases must not meet
};

// What the leader tells about the segment it made.
struct offer {
  std::uint64_t nonce;
  std::uint64_t affordable;
  std::int32_t fd;
  std::int32_t made;             // 0: the leader could not
};

// An array of one record per PE, for the time of start-up.
template <class Record>
class roll_call {
 public:
  status gather(boot::boot& launcher, const Record& mine) {
    records_ = static_cast<Record*>(calloc(static_cast<std::size_t>(launcher.n_pes), sizeof(Record)));
    if (records_ == nullptr) return status::no_memory;
    return launcher.allgather(&mine, records_, sizeof(Record));
  }
  ~roll_call() { free(records_); }
  roll_call() = default;
  roll_call(const roll_call&) = delete;
  roll_call& operator=(const roll_call&) = delete;
  const Record& operator[](int pe) const { return records_[pe]; }

 private:
  Record* records_ = nullptr;
};

// Start-up passes here by name, so that the fault tests can kill a PE in each phase.
void phase(const world& w, const char* name) {
  log::debug("start-up: %s", name);
  if (w.config.fault_pe == w.pe && strcmp(w.config.fault_phase, name) == 0) raise(SIGKILL);
}

introduction introduce(const world& w) {
  introduction me{};
  me.data_bytes = os::program_data().bytes;
  me.heap_bytes = w.config.heap_bytes;
  me.address_space = os::address_space_left();
  me.memory = os::total_memory();
  me.agreed_settings = hash_of_agreed_settings();
  me.pid_namespace = os::pid_namespace();
  os::read_cpu_mask(me.cpus);
  me.pid = os::own_pid();
  me.control_bytes = sizeof(control_page);
  return me;
}

status compare(const world& w, const roll_call<introduction>& all) {
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].control_bytes != all[w.pe].control_bytes) {
      log::error("PE %d uses another release of the library", i);
      return status::mismatch;
    }
    if (all[i].agreed_settings != all[w.pe].agreed_settings) {
      log::error("PE %d has other values of OSHEN_COLL_* in its environment; all PEs must have the same", i);
      return status::mismatch;
    }
    if (all[i].data_bytes != all[w.pe].data_bytes) {
      log::error("PE %d runs another program (%llu bytes of static data, here %llu); all PEs must run the same executable",
                 i, static_cast<unsigned long long>(all[i].data_bytes),
                 static_cast<unsigned long long>(all[w.pe].data_bytes));
      return status::mismatch;
    }
  }
  return status::ok;
}

// The largest wish; without one, a fair share of the node's memory, as far as address space is limited.
std::size_t agree_on_heap(const world& w, const roll_call<introduction>& all) {
  std::size_t wish = 0, space = SIZE_MAX, memory = SIZE_MAX;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].heap_bytes > wish) wish = all[i].heap_bytes;
    if (all[i].address_space < space) space = all[i].address_space;
    if (all[i].memory < memory) memory = all[i].memory;
  }
  if (wish != 0) return wish;
  const auto n = static_cast<std::size_t>(w.n_pes);
  std::size_t share = memory / n;
  if (share < least_default_heap) share = least_default_heap;
  if (space != SIZE_MAX && share > space / 2 / n) share = space / 2 / n;
  return round_down(share, heap::alignment);
}

bool cpu_for_every_pe(const world& w, const roll_call<introduction>& all) {
  int cpus = 0;
  for (std::size_t word = 0; word < os::mask_words; ++word) {
    std::uint64_t any = 0;
    for (int i = 0; i < w.n_pes; ++i) any |= all[i].cpus[word];
    cpus += std::popcount(any);
  }
  return cpus >= w.n_pes;
}

bool one_pid_namespace(const world& w, const roll_call<introduction>& all) {
  for (int i = 0; i < w.n_pes; ++i)
    if (all[i].pid_namespace != all[w.pe].pid_namespace) return false;
  return true;
}

// With a CPU for every PE it pays to spin as long as waking would take (about 30 us) and a little more;
// with more PEs than CPUs whoever we wait for needs this CPU.
wait_policy choose_waiting(const settings& config, bool dedicated, bool doorbells) {
  wait_policy p;
  p.cpu_for_each = dedicated;
  p.doorbells = doorbells;
  p.quick_tests = dedicated ? 200 : 4;
  p.spin_ns = dedicated ? 100000 : 0;
  p.yield_ns = dedicated ? 50000 : 1000000;
  if (config.spin_microseconds >= 0) p.spin_ns = static_cast<std::uint64_t>(config.spin_microseconds) * 1000;
  p.first_sleep_ns = doorbells ? 1000000 : 50000;
  p.longest_sleep_ns = doorbells ? 32000000 : 1000000;
  return p;
}

// ---- the segment ------------------------------------------------------------------------------------

std::uint64_t make_nonce() {
  return os::now_ns() * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(os::own_pid()) << 32;
}

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

void set_default_teams(world& w) {
  team& all = w.team_world;
  all.home = &w;
  all.slot = 0;
  all.n_pes = w.n_pes;
  all.my_pe = w.pe;
  all.num_contexts = max_contexts;
  aim(all.reach, w, all);
  w.default_context = all.reach;
  // One node: every PE reaches every heap, so SHARED is the same set. It is a team of its own.
  team& shared = w.team_shared;
  shared = all;
  shared.slot = 1;
  aim(shared.reach, w, shared);
  w.own_control().busy_slots[0].fetch_or(3, std::memory_order_relaxed);
}

status build(world& w) {
  phase(w, "introduction");
  roll_call<introduction> all;
  if (const status s = all.gather(*w.launcher, introduce(w)); failed(s)) return s;
  if (const status s = compare(w, all); failed(s)) return s;

  phase(w, "segment");
  const heap::layout plan = plan_of(w.n_pes, all[w.pe].data_bytes, agree_on_heap(w, all));
  roll_call<offer> offers;
  if (const status s = offers.gather(*w.launcher, make_segment(w, plan)); failed(s)) return s;
  if (offers[leader].made == 0) return status::no_memory;

  phase(w, "attach");
  if (const status s = attach_segment(w, plan, offers[leader], all[leader].pid); failed(s)) return s;

  phase(w, "statics");
  if (const status s = w.statics.adopt(w.segment, w.pe); failed(s)) return s;

  phase(w, "ready");
  w.affordable = offers[leader].affordable;
  w.waiting = choose_waiting(w.config, cpu_for_every_pe(w, all), os::register_remote_barrier());
  if (failed(w.heap.open(plan.heap_bytes)) || !w.teams.open() || !w.contexts.open()) {
    log::error("cannot reserve memory for book-keeping: %s", strerror(errno));
    return status::no_memory;
  }
  set_default_teams(w);
  control_page& mine = w.own_control();
  mine.pid.store(one_pid_namespace(w, all) ? all[w.pe].pid : 0, std::memory_order_relaxed);
  mine.state.store(boot::pe_state::joined, std::memory_order_release);
  return w.launcher->barrier();
}

void take_apart(world& w) {
  w.contexts.close();
  w.teams.each([](team& t) { free(const_cast<int*>(t.list)); free(const_cast<std::ptrdiff_t*>(t.reach.hops)); });
  w.teams.close();
  w.heap.close();
  w.statics.give_back();
  w.segment.close();
}

}  // namespace

heap::layout plan_of(int n_pes, std::size_t data_bytes, std::size_t heap_bytes) {
  heap::layout plan;
  plan.node_bytes = heap::alignment;
  plan.control_bytes = control_page::bytes_for(n_pes);
  plan.data_bytes = data_bytes;
  plan.heap_bytes = round_up(heap_bytes, heap::grain);
  plan.n_slices = n_pes;
  return plan;
}

void aim(context& c, world& w, team& t) {
  const auto stride = static_cast<std::ptrdiff_t>(w.segment.plan().stride());
  const os::byte_range data = w.statics.range();
  c.heap = reinterpret_cast<std::uintptr_t>(w.segment.heap(w.pe));
  c.heap_bytes = w.segment.plan().heap_bytes;
  if (data.bytes != 0) {
    c.data = reinterpret_cast<std::uintptr_t>(data.start);
    c.data_bytes = data.bytes;
    c.data_to_slice = w.segment.data(w.pe) - data.start;
  }
  c.first_hop = static_cast<std::ptrdiff_t>(t.start - w.pe) * stride;
  c.hop_step = static_cast<std::ptrdiff_t>(t.stride) * stride;
  c.n_pes = static_cast<std::uint32_t>(t.n_pes);
  c.control = &w.own_control();
  c.home = &w;
  c.members = &t;
  if (t.list == nullptr) return;
  auto* hops = static_cast<std::ptrdiff_t*>(malloc(static_cast<std::size_t>(t.n_pes) * sizeof(std::ptrdiff_t)));
  if (hops == nullptr) {
    log::error("no memory for a team of %d PEs", t.n_pes);
    end_job(&w, 1, false);
  }
  for (int i = 0; i < t.n_pes; ++i) hops[i] = static_cast<std::ptrdiff_t>(t.list[i] - w.pe) * stride;
  c.hops = hops;
}

status open_world(world& w, boot::boot& launcher, const settings& config) {
  w.launcher = &launcher;
  w.config = config;
  w.pe = launcher.pe;
  w.n_pes = launcher.n_pes;
  launcher.warn_seconds = config.wait_warn_seconds;
  launcher.abort_seconds = config.wait_abort_seconds;
  launcher.set_state(boot::pe_state::joined);
  const status s = build(w);
  if (failed(s)) take_apart(w);
  return s;
}

void furnish_world(world& w, boot::boot& launcher, const settings& config) {
  w.launcher = &launcher;
  w.config = config;
  w.pe = launcher.pe;
  w.n_pes = launcher.n_pes;
  w.affordable = w.segment.plan().heap_bytes;
  w.waiting = choose_waiting(config, os::usable_cpus() >= w.n_pes, os::register_remote_barrier());
  if (failed(w.heap.open(w.segment.plan().heap_bytes)) || !w.teams.open() || !w.contexts.open())
    os::leave_at_once(1);
  set_default_teams(w);
  w.own_control().state.store(boot::pe_state::joined, std::memory_order_release);
}

void close_world(world& w) {
  w.own_control().state.store(boot::pe_state::finalized, std::memory_order_release);
  w.launcher->set_state(boot::pe_state::finalized);
  // Nobody unmaps before everybody has left the last barrier of the team: its flags lie in the segment.
  if (failed(w.launcher->barrier())) log::error("shutdown: the launcher's barrier failed");
  take_apart(w);
}

}  // namespace oshen
