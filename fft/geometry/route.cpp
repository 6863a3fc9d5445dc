#include "fft/geometry/route.hpp"

#include <optional>

namespace oshen::fft {
namespace {

const char* name_of(decomposition kind) {
  switch (kind) {
    case decomposition::slabs: return "slabs";
    case decomposition::pencils: return "pencils";
    case decomposition::bricks: return "bricks";
    case decomposition::any: break;
  }
  return "none";
}

}  // namespace

bool is_local(const stage& from, const stage& to) { return same_points(from.after, to.before); }

route reversed(const route& forward) {
  route back{forward.kind, {}, forward.cost, forward.gather};
  for (auto s = forward.stages.rbegin(); s != forward.stages.rend(); ++s) {
    back.stages.push_back(
        {s->after, s->before, {s->axes.rbegin(), s->axes.rend()}, s->along, s->real_after, s->real_before, s->at_once});
    back.stages.back().twiddles = s->twiddles;
    back.stages.back().kept = s->kept;
  }
  return back;
}

bool fold(route& chain) {
  if (chain.stages.back().axes.empty()) chain.stages.pop_back();
  if (chain.stages.back().at_once) return false;
  const route inverse = reversed(chain);
  stage& last = chain.stages.back();
  last.spectrum = std::move(last.after);
  last.real_spectrum = last.real_after;
  last.after = last.before;
  last.real_after = last.real_before;
  for (std::size_t s = 1; s < inverse.stages.size(); s++) {
    chain.stages.push_back(inverse.stages[s]);
    chain.stages.back().inverse = true;
  }
  return true;
}

std::vector<grid3> route::process_grids() const {
  std::vector<grid3> grids;
  std::optional<grid3> latest = grid_of(stages[0].before);
  for (std::size_t s = 1; s + 1 < stages.size() && !stages[s - 1].turns(); s++) {
    const std::optional<grid3> now = grid_of(stages[s].before);
    if (now && now != latest) grids.push_back(*now);
    latest = now;
  }
  return grids;
}

std::string route::text(const axes3& names) const {
  static constexpr char axis_name[] = "xyz";
  std::string text = std::string(name_of(kind)) + ":";
  for (std::size_t i = 0; i < stages.size(); i++) {
    if (i != 0) text += results_stay(i - 1) ? " <" : " >";
    text += i == 0 ? " in" : i + 1 == stages.size() ? " out" : " work";
    if (stages[i].axes.empty()) continue;
    text += '[';
    for (const int a : stages[i].axes) text += axis_name[names[a]];
    text += stages[i].at_once ? "] at once" : stages[i].turns() ? ", there and back]" : "]";
  }
  return text;
}

}  // namespace oshen::fft
