#include "route.hpp"

#include <algorithm>
#include <cmath>

namespace oshen::fft {
namespace {

std::size_t element_bytes(const problem& what, bool real) {
  return real ? what.complex_bytes / 2 : what.complex_bytes;
}

// The most that one PE does: bytes it holds, sends to others and receives from them, messages,
// runs.
struct load {
  double held = 0, moved = 0, messages = 0, runs = 0;
};

double run_length(const box& part, const box& from, const box& to) {
  const bool same_direction = from.order[0] == to.order[0];
  return same_direction ? part.size[from.order[0]] : 8;  // a transposition goes in tiles of 8 x 8
}

load heaviest(const stage& from, const stage& to, double element) {
  const std::size_t n = from.after.size();
  std::vector<double> received(n, 0);
  load most;
  for (std::size_t p = 0; p < n; p++) {
    load mine;
    for (std::size_t i = 0; i < n; i++) {
      const std::size_t q = (p + i) % n;
      const box part = overlap(from.after[p], to.before[q]);
      if (part.empty()) continue;
      const double bytes = static_cast<double>(part.volume()) * element;
      mine.runs +=
          static_cast<double>(part.volume()) / run_length(part, from.after[p], to.before[q]);
      if (p == q) continue;
      mine.moved += bytes;
      mine.messages++;
      received[q] += bytes;
    }
    most.moved = std::max(most.moved, mine.moved);
    most.messages = std::max(most.messages, mine.messages);
    most.runs = std::max(most.runs, mine.runs);
  }
  for (const double r : received) most.moved = std::max(most.moved, r);
  return most;
}

double most_held(const layout& boxes) {
  std::size_t most = 0;
  for (const box& b : boxes) most = std::max(most, b.volume());
  return static_cast<double>(most);
}

const char* name_of(decomposition kind) {
  switch (kind) {
    case decomposition::slabs:
      return "slabs";
    case decomposition::pencils:
      return "pencils";
    case decomposition::bricks:
      return "bricks";
    case decomposition::any:
      break;
  }
  return "none";
}

}  // namespace

bool is_local(const stage& from, const stage& to) {
  return std::equal(from.after.begin(), from.after.end(), to.before.begin(), to.before.end(),
                    [](const box& a, const box& b) {
                      if (a.empty() || b.empty()) return a.empty() == b.empty();
                      return a.low == b.low && a.size == b.size;
                    });
}

route reversed(const route& forward) {
  route back{forward.kind, {}, forward.cost};
  for (auto s = forward.stages.rbegin(); s != forward.stages.rend(); ++s) {
    back.stages.push_back({s->after,
                           s->before,
                           {s->axes.rbegin(), s->axes.rend()},
                           s->real_after,
                           s->real_before,
                           s->at_once});
  }
  return back;
}

double cost(const route& way, const problem& what, const machine& on) {
  double seconds = 0;
  const double fields = what.fields;
  for (const stage& s : way.stages) {
    const auto element = static_cast<double>(element_bytes(what, s.real_after));
    const double bytes = most_held(s.after) * element;
    // One plan for all axes goes through an array that no cache holds once for each of them, and
    // then some: its strides are powers of two more often than those of padded tiles.
    const bool many_times = s.at_once && bytes > on.cache_bytes;
    const double times = many_times ? 1.2 * static_cast<double>(s.axes.size()) : 1;
    seconds += times * bytes * fields * on.pass_per_byte;
  }
  for (int e = 0; e < way.exchanges(); e++) {
    const auto i = static_cast<std::size_t>(e);
    const stage &from = way.stages[i], &to = way.stages[i + 1];
    const auto element = static_cast<double>(element_bytes(what, from.real_after));
    const load most = heaviest(from, to, element);
    seconds += fields * (most.moved * on.move_per_byte + most.runs * on.run_overhead);
    seconds += most.messages * on.message;
    if (!is_local(from, to)) seconds += on.meeting;
  }
  return seconds;
}

std::string route::text() const {
  static constexpr char axis_name[] = "xyz";
  std::string text = std::string(name_of(kind)) + ":";
  for (std::size_t i = 0; i < stages.size(); i++) {
    text += i == 0 ? " in" : i + 1 == stages.size() ? " > out" : " > work";
    if (stages[i].axes.empty()) continue;
    text += '[';
    for (const int a : stages[i].axes) text += axis_name[a];
    text += stages[i].at_once ? "] at once" : "]";
  }
  return text;
}

}  // namespace oshen::fft
