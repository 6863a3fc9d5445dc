#include "startup/attach.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/handover.hpp"
#include "os/identity.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "startup/allgathered.hpp"
#include "startup/startup.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t handover_ns = 20'000'000'000;

// The leader's offer of the node segment that it created, for the other PEs of its node.
struct segment_offer {
  std::uint64_t nonce;     // stored in the node page: a PE that finds it there has mapped the right object
  os::socket_name socket;  // socket by which the leader hands over the descriptor
  sip_key key;             // proves that a process may have the descriptor
  std::uint64_t affordable;
  std::int32_t pid;
  std::int32_t fd;
  std::uint32_t user;
  std::int16_t leads;    // 0: the PE is no leader, or its node is complete
  std::int16_t created;  // 0: the leader could not create the segment
};

std::uint64_t make_nonce() {
  return os::now_ns() * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(os::own_pid()) << 32;
}

// Hands the descriptor over to `missing` processes that know the key. A failed handover is not repeated.
void hand_over(const world& w, int listener, const sip_key& key, int missing) {
  const std::uint64_t until = os::now_ns() + handover_ns;
  for (int i = 0; i < missing && listener >= 0; ++i)
    if (!os::give_descriptor(listener, key, w.segment.descriptor(), until)) return;
}

// missing: the PE cannot reach the leader's object; other_user: and never will; refused: the system has no room for the
// mapping.
enum class attachment : char { missing, other_user, mapped, refused };

bool is_other_user(std::uint32_t of_leader) {
  const std::uint32_t mine = os::user();
  return mine != of_leader && mine != os::unknown_user && of_leader != os::unknown_user;
}

// Maps the object of `fd`, and verifies that it is the leader's.
attachment attach_and_verify(world& w, const heap::segment_layout& plan, std::uint64_t nonce, int fd) {
  struct stat file;
  if (fd < 0) return attachment::missing;
  if (fstat(fd, &file) != 0 || static_cast<std::size_t>(file.st_size) != plan.total()) {
    close(fd);
    return attachment::missing;
  }
  if (failed(w.segment.attach(plan, fd))) return attachment::refused;
  if (w.node().nonce == nonce) return attachment::mapped;
  w.segment.close();
  return attachment::missing;
}

// On the leader: creates and maps the segment.
segment_offer create_segment(world& w, const heap::segment_layout& plan, int pes_of_host) {
  segment_offer mine{};
  mine.leads = 1;
  if (failed(w.segment.create(plan))) return mine;
  mine.nonce = make_nonce();
  mine.socket = os::random_name();
  mine.key = os::random_key();
  mine.pid = os::own_pid();
  mine.fd = w.segment.descriptor();
  mine.user = os::user();
  mine.affordable = os::available_memory() / static_cast<std::size_t>(pes_of_host);
  mine.created = 1;
  w.node().nonce = mine.nonce;
  return mine;
}

// PEs that try to form one node, including this PE.
class candidates {
 public:
  explicit candidates(int most) : pes_(static_cast<int*>(malloc(static_cast<std::size_t>(most) * sizeof(int)))) {}
  ~candidates() { free(pes_); }
  candidates(const candidates&) = delete;
  candidates& operator=(const candidates&) = delete;
  bool is_valid() const { return pes_ != nullptr; }
  void add(int pe) { pes_[n_++] = pe; }
  const int* pes() const { return pes_; }
  int size() const { return n_; }
  int leader() const { return pes_[0]; }
  // The PEs for which `keep(pe)` holds remain.
  template <class Keep>
  void filter(Keep keep) {
    n_ = static_cast<int>(std::remove_if(pes_, pes_ + n_, [&](int pe) { return !keep(pe); }) - pes_);
  }

  bool complete = false;  // all of them have mapped the segment

 private:
  int* pes_;
  int n_ = 0;
};

// Attaches through /proc. The leader then hands the descriptor over by socket to the PEs for which that failed, if they
// have its user. A PE whose node is complete only takes part in the exchanges of the launcher. `outcome` receives the
// results of all PEs.
status attach(world& w, const heap::segment_layout& plan, const segment_offer& offer, const candidates& c,
              allgathered<attachment>& outcome) {
  const bool leads = !c.complete && w.pe == c.leader();
  attachment mine = c.complete || leads ? attachment::mapped : attachment::missing;
  if (mine == attachment::missing && !w.config.handover_by_socket_only)
    mine = attach_and_verify(w, plan, offer.nonce, os::open_through_proc(offer.pid, offer.fd));
  if (mine == attachment::missing && is_other_user(offer.user)) mine = attachment::other_user;
  int listener = -1;
  if (leads && c.size() > 1) listener = os::listen_abstract(offer.socket, c.size());
  allgathered<attachment> first_results;
  if (const status s = first_results.gather(*w.launcher, mine); failed(s)) return s;
  int missing = 0;  // without those of another user
  for (int i = 0; i < c.size(); ++i) missing += first_results[c.pes()[i]] == attachment::missing;
  hand_over(w, listener, offer.key, missing);
  if (listener >= 0) close(listener);
  if (mine == attachment::missing)
    mine = attach_and_verify(w, plan, offer.nonce,
                             os::take_descriptor(offer.socket, offer.key, os::now_ns() + handover_ns));
  return outcome.gather(*w.launcher, mine);
}

// The first candidate that could not map the segment; -1: there is none.
int first_missing(const candidates& c, const allgathered<attachment>& outcome) {
  for (int i = 0; i < c.size(); ++i)
    if (const attachment its = outcome[c.pes()[i]]; its == attachment::missing || its == attachment::other_user)
      return c.pes()[i];
  return -1;
}

// One attempt of all candidates. `done`: every PE of the job has a segment.
status try_candidates(world& w, const all_pe_info& all, std::size_t heap_bytes, candidates& c, bool& done) {
  heap::segment_layout plan =
      plan_of(w.n_pes, c.size(), w.one_program ? all[w.pe].data_bytes : 0, heap_bytes, w.n_team_slots);
  const bool leads = !c.complete && w.pe == c.leader();
  if (!w.near.set(c.pes(), c.size(), w.pe)) return status::no_memory;
  plan.own_slice = w.near.mine;
  plan.team_bytes = agree_on_team_heap(w, all, heap_bytes);
  plan.one_address = w.config.one_address;
  allgathered<segment_offer> offers;
  if (const status s =
          offers.gather(*w.launcher, leads ? create_segment(w, plan, pes_on_host_of(w, all, w.pe)) : segment_offer{});
      failed(s))
    return s;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (offers[pe].leads == 0) continue;
    if (offers[pe].created == 0) return status::no_memory;
    w.affordable = std::min(w.affordable, static_cast<std::size_t>(offers[pe].affordable));
  }
  pass_phase(w, "attach");
  allgathered<attachment> outcome;
  if (const status s = attach(w, plan, offers[c.leader()], c, outcome); failed(s)) return s;
  done = true;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (outcome[pe] == attachment::refused) return status::no_memory;
    done = done && outcome[pe] == attachment::mapped;
  }
  const int missing = first_missing(c, outcome);
  c.complete = missing < 0;
  if (c.complete) return status::ok;
  if (w.pe == c.leader())
    log::error(
        "PE %d cannot map the memory of PE %d: is it in another container, or does it belong to another user? They "
        "communicate as if they were on different nodes",
        missing, w.pe);
  w.segment.close();
  const attachment mine = outcome[w.pe];
  c.filter([&](int pe) { return outcome[pe] == mine; });
  return status::ok;
}

}  // namespace

status form_nodes(world& w, const all_pe_info& all, std::size_t heap_bytes) {
  candidates c(w.n_pes);
  if (!c.is_valid()) return status::no_memory;
  const bool by_host = w.config.node_pes == 0 && !proposed_nodes_hold(w, all);
  for (int pe = 0; pe < w.n_pes; ++pe)
    if (by_host ? all[pe].host_id == all[w.pe].host_id : all[pe].node == all[w.pe].node) c.add(pe);
  w.affordable = SIZE_MAX;
  for (bool done = false; !done;)
    if (const status s = try_candidates(w, all, heap_bytes, c, done); failed(s)) return s;
  return status::ok;
}

}  // namespace oshen
