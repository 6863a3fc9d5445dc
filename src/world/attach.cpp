#include "world/attach.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/handover.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "world/allgathered.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t handover_ns = 20'000'000'000;

// What the leader of a node tells about the segment it made.
struct segment_offer {
  std::uint64_t nonce;           // in the node page: whoever reads it there has the right object
  os::socket_name door;          // where the leader hands over the descriptor
  std::uint64_t affordable;
  std::int32_t fd;
  std::int16_t leads;            // 0: not a leader, or its node is settled
  std::int16_t made;             // 0: the leader could not
};

std::uint64_t make_nonce() {
  return os::now_ns() * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(os::own_pid()) << 32;
}

// To those of our user that knock; a handover that fails is not made up for by another.
void hand_over(const world& w, int listener, int missing) {
  const std::uint64_t until = os::now_ns() + handover_ns;
  for (int i = 0; i < missing && listener >= 0; ++i)
    if (!os::give_descriptor(listener, w.segment.descriptor(), until)) return;
}

enum class attachment : char { missing, mapped, refused };  // refused: it is there, but the system has no room for it

// Maps what `fd` refers to and proves that it is the leader's object.
attachment attach_and_verify(world& w, const heap::layout& plan, std::uint64_t nonce, int fd) {
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

// On the leader: makes and maps the segment.
segment_offer make_segment(world& w, const heap::layout& plan, int pes_of_host) {
  segment_offer mine{};
  mine.leads = 1;
  if (failed(w.segment.create(plan))) return mine;
  mine.nonce = make_nonce();
  mine.door = os::random_name();
  mine.fd = w.segment.descriptor();
  mine.affordable = os::available_memory() / static_cast<std::size_t>(pes_of_host);
  mine.made = 1;
  w.node().nonce = mine.nonce;
  return mine;
}

// PEs that try to be one node, this one among them.
class group {
 public:
  explicit group(int most) : pes_(static_cast<int*>(malloc(static_cast<std::size_t>(most) * sizeof(int)))) {}
  ~group() { free(pes_); }
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  bool is_valid() const { return pes_ != nullptr; }
  void add(int pe) { pes_[n_++] = pe; }
  const int* pes() const { return pes_; }
  int size() const { return n_; }
  int leader() const { return pes_[0]; }
  // Keeps those for which `keep(pe)` holds.
  template <class Keep>
  void filter(Keep keep) {
    n_ = static_cast<int>(std::remove_if(pes_, pes_ + n_, [&](int pe) { return !keep(pe); }) - pes_);
  }

 private:
  int* pes_;
  int n_ = 0;
};

// Everybody learns who could not attach through /proc; the leader then hands the descriptor over by socket. `settled`:
// this PE has its segment and only takes part in the rounds. The outcome of all PEs is in `outcome`.
status attach_group(world& w, const heap::layout& plan, const segment_offer& made, int leader_pid, const group& g,
                    bool settled, allgathered<attachment>& outcome) {
  const bool leads = !settled && w.pe == g.leader();
  attachment mine = settled || leads ? attachment::mapped : attachment::missing;
  if (mine == attachment::missing && !w.config.handover_by_socket_only)
    mine = attach_and_verify(w, plan, made.nonce, os::open_through_proc(leader_pid, made.fd));
  int listener = -1;
  if (leads && g.size() > 1) listener = os::listen_abstract(made.door, g.size());
  allgathered<attachment> has_it;
  if (const status s = has_it.gather(*w.launcher, mine); failed(s)) return s;
  int missing = 0;
  for (int i = 0; i < g.size(); ++i) missing += has_it[g.pes()[i]] == attachment::missing;
  hand_over(w, listener, missing);
  if (listener >= 0) close(listener);
  if (mine == attachment::missing)
    mine = attach_and_verify(w, plan, made.nonce, os::take_descriptor(made.door, os::now_ns() + handover_ns));
  return outcome.gather(*w.launcher, mine);
}

// One attempt of all groups. `done`: every PE of the job has a segment.
status try_groups(world& w, const all_pe_info& all, std::size_t heap_bytes, group& g, bool& settled, bool& done) {
  const heap::layout plan = plan_of(w.n_pes, g.size(), w.one_program ? all[w.pe].data_bytes : 0, heap_bytes);
  const bool leads = !settled && w.pe == g.leader();
  if (!w.near.set(g.pes(), g.size(), w.pe)) return status::no_memory;
  allgathered<segment_offer> offers;
  if (const status s =
          offers.gather(*w.launcher, leads ? make_segment(w, plan, pes_on_host_of(w, all, w.pe)) : segment_offer{});
      failed(s))
    return s;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (offers[pe].leads == 0) continue;
    if (offers[pe].made == 0) return status::no_memory;
    w.affordable = std::min(w.affordable, static_cast<std::size_t>(offers[pe].affordable));
  }
  pass_phase(w, "attach");
  allgathered<attachment> outcome;
  if (const status s = attach_group(w, plan, offers[g.leader()], all[g.leader()].pid, g, settled, outcome); failed(s))
    return s;
  done = true;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (outcome[pe] == attachment::refused) return status::no_memory;
    done = done && outcome[pe] == attachment::mapped;
  }
  int stranger = -1;
  for (int i = g.size() - 1; i >= 0; --i)
    if (outcome[g.pes()[i]] == attachment::missing) stranger = g.pes()[i];
  settled = stranger < 0;
  if (settled) return status::ok;
  if (w.pe == g.leader())
    log::error(
        "PE %d cannot map the memory of PE %d: is it in another container, or another user's? They are reached as if "
        "on "
        "different nodes",
        stranger, w.pe);
  w.segment.close();
  const attachment mine = outcome[w.pe];
  g.filter([&](int pe) { return outcome[pe] == mine; });
  return status::ok;
}

}  // namespace

status settle_nodes(world& w, const all_pe_info& all, std::size_t heap_bytes) {
  group g(w.n_pes);
  if (!g.is_valid()) return status::no_memory;
  for (int pe = 0; pe < w.n_pes; ++pe)
    if (all[pe].node == all[w.pe].node) g.add(pe);
  w.affordable = SIZE_MAX;
  bool settled = false;
  for (bool done = false; !done;)
    if (const status s = try_groups(w, all, heap_bytes, g, settled, done); failed(s)) return s;
  return status::ok;
}

}  // namespace oshen
