#include "journey.hpp"

#include <utility>

namespace oshen::fft {
namespace {

// Distances of the caller's fields, in bytes.
std::vector<distances> bytes_of(const request& wanted, bool from_out, bool to_out) {
  const std::size_t real = wanted.what.complex_bytes / 2;
  const std::size_t in = (wanted.what.real_in ? 1 : 2) * real, out = (wanted.what.real_out ? 1 : 2) * real;
  std::vector<distances> all;
  for (const distances& d : wanted.user)
    all.push_back({from_out ? d.out * out : d.in * in, to_out ? d.out * out : d.in * in});
  return all;
}

}  // namespace

journey journey_of(const request& wanted, const route& way, bool direct, int me) {
  const problem& what = wanted.what;
  route forth = way;
  forth.pull = way.pull && direct;
  const peer_access to_in{direct, what.symmetric_in}, to_out{direct, what.symmetric_out};
  journey it;
  if (what.convolves) {
    it.ways.push_back({forth, steps_of(forth, to_in), bytes_of(wanted, false, false), direction::forward,
                       "oshen_fft_convolve", "OSHEN_IN_SYMMETRIC"});
  } else {
    const route home = reversed(forth);
    it.ways.push_back({forth, steps_of(forth, to_out), bytes_of(wanted, false, true), direction::forward,
                       "oshen_fft_forward", "OSHEN_OUT_SYMMETRIC"});
    it.ways.push_back({home, steps_of(home, to_in), bytes_of(wanted, true, false), direction::backward,
                       "oshen_fft_backward", "OSHEN_IN_SYMMETRIC"});
  }
  for (const route_plan& w : it.ways) it.at_home = it.at_home && ends_at_home(w.way, w.steps);
  for (const route_plan& w : it.ways) {
    it.first_move.push_back(static_cast<int>(it.moves.size()));
    for (move& m : moves_of(w, me, what.complex_bytes / 2, it.at_home)) it.moves.push_back(std::move(m));
  }
  const route_plan &there = it.ways.front(), &back = it.ways.back();
  it.partners = partners_of(there.way, there.steps, back.way, back.steps, me);
  return it;
}

}  // namespace oshen::fft
