// Programs for the model of one-sided communication: tiny exchange plans, which the real code of exchange/ runs several
// times back to back.
#pragma once

#include <functional>
#include <vector>

#include "one_sided.hpp"

namespace oshen::model {

// The receivers of each PE. A message has so many elements of 8 bytes.
struct pattern {
  int pes;
  std::vector<std::vector<int>> receivers;  // of each PE
  int elements = 1;
};

pattern pairwise(int pes, int elements = 1);   // each PE sends to all others
pattern transpose(int pes, int elements = 1);  // and to itself
pattern ring(int pes, int elements = 1);       // to the next PE
pattern sink(int pes, int elements = 1);       // all send to PE 0, which sends nothing

struct plan_case {
  const char* strategy;
  pattern who;
  int runs;
  bool mapped = false;
  bool in_place = false;
  bool parks_to_test = true;
  int chunks = 1;  // of "pipeline"
};

// Each PE makes the plan, then runs it without any wait between the runs: it checks what has arrived, overwrites all of
// it and its input, and begins the next run. So a PE is as far ahead of another as the strategy lets it be.
one_sided_program back_to_back(const plan_case& one);

// Two plans of these patterns on the same PEs, which start each run one after the other and end it in the other order.
one_sided_program under_way_together(const plan_case& one, const pattern& second);

// The search covers making and destroying too: a plan with few runs, then another one in the memory of the first.
// `trial`: as "auto" does, which frees the memory at once after a round of the handshake.
one_sided_program one_after_another(const plan_case& one, const char* second_strategy, bool trial);

// The ghost elements of an array along one axis, which repeats; each PE has one element.
one_sided_program halo(const char* strategy, int pes, int runs, bool mapped);

}  // namespace oshen::model
