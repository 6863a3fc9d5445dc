// The search over the states of PEs on the modelled machine, depth first.
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "one_sided.hpp"

namespace oshen::model {
namespace {

fingerprint mixed(fingerprint seed, const void* bytes, std::size_t n) {
  return hash_of(static_cast<const std::byte*>(bytes), n, seed);
}

template <class T>
void mix(fingerprint& f, const T& value) {
  f = mixed(f, &value, sizeof value);
}

}  // namespace

fingerprint fingerprint_of(const one_sided_state& s) {
  fingerprint f{1, 2};
  for (const auto& p : s.pes) {
    mix(f, p.memory->hash);
    mix(f, p.symmetric->hash);
    mix(f, static_cast<std::uint64_t>(p.next.what));
    if (p.next.what == call::yield) mix(f, p.polled);
  }
  // Numbers of fences and of puts count only as an order.
  for (std::size_t i = 0; i < s.pending.size(); i++) {
    const pending_put& p = s.pending[i];
    std::uint64_t rank = 0, follows = 0;
    for (std::size_t j = 0; j < s.pending.size(); j++) {
      if (s.pending[j].source != p.source) continue;
      if (s.pending[j].epoch < p.epoch) rank++;
      if (s.pending[j].serial == p.follows) follows = j + 1;
    }
    const bool fenced = s.pes[static_cast<std::size_t>(p.source)].epoch > p.epoch;
    const std::uint64_t words[] = {static_cast<std::uint64_t>(p.source * 64 + p.target),
                                   rank,
                                   follows,
                                   p.offset,
                                   p.length,
                                   static_cast<std::uint64_t>(fenced),
                                   static_cast<std::uint64_t>(p.is_store)};
    f = mixed(f, words, sizeof words);
    if (p.bytes != nullptr)
      f = hash_of(p.bytes->data(), p.bytes->size(), f);
    else
      mix(f, p.late);
  }
  return f;
}

namespace {

struct hash {
  std::size_t operator()(const fingerprint& f) const { return f.a; }
};

// Depth first: the stack has one state for each step to the current one.
class one_sided_search {
 public:
  one_sided_search(const one_sided_program& program, std::size_t most) : machine_(program), most_(most) {}

  finding run() {
    one_sided_state s = begin_exploring();
    if (found_.trouble.empty()) enter(std::move(s));
    while (!way_.empty() && found_.trouble.empty()) advance();
    return found_;
  }

 private:
  struct place {
    one_sided_state state;
    std::vector<one_sided_machine::step> ways;
    std::size_t taken = 0;
  };

  static bool all(const one_sided_state& s, call what) {
    return std::ranges::all_of(s.pes, [=](const one_sided_state::pe& p) { return p.next.what == what; });
  }

  // Puts become visible at once, and PEs take turns.
  one_sided_state begin_exploring() {
    one_sided_state s = machine_.begin();
    for (std::size_t turn = 0; !all(s, call::explore) || !s.pending.empty(); turn++) {
      const auto ways = machine_.possible(s);
      const auto put = std::ranges::find_if(ways, [](const auto& w) { return w.put != one_sided_machine::none; });
      const auto able = [&](const auto& w) { return s.pes[static_cast<std::size_t>(w.pe)].next.what != call::explore; };
      std::vector<one_sided_machine::step> runs;
      std::ranges::copy_if(ways, std::back_inserter(runs), able);
      if (runs.empty() && put == ways.end()) {
        found_.trouble = "stuck before the search begins";
        return s;
      }
      machine_.apply(s, put != ways.end() ? *put : runs[turn % runs.size()]);
      if (!machine_.found().empty()) {
        found_.trouble = machine_.found() + " (before the search began)";
        return s;
      }
    }
    return s;
  }

  void enter(one_sided_state&& s) {
    if (!seen_.insert(fingerprint_of(s)).second) return;
    if (++found_.states > most_) return report("the program has too many states");
    way_.push_back({std::move(s), {}});
    place& here = way_.back();
    here.ways = machine_.possible(here.state);
    if (here.ways.empty() && !all(here.state, call::finished)) report("stuck: no PE can go on" + waits(here.state));
  }

  void advance() {
    place& here = way_.back();
    if (here.taken == here.ways.size()) {
      way_.pop_back();
      return;
    }
    one_sided_state next = here.state;
    machine_.apply(next, here.ways[here.taken++]);
    if (!machine_.found().empty()) return report(machine_.found());
    enter(std::move(next));
  }

  std::string waits(const one_sided_state& s) const {
    std::string text;
    for (std::size_t pe = 0; pe < s.pes.size(); pe++)
      text += "\n  " + machine_.describe(s, {static_cast<int>(pe), one_sided_machine::none});
    return text;
  }

  void report(const std::string& trouble) {
    found_.trouble = trouble + "\nafter";
    for (const place& step : way_)
      if (step.taken != 0) found_.trouble += "\n  " + machine_.describe(step.state, step.ways[step.taken - 1]);
  }

  one_sided_machine machine_;
  std::size_t most_;
  finding found_;
  std::vector<place> way_;
  std::unordered_set<fingerprint, hash> seen_;
};

}  // namespace

finding explore(const one_sided_program& program, std::size_t most_states) {
  return one_sided_search(program, most_states).run();
}

}  // namespace oshen::model
