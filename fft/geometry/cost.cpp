#include "fft/geometry/cost.hpp"

#include <algorithm>

#include "fft/geometry/tile.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t usual_tile = 128 << 10;

std::size_t element_bytes(const fft_problem& problem, bool real) {
  return real ? problem.complex_bytes / 2 : problem.complex_bytes;
}

// Elements of a chunk that are contiguous both in its array and in a tile of the stage.
double row_length(const chunk& p, const box& points, const axes3& tile) {
  const int fast = p.array_box.order[0];
  if (points.order[0] != fast) return 8;  // a transposition copies tiles of 8 x 8
  return std::min(p.points.size[fast], tile[fast]);
}

struct stage_side {
  const box& points;  // of the stage
  const axes3& tile;
  std::uint64_t element;  // bytes, of all fields
  int fields;
  int pe;
};

std::uint64_t count(const std::vector<chunk>& chunks, const stage_side& at, stage_traffic& sum) {
  std::uint64_t bytes = 0;
  for (const chunk& p : chunks) {
    const auto points = static_cast<std::uint64_t>(p.points.volume());
    bytes += points * at.element;
    const double rows = at.fields * static_cast<double>(points) / row_length(p, at.points, at.tile);
    sum.rows += rows;
    if (p.pe == at.pe) continue;
    sum.remote_rows += rows;
    sum.remote += points * at.element;
    sum.messages++;
  }
  return bytes;
}

// Counts the bytes and messages that an exchange plan sends for the PE.
void count_plan(const step& now, const std::uint64_t element, int pe, stage_traffic& sum) {
  const box& mine = now.written[static_cast<std::size_t>(pe)];
  for (std::size_t r = 0; r < now.read.size(); r++) {
    const std::size_t points = overlap(mine, now.read[r]).volume();
    if (points == 0 || r == static_cast<std::size_t>(pe)) continue;
    sum.remote += points * element;
    sum.messages++;
  }
}

bool in_place(const std::vector<step>& steps, std::size_t s) {
  if (s == 0 || s == steps.size()) return false;
  const step &came = steps[s - 1], &goes = steps[s];
  return goes.where == array::same ||
         (goes.where == array::output && came.where == array::output && same_places(came.read, goes.written));
}

// One plan for all axes reads and writes an array larger than the cache once per axis. It takes a little longer than
// that, because its strides are more often powers of two than those of padded tiles.
double times_through(const stage& s, const stage_traffic& b, const machine_model& on) {
  const bool many = s.at_once && static_cast<double>(b.read) > on.cache_bytes;
  return many ? 1.2 * static_cast<double>(s.axes.size()) : 1;
}

double seconds_of(const stage& s, const stage_traffic& b, const machine_model& on) {
  const auto of = [](std::uint64_t n) { return static_cast<double>(n); };
  const double traffic = of(b.read) + of(b.in_place) + 2 * of(b.written - b.in_place);
  return times_through(s, b, on) * traffic * on.per_byte + of(b.remote) * on.move_per_byte +
         of(b.messages) * on.message + (b.rows - b.remote_rows) * on.row + b.remote_rows * on.remote_row;
}

}  // namespace

stage_traffic traffic_of(const route& chain, const std::vector<step>& steps, const fft_problem& problem, std::size_t s,
                         int pe) {
  const stage& now = chain.stages[s];
  const auto mine = static_cast<std::size_t>(pe);
  const auto fields = static_cast<std::uint64_t>(problem.fields);
  const std::uint64_t before = fields * element_bytes(problem, now.real_before);
  const std::uint64_t after = fields * element_bytes(problem, now.real_after);
  const axes3 tile = now.axes.empty() ? now.before[mine].size
                                      : tile_size(now.before[mine], now.axes, problem.complex_bytes, usual_tile);
  stage_traffic sum;
  const auto sources = sources_of(chain, steps, s, pe);
  sum.read = count(sources, {now.before[mine], tile, before, problem.fields, pe}, sum);
  if (now.axes.empty() && s == steps.size() && s != 0) {  // only copies its source
    sum.written = sum.read;
    return sum;
  }
  const auto targets = targets_of(chain, steps, s, pe);
  sum.written = count(targets, {now.after[mine], tile, after, problem.fields, pe}, sum);
  if (in_place(steps, s)) {
    sum.in_place = sum.written;
    if (steps[s].own_to_output) sum.in_place -= after * overlap(now.after[mine], steps[s].read[mine]).volume();
  }
  if (s < steps.size() && steps[s].where == array::other && steps[s].written != steps[s].read)
    count_plan(steps[s], after, pe, sum);
  return sum;
}

double cost(const route& chain, const fft_problem& problem, const machine_model& on) {
  const std::vector<step> steps = steps_of(chain, {problem.direct, problem.symmetric_result()});
  double seconds = 0;
  for (std::size_t s = 0; s < chain.stages.size(); s++) {
    double slowest = 0;
    for (std::size_t p = 0; p < chain.stages[s].before.size(); p++) {
      const stage_traffic b = traffic_of(chain, steps, problem, s, static_cast<int>(p));
      slowest = std::max(slowest, seconds_of(chain.stages[s], b, on));
    }
    seconds += slowest;
    if (s < steps.size() && steps[s].syncs) seconds += on.neighbour_sync;
  }
  return seconds;
}

}  // namespace oshen::fft
