#include "coll/nonblocking/engine.hpp"

#include <stdlib.h>

#include <bit>
#include <new>

#include "base/log.hpp"
#include "coll/run/run.hpp"
#include "os/process.hpp"
#include "wait/backoff.hpp"

namespace oshen::coll::async {
namespace {

constexpr int slots_per_word = 64;

template <class T>
T* make() {
  void* memory = aligned_alloc(alignof(T) > cache_line ? alignof(T) : cache_line, round_up(sizeof(T), cache_line));
  if (memory == nullptr) {
    log::error("no memory for non-blocking collectives");
    os::leave_at_once(1);
  }
  return new (memory) T;
}

std::uint64_t bit_of(int slot) { return std::uint64_t{1} << (slot % slots_per_word); }

// Advances the operations of one team. The caller holds the lock.
bool advance_team(world& w, progress_engine& e, queue& q) {
  if (q.members == nullptr) return false;
  const int slot = q.members->slot;
  std::uint32_t completed = 0;
  const bool moved = advance(q, completed);
  if (q.ended == q.started.load(std::memory_order_relaxed))
    e.busy[slot / slots_per_word].fetch_and(~bit_of(slot), std::memory_order_relaxed);
  if (completed != 0) w.background.n_open.fetch_sub(completed, std::memory_order_acq_rel);
  return moved;
}

// A thread that holds the lock advances the team, so others skip it. A `thorough` caller is about to sleep, so it waits
// for the lock and looks itself.
bool advance_slot(world& w, progress_engine& e, int slot, bool thorough) {
  queue& q = *e.queues[slot].load(std::memory_order_acquire);
  if (thorough)
    q.lock.lock();
  else if (!q.lock.try_lock())
    return false;
  const bool moved = advance_team(w, e, q);
  q.lock.unlock();
  return moved;
}

bool advance_all(world& w, bool thorough) {
  progress_engine& e = *w.background.engine.load(std::memory_order_acquire);
  bool moved = false;
  for (int word = 0; word < max_teams / slots_per_word; ++word) {
    std::uint64_t slots = e.busy[word].load(std::memory_order_acquire);
    for (; slots != 0; slots &= slots - 1)
      if (advance_slot(w, e, word * slots_per_word + std::countr_zero(slots), thorough)) moved = true;
  }
  return moved;
}

void close(queue* q) {
  q->~queue();
  free(q);
}

void finish_team(team& t, const char* routine);
void finish_all(world& w);

progress_engine& engine_of(world& w) {
  progress_engine* e = w.background.engine.load(std::memory_order_acquire);
  if (e != nullptr) return *e;
  os::locked hold(w.background.making);
  e = w.background.engine.load(std::memory_order_relaxed);
  if (e != nullptr) return *e;
  e = make<progress_engine>();
  w.background.advance = advance_all;
  w.background.finish_team = finish_team;
  w.background.finish = finish_all;
  w.background.engine.store(e, std::memory_order_release);
  return *e;
}

// Null if the team has never started a non-blocking collective.
queue* queue_of(const team& t) {
  const progress_engine* e = t.home->background.engine.load(std::memory_order_acquire);
  return e == nullptr ? nullptr : e->queues[t.slot].load(std::memory_order_acquire);
}

// One thread at a time starts operations of a team, so no other thread creates the same queue.
queue& queue_to_start(progress_engine& e, team& t) {
  queue* q = e.queues[t.slot].load(std::memory_order_acquire);
  if (q == nullptr) {
    q = make<queue>();
    e.queues[t.slot].store(q, std::memory_order_release);
  }
  os::locked hold(q->lock);
  if (q->members == &t) return *q;
  serve(*q, t);
  if (!t.spans) return *q;
  void* memory = malloc(sizeof(proxy));
  q->proxy_thread = memory == nullptr ? nullptr : new (memory) proxy(*q);
  if (q->proxy_thread != nullptr && q->proxy_thread->begin()) return *q;
  log::error("no thread for non-blocking collectives on a team that spans nodes");
  end_job(t.home, 1, false);
}

void wait_in(queue& q, team& t, std::uint64_t number, const char* routine) {
  if (q.is_done(number)) return;
  wait_info info{.routine = routine};
  wait_for(*t.home, info, [&] {
    if (q.is_done(number)) return true;
    advance_slot(*t.home, engine_of(*t.home), t.slot, false);
    info.pe = q.awaited[number % most_open].load(std::memory_order_relaxed);
    return q.is_done(number);
  });
}

// Prints a line, once, if the program has not waited for some operations of the team.
void report_unclaimed(queue& q, const char* routine) {
  const std::uint64_t unclaimed = q.unclaimed.exchange(0, std::memory_order_relaxed);
  if (unclaimed != 0)
    log::error("%s: %llu non-blocking collectives were never waited for; completing them now", routine,
               static_cast<unsigned long long>(unclaimed));
}

// Completes all operations of a team that ends. The line comes first: another PE may end the job when it has completed
// its own, and an operation that a PE never starts is not completed.
void finish_team(team& t, const char* routine) {
  queue* q = queue_of(t);
  if (q == nullptr || q->members != &t) return;
  report_unclaimed(*q, routine);
  const std::uint64_t last = q->started.load(std::memory_order_acquire);
  for (std::uint64_t number = last > most_open ? last - most_open + 1 : 1; number <= last; ++number)
    wait_in(*q, t, number, routine);
  if (q->proxy_thread != nullptr) {
    q->proxy_thread->end();
    free(q->proxy_thread);
  }
  os::locked hold(q->lock);
  q->proxy_thread = nullptr;
  q->members = nullptr;
}

// Completes all operations when the PE ends. It is collective, because the operations are.
void finish_all(world& w) {
  progress_engine* e = w.background.engine.load(std::memory_order_acquire);
  for (const auto& slot : e->queues) {
    const queue* q = slot.load(std::memory_order_acquire);
    if (q != nullptr && q->members != nullptr) finish_team(*q->members, "shmem_finalize");
  }
  e->thread.stop(w);
  for (const auto& slot : e->queues)
    if (queue* q = slot.load(std::memory_order_relaxed); q != nullptr) close(q);
  e->~progress_engine();
  free(e);
  w.background.engine.store(nullptr, std::memory_order_relaxed);
}

}  // namespace

std::uint64_t start(kind k, const collective_call& call) {
  if (call.elements == 0 && k != kind::sync) return 0;
  team& t = call.members;
  world& w = *t.home;
  if (w.config.check) check_buffers(k, call);
  progress_engine& e = engine_of(w);
  queue& q = queue_to_start(e, t);
  collective_operation op{.call = call, .collective = k, .number = q.started.load(std::memory_order_relaxed) + 1};
  if (op.number > most_open) wait_in(q, t, op.number - most_open, call.routine);
  plan(op);
  {
    os::locked hold(q.lock);
    append(q, op);
    w.background.n_open.fetch_add(1, std::memory_order_acq_rel);
    wake_own_sleepers(w.own_control().wakeup);
    e.busy[t.slot / slots_per_word].fetch_or(bit_of(t.slot), std::memory_order_release);
    advance_team(w, e, q);
  }
  if (q.proxy_thread != nullptr) q.proxy_thread->call();
  if (w.config.progress_thread && !q.is_done(op.number)) e.thread.wake(w);
  return op.number;
}

bool test(team& t, std::uint64_t number) {
  const queue& q = *queue_of(t);
  if (q.is_done(number)) return true;
  advance_all(*t.home, false);
  return q.is_done(number);
}

void wait(team& t, std::uint64_t number, const char* routine) { wait_in(*queue_of(t), t, number, routine); }

std::uint64_t full_number(const team& t, std::uint32_t low) {
  const queue* q = queue_of(t);
  if (q == nullptr) return 0;
  const std::uint64_t started = q->started.load(std::memory_order_acquire);
  const std::uint32_t behind = static_cast<std::uint32_t>(started) - low;
  return behind < started ? started - behind : 0;
}

void report_unclaimed(world& w, const char* routine) {
  progress_engine* e = w.background.engine.load(std::memory_order_acquire);
  if (e == nullptr) return;
  for (const auto& slot : e->queues) {
    queue* q = slot.load(std::memory_order_acquire);
    if (q != nullptr && q->members != nullptr) report_unclaimed(*q, routine);
  }
}

void claim(team& t) { queue_of(t)->unclaimed.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace oshen::coll::async
