#include "explorer.hpp"

#include <stdexcept>
#include <unordered_set>
#include <utility>

namespace oshen::model {
namespace {

constexpr std::size_t most_states = 20000000;  // a model that needs more is too large to be a test

struct hash {
  std::size_t operator()(const fingerprint& f) const { return f.a; }
};

// Depth-first search: the stack has one state for each step to the current state. The last way out of a state takes the
// state with it, because most of the time goes into copies.
class search {
 public:
  search(const program& p, memory_order order) : program_(p), order_(order) {}

  finding run() {
    enter(begin(program_, order_));
    while (!way_.empty() && found_.trouble.empty()) advance();
    return found_;
  }

 private:
  struct place {
    machine_state state;
    std::vector<transition> ways;
    std::size_t taken = 0;
  };

  void enter(machine_state&& s) {
    if (!seen_.insert(fingerprint_of(s)).second) return;
    if (++found_.states > most_states) throw std::length_error("a model has too many states");
    way_.push_back({std::move(s), {}});
    place& here = way_.back();
    here.ways = possible(here.state);
    if (!here.state.trouble.empty())
      report(here.state.trouble);
    else if (here.ways.empty() && !all_finished(here.state))
      report("stuck: nobody can go on");
  }

  void advance() {
    place& here = way_.back();
    if (here.taken == here.ways.size()) {
      way_.pop_back();
      return;
    }
    const transition way = here.ways[here.taken++];
    machine_state next = here.taken == here.ways.size() ? std::move(here.state) : here.state;
    apply(program_, order_, next, way);
    enter(std::move(next));
  }

  // Goes the way to the present state again.
  void report(const std::string& trouble) {
    found_.trouble = trouble + "\nafter";
    machine_state s = begin(program_, order_);
    for (const place& step : way_) {
      if (step.taken == 0) break;
      const transition way = step.ways[step.taken - 1];
      found_.trouble += "\n  " + describe(s, way);
      apply(program_, order_, s, way);
    }
  }

  const program& program_;
  memory_order order_;
  finding found_;
  std::vector<place> way_;
  std::unordered_set<fingerprint, hash> seen_;
};

}  // namespace

finding explore(const program& p, memory_order order) { return search(p, order).run(); }

}  // namespace oshen::model
