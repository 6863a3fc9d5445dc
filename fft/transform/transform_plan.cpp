#include "fft/transform/transform_plan.hpp"

#include <utility>

namespace oshen::fft {
namespace {

// The distances between the caller's fields, in bytes.
std::vector<distances> bytes_of(const request& wanted, bool from_out, bool to_out) {
  const std::size_t real = wanted.problem.complex_bytes / 2;
  const std::size_t in = (wanted.problem.real_in ? 1 : 2) * real, out = (wanted.problem.real_out ? 1 : 2) * real;
  std::vector<distances> all;
  for (const distances& d : wanted.field_distances)
    all.push_back({from_out ? d.out * out : d.in * in, to_out ? d.out * out : d.in * in});
  return all;
}

}  // namespace

transform_plan transform_plan_of(const request& wanted, const route& chain, bool direct, int me) {
  const fft_problem& problem = wanted.problem;
  route forth = chain;
  forth.gather = chain.gather && direct;
  const peer_access to_in{direct, problem.symmetric_in}, to_out{direct, problem.symmetric_out};
  transform_plan plan;
  if (problem.convolves) {
    plan.directions.push_back({forth, steps_of(forth, to_in), bytes_of(wanted, false, false), direction::forward,
                               "oshen_fft_convolve", "OSHEN_IN_SYMMETRIC"});
  } else {
    const route home = reversed(forth);
    plan.directions.push_back({forth, steps_of(forth, to_out), bytes_of(wanted, false, true), direction::forward,
                               "oshen_fft_forward", "OSHEN_OUT_SYMMETRIC"});
    plan.directions.push_back({home, steps_of(home, to_in), bytes_of(wanted, true, false), direction::backward,
                               "oshen_fft_backward", "OSHEN_IN_SYMMETRIC"});
  }
  for (const route_plan& w : plan.directions) plan.ends_local = plan.ends_local && ends_local(w.chain, w.steps);
  for (const route_plan& w : plan.directions) {
    plan.first_move.push_back(static_cast<int>(plan.moves.size()));
    for (move& m : moves_of(w, me, problem.complex_bytes / 2, plan.ends_local)) plan.moves.push_back(std::move(m));
  }
  const route_plan &there = plan.directions.front(), &back = plan.directions.back();
  plan.partners = partners_of(there.chain, there.steps, back.chain, back.steps, me);
  return plan;
}

}  // namespace oshen::fft
