#include "coll/choosing/registry.hpp"

#include <iterator>

#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/selection.hpp"

namespace oshen::coll {
namespace {

constexpr const char* kind_names[kinds] = {"sync",      "broadcast", "collect", "fcollect", "alltoall",
                                           "alltoalls", "reduce",    "inscan",  "exscan",   "alltoallv",
                                           "gather",    "gatherv",   "scatter", "scatterv", "reduce_to_root",
                                           "reduce_scatter"};

}  // namespace

// A list of constants would need the definitions of other files at compile time; pointers do not.
constexpr const algorithm* const rows[] = {
#define ALGORITHM(row) &row,
#define SCHEDULE(rows) &rows.put, &rows.message, &rows.pull,
#include "coll/choosing/algorithms.def"
#undef SCHEDULE
#undef ALGORITHM
};
static_assert(std::size(rows) <= undecided);  // team::chosen

const char* name_of(design d) {
  constexpr const char* names[designs] = {"one-sided", "two-sided", "single-copy"};
  return names[static_cast<int>(d)];
}

const char* name_of(scope s) { return s == scope::any ? "any" : "node"; }

const char* name_of(kind k) { return kind_names[static_cast<int>(k)]; }

std::span<const algorithm* const> registry() { return rows; }

}  // namespace oshen::coll
