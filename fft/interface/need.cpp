#include <algorithm>

#include "fft/choice/auto_transform.hpp"
#include "fft/choice/live_transform.hpp"
#include "fft/interface/need.hpp"
#include "fft/moves/agree.hpp"
#include "fft/moves/make_plan.hpp"
#include "fft/transform/transform_plan.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t alignment = 64;  // of blocks in the arena

struct bytes {
  std::size_t symmetric = 0;  // of the arena, including work arrays
  std::size_t work = 0;       // work arrays, which the caller may lend
  std::size_t ordinary = 0;
};

template <class T>
std::size_t scratch_bytes(const transform_plan& plan, int me, const tuning& options) {
  std::size_t most = 0, tables = 0;
  for (const route_plan& w : plan.directions) {
    const auto passes = passes_of<T>(w, me, options);
    most = std::max(most, scratch_elements(passes));
    tables += table_bytes(passes);
  }
  return most * 2 * sizeof(T) + tables;
}

bytes of_plans(oshen_group_t* group, const request& wanted, const transform_plan& plan) {
  const int me = oshen_group_rank(group), fields = wanted.problem.fields;
  bytes sum;
  for (const move& m : plan.moves) {
    const std::size_t to = m.read[static_cast<std::size_t>(me)].span() * m.element;
    const oshen_need_t one =
        plan_need(group, m.written, m.read, {m.element, fields, m.from_distance, to, wanted.strategy});
    sum.symmetric += one.symmetric;
    sum.ordinary = std::max(sum.ordinary, one.ordinary);
  }
  sum.work = planned_buffers(plan.moves, me, fields).all();
  sum.ordinary += sum.work;
  return sum;
}

bytes of_way(oshen_group_t* group, const request& asked, const candidate_plan& one) {
  const request wanted = with_strategy(asked, one);
  const int me = oshen_group_rank(group);
  bool direct = wanted.problem.direct;
  transform_plan plan = transform_plan_of(wanted, one.chain, direct, me);
  if (direct && largest(group, reaches_partners(group, plan.partners) ? 0 : 1) > 0) {
    direct = false;
    plan = transform_plan_of(wanted, one.chain, direct, me);
  }
  bytes sum;
  if (direct) {
    sum.work = shared_arrays(plan.moves, me, wanted.problem.fields).all();
    sum.symmetric = work_arrays::flag_bytes(oshen_group_size(group)) + sum.work;
  } else {
    sum = of_plans(group, wanted, plan);
  }
  const bool single = wanted.single;
  sum.ordinary += single ? scratch_bytes<float>(plan, me, one.options) : scratch_bytes<double>(plan, me, one.options);
  if (wanted.problem.convolves) {
    for (const stage& s : plan.directions[0].chain.stages) {
      if (s.turns()) sum.ordinary += s.spectrum[static_cast<std::size_t>(me)].volume() * wanted.problem.complex_bytes;
    }
  }
  return sum;
}

// Memory for the plans of handshakes in between. It may be freed late and fragment the arena.
std::size_t handshake_bytes(oshen_group_t* group) {
  constexpr std::size_t longest_note = 512, at_once = 4;
  return at_once * (2 * static_cast<std::size_t>(oshen_group_size(group)) * (longest_note + 64) + 256);
}

}  // namespace

oshen_fft_need_t need_of(oshen_group_t* group, const request& asked) {
  const bool tries = asked.effort == OSHEN_FFT_AUTO;
  const request wanted = tries ? auto_request(group, asked) : asked;
  bytes most, sum;
  for (const candidate_plan& one : tries ? live_candidates(group, wanted) : candidate_plans(wanted)) {
    const bytes now = of_way(group, wanted, one);
    most.symmetric = std::max(most.symmetric, now.symmetric);
    most.work = std::max(most.work, now.work);
    most.ordinary = std::max(most.ordinary, now.ordinary);
    sum.symmetric += now.symmetric + alignment;
    sum.ordinary += now.ordinary;
  }
  if (tries) {  // the candidates exist at the same time
    most.symmetric = sum.symmetric + live_transform::report_bytes(oshen_group_size(group));
    most.ordinary = sum.ordinary;
  }
  if (wanted.is_reblocked()) {
    const oshen_need_t moves = reblocking_need(group, wanted);
    most.symmetric += moves.symmetric;
    most.ordinary += moves.ordinary;
  }
  most.symmetric += handshake_bytes(group);
  if (!tries) most.symmetric += trial_bytes(wanted, oshen_group_rank(group));
  const auto symmetric = static_cast<std::size_t>(largest(group, static_cast<double>(most.symmetric)));
  return {symmetric, most.work, most.ordinary};
}

}  // namespace oshen::fft
