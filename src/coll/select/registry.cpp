#include "coll/collective.hpp"

#include <iterator>

#include "coll/select/registry.hpp"
#include "coll/select/selection.hpp"

namespace oshen::coll {
namespace {

constexpr const char* kind_names[kinds] = {
    "sync",   "broadcast", "collect", "fcollect", "alltoall", "alltoalls", "reduce",         "inscan",
    "exscan", "alltoallv", "gather",  "gatherv",  "scatter",  "scatterv",  "reduce_to_root", "reduce_scatter"};

}  // namespace

// Pointers, because a table of the constants themselves would need definitions of other files at compile time.
constexpr const algorithm* const algorithm_table[] = {
#define ALGORITHM(name) &(name),
#define SCHEDULE(name) &(name).put, &(name).message, &(name).pull,
#include "coll/select/algorithms.def"
#undef SCHEDULE
#undef ALGORITHM
    &checked_sync};
static_assert(std::size(algorithm_table) <= undecided);  // an index fits into team::chosen_algorithms

const char* name_of(protocol_kind d) {
  constexpr const char* names[protocol_kinds] = {"one-sided", "two-sided", "single-copy"};
  return names[static_cast<int>(d)];
}

const char* name_of(scope s) { return s == scope::any ? "any" : "node"; }

const char* name_of(kind k) { return kind_names[static_cast<int>(k)]; }

std::span<const algorithm* const> registry() { return {algorithm_table, std::size(algorithm_table) - 1}; }

}  // namespace oshen::coll
