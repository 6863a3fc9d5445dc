// The message in pieces, and whoever is there takes the next one and writes it into every dest: the root alone while
// nobody else has come, all together when they have. Nobody waits for a PE that is late, and it finds its dest full.
// Nothing is told twice: the flag of the root opens the work, the last piece ends it.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll {
namespace {

inline constexpr std::size_t smallest_piece = 16 * 1024;  // a claim costs as much as copying 2 KiB
inline constexpr std::size_t largest_piece = 64 * 1024;

std::size_t piece_bytes(const task& job) {
  const std::size_t even = job.bytes() / (2 * static_cast<std::size_t>(job.members.n_pes));
  return std::clamp(round_up(even, std::size_t{4096}), smallest_piece, largest_piece);
}

// The source block stays in the first-level cache from the first copy of it to the last.
void copy_to_dests(const task& job, std::size_t first, std::size_t end) {
  const team& t = job.members;
  const char* source = at_pe(t, job.root, job.source);
  for (std::size_t at = first; at < end; at += copy_block_bytes) {
    const std::size_t n = std::min(copy_block_bytes, end - at);
    for (int i = 0; i < t.n_pes; ++i) {
      const int pe = after(t, i);
      if (pe == job.root && (job.root_keeps_dest || job.dest == job.source)) continue;
      write_to(t, pe, job.dest + at, source + at, n);
    }
  }
}

void open_work(const task& job, piece_work& work) {
  team& t = job.members;
  if (t.my_pe != job.root) {
    await(job, job.root);
    return;
  }
  work.taken.store(0, std::memory_order_relaxed);  // both are published by the flag slot
  work.done.store(0, std::memory_order_relaxed);
  post(t);
}

void run_cooperative(const task& job) {
  team& t = job.members;
  piece_work& work = t.slot_of(job.root).work[line_of(t)];
  open_work(job, work);
  const std::size_t piece = piece_bytes(job);
  const auto pieces = static_cast<std::uint32_t>((job.bytes() + piece - 1) / piece);
  for (;;) {
    const std::size_t mine = work.taken.fetch_add(1, std::memory_order_relaxed);
    if (mine >= pieces) break;
    copy_to_dests(job, mine * piece, std::min((mine + 1) * piece, job.bytes()));
    // Releases this piece; whoever sees the last count has seen all pieces.
    if (work.done.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces) wake_all(t);
  }
  const wait_info info{.routine = job.routine};
  wait_for(*t.home, info, [&] { return work.done.load(std::memory_order_acquire) >= pieces; });
}

// A claim, and the flags at both ends, are lines that travel.
double cost(const setting& s) {
  if (s.bytes < 2 * smallest_piece) return impossible;
  const int workers = s.cpu_for_each ? s.n_pes : std::min(s.n_pes, s.on.cpus);
  return steps(s, 1) + lines(s, 8) + copies_alone(s, 0.7 * static_cast<double>(s.bytes) * s.n_pes) / workers;
}

}  // namespace

constexpr algorithm cooperative_broadcast{
    .collective = kind::broadcast, .name = "cooperative", .how = design::single_copy,
    .about = "whoever is there takes the next piece of the message and writes it into every dest",
    .needs = "at least 32 KiB",
    .steps = "2", .traffic = "1 flag, 2 atomic additions per piece; (n - 1) b copied by all together",
    .cost = cost, .run = run_cooperative};

}  // namespace oshen::coll
