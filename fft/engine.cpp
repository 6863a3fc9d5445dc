#include "engine.hpp"

#include <shmem.h>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace oshen::fft {
namespace {

std::size_t bytes_of(const stage& s, std::size_t real_bytes) {
  return s.real_after ? real_bytes : 2 * real_bytes;
}

// From the first byte of the first field to the last of the last.
std::size_t span_of(const box& b, bool real, std::size_t real_bytes, int fields,
                    std::size_t distance) {
  const std::size_t dense = b.volume() * (real ? real_bytes : 2 * real_bytes);
  return dense == 0 ? 0 : static_cast<std::size_t>(fields - 1) * distance + dense;
}

bool overlaps(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  const std::less<> before;
  return before(a, b + b_bytes) && before(b, a + a_bytes);
}

}  // namespace

std::vector<move> moves_of(const route_plan& it, int me, std::size_t real_bytes, bool at_home) {
  const auto mine = static_cast<std::size_t>(me);
  std::vector<move> moves;
  for (std::size_t e = 0; e < it.steps.size(); e++) {
    const step& s = it.steps[e];
    if (s.where != array::other) continue;
    const stage& from = it.way.stages[e];
    const std::size_t element = bytes_of(from, real_bytes);
    const bool from_user = e == 0 && from.axes.empty();
    const std::size_t dense = from.after[mine].volume() * element;
    moves.push_back({s.written, s.read, element, from_user ? it.user[mine].in : dense,
                     swaps(it.steps, e, at_home)});
  }
  return moves;
}

template <class T>
std::vector<pass<T>> passes_of(const route_plan& it, int me, const tuning& how) {
  std::vector<pass<T>> passes;
  for (std::size_t s = 0; s < it.way.stages.size(); s++) {
    const stage& now = it.way.stages[s];
    passes.emplace_back(now, me, now.home ? direction::backward : it.which, sources_of(it.way, it.steps, s, me),
                        targets_of(it.way, it.steps, s, me), how);
  }
  return passes;
}

template <class T>
std::size_t scratch_elements(const std::vector<pass<T>>& passes) {
  std::size_t most = 0;
  for (const auto& p : passes) most = std::max(most, p.scratch_elements());
  return most;
}

template <class T>
std::size_t table_bytes(const std::vector<pass<T>>& passes) {
  std::size_t sum = 0;
  for (const auto& p : passes) sum += p.table_bytes();
  return sum;
}

template <class T>
engine<T>::engine(const route_plan& it, int me, transit& through, int first_move, int fields, const tuning& how)
    : through_(through),
      steps_(it.steps),
      passes_(passes_of<T>(it, me, how)),
      me_(me),
      fields_(fields),
      call_(it.call),
      promise_(it.promise),
      user_(it.user),
      input_apart_(needs_input_apart(it.way, it.steps)),
      shares_output_(shares_output(it.steps)) {
  int last_move = -1;
  for (const step& s : steps_) {
    if (s.where == array::other) last_move = last_move < 0 ? first_move : last_move + 1;
    move_of_.push_back(last_move);
  }
  for (std::size_t s = 0; s < it.way.stages.size(); s++) {
    if (!it.way.stages[s].axes.empty()) last_transform_ = s;
    if (it.way.stages[s].turns()) turning_ = s;
  }
  const stage &first = it.way.stages.front(), &last = it.way.stages.back();
  const auto pe = static_cast<std::size_t>(me);
  input_bytes_ = span_of(first.before[pe], first.real_before, sizeof(T), fields, user_[pe].in);
  output_bytes_ = span_of(last.after[pe], last.real_after, sizeof(T), fields, user_[pe].out);
}

template <class T>
void engine<T>::multiply_by(const std::byte* factors) {
  passes_[turning_].multiply_by(factors);
}

template <class T>
void engine<T>::prepare(std::complex<T>* scratch) {
  for (auto& p : passes_) p.prepare(scratch);
}

template <class T>
void engine<T>::start(const void* in, void* out, T scale) {
  in_ = static_cast<const std::byte*>(in);
  out_ = static_cast<std::byte*>(out);
  scale_ = scale;
  stage_ = 0;
  const distances& between = user_[static_cast<std::size_t>(me_)];
  const bool in_place =
      in == out && between.in == between.out && passes_.size() == 1 && passes_[0].works_in_place();
  if (input_apart_ && !in_place && overlaps(in_, input_bytes_, out_, output_bytes_)) {
    input_copy_.assign(in_, in_ + input_bytes_);
    in_ = input_copy_.data();
  }
  if (shares_output_) offer_output();
  if (through_.meets_first()) return meet(before_first);
  run_stage();
}

// A sync without a pass, between two stages or at either end.
template <class T>
void engine<T>::meet(std::size_t at) {
  stage_ = at;
  through_.send(-1, false, {});
  sync_ = true;
}

template <class T>
void engine<T>::offer_output() {
  if (output_bytes_ == 0 || through_.offer(out_)) return;
  std::fprintf(
      stderr,
      "oshen: PE %d: %s: out = %p: not in the symmetric heap, or out of shmem_ptr's reach; "
      "expected what %s promised\n",
      shmem_my_pe(), call_, static_cast<void*>(out_), promise_);
  shmem_global_exit(1);
}

// The array in which the results of a stage lie, as the next one finds it.
template <class T>
array_view engine<T>::array_after(std::size_t stage, int pe) const {
  if (stage + 1 == passes_.size() || steps_[stage].where == array::output) {
    const auto of = static_cast<std::size_t>(pe);
    return {pe == me_ ? out_ : through_.offered(pe), user_[of].out};
  }
  return through_.source(move_of_[stage], pe);
}

template <class T>
void engine<T>::find_sources() {
  sources_.clear();
  for (const piece& p : passes_[stage_].sources()) {
    if (stage_ == 0) {
      sources_.push_back({in_, user_[static_cast<std::size_t>(me_)].in});
    } else {
      const array_view at = array_after(stage_ - 1, p.pe);
      sources_.push_back({at.base, at.distance});
    }
  }
}

template <class T>
void engine<T>::find_targets() {
  const bool last = stage_ == steps_.size();
  const bool moves = !last && steps_[stage_].where == array::other;
  if (moves) through_.begin(move_of_[stage_]);
  targets_.clear();
  for (const piece& p : passes_[stage_].targets()) {
    const bool to_output = !last && steps_[stage_].own_to_output && p.pe == me_;
    targets_.push_back(to_output ? array_after(steps_.size(), me_)
                       : moves   ? through_.target(move_of_[stage_], p.pe)
                                 : array_after(stage_, p.pe));
  }
}

// The pass of the current stage; goes on while nobody is to be waited for.
template <class T>
void engine<T>::run_stage() {
  for (; stage_ < passes_.size(); stage_++) {
    const pass<T>& now = passes_[stage_];
    const bool syncs = stage_ < steps_.size() && steps_[stage_].syncs;
    const bool left_to_move = syncs && through_.copies() && now.copies_only();
    find_sources();
    find_targets();
    const T scale = stage_ == last_transform_ ? scale_ : T{1};
    if (!left_to_move) now.run(sources_, targets_, fields_, scale);
    if (!syncs) continue;
    const const_array_view from = sources_.empty() ? const_array_view{} : sources_[0];
    through_.send(move_of_[stage_], left_to_move, from);
    sync_ = true;
    return;
  }
  if (stage_ == passes_.size() && through_.meets_last()) meet(stage_);
}

template <class T>
bool engine<T>::test() {
  while (sync_) {
    if (!through_.test(move_now())) return false;
    sync_ = false;
    stage_++;
    run_stage();
  }
  return true;
}

template <class T>
void engine<T>::wait() {
  while (sync_) {
    through_.wait(move_now());
    sync_ = false;
    stage_++;
    run_stage();
  }
}

template std::vector<pass<double>> passes_of(const route_plan&, int, const tuning&);
template std::vector<pass<float>> passes_of(const route_plan&, int, const tuning&);
template std::size_t scratch_elements(const std::vector<pass<double>>&);
template std::size_t scratch_elements(const std::vector<pass<float>>&);
template std::size_t table_bytes(const std::vector<pass<double>>&);
template std::size_t table_bytes(const std::vector<pass<float>>&);
template class engine<double>;
template class engine<float>;

}  // namespace oshen::fft
