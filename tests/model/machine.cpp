#include "machine.hpp"

#include <cstdio>
#include <utility>

namespace oshen::model {
namespace {

struct not_done_yet {};  // leaves a thread's function at its next operation

bool is_full_fence(action a) {
  switch (a) {
    case action::load:
    case action::is_least:
    case action::until_least:
    case action::until_equal:
    case action::finished: return false;
    default: return true;
  }
}

// The value that the thread sees: that of its own newest store, else that of memory.
int visible(const machine_state& s, const thread_state& t, int at) {
  for (auto entry = t.buffer.rbegin(); entry != t.buffer.rend(); ++entry)
    if (entry->at == at) return entry->value;
  return s.memory[static_cast<std::size_t>(at)];
}

bool enabled(const machine_state& s, const thread_state& t) {
  const operation& op = t.next;
  if (op.what == action::finished || t.slept_on >= 0) return false;
  if (is_full_fence(op.what) && !t.buffer.empty()) return false;
  if (op.what == action::until_least) return visible(s, t, op.at) >= op.value;
  if (op.what == action::until_equal) return visible(s, t, op.at) == op.value;
  if (op.what == action::take) return visible(s, t, op.at) == 0;
  if (op.what == action::drain_other) return s.threads[static_cast<std::size_t>(op.value)].buffer.empty();
  return true;
}

// Runs the thread's function up to its next operation.
void go_on(const program& p, memory_order order, machine_state& s, int thread) {
  cpu c(s, thread, order);
  s.threads[static_cast<std::size_t>(thread)].next = {};
  try {
    p.threads[static_cast<std::size_t>(thread)](c);
  } catch (const not_done_yet&) {
  }
}

int execute(machine_state& s, const thread_state& t) {
  const operation& op = t.next;
  std::int16_t& word = s.memory[static_cast<std::size_t>(op.at)];
  const int before = visible(s, t, op.at);
  switch (op.what) {
    case action::load: return before;
    case action::is_least: return before >= op.value ? 1 : 0;
    case action::store:
    case action::take:
    case action::exchange: word = static_cast<std::int16_t>(op.value); return before;
    case action::add: word = static_cast<std::int16_t>(word + op.value); return before;
    case action::compare_swap:
      if (before == op.expected) word = static_cast<std::int16_t>(op.value);
      return before;
    case action::wake:
      for (thread_state& other : s.threads)
        if (other.slept_on == op.at) other.slept_on = -1;
      return 0;
    default: return 0;
  }
}

}  // namespace

// ---- a thread's view ----------------------------------------------------------------------------------------

int cpu::record(int result) {
  self().history.push_back(static_cast<std::int16_t>(result));
  ++at_;
  return result;
}

int cpu::perform(operation op) {
  if (replaying()) return self().history[at_++];
  self().next = op;
  throw not_done_yet{};
}

// No other CPU sees a store while it is in this CPU's buffer, so no other thread needs to run in between.
void cpu::store(int at, int value) {
  if (order_ == memory_order::sequential) {
    perform({action::store, at, value});
  } else if (replaying()) {
    ++at_;
  } else {
    self().buffer.push_back({at, value});
    record(0);
  }
}

void cpu::remote_barrier() {
  fence();
  for (int other = 0; other < static_cast<int>(state_.threads.size()); ++other)
    if (other != thread_) perform({action::drain_other, 0, other});
}

void cpu::note(int which, int value) {
  if (replaying()) {
    ++at_;
    return;
  }
  state_.notes[static_cast<std::size_t>(which)] = static_cast<std::int16_t>(value);
  record(0);
}

int cpu::noted(int which) {
  if (replaying()) return self().history[at_++];
  return record(state_.notes[static_cast<std::size_t>(which)]);
}

void cpu::keep(std::vector<std::int16_t> locals) {
  self().kept = std::move(locals);
  self().history.clear();
  at_ = 0;
}

void cpu::check(bool holds, const char* what) {
  if (!holds && !replaying()) state_.trouble = "thread " + std::to_string(thread_) + ": " + what;
}

// ---- the machine --------------------------------------------------------------------------------------------

machine_state begin(const program& p, memory_order order) {
  machine_state s;
  s.memory.resize(static_cast<std::size_t>(p.words));
  s.notes.resize(static_cast<std::size_t>(p.notes));
  s.threads.resize(p.threads.size());
  for (int thread = 0; thread < static_cast<int>(p.threads.size()); ++thread) go_on(p, order, s, thread);
  return s;
}

std::vector<transition> possible(const machine_state& s) {
  std::vector<transition> found;
  for (int thread = 0; thread < static_cast<int>(s.threads.size()); ++thread) {
    const thread_state& t = s.threads[static_cast<std::size_t>(thread)];
    if (!t.buffer.empty()) found.push_back({thread, true});
    if (enabled(s, t)) found.push_back({thread, false});
  }
  return found;
}

void apply(const program& p, memory_order order, machine_state& s, transition what) {
  thread_state& t = s.threads[static_cast<std::size_t>(what.thread)];
  if (what.flush) {
    s.memory[static_cast<std::size_t>(t.buffer.front().at)] = static_cast<std::int16_t>(t.buffer.front().value);
    t.buffer.erase(t.buffer.begin());
    return;
  }
  const bool sleeps = t.next.what == action::sleep && s.memory[static_cast<std::size_t>(t.next.at)] == t.next.value;
  if (sleeps) t.slept_on = t.next.at;  // continues after the sleep when it is woken
  t.history.push_back(static_cast<std::int16_t>(execute(s, t)));
  go_on(p, order, s, what.thread);
}

bool all_finished(const machine_state& s) {
  for (const thread_state& t : s.threads)
    if (t.next.what != action::finished || t.slept_on >= 0) return false;
  return true;
}

// ---- distinguishing states, and printing them ---------------------------------------------------------------

namespace {

class mixer {
 public:
  void add(int value) {
    const auto v = static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15u;
    a_ = (a_ ^ v) * 0xff51afd7ed558ccdu;
    a_ ^= a_ >> 32;
    b_ = (b_ + v) * 0xc4ceb9fe1a85ec53u;
    b_ ^= b_ >> 29;
  }
  void add(const std::vector<std::int16_t>& values) {
    add(static_cast<int>(values.size()));
    for (const int v : values) add(v);
  }
  fingerprint result() const { return {a_, b_}; }

 private:
  std::uint64_t a_ = 1, b_ = 2;
};

}  // namespace

fingerprint fingerprint_of(const machine_state& s) {
  mixer m;
  m.add(s.memory);
  m.add(s.notes);
  for (const thread_state& t : s.threads) {
    m.add(t.kept);
    m.add(t.history);
    m.add(t.slept_on);
    m.add(static_cast<int>(t.buffer.size()));
    for (const pending_store& entry : t.buffer) {
      m.add(entry.at);
      m.add(entry.value);
    }
  }
  return m.result();
}

std::string describe(const machine_state& s, transition what) {
  static constexpr const char* names[] = {"load",         "is >=",    "store",    "add",     "exchange",
                                          "compare_swap", "until >=", "until ==", "take",    "fence",
                                          "drain other",  "sleep",    "wake",     "finished"};
  const thread_state& t = s.threads[static_cast<std::size_t>(what.thread)];
  char text[128];
  if (what.flush)
    std::snprintf(text, sizeof text, "thread %d: its store of %d to word %d becomes visible", what.thread,
                  t.buffer.front().value, t.buffer.front().at);
  else
    std::snprintf(text, sizeof text, "thread %d: %s word %d (%d), value %d", what.thread,
                  names[static_cast<int>(t.next.what)], t.next.at, visible(s, t, t.next.at), t.next.value);
  return text;
}

}  // namespace oshen::model
