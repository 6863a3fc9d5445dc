#include "machine.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <csignal>
#include <cstring>

#include "pe.hpp"

namespace explore {
namespace {

constexpr std::size_t most_events = 200'000;
constexpr int most_releases = 300;

// After it a program that was stopped may go.
bool may_wake(step what) {
  return what == step::atomic || what == step::clear_lock || what == step::create || what == step::notify ||
         what == step::meet_threads || what == step::post;
}

}  // namespace

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string name_of(const actor& who) {
  const std::string thread = who.thread == 0 ? "" : " thread " + std::to_string(who.thread);
  return "PE " + std::to_string(who.pe) + thread;
}

std::string status_text(int status) {
  if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  return std::string("signal ") + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
}

void machine::begin() {
  programs_.clear();
  threads_.clear();
  pes_ = {};
  operations_.clear();
  in_flight_.clear();
  index_of_.clear();
  meetings_.clear();
  locks_.clear();
  sleepers_.clear();
  signals_.clear();
  barriers_.clear();
  counts_.clear();
  told_.clear();
  events_.clear();
  released_.clear();
  disabled_.clear();
  end_ = {};
  releases_ = 0;
  all_.area->called_by_child.store(nullptr);
  begin_processes();
}

void machine::begin_processes() {
  programs_.resize(static_cast<std::size_t>(asked_.n_pes));
  for (int i = 0; i < asked_.n_pes; ++i) {
    threads_.push_back({i});
    mailbox& b = process(i);
    b.ended.store(0);
    b.entries = b.payload_used = 0;
    b.parked.store(0);
    for (const int file : {all_.output[i], all_.errors[i]})
      if (file >= 0 && ftruncate(file, 0) != 0) stop_as_invalid("cannot truncate the output");
  }
  all_.area->what = command::run;
  all_.area->order.fetch_add(1, std::memory_order_release);
  futex_wake(all_.area->order);
  for (int i = 0; i < asked_.n_pes; ++i)
    if (wait_for_stop({i}, 0))
      take_stop({i});
    else if (has_ended(i))
      note_exit(i);
}

bool machine::has_ended(int pe) const { return process(pe).ended.load(std::memory_order_acquire) != 0; }

// False: its process has ended, or the order is over.
bool machine::wait_for_stop(const actor& who, std::uint32_t parked) {
  const double give_up = seconds_now() + asked_.patience;
  for (;;) {
    const std::uint32_t seen = all_.area->attention.load(std::memory_order_acquire);
    if (box(who).parked.load(std::memory_order_acquire) != parked) return true;
    if (has_ended(who.pe)) return false;
    const double left = asked_.pause >= 0 ? 3600 : give_up - seconds_now();
    if (left <= 0) {
      fail("endless loop",
           name_of(who) + " has run for " + std::to_string(static_cast<int>(asked_.patience)) + " s without a call");
      return false;
    }
    futex_wait(all_.area->attention, seen, left);
  }
}

void machine::note_exit(int pe) {
  for (const actor& who : threads_)
    if (who.pe == pe) at(who).stopped.reset();
  const int status = process(pe).status;
  if (status == 0) return;
  const std::string errors = output(pe, true);
  const bool is_assertion = errors.find("Assertion") != std::string::npos;
  fail(is_assertion        ? "assertion"
       : WIFEXITED(status) ? "exit status"
                           : "signal",
       "PE " + std::to_string(pe) + " ended with " + status_text(status));
  end_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Another thread waits for a change of the memory of this PE.
bool machine::is_watched(const actor& who) const {
  return std::ranges::any_of(threads_, [&](const actor& other) {
    if (other == who || other.pe != who.pe || !disabled_now_[other.slot()]) return false;
    return at(other).stopped->what == step::wait || is_read(at(other).stopped->what);
  });
}

void machine::resume(const actor& who, std::uint64_t budget) {
  mailbox& b = box(who);
  b.budget = budget;
  b.stops_after_stores = is_watched(who);
  for (;;) {
    const std::uint32_t parked = b.parked.load(std::memory_order_acquire);
    b.entries = b.payload_used = 0;
    at(who).stopped.reset();
    b.go.fetch_add(1, std::memory_order_release);
    futex_wake(b.go);
    const bool stopped = wait_for_stop(who, parked);
    const ending::result how = end_.how;
    for (std::size_t i = 0; i < b.entries && end_.how == how; ++i)
      take_logged(who, b.log[i].said, std::span<const std::byte>(b.payload).subspan(b.log[i].said.payload));
    if (has_ended(who.pe)) note_exit(who.pe);
    if (!stopped || end_.how != ending::result::none) return;
    if (events_.size() > most_events)
      return stop_as_invalid("an order has more than " + std::to_string(most_events) +
                             " steps, loads and stores of symmetric memory included; use a smaller input");
    if (b.next.what != step::flush) break;
    if (cut_if_late()) return;
  }
  take_stop(who);
  if (const char* const routine = all_.area->called_by_child.load(); routine != nullptr)
    stop_as_invalid(std::string(routine) +
                    " in a process that a PE has forked is not modelled: the search cannot go on");
}

void machine::take_stop(const actor& who) {
  program& p = at(who);
  const mailbox& b = box(who);
  p.stopped = b.next;
  p.stopped_since = events_.size();
  const entry& e = *p.stopped;
  if (e.what == step::wait || e.what == step::test)
    p.payload.assign(b.payload.begin() + static_cast<std::ptrdiff_t>(e.payload),
                     b.payload.begin() + static_cast<std::ptrdiff_t>(b.payload_used));
  switch (e.what) {
    case step::wrong:
      return fail("wrong call",
                  name_of(who) + ": " + (e.call.routine != nullptr ? std::string(e.call.routine) + ": " : "") +
                      e.message.data(),
                  e.call.place);
    case step::failed_exit:
      fail("exit status", name_of(who) + " ended with exit status " + std::to_string(e.status));
      end_.status = e.status;
      return;
    case step::not_modelled:
      return stop_as_invalid((e.call.routine != nullptr ? e.call.routine : e.message.data()) +
                                 std::string(" is not modelled: the search cannot go on"),
                             e.call.place);
    case step::global_exit:
      if (e.status != 0)
        fail("exit status", name_of(who) + " called shmem_global_exit(" + std::to_string(e.status) + ")", e.call.place);
      return;
    case step::sync:
      if (join_meeting(who, e)) meetings_[e.group].threads[who.pe] = who;
      return;
    case step::exit_thread: return p.stopped.reset();
    default: return;
  }
}

void machine::fail(const char* kind, std::string text, const void* place) {
  if (end_.how == ending::result::none) end_ = {ending::result::failed, kind, std::move(text), 1, place};
}

void machine::stop_as_invalid(std::string text, const void* place) {
  end_ = {ending::result::invalid, "", std::move(text), 2, place};
}

void machine::end() {
  for (int i = 0; i < asked_.n_pes; ++i)
    if (!has_ended(i)) kill(process(i).pid, SIGKILL);
  for (int i = 0; i < asked_.n_pes; ++i)
    while (!has_ended(i)) {
      const std::uint32_t seen = all_.area->attention.load(std::memory_order_acquire);
      if (!has_ended(i)) futex_wait(all_.area->attention, seen, 1);
    }
}

std::string machine::output(int pe, bool errors) const {
  const int file = errors ? all_.errors[pe] : all_.output[pe];
  std::string text;
  char part[4096];
  for (off_t offset = 0; file >= 0;) {
    const ssize_t n = pread(file, part, sizeof part, offset);
    if (n <= 0) break;
    text.append(part, static_cast<std::size_t>(n));
    offset += n;
  }
  return text;
}

bool machine::all_ended() const {
  return std::ranges::none_of(threads_, [&](const actor& who) { return at(who).stopped.has_value(); });
}

// ---- choices

std::vector<actor> machine::enabled() {
  std::vector<actor> found;
  stop_ = events_.size();
  disabled_now_.reset();
  for (const actor& who : threads_) {
    if (!at(who).stopped) continue;
    if (can_go(who))
      found.push_back(who);
    else
      disabled_now_.set(who.slot());
  }
  // The earliest epoch of each stream of operations that fences order. They are in the order of their start.
  std::map<std::tuple<int, int, std::uint64_t>, std::uint32_t> earliest;
  for (const std::size_t i : in_flight_)
    if (const operation& o = operations_[i]; o.ordered) earliest.try_emplace({o.who.pe, o.pe, o.ctx}, o.epoch);
  for (const std::size_t i : in_flight_) {
    const operation& o = operations_[i];
    if (is_due(o) && (!o.ordered || o.epoch == earliest.at({o.who.pe, o.pe, o.ctx}))) found.push_back(o.who);
  }
  return found;
}

bool machine::is_enabled(actor who) {
  if (who.is_program()) return who.slot() < programs_.size() && at(who).stopped && can_go(who);
  const auto found = index_of_.find(who);
  return found != index_of_.end() && deliverable(operations_[found->second]);
}

// Whether the program was stopped where it is now, and could not go, when the scheduler chose the event.
bool machine::blocked_since(const actor& who, std::size_t index) const {
  return at(who).stopped_since <= events_[index].stop && disabled_[index][who.slot()];
}

std::vector<event> machine::pending() const {
  std::vector<event> found;
  for (const actor& who : threads_) {
    const program& p = at(who);
    if (!p.stopped || !disabled_now_[who.slot()]) continue;
    event e;
    e.who = who;
    e.uses = uses_of(*p.stopped, who);
    e.before = p.knows;
    e.said = *p.stopped;
    found.push_back(std::move(e));
  }
  return found;
}

bool machine::release() {
  if (releases_ >= most_releases) return false;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const actor who = threads_[(i + static_cast<std::size_t>(releases_)) % threads_.size()];
    program& p = at(who);
    if (!p.stopped || !(p.stopped->timed || is_repeating(who, *p.stopped))) continue;
    ++releases_;
    ++p.releases;
    p.released = true;
    if (!p.stopped->timed) released_.insert(p.stopped->call.place);
    return true;
  }
  return false;
}

// As late as possible: the others may do anything before the exit reaches them.
bool machine::finish() {
  for (const program& p : programs_)
    if (p.stopped && p.stopped->what == step::global_exit) end_.how = ending::result::finished;
  return end_.how == ending::result::finished;
}

bool machine::cut_if_late() {
  if (asked_.most_seconds <= 0 || seconds_now() - started_ < asked_.most_seconds) return false;
  if (end_.how == ending::result::none) end_.how = ending::result::cut;
  return true;
}

void machine::go(actor next, std::uint64_t steps) {
  if (!next.is_program()) return deliver(index_of_.at(next));
  program& p = at(next);
  const entry said = *p.stopped;
  if (is_blocking(said.what)) {
    box(next).result = carry_out(next, said);
    // The next steps are choices of their own: another program may go before them.
    steps = may_wake(said.what) ? 0 : steps - 1;
  }
  p.released = false;
  if (end_.how == ending::result::none) resume(next, steps);
  if (said.what == step::create && end_.how == ending::result::none) begin_thread(next, said);
}

// ---- events

known machine::joined(const known& base, const std::vector<std::size_t>& events, known event::* what) const {
  if (events.empty()) return base;
  auto all = std::make_shared<knowledge>(*base);
  for (const std::size_t i : events) join(*all, events_[i], what);
  return all;
}

void machine::add_program_event(const actor& who, const entry& said, footprint uses,
                                const std::vector<std::size_t>& follows) {
  program& p = at(who);
  const known alone = p.knows, before = joined(p.knows, follows, &event::before);
  if (asked_.races) p.ordered = learnt(joined(p.ordered, follows, &event::ordered), uses);
  event e;
  e.who = who;
  e.position = p.position++;
  e.uses = std::move(uses);
  e.before = before;
  e.ordered = p.ordered;
  e.stop = stop_;
  e.said = said;
  const std::size_t index = events_.size();
  const std::vector<std::size_t> conflicts = events_.add(std::move(e));
  disabled_.push_back(disabled_now_);
  p.last_event = index;
  p.knows = before;
  for (const std::size_t other : conflicts) {
    if (happens_before(events_[other], events_[index])) continue;
    auto more = std::make_shared<knowledge>(*p.knows);
    join(*more, events_[other]);
    p.knows = more;
    events_.learn(index, more);
  }
  // A quiet waits for what other threads have started, but it could have come before.
  if (on_event) on_event(index, conflicts, said.what == step::quiet ? alone : before);
  check_alone(index, *before);
  check_lent(events_[index]);
  check_freed(events_[index]);
  check_races(index, conflicts);
  tell(index);
}

void machine::add_operation_event(std::size_t index, footprint uses) {
  operation& o = operations_[index];
  std::vector<std::size_t> follows{o.started};
  if (o.after != event::none) follows.push_back(operations_[o.after].done_at);
  if (o.ordered)
    for (const std::size_t i : of(o.who.pe).open)
      if (operations_[i].done && comes_before(operations_[i], o.who.pe, o.pe, o.ctx, o.epoch))
        follows.push_back(operations_[i].done_at);
  if (o.meeting)
    for (const auto& [pe, part] : meetings_[*o.meeting].parts)
      if ((o.needs >> pe & 1) != 0) follows.push_back(part.arrived_at);
  const known nothing = std::make_shared<const knowledge>();
  const known before = joined(nothing, follows, &event::before);
  event e;
  e.who = o.who;
  e.operation = index;
  e.before = before;
  e.ordered = asked_.races ? learnt(joined(nothing, follows, &event::ordered), uses) : nothing;
  e.uses = std::move(uses);
  e.stop = stop_;
  e.said = o.said;
  e.stage = static_cast<int>(o.what);
  o.done = true;
  o.done_at = events_.size();
  std::erase(in_flight_, index);
  const std::vector<std::size_t> conflicts = events_.add(std::move(e));
  disabled_.push_back(disabled_now_);
  events_.learn(o.done_at, joined(before, conflicts, &event::before));
  if (on_event) on_event(o.done_at, conflicts, before);
  check_freed(events_[o.done_at]);
  check_races(o.done_at, conflicts);
  tell(o.done_at);
}

}  // namespace explore
