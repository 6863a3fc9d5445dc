// Detection of a deadlock of the whole job (src/wait/quiescence.*, docs/design/waiting.md): a job in which one thread
// can continue is never ended, in any order of events and at any speed. The library's sleeps have limits. The model's
// sleeps end at once, so a waiter looks again and again. In jobs of several nodes a network delivers messages late.
#include <algorithm>
#include <array>

#include "expect.hpp"
#include "wake_flag.hpp"

namespace oshen::model {
namespace {

constexpr int pes = 2;

// Memory: the number of the present probe; then the words of each PE.
constexpr int probe = 0;
int word_of(int pe, int which) { return 1 + pe * 7 + which; }
wakeup wakeup_of(int pe) { return {.memory = word_of(pe, 0), .flags = 0, .wakes = word_of(pe, 1)}; }
int answer_of(int pe) { return word_of(pe, 2); }
int finalized(int pe) { return word_of(pe, 3); }
int guard_of(int pe) { return word_of(pe, 4); }       // the lock of quiescence_state
int mail_of(int pe) { return word_of(pe, 5); }        // the number of the last message
int on_the_way_to(int pe) { return word_of(pe, 6); }  // the same, of messages that the network has accepted
constexpr int words = 1 + pes * 7;

// The notes of each PE: quiescence_state, which its threads share. Threads are bits.
enum shared : std::uint8_t {
  rounds,
  streak,
  asked,
  wakes,
  waiting,
  looked,
  ended,
  changes,
  changes_seen,
  sent_last,
  shared_words
};

// For checks of the model itself: the number of the present probe, and its value when thread i of a PE tested last.
constexpr int asked_for = pes * shared_words;
int tested_at(int pe, int i) { return asked_for + 1 + pe * 2 + i; }
constexpr int notes = asked_for + 1 + pes * 2;

// An answer has the number of the probe, and the count of idle answers in a row.
constexpr int most_in_a_row = 7;
int answer(int number, int in_a_row) { return number * (most_in_a_row + 1) + std::min(in_a_row, most_in_a_row); }

struct rules {
  int enough = 4;  // answers in a row that mean a deadlock
  int rounds_for_an_answer = 2;
  bool acts_wake = true;         // a test that moves data wakes the PE that receives it
  bool counts_wakes = true;      // a PE that was woken does not count as idle
  bool all_threads_look = true;  // a round is complete when all threads have looked
  bool awaits_arrival = true;  // a PE answers, and finalizes, only when all that it has sent to other nodes has arrived
};

// ---- the steps of a thread --------------------------------------------------------------------------------------

enum class deed : std::uint8_t {
  put,      // sends message `number` to the other PE
  store,    // the same by shmem_ptr, which wakes no PE
  far_put,  // the same over the network
  wait,     // waits until message `number` has arrived
  far_wait  // the same, with replies over the network
};
struct step {
  deed what;
  int number;
  int replies = 0;  // the tests of a wait answer this many messages, as those of non-blocking collectives do
  int lead = 0;     // the answer to message k is message k + lead
};
using script = std::vector<step>;

struct identity {
  int pe;
  int bit;
  int threads;  // of the PE, as bits
  const rules& rule;
};

// The values that a thread keeps from one look to the next.
struct place {
  int at = 0;  // step
  int waits = 0;
  int announced = 0;
  int wakes_seen = 0;
  int replied = 0;

  static place of(const std::vector<std::int16_t>& k) {
    return k.empty() ? place{} : place{k[0], k[1], k[2], k[3], k[4]};
  }
  std::vector<std::int16_t> words() const {
    const auto narrow = [](int value) { return static_cast<std::int16_t>(value); };
    return {narrow(at), narrow(waits), narrow(announced), narrow(wakes_seen), narrow(replied)};
  }
};

class thread {
 public:
  thread(cpu& c, const identity& me) : c_(c), me_(me), at_(place::of(c.kept())) {}

  void follow(const script& s) {
    while (at_.at < static_cast<int>(s.size())) {
      const step& now = s[static_cast<std::size_t>(at_.at)];
      if (is_wait(now) ? waited(now) : sent(now)) at_ = {.at = at_.at + 1};
      c_.keep(at_.words());
    }
    if (me_.rule.awaits_arrival && get(sent_last) != 0) c_.until_least(mail_of(1 - me_.pe), get(sent_last));
    locked([&] { set(ended, get(ended) | me_.bit); });
    if (get(ended) == me_.threads) c_.exchange(finalized(me_.pe), 1);
  }

 private:
  int get(shared which) { return c_.noted(me_.pe * shared_words + which); }
  void set(shared which, int value) { c_.note(me_.pe * shared_words + which, value); }

  template <class Change>
  void locked(Change change) {
    if (me_.threads == me_.bit) return change();  // the PE has no other thread
    c_.take(guard_of(me_.pe));
    change();
    c_.exchange(guard_of(me_.pe), 0);
  }

  static bool is_wait(const step& s) { return s.what == deed::wait || s.what == deed::far_wait; }

  void send(int number, bool wakes_it) {
    const int other = 1 - me_.pe;
    c_.store(mail_of(other), number);
    if (wakes_it) wake(c_, wakeup_of(other), mail_of(other));
  }
  void send_far(int number) {
    c_.store(on_the_way_to(1 - me_.pe), number);
    set(sent_last, number);
    set(changes, get(changes) + 1);
  }
  bool sent(const step& now) {
    now.what == deed::far_put ? send_far(now.number) : send(now.number, now.what == deed::put);
    return true;
  }

  // An iteration of wait_long(). The first one only tests; the others also announce that the thread sleeps.
  bool waited(const step& now) {
    if (at_.waits == 0) {
      if (test(now)) return true;
      enter();
      return false;
    }
    if (me_.threads == 1) announce();  // a PE with two threads receives no message that wakes
    if (test(now)) {
      leave();
      return true;
    }
    check_quiescence();
    return false;
  }

  bool test(const step& now) {
    if (at_.replied < now.replies && c_.is_least(mail_of(me_.pe), at_.replied + 1)) {
      const int reply = ++at_.replied + now.lead;
      now.what == deed::far_wait ? send_far(reply) : send(reply, me_.rule.acts_wake);
    }
    const bool met = c_.is_least(mail_of(me_.pe), now.number);
    c_.note(tested_at(me_.pe, me_.bit - 1), c_.noted(asked_for));
    return met;
  }

  void announce() {
    const wakeup own = wakeup_of(me_.pe);
    if (at_.announced != 0 && c_.load(own.wakes) == at_.wakes_seen) return;
    at_.wakes_seen = c_.load(own.wakes);
    at_.announced = 1;
    c_.exchange(own.memory, everything);
    c_.remote_barrier();
  }

  // ---- quiescence.cpp

  void enter() {
    at_.waits = 1;
    locked([&] {
      set(waiting, get(waiting) | me_.bit);
      start_again();
    });
  }
  void leave() {
    bool last = false;
    locked([&] {
      set(waiting, get(waiting) & ~me_.bit);
      last = get(waiting) == 0;
      start_again();
    });
    if (last) c_.exchange(wakeup_of(me_.pe).memory, nothing);
  }

  void check_quiescence() {
    locked([&] {
      set(looked, get(looked) | me_.bit);
      if (me_.rule.all_threads_look && (get(looked) & get(waiting)) != get(waiting)) return;
      set(looked, 0);
      give_answer();
    });
  }

  void give_answer() {
    if (!nothing_has_happened()) return start_again();
    const int number = c_.load(probe);
    if (number == 0) return;
    if (number != get(asked)) {
      set(asked, number);
      set(rounds, 0);
      return;
    }
    if (get(rounds) < me_.rule.rounds_for_an_answer) set(rounds, get(rounds) + 1);
    if (get(rounds) < me_.rule.rounds_for_an_answer || has_answered(number)) return;
    if (me_.rule.awaits_arrival && !all_has_arrived()) return;
    for (int i = 0; i < 2; ++i)
      if ((get(waiting) & 1 << i) != 0)
        c_.check(c_.noted(tested_at(me_.pe, i)) >= number, "a PE answers before its threads have looked");
    set(streak, std::min(get(streak) + 1, most_in_a_row));
    c_.store(answer_of(me_.pe), answer(number, get(streak)));
  }
  bool has_answered(int number) { return c_.is_least(answer_of(me_.pe), answer(number, 0)); }
  bool all_has_arrived() { return get(sent_last) == 0 || c_.is_least(mail_of(1 - me_.pe), get(sent_last)); }
  bool nothing_has_happened() {
    const int woken = c_.load(wakeup_of(me_.pe).wakes);
    const bool still = (get(waiting) | get(ended)) == me_.threads && (woken == get(wakes) || !me_.rule.counts_wakes) &&
                       get(changes) == get(changes_seen);
    set(wakes, woken);
    set(changes_seen, get(changes));
    return still;
  }
  void start_again() {
    set(rounds, 0);
    if (get(streak) == 0) return;
    set(streak, 0);
    c_.store(answer_of(me_.pe), 0);
  }

  cpu& c_;
  const identity& me_;
  place at_;
};

// ---- the probing thread -----------------------------------------------------------------------------------------

bool nobody_can_go_on(cpu& c, int number, const rules& r) {
  int waiters = 0;
  for (int pe = 0; pe < pes; ++pe) {
    if (c.is_least(answer_of(pe), answer(number, r.enough)))
      ++waiters;
    else if (c.load(finalized(pe)) == 0)
      return false;
  }
  return waiters != 0;
}

// In the library, the first PE that waits sends the probes. Here a separate thread does, so that a probe may come at
// any time.
void ask(cpu& c, const rules& r) {
  int number = c.kept().empty() ? 0 : c.kept()[0], answered = c.kept().empty() ? pes : c.kept()[1];
  while (number < r.enough + 2) {
    if (answered < pes) {
      if (c.is_least(answer_of(answered), answer(number, 1)) || c.load(finalized(answered)) != 0) ++answered;
    } else {
      if (number != 0) c.check(!nobody_can_go_on(c, number, r), "the job is ended");
      c.store(probe, ++number);
      c.note(asked_for, number);
      answered = 0;
    }
    c.keep({static_cast<std::int16_t>(number), static_cast<std::int16_t>(answered)});
  }
}

// The network of a PE delivers messages at any time, but in order. A message that has been overtaken is not seen.
void deliver(cpu& c, int pe, int last) {
  const int delivered = c.kept().empty() ? 0 : c.kept()[0];
  if (delivered == last) return;
  c.until_least(on_the_way_to(pe), delivered + 1);
  const int number = c.load(on_the_way_to(pe));
  c.store(mail_of(pe), number);
  c.keep({static_cast<std::int16_t>(number)});
}

// The same with a network that delivers messages up to `last` to each PE.
program between_nodes(program p, const std::array<int, pes>& last) {
  for (int pe = 0; pe < pes; ++pe)
    if (last[static_cast<std::size_t>(pe)] != 0)
      p.threads.push_back([=](cpu& c) { deliver(c, pe, last[static_cast<std::size_t>(pe)]); });
  return p;
}

// A job with several threads of PE 0 and one thread of PE 1.
program job(const std::vector<script>& first, const script& second, const rules& r = {}) {
  program p{.words = words, .notes = notes, .threads = {}};
  const int all = (1 << first.size()) - 1;
  for (std::size_t i = 0; i < first.size(); ++i)
    p.threads.push_back([=, s = first[i]](cpu& c) {
      const identity me{.pe = 0, .bit = 1 << i, .threads = all, .rule = r};
      thread(c, me).follow(s);
    });
  p.threads.push_back([=](cpu& c) {
    const identity me{.pe = 1, .bit = 1, .threads = 1, .rule = r};
    thread(c, me).follow(second);
  });
  p.threads.push_back([=](cpu& c) { ask(c, r); });
  return p;
}

// ---- jobs in which a thread can continue --------------------------------------------------------------------------

// PE 1 sends and waits; the program of PE 0 answers at any time.
program answered_by_the_program(deed how, const rules& r = {}) {
  return job({{{deed::wait, 1}, {how, 1}}}, {{how, 1}, {deed::wait, 1}}, r);
}

// Both PEs wait, and their tests exchange messages, `times` in each direction, before PE 1 continues.
program answered_by_tests(int times, const rules& r = {}) {
  return job({{{deed::wait, times + 1, times, 0}}},
             {{deed::put, 1}, {deed::wait, times, times - 1, 1}, {deed::put, times + 1}}, r);
}

// One thread of PE 0 waits for the last message; another thread answers.
program answered_by_another_thread(const rules& r = {}) {
  return job({{{deed::wait, 2}}, {{deed::wait, 1}, {deed::put, 1}}},
             {{deed::store, 1}, {deed::wait, 1}, {deed::store, 2}}, r);
}

// Two threads of PE 0 wait, and another thread sends probes.
program looks_of_two_threads(const rules& r = {}) {
  program p = job({{{deed::wait, 1}}, {{deed::wait, 1}}}, {}, r);
  p.threads.resize(2);
  p.threads.push_back([](cpu& c) {
    for (int number = 1; number <= 2; ++number) {
      c.store(probe, number);
      c.note(asked_for, number);
    }
  });
  return p;
}

// PE 1 sends to another node and waits; the program of PE 0 answers.
program answered_from_another_node(const rules& r = {}) {
  return between_nodes(job({{{deed::far_wait, 1}, {deed::far_put, 1}}}, {{deed::far_put, 1}, {deed::far_wait, 1}}, r),
                       {1, 1});
}

// Both PEs wait, and their tests exchange messages, `times` in each direction, before PE 1 goes on.
program answered_by_tests_between_nodes(int times, const rules& r = {}) {
  return between_nodes(job({{{deed::far_wait, times + 1, times, 0}}},
                           {{deed::far_put, 1}, {deed::far_wait, times, times - 1, 1}, {deed::far_put, times + 1}}, r),
                       {times + 1, times});
}

TEST(Quiescence, EndsNoJobInWhichAPeCanGoOn) {
  for (const int enough : {3, 4}) {
    for (const deed how : {deed::put, deed::store}) expect_sound(answered_by_the_program(how, {.enough = enough}));
    expect_sound(answered_by_tests(1, {.enough = enough}));
    expect_sound(answered_by_tests(1, {.enough = enough, .acts_wake = false}));
  }
  // Large models, with store buffers; runs without buffers are among their runs.
  EXPECT_EQ(explore(answered_by_tests(2, {.enough = 3}), memory_order::buffered).trouble, "");
  EXPECT_EQ(explore(answered_by_another_thread({.enough = 3}), memory_order::buffered).trouble, "");
}

TEST(Quiescence, EndsAJobInWhichNoPeCanGoOn) {
  for (const memory_order order : both_orders) {
    expect_broken(job({{{deed::wait, 1}}}, {{deed::wait, 1}}), order, "the job is ended");
    expect_broken(job({{{deed::wait, 1}}}, {}), order, "the job is ended");
  }
}

TEST(Quiescence, NeedsItsParts) {
  expect_broken(answered_by_the_program(deed::put, {.enough = 2}), memory_order::sequential, "the job is ended");
  expect_broken(answered_by_tests(1, {.enough = 2}), memory_order::sequential, "the job is ended");
  expect_broken(answered_by_tests(2, {.counts_wakes = false}), memory_order::sequential, "the job is ended");
  // A chain of sends without wakes ends the job. Therefore no PE answers a probe if it may have missed a wake.
  expect_broken(answered_by_tests(2, {.acts_wake = false}), memory_order::sequential, "the job is ended");
}

TEST(Quiescence, AnswersWhenAllThreadsHaveLookedSince) {
  expect_sound(looks_of_two_threads());
  expect_broken(looks_of_two_threads({.rounds_for_an_answer = 1}), memory_order::sequential, "before its threads");
  expect_broken(looks_of_two_threads({.all_threads_look = false}), memory_order::sequential, "before its threads");
}

TEST(Quiescence, WaitsForMessagesBetweenNodes) {
  for (const int enough : {3, 4}) {
    EXPECT_EQ(explore(answered_from_another_node({.enough = enough}), memory_order::sequential).trouble, "");
    EXPECT_EQ(explore(answered_by_tests_between_nodes(1, {.enough = enough}), memory_order::sequential).trouble, "");
  }
  expect_broken(between_nodes(job({{{deed::far_wait, 1}}}, {{deed::far_wait, 1}}), {1, 1}), memory_order::sequential,
                "the job is ended");
  EXPECT_EQ(explore(answered_by_tests_between_nodes(2, {.enough = 3}), memory_order::sequential).trouble, "");
  expect_broken(answered_from_another_node({.awaits_arrival = false}), memory_order::sequential, "the job is ended");
  expect_broken(answered_by_tests_between_nodes(1, {.awaits_arrival = false}), memory_order::sequential,
                "the job is ended");
}

}  // namespace
}  // namespace oshen::model
