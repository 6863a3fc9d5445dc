#include "cost.hpp"

#include <algorithm>

#include "tile.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t usual_tile = 128 << 10;

std::size_t element_bytes(const problem& what, bool real) {
  return real ? what.complex_bytes / 2 : what.complex_bytes;
}

// Elements of a piece that are contiguous both in its array and in a tile of the stage.
double run_length(const piece& p, const box& points, const axes3& tile) {
  const int fast = p.whole.order[0];
  if (points.order[0] != fast) return 8;  // a transposition goes in tiles of 8 x 8
  return std::min(p.part.size[fast], tile[fast]);
}

struct side {
  const box& points;  // of the stage
  const axes3& tile;
  std::uint64_t element;  // bytes of all fields
  int fields;
  int pe;
};

std::uint64_t count(const std::vector<piece>& pieces, const side& at, burden& sum) {
  std::uint64_t bytes = 0;
  for (const piece& p : pieces) {
    const auto points = static_cast<std::uint64_t>(p.part.volume());
    bytes += points * at.element;
    const double runs = at.fields * static_cast<double>(points) / run_length(p, at.points, at.tile);
    sum.runs += runs;
    if (p.pe == at.pe) continue;
    sum.foreign_runs += runs;
    sum.foreign += points * at.element;
    sum.messages++;
  }
  return bytes;
}

// What an exchange plan sends for the PE.
void count_plan(const step& now, const std::uint64_t element, int pe, burden& sum) {
  const box& mine = now.written[static_cast<std::size_t>(pe)];
  for (std::size_t r = 0; r < now.read.size(); r++) {
    const std::size_t points = overlap(mine, now.read[r]).volume();
    if (points == 0 || r == static_cast<std::size_t>(pe)) continue;
    sum.foreign += points * element;
    sum.messages++;
  }
}

bool in_place(const std::vector<step>& steps, std::size_t s) {
  if (s == 0 || s == steps.size()) return false;
  const step &came = steps[s - 1], &goes = steps[s];
  return goes.where == array::same || (goes.where == array::output && came.where == array::output &&
                                       same_places(came.read, goes.written));
}

// One plan for all axes goes through an array that no cache holds once for each of them, and then
// some: its strides are powers of two more often than those of padded tiles.
double times_through(const stage& s, const burden& b, const machine& on) {
  const bool many = s.at_once && static_cast<double>(b.read) > on.cache_bytes;
  return many ? 1.2 * static_cast<double>(s.axes.size()) : 1;
}

double seconds_of(const stage& s, const burden& b, const machine& on) {
  const auto of = [](std::uint64_t n) { return static_cast<double>(n); };
  const double traffic = of(b.read) + of(b.in_place) + 2 * of(b.written - b.in_place);
  return times_through(s, b, on) * traffic * on.per_byte + of(b.foreign) * on.move_per_byte +
         of(b.messages) * on.message + (b.runs - b.foreign_runs) * on.run +
         b.foreign_runs * on.foreign_run;
}

}  // namespace

burden burden_of(const route& way, const std::vector<step>& steps, const problem& what,
                 std::size_t s, int pe) {
  const stage& now = way.stages[s];
  const auto mine = static_cast<std::size_t>(pe);
  const auto fields = static_cast<std::uint64_t>(what.fields);
  const std::uint64_t before = fields * element_bytes(what, now.real_before);
  const std::uint64_t after = fields * element_bytes(what, now.real_after);
  const axes3 tile = now.axes.empty()
                         ? now.before[mine].size
                         : tile_size(now.before[mine], now.axes, what.complex_bytes, usual_tile);
  burden sum;
  const auto sources = sources_of(way, steps, s, pe);
  sum.read = count(sources, {now.before[mine], tile, before, what.fields, pe}, sum);
  if (now.axes.empty() && s == steps.size() && s != 0) {  // copies what it read
    sum.written = sum.read;
    return sum;
  }
  const auto targets = targets_of(way, steps, s, pe);
  sum.written = count(targets, {now.after[mine], tile, after, what.fields, pe}, sum);
  if (in_place(steps, s)) {
    sum.in_place = sum.written;
    if (steps[s].own_to_output)
      sum.in_place -= after * overlap(now.after[mine], steps[s].read[mine]).volume();
  }
  if (s < steps.size() && steps[s].where == array::other && steps[s].written != steps[s].read)
    count_plan(steps[s], after, pe, sum);
  return sum;
}

double cost(const route& way, const problem& what, const machine& on) {
  const std::vector<step> steps = steps_of(way, {what.direct, what.symmetric_result()});
  double seconds = 0;
  for (std::size_t s = 0; s < way.stages.size(); s++) {
    double slowest = 0;
    for (std::size_t p = 0; p < way.stages[s].before.size(); p++) {
      const burden b = burden_of(way, steps, what, s, static_cast<int>(p));
      slowest = std::max(slowest, seconds_of(way.stages[s], b, on));
    }
    seconds += slowest;
    if (s < steps.size() && steps[s].syncs) seconds += on.neighbour_sync;
  }
  return seconds;
}

}  // namespace oshen::fft
