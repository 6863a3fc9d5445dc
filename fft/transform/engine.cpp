#include "fft/transform/engine.hpp"

#include <shmem.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "trials/stopwatch.hpp"

namespace oshen::fft {
namespace {

std::size_t bytes_of(const stage& s, std::size_t real_bytes) { return s.real_after ? real_bytes : 2 * real_bytes; }

// Bytes from the start of the first field to the end of the last.
std::size_t span_of(const box& b, bool real, std::size_t real_bytes, int fields, std::size_t distance) {
  const std::size_t one = b.span() * (real ? real_bytes : 2 * real_bytes);
  return one == 0 ? 0 : static_cast<std::size_t>(fields - 1) * distance + one;
}

bool overlaps(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  const std::less<> before;
  return before(a, b + b_bytes) && before(b, a + a_bytes);
}

}  // namespace

std::vector<move> moves_of(const route_plan& plan, int me, std::size_t real_bytes, bool ends_local) {
  const auto mine = static_cast<std::size_t>(me);
  std::vector<move> moves;
  for (std::size_t e = 0; e < plan.steps.size(); e++) {
    const step& s = plan.steps[e];
    if (s.where != array::other) continue;
    const stage& from = plan.chain.stages[e];
    const std::size_t element = bytes_of(from, real_bytes);
    const bool from_user = e == 0 && from.axes.empty();
    const std::size_t apart = from.after[mine].span() * element;
    moves.push_back({s.written, s.read, element, from_user ? plan.field_distances[mine].in : apart,
                     swaps(plan.steps, e, ends_local)});
  }
  return moves;
}

template <class T>
std::vector<pass<T>> passes_of(const route_plan& plan, int me, const tuning& options) {
  std::vector<pass<T>> passes;
  for (std::size_t s = 0; s < plan.chain.stages.size(); s++) {
    const stage& now = plan.chain.stages[s];
    passes.emplace_back(now, me, now.inverse ? direction::backward : plan.which,
                        sources_of(plan.chain, plan.steps, s, me), targets_of(plan.chain, plan.steps, s, me), options);
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
engine<T>::engine(const route_plan& plan, int me, move_backend& backend, int first_move, int fields,
                  const tuning& options)
    : backend_(backend),
      steps_(plan.steps),
      passes_(passes_of<T>(plan, me, options)),
      me_(me),
      fields_(fields),
      call_(plan.call),
      promise_(plan.promise),
      field_distances_(plan.field_distances),
      input_apart_(needs_input_apart(plan.chain, plan.steps)),
      shares_output_(shares_output(plan.steps)) {
  int last_move = -1;
  for (const step& s : steps_) {
    if (s.where == array::other) last_move = last_move < 0 ? first_move : last_move + 1;
    move_of_.push_back(last_move);
  }
  for (std::size_t s = 0; s < plan.chain.stages.size(); s++) {
    if (!plan.chain.stages[s].axes.empty()) last_transform_ = s;
    if (plan.chain.stages[s].turns()) turning_ = s;
  }
  const stage &first = plan.chain.stages.front(), &last = plan.chain.stages.back();
  const auto pe = static_cast<std::size_t>(me);
  input_bytes_ = span_of(first.before[pe], first.real_before, sizeof(T), fields, field_distances_[pe].in);
  output_bytes_ = span_of(last.after[pe], last.real_after, sizeof(T), fields, field_distances_[pe].out);
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
  spent_.runs++;
  const distances& between = field_distances_[static_cast<std::size_t>(me_)];
  const bool in_place = in == out && between.in == between.out && passes_.size() == 1 && passes_[0].works_in_place();
  // Several fields are transformed one after another: unless each lies where its result will be, the result of one may
  // overwrite the next.
  const bool fields_shift = fields_ > 1 && (in != out || between.in != between.out);
  if ((input_apart_ || fields_shift) && !in_place && overlaps(in_, input_bytes_, out_, output_bytes_)) {
    const trials::stopwatch watch(spent_.copy);
    input_copy_.assign(in_, in_ + input_bytes_);
    in_ = input_copy_.data();
  }
  if (shares_output_) offer_output();
  if (backend_.syncs_first()) return meet(before_first);
  run_stage();
}

// Syncs without a pass, between two stages or at either end.
template <class T>
void engine<T>::meet(std::size_t at) {
  stage_ = at;
  backend_.send(-1, false, {});
  sync_ = true;
}

template <class T>
void engine<T>::offer_output() {
  if (output_bytes_ == 0 || backend_.offer(out_)) return;
  std::fprintf(stderr,
               "oshen: PE %d: %s: out = %p: not in the symmetric heap or out of reach of shmem_ptr; "
               "expected a symmetric buffer, as %s promises\n",
               shmem_my_pe(), call_, static_cast<void*>(out_), promise_);
  shmem_global_exit(1);
}

// The array from which the next stage reads the results of a stage.
template <class T>
array_view engine<T>::array_after(std::size_t stage, int pe) const {
  if (stage + 1 == passes_.size() || steps_[stage].where == array::output) {
    const auto of = static_cast<std::size_t>(pe);
    return {pe == me_ ? out_ : backend_.offered(pe), field_distances_[of].out};
  }
  return backend_.source(move_of_[stage], pe);
}

template <class T>
void engine<T>::find_sources() {
  sources_.clear();
  for (const chunk& p : passes_[stage_].sources()) {
    if (stage_ == 0) {
      sources_.push_back({in_, field_distances_[static_cast<std::size_t>(me_)].in});
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
  if (moves) backend_.begin(move_of_[stage_]);
  targets_.clear();
  for (const chunk& p : passes_[stage_].targets()) {
    const bool to_output = !last && steps_[stage_].own_to_output && p.pe == me_;
    targets_.push_back(to_output ? array_after(steps_.size(), me_)
                       : moves   ? backend_.target(move_of_[stage_], p.pe)
                                 : array_after(stage_, p.pe));
  }
}

// Runs the passes from the current stage on, up to the first sync.
template <class T>
void engine<T>::run_stage() {
  for (; stage_ < passes_.size(); stage_++) {
    const pass<T>& now = passes_[stage_];
    const bool syncs = stage_ < steps_.size() && steps_[stage_].syncs;
    const bool left_to_move = syncs && backend_.copies() && now.copies_only();
    find_sources();
    find_targets();
    const T scale = stage_ == last_transform_ ? scale_ : T{1};
    if (!left_to_move) {
      const trials::stopwatch watch(now.copies_only() ? spent_.copy : spent_.transform);
      now.run(sources_, targets_, fields_, scale);
    }
    if (!syncs) continue;
    const const_array_view from = sources_.empty() ? const_array_view{} : sources_[0];
    backend_.send(move_of_[stage_], left_to_move, from);
    sync_ = true;
    return;
  }
  if (stage_ == passes_.size() && backend_.syncs_last()) meet(stage_);
}

template <class T>
bool engine<T>::test() {
  while (sync_) {
    if (!backend_.test(move_now())) return false;
    sync_ = false;
    stage_++;
    run_stage();
  }
  return true;
}

template <class T>
void engine<T>::wait() {
  while (sync_) {
    backend_.wait(move_now());
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
