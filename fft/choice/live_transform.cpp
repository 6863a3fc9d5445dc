#include "fft/choice/live_transform.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "fft/moves/agree.hpp"
#include "trials/stopwatch.hpp"
#include "trials/trial_store.hpp"

namespace oshen::fft {
namespace {

using trials::choice_source;
using trials::stopwatch;

struct report_memory {
  std::uint64_t offset;
  std::int32_t status;
};

void add(oshen_fft_stats_t& sum, const oshen_fft_stats_t& one) {
  sum.runs += one.runs;
  sum.transform_seconds += one.transform_seconds;
  sum.copy_seconds += one.copy_seconds;
  sum.exchange_seconds += one.exchange_seconds;
  sum.wait_seconds += one.wait_seconds;
  sum.transform_bytes += one.transform_bytes;
  sum.copy_bytes += one.copy_bytes;
  sum.exchange_bytes += one.exchange_bytes;
}

}  // namespace

live_transform::live_transform(oshen_group_t* group, std::vector<live_candidate> candidates,
                               trials::choice_source source)
    : group_(group), candidates_(std::move(candidates)), source_(source) {}

live_transform::~live_transform() {
  if (trials_ == nullptr) return;
  trial_state& t = *trials_;
  t.reports.wait();  // then no PE writes there any more
  if (t.block_over) t.course.finish_block(t.reports.seconds_of_block(t.course.block_runs()), t.runs);
  oshen_arena_free(oshen_group_arena(group_), t.memory);
  oshen_trials_lose(t.course.lost());
  // A program of few runs would otherwise pay for the same trials each time it is started.
  if (t.course.compared() && t.course.had_each()) keep(t.course.fastest());
}

// Remembers a candidate for later transforms, and for later programs.
void live_transform::keep(int best) const {
  const char* name = candidates_[static_cast<std::size_t>(best)].name.c_str();
  oshen_trials_learn(trials_->key, name);
  if (oshen_group_rank(group_) == 0) oshen_trials_store(trials_->key, name, trials_->course.seconds_of(best));
}

void live_transform::try_all(trials::trial_limit limit, std::uint64_t key, double lost) {
  oshen_arena_t* arena = oshen_group_arena(group_);
  const auto* base = static_cast<const std::byte*>(oshen_arena_base(arena));
  void* memory = oshen_arena_alloc(arena, trials::trial_reports::bytes_of(oshen_group_size(group_)));
  report_memory mine{0, memory == nullptr ? OSHEN_NO_SPACE : OSHEN_OK};
  trials::trial_reports reports;
  if (memory != nullptr) {
    mine.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(memory) - base);
    reports = trials::trial_reports(group_, mine.offset);
  }
  std::vector<report_memory> all;
  const bool told = allgather(group_, mine, all) == OSHEN_OK;
  const auto has = [](const report_memory& m) { return m.status == OSHEN_OK; };
  if (!told || !std::ranges::all_of(all, has)) {
    if (memory != nullptr) oshen_arena_free(arena, memory);
    return;
  }
  std::vector<std::uint64_t> offsets;
  for (const report_memory& m : all) offsets.push_back(m.offset);
  reports.set_peers(std::move(offsets));
  std::vector<double> estimates;
  for (const live_candidate& c : candidates_) estimates.push_back(c.estimated);
  trials_.reset(
      new trial_state{{estimates, limit, lost}, std::move(reports), memory, key, trials::trial_share(limit.seconds)});
  source_ = trials::choice_source::trying;
}

// ---- runs

void live_transform::start(direction dir, const void* in, void* out, double scale) {
  if (trials_ == nullptr) return now().start(dir, in, out, scale);
  dir_ = dir;
  in_ = in;
  out_ = out;
  scale_ = scale;
  deferred_ = true;
  begin_deferred();
}

bool live_transform::begin_deferred() {
  if (!deferred_) return true;
  if (trials_->block_over && !begin_block()) return false;
  deferred_ = false;
  begin();
  return true;
}

// Chooses the candidate of the next runs if all reports have come.
bool live_transform::begin_block() {
  trial_state& t = *trials_;
  if (!t.reports.have_come()) return false;
  // Pairs with the fence in finish_run(): the candidates write into each other's arrays through shmem_ptr.
  std::atomic_thread_fence(std::memory_order_acquire);
  t.course.finish_block(t.reports.seconds_of_block(t.course.block_runs()), t.runs);
  const int next = t.course.next();
  if (next < 0) {
    settle();
    return true;
  }
  current_ = next;
  t.counted = t.runs = 0;
  t.block_over = false;
  return true;
}

void live_transform::begin() {
  if (trials_ != nullptr && !trials_->knows_direction) {
    trials_->measured = dir_;
    trials_->knows_direction = true;
  }
  running_ = true;
  in_calls_ = 0;
  if (trials_ != nullptr) waited_before_ = now().stats().wait_seconds;
  const trials::stopwatch count(in_calls_);
  now().start(dir_, in_, out_, scale_);
}

bool live_transform::test() {
  if (!begin_deferred()) return false;
  bool over = false;
  {
    const trials::stopwatch count(in_calls_);
    over = now().test();
  }
  if (over) finish_run();
  return over;
}

void live_transform::wait() {
  if (deferred_) {
    trials_->reports.wait();
    begin_deferred();
  }
  {
    const trials::stopwatch count(in_calls_);
    now().wait();
  }
  finish_run();
}

void live_transform::finish_run() {
  if (!std::exchange(running_, false) || trials_ == nullptr) return;
  trial_state& t = *trials_;
  t.runs++;
  if (dir_ != t.measured) return;
  const bool takes_part = cost().bytes_pass != 0;
  t.mine.seconds[t.counted] = takes_part ? static_cast<float>(in_calls_) : -1;
  const double waited = now().stats().wait_seconds - waited_before_;
  t.mine.busy[t.counted] = static_cast<float>(std::max(0.0, in_calls_ - waited));
  if (++t.counted < t.course.block_runs()) return;
  std::atomic_thread_fence(std::memory_order_release);
  t.reports.send(t.mine);
  t.block_over = true;
}

// Keeps the fastest candidate and frees the others at once, because nothing of their runs is under way.
void live_transform::settle() {
  trial_state& t = *trials_;
  const int best = t.course.fastest();
  for (int i = 0; i < t.course.size(); i++) {
    const live_candidate& c = candidates_[static_cast<std::size_t>(i)];
    if (i != best) {
      c.made->peers_are_done();
      add(dropped_, c.made->stats());
    }
    if (t.course.seconds_of(i) < 0) continue;
    char one[trials::longest_choice + 32];
    std::snprintf(one, sizeof one, "%s%s %.3g ms", measured_.empty() ? "" : ", ", c.name.c_str(),
                  t.course.seconds_of(i) * 1e3);
    measured_ += one;
  }
  char lost[32];
  std::snprintf(lost, sizeof lost, "; lost %.3g ms", t.course.lost() * 1e3);
  measured_ += lost;
  source_ = t.course.compared() ? trials::choice_source::measured : trials::choice_source::model;
  oshen_trials_lose(t.course.lost());
  if (t.course.compared()) keep(best);
  std::swap(candidates_[0], candidates_[static_cast<std::size_t>(best)]);
  candidates_.erase(candidates_.begin() + 1, candidates_.end());
  current_ = 0;
  oshen_arena_free(oshen_group_arena(group_), t.memory);
  trials_.reset();
}

// ---- about the transform

oshen_fft_workspace_t live_transform::workspace() const {
  oshen_fft_workspace_t sum{};
  for (const live_candidate& c : candidates_) {
    const oshen_fft_workspace_t one = c.made->workspace();
    sum.symmetric += one.symmetric;
    sum.ordinary += one.ordinary;
  }
  if (trials_ != nullptr) sum.symmetric += trials::trial_reports::bytes_of(oshen_group_size(group_));
  return sum;
}

oshen_fft_stats_t live_transform::stats() const {
  oshen_fft_stats_t sum = dropped_;
  for (const live_candidate& c : candidates_) add(sum, c.made->stats());
  return sum;
}

std::string live_transform::text() const {
  const std::string result = measured_.empty() ? "" : ": " + measured_;
  return now().text() + ", auto (" + trials::text_of(source_) + result + ")";
}

oshen_status_t live_transform::set_factors(oshen_group_t* group, const void* factors) {
  oshen_status_t worst = OSHEN_OK;
  for (const live_candidate& c : candidates_) worst = std::max(worst, c.made->set_factors(group, factors));
  return worst;
}

}  // namespace oshen::fft
