#include "need.hpp"

#include <algorithm>

#include "agree.hpp"
#include "journey.hpp"
#include "make_plan.hpp"
#include "neighbour_sync.hpp"
#include "reblocked.hpp"

namespace oshen::fft {
namespace {

struct bytes {
  std::size_t symmetric = 0;  // of the arena, work arrays too
  std::size_t work = 0;       // work arrays: what the caller may lend
  std::size_t ordinary = 0;
};

template <class T>
std::size_t scratch_bytes(const journey& it, int me, const tuning& how) {
  std::size_t most = 0, tables = 0;
  for (const route_plan& w : it.ways) {
    const auto passes = passes_of<T>(w, me, how);
    most = std::max(most, scratch_elements(passes));
    tables += table_bytes(passes);
  }
  return most * 2 * sizeof(T) + tables;
}

// Partners are in reach of shmem_ptr: the work arrays are in the arena then. Else plans move what lies elsewhere.
bool reaches_partners(oshen_group_t* group, const journey& it) {
  void* base = oshen_arena_base(oshen_group_arena(group));
  return std::all_of(it.partners.begin(), it.partners.end(),
                     [&](int p) { return shmem_ptr(base, oshen_group_pe(group, p)) != nullptr; });
}

bytes of_plans(oshen_group_t* group, const request& wanted, const journey& it) {
  const int me = oshen_group_rank(group), fields = wanted.what.fields;
  bytes sum;
  for (const move& m : it.moves) {
    const std::size_t to = m.read[static_cast<std::size_t>(me)].volume() * m.element;
    const oshen_need_t one =
        plan_need(group, m.written, m.read, {m.element, fields, m.from_distance, to, wanted.strategy});
    sum.symmetric += one.symmetric;
    sum.ordinary = std::max(sum.ordinary, one.ordinary);
  }
  sum.work = planned_buffers(it.moves, me, fields).all();
  sum.ordinary += sum.work;
  return sum;
}

bytes of_way(oshen_group_t* group, const request& wanted, const possibility& one) {
  const int me = oshen_group_rank(group);
  bool direct = wanted.what.direct;
  journey it = journey_of(wanted, one.way, direct, me);
  if (direct && largest(group, reaches_partners(group, it) ? 0 : 1) > 0) {
    direct = false;
    it = journey_of(wanted, one.way, direct, me);
  }
  bytes sum;
  if (direct) {
    sum.work = shared_arrays(it.moves, me, wanted.what.fields).all();
    sum.symmetric = neighbour_sync::head_bytes(oshen_group_size(group)) + sum.work;
  } else {
    sum = of_plans(group, wanted, it);
  }
  const bool single = wanted.single;
  sum.ordinary += single ? scratch_bytes<float>(it, me, one.how) : scratch_bytes<double>(it, me, one.how);
  if (wanted.what.convolves) {
    for (const stage& s : it.ways[0].way.stages) {
      if (s.turns()) sum.ordinary += s.spectrum[static_cast<std::size_t>(me)].volume() * wanted.what.complex_bytes;
    }
  }
  return sum;
}

// What PEs tell one another meanwhile; memory of it may be given back late, and lie between what is left.
std::size_t talk_bytes(oshen_group_t* group) {
  constexpr std::size_t longest_note = 512, at_once = 4;
  return at_once * (2 * static_cast<std::size_t>(oshen_group_size(group)) * (longest_note + 64) + 256);
}

}  // namespace

oshen_fft_need_t need_of(oshen_group_t* group, const request& wanted) {
  bytes most;
  for (const possibility& one : possibilities(wanted)) {
    const bytes now = of_way(group, wanted, one);
    most.symmetric = std::max(most.symmetric, now.symmetric);
    most.work = std::max(most.work, now.work);
    most.ordinary = std::max(most.ordinary, now.ordinary);
  }
  if (wanted.is_reblocked()) {
    const oshen_need_t moves = reblocking_need(group, wanted);
    most.symmetric += moves.symmetric;
    most.ordinary += moves.ordinary;
  }
  most.symmetric += talk_bytes(group) + trial_bytes(wanted, oshen_group_rank(group));
  const auto symmetric = static_cast<std::size_t>(largest(group, static_cast<double>(most.symmetric)));
  return {symmetric, most.work, most.ordinary};
}

}  // namespace oshen::fft
