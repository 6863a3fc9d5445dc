#include "engine.hpp"

#include <algorithm>
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

std::vector<move> moves_of(const route& way, int me, std::size_t real_bytes,
                           const distances& user) {
  const std::vector<step> steps = steps_of(way);
  std::vector<move> moves;
  for (std::size_t e = 0; e < steps.size(); e++) {
    if (steps[e] != step::move) continue;
    const stage &from = way.stages[e], &to = way.stages[e + 1];
    const std::size_t element = bytes_of(from, real_bytes);
    const bool from_user = e == 0 && from.axes.empty();
    const std::size_t dense = from.after[static_cast<std::size_t>(me)].volume() * element;
    moves.push_back({from.after, to.before, element, from_user ? user.in : dense});
  }
  return moves;
}

template <class T>
engine<T>::engine(const route& way, int me, direction which, transit& through, int first_move,
                  int fields, const distances& user, const tuning& how)
    : through_(through),
      steps_(steps_of(way)),
      fields_(fields),
      user_(user),
      input_apart_(needs_input_apart(way)) {
  int next = first_move;
  for (const step s : steps_) move_of_.push_back(s == step::move ? next++ : -1);
  for (std::size_t s = 0; s < way.stages.size(); s++) {
    const stage& now = way.stages[s];
    const bool moves = s < steps_.size() && steps_[s] == step::move;
    const bool stays = s < steps_.size() && steps_[s] == step::stay;
    const layout& next_boxes = stays ? now.before : way.stages.back().after;
    // What goes to the output is laid out as the output, also between two stages.
    passes_.emplace_back(now, me, which, moves ? through.targets(move_of_[s]) : next_boxes, how);
    if (!now.axes.empty()) last_transform_ = s;
  }
  const stage &first = way.stages.front(), &last = way.stages.back();
  const auto pe = static_cast<std::size_t>(me);
  input_bytes_ = span_of(first.before[pe], first.real_before, sizeof(T), fields, user.in);
  output_bytes_ = span_of(last.after[pe], last.real_after, sizeof(T), fields, user.out);
}

template <class T>
std::size_t engine<T>::scratch_elements() const {
  std::size_t most = 0;
  for (const auto& p : passes_) most = std::max(most, p.scratch_elements());
  return most;
}

template <class T>
void engine<T>::prepare(std::complex<T>* scratch) {
  for (auto& p : passes_) p.prepare(scratch);
}

template <class T>
int engine<T>::passes() const {
  return static_cast<int>(passes_.size());
}

template <class T>
void engine<T>::start(const void* in, void* out, T scale) {
  in_ = static_cast<const std::byte*>(in);
  out_ = static_cast<std::byte*>(out);
  scale_ = scale;
  stage_ = 0;
  output_holds_ = false;
  if (input_apart_ && overlaps(in_, input_bytes_, out_, output_bytes_)) {
    input_copy_.assign(in_, in_ + input_bytes_);
    in_ = input_copy_.data();
  }
  run_stage();
}

template <class T>
source_place engine<T>::source() const {
  if (stage_ == 0) return {in_, user_.in};
  if (output_holds_) return {out_, user_.out};
  std::size_t came = stage_ - 1;
  while (steps_[came] == step::stay) came--;
  return through_.received(move_of_[came]);
}

// The pass of the current stage, and what sends its results on; goes on while nobody is waited for.
template <class T>
void engine<T>::run_stage() {
  for (; stage_ < passes_.size(); enter_next()) {
    const pass<T>& now = passes_[stage_];
    const source_place from = source();
    const T scale = stage_ == last_transform_ ? scale_ : T{1};
    const bool last = stage_ == steps_.size();
    if (last || steps_[stage_] == step::to_output) {
      places_.assign(now.receivers().size(), {out_, user_.out});
    } else if (steps_[stage_] == step::stay) {
      places_.assign(now.receivers().size(), {const_cast<std::byte*>(from.base), from.distance});
    } else {
      const int move = move_of_[stage_];
      const bool left_to_move = through_.copies() && now.copies_only();
      through_.find_places(move, now.receivers(), places_);
      if (!left_to_move) now.run(from, places_, fields_, scale);
      through_.send(move, left_to_move, from);
      moving_ = true;
      return;
    }
    now.run(from, places_, fields_, scale);
  }
}

template <class T>
void engine<T>::enter_next() {
  output_holds_ = stage_ < steps_.size() && steps_[stage_] == step::to_output;
  stage_++;
}

template <class T>
bool engine<T>::test() {
  while (moving_) {
    if (!through_.test(move_of_[stage_])) return false;
    moving_ = false;
    enter_next();
    run_stage();
  }
  return true;
}

template <class T>
void engine<T>::wait() {
  while (moving_) {
    through_.wait(move_of_[stage_]);
    moving_ = false;
    enter_next();
    run_stage();
  }
}

template class engine<double>;
template class engine<float>;

}  // namespace oshen::fft
