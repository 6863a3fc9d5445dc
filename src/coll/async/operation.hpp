// One non-blocking collective on one PE: a short list of steps, each of which goes as far as it can without waiting
// (design/collectives.md, "Non-blocking").
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/async/visits.hpp"
#include "coll/choosing/registry.hpp"

namespace oshen::coll::async {

struct queue;
struct operation;

enum class outcome : std::uint8_t {
  over,   // the next step can begin
  moved,  // enough for now: other operations and the caller have their turn
  waits   // for PE `awaited` of the team
};
using step = outcome (*)(queue& q, operation& op);

inline constexpr int most_steps = 5;
struct schedule {
  step steps[most_steps + 1];  // ends with a null pointer
};

struct operation {
  task job;
  kind collective;
  std::uint64_t number = 0;        // counts the non-blocking collectives of the team
  const step* next = nullptr;
  std::size_t told = 0;            // bytes of source that travel with the request flag

  // How far the present step has come.
  visits seen{};
  int current = -1;                // distance of the PE whose bytes are being moved
  std::size_t moved = 0;           // of them
  int awaited = -1;
};

// Fills in how this PE takes part in the collective: small contributions travel with the request flags.
void plan(operation& op);

}  // namespace oshen::coll::async
